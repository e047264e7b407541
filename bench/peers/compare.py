#!/usr/bin/env python3
"""Repeats with PyTorch what operations did on the samples of the tests, and compares values and gradients.

usage: compare.py FILE [OPERATION...]        FILE: of `ordo_tests record FILE`

Every difference is printed, with the reason where it is known, and every operation that PyTorch cannot be asked about.
Values are of float64. They may differ by 1e-9 of the largest of a tensor, or 1e-5 where PyTorch computes in float32.
Exit status: 0 all agree, 1 some do not or have no entry here, 2 bad arguments or no PyTorch.
"""
import json
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    print("PyTorch is not installed for this Python.", file=sys.stderr)
    sys.exit(2)

DTYPES = {"bool": torch.bool}
REDUCTIONS = ["none", "mean", "sum", "batchmean"]
REDUCE = ["sum", "prod", "mean", "amax", "amin"]  # of scatter_reduce and kin
BAGS = ["sum", "mean", "max"]


def dtype_of(name):
    return DTYPES.get(name) or getattr(torch, name)


def argument(a, leaves):
    """Of a call; a list is a list of tensors or of integers."""
    if isinstance(a, list):
        return [argument(x, leaves) for x in a]
    if not isinstance(a, dict):
        return a
    floating = a["dtype"].startswith(("float", "bfloat"))
    t = torch.tensor(a["values"], dtype=torch.float64 if floating else torch.int64)
    t = t.reshape(a["sizes"]).to(dtype_of(a["dtype"]))
    leaves.append(t.requires_grad_(a["requires_grad"]))
    return t


# How PyTorch is asked, where it is not by torch.NAME(arguments...) or torch.nn.functional.NAME(arguments...).
CALLS = {}


def call(name):
    def register(f):
        CALLS[name] = f
        return f

    return register


def entry(name, f):
    CALLS[name] = f


def plain(name):
    return CALLS.get(name) or getattr(torch, name, None) or getattr(F, name, None)


# Samples of operations for which PyTorch does something else on purpose, or cannot: texts of the difference, and why.
KNOWN = {
    "argmax": [("does not support bool", "PyTorch refuses bool")],
    **dict.fromkeys(("binary_cross_entropy", "binary_cross_entropy_with_logits"),
                    [("PyTorch has none", "PyTorch has no gradient of weights")]),
    "soft_margin_loss": [("PyTorch has none", "PyTorch has no gradient of targets")],
    "bincount": [("is not implemented", "PyTorch has no gradient"), ("no gradient", "PyTorch has no gradient")],
    "floor_divide": [("is not implemented", "PyTorch has no gradient; Ordo's is 0")],
    "heaviside": [("is not implemented", "PyTorch has no gradient; Ordo's is 0, and grad to the value at 0"),
                  ("different dtypes", "PyTorch promotes no dtypes")],
    "hardsigmoid": [("gradient of tensor 0", "PyTorch computes the gradient with 1/6 rounded to float")],
    "index_put": [("gradient of tensor", "Ordo gives no gradient to a value that a later one overwrites")],
    "scatter": [("gradient of tensor", "Ordo gives no gradient to a value that a later one overwrites"),
                ("invalid gradient", "PyTorch's gradient needs a source of the index's shape")],
    **dict.fromkeys(("index_copy", "put"),
                    [("gradient of tensor", "Ordo gives no gradient to a value that a later one overwrites")]),
    **dict.fromkeys(("kthvalue", "mode", "topk"), [("result 1", "of equal values, PyTorch names any")]),
    **dict.fromkeys(("scatter_add", "scatter_reduce"),
                    [("invalid gradient", "PyTorch's gradient needs a source of the index's shape"),
                     ("must match the size", "PyTorch's gradient needs a source of the index's shape")]),
    **dict.fromkeys(("pixel_shuffle", "pixel_unshuffle"),
                    [("[0, ", "PyTorch returns no images as they are")]),
    **dict.fromkeys(("rnn_tanh", "rnn_relu", "gru", "lstm"),
                    [("sequences without steps", "PyTorch's packed sequences have a step at least"),
                     ("Expected", "PyTorch refuses inputs without elements")]),
    "lstsq": [("must be greater or equal", "PyTorch shares no matrix among batches")],
    "instance_norm": [("select(): index 0", "PyTorch refuses inputs without samples")],
    **dict.fromkeys(("fractional_max_pool3d", "fractional_max_pool3d_with_indices"),
                    [("too large relative to", "PyTorch refuses windows that just fit")]),
    "histogram": [("not implemented", "PyTorch has no gradient of the weights")],
    "segment_reduce": [("min(): Expected", "PyTorch refuses an axis without segments")],
    "ctc_loss": [("must not be empty", "PyTorch refuses log_probs without elements")],
    "embedding_bag": [("step must be nonzero", "PyTorch refuses bags without items"),
                      ("result 0: element 2", "PyTorch takes the number of items for the last offset")],
}

