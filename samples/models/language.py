#!/usr/bin/env python3
"""Times of GPT-2 of 124 million parameters beside PyTorch's and llama.cpp's: language.py RESULTS.json --bin FOLDER
--python PYTHON measures them with the programs `generate` and `train` of FOLDER; language.py RESULTS.json prints them as
Markdown.

PYTHON has torch and transformers, which make the model, with random weights, and llama-cpp-python and gguf where
llama.cpp is to be measured. They take turns, for some rounds; the best of each counts. Memory is a process's largest, the
model's reading included.
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

HERE = os.path.dirname(os.path.abspath(__file__))
PEER, LLAMA = os.path.join(HERE, "peer_language.py"), os.path.join(HERE, "peer_llama.py")
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


def by_llama(folder):
    said, memory = run([options.python, LLAMA, folder, "--threads", options.threads])
    return {**json.loads(said.splitlines()[-1]), "prompt_mb": memory}


def measure():
    processor = re.search(r"model name\s*: (.+)", open("/proc/cpuinfo").read())
    results = {"time": time.strftime("%Y-%m-%d"), "machine": processor[1] if processor else platform.machine(),
               "threads": options.threads, "rows": {}}
    with tempfile.TemporaryDirectory() as folder:
        run([options.python, PEER, "make", folder])
        find_llama = subprocess.run([options.python, "-c", "import llama_cpp, gguf"], stderr=subprocess.DEVNULL)
        has_llama = find_llama.returncode == 0
        if has_llama:
            by_llama(folder)  # which writes the file that it reads
        for what, dtype in (("prompt", "float32"), ("prompt", "bfloat16"), ("train", "float32")):
            for _ in range(options.rounds):
                turns = [("ordo", ours(what, folder, dtype)), ("pytorch", theirs(what, folder, dtype))]
                if has_llama and what == "prompt" and dtype == "float32":
                    turns.append(("llama.cpp", by_llama(folder)))
                for who, times in turns:
                    if "version" in times:
                        results[who] = times.pop("version")
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
llama = f", llama.cpp of llama-cpp-python {results['llama.cpp']}" if "llama.cpp" in results else ""
print(f"{results['machine']}, {results['threads']} threads, {results['time']}, PyTorch {results['pytorch']}{llama}: "
      "GPT-2 with 124 million parameters.\n")
print("| | dtype | Ordo | PyTorch | ratio | llama.cpp |\n|---|---|---|---|---|---|")
for dtype, row in results["rows"].items():
    for key, title, best in ROWS:
        if key in row["ordo"]:
            a, b = row["ordo"][key], row["pytorch"][key]
            third = row.get("llama.cpp", {}).get(key)
            other = "" if third is None else f"{third:.0f}"
            print(f"| {title} | {dtype} | {a:.0f} | {b:.0f} | {b / a if best is min else a / b:.2f} | {other} |")
