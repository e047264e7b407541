#!/usr/bin/env python3
"""Plants small faults, one at a time, in a copy of the sources, and reports which of them the tests catch.

    mutate.py SOURCE WORK [--filter TEXT] [--list] [--check] [--jobs N] [--report FILE]
              [--known-to-pass]

SOURCE is a checkout, WORK a directory for the copy and its builds. A fault is caught when the tests of the build without
CUDA fail (a fault of the host's code), or else those of the emulated build or of the race checker's; or, of what speaks to
CUDA's libraries or tells nvcc how to compile, on the PTX machine. The tests that are about the file come first. --check only makes sure that every fault still fits the sources. A fault that WORK remembers is
not tried again unless its file has changed; remove WORK/results.json to try all.
Exit status: 1 when a fault was not caught or does not fit, 2 for bad arguments.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from faults import FAULTS

BUILDS = {  # in this order, from fast to slow; what is compiled runs a few tests, so compiling is what takes the time
    "cpu": "-O0 -DNDEBUG",
    "emulated": "-O1 -DNDEBUG",
    "race": "-O1 -DNDEBUG",
    "ptx": "-O1 -DNDEBUG",
}
SECONDS = 900  # a test that takes longer hangs, which counts as caught


def builds_of(f):
    """Those that may notice the fault."""
    if f["file"].endswith("_native_cuda.cpp") or f["file"].startswith(("cmake/", "tools/ptx/")):
        return ["ptx"]
    device_code = f["file"].endswith((".cu", ".cuh")) or f["file"].startswith("engine/cuda/")
    return ["emulated", "race"] if device_code else ["cpu", "emulated", "race"]


def check(source):
    """The faults that do not fit."""
    bad = []
    for f in FAULTS:
        path = source / f["file"]
        count = path.read_text().count(f["before"]) if path.is_file() else 0
        if count != 1 or f["before"] == f["after"]:
            bad.append(f"{f['name']}: its text occurs {count} times in {f['file']}")
    names = [f["name"] for f in FAULTS]
    bad += [f"two faults are called '{n}'" for n in sorted(set(names)) if names.count(n) > 1]
    return bad


def digest(source, f):
    """Of a fault and the file that it is in."""
    return hashlib.sha256((f["before"] + f["after"] + (source / f["file"]).read_text()).encode()).hexdigest()


def copy_sources(source, copy):
    files = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           check=True, capture_output=True).stdout.decode().split("\0")
    files = {name for name in files if name and (source / name).is_file()}
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
                       CCACHE_SLOPPINESS="pch_defines,time_macros")
    log = copy / f"{preset}.log"
    with open(log, "w") as out:
        if not (directory / "build.ninja").is_file():
            command = ["cmake", "--preset", preset, "-DORDO_SAMPLES=OFF", "-DORDO_BENCH=OFF", "-DORDO_TOOLS=OFF",
                       f"-DCMAKE_CXX_FLAGS_RELEASE={BUILDS[preset]}"]
            subprocess.run(command, cwd=copy, env=environment, stdout=out, stderr=out, check=True)
        done = subprocess.run(["ninja", "-C", directory, "-j", str(jobs), "ordo_tests", "tools/ptx/all"],
                              env=environment, stdout=out, stderr=out)
    return done.returncode == 0


def run_tests(copy, preset, tests="*"):
    """None when all pass, else how they failed."""
    log = copy / f"{preset}.tests.log"
    command = [copy / "build" / preset / "bin" / "ordo_tests", "--gtest_fail_fast", f"--gtest_filter={tests}"]
    environment = dict(os.environ, LD_LIBRARY_PATH=str(copy / "build" / "ptx" / "ptx")) if preset == "ptx" else None
    with open(log, "w") as out:
        running = subprocess.Popen(command, cwd=copy, env=environment, stdout=out, stderr=subprocess.STDOUT)
        size, silent = 0, 0  # bytes written, seconds since the last of them: every test says when it begins and ends
        while True:
            try:
                status = running.wait(timeout=1)
                break
            except subprocess.TimeoutExpired:
                silent = silent + 1 if log.stat().st_size == size else 0
                size = log.stat().st_size
            if silent > SECONDS:
                running.kill()
                running.wait()
                return f"no end after {SECONDS} s"
    if status == 0:
        return None
    if status < 0:
        return f"signal {-status}"
    lines = log.read_text(errors="replace").splitlines()
    failed = [line.split()[3].rstrip(",") for line in lines if line.startswith("[  FAILED  ] ")]
    return failed[0] if failed else f"exit status {status}"


def try_fault(copy, f, jobs):
    path = copy / f["file"]
    original = path.read_text()
    path.write_text(original.replace(f["before"], f["after"]))
    try:
        for preset in builds_of(f):
            if not build(copy, preset, jobs):
                return "", "does not compile"
            how = run_tests(copy, preset, f["first"])
            if how:
                return preset, how
        for preset in builds_of(f) if f["first"] != "*" else []:
            how = run_tests(copy, preset, "-" + f["first"])
            if how:
                return preset, how
        return "", ""
    finally:
        path.write_text(original)


def write_report(path, results, caught):
    left_out = len(FAULTS) - len(results)
    lines = ["# Faults that the tests notice", "",
             "Written by `./run mutate`, which plants these faults one at a time in a copy of the sources. The last",
             "column has the build whose tests failed, and the first test that did. What this is for:",
             "[verification.md](verification.md).", "",
             f"**{caught} of {len(results)} faults were caught.**" +
             (f" The list has {left_out} more, which this run left out." if left_out else ""),
             "",
             "| fault | file | | caught by |", "|---|---|---|---|"]
    lines += [f"| {f['name']} | `{f['file']}` | {word.lower()} | {note} |" for f, word, note in results]
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--filter", default="", help="only faults whose name or file contains this")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--known-to-pass", action="store_true", help="do not run the tests without a fault first")
    parser.add_argument("--report", type=pathlib.Path, help="write the result as a table in Markdown")
    arguments = parser.parse_args()
    faults = [f for f in FAULTS if arguments.filter in f["name"] or arguments.filter in f["file"]]
    if not faults:
        parser.error(f"no fault matches '{arguments.filter}'")
    if arguments.list:
        print("\n".join(f"{f['name']}  ({f['file']})" for f in faults))
        return 0
    bad = check(arguments.source)
    for line in bad:
        print(line)
    if arguments.check or bad:
        if not bad:
            print(f"{len(FAULTS)} faults fit the sources.")
        return 1 if bad else 0

    copy = arguments.work.resolve() / "source"
    copy_sources(arguments.source.resolve(), copy)
    memory = arguments.work / "results.json"
    known = json.loads(memory.read_text()) if memory.is_file() else {}
    if not shutil.which("nvcc"):
        faults = [f for f in faults if "ptx" not in builds_of(f)]
        print("There is no nvcc: faults that only what it makes can show are left out.")
    for preset in BUILDS:
        if not any(preset in builds_of(f) and digest(copy, f) not in known for f in faults):
            continue
        if not build(copy, preset, arguments.jobs):
            sys.exit(f"mutate: the {preset} build fails without a fault: {copy / (preset + '.log')}")
        how = None if arguments.known_to_pass or known else run_tests(copy, preset)
        if how:
            sys.exit(f"mutate: the {preset} tests fail without a fault: {how}")
    results, survivors, broken = [], [], []
    for number, f in enumerate(faults, 1):
        started = time.monotonic()
        key = digest(copy, f)
        if key not in known:
            known[key] = try_fault(copy, f, arguments.jobs)
            memory.write_text(json.dumps(known, indent=1))
        preset, how = known[key]
        if preset:
            word = "caught"
        elif how:
            word = "BROKEN"
            broken.append(f)
        else:
            word = "MISSED"
            survivors.append(f)
        seconds = time.monotonic() - started
        note = ": ".join(filter(None, [preset, how]))
        results.append((f, word, note))
        print(f"{number:3}/{len(faults)}  {word}  {f['name']}  [{seconds:.0f} s]  {note}", flush=True)
    caught = len(faults) - len(survivors) - len(broken)
    print(f"\n{caught} of {len(faults)} faults were caught.")
    if arguments.report:
        write_report(arguments.report, results, caught)
    for f in survivors:
        print(f"missed: {f['name']}  ({f['file']})")
    for f in broken:
        print(f"does not compile: {f['name']}  ({f['file']})")
    return 1 if survivors or broken else 0


if __name__ == "__main__":
    sys.exit(main())