# What PyTorch cannot be asked about.
NOT_COMPARED = {}


def not_compared(reason, *names):
    NOT_COMPARED.update(dict.fromkeys(names, reason))


not_compared("draws from Ordo's generator", "rand", "randn", "randint", "randperm", "bernoulli", "uniform_", "normal_",
             "dropout", "svd_lowrank")

# -- the table ----------------------------------------------------------------------------------------------------------


def last(size, rank):
    """Sizes over three dimensions, of which the last `rank` count."""
    return size[3 - rank:] if len(size) == 3 else size


entry("full", lambda sizes, value, dtype, device: torch.full(sizes, value, dtype=dtype_of(dtype)))
entry("arange", lambda start, end, step, dtype, device: torch.arange(start, end, step, dtype=dtype_of(dtype)))
entry("linspace", lambda start, end, steps, dtype, device: torch.linspace(start, end, steps, dtype=dtype_of(dtype)))
entry("eye", lambda n, m, dtype, device: torch.eye(n, n if m is None else m, dtype=dtype_of(dtype)))
entry("logspace", lambda start, end, steps, base, dtype, device: torch.logspace(start, end, steps, base, dtype=dtype_of(dtype)))
entry("gelu", lambda x, approximate: F.gelu(x, approximate=["none", "tanh"][approximate]))
entry("add", lambda a, b, alpha=1: torch.add(torch.as_tensor(a), b, alpha=alpha))
entry("sub", lambda a, b, alpha=1: torch.sub(torch.as_tensor(a), b, alpha=alpha))
entry("add_", lambda a, b, alpha=1: a.clone().add_(b, alpha=alpha))
for name in ("mul", "div", "minimum", "maximum", "fmod", "remainder", "floor_divide", "fmax", "fmin", "hypot", "logaddexp",
             "xlogy", "copysign", "atan2", "bitwise_and", "bitwise_or", "bitwise_xor", "eq", "ne", "lt", "le", "gt", "ge", "logical_and",
             "logical_or", "logical_xor", "heaviside"):
    entry(name, lambda a, b, f=getattr(torch, name): f(torch.as_tensor(a), torch.as_tensor(b)))

for name, function in (("cholesky", "cholesky"), ("solve", "solve"), ("inverse", "inv"), ("det", "det"), ("slogdet", "slogdet"),
                       ("qr", "qr"), ("matrix_power", "matrix_power")):
    entry(name, getattr(torch.linalg, function))
entry("solve_triangular", lambda a, b, upper, left, unitriangular: torch.linalg.solve_triangular(
    a, b, upper=upper, left=left, unitriangular=unitriangular))
entry("lstsq", lambda a, b: torch.linalg.lstsq(a, b, driver="gels")[:2])
entry("pinv", lambda a, atol, rtol: torch.linalg.pinv(a, atol=atol, rtol=rtol))


def signed(columns):
    """1 or -1 for each column: Ordo's signs, by which the first of the large elements of a column is positive."""
    size = columns.detach().abs()
    at = (size >= size.amax(-2, keepdim=True) / 2).int().argmax(-2, keepdim=True)
    return columns.detach().gather(-2, at).sign()


@call("eigh")
def eigh(a):
    values, vectors = torch.linalg.eigh(a)
    return (values, vectors * signed(vectors)) if values.numel() else (values, vectors)


