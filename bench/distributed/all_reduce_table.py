#!/usr/bin/env python3
"""What the ordered all-reduce costs beside MPI_Allreduce, over several starts of mpirun: where the memory of processes
lies, and when which of them has a core, differs from one start to the next.

usage: all_reduce_table.py measure PROGRAM FILE [--starts N] [--megabytes M...]
                PROGRAM is ordo_all_reduce; FILE gets the ratios, as JSON
       all_reduce_table.py show FILE
                a table in Markdown
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys

OPTIONS = {"openmpi": ["--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])], "mpich": []}


def run(mpi, ranks, program, megabytes):
    """The lines that it prints, none where there is no such mpirun, or no part of Ordo's for it."""
    mpirun = shutil.which(f"mpirun.{mpi}")
    command = [mpirun, *OPTIONS[mpi], "-n", ranks, program, *map(str, megabytes)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False) if mpirun else None
    return done.stdout.splitlines() if done and done.returncode == 0 else []


def measure(program, starts, megabytes):
    measured = []
    for mpi in OPTIONS:
        for ranks in ("2", "4"):
            ratios, title = {}, None
            for _ in range(starts):
                title, _, *lines = run(mpi, ranks, program, megabytes) or (None, None)
                for size, _, _, ratio, *_ in map(str.split, lines):
                    ratios.setdefault(size, []).append(float(ratio))
            if title:
                measured.append({"title": title, "ratios": ratios})
    return {"cores": len(os.sched_getaffinity(0)), "starts": starts, "measured": measured}


def table(data):
    sizes = data["measured"][0]["ratios"]
    lines = ["| | " + " | ".join(f"{mb} MB" for mb in sizes) + " |", "|---" * (len(sizes) + 1) + "|"]
    for row in data["measured"]:
        cells = (f"{statistics.median(r):.2f} ({min(r):.2f}, {max(r):.2f})" for r in row["ratios"].values())
        lines.append(f"| {row['title']} | " + " | ".join(cells) + " |")
    return "\n".join(lines + ["", f"{data['cores']} cores, {data['starts']} starts of mpirun: the median of their "
                              "ratios, each of which is one of medians, then the least and the greatest."])


parser = argparse.ArgumentParser()
commands = parser.add_subparsers(dest="command", required=True)
measuring = commands.add_parser("measure")
measuring.add_argument("program")
measuring.add_argument("file")
measuring.add_argument("--starts", type=int, default=7)
measuring.add_argument("--megabytes", type=int, nargs="+", default=[1, 2, 4, 8, 16, 64, 256])
commands.add_parser("show").add_argument("file")
options = parser.parse_args()
if options.command == "measure":
    data = measure(options.program, options.starts, options.megabytes)
    if not data["measured"]:
        print("skipped: there is no mpirun that can start it")
        sys.exit(77)
    with open(options.file, "w", encoding="utf-8") as output:
        json.dump(data, output, indent=1)
        output.write("\n")
else:
    with open(options.file, encoding="utf-8") as given:
        print(table(json.load(given)))
