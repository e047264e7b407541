#!/usr/bin/env python3
"""What measure.py wrote, as Markdown: table.py RESULTS.json"""
import json
import sys

with open(sys.argv[1]) as file:
    results = json.load(file)
print(f"{results['machine']}, {results['threads']} threads, {results['time']}; {results['epochs']} epochs with seed 1, "
      "three times at `run_to_run`. Milliseconds of a step are medians.\n")
print("| model | parameters | steps | reached | results of 3 runs | not_guaranteed ms | run_to_run ms | device_to_device ms |")
print("|---|---|---|---|---|---|---|---|")
for row in results["models"]:
    ms = row["ms"]
    print(f"| `{row['model']}`: {row['about']} | {row['parameters']:,} | {row['steps']} | {row['measure']} {row['score']:.3f} "
          f"| {len(set(row['weights']))} | {ms['not_guaranteed']:.2f} | {ms['run_to_run']:.2f} | {ms['device_to_device']:.2f} |")
