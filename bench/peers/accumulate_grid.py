#!/usr/bin/env python3
"""PyTorch on the rows of accumulate_grid.cpp: the same operations, shapes, distributions and dtypes, the same JSON.

usage: accumulate_grid.py [--device cpu|cuda] [--threads N] [--repeats N] [--seconds S] [ROW... | -]

Prints one JSON line per row: median and least milliseconds of "default" and, on CUDA, of "deterministic", which is
use_deterministic_algorithms(True); where PyTorch has no implementation, or throws in that mode, "errors" says so.
index_add_ and scatter_add_ add into an existing output. Backward passes run alone, through autograd.
"""
import argparse
import json
import statistics
import sys
import time

import torch
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("rows", nargs="*")
parser.add_argument("--device", default="cpu")
parser.add_argument("--threads", type=int, default=torch.get_num_threads())
parser.add_argument("--repeats", type=int, default=7)
parser.add_argument("--seconds", type=float, default=2, help="for one mode; at least one repeat, and one to warm up")
arguments = parser.parse_args()
torch.set_num_threads(arguments.threads)
device = torch.device(arguments.device)


def destinations(distribution, count, n):
    """As in accumulate_grid.cpp."""
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
    return d.to(device)


def values(sizes, row):
    return torch.randn(sizes).to(getattr(torch, row["dtype"])).to(device)


def backward_of(output, leaf, row):
    gradient = values(output.shape, row)
    return lambda: torch.autograd.grad(output, leaf, gradient, retain_graph=True)


def prepare(row):
    op = row["op"]
    if op in ("index_add", "scatter_add"):
        m, n, width = row["M"], row["N"], row["D"]
        index = destinations(row["distribution"], m, n)
        source = values((m,) if width == 1 else (m, width), row)
        output = torch.zeros((n,) if width == 1 else (n, width), dtype=source.dtype, device=device)
        if op == "index_add":
            return lambda: output.index_add_(0, index, source)
        expanded = index if width == 1 else index.reshape(m, 1).expand(m, width)
        return lambda: output.scatter_add_(0, expanded, source)
    if op == "bincount":
        index, weights = destinations(row["distribution"], row["M"], row["N"]), values((row["M"],), row)
        return lambda: torch.bincount(index, weights, row["N"])
    if op in ("embedding", "embedding_bag"):
        index = destinations(row["distribution"], row["bags"] * row["length"], row["N"])
        index = index.reshape(row["bags"], row["length"])
        weight = values((row["N"], row["D"]), row).requires_grad_()
        if op == "embedding":
            return backward_of(F.embedding(index, weight), weight, row)
        return backward_of(F.embedding_bag(index, weight, mode=row["mode"]), weight, row)
    image = values((row["images"], row["channels"], row["size"], row["size"]), row).requires_grad_()
    if op.startswith("adaptive"):
        return backward_of(getattr(F, op)(image, row["output"]), image, row)
    return backward_of(getattr(F, op)(image, row["kernel"], row["stride"], row["padding"]), image, row)


def measure_ms(run):
    times = []

    def once():
        start = time.perf_counter()
        run()
        if device.type == "cuda":
            torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e3

    spent = once()
    while not times or (len(times) < arguments.repeats and spent < arguments.seconds * 1e3):
        times.append(once())
        spent += times[-1]
    return statistics.median(times), min(times)


# Rounds of a driver come with the same row again: what was prepared last is kept.
last, run = None, None


def measure(row):
    global last, run
    ms, least, errors = {}, {}, {}
    for mode in ("default", "deterministic") if device.type == "cuda" else ("default",):
        torch.use_deterministic_algorithms(mode == "deterministic")
        try:
            if row != last:
                run, last = None, None
                torch.manual_seed(1)
                run, last = prepare(row), row
            ms[mode], least[mode] = measure_ms(run)
        except (RuntimeError, NotImplementedError) as error:
            errors[mode] = str(error).split("\n")[0]
    torch.use_deterministic_algorithms(False)
    return {"row": row, "version": "PyTorch " + torch.__version__, "device": str(device),
            "threads": torch.get_num_threads(), "ms": ms, "least_ms": least, "errors": errors}


def answer(row):
    print(json.dumps(measure(json.loads(row))), flush=True)


for row in arguments.rows:
    if row == "-":
        for line in sys.stdin:
            answer(line)
    else:
        answer(row)