@call("svd")
def svd(x):
    u, s, vh = torch.linalg.svd(x, full_matrices=False)
    if not s.numel():
        return u, s, vh
    sign = signed(u)
    return u * sign, s, vh * sign.mT


for name in ("sum", "mean", "amax", "amin", "all", "any"):
    entry(name, lambda x, dims, keepdim, f=getattr(torch, name): f(x, dim=dims or tuple(range(x.dim())), keepdim=keepdim)
          if x.dim() else f(x))
for name in ("var", "std", "var_mean", "std_mean"):
    entry(name, lambda x, dims, correction, keepdim, f=getattr(torch, name): f(x, dims or None, correction=correction,
                                                                               keepdim=keepdim))
entry("square_sum", lambda x, dims, keepdim: torch.sum(x * x, dims or None, keepdim))
entry("norm", lambda x, p, dims, keepdim: torch.linalg.vector_norm(x, p, dims or None, keepdim))

entry("clone", lambda x: x.clone())
entry("contiguous", lambda x: x.contiguous())
entry("to", lambda x, device, dtype: x.to(dtype_of(dtype)))
entry("fill_", lambda x, value: x.clone().fill_(value))
entry("copy_", lambda x, source: x.clone().copy_(source))
for name in ("view", "reshape", "permute", "transpose", "squeeze", "unsqueeze", "flatten", "select", "narrow", "expand"):
    entry(name, lambda x, *arguments, f=getattr(torch.Tensor, name): f(x, *arguments))
entry("slice", lambda x, dim, start, end, step: torch.ops.aten.slice(x, dim, start, end, step))
entry("index", lambda x, *indices: x[key(indices)])
entry("where", lambda c, a, b: torch.where(c, torch.as_tensor(a), torch.as_tensor(b)))
entry("one_hot", lambda target, classes: F.one_hot(target.long(), -1 if classes is None else classes))


def key(indices):
    """Entries of an index: tensors and integers, slices as three numbers, "..." and "None"."""
    def one(i):
        if isinstance(i, list):
            return slice(*i)
        return {"...": Ellipsis, "None": None}[i] if isinstance(i, str) else i
    return tuple(one(i) for i in indices)


@call("index_put")
def index_put(x, *rest):
    *indices, value, accumulate = rest
    x = x.clone()
    if accumulate:
        places = torch.arange(x.numel()).reshape(x.shape)[key(indices)]
        return x.flatten().index_add(0, places.flatten(), value.expand(places.shape).flatten()).reshape(x.shape)
    x[key(indices)] = value
    return x


entry("index_add", lambda x, dim, index, source, alpha, algorithm=None: torch.index_add(x, dim, index, source, alpha=alpha))
entry("scatter_add", lambda x, dim, index, src, algorithm=None: torch.scatter_add(x, dim, index.long(), src))
entry("scatter", lambda x, dim, index, src: torch.scatter(x, dim, index.long(), src))
entry("scatter_reduce", lambda x, dim, index, src, reduce, include_self, algorithm=None: torch.scatter_reduce(
    x, dim, index.long(), src, REDUCE[reduce], include_self=include_self))
entry("index_reduce", lambda x, dim, index, src, reduce, include_self, algorithm=None: torch.index_reduce(
    x, dim, index.long(), src, REDUCE[reduce], include_self=include_self))
entry("index_copy", lambda x, dim, index, src: torch.index_copy(x, dim, index.long(), src))
entry("index_fill", lambda x, dim, index, value: torch.index_fill(x, dim, index.long(), value))
entry("take", lambda x, index: torch.take(x, index.long()))
entry("put", lambda x, index, source, accumulate: torch.Tensor.put(x, index.long(), source, accumulate))
entry("take_along_dim", lambda x, index, dim=None: torch.take_along_dim(x, index.long(), dim))
entry("repeat_interleave", lambda x, repeats=None, dim=None: torch.repeat_interleave(x) if repeats is None else
      torch.repeat_interleave(x, repeats, dim))
entry("gather", lambda x, dim, index: torch.gather(x, dim, index.long()))
entry("bincount", lambda x, weights, minlength, algorithm: torch.bincount(x, weights, minlength))
entry("embedding", lambda x, weight, padding_idx, max_norm, norm_type: F.embedding(
    x, weight if max_norm is None else weight.clone(), padding_idx, max_norm, norm_type))


