#!/usr/bin/env python3
"""What measure.py wrote, as Markdown: table.py RESULTS.json"""
import json
import sys

with open(sys.argv[1]) as file:
    results = json.load(file)
print(f"{results['machine']}, {results['threads']} threads, {results['time']}; {results['epochs']} epochs with seed 1, "
      "three times at `run_to_run`. Milliseconds of a step are medians; empty where they were not measured.\n")
print("| model | parameters | steps | reached | results of 3 runs | not_guaranteed ms | run_to_run ms | device_to_device ms |")
print("|---|---|---|---|---|---|---|---|")
for row in results["models"]:
    ms = [f"{row['ms'][level]:.2f}" if level in row["ms"] else "" for level in ("not_guaranteed", "run_to_run", "device_to_device")]
    print(f"| `{row['model']}`: {row['about']} | {row['parameters']:,} | {row['steps']} | {row['measure']} {row['score']:.3f} "
          f"| {len(set(row['weights']))} | {' | '.join(ms)} |")
