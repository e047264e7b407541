#!/usr/bin/env python3
"""Which kernels of a library the tests have run on the PTX machine.

    kernels_run.py LIBRARY RECORD

RECORD is what programs wrote to the file that ORDO_PTX_KERNELS named: the name of every kernel that ran, once per process.
Exit status 1 when an instance of a kernel never ran.
"""
import collections
import pathlib
import re
import subprocess
import sys

import fatbin

ENTRY = re.compile(r"\.entry\s+(\S+?)\(")
KERNEL = re.compile(r"(\w+)(?=<|\()")
NOT_TO_RUN = {"EmptyKernel": "CUB only asks for its attributes"}
# Instances that no test reaches yet, by parts of their names. The same kernels run with other element types.
NOT_REACHED = {
    "reduce_across_kernel<ordo::kernels::WeightGrad<": "values of a channel of group_norm lie along memory",
    "store_blocks_kernel<ordo::kernels::RowGradSum<": "large groups of group_norm",
    "store_blocks_kernel<ordo::kernels::WeightGrad<": "layer_norm of more than 262,144 rows",
    "kernels::RowItems<ordo::kernels::Factor<": "products of aligned wide rows of some types",
    "kernels::RowItems<ordo::Half, float>": "means of bags of half types, of some widths",
    "kernels::RowItems<ordo::BFloat16, float>": "means of bags of half types, of some widths",
    "kernels::PutAlongElement<unsigned char>": "gradients of one byte",
    "functors::binary_cross_entropy,": "losses of half types are computed in float",
}


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    texts, _ = fatbin.read(sys.argv[1])
    symbols = sorted({name for pieces in texts.values() for text in pieces for name in ENTRY.findall(text)})
    ran = set(pathlib.Path(sys.argv[2]).read_text().split())
    plain = subprocess.run(["c++filt"], input="\n".join(symbols), capture_output=True, text=True, check=True).stdout
    instances = collections.defaultdict(list)
    not_reached = collections.Counter()
    for symbol, text in zip(symbols, plain.split("\n")):
        # The last name before the arguments, of templates or of the function.
        head = text.replace("(anonymous namespace)", "").removeprefix("void ")
        name = KERNEL.search(head.rsplit("::", 1)[-1] if "<" not in head else head.split("<", 1)[0].rsplit("::", 1)[-1] + "<")
        reached = symbol in ran
        excused = next((part for part in NOT_REACHED if part in text), None) if not reached else None
        if excused:
            not_reached[excused] += 1
        else:
            instances[name.group(1) if name else text].append(reached)
    if not instances:
        print(f"{sys.argv[1]} has no kernels")
        return 1
    never = sorted(name for name, used in instances.items() if not all(used) and name not in NOT_TO_RUN)
    total, count = sum(map(len, instances.values())), sum(map(sum, instances.values()))
    run = sum(any(used) for used in instances.values())
    print(f"{run} of {len(instances)} kernels were run, {count} of their {total} instances.")
    for name, used in sorted(instances.items()):
        if name in never:
            print(f"  {len(used) - sum(used)} of {len(used)} instances never: {name}")
    for part, missing in sorted(not_reached.items()):
        print(f"  {missing} instances not reached: {part} ({NOT_REACHED[part]})")
    for name, reason in NOT_TO_RUN.items():
        if name in instances:
            print(f"  not to be run: {name} ({reason})")
    return 1 if never else 0


if __name__ == "__main__":
    sys.exit(main())
