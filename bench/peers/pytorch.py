#!/usr/bin/env python3
"""PyTorch on the rows of `ordo bench`: the same operations, shapes, distributions and dtypes, measured the same way.

usage: pytorch.py [--device cpu|cuda:0] [--threads N] [--repeats N] [--seconds S] [--rounds N]

`ordo bench` starts it. It says {"version"} first, then answers every line {"row", "path"} on its standard input
with a line: {"ms": [...], "patterns": [...], "compared", "max_ulp"}, one round's repeats, or {"error"}. The path is "pytorch",
"pytorch_deterministic", use_deterministic_algorithms(True), where some operations throw, or what `ordo bench` asks of
another process with another environment, "pytorch_without_bfloat16". index_add_ and scatter_add_ add
into an existing output; of embedding, embedding_bag and pooling the backward passes run alone, through autograd.
"""
import argparse
import json
import math
import os
import re
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cpu")
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--repeats", type=int, default=100)
parser.add_argument("--seconds", type=float, default=3)
parser.add_argument("--rounds", type=int, default=1)
arguments = parser.parse_args()
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # which the deterministic mode asks for
os.environ["OPENBLAS_NUM_THREADS"] = str(arguments.threads)  # these two before PyTorch is loaded

sys.path.pop(0)  # the folder of this file, whose name others import

import numpy  # noqa: F401  (PyTorch needs it for Tensor.numpy(), and would say so in every row)
import torch
import torch.nn.functional as F
from torch import nn

SHORTEST_MS = 0.5  # these two as in bench/measure.cpp
MORE_THAN_CACHES = 160e6
MODES = {"pytorch": False, "pytorch_deterministic": True, "pytorch_without_bfloat16": False}

torch.set_num_threads(arguments.threads)
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
device = torch.device(arguments.device)


