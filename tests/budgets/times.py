#!/usr/bin/env python3
"""What compiling the library cost, by family, and how much its headers bring: within tests/budgets/budgets.json or not.

    times.py COMPILER BUILD... [--check] [--budgets FILE]

Seconds are CPU seconds, which record_compile.sh noted when an object was compiled last; an object that came from the
compiler cache is not judged, and neither is a sum with one in it. A machine may be slower by the factor `slower` of the
budgets. Of a header the bytes of C++ count that a file which includes it gives the compiler: those of Ordo's own headers,
which are the same everywhere, and all, which depend on the standard library a little.
Exit status: 1 with --check when a budget is exceeded.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import budgets


def costs(builds):
    """{source: CPU seconds, or None where no build compiled it} of every object in the builds."""
    found = {}
    for build in builds:
        for path, source in budgets.library_objects(build):
            note = path.with_name(path.name + ".cost")
            fields = note.read_text().split() if note.is_file() else []
            seconds = float(fields[0]) + float(fields[1]) if fields[2:] == ["compiled"] else None
            found[source] = max(filter(None, [found.get(source), seconds]), default=None)
    return found


def report_costs(found, limits, verdict):
    slower = limits["slower"]
    families = {}
    for source, seconds in found.items():
        families.setdefault(budgets.family_of(source), []).append(seconds)
        if seconds:
            verdict.check(f"compiling {source}", seconds, slower * limits["file"], budgets.SECONDS)
    print(f"{'family':<24} {'files':>5} {'cached':>6} {'CPU s':>8}")
    for name, seconds in sorted(families.items(), key=lambda f: -sum(filter(None, f[1]))):
        print(f"{name:<24} {len(seconds):>5} {seconds.count(None):>6} {sum(filter(None, seconds)):>8.1f}")
    if None not in found.values():
        total = sum(found.values())
        print(f"the library: {total:.0f} s")
        verdict.check("compiling the library", total, slower * limits["library"], budgets.SECONDS)
    else:
        cached = sum(s is None for s in found.values())
        print(f"the library as a whole is not judged: {cached} of {len(found)} files came from the compiler cache")


def preprocessed(compiler, build, header):
    """{file: bytes it contributes} to a file that includes <ordo/HEADER>."""
    text = subprocess.run([compiler, "-std=c++20", "-E", "-xc++", f"-I{build}/include", "-"],
                          input=f"#include <ordo/{header}>\n", capture_output=True, text=True, check=True).stdout
    found, current = {}, ""
    for line in text.splitlines(keepends=True):
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            current = marker.group(1)
        elif line.strip():
            found[current] = found.get(current, 0) + len(line)
    return found


def report_headers(compiler, build, limits, verdict):
    print(f"\n{'header':<40} {'own kB':>8} {'all kB':>8}")
    inside = f"{build}/include/ordo/"
    for header, limit in limits.items():
        found = preprocessed(compiler, build, header)
        own = {file[len(inside):]: size for file, size in found.items() if file.startswith(inside)}
        total_own, total = sum(own.values()) / 1000, sum(found.values()) / 1000
        print(f"{header:<40} {total_own:>8.0f} {total:>8.0f}")
        largest = ", ".join(f"{file} {own[file] / 1000:.0f}" for file in sorted(own, key=own.get)[:-4:-1])
        verdict.check(f"<ordo/{header}>, Ordo's own part (most: {largest})", total_own, limit["own_kB"],
                      budgets.KILOBYTES)
        verdict.check(f"<ordo/{header}> with the standard library", total, limit["all_kB"], budgets.KILOBYTES)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler")
    parser.add_argument("builds", type=pathlib.Path, nargs="+")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--budgets", type=pathlib.Path, default=budgets.HERE / "budgets.json")
    arguments = parser.parse_args()
    builds = [build.resolve() for build in arguments.builds]
    limits = budgets.load(arguments.budgets)
    verdict = budgets.Verdict()
    optimised = [build for build in builds if budgets.judged(build)]
    report_costs(costs(optimised or builds), limits["compile_CPU_seconds"], verdict)
    report_headers(arguments.compiler, builds[0], limits["headers"], verdict)
    if not arguments.check:
        return 0
    if not optimised:
        print("not checked: the budgets are for optimised builds")
        return 0
    return verdict.status("Include less, split the file, or raise the budget in tests/budgets/budgets.json and say why.")


if __name__ == "__main__":
    sys.exit(main())