@call("embedding_bag")
def embedding_bag(x, weight, offsets, mode, per_sample_weights, include_last_offset, padding_idx):
    if offsets is not None:
        offsets = offsets.to(x.dtype)
    return F.embedding_bag(x, weight, offsets, mode=BAGS[mode], per_sample_weights=per_sample_weights,
                           include_last_offset=include_last_offset, padding_idx=padding_idx)


entry("segment_reduce", lambda x, reduce, lengths, offsets, axis, unsafe, initial: torch.segment_reduce(
    x, REDUCE[reduce].removeprefix("a"), lengths=lengths, offsets=offsets, axis=axis, unsafe=unsafe, initial=initial))


def sparse(*arguments):
    """Of coordinates, values and sizes, or of rows, columns, values and sizes; and the arguments after these."""
    if isinstance(arguments[2], list):
        indices, values, sizes, *others = arguments
        return torch.sparse_coo_tensor(indices.long(), values, sizes), others
    rows, columns, values, sizes, *others = arguments
    at = torch.repeat_interleave(torch.arange(len(rows) - 1), rows.long().diff())
    return torch.sparse_coo_tensor(torch.stack([at, columns.long()]), values, sizes), others


def stored(x):
    x = x.coalesce()
    return x.indices(), x.values()


@call("sparse_sum")
def sparse_sum(*arguments):
    x, dims = sparse(*arguments)
    return stored(torch.sparse.sum(x, dims[0])) if dims else torch.sparse.sum(x)


@call("sparse_mm")
def sparse_mm(*arguments):
    x, (dense,) = sparse(*arguments)
    return torch.sparse.mm(x, dense)


entry("coalesce", lambda *arguments: stored(sparse(*arguments)[0]))
entry("to_dense", lambda *arguments: sparse(*arguments)[0].to_dense())
entry("to_sparse", lambda x, *others: stored(sparse(x, *others)[0] if len(others) == 3 else
      x.to_sparse(others[0]) if others[0] is not None else x.to_sparse()))

for rank in (1, 2, 3):
    def windows(kernel, stride, padding, dilation, r):
        return last(kernel, r), last(stride, r), last(padding, r), last(dilation, r)

    def max_pool(x, kernel, stride, padding, dilation, ceil_mode, *_, r):
        k, s, p, d = windows(kernel, stride, padding, dilation, r)
        return getattr(F, f"max_pool{r}d")(x, k, s, p, d, ceil_mode=ceil_mode, return_indices=True)

    def avg_pool(x, kernel, stride, padding, dilation, ceil_mode, count_include_pad, divisor, r):
        k, s, p, _ = windows(kernel, stride, padding, dilation, r)
        extra = {} if r == 1 else {"divisor_override": divisor}
        return getattr(F, f"avg_pool{r}d")(x, k, s, p, ceil_mode, count_include_pad, **extra)

    for name in (f"max_pool{rank}d", f"max_pool{rank}d_with_indices"):
        entry(name, lambda *a, r=rank: max_pool(*a, r=r))
    entry(f"avg_pool{rank}d", lambda *a, r=rank: avg_pool(*a, r=r))
    entry(f"adaptive_avg_pool{rank}d", lambda x, size, r=rank: getattr(F, f"adaptive_avg_pool{r}d")(x, last(size, r)))
    for name in (f"adaptive_max_pool{rank}d", f"adaptive_max_pool{rank}d_with_indices"):
        entry(name, lambda x, size, r=rank: getattr(F, f"adaptive_max_pool{r}d")(x, last(size, r), return_indices=True))
    entry(f"conv{rank}d", lambda x, w, b, stride, padding, dilation, groups, r=rank: getattr(F, f"conv{r}d")(
        x, w, b, last(stride, r), last(padding, r), last(dilation, r), groups))
    entry(f"conv_transpose{rank}d", lambda x, w, b, stride, padding, dilation, groups, more, r=rank:
          getattr(F, f"conv_transpose{r}d")(x, w, b, last(stride, r), last(padding, r), last(more, r), groups,
                                            last(dilation, r)))
    entry(f"conv{rank}d_input_grad", lambda w, grad, sizes, stride, padding, dilation, groups, r=rank:
          getattr(torch.nn.grad, f"conv{r}d_input")(sizes, w, grad, last(stride, r), last(padding, r), last(dilation, r), groups))
    entry(f"conv{rank}d_weight_grad", lambda x, grad, sizes, stride, padding, dilation, groups, r=rank:
          getattr(torch.nn.grad, f"conv{r}d_weight")(x, sizes, grad, last(stride, r), last(padding, r), last(dilation, r),
                                                     groups))


