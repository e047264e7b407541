#!/usr/bin/env python3
"""What measure.py wrote, as Markdown: table.py RESULTS.json"""
import json
import math
import sys

COLUMNS = ("not_guaranteed", "run_to_run", "device_to_device", "pytorch")

with open(sys.argv[1]) as file:
    results = json.load(file)
versions = sorted({row["pytorch"] for row in results["models"] if "pytorch" in row})
print(f"{results['machine']}, {results['threads']} threads, {results['time']}; {results['epochs']} epochs with seed 1, "
      "three times at `run_to_run`. Milliseconds of a step are medians; empty where they were not measured."
      + (f" PyTorch is {versions[-1]}, the same model, batch and optimiser (`samples/models/peer.py`)." if versions else "") + "\n")
print("| model | parameters | steps | reached | results of 3 runs | not_guaranteed ms | run_to_run ms | device_to_device ms "
      "| PyTorch ms | PyTorch / not_guaranteed | run_to_run / not_guaranteed |")
print("|---|---|---|---|---|---|---|---|---|---|---|")


def ratio(row, above, below):
    return row["ms"][above] / row["ms"][below] if above in row["ms"] and below in row["ms"] else None


ratios = {"pytorch": [], "run_to_run": []}
for row in results["models"]:
    cells = [f"{row['ms'][column]:.2f}" if column in row["ms"] else "" for column in COLUMNS]
    for above, all_of in ratios.items():
        r = ratio(row, above, "not_guaranteed")
        cells.append("" if r is None else f"{r:.2f}")
        if r is not None:
            all_of.append(r)
    reached = (f"{row['parameters']:,} | {row['steps']} | {row['measure']} {row['score']:.3f} | {len(set(row['weights']))}"
               if "score" in row else " |  |  | ")
    print(f"| `{row['model']}`: {row['about']} | {reached} | {' | '.join(cells)} |")
means = [f"{math.exp(sum(map(math.log, r)) / len(r)):.2f}" if r else "" for r in ratios.values()]
if any(means):
    print(f"| geometric mean |  |  |  |  |  |  |  |  | {' | '.join(means)} |")
