#!/usr/bin/env python3
"""The table of benchmarks, `ordo bench` and its peers know the same kinds of call: bench_families_test.py ROOT."""
import ast
import json
import pathlib
import re
import sys


def main(root):
    table = json.loads((root / "bench/grid.json").read_text())
    described = set(table["families"])
    used = {row["family"] for rows in ("rows", "quick") for row in table[rows]}
    ours = set(re.findall(r'\{"(\w+)", prepare_\w+\}', (root / "bench/cases.cpp").read_text()))
    failed = 0

    def compare(what, found):
        nonlocal failed
        if found != described:
            print(f"{what} and the families of bench/grid.json differ by {sorted(found ^ described)}")
            failed = 1

    compare("bench/cases.cpp", ours)
    peer = ast.parse((root / "bench/peers/pytorch.py").read_text())
    tables = [node.value for node in peer.body
              if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "FAMILIES"]
    compare("bench/peers/pytorch.py", {key.value for key in tables[0].keys} if tables else set())
    if not used <= described:
        print(f"rows of families that nobody describes: {sorted(used - described)}")
        failed = 1
    print("families: " + ", ".join(sorted(described)))
    return failed


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