@call("batch_norm")
def batch_norm(x, mean, var, w, b, training, momentum, eps):
    mean, var = (None if t is None else t.clone() for t in (mean, var))
    y = F.batch_norm(x, mean, var, w, b, training, momentum, eps)
    return [t for t in (var, mean) if training and t is not None] + [y]


def constant(t):
    """For arguments in which PyTorch's losses are not differentiable."""
    return t if t is None else t.detach()


entry("binary_cross_entropy", lambda a, b, weight, reduction: F.binary_cross_entropy(
    a, b, constant(weight), reduction=REDUCTIONS[reduction]))
entry("binary_cross_entropy_with_logits", lambda a, b, weight=None, reduction=0, pos_weight=None:
      F.binary_cross_entropy_with_logits(a, b, constant(weight), reduction=REDUCTIONS[reduction],
                                         pos_weight=constant(pos_weight)))
entry("kl_div", lambda a, b, reduction, log_target: F.kl_div(a, b, reduction=REDUCTIONS[reduction], log_target=log_target))
entry("soft_margin_loss", lambda a, b, reduction: F.soft_margin_loss(a, constant(b), reduction=REDUCTIONS[reduction]))
entry("hinge_embedding_loss", lambda a, b, margin, reduction: F.hinge_embedding_loss(
    a, b, margin, reduction=REDUCTIONS[reduction]))
for name in ("cosine_embedding_loss", "margin_ranking_loss"):
    entry(name, lambda a, b, target, margin, reduction, f=getattr(F, name): f(a, b, target, margin,
                                                                             reduction=REDUCTIONS[reduction]))
entry("multi_margin_loss", lambda x, target, p, margin, weight, reduction: F.multi_margin_loss(
    x, target.long(), p, margin, weight, reduction=REDUCTIONS[reduction]))
entry("multilabel_margin_loss", lambda x, target, reduction: F.multilabel_margin_loss(
    x, target.long(), reduction=REDUCTIONS[reduction]))
entry("multilabel_soft_margin_loss", lambda x, target, weight, reduction: F.multilabel_soft_margin_loss(
    x, target, weight, reduction=REDUCTIONS[reduction]))
entry("triplet_margin_loss", lambda a, b, c, margin, p, eps, swap, reduction: F.triplet_margin_loss(
    a, b, c, margin, p, eps, swap, reduction=REDUCTIONS[reduction]))
entry("gaussian_nll_loss", lambda x, target, var, full, eps, reduction: F.gaussian_nll_loss(
    x, target, var, full, eps, REDUCTIONS[reduction]))
entry("poisson_nll_loss", lambda x, target, log_input, full, eps, reduction: F.poisson_nll_loss(
    x, target.to(x.dtype), log_input, full, eps=eps, reduction=REDUCTIONS[reduction]))
for name in ("mse_loss", "l1_loss"):
    entry(name, lambda a, b, reduction, f=getattr(F, name): f(a, b, reduction=REDUCTIONS[reduction]))
entry("nll_loss", lambda x, target, weight, ignore, reduction: F.nll_loss(x, target.long(), weight, ignore_index=ignore,
                                                                          reduction=REDUCTIONS[reduction]))
entry("cross_entropy", lambda x, target, weight, ignore, reduction, smoothing: F.cross_entropy(
    x, target if target.is_floating_point() else target.long(), weight, ignore_index=ignore,
    reduction=REDUCTIONS[reduction], label_smoothing=smoothing))
entry("linear", lambda x, w, b: F.linear(x, w, b))