def drawn_gradients(sizes):
    """As in bench/cases.cpp."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gradients", "gradients.json")) as file:
        recorded = json.load(file)
    exponents = torch.tensor([int(e) for e in recorded["exponents"]])
    weights = torch.tensor(list(recorded["exponents"].values()), dtype=torch.float64)
    count = math.prod(sizes)
    exponent = exponents[torch.multinomial(weights, count, replacement=True)]
    magnitude = torch.ldexp(1 + torch.rand(count), exponent)
    which = torch.rand(count, dtype=torch.float64) * recorded["values"] - recorded["zeros"]
    signed = torch.where(which < recorded["negative"], -magnitude, magnitude)
    return torch.where(which < 0, torch.zeros(()), signed).reshape(sizes)


class Place:
    """Where tensors lie: on the device in the row's dtype, or in float64 on the CPU, of the same rounded values."""

    def __init__(self, row, reference):
        self.rounded = getattr(torch, row["dtype"])
        self.dtype = torch.float64 if reference else self.rounded
        self.device = torch.device("cpu") if reference else device
        self.kind = row.get("values", "uniform")

    def values(self, *sizes):
        return self.drawn(sizes).to(self.rounded).to(self.dtype).to(self.device)

    def drawn(self, sizes):
        """As in bench/cases.cpp."""
        if self.kind == "normal":
            return torch.randn(sizes)
        if self.kind in ("exp3", "exp8"):
            return torch.exp(torch.randn(sizes) * int(self.kind[3:]))
        if self.kind == "zeros":
            return torch.where(torch.rand(sizes) < 0.5, 0.0, torch.rand(sizes))
        if self.kind == "gradients":
            return drawn_gradients(sizes)
        if self.kind == "signs":
            count = math.prod(sizes)
            half = torch.rand((count + 1) // 2, 1)
            return torch.cat([half, -half], 1).flatten()[:count].reshape(sizes)
        if self.kind == "boundaries":
            return torch.where(torch.rand(sizes) < 1 / 3, 1.0, torch.where(torch.rand(sizes) < 0.5, 2.0**-24, 2.0**-100))
        return torch.rand(sizes)

    def destinations(self, distribution, count, n):
        """As in bench/cases.cpp."""
        if distribution == "uniform":
            d = torch.randint(0, n, (count,))
        elif distribution == "half":
            d = torch.where(torch.rand(count) < 0.5, torch.randint(0, n, (count,)), n // 2)
        elif distribution == "one":
            d = torch.full((count,), n // 2)
        else:
            below = torch.arange(1, n + 1, dtype=torch.float64).pow(-1.1).cumsum(0)
            rank = torch.searchsorted(below, torch.rand(count, dtype=torch.float64) * below[-1], right=True)
            d = rank.clamp(max=n - 1) * 7919 % n
        return d.to(self.device)


class Case:
    def __init__(self, run, reset=lambda: None, result=None, inputs=()):
        self.call, self.reset, self.inputs = run, reset, inputs
        self.output = None
        self.result = result or (lambda: [self.output])

    def run(self):
        self.output = self.call()


def backward_of(output, leaf, place):
    gradient = place.values(*output.shape)
    leaves = [leaf] if torch.is_tensor(leaf) else leaf
    case = Case(lambda: torch.autograd.grad(output, leaves, gradient, retain_graph=True), inputs=[gradient])
    case.result = lambda: list(case.output)
    return case


def scatter(row, place):
    m, n, width = row["M"], row["N"], row["D"]
    index = place.destinations(row["distribution"], m, n)
    source = place.values(m) if width == 1 else place.values(m, width)
    output = torch.zeros((n,) if width == 1 else (n, width), dtype=source.dtype, device=source.device)
    if row["op"] == "index_add":
        return Case(lambda: output.index_add_(0, index, source), output.zero_, inputs=[index, source])
    expanded = index if width == 1 else index.reshape(m, 1).expand(m, width)
    return Case(lambda: output.scatter_add_(0, expanded, source), output.zero_, inputs=[index, source])


def bincount(row, place):
    index, weights = place.destinations(row["distribution"], row["M"], row["N"]), place.values(row["M"])
    return Case(lambda: torch.bincount(index, weights, row["N"]), inputs=[index, weights])


def embedding(row, place):
    index = place.destinations(row["distribution"], row["bags"] * row["length"], row["N"])
    index = index.reshape(row["bags"], row["length"])
    weight = place.values(row["N"], row["D"]).requires_grad_()
    if row["op"] == "embedding":
        return backward_of(F.embedding(index, weight), weight, place)
    return backward_of(F.embedding_bag(index, weight, mode=row["mode"]), weight, place)


def rank(row):
    """The N of an operation called "...Nd"."""
    return int(row["op"][-2])


def function_of(row):
    """What the row's operation calls: it has the same name here."""
    return next(getattr(module, row["op"]) for module in (torch, F) if hasattr(module, row["op"]))


def pooling(row, place):
    image = place.values(row["images"], row["channels"], *[row["size"]] * rank(row)).requires_grad_()
    arguments = [row[name] for name in ("output", "kernel", "stride", "padding") if name in row]
    return backward_of(getattr(F, row["op"])(image, *arguments), image, place)


def unary(row, place):
    x = place.values(row["N"])
    run = function_of(row)
    if "mode" in row:  # backward
        return backward_of(run(x.requires_grad_()), x, place)
    return Case(lambda: run(x), inputs=[x])


def binary(row, place):
    a, b = place.values(row["N"]), place.values(row["N"])
    run = function_of(row)
    return Case(lambda: run(a, b), inputs=[a, b])


def reduction(row, place):
    x = place.values(row["R"], row["C"])
    run = getattr(x, row["op"])
    arguments = {"norm": [2]}.get(row["op"], []) + {"all": [], "rows": [1], "columns": [0]}[row["mode"]]
    return Case(lambda: run(*arguments), inputs=[x])


def matmul(row, place):
    a, b = place.values(row["M"], row["K"]), place.values(row["K"], row["N"])
    return Case(lambda: a @ b, inputs=[a, b])


def convolution(row, place):
    x = place.values(row["images"], row["in"], *[row["size"]] * rank(row))
    weight = place.values(row["out"], row["in"], *[row["kernel"]] * rank(row))
    run, options = getattr(F, row["op"]), {name: row[name] for name in ("padding", "stride") if name in row}
    if row["mode"] == "forward":
        return Case(lambda: run(x, weight, **options), inputs=[x, weight])
    leaf = x if row["mode"] == "input_gradient" else weight
    leaf.requires_grad_()
    return backward_of(run(x, weight, **options), leaf, place)


def model_of(mode):
    """As in bench/cases_training.cpp and tools/demo/tasks.cpp."""
    if mode == "digits_cnn":
        return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, stride=2),
                             nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, stride=2),
                             nn.Flatten(), nn.Linear(32 * 6 * 6, 10))
    if mode == "cifar10":
        return nn.Sequential(nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
                             nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84),
                             nn.ReLU(), nn.Linear(84, 10))
    if mode == "embedding_bag":
        return nn.Sequential(nn.EmbeddingBag(3000, 32, mode="mean", padding_idx=0), nn.Linear(32, 4))
    return nn.Sequential(nn.Linear(1, 100), nn.ReLU(), nn.Linear(100, 1))


