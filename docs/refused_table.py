#!/usr/bin/env python3
"""The table "What others refuse" of docs/ops.md.

usage: refused_table.py OPS RESULTS     OPS: of `ordo ops --json`; RESULTS: of `ordo bench --json`

Reads docs/refused.json. An operation that Ordo does not have leaves its cells empty, and so does a price that was not measured.
"""
import json
import math
import os
import statistics
import sys

HEAD = """
## What others refuse

Operations for which the deterministic modes of other libraries throw an error, take a slower path, or make no promise, and
what Ordo does at all three levels. The price is the time of the deterministic algorithm over the fast one's on the CPU, the mean of the
rows of bench/results/cpu-amd.json; 1 where one algorithm serves all levels. An empty cell: Ordo does not have the operation
yet, or nobody has measured it."""


def price_of(op, row, results):
    """Of `exact`, `sorted` or `gather` over `atomic`."""
    if len(row["algorithms"]) == 1:
        return "1"
    paths = {}
    for result in results:
        if result["op"] == op and "ms" in result:
            paths.setdefault(json.dumps(result["row"]), {})[result["path"]] = result["ms"]["median"]
    ratios = []
    for row in paths.values():
        fast = row.get("atomic") or row.get("not_guaranteed")
        ordered = row.get("run_to_run")
        if fast and ordered:
            ratios.append(ordered / fast)
    return f"{math.exp(statistics.fmean(map(math.log, ratios))):.2f}" if ratios else ""


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "refused.json")) as file:
        refused = json.load(file)
    with open(sys.argv[1]) as file:
        ops = {op["name"]: op for op in json.load(file)}
    with open(sys.argv[2]) as file:
        results = json.load(file)["results"]
    print(HEAD)
    for group in refused["lists"]:
        print(f"\n### {group['who']}\n\nSource: {group['source']}.\n")
        print("| there | here | strongest level | price |")
        print("|---|---|---|---|")
        for what, names, *measured in group["rows"]:  # by the names of the results' rows, where they have their own
            found = [n for n in names if n in ops]
            levels = ", ".join(sorted({ops[n]["levels"][-1] for n in found}))
            prices = ", ".join(p for n in found if (p := price_of(measured[0] if measured else n, ops[n], results)))
            print(f"| {what} | {', '.join(found)} | {levels} | {prices} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
