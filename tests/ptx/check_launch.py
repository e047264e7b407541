#!/usr/bin/env python3
"""Every kernel of a library can be launched on the GPUs it was compiled for: reads what ptxas gave each of them.

    check_launch.py LIBRARY            every kernel, for every architecture in the library
    check_launch.py --self-test [NVCC] the check finds what it must, in numbers and in a wrong kernel that NVCC compiles

A block of the kernel's launch bound, or where it has none of Ordo's largest, must find its registers; a thread's stack,
where spilled registers go, stays small; shared memory is within what a launch has without asking for more.
Exit status: 0 all is well or, as it then says, there is no device code to read; 1 it is not.
"""
import os
import re
import subprocess
import sys
import tempfile

import cubin
import fatbin
from check_ptx import demangled
from cubin import Resources

BLOCK = 512  # threads: the most that engine/run/launch_tuning.h allows, which no launch without a bound exceeds
REGISTERS = 65536  # of a multiprocessor and of a block, from compute capability 5.0 on
REGISTER_UNIT = 256  # a warp gets a multiple of these
SHARED = 48 * 1024
RESERVED_SHARED = {90: 1024}  # what ptxas counts that is not the kernel's, from this architecture on
STACK = 256  # bytes: the sine of huge arguments keeps 200 in an array
# Kernels that launches add shared memory to, and how much at most: kHistogramBytes of accumulate/atomic/atomic_plan.h,
# kBlockSums and kBlockLevels of accumulate/exact/exact_plan.h, of 8 bytes each.
DYNAMIC = {"accumulate_atomic_histogram_kernel": 32 * 1024, "accumulate_exact_block_sums_kernel": 32 * 1024}
DYNAMIC_NAME = "ordo_dynamic_shared"


def faults(name, resources, architecture, uses_dynamic=False):
    """What is wrong with a kernel, as texts."""
    found = []
    threads = resources.threads or BLOCK
    warps = (threads + 31) // 32
    needed = (resources.registers * 32 + REGISTER_UNIT - 1) // REGISTER_UNIT * REGISTER_UNIT * warps
    if needed > REGISTERS:
        found.append(f"{resources.registers} registers for each of {threads} threads are {needed} of {REGISTERS}")
    if resources.stack > STACK:
        found.append(f"{resources.stack} bytes of stack for each thread, more than {STACK}: are registers spilled?")
    reserved = max((size for first, size in RESERVED_SHARED.items() if architecture >= first), default=0)
    dynamic = next((size for part, size in DYNAMIC.items() if part in name), 0)
    if resources.shared - reserved + dynamic > SHARED:
        found.append(f"{resources.shared - reserved} bytes of shared memory and {dynamic} from the launch, "
                     f"more than {SHARED}")
    if uses_dynamic and not dynamic:
        found.append("takes shared memory from its launch, and DYNAMIC of check_launch.py does not say how much")
    return found


def dynamic_kernels(texts):
    """The kernels of PTX texts that name the shared memory of a launch."""
    names = set()
    for text in texts:
        for part in re.split(r"^(?=\s*(?:\.visible |\.weak )*\.entry )", text, flags=re.M)[1:]:
            if DYNAMIC_NAME in part:
                names.add(re.search(r"\.entry\s+([\w$]+)", part).group(1))
    return names


def check_library(path):
    kernels = {}
    for kind, architecture, content in fatbin.pieces(path):
        if kind == fatbin.CUBIN:
            kernels.setdefault(architecture, []).extend(cubin.resources(content).items())
    if not kernels:
        print(f"skipped: {os.path.basename(path)} holds no device code")
        return 0
    texts = fatbin.read(path)[0]
    dynamic = dynamic_kernels(text for pieces in texts.values() for text in pieces)
    failed = 0
    for architecture, found in sorted(kernels.items()):
        wrong = [(name, fault) for name, resources in found
                 for fault in faults(name, resources, architecture, name in dynamic)]
        without = [name for name, resources in found if not resources.registers]
        most = max(found, key=lambda kernel: kernel[1].registers)[1]
        print(f"sm_{architecture}: {len(found)} kernels, {most.registers} registers, "
              f"{max(r.shared for _, r in found)} bytes of shared memory, {max(r.stack for _, r in found)} of stack at "
              f"most; {len({name for name, _ in wrong})} cannot be launched or spill")
        names = demangled({name for name, _ in wrong} | set(without))
        for name, fault in sorted(wrong):
            print(f"  {names[name]}\n    {fault}")
        for name in without:
            print(f"  no registers are known of {names[name]}")
        failed |= bool(wrong or without)
    return failed


def self_test(nvcc):
    cases = [("fits", Resources(255, 256, 0, 0), 90, []),
             ("registers", Resources(129, 512, 0, 0), 80, ["69632 of 65536"]),
             ("a bound that fits", Resources(64, 1024, 0, 0), 80, []),
             ("registers come in units", Resources(81, 768, 0, 0), 80, ["67584 of 65536"]),
             ("stack", Resources(32, 0, 0, 264), 80, ["264 bytes of stack"]),
             ("shared", Resources(32, 0, 49153, 0), 80, ["49153 bytes of shared memory"]),
             ("reserved shared memory does not count", Resources(32, 0, 49152 + 1024, 0), 90, []),
             ("accumulate_exact_block_sums_kernel", Resources(32, 0, 16385, 0), 80, ["and 32768 from the launch"])]
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "../../engine/run/launch_tuning.h"), encoding="utf-8") as file:
        failed = f"kMostThreads = {BLOCK};" not in file.read()
    print("the largest block:", "WRONG: not that of engine/run/launch_tuning.h" if failed else "as expected")
    for name, resources, architecture, expected in cases:
        found = faults(name, resources, architecture)
        good = len(found) == len(expected) and all(text in fault for text, fault in zip(expected, found))
        print(f"{name}: {'as expected' if good else f'WRONG: {found}'}")
        failed |= not good
    if nvcc:
        with tempfile.TemporaryDirectory() as directory:
            library = os.path.join(directory, "wrong_launch.o")
            source = os.path.join(here, "wrong_launch.cu")
            subprocess.run([nvcc, "-c", "-arch=sm_90", "-o", library, source], check=True)
            wrong = {name: faults(name, resources, 90, name in dynamic_kernels(fatbin.read(library)[0][90]))
                     for kind, _, content in fatbin.pieces(library) if kind == fatbin.CUBIN
                     for name, resources in cubin.resources(content).items()}
        expected = {"fits": "", "bounded": "", "spills": "bytes of stack", "shares": "DYNAMIC"}
        for part, text in expected.items():
            found = next(faults for name, faults in wrong.items() if part in name)
            good = not found if not text else len(found) == 1 and text in found[0]
            print(f"compiled kernel {part}: {'as expected' if good else f'WRONG: {found}'}")
            failed |= not good
    return int(failed)


if __name__ == "__main__":
    sys.exit(fatbin.run_check(__doc__, check_library, self_test))