@call("ctc_loss")
def ctc_loss(x, targets, input_lengths, target_lengths, blank, reduction, zero_infinity):
    """PyTorch's gradient has exp(x) added to it; what is added to the loss here is 0 and takes that off again."""
    targets, inputs, labels = targets.long(), torch.as_tensor(input_lengths), torch.as_tensor(target_lengths)
    loss = F.ctc_loss(x, targets, inputs, labels, blank, "none", zero_infinity)
    possible = F.ctc_loss(x.detach(), targets, inputs, labels, blank, "none").isfinite()
    has_gradient = (torch.arange(x.shape[0])[:, None] < inputs) & possible
    added = (x.reshape(x.shape[0], -1, x.shape[-1]).exp() * has_gradient[:, :, None]).sum((0, 2)).reshape(loss.shape)
    loss = loss - (added - added.detach())
    if REDUCTIONS[reduction] == "mean":
        loss = loss / labels.clamp_min(1).reshape(loss.shape)
    return loss if REDUCTIONS[reduction] == "none" else getattr(loss, REDUCTIONS[reduction])()


def recurrent(f, x, states, weights, has_biases, layers, dropout, train, bidirectional, batch_first, lengths):
    """By torch.lstm and its like; shorter sequences as PyTorch's packed ones."""
    if lengths is None:
        return f(x, states, weights, has_biases, layers, dropout, train, bidirectional, batch_first)
    if not (lengths > 0).all():
        raise NotImplementedError("sequences without steps")
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first, enforce_sorted=False)
    pick = lambda t: t.index_select(1, packed.sorted_indices)
    states = [pick(t) for t in states] if isinstance(states, list) else pick(states)
    data, *last = f(packed.data, packed.batch_sizes, states, weights, has_biases, layers, dropout, train, bidirectional)
    output = torch.nn.utils.rnn.PackedSequence(data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
    output, _ = torch.nn.utils.rnn.pad_packed_sequence(output, batch_first, total_length=x.shape[1 if batch_first else 0])
    return [output] + [t.index_select(1, packed.unsorted_indices) for t in last]


for name in ("rnn_tanh", "rnn_relu", "gru", "lstm"):
    entry(name, lambda *arguments, f=getattr(torch, name): recurrent(f, *arguments))

entry("sort", lambda x, dim, descending: torch.sort(x, dim=dim, descending=descending, stable=True))
entry("argsort", lambda x, dim, descending: torch.argsort(x, dim=dim, descending=descending, stable=True))
for name in ("quantile", "nanquantile"):
    entry(name, lambda x, q, dim, keepdim, how, f=getattr(torch, name): f(
        x, q, dim, keepdim, interpolation=["linear", "lower", "higher", "midpoint", "nearest"][how]))
entry("searchsorted", lambda s, v, out_int32, right, sorter: torch.searchsorted(s, v, out_int32=out_int32, right=right, sorter=sorter))
entry("bucketize", lambda x, b, out_int32, right: torch.bucketize(x, b, out_int32=out_int32, right=right))
entry("histogram", lambda x, bins, weight, density: torch.histogram(x, bins, weight=weight, density=density))
entry("unique", lambda x, inverse, counts, dim=None: torch.unique(x, return_inverse=inverse, return_counts=counts, dim=dim))
entry("unique_consecutive", lambda x, inverse, counts, dim=None: torch.unique_consecutive(x, inverse, counts, dim))
not_compared("draws from Ordo's generator", "multinomial")

PAD = ["constant", "reflect", "replicate", "circular"]
MODES = ["nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"]
entry("pad", lambda x, padding, mode, value: F.pad(x, padding, PAD[mode], value if mode == 0 else None))
entry("interpolate", lambda x, size, scale, mode, align, recompute: F.interpolate(
    x, size or None, (scale[0] if len(scale) == 1 else scale) if scale else None, MODES[mode], align, recompute or None))
entry("grid_sample", lambda x, grid, mode, padding, align: F.grid_sample(
    x, grid, MODES[mode], ["zeros", "border", "reflection"][padding], align))
entry("unfold", lambda x, kernel, dilation, padding, stride: F.unfold(x, kernel, dilation, padding, stride))

entry("addcmul", lambda x, a, b, value: torch.addcmul(x, a, b, value=value))
entry("addcdiv", lambda x, a, b, value: torch.addcdiv(x, a, b, value=value))
entry("unflatten", lambda x, dim, sizes: x.unflatten(dim, sizes))
entry("expand_as", lambda x, other: x.expand_as(other))
entry("meshgrid", lambda tensors, indexing: torch.meshgrid(tensors, indexing=["ij", "xy"][indexing]))
entry("cartesian_prod", lambda tensors: torch.cartesian_prod(*tensors))
entry("repeat", lambda x, repeats: x.repeat(repeats))
for name in ("addmm", "baddbmm", "addbmm"):
    entry(name, lambda x, a, b, beta, alpha, f=getattr(torch, name): f(x, a, b, beta=beta, alpha=alpha))
entry("tensordot", lambda a, b, of_a, of_b: torch.tensordot(a, b, [of_a, of_b]))
entry("einsum", lambda equation, operands: torch.einsum(equation, *operands))
@call("scaled_dot_product_attention")
def attention(q, k, v, mask, dropout, causal, scale, gqa):
    """PyTorch's is_causal is aligned at the first key."""
    queries, keys = q.shape[-2], k.shape[-2]
    if causal and queries < keys:
        mask, causal = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries), False
    return F.scaled_dot_product_attention(q, k, v, mask, dropout, causal, scale=scale, enable_gqa=gqa)



