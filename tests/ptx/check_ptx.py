#!/usr/bin/env python3
"""No kernel of an ordered path may execute a floating-point atomic whose rounding it does not know: reads the PTX that nvcc
wrote into a library.

    check_ptx.py LIBRARY              every kernel; those whose names contain "atomic" may
    check_ptx.py --self-test [NVCC]   the check finds what it must, in PTX by hand and in a wrong kernel that NVCC compiles

Exit status: 0 all is well or, as it then says, there is no PTX to read; 1 it is not.
"""
import os
import subprocess
import sys
import tempfile

import fatbin
import ptx


def demangled(names):
    names = sorted(names)
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return dict(zip(names, text.split("\n")))


def check_library(path):
    texts, compiled = fatbin.read(path)
    if not texts:
        print(f"skipped: {os.path.basename(path)} holds no PTX")
        return 0
    failed = 0
    for architecture, pieces in sorted(texts.items()):
        found = {}
        for text in pieces:
            found.update(ptx.check(text))
        missing = set().union(*compiled.values()) - set(found)
        names = demangled(set(found) | missing)
        using = {kernel for kernel, atomics in found.items() if atomics}
        wrong = {kernel for kernel in using if "atomic" not in names[kernel]}
        print(f"sm_{architecture}: {len(found)} kernels, {len(using)} with floating-point atomics, "
              f"{len(wrong)} of them not named atomic")
        for kernel in sorted(wrong, key=names.get):
            print(f"  {names[kernel]}")
            for atomic in sorted(set(found[kernel])):
                print(f"    {atomic}")
        for kernel in sorted(missing):
            print(f"  no PTX for {names[kernel]}")
        if not found or not using:
            print("  expected some kernels, and some with atomics: is this the whole library?")
        failed |= bool(wrong or missing or not found or not using)
    return failed


def self_test(nvcc):
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "samples.ptx"), encoding="utf-8") as file:
        found = ptx.check(file.read())
    failed = 0
    for kernel, atomics in sorted(found.items()):
        expected = kernel.startswith("wrong_")
        verdict = "caught" if atomics else "clean"
        failed |= expected != bool(atomics)
        print(f"{kernel}: {verdict}{'' if expected == bool(atomics) else '  <- expected otherwise'}")
    failed |= len(found) < 2
    if nvcc:
        with tempfile.TemporaryDirectory() as directory:
            library = os.path.join(directory, "wrong_kernel.o")
            subprocess.run([nvcc, "-c", "-arch=sm_90", "-o", library,
                            os.path.join(here, "wrong_kernel.cu")], check=True)
            caught = check_library(library)
            print("compiled wrong kernel:", "caught" if caught == 1 else "missed")
            failed |= caught != 1
    return int(failed)


if __name__ == "__main__":
    sys.exit(fatbin.run_check(__doc__, check_library, self_test))
