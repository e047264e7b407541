#!/usr/bin/env python3
"""Runs a GoogleTest program in a few processes at a time, many tests in each, because starting it under a sanitizer takes
longer than most tests do.

    run_sharded.py PROGRAM [--jobs N] [--timeout SECONDS] [--slowest N] [--gtest_filter=...]

Every test that fails is named, with what it printed; a test that ends the process (a sanitizer's report) or takes longer
than the timeout has failed too, and the tests after it are run all the same. The last line counts:
"1000 passed, 20 skipped, 0 failed". Before it, --slowest lists the tests that took longest. Exit status: 0 when none
failed, else 1.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

CHUNK = 48  # tests of a process
RUN = re.compile(r"\[ RUN      \] (\S+)")
END = re.compile(r"\[(       OK |  FAILED  |  SKIPPED )\] ([^\s,]+)(?:, where .*)? \((\d+) ms\)$")


def list_tests(program, arguments):
    listing = subprocess.run([program, "--gtest_list_tests", *arguments], capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        sys.exit(f"{program} cannot list its tests, exit status {listing.returncode}\n{listing.stdout}{listing.stderr}")
    suite = ""
    for line in listing.stdout.splitlines():
        name = line.split("#")[0].rstrip()
        if line.startswith("  "):
            if not name.strip().startswith("DISABLED_"):
                yield suite + name.strip()
        elif name.endswith("."):
            suite = name


def run_chunk(program, tests, timeout):
    """{test: (result, output)} and {test: seconds}; the process is started again behind a test that ended it."""
    results, seconds, left = {}, {}, list(tests)
    while left:
        with tempfile.NamedTemporaryFile("w", suffix=".flags") as flags, tempfile.TemporaryFile("w+") as out:
            flags.write("--gtest_filter=" + ":".join(left) + "\n")
            flags.flush()
            try:
                status = subprocess.run([program, "--gtest_color=no", f"--gtest_flagfile={flags.name}"], stdout=out,
                                        stderr=subprocess.STDOUT, timeout=timeout, check=False).returncode
            except subprocess.TimeoutExpired:
                status = f"stopped after {timeout} s"
            out.seek(0)
            text = out.read()
        done = len(results)
        running, said = None, []
        for line in text.splitlines():
            begin, end = RUN.search(line), END.search(line)
            if begin:
                running, said = begin.group(1), []
            elif end and running == end.group(2):
                results[running] = (end.group(1).strip(), "\n".join(said))
                seconds[running] = int(end.group(3)) / 1000
                running = None
            else:
                said.append(line)
        if running:
            results[running] = ("FAILED", "\n".join(said + [f"ended the process: {status}"]))
        elif status != 0 and all(results[t][0] != "FAILED" for t in left if t in results):
            # Nothing failed, and yet: a report at the very end, such as a leak.
            results[f"the end of the process ({left[0]} ...)"] = ("FAILED", "\n".join(said + [f"exit status {status}"]))
        if len(results) == done:
            results[left[0]] = ("FAILED", text + f"\nno test ran: {status}")
        left = [t for t in left if t not in results]
    return results, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=int, default=900)
    parser.add_argument("--slowest", type=int, default=0)
    options, arguments = parser.parse_known_args()
    program = os.path.abspath(options.program)
    tests = list(list_tests(program, arguments))
    chunks = [tests[i:i + CHUNK] for i in range(0, len(tests), CHUNK)]
    counts, durations = collections.Counter(), {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for results, seconds in pool.map(lambda chunk: run_chunk(program, chunk, options.timeout), chunks):
            durations |= seconds
            for test, (result, output) in results.items():
                counts[result] += 1
                if result == "FAILED":
                    print(f"FAILED {test}\n{output}\n", flush=True)
    for test in sorted(durations, key=durations.get, reverse=True)[:options.slowest]:
        print(f"{durations[test]:8.1f} s  {test}")
    print(f"{counts['OK']} passed, {counts['SKIPPED']} skipped, {counts['FAILED']} failed")
    return 1 if counts["FAILED"] or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