@call("prod")
def prod(x, dims, keepdim):
    """PyTorch's takes one dimension."""
    for d in sorted((d % x.dim() for d in dims or range(x.dim())), reverse=True):
        x = torch.prod(x, d, True)
    return x if keepdim else x.squeeze(tuple(dims) if dims else tuple(range(x.dim())))


entry("isin", lambda x, among, unique, invert: torch.isin(x, among, assume_unique=unique, invert=invert))
entry("aminmax", lambda x, dim, keepdim: tuple(torch.aminmax(x, dim=dim, keepdim=keepdim)))
entry("block_diag", lambda tensors: torch.block_diag(*tensors))
entry("cov", lambda x, correction, fweights, aweights: torch.cov(x, correction=correction, fweights=fweights, aweights=aweights))
entry("count_nonzero", lambda x, dims: torch.count_nonzero(x, dims or None))
entry("logsumexp", lambda x, dims, keepdim: torch.logsumexp(x, dims or tuple(range(x.dim())), keepdim))
entry("nansum", lambda x, dims, keepdim: torch.nansum(x, dims or None, keepdim))
entry("nanmean", lambda x, dims, keepdim: torch.nanmean(x, dims or None, keepdim))
for rank in (2, 3):
    for ending in ("", "_with_indices"):
        entry(f"fractional_max_pool{rank}d{ending}",
              lambda x, kernel, size, ratio, samples, f=getattr(F, f"fractional_max_pool{rank}d"), indices=ending != "":
              f(x, kernel, size or None, ratio or None, indices, samples.detach()))
entry("allclose", lambda a, b, rtol, atol, equal_nan: torch.tensor(torch.allclose(a, b, rtol, atol, equal_nan)))
entry("equal", lambda a, b: torch.tensor(torch.equal(a, b)))
entry("instance_norm", lambda x, mean, var, w, b, own, momentum, eps: F.instance_norm(
    x, *(None if t is None else t.clone() for t in (mean, var)), w, b, own, momentum, eps))
not_compared("torchvision's", "roi_align", "roi_pool")
entry("rms_norm", lambda x, shape, w, eps: F.rms_norm(x, shape, w, None if eps < 0 else eps))
for rank in (1, 2, 3):
    entry(f"max_unpool{rank}d", lambda x, indices, kernel, stride, padding, size, r=rank: getattr(F, f"max_unpool{r}d")(
        x, indices.long(), kernel, stride, padding, size or None))
entry("lp_pool1d", lambda x, p, kernel, stride, ceil_mode: F.lp_pool1d(x, p, kernel[0], stride[0], ceil_mode))

entry("smooth_l1_loss", lambda a, b, reduction, beta: F.smooth_l1_loss(a, b, reduction=REDUCTIONS[reduction], beta=beta))
entry("huber_loss", lambda a, b, reduction, delta: F.huber_loss(a, b, reduction=REDUCTIONS[reduction], delta=delta))

