#!/usr/bin/env python3
"""The kernels of the commonest operations in numbers: what they touch, divide and need, from counts and from ptxas.

    gpu_kernels.py --join COUNTS.json LIBRARY   COUNTS is what `./run bench --model --grid bench/kernel_grid.json --json`
                                                wrote, LIBRARY the libordo.so that it ran; writes the file for the table
    gpu_kernels.py KERNELS.json                 the table
    gpu_kernels.py --worst KERNELS.json         the ten operations that touch most for what they must
"""
import json
import re
import sys
from pathlib import Path

from tables import print_table

ROOT = Path(__file__).resolve().parent.parent
BLOCK = 256        # threads, where a kernel has no bound of its own
WARPS = 64         # that a multiprocessor of compute capability 9.0 holds, with so many registers and so much memory:
REGISTERS, SHARED, RESERVED = 65536, 227 * 1024, 1024
MOST_BYTES, LEAST_WARPS = 1.3, WARPS // 2  # what is asked of a kernel
SHOWN = 0.05  # bytes, of those of inputs and results: kernels that touch less are left out of the table


def short(name):
    """`each_kernel: GatherElement` of a demangled name."""
    name = re.sub(r"\(anonymous namespace\)::|^void ", "", name)
    kernel, _, arguments = name.partition("<")
    base = kernel.split("(")[0].split("::")[-1]
    functor = re.match(r"(?:ordo::(?:\w+::)*)?([A-Z]\w*)", arguments)
    return f"{base}: {functor[1]}" if functor else base


def warps(resources):
    """Of WARPS, those for which registers and shared memory suffice."""
    threads = min(resources.threads or BLOCK, 1024)
    of_block = (threads + 31) // 32
    registers = max(1, (resources.registers * 32 + 255) // 256 * 256)
    blocks = min(REGISTERS // (registers * of_block), SHARED // (resources.shared + RESERVED), WARPS // of_block)
    return blocks * of_block


def path_of(row):
    return row["name"].split("/")[1]


def place(row):
    """All of a name but the algorithm."""
    name, _, *rest = row["name"].split("/")
    return name, *rest


def join(counts, library):
    sys.path.insert(0, str(ROOT / "tests/ptx"))
    import cubin
    import fatbin
    from check_ptx import demangled
    resources = {}
    for kind, _, content in fatbin.pieces(library):
        if kind == fatbin.CUBIN:
            resources.update(cubin.resources(content))
    with open(counts, encoding="utf-8") as file:
        rows = json.load(file)["predictions"]
    mangled = {k["kernel"] for row in rows for k in row["kernels"]}
    names = demangled(mangled)
    # Where algorithms have names, the level chooses one of them; else both levels do the same.
    named = {place(row) for row in rows if path_of(row) in ("atomic", "gather", "sorted", "exact")}
    found = []
    for row in rows:
        if path_of(row) == "not_guaranteed" or (path_of(row) == "run_to_run" and place(row) in named):
            continue
        kernels = []
        for k in row["kernels"]:
            if not k.get("launches"):
                continue
            one = {"kernel": short(names.get(k["kernel"], k["kernel"])), **{key: int(k[key]) for key in k if key != "kernel"}}
            if k["kernel"] in resources:
                of = resources[k["kernel"]]
                one |= {"registers": of.registers, "shared": of.shared, "stack": of.stack, "warps": warps(of)}
            kernels.append(one)
        found.append({"name": row["name"], "bytes": row["bytes"], "kernels": kernels})
    json.dump({"rows": found}, sys.stdout, indent=1)
    print()


def read(path):
    with open(path, encoding="utf-8") as file:
        return [row for row in json.load(file)["rows"] if row["bytes"] > 0 and row["kernels"]]


def operation(row):
    name, path, _, dtype, _, shape = row["name"].split("/")
    return name, shape, dtype, path


def touched(row):
    return sum(k.get("sectors", 0) for k in row["kernels"]) * 32 / row["bytes"]


def show(rows):
    lines = []
    for row in rows:
        name, shape, dtype, path = operation(row)
        for k in row["kernels"]:
            numbers = row["bytes"] / 4
            if k.get("sectors", 0) * 32 < SHOWN * row["bytes"]:
                continue
            lines.append([name, shape, dtype, f"`{path}`", k["kernel"], f"{k.get('sectors', 0) * 32 / row['bytes']:.2f}",
                          f"{k.get('warp_instructions', 0) * 32 / numbers:.0f}", f"{k.get('long_division', 0) * 32 / numbers:.1f}",
                          str(k.get("registers", "")), str(k.get("warps", ""))])
    print_table(["operation", "shape", "dtype", "algorithm", "kernel", "bytes", "instructions", "64-bit divisions", "registers", "warps"], lines)


def worst(rows):
    kernels = {(k["kernel"], k.get("registers")): k for row in rows for k in row["kernels"]}
    few = [k for k in kernels.values() if k.get("warps", WARPS) < LEAST_WARPS]
    divide = [k for k in kernels.values() if k.get("long_division")]
    print(f"{sum(touched(row) <= MOST_BYTES for row in rows)} of {len(rows)} operations touch at most {MOST_BYTES} times the bytes of their "
          f"inputs and results. Kernels: {len(kernels)}. Divisions of 64-bit integers: in {len(divide)}. Room for fewer than "
          f"{LEAST_WARPS} warps: in {len(few)}. The ten operations that touch most:\n")
    lines = []
    for row in sorted(rows, key=touched, reverse=True)[:10]:
        name, shape, dtype, path = operation(row)
        most = max(row["kernels"], key=lambda k: k.get("sectors", 0))
        lines.append([name, shape, dtype, f"`{path}`", f"{touched(row):.1f}", str(sum(k["launches"] for k in row["kernels"])), most["kernel"]])
    print_table(["operation", "shape", "dtype", "algorithm", "bytes", "launches", "most by"], lines)


if __name__ == "__main__":
    if sys.argv[1] == "--join":
        join(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "--worst":
        worst(read(sys.argv[2]))
    else:
        show(read(sys.argv[1]))
