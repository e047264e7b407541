#!/usr/bin/env python3
"""Plants small faults, one at a time, at random places of a copy of the sources, and reports which the tests catch.

    mutate.py SOURCE WORK [--random N] [--seed S] [--filter REGEX] [--family] [--list] [--jobs N] [--report FILE]

SOURCE is a checkout, WORK a directory for the copy and its builds. operators.py says what a fault is: an operator is
drawn, then one of its places, so that rare ones are not forgotten. A fault is caught when the tests of the build without
CUDA fail, or else those of the emulated build or of the race checker's; or, of what speaks to CUDA's libraries or tells
nvcc how to compile, on the PTX machine. The tests that are about the file come first; with --family there are no others.
Faults that do not compile are drawn anew. --report writes the table in FILE between its two comments "results".
Exit status: 1 when a fault was not caught, 2 for bad arguments.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

import operators

BUILDS = ["cpu", "emulated", "race", "ptx"]  # from fast to slow
SECONDS = 900  # a test that takes longer hangs, which counts as caught
Fault = collections.namedtuple("Fault", "operator path line before after")


def builds_of(path):
    """Those that may notice a fault there."""
    if path.endswith("_native_cuda.cpp") or path.startswith("cmake/"):
        return ["ptx"]
    device_code = path.endswith((".cu", ".cuh")) or path.startswith(("engine/cuda/", "simulators/"))
    return ["emulated", "race"] if device_code else ["cpu", "emulated", "race"]


def files_of(source):
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            check=True, capture_output=True).stdout.decode().split("\0")
    return sorted(name for name in listed if name and (source / name).is_file())


def all_faults(source, pattern):
    """By operator, wherever one applies in files whose paths match."""
    faults = collections.defaultdict(list)
    for path in files_of(source):
        if re.search(pattern, path) and path.split("/")[0] in operators.FOLDERS and path.endswith(operators.SUFFIXES):
            for name, line, before, after in operators.sites(source, path):
                faults[name].append(Fault(name, path, line, before, after))
    for path, before, after, why in operators.LITERAL:
        if (source / path).read_text().count(before) != 1:
            sys.exit(f"mutate: '{before}' does not occur once in {path}")
        if re.search(pattern, path):
            faults[why].append(Fault(why, path, 0, before, after))
    return faults


def drawn(faults, draw):
    """One after the other, none twice."""
    while faults:
        name = draw.choice(sorted(faults))
        yield faults[name].pop(draw.randrange(len(faults[name])))
        if not faults[name]:
            del faults[name]


def copy_sources(source, copy):
    files = set(files_of(source))
    for folder, folders, names in os.walk(copy):  # what the checkout no longer has
        relative = pathlib.Path(folder).relative_to(copy)
        folders[:] = [name for name in folders if relative / name != pathlib.Path("build")]
        for name in names:
            if str(relative / name) not in files and not name.endswith(".log"):
                (pathlib.Path(folder) / name).unlink()
    for name in files:
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_file() or target.read_bytes() != (source / name).read_bytes():
            shutil.copyfile(source / name, target)  # the others keep their times, so that builds stay small


def build(copy, preset, jobs):
    directory = copy / "build" / preset
    environment = dict(os.environ, CCACHE_BASEDIR=str(copy), CCACHE_NOHASHDIR="1", CCACHE_PCH_EXTSUM="1",
                       CCACHE_SLOPPINESS="pch_defines,time_macros,include_file_mtime,include_file_ctime")
    with open(copy / f"{preset}.log", "w") as out:
        if not (directory / "build.ninja").is_file():
            subprocess.run(["cmake", "--preset", preset], cwd=copy, env=environment, stdout=out, stderr=out, check=True)
        done = subprocess.run(["ninja", "-C", directory, "-j", str(jobs), "ordo_tests"]
                              + (["simulators/ptx/all"] if preset == "ptx" else []), env=environment, stdout=out, stderr=out)
    return done.returncode == 0


def run_tests(copy, preset, tests="*"):
    """None when all pass, else how they failed."""
    log = copy / f"{preset}.tests.log"
    command = [copy / "build" / preset / "bin" / "ordo_tests", "--gtest_fail_fast", f"--gtest_filter={tests}"]
    environment = dict(os.environ, LD_LIBRARY_PATH=str(copy / "build" / "ptx" / "ptx")) if preset == "ptx" else None
    with open(log, "w") as out:
        running = subprocess.Popen(command, cwd=copy, env=environment, stdout=out, stderr=subprocess.STDOUT)
        size, silent = 0, 0  # bytes written, seconds since the last of them: every test says when it begins and ends
        while running.poll() is None:
            time.sleep(1)
            silent = silent + 1 if log.stat().st_size == size else 0
            size = log.stat().st_size
            if silent > SECONDS:
                running.kill()
                running.wait()
                return f"no end after {SECONDS} s"
    if running.returncode < 0:
        return f"signal {-running.returncode}"
    lines = log.read_text(errors="replace").splitlines()
    failed = [line.split()[3].rstrip(",") for line in lines if line.startswith("[  FAILED  ] ")]
    return (failed or [f"exit status {running.returncode}"])[0] if running.returncode else None


def try_fault(copy, fault, family, jobs):
    """How it was caught; "" when it was not, None when it does not compile."""
    path = copy / fault.path
    original = path.read_text()
    lines = original.split("\n")
    if fault.line:
        lines[fault.line - 1] = fault.after
    path.write_text("\n".join(lines) if fault.line else original.replace(fault.before, fault.after))
    first = operators.tests_of(fault.path)
    try:
        for tests in [first] if family else [first, "-" + first]:
            for preset in builds_of(fault.path):
                if family and preset != builds_of(fault.path)[0]:
                    continue
                if not build(copy, preset, jobs):
                    return None
                how = run_tests(copy, preset, tests)
                if how:
                    return f"{preset}: {how}"
        return ""
    finally:
        path.write_text(original)


def write_report(path, results, arguments):
    count = collections.Counter(fault.operator for fault, _ in results)
    caught = collections.Counter(fault.operator for fault, how in results if how)
    which = f" --filter '{arguments.filter}'" if arguments.filter else ""
    lines = [f"`./run mutate --random {arguments.random} --seed {arguments.seed}{which}"
             f"{' --family' if arguments.family else ''}`: {sum(caught.values())} of {len(results)} faults were caught.", "",
             "| operator | planted | caught |", "|---|---|---|"]
    lines += [f"| {name} | {count[name]} | {caught[name]} |" for name in sorted(count)]
    lines += ["", "Not caught:" if sum(caught.values()) < len(results) else "All were caught."]
    lines += [f"- `{f.path}:{f.line}`, {f.operator}: `{f.after.strip() or f.before.strip()}`" for f, how in results if not how]
    text = path.read_text()
    parts = re.split(r"(<!-- results -->\n)(.*?)(<!-- end of results -->)", text, flags=re.DOTALL)
    path.write_text("".join([parts[0], parts[1], "\n".join(lines) + "\n", *parts[3:]]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--random", type=int, default=100, help="how many faults (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--filter", default="", help="only in files whose path matches this expression")
    parser.add_argument("--family", action="store_true", help="run the tests about the file only, in the fastest build")
    parser.add_argument("--list", action="store_true", help="show the faults and plant none")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--report", type=pathlib.Path, help="a page whose table is replaced by this run's")
    arguments = parser.parse_args()
    source = arguments.source.resolve()
    faults = all_faults(source, arguments.filter)
    if not faults:
        parser.error(f"no fault is possible in files like '{arguments.filter}'")
    sequence = drawn(faults, random.Random(arguments.seed))
    if arguments.list:
        for _, f in zip(range(arguments.random), sequence):
            print(f"{f.operator}: {f.path}:{f.line}\n  {f.before.strip()}\n  {f.after.strip()}")
        return 0

    copy = arguments.work.resolve() / "source"
    copy_sources(source, copy)
    has_nvcc, built, results = shutil.which("nvcc"), set(), []
    for fault in sequence:
        if len(results) == arguments.random:
            break
        builds = builds_of(fault.path)[:1] if arguments.family else builds_of(fault.path)
        if "ptx" in builds and not has_nvcc:
            continue
        for preset in set(builds) - built:
            if not build(copy, preset, arguments.jobs):
                sys.exit(f"mutate: the {preset} build fails without a fault: {copy / (preset + '.log')}")
            built.add(preset)
        started = time.monotonic()
        how = try_fault(copy, fault, arguments.family, arguments.jobs)
        word = "does not compile" if how is None else f"caught by {how}" if how else "MISSED"
        print(f"{len(results) + 1:3} {fault.path}:{fault.line}, {fault.operator}: {word} "
              f"[{time.monotonic() - started:.0f} s]\n      {fault.before.strip()}\n      {fault.after.strip()}", flush=True)
        if how is not None:
            results.append((fault, how))
    missed = sum(not how for _, how in results)
    print(f"\n{len(results) - missed} of {len(results)} faults were caught.")
    if arguments.report:
        write_report(arguments.report, results, arguments)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