# -- comparing ----------------------------------------------------------------------------------------------------------


def tensors(outputs):
    if isinstance(outputs, torch.Tensor):
        return [outputs]
    return [t for part in outputs for t in tensors(part)]


def difference(found, wanted, tolerance):
    """Empty when PyTorch's tensor is what Ordo's record says, else what differs."""
    if wanted is None:
        return "" if found is None or not found.any() else "PyTorch has a gradient, Ordo has none"
    values = torch.tensor(wanted["values"], dtype=torch.float64).reshape(wanted["sizes"])
    if found is None:
        return "Ordo has a gradient, PyTorch has none" if values.any() else ""
    if list(found.shape) != wanted["sizes"]:
        return f"shape {list(found.shape)}, Ordo {wanted['sizes']}"
    found = found.detach().to(torch.float64)
    finite = values[values.isfinite()]
    allowed = tolerance * max(1.0, finite.abs().max().item() if finite.numel() else 0.0)
    close = (found == values) | ((found - values).abs() <= allowed) | (found.isnan() & values.isnan())
    if close.all():
        return ""
    at = (~close).flatten().nonzero()[0].item()
    return f"element {at}: {found.flatten()[at].item()!r}, Ordo {values.flatten()[at].item()!r}"


def compare(record):
    """What differs, a line each."""
    leaves = []
    arguments = argument(record["arguments"], leaves)
    outputs = tensors(plain(record["op"])(*arguments))
    wanted = record["outputs"]
    if len(outputs) != len(wanted):
        return [f"PyTorch has {len(outputs)} results, Ordo {len(wanted)}"]
    tolerance = 1e-9 if all(t.dtype == torch.float64 or not t.is_floating_point() for t in outputs) else 1e-5
    lines = [f"result {k}: {text}" for k in range(len(wanted)) if (text := difference(outputs[k], wanted[k], tolerance))]
    pairs = [(o, w) for o, w in zip(outputs, record["weights"]) if w is not None]
    if lines or not pairs:
        return lines
    if not all(o.requires_grad for o, _ in pairs):
        return ["PyTorch has no gradient"]
    weights = [torch.tensor(w["values"], dtype=o.dtype).reshape(o.shape) for o, w in pairs]
    inputs = [t for t in leaves if t.requires_grad]
    found = iter(torch.autograd.grad([o for o, _ in pairs], inputs, weights, allow_unused=True))
    for k, t in enumerate(leaves):
        if t.requires_grad and (text := difference(next(found), record["gradients"][k], tolerance)):
            lines.append(f"gradient of tensor {k}: {text}")
    return lines


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    wanted = set(sys.argv[2:])
    compared, known, failed, unknown, left_out = {}, {}, set(), set(), set()
    with open(sys.argv[1]) as file:
        for line in file:
            record = json.loads(line)
            name = record["op"]
            if wanted and name not in wanted:
                continue
            if name in NOT_COMPARED:
                left_out.add(name)
                continue
            if plain(name) is None:
                unknown.add(name)
                continue
            try:
                lines = compare(record)
            except Exception as error:  # PyTorch refuses what Ordo takes, or the table's call is wrong
                lines = [f"{type(error).__name__}: {str(error).splitlines()[0]}"]
            compared[name] = compared.get(name, 0) + 1
            for text in lines:
                reason = next((why for part, why in KNOWN.get(name, []) if part in text), None)
                if reason:
                    known[name, reason] = known.get((name, reason), 0) + 1
                    continue
                failed.add(name)
                print(f"{name} \"{record['sample']}\": {text}")
    for (name, reason), count in sorted(known.items()):
        print(f"{name}: {reason} ({count} calls)")
    for name in sorted(left_out):
        print(f"{name}: not compared, {NOT_COMPARED[name]}")
    for name in sorted(unknown):
        print(f"{name}: PyTorch has no function of this name, and the table has no entry")
    print(f"PyTorch {torch.__version__}: {len(compared) - len(failed)} of {len(compared)} operations agree, "
          f"in {sum(compared.values())} calls")
    return 1 if failed or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
