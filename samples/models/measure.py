#!/usr/bin/env python3
"""Trains every model, or those named, and writes what came out: measure.py TRAIN RESULTS.json [--epochs N] [MODEL...]

TRAIN is the program `train`. Each model is trained three times at run_to_run. For the time of a step it is trained again for
a few steps at every level, and by PyTorch (peer.py), one after the other and so for some rounds; the least of the rounds'
medians counts. Rows of RESULTS.json for other models stay, and so does what is not measured anew (--epochs 0, --steps 0).
table.py shows the file.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time

LEVELS = ("not_guaranteed", "run_to_run", "device_to_device")
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer.py")

parser = argparse.ArgumentParser()
parser.add_argument("train")
parser.add_argument("results")
parser.add_argument("models", nargs="*")
parser.add_argument("--epochs", type=int, default=3, help="of the three runs; 0: none")
parser.add_argument("--steps", type=int, default=40, help="for the time of a step; 0: no times")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--python", default=sys.executable, help="a Python that has PyTorch")
options = parser.parse_intermixed_args()


def run(model, *arguments):
    command = [options.train, model, "--quiet", "--times", "--threads", str(options.threads), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def outcome(model):
    said = run(model, "--epochs", str(options.epochs), "--level", "run_to_run")
    found = re.search(r"parameters (\d+)  steps (\d+)  (.+) (\d\.\d+)  weights (\w+)", said)
    return {"parameters": int(found[1]), "steps": int(found[2]), "measure": found[3], "score": float(found[4]),
            "weights": found[5]}


def step_time(model, level):
    said = run(model, "--steps", str(options.steps), "--test-rows", "1", "--level", level)
    return float(re.search(r"the median: ([\d.]+)", said)[1])


def peer(model):
    command = [options.python, PEER, model, "--threads", str(options.threads), "--steps", str(options.steps)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


usage = run("--help")
models = dict(re.findall(r"^  (\w+) {2,}(.+)$", usage[usage.index("The models:"):], re.M))
has_peer = subprocess.run([options.python, "-c", "import torch"], capture_output=True).returncode == 0
before = {}
if os.path.exists(options.results):
    with open(options.results) as file:
        before = {row["model"]: row for row in json.load(file)["models"]}
with open("/proc/cpuinfo") as file:
    processor = re.search(r"model name\s*: (.+)", file.read())
results = {"time": time.strftime("%Y-%m-%d"), "machine": processor[1] if processor else platform.machine(),
           "threads": options.threads, "epochs": options.epochs or 3}
for model in options.models or models:
    row = before.setdefault(model, {"model": model})
    row["about"] = models[model]
    if options.epochs:
        repeats = [outcome(model) for _ in range(3)]
        row.update({**repeats[0], "weights": [r["weights"] for r in repeats]})
    if options.steps:
        row["ms"] = {}
        for _ in range(options.rounds):
            times = {level: step_time(model, level) for level in LEVELS}
            if has_peer:
                theirs = peer(model)
                if theirs["parameters"] != row.get("parameters", theirs["parameters"]):
                    sys.exit(f"{model}: PyTorch's model has {theirs['parameters']} parameters, not {row['parameters']}")
                times["pytorch"], row["pytorch"] = theirs["ms"], theirs["version"]
            row["ms"] = {key: min(ms, row["ms"].get(key, ms)) for key, ms in times.items()}
    print(f"{model}: {row.get('measure')} {row.get('score')}, {len(set(row.get('weights', [])))} results of 3 runs, {row['ms']}",
          flush=True)
    results["models"] = [before[name] for name in models if name in before]
    with open(options.results, "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