def training(row, place):
    mode, batch = row["mode"], row["batch"]
    model = model_of(mode).to(place.dtype).to(place.device)
    start = [p.detach().clone() for p in model.parameters()]
    classes = {"digits_cnn": 10, "cifar10": 10, "embedding_bag": 4}.get(mode)
    if mode == "embedding_bag":
        inputs = torch.randint(1, 3000, (batch, 40)).masked_fill(torch.arange(40) >= torch.randint(10, 41, (batch, 1)), 0)
    else:
        inputs = torch.rand({"digits_cnn": (batch, 1, 28, 28), "cifar10": (batch, 3, 32, 32)}.get(mode, (batch, 1)))
        inputs = inputs.to(place.dtype)
    labels = (torch.randint(0, classes, (batch,)) if classes else inputs * 10).to(place.device)
    inputs = inputs.to(place.device)
    optimizer = None

    def reset():
        nonlocal optimizer
        with torch.no_grad():
            for parameter, value in zip(model.parameters(), start):
                parameter.copy_(value)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05 if classes else 1e-4, momentum=0.9)

    def step():
        optimizer.zero_grad()
        output = model(inputs)
        loss = F.cross_entropy(output, labels) if classes else F.mse_loss(output, labels, reduction="sum")
        loss.backward()
        optimizer.step()

    reset()
    return Case(step, reset, lambda: [p.detach() for p in model.parameters()])


def of_module(layer, *tensors):
    """A recurrent operation of one layer, (input, h0, weights...)."""
    x, h, *weights = tensors
    arguments = (x, (h, h) if layer == "lstm" else h, weights, True, 1, 0.0, False, False, False)
    return getattr(torch, layer)(*arguments)[0]


def padded(mode):
    return lambda x: F.pad(x, (2, 2, 2, 2), mode)


def scaled(factor, **arguments):
    return lambda x: F.interpolate(x, scale_factor=factor, **arguments)


def scattered(reduce):
    return lambda x, i, s: x.scatter_reduce(0, i, s, reduce)


def index_reduced(reduce):
    return lambda x, i, s: x.index_reduce(0, i, s, reduce)


def torchvision_ops():
    try:
        import torchvision
    except ImportError:
        raise NotImplementedError("torchvision is not installed") from None
    return torchvision.ops


