#!/usr/bin/env python3
"""Times of GPT-2 of 124 million parameters beside PyTorch's: language.py RESULTS.json --bin FOLDER --python PYTHON
measures them with the programs `generate` and `train` of FOLDER; language.py RESULTS.json prints them as Markdown.

PYTHON has torch and transformers, which make the model, with random weights. Ours and PyTorch's take turns, for some
rounds; the best of each counts. Memory is a process's largest, the model's reading included.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time

PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer_language.py")
ROWS = (("prompt_ms", "prompt of 128 tokens, ms", min), ("tokens_per_second", "tokens a second after it", max),
        ("prompt_mb", "memory, MB", min), ("step_ms", "training step of 4 x 128 tokens, ms", min),
        ("step_mb", "its memory, MB", min))

parser = argparse.ArgumentParser()
parser.add_argument("results")
parser.add_argument("--bin")
parser.add_argument("--python", default=sys.executable)
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--rounds", type=int, default=3)
options = parser.parse_args()


def run(command):
    """What it prints, and its memory."""
    process = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command}: exit status {status}\n{said}")
    return said, usage.ru_maxrss / 1024


def ours(what, folder, dtype):
    threads = ("--threads", options.threads)
    if what == "prompt":
        prompt = ",".join(str(i * 7919 % 50257) for i in range(128))
        said, memory = run([f"{options.bin}/generate", folder, "--tokens", prompt, "--max-new-tokens", 65,
                            "--temperature", 0, "--dtype", dtype, "--times", *threads])
        found = re.search(r"prompts ([\d.]+) ms, then ([\d.]+) tokens a second", said)
        return {"prompt_ms": float(found[1]), "tokens_per_second": float(found[2]), "prompt_mb": memory}
    said, memory = run([f"{options.bin}/train", folder, "--text", f"{folder}/tokens.npy", "--batch", 4, "--rows", 20,
                        "--test-rows", 1, "--steps", 5, "--deterministic", "--quiet", "--times", *threads])
    return {"step_ms": float(re.search(r"the median: ([\d.]+)", said)[1]), "step_mb": memory}


def theirs(what, folder, dtype):
    said, memory = run([options.python, PEER, what, folder, dtype, "--threads", options.threads])
    return {**json.loads(said.splitlines()[-1]), "prompt_mb" if what == "prompt" else "step_mb": memory}


def measure():
    processor = re.search(r"model name\s*: (.+)", open("/proc/cpuinfo").read())
    results = {"time": time.strftime("%Y-%m-%d"), "machine": processor[1] if processor else platform.machine(),
               "threads": options.threads, "rows": {}}
    with tempfile.TemporaryDirectory() as folder:
        run([options.python, PEER, "make", folder])
        for what, dtype in (("prompt", "float32"), ("prompt", "bfloat16"), ("train", "float32")):
            for _ in range(options.rounds):
                for who, times in (("ordo", ours(what, folder, dtype)), ("pytorch", theirs(what, folder, dtype))):
                    results["pytorch"] = times.pop("version", results.get("pytorch"))
                    row = results["rows"].setdefault(dtype, {}).setdefault(who, {})
                    for key, _, best in ROWS:
                        if key in times:
                            row[key] = best(times[key], row.get(key, times[key]))
    with open(options.results, "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")


if options.bin:
    measure()
with open(options.results) as file:
    results = json.load(file)
print(f"{results['machine']}, {results['threads']} threads, {results['time']}, PyTorch {results['pytorch']}: GPT-2 with 124 "
      "million parameters.\n")
print("| | dtype | Ordo | PyTorch | ratio |\n|---|---|---|---|---|")
for dtype, row in results["rows"].items():
    for key, title, best in ROWS:
        if key in row["ordo"]:
            a, b = row["ordo"][key], row["pytorch"][key]
            print(f"| {title} | {dtype} | {a:.0f} | {b:.0f} | {b / a if best is min else a / b:.2f} |")
