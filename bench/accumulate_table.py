#!/usr/bin/env python3
"""What a result file of `ordo bench` says about the accumulate family, as Markdown tables of ratios.

usage: accumulate_table.py FILE [--values]

--values: instead, what single columns cost by the kind of their values.
"""
import json
import sys

from tables import print_table, span

DISTRIBUTIONS = ("uniform", "zipf", "half", "one")
VALUES = ("uniform", "normal", "gradients", "zeros", "signs", "exp3", "exp8", "boundaries")
MADE = ("boundaries",)  # to be hard: no values that anybody has
FAMILIES = ("index_add", "scatter_add", "bincount", "embedding", "pooling")


def kind(row):
    """The row without its distribution: a line of the tables."""
    words = [row["op"]] + [row[key] for key in ("mode",) if key in row]
    sizes = [f"{key}={row[key]}" for key in ("M", "N", "D") if key in row]
    return " ".join(words), " ".join(sizes), row["dtype"]


def print_results(title, results, cell, key="distribution", columns=DISTRIBUTIONS):
    """One line per kind, one column per distribution (pooling has none) or kind of values; cell(result) is text, or None
    for no cell."""
    print(f"\n{title}\n")
    lines = {}
    for result in results:
        text, place = cell(result), result["row"].get(key)
        if text is not None:
            lines.setdefault(kind(result["row"]), {})[place if place in columns else "uniform"] = text
    print_table(["operation", "size", "dtype", *columns],
                [[*row, *(cells.get(c, "") for c in columns)] for row, cells in lines.items()])


PEER_MODES = {"pytorch": "default", "pytorch_deterministic": "deterministic"}


def read(name):
    """A line that says what was measured on, and by row {"row", "ms" by path, "peer" by its mode}."""
    with open(name) as file:
        data = json.load(file)
    rows = {}
    for entry in data["results"]:
        if entry["family"] in FAMILIES and "ms" in entry:
            row = rows.setdefault(json.dumps(entry["row"]), {"row": entry["row"], "ms": {}, "peer": {}})
            mode = PEER_MODES.get(entry["path"])
            row["peer" if mode else "ms"][mode or entry["path"]] = entry["ms"]["median"]
    peer = ", ".join(data["peers"].values()) or "no peer"
    return (f"{', '.join(data['bandwidth'])}, {data['threads']} threads, {data['machine']['processor']}; Ordo {data['ordo']}, "
            f"{peer}; median of at most {data['effort']['repeats']} repeats."), list(rows.values())


def print_values(everything):
    spread = {kind(r["row"]) for r in everything if "values" in r["row"]}
    rows = [r for r in everything if kind(r["row"]) in spread and r["row"]["distribution"] == "uniform"]
    for name, path in (("Deterministic time", "run_to_run"), ("Time of `sorted`", "sorted")):
        print_results(f"{name} divided by that of `atomic`, destinations uniform", rows,
                      lambda r: f"{r['ms'][path] / r['ms']['atomic']:.2f}", "values", VALUES)
    print_results("PyTorch's time divided by the deterministic one", rows,
                  lambda r: f"{r['peer']['default'] / r['ms']['run_to_run']:.1f}" if "default" in r["peer"] else None,
                  "values", VALUES)
    prices = {v: [r["ms"]["run_to_run"] / r["ms"]["atomic"] for r in rows if r["row"].get("values", "uniform") == v]
              for v in VALUES}
    print("\nDeterministic / `atomic`: geometric means (least, greatest)\n")
    ordinary = sum((some for v, some in prices.items() if v not in MADE), [])
    every = [*prices.items(), (f"all but {', '.join(MADE)}", ordinary)]
    print_table(["values", "mean"], [[name, span(some)] for name, some in every if some])
    made = [r["ms"]["run_to_run"] / r["ms"]["sorted"] for r in rows if r["row"].get("values") in MADE]
    if made:
        print(f"\nDeterministic / `sorted` for {', '.join(MADE)}: {span(made)}.")


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--values"]):
        sys.exit(__doc__.strip())
    about, everything = read(sys.argv[1])
    print(about)
    if sys.argv[2:]:
        return print_values(everything)
    results = [r for r in everything if "values" not in r["row"]]

    def against_peer(result):
        peer = result["peer"].get("default")
        ours = result["ms"]
        if peer is None:
            return None
        return f"{peer / ours['atomic']:.1f} / {peer / ours['run_to_run']:.1f}"

    def price(result):
        ours = result["ms"]
        return f"{ours['run_to_run'] / min(ours.values()):.2f}"

    def exact(result):
        ours = result["ms"]
        return f"{ours['sorted'] / ours['exact']:.2f}" if "exact" in ours else None

    print_results("PyTorch's time divided by ours: `atomic` / deterministic", results, against_peer)
    print_results("Deterministic time divided by that of the fastest of our algorithms", results, price)
    print_results("Time of `sorted` divided by that of `exact`", results, exact)

    print("\nGeometric means (least, greatest)\n")
    groups = {}
    for result in results:
        width = result["row"].get("D")
        name = result["row"]["op"] + ("" if width is None else ", D = 1" if width == 1 else ", D > 1")
        groups.setdefault(name, []).append(result)
    lines = []
    for name, group in groups.items():
        columns = []
        for path in ("atomic", "run_to_run"):
            columns.append([r["peer"]["default"] / r["ms"][path] for r in group if "default" in r["peer"]])
        columns.append([r["ms"]["run_to_run"] / min(r["ms"].values()) for r in group])
        lines.append([name, *map(span, columns)])
    print_table(["operation", "PyTorch / `atomic`", "PyTorch / deterministic", "deterministic / fastest own"], lines)


main()
