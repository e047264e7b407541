#!/usr/bin/env python3
"""Ordo beside PyTorch, in one run, with the same number of threads.

usage: compare.py DIRECTORY_OF_PROGRAMS [--threads N] [--rounds N]

Runs digits_epoch and line_fit_step from the directory and digits_cnn.py and line_fit.py next to this file in turn,
several rounds, and prints the fastest of each and their ratio. Without PyTorch it says so and prints Ordo's alone.
"""
import argparse
import json
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
LEVELS = ("not_guaranteed", "run_to_run")


def python_with_torch():
    """This interpreter, or the system's; None when neither has PyTorch."""
    for python in (sys.executable, "/usr/bin/python3"):
        found = subprocess.run([python, "-c", "import torch"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if found.returncode == 0:
            return python
    return None


def measure(command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()

    python, threads = python_with_torch(), str(arguments.threads)
    if python is None:
        print("PyTorch is not installed (Debian: apt-get install python3-torch); Ordo alone:")
    pairs = (("digits_epoch", "3", "digits_cnn.py"), ("line_fit_step", "1000", "line_fit.py"))
    for program, count, script in pairs:
        ours, theirs = {}, []
        for _ in range(arguments.rounds):  # in turn, so that a busy moment hits both
            for level in LEVELS:
                ours.setdefault(level, []).append(
                    measure([os.path.join(arguments.programs, program), threads, count, level]))
            if python:
                theirs.append(measure([python, os.path.join(here, script), "--threads", threads]))
        peer = min(theirs, key=lambda row: row["value"]) if theirs else None
        for level in LEVELS:
            best = min(ours[level], key=lambda row: row["value"])
            line = f"{best['name']:<11} {best['unit']:<12} {threads} threads  {best['version']:<28} {best['value']:9.3f}"
            if peer:
                line += f"   {peer['version']:<20} {peer['value']:9.3f}   ratio {best['value'] / peer['value']:.2f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
