#!/usr/bin/env python3
"""Every kernel of a library can be launched: reads from its machine code what ptxas made each of them take.

    check_launch.py LIBRARY              every kernel, for every architecture
    check_launch.py --self-test [NVCC]   the check finds what it must, in figures by hand and in a kernel that NVCC compiles

Exit status: 0 all is well or, as it then says, there is no machine code to read; 1 it is not.
"""
import os
import struct
import subprocess
import sys
import tempfile

import fatbin

# The same on sm_80 and sm_90.
REGISTERS_OF_BLOCK = 65536  # given out to warps in units of 256
STATIC_SHARED = 48 * 1024
# Kernels without bounds of their own are launched in blocks of at most so many threads: LaunchTuning's, and all fixed ones.
THREADS = 256
# Spills go to the stack, besides arrays that are indexed at run time, which are small here.
STACK = 512

MAX_THREADS, FRAME_SIZE, REGISTERS = 0x05, 0x11, 0x2F  # attributes of .nv.info


def kernels(cubin):
    """{kernel: {"registers", "stack", "shared", "threads"}}"""
    sections = list(fatbin.elf_sections_with_sizes(cubin))
    symbols = fatbin.symbol_names(cubin)
    found = {name[len(".nv.constant0."):]: {"registers": 0, "stack": 0, "shared": 0, "threads": THREADS}
             for name, _, _ in sections if name.startswith(".nv.constant0.")}
    for name, content, size in sections:
        if name.startswith(".nv.shared.") and name[len(".nv.shared."):] in found:
            found[name[len(".nv.shared."):]]["shared"] = size
        elif name == ".nv.info":
            for attribute, value in fatbin.info_attributes(content):
                key = {REGISTERS: "registers", FRAME_SIZE: "stack"}.get(attribute)
                if key and len(value) == 8:
                    symbol, number = struct.unpack("<II", value)
                    if symbols[symbol] in found:
                        found[symbols[symbol]][key] = number
        elif name.startswith(".nv.info.") and name[len(".nv.info."):] in found:
            for attribute, value in fatbin.info_attributes(content):
                if attribute == MAX_THREADS:
                    x, y, z = struct.unpack("<III", value)
                    found[name[len(".nv.info."):]]["threads"] = x * y * z
    return found


def problem(registers, stack, shared, threads):
    """What forbids a launch, or None."""
    of_warp = (registers * 32 + 255) // 256 * 256
    taken = of_warp * ((threads + 31) // 32)
    if taken > REGISTERS_OF_BLOCK:
        return f"{registers} registers for {threads} threads are {taken}, and a block has {REGISTERS_OF_BLOCK}"
    if shared > STATIC_SHARED:
        return f"{shared} bytes of shared memory, and a block has {STATIC_SHARED}"
    if stack > STACK:
        return f"{stack} bytes of stack; more than {STACK} are spills, or an array that belongs elsewhere"
    return None


def check_library(path):
    of_architecture = {}
    for kind, architecture, content in fatbin.device_code(path):
        if kind == fatbin.CUBIN:
            of_architecture.setdefault(architecture, {}).update(kernels(content))
    if not of_architecture:
        print(f"skipped: {os.path.basename(path)} holds no machine code for GPUs")
        return 0
    failed = 0
    for architecture, found in sorted(of_architecture.items()):
        wrong = {name: text for name, figures in found.items() if (text := problem(**figures))}
        unknown = [name for name, figures in found.items() if figures["registers"] == 0]
        most = {key: max(figures[key] for figures in found.values()) for key in ("registers", "stack", "shared")}
        print(f"sm_{architecture}: {len(found)} kernels, at most {most['registers']} registers, {most['stack']} bytes of "
              f"stack and {most['shared']} of shared memory; {len(wrong)} cannot be launched")
        for name, text in sorted(wrong.items()):
            print(f"  {name}: {text}")
        for name in unknown:
            print(f"  {name}: ptxas does not say how many registers it takes")
        failed |= bool(wrong or unknown or not found)
    return failed


SAMPLE = """
__global__ void __launch_bounds__(512) bounded(float* p) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = tile[511 - threadIdx.x];
}
"""


def self_test(nvcc):
    cases = [((255, 0, 0, 256), True), ((128, 0, 0, 512), True), ((129, 0, 0, 512), False), ((65, 0, 0, 1024), False),
             ((64, 0, 0, 1024), True), ((32, 513, 0, 256), False), ((32, 0, 48 * 1024 + 4, 256), False)]
    failed = 0
    for figures, launches in cases:
        right = (problem(*figures) is None) == launches
        failed |= not right
        print(f"{figures}: {'launches' if launches else 'does not launch'}{'' if right else '  <- the check says otherwise'}")
    if nvcc:
        with tempfile.TemporaryDirectory() as directory:
            source, library = os.path.join(directory, "sample.cu"), os.path.join(directory, "sample.o")
            with open(source, "w", encoding="utf-8") as file:
                file.write(SAMPLE)
            subprocess.run([nvcc, "-c", "-arch=sm_90", "-o", library, source], check=True)
            found = {}
            for kind, _, content in fatbin.device_code(library):
                if kind == fatbin.CUBIN:
                    found.update(kernels(content))
            print("compiled:", found)
            figures = next((f for name, f in found.items() if "bounded" in name), {})
            failed |= figures.get("threads") != 512 or figures.get("shared", 0) < 4096 or not figures.get("registers")
    return int(failed)


def main(arguments):
    if arguments[:1] == ["--self-test"] and len(arguments) <= 2:
        return self_test(*arguments[1:]) if len(arguments) == 2 else self_test(None)
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return check_library(arguments[0])
    except fatbin.Unreadable as error:
        print(f"{arguments[0]}: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
