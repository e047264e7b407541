#!/usr/bin/env python3
"""Compares the PyTorch column of docs/derivatives.md with what the installed PyTorch does.

    python3 tests/autograd/derivatives_pytorch.py docs/derivatives.md

Every row that differs is printed. Exit status: 0 when none does, 1 when some do, 2 without PyTorch.
"""
import math
import sys

try:
    import torch
    from torch.nn import functional as F
except ImportError:
    print("PyTorch is not installed for this Python.", file=sys.stderr)
    sys.exit(2)

INF = math.inf


def like(x, v):
    return torch.full_like(x, v)


def nll(x, weight, ignored):
    return F.nll_loss(x.unsqueeze(0), torch.tensor([0]), like(x, weight), ignore_index=ignored)


def ctc(x, labels, zero_infinity=False):
    target = torch.ones(labels, dtype=torch.int64)
    return F.ctc_loss(x.view(-1, 2), target, (len(x) // 2,), (labels,), reduction="sum", zero_infinity=zero_infinity)


# By the first column of the page. x is float64 of one dimension.
PROGRAMS = {
    "abs": torch.abs,
    "sign": torch.sign,
    "relu": torch.relu,
    "clamp(-1, 1)": lambda x: torch.clamp(x, -1, 1),
    "clamp(1, -1)": lambda x: torch.clamp(x, 1, -1),
    "clamp(min 0)": lambda x: torch.clamp(x, min=0),
    "floor": torch.floor,
    "round": torch.round,
    "sqrt": torch.sqrt,
    "sqrt, weight 0": lambda x: torch.sqrt(x) * 0,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "log": torch.log,
    "log1p": torch.log1p,
    "exp": torch.exp,
    "expm1": torch.expm1,
    "sin": torch.sin,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "erf": torch.erf,
    "gelu": F.gelu,
    "gelu(tanh)": lambda x: F.gelu(x, approximate="tanh"),
    "relu6": F.relu6,
    "silu": F.silu,
    "mish": F.mish,
    "hardsigmoid": F.hardsigmoid,
    "hardswish": F.hardswish,
    "logsigmoid": F.logsigmoid,
    "leaky_relu": F.leaky_relu,
    "elu": F.elu,
    "celu": F.celu,
    "selu": F.selu,
    "softplus": F.softplus,
    "hardtanh": F.hardtanh,
    "hardshrink": F.hardshrink,
    "softshrink": F.softshrink,
    "trunc": torch.trunc,
    "frac": torch.frac,
    "exp2": torch.exp2,
    "log2": torch.log2,
    "log10": torch.log10,
    "logit": torch.logit,
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "asinh": torch.asinh,
    "acosh": torch.acosh,
    "atanh": torch.atanh,
    "square": torch.square,
    "pow(x, 0)": lambda x: torch.pow(x, 0),
    "pow(x, 1)": lambda x: torch.pow(x, 1),
    "pow(x, 2)": lambda x: torch.pow(x, 2),
    "pow(x, 0.5)": lambda x: torch.pow(x, 0.5),
    "pow(x, -1)": lambda x: torch.pow(x, -1),
    "pow(x, tensor 0)": lambda x: torch.pow(x, like(x, 0)),
    "pow(x, tensor 1)": lambda x: torch.pow(x, like(x, 1)),
    "pow(0, y)": lambda x: torch.pow(0, x),
    "pow(-1, y)": lambda x: torch.pow(-1, x),
    "pow(tensor 0, y)": lambda x: torch.pow(like(x, 0), x),
    "div(x, 0)": lambda x: x / 0,
    "div(1, y)": lambda x: 1 / x,
    "div(tensor 1, y)": lambda x: like(x, 1) / x,
    "div(tensor 0, y)": lambda x: like(x, 0) / x,
    "mul(x, inf)": lambda x: x * like(x, INF),
    "maximum(x, 1)": lambda x: torch.maximum(x, like(x, 1)),
    "fmax(x, 1)": lambda x: torch.fmax(x, like(x, 1)),
    "fmin(x, 1)": lambda x: torch.fmin(x, like(x, 1)),
    "remainder(x, 3)": lambda x: torch.remainder(x, 3),
    "remainder(1, y)": lambda x: torch.remainder(like(x, 1), x),
    "fmod(1, y)": lambda x: torch.fmod(like(x, 1), x),
    "hypot(x, 0)": lambda x: torch.hypot(x, like(x, 0)),
    "logaddexp(x, -inf)": lambda x: torch.logaddexp(x, like(x, -INF)),
    "xlogy(x, 0)": lambda x: torch.xlogy(x, like(x, 0)),
    "xlogy(0, y)": lambda x: torch.xlogy(like(x, 0), x),
    "copysign(x, -1)": lambda x: torch.copysign(x, like(x, -1)),
    "minimum(x, 1)": lambda x: torch.minimum(x, like(x, 1)),
    "max": torch.max,
    "min": torch.min,
    "amax": torch.amax,
    "max(dim 0)": lambda x: torch.max(x, 0).values,
    "max_pool2d": lambda x: F.max_pool2d(x.view(1, 1, 2, 2), 2),
    "var": torch.var,
    "var(correction 3)": lambda x: torch.var(x, correction=3),
    "std": torch.std,
    "norm": lambda x: torch.linalg.vector_norm(x, 2),
    "norm(0)": lambda x: torch.linalg.vector_norm(x, 0),
    "norm(0.5)": lambda x: torch.linalg.vector_norm(x, 0.5),
    "norm(1)": lambda x: torch.linalg.vector_norm(x, 1),
    "norm(3)": lambda x: torch.linalg.vector_norm(x, 3),
    "norm(inf)": lambda x: torch.linalg.vector_norm(x, INF),
    "softmax, first of two": lambda x: torch.softmax(x, 0)[0],
    "log_softmax, second of two": lambda x: torch.log_softmax(x, 0)[1],
    "nll_loss, weights 0": lambda x: nll(x, 0, -100),
    "nll_loss, all ignored": lambda x: nll(x, 1, 0),
    "l1_loss": lambda x: F.l1_loss(x, like(x, 0)),
    "mse_loss": lambda x: F.mse_loss(x, like(x, 0)),
    "binary_cross_entropy_with_logits, target 1":
        lambda x: F.binary_cross_entropy_with_logits(x, like(x, 1), reduction="none"),
    "where(false, x, 0)": lambda x: torch.where(x == 7, x, 0.0),
    "masked_fill(true)": lambda x: x.masked_fill(x != 7, 0),
    "mul(where(x > 0, x, 0), inf)": lambda x: torch.where(x > 0, x, 0.0) * like(x, INF),
    "prod": lambda x: torch.prod(x),
    "logsumexp": lambda x: torch.logsumexp(x, 0),
    "nansum": lambda x: torch.nansum(x),
    "cumprod": lambda x: torch.cumprod(x, 0),
    "logcumsumexp": lambda x: torch.logcumsumexp(x, 0),
    "cummax": lambda x: torch.cummax(x, 0).values,
    "sort": lambda x: torch.sort(x, stable=True).values,
    "median": lambda x: torch.median(x),
    "kthvalue(2)": lambda x: torch.kthvalue(x, 2).values,
    "quantile(0.25)": lambda x: torch.quantile(x, 0.25),
    "scatter_reduce(amax) into 3": lambda x: torch.scatter_reduce(like(x, 3), 0, torch.zeros(len(x), dtype=torch.int64), x, "amax"),
    "scatter_reduce(prod) into 1": lambda x: torch.scatter_reduce(like(x, 1), 0, torch.zeros(len(x), dtype=torch.int64), x, "prod"),
    "smooth_l1_loss": lambda x: F.smooth_l1_loss(x, like(x, 0), reduction='sum'),
    "huber_loss": lambda x: F.huber_loss(x, like(x, 0), reduction='sum'),
    "ctc_loss of 1": lambda x: ctc(x, 1),
    "ctc_loss of 1, 1": lambda x: ctc(x, 2),
    "ctc_loss of 1, 1, zero_infinity": lambda x: ctc(x, 2, True),
    "binary_cross_entropy, target 1": lambda x: F.binary_cross_entropy(x, like(x, 1), reduction="none"),
    "binary_cross_entropy, target y of 0": lambda x: F.binary_cross_entropy(like(x, 0), x, reduction="none"),
    "binary_cross_entropy_with_logits, target 1, pos_weight 2":
        lambda x: F.binary_cross_entropy_with_logits(x, like(x, 1), reduction="none", pos_weight=like(x, 2)),
    "kl_div from -1, target y": lambda x: F.kl_div(like(x, -1), x, reduction="none"),
    "kl_div, target 0": lambda x: F.kl_div(x, like(x, 0), reduction="none"),
    "hinge_embedding_loss, target -1": lambda x: F.hinge_embedding_loss(x, like(x, -1), reduction="none"),
    "margin_ranking_loss to 0": lambda x: F.margin_ranking_loss(x, like(x, 0), like(x, 1), reduction="none"),
    "soft_margin_loss, target 1": lambda x: F.soft_margin_loss(x, like(x, 1), reduction="none"),
    "cosine_embedding_loss with 1": lambda x: F.cosine_embedding_loss(x, like(x, 1), torch.tensor(1)),
    "multi_margin_loss, target 0": lambda x: F.multi_margin_loss(x.unsqueeze(0), torch.tensor([0])),
    "multilabel_margin_loss, target 0": lambda x: F.multilabel_margin_loss(x, torch.tensor([0, -1, -1])),
    "triplet_margin_loss to x and to 1 beside it": lambda x: F.triplet_margin_loss(
        x.view(-1, 1), x.detach().view(-1, 1), x.detach().view(-1, 1) + 1, eps=0, reduction="none"),
    "gaussian_nll_loss from 0 to 1, eps 0.5, var y":
        lambda x: F.gaussian_nll_loss(like(x, 0), like(x, 1), x, eps=0.5, reduction="none"),
    "poisson_nll_loss of counts, target 1":
        lambda x: F.poisson_nll_loss(x, like(x, 1), log_input=False, reduction="none"),
    "poisson_nll_loss, full, target y": lambda x: F.poisson_nll_loss(like(x, 1), x, full=True, reduction="none"),
    "normalize": lambda x: F.normalize(x, dim=0),
    "cosine_similarity with 1": lambda x: F.cosine_similarity(x, like(x, 1), dim=0),
    "cdist to 1": lambda x: torch.cdist(x.view(-1, 1), like(x, 1).view(-1, 1)[:1]),
    "layer_norm": lambda x: F.layer_norm(x, [len(x)]),
    "prelu(0.5)": lambda x: F.prelu(x, like(x, 0.5)[:1]),
    "dropout(1)": lambda x: F.dropout(x, 1.0),
}


def text_of(gradient, signed_zero):
    """As the page writes it; the sign of zero where the page does."""
    return ", ".join(f"{v if v or signed_zero else 0:.6g}" for v in gradient.tolist())


def rows(page):
    with open(page, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("|") and not line.startswith(("|---", "| operation")):
                yield [cell.strip() for cell in line.strip().strip("|").split("|")]


def main():
    different = count = 0
    for operation, at, _, pytorch, _ in rows(sys.argv[1]):
        x = torch.tensor([float(v) for v in at.split(",")], dtype=torch.float64, requires_grad=True)
        y = PROGRAMS[operation](x)
        y.sum().backward()
        gradient = torch.zeros_like(x) if x.grad is None else x.grad
        measured = text_of(gradient, "-0" in pytorch.split(", "))
        count += 1
        if measured != pytorch:
            different += 1
            print(f"{operation} at {at}: {measured}, the page says {pytorch}")
    print(f"PyTorch {torch.__version__}: {count - different} of {count} rows as on the page")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
