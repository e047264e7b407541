#!/usr/bin/env python3
"""The accumulate family of Ordo beside PyTorch's, in one run, with the same number of threads.

usage: compare_accumulate.py PROGRAM [--quick] [--filter TEXT...] [--threads N] [--rounds N] [--repeats N] [--seconds S]
                             [--fastest] [--device cpu|cuda] [--json FILE]

For every row of bench/grid.json runs PROGRAM (accumulate_grid) and accumulate_grid.py next to this file in turn,
several rounds, and takes the median of the rounds. Both stay alive between rows, and only one works at a time. The
ratios are PyTorch's time divided by ours: above 1, Ordo is the faster. --quick: a few tiny rows, one round. --filter:
rows whose label contains one of the texts. --fastest: not the medians but the fastest repeat of all rounds, on a machine
that is busy with something else. --device cuda: PyTorch's deterministic mode as well.
"""
import argparse
import itertools
import json
import math
import os
import statistics
import subprocess
import sys

from compare import python_with_torch

here = os.path.dirname(os.path.abspath(__file__))


def processor():
    """What Linux calls it."""
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else "unknown processor"


def expand(row):
    """The rows for which a row of the table stands: the product of its lists. An object, the shape, is merged in."""
    lists = [key for key in row if isinstance(row[key], list)]
    for choice in itertools.product(*(row[key] for key in lists)):
        one = {key: row[key] for key in row if key not in lists}
        for key, value in zip(lists, choice):
            one.update(value if isinstance(value, dict) else {key: value})
        yield one


def label(row):
    """The row in words: index_add M=1Mi N=64Ki D=1 zipf float32."""
    def short(value):
        for unit, size in (("Mi", 1 << 20), ("Ki", 1 << 10)):
            if isinstance(value, int) and value >= size and value % size == 0:
                return f"{value // size}{unit}"
        return str(value)
    words = ("op", "mode", "distribution", "dtype")
    sizes = [f"{key}={short(row[key])}" for key in row if key not in words]
    return " ".join([row["op"]] + sizes + [row[key] for key in words[1:] if key in row])


class Server:
    """A program that answers every row on its standard input with a line of JSON."""

    def __init__(self, command):
        self.process = subprocess.Popen(command + ["-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def measure(self, row):
        self.process.stdin.write(json.dumps(row) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args[0]} has stopped at {json.dumps(row)}")
        return json.loads(line)


def over_rounds(answers, fastest):
    """Of every path the median of the rounds, or the fastest of all repeats."""
    key, pick = ("least_ms", min) if fastest else ("ms", statistics.median)
    return {path: pick(a[key][path] for a in answers) for path in answers[0][key]} if answers else {}


def print_line(name, ours, theirs, errors):
    deterministic = ours["run_to_run"]
    text = " ".join(f"{path} {ms:.3f}" for path, ms in ours.items() if path != "run_to_run")
    line = f"{name:<64} {text}  run_to_run {deterministic:.3f}"
    for mode, ms in theirs.items():
        line += f"  PyTorch {mode} {ms:.3f} ({ms / ours.get('atomic', deterministic):.2f} {ms / deterministic:.2f})"
    for mode, error in errors.items():
        line += f"  PyTorch {mode}: {error[:60]}"
    print(line, flush=True)


def print_means(results):
    """Geometric means of the ratios, for each operation and whether rows have one column."""
    groups = {}
    for result in results:
        peer = result["peer"].get("default")
        if peer:
            row = result["row"]
            kind = "" if "D" not in row else " D=1" if row["D"] == 1 else " D>1"
            for path, ms in result["ms"].items():
                groups.setdefault((row["op"] + kind, path), []).append(peer / ms)
    if groups:
        print("\nPyTorch default / Ordo, geometric mean (least, greatest)")
    for (kind, path), ratios in groups.items():
        mean = math.exp(statistics.fmean(math.log(r) for r in ratios))
        print(f"  {kind:<22} {path:<11} {mean:7.2f}   ({min(ratios):.2f}, {max(ratios):.2f})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--grid", default=os.path.join(here, "..", "grid.json"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--filter", nargs="*", default=[""])
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--fastest", action="store_true")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    rounds = 1 if arguments.quick else arguments.rounds
    options = ["--threads", str(arguments.threads), "--device", arguments.device, "--seconds", str(arguments.seconds),
               "--repeats", "1" if arguments.quick else str(arguments.repeats)]

    with open(arguments.grid) as file:
        table = json.load(file)["quick" if arguments.quick else "rows"]
    table = [entry for entry in table if entry["family"] in ("index_add", "scatter_add", "bincount", "embedding", "pooling")]
    rows = [row for entry in table for row in expand(entry)]
    rows = [row for row in rows if any(word in label(row) for word in arguments.filter)]

    ordo = Server([arguments.program] + options)
    python = python_with_torch()
    torch = Server([python, os.path.join(here, "accumulate_grid.py")] + options) if python else None
    if torch is None:
        print("PyTorch is not installed (Debian: apt-get install python3-torch); Ordo alone:")
    print(f"Milliseconds, {arguments.threads} threads, {arguments.device}; in parentheses PyTorch's time divided by that "
          "of atomic and of run_to_run")
    results = []
    for row in rows:
        ours, theirs = [], []
        for _ in range(rounds):  # in turn, so that a busy moment hits both
            ours.append(ordo.measure(row))
            if torch:
                theirs.append(torch.measure(row))
        result = {"row": row, "label": label(row), "ms": over_rounds(ours, arguments.fastest),
                  "peer": over_rounds(theirs, arguments.fastest), "peer_errors": theirs[0]["errors"] if theirs else {},
                  "rounds": {"ours": ours, "peer": theirs}}
        results.append(result)
        print_line(result["label"], result["ms"], result["peer"], result["peer_errors"])
    print_means(results)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"threads": arguments.threads, "device": arguments.device, "machine": processor(),
                       "peer": results[0]["rounds"]["peer"][0]["version"] if torch and results else None,
                       "results": results}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