# As in bench/cases_calls.cpp.
CALLS = {
    "scatter": lambda x, i, s: x.scatter(0, i, s),
    "scatter_reduce-sum": scattered("sum"), "scatter_reduce-mean": scattered("mean"),
    "scatter_reduce-prod": scattered("prod"), "scatter_reduce-amax": scattered("amax"),
    "index_reduce-mean": index_reduced("mean"), "index_reduce-prod": index_reduced("prod"),
    "index_reduce-amax": index_reduced("amax"),
    "index_copy": lambda x, i, s: x.index_copy(0, i, s), "index_fill": lambda x, i: x.index_fill(0, i, 2),
    "index_select": lambda x, i: x.index_select(0, i), "gather": lambda x, i: x.gather(1, i),
    "put": lambda x, i, s: x.put(i, s), "put-accumulate": lambda x, i, s: x.put(i, s, True),
    "take_along_dim": lambda x, i: torch.take_along_dim(x, i, 1),
    "repeat_interleave": lambda x: x.repeat_interleave(4, 0),
    "repeat_interleave-tensor": lambda x, r: x.repeat_interleave(r, 0),
    "select_scatter": lambda x, s: x.select_scatter(s, 0, 1), "slice_scatter": lambda x, s: x.slice_scatter(s, 0, 8, 520),
    "sort": lambda x: x.sort(stable=True)[0], "argsort": lambda x: x.argsort(stable=True), "topk": lambda x: x.topk(16)[0],
    "kthvalue": lambda x: x.kthvalue(100)[0], "median": lambda x: x.median(1)[0], "mode": lambda x: x.mode(1)[0],
    "quantile": lambda x: x.quantile(0.3, 1), "histc": lambda x: x.histc(100, 0, 1),
    "cumsum": lambda x: x.cumsum(1), "cumprod": lambda x: x.cumprod(1), "logcumsumexp": lambda x: x.logcumsumexp(1),
    "cummax": lambda x: x.cummax(1)[0], "prod": lambda x: x.prod(1), "logsumexp": lambda x: x.logsumexp(1),
    "var_mean": lambda x: torch.var_mean(x, 1)[0], "norm-one": lambda x: x.norm(1, 1),
    "norm-infinity": lambda x: x.norm(math.inf, 1), "nansum": lambda x: x.nansum(1),
    "count_nonzero": lambda x: x.count_nonzero(1), "normalize": F.normalize,
    "layer_norm": lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b), "rms_norm": lambda x, w: F.rms_norm(x, x.shape[-1:], w),
    "group_norm": lambda x, w, b: F.group_norm(x, 8, w, b),
    "instance_norm": lambda x, w, b: F.instance_norm(x, weight=w, bias=b),
    "local_response_norm": lambda x: F.local_response_norm(x, 5),
    "lp_pool2d": lambda x: F.lp_pool2d(x, 2, 3, 2), "max_unpool2d": lambda x, i: F.max_unpool2d(x, i, 2),
    "pad-constant": padded("constant"), "pad-reflect": padded("reflect"), "pad-replicate": padded("replicate"),
    "pad-circular": padded("circular"),
    "interpolate-nearest": scaled(2), "interpolate-bilinear": scaled(2, mode="bilinear"),
    "interpolate-bilinear_down": scaled(0.5, mode="bilinear"), "interpolate-bicubic": scaled(2, mode="bicubic"),
    "grid_sample": lambda x, g: F.grid_sample(x, g, align_corners=False),
    "grid_sample-nearest": lambda x, g: F.grid_sample(x, g, "nearest", align_corners=False),
    "roi_align": lambda x, b: torchvision_ops().roi_align(x, b.sort()[0], 7, 56.0),
    "roi_align-two": lambda x, b: torchvision_ops().roi_align(x, b.sort()[0], 7, 56.0, 2),
    "roi_pool": lambda x, b: torchvision_ops().roi_pool(x, b.sort()[0], 7, 56.0),
    "affine_grid": lambda x: F.affine_grid(x, (x.shape[0], 3, 128, 128), False),
    "unfold": lambda x: F.unfold(x, 3, 1, 1), "fold": lambda x: F.fold(x, 56, 3, 1, 1),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x, 2), "pixel_unshuffle": lambda x: F.pixel_unshuffle(x, 2),
    "ctc_loss": lambda x, t: F.ctc_loss(x, t, (x.shape[0],) * x.shape[1], (t.shape[1],) * t.shape[0]),
    "kl_div": lambda x, t: F.kl_div(x, t, reduction="batchmean"), "cross_entropy-probabilities": F.cross_entropy,
    "rnn_tanh": lambda *x: of_module("rnn_tanh", *x), "gru": lambda *x: of_module("gru", *x),
    "lstm": lambda *x: of_module("lstm", *x),
    "scaled_dot_product_attention-causal": lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    "cholesky": torch.linalg.cholesky, "solve": torch.linalg.solve, "inverse": torch.linalg.inv, "det": torch.linalg.det,
    "slogdet": lambda x: torch.linalg.slogdet(x)[1], "qr": lambda x: torch.linalg.qr(x)[1],
    "svd": lambda x: torch.linalg.svd(x, full_matrices=False)[1],
    "einsum": lambda a, b: torch.einsum("bij,bjk->bik", a, b), "tensordot": lambda a, b: torch.tensordot(a, b, 1),
    # By a matrix product, which cdist takes otherwise, the digits of near points are lost.
    "cdist": lambda a, b: torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist"),
    "cross": lambda a, b: torch.linalg.cross(a, b), "unique": lambda x: x.unique(),
    "flip": lambda x: x.flip(0, 1), "roll": lambda x: x.roll((5, 7), (0, 1)), "rot90": lambda x: x.rot90(),
    "repeat": lambda x: x.repeat(2, 3),
}


def input_of(place, sizes, kind, below):
    """As in bench/cases_calls.cpp."""
    if kind == "<":
        return place.destinations("uniform", math.prod(sizes), below).reshape(sizes)
    if kind == "%":
        return torch.randperm(sizes[0]).to(place.device)
    values = place.values(*sizes)
    if kind == "?":
        return values < 0.5
    if kind == "/":
        return values.sort()[0]
    if kind in "#^" and kind:
        n, one = sizes[-1], torch.eye(sizes[-1], dtype=values.dtype, device=values.device)
        return values + one * n if kind == "#" else values @ values.mT / n + one
    return values


def call(row, place):
    name = row["op"] + ("-" + row["mode"] if "mode" in row else "")
    backward = name.endswith("-backward")
    run = CALLS.get(name.removesuffix("-backward")) or function_of(row)
    inputs, leaves = [], []
    for one in row["inputs"].split():
        sizes, kind, below = re.fullmatch(r"([0-9x]+)(\D?)(\d*)", one).groups()
        inputs.append(input_of(place, [int(n) for n in sizes.split("x")], kind, int(below or 0)))
        if backward and kind != "!" and inputs[-1].dtype == place.dtype:
            leaves.append(inputs[-1].requires_grad_())
    if backward:
        return backward_of(run(*inputs), leaves, place)
    return Case(lambda: run(*inputs), inputs=inputs)


