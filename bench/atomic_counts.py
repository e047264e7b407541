#!/usr/bin/env python3
"""Atomic additions per value of the CUDA algorithm `atomic`, counted on the emulator, as a Markdown table.

usage: atomic_counts.py FILE

FILE is what --gtest_output=json:FILE writes for AccumulateAtomicCuda.equal_destinations_meet_first.
"""
import json
import re
import sys

from tables import print_table

SPREADS = ("uniform", "half_to_one", "all_to_one", "sorted")

if len(sys.argv) != 2:
    sys.exit(__doc__.strip())
with open(sys.argv[1]) as file:
    test = json.load(file)["testsuites"][0]["testsuite"][0]
lines = {}
for key, count in test.items():
    match = re.fullmatch(r"(\w+)_columns(\d+)_steps(\d+)_(" + "|".join(SPREADS) + ")", key)
    if match:
        lines.setdefault(match.groups()[:3], {})[match.group(4)] = float(count)
same = [kind for kind in lines if any(lines[kind] is not lines[other] and lines[kind] == lines[other] and
                                      kind[::2] == other[::2] for other in list(lines)[:list(lines).index(kind)])]
for kind in same:  # of two numbers of columns the first
    del lines[kind]
print_table(["form", "columns", "items a thread walks", "uniform", "half to one", "all to one", "runs of 16"],
            [[*kind, *(f"{counts[spread]:.4f}" if spread in counts else "" for spread in SPREADS)]
             for kind, counts in lines.items()])
