#!/usr/bin/env python3
"""Which kernels of the emulated library the tests have launched.

    kernels_launched.py LIBRARY RECORD...

Each RECORD is what programs wrote to the file that ORDO_EMULATOR_KERNELS named: a line "MODULE OFFSET" for every kernel,
once per process. Exit status 1 when a kernel of the library was never launched.
"""
import collections
import pathlib
import re
import subprocess
import sys

KERNEL = re.compile(r"\bordo::(?:\w+::|\(anonymous namespace\)::)*(\w+_kernel)(?=<|\()")


def kernels(library):
    """(address, name, instance) of every kernel."""
    listing = subprocess.run(["nm", "-C", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        address, kind, symbol = line.split(" ", 2)
        match = KERNEL.search(symbol)
        # A static variable of a kernel has the kernel in its name, too, but not the kind of code.
        if match and kind in "tTwW" and "emulator::" not in match.group(0):
            yield int(address, 16), match.group(1), symbol


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    library = pathlib.Path(sys.argv[1]).resolve()
    offsets = collections.defaultdict(set)
    for record in sys.argv[2:]:
        for line in pathlib.Path(record).read_text().splitlines():
            module, offset = line.rsplit(" ", 1)
            offsets[pathlib.Path(module).resolve()].add(int(offset, 16))
    # By symbol: where a test program has an instance of its own, the loader lets the library use that one.
    launched = {symbol for module in offsets for address, _, symbol in kernels(module) if address in offsets[module]}
    instances = collections.defaultdict(list)
    for _, name, symbol in kernels(library):
        instances[name].append(symbol in launched)
    if not instances:
        print(f"{library} has no kernels")
        return 1
    never = sorted(name for name, used in instances.items() if not any(used))
    total = sum(len(used) for used in instances.values())
    count = sum(sum(used) for used in instances.values())
    print(f"{len(instances) - len(never)} of {len(instances)} kernels were launched, {count} of their {total} instances.")
    for name in never:
        print(f"never launched: {name}")
    return 1 if never else 0


if __name__ == "__main__":
    sys.exit(main())