FAMILIES = {"index_add": scatter, "scatter_add": scatter, "bincount": bincount, "embedding": embedding,
            "pooling": pooling, "unary": unary, "binary": binary, "reduction": reduction, "matmul": matmul,
            "convolution": convolution, "training": training, "call": call}


def prepare(row, reference=False):
    torch.manual_seed(1)
    return FAMILIES[row["family"]](row, Place(row, reference))


def elapsed_ms(work):
    if device.type == "cuda":
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end)
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


def digest(tensors):
    def of_bytes(t):
        t = t.detach().cpu().contiguous()
        return hash((t.view(torch.int16) if t.dtype == torch.bfloat16 else t).numpy().tobytes())
    return " ".join(str(of_bytes(t)) for t in tensors)


def max_ulp(result, reference):
    """As in bench/measure.cpp."""
    worst = 0.0
    for x, y in zip(result, reference):
        digits, least = {torch.float64: (53, -1021), torch.float32: (24, -125), torch.bfloat16: (8, -125)}.get(
            x.dtype, (11, -13))
        y = y.to(torch.float64)
        exponent = torch.frexp(y)[1].clamp(min=least).to(torch.float64)
        error = (x.detach().cpu().to(torch.float64) - y).abs() / torch.pow(2.0, exponent - digits)
        worst = max(worst, float(error.max()) if x.numel() else 0.0)
    return worst if math.isfinite(worst) else None


class RowRun:
    def __init__(self, row):
        self.row, self.calls, self.errors, self.batches = row, 0, {}, {}
        torch.use_deterministic_algorithms(False)
        self.cases = [prepare(row)]
        size = sum(t.numel() * t.element_size() for t in self.cases[0].inputs)
        held = size
        while device.type == "cuda" and size and held < MORE_THAN_CACHES:
            self.cases.append(prepare(row))
            held += size
        case = prepare(row, reference=True)
        case.run()
        self.reference = [t.detach().clone() for t in case.result()]

    def next(self):
        self.calls += 1
        return self.cases[(self.calls - 1) % len(self.cases)]

    def reset(self):
        for case in self.cases:
            case.reset()
        if device.type == "cuda":
            torch.cuda.synchronize()

    def measure(self, path):
        torch.use_deterministic_algorithms(MODES[path])
        self.reset()
        self.cases[0].run()
        if path not in self.errors:
            self.errors[path] = max_ulp(self.cases[0].result(), self.reference)
        once = elapsed_ms(lambda: self.next().run())
        batch = self.batches.setdefault(path, min(max(math.ceil(SHORTEST_MS / max(once, 1e-6)), 1), 10000))
        patterns = set()

        def repeat():
            self.reset()
            runs = [self.next() for _ in range(batch)]

            def work():
                for case in runs:
                    case.run()
            ms = elapsed_ms(work) / batch
            patterns.add(digest(runs[-1].result()))
            return ms

        start = time.perf_counter()
        repeat()
        whole = time.perf_counter() - start
        most = -(-arguments.repeats // arguments.rounds)
        least = min(most, -(-5 // arguments.rounds))
        count = min(max(int(arguments.seconds / arguments.rounds / whole), least), most)
        return {"ms": [repeat() for _ in range(count)], "patterns": sorted(patterns), "compared": count + 1,
                "max_ulp": self.errors[path]}


def blas():
    """The library of matrix products on the CPU, which differs between installations of the same version. Where it is
    linked in, the build's settings name it."""
    if "BLAS_INFO=mkl" in torch.__config__.show():
        return "MKL"
    with open("/proc/self/maps") as maps:
        loaded = maps.read()
    return next((name for word, name in (("openblas", "OpenBLAS"), ("mkl", "MKL"), ("/libblas.so", "reference BLAS"))
                 if word in loaded), None)


def main():
    if device.type == "cuda" and not torch.cuda.is_available():
        sys.exit("this PyTorch has no CUDA device")
    # Rounds come with the same row again: what was prepared last is kept.
    last, run = None, None
    library = blas() if device.type == "cpu" else None
    print(json.dumps({"version": f"PyTorch {torch.__version__}" + (f" with {library}" if library else "")}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        try:
            if question["row"] != last:
                run, last = None, None
                run = RowRun(question["row"])
                last = question["row"]
            answer = run.measure(question["path"])
        except (RuntimeError, NotImplementedError) as error:
            answer = {"error": str(error).split("\n")[0]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
