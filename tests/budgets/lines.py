#!/usr/bin/env python3
"""How many lines of C++ and CUDA each folder has, comments included, and whether that is within tests/budgets/budgets.json.

    lines.py [--check] [--budgets FILE]

Exit status: 1 with --check when a budget is exceeded. Budgets go down with the code: lower them when a form goes.
"""
import argparse
import pathlib
import sys

import budgets

KINDS = (".h", ".cpp", ".cu", ".cuh", ".def")


def lines_of(folder):
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*") if path.suffix in KINDS and path.is_file())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--budgets", type=pathlib.Path, default=budgets.HERE / "budgets.json")
    arguments = parser.parse_args()
    limits = budgets.load(arguments.budgets)["lines"]
    verdict, total = budgets.Verdict(), 0
    print(f"{'folder':<10} {'lines':>8} {'budget':>8}")
    for folder, limit in limits.items():
        lines = lines_of(budgets.ROOT / folder)
        total += lines
        print(f"{folder:<10} {lines:>8,} {limit:>8,}")
        verdict.check(f"lines of {folder}", lines, limit, budgets.LINES)
    print(f"{'all':<10} {total:>8,} {sum(limits.values()):>8,}")
    if not arguments.check:
        return 0
    return verdict.status("Make it smaller, or raise the budget in tests/budgets/budgets.json and say why.")


if __name__ == "__main__":
    sys.exit(main())
