#!/usr/bin/env python3
"""The checks of sizes and compile times find what exceeds its budget, and name it.

    self_test.py COMPILER INCLUDE      INCLUDE is a folder with ordo/ in it

A build of two small objects and a library stands in for a real one.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import budgets

SOURCES = ["kernels/softmax/softmax.cpp", "nn/module.cpp"]


def make_build(build, compiler, include):
    (build / "CMakeCache.txt").write_text("CMAKE_BUILD_TYPE:STRING=Release\nCMAKE_CXX_FLAGS_RELEASE:STRING=-O3 -DNDEBUG\n")
    os.symlink(include, build / "include")
    objects = []
    for i, source in enumerate(SOURCES):
        target = build / budgets.OBJECTS[i] / (source + ".o")
        target.parent.mkdir(parents=True)
        text = f"int a{i}[5]; int f{i}(int x) {{ for (int i = 0; i < x; ++i) a{i}[i % 5] += i; return a{i}[x]; }}\n"
        subprocess.run([compiler, "-fPIC", "-O1", "-xc++", "-c", "-o", target, "-"], input=text, text=True, check=True)
        objects.append(target)
    subprocess.run([compiler, "-shared", "-o", build / "libordo.so", *objects], check=True)
    return objects


def note(target, seconds, how):
    target.with_name(target.name + ".cost").write_text(f"{seconds} 1.0 {how}\n")


class Checks:
    def __init__(self, build, compiler):
        self.build, self.compiler, self.failed = build, compiler, 0

    def expect(self, what, program, limits, texts, status):
        path = self.build / "budgets.json"
        path.write_text(json.dumps(limits))
        of = {"times.py": [self.compiler, self.build], "sizes.py": [self.build], "lines.py": []}[program]
        done = subprocess.run([sys.executable, "-B", budgets.HERE / program, *of, "--check", "--budgets", path],
                              capture_output=True, text=True)
        said = [line for line in done.stdout.splitlines() if line.startswith("over budget: ")]
        good = done.returncode == status and len(said) == len(texts) and all(
            text in line for text, line in zip(texts, said))
        print(f"{what}: {'as expected' if good else 'WRONG'}")
        if not good:
            print(done.stdout + done.stderr)
            self.failed = 1


def changed(limits, *keys, value):
    copy = json.loads(json.dumps(limits))
    inner = copy
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    return copy


def main(compiler, include):
    wide = {"sizes": {"host_MB": 9}, "compile_CPU_seconds": {"slower": 2, "library": 50, "file": 50},
            "headers": {"engine/tensor/dtype.h": {"own_kB": 100, "all_kB": 9000}}}
    with tempfile.TemporaryDirectory() as directory:
        build = pathlib.Path(directory)
        first, second = make_build(build, compiler, include)
        checks = Checks(build, compiler)
        checks.expect("sizes within budgets", "sizes.py", wide, [], 0)
        checks.expect("a large library", "sizes.py", changed(wide, "sizes", "host_MB", value=0.001), ["libordo.so"], 1)
        checks.expect("lines within budgets", "lines.py", {"lines": {"samples": 10 ** 6}}, [], 0)
        checks.expect("a large folder", "lines.py", {"lines": {"samples": 1, "tests": 10 ** 6}}, ["lines of samples"], 1)
        note(first, 9.0, "compiled")
        note(second, 39.0, "compiled")
        seconds = "compile_CPU_seconds"
        checks.expect("times within budgets", "times.py", wide, [], 0)
        checks.expect("a slow file, twice its budget", "times.py", changed(wide, seconds, "file", value=19),
                      [f"compiling {SOURCES[1]}"], 1)
        checks.expect("a slow file, not twice its budget", "times.py", changed(wide, seconds, "file", value=21), [], 0)
        checks.expect("a slow library", "times.py", changed(wide, seconds, "library", value=24), ["the library"], 1)
        checks.expect("a large header", "times.py", changed(wide, "headers", "engine/tensor/dtype.h", "own_kB", value=0),
                      ["<ordo/engine/tensor/dtype.h>"], 1)
        note(second, 39.0, "cached")
        checks.expect("what came from the cache is not judged", "times.py", changed(wide, seconds, "library", value=1), [], 0)
    return checks.failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
