#!/usr/bin/env python3
"""How large the library of a build is, by family, and whether the whole is within tests/budgets/budgets.json.

    sizes.py BUILD [--check] [--budgets FILE]

Of host code the bytes of functions in a family's objects count, each template once for every object that holds it; of
device code the bytes of kernels as they lie in the objects, compressed where nvcc compresses, by architecture.
Exit status: 1 with --check when a budget is exceeded, 2 when BUILD has no library.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import budgets

sys.path.insert(0, str(budgets.ROOT / "tests/ptx"))
import fatbin  # noqa: E402


def sections(path):
    """{name: bytes} of an ELF file."""
    total = {}
    with open(path, "rb") as file:
        for name, content in fatbin.elf_sections(file.read()):
            total[name] = total.get(name, 0) + len(content)
    return total


def functions(objects):
    """{object: (functions, bytes)}, from nm."""
    text = subprocess.run(["nm", "-A", "-S", "--size-sort", *map(str, objects)], capture_output=True, text=True,
                          check=True).stdout
    found = {}
    for line in text.splitlines():
        path, _, symbol = line.partition(":")
        fields = symbol.split()
        if len(fields) >= 4 and fields[2] in "tTwW":
            count, size = found.get(path, (0, 0))
            found[path] = (count + 1, size + int(fields[1], 16))
    return found


def by_family(build):
    """{family: [functions, bytes of functions, kernels, bytes of device code]}."""
    objects = dict(budgets.library_objects(build))
    found = functions(objects)
    families = {}
    for path, source in objects.items():
        row = families.setdefault(budgets.family_of(source), [0, 0, 0, 0])
        for i, number in enumerate(found.get(str(path), (0, 0))):
            row[i] += number
        if source.endswith(".cu"):
            row[3] += sections(path).get(".nv_fatbin", 0)
            kernels = fatbin.read(path)[1]
            row[2] += max((len(names) for names in kernels.values()), default=0)
    return families


def library_row(library):
    """Bytes as linked and as stripped, bytes of device code, and the architectures in it."""
    parts = sections(library)
    size = library.stat().st_size
    symbols = parts.get(".symtab", 0) + parts.get(".strtab", 0)
    return size, size - symbols, parts.get(".nv_fatbin", 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--budgets", type=pathlib.Path, default=budgets.HERE / "budgets.json")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    library = build / "libordo.so"
    if not library.is_file():
        print(f"sizes: {build} has no libordo.so", file=sys.stderr)
        return 2
    limits = budgets.load(arguments.budgets)["sizes"]
    verdict = budgets.Verdict()

    families = by_family(build)
    print(f"{'family':<24} {'functions':>9} {'kB':>8}  {'kernels':>7} {'kB':>8}")
    for family, (count, size, kernels, device) in sorted(families.items(), key=lambda f: -f[1][1] - f[1][3]):
        print(f"{family:<24} {count:>9,} {size / 1000:>8,.0f}  {kernels:>7,} {device / 1000:>8,.0f}")
    architectures = sorted(fatbin.read(library)[1])

    size, stripped, device = library_row(library)
    print(f"\nlibordo.so: {size / 1e6:.1f} MB, stripped {stripped / 1e6:.1f} MB, of that device code "
          f"{device / 1e6:.1f} MB" + (f" for sm_{', sm_'.join(map(str, architectures))}" if architectures else ""))
    if not architectures:
        verdict.check("libordo.so, stripped", stripped / 1e6, limits["host_MB"], budgets.MEGABYTES)
    else:
        most = limits["cuda_host_MB"] + limits["cuda_MB_per_architecture"] * len(architectures)
        verdict.check(f"libordo.so with device code for {len(architectures)} GPUs", size / 1e6, most, budgets.MEGABYTES)
    if not arguments.check:
        return 0
    if not budgets.judged(build):
        print("not checked: the budgets are for optimised builds")
        return 0
    return verdict.status("Make it smaller, or raise the budget in tests/budgets/budgets.json and say why.")


if __name__ == "__main__":
    sys.exit(main())
