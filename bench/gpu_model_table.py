#!/usr/bin/env python3
"""The tables of docs/gpu-model.md, from the predictions of `ordo bench --model --json` and of `ordo_forms --model`.

    gpu_model_table.py PREDICTIONS.json MEASURED.json      MEASURED is a file of `ordo bench --json` of an H200
    gpu_model_table.py --forms FORMS.md     the forms that are chosen and predicted to take 5 % longer than another
    gpu_model_table.py --sort FORMS.md
    gpu_model_table.py --micro MICRO.txt    what ordo_gpu_micro printed
"""
import json
import re
import sys

from tables import print_table

# NVIDIA Warp, documentation of the deterministic mode (1.15): RTX 4090, CUDA 12.4, replay of a graph that also clears the
# result; float additions, milliseconds: writes, words, by atomics.
PUBLISHED = [(65536, 65536, 0.0058), (262144, 65536, 0.0081), (1048576, 65536, 0.020)]
GPUS = ("A100", "H100", "H200", "RTX 4090")
CLEARING = 2.5e-3  # another launch


def table(head, rows):
    print_table(head, rows)
    print()


def beside(ms, prediction):
    return [f"{ms:.4f}", f"{ms / prediction['predicted']['H200']['ms']:.1f}"] if ms else ["", ""]


def show_forms(text):
    rows = []
    for section in text.split("Predicted milliseconds of the forms of ")[1:]:
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.split("\n") if line.startswith("| ")]
        names = lines[0][5:-2]
        for m, n, d, destinations, gpu, *times, chosen, ratio in lines[1:]:
            if float(ratio) < 1.05:
                continue
            ms = {name: time for name, time in zip(names, times) if time}
            best = min(ms, key=lambda name: float(ms[name]))
            rows.append([section.split("`")[1], m, n, d, destinations, gpu, f"`{chosen}` {ms[chosen]}", f"`{best}` {ms[best]}", ratio])
    table(["algorithm", "M", "N", "D", "destinations", "GPU", "chosen, ms", "fastest, ms", "ratio"], rows)


def show_micro(measured):
    """Additions by place and type, without a result and with one; then all else."""
    rest, rates = [], {}
    for what, value in measured:
        match = re.fullmatch(r"additions of (\w+), (no result|result used), (.+)", what)
        if match:
            rates.setdefault(match[3], {}).setdefault(match[1], []).append(value.removesuffix(" G/s"))
        else:
            rest.append((what, value))
    table(["what", "measured"], rest)
    print("Additions, 10^9 a second, without their result / with it:\n")
    types = list(next(iter(rates.values())))
    table(["where", *types], [[place, *(" / ".join(row[kind]) for kind in types)] for place, row in rates.items()])


def main():
    if sys.argv[1] == "--micro":
        with open(sys.argv[2], encoding="utf-8") as file:
            title, _, *lines = file.read().splitlines()
        print(title + ":\n")
        show_micro([(line[:58].strip(), " ".join(line[58:].split())) for line in lines])
        return
    if sys.argv[1].startswith("--"):
        with open(sys.argv[2], encoding="utf-8") as file:
            forms, sort = file.read().split("CUB's", 1)
        if sys.argv[1] == "--forms":
            show_forms(forms)
        else:
            print("CUB's" + sort)
        return
    with open(sys.argv[1], encoding="utf-8") as file:
        predictions = json.load(file)["predictions"]
    with open(sys.argv[2], encoding="utf-8") as file:
        measured = {r["name"].replace("/cuda:0/", "/cuda/"): r["ms"]["median"] for r in json.load(file)["results"] if "ms" in r}
    of = {}
    for p in predictions:
        operation, path, _, _, values, shape = p["name"].split("/")
        of[operation, path, values, tuple(int(n) for n in shape.split(":"))] = p

    print("Predicted milliseconds, and what limits them, of `index_add` with float32, single columns, uniform destinations:\n")
    rows = []
    for (operation, path, values, (m, n, _)), p in of.items():
        if values == "uniform" and path != "run_to_run":
            predicted = [f"{p['predicted'][g]['ms']:.4f} {p['predicted'][g]['bound']}" for g in GPUS]
            rows.append([f"{m:,} into {n:,}", f"`{path}`", f"{p['launches']:.0f}", f"{p['dram_bytes'] / 1e6:.1f}",
                         f"{p['atomic_words']:,.0f}", *predicted, *beside(measured.get(p["name"]), p)])
    table(["items", "algorithm", "launches", "DRAM, MB", "atomics", *GPUS, "H200, measured", "/ predicted"], rows)

    print("By the kind of values (docs/accumulate.md): `exact` with float32, and what it adds in global memory for each value:\n")
    rows = []
    for (operation, path, values, (m, n, _)), p in of.items():
        if path == "exact" and m == 1 << 20:
            predicted = [f"{p['predicted'][g]['ms']:.4f} {p['predicted'][g]['bound']}" for g in GPUS]
            rows.append([f"{m:,} into {n:,}", values.removeprefix("uniform-"), f"{p['atomic_words'] / m:.4f}", *predicted])
    table(["items", "values", "additions", *GPUS], sorted(rows, key=lambda row: -len(row[0])))

    print("Beside published times of the same additions on an RTX 4090, milliseconds:\n")
    rows = []
    for writes, words, published in PUBLISHED:
        p = of["index_add", "atomic", "uniform", (writes, words, 1)]
        predicted = p["predicted"]["RTX 4090"]["ms"] + CLEARING
        rows.append([f"{writes:,} into {words:,}", f"{published:.4f}", f"{predicted:.4f}", f"{predicted / published:.2f}"])
    table(["float additions", "published, by atomics", "predicted, `atomic` and a launch that clears", "ratio"], rows)


if __name__ == "__main__":
    main()
