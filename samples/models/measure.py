#!/usr/bin/env python3
"""Trains every model and writes what came out: measure.py TRAIN RESULTS.json [--epochs N] [MODEL...]

TRAIN is the program `train`. Each model is trained three times at run_to_run, and once, for less long, at the other
levels, for the time of a step. table.py shows the file.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import time

parser = argparse.ArgumentParser()
parser.add_argument("train")
parser.add_argument("results")
parser.add_argument("models", nargs="*")
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--steps", type=int, default=40, help="for the time of a step; 0: no times")
parser.add_argument("--threads", type=int, default=os.cpu_count())
options = parser.parse_intermixed_args()


def run(model, *arguments):
    command = [options.train, model, "--quiet", "--times", "--threads", str(options.threads), *arguments]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(r"parameters (\d+)  steps (\d+)  (.+) (\d\.\d+)  weights (\w+)", said)
    step = float(re.search(r"the median: ([\d.]+)", said)[1])
    return {"parameters": int(found[1]), "steps": int(found[2]), "measure": found[3], "score": float(found[4]),
            "weights": found[5], "ms": step}


usage = subprocess.run([options.train, "--help"], capture_output=True, text=True, check=True).stdout
models = dict(re.findall(r"^  (\w+) {2,}(.+)$", usage[usage.index("The models:"):], re.M))
with open("/proc/cpuinfo") as file:
    processor = re.search(r"model name\s*: (.+)", file.read())
results = {"time": time.strftime("%Y-%m-%d"), "machine": processor[1] if processor else platform.machine(),
           "threads": options.threads, "epochs": options.epochs, "models": []}
for model in options.models or models:
    repeats = [run(model, "--epochs", str(options.epochs), "--level", "run_to_run") for _ in range(3)]
    row = {"model": model, "about": models[model], **repeats[0], "weights": [r["weights"] for r in repeats], "ms": {}}
    for level in ("not_guaranteed", "run_to_run", "device_to_device") if options.steps else ():
        row["ms"][level] = run(model, "--steps", str(options.steps), "--level", level)["ms"]
    results["models"].append(row)
    print(f"{model}: {row['measure']} {row['score']:.4f}, {len(set(row['weights']))} results of 3 runs, {row['ms']}", flush=True)
    with open(options.results, "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
