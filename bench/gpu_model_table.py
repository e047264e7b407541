#!/usr/bin/env python3
"""The tables of docs/gpu-model.md, from the predictions of `ordo bench --model --json`.

    gpu_model_table.py PREDICTIONS.json
"""
import json
import sys

# NVIDIA Warp, documentation of the deterministic mode (1.15): RTX 4090, CUDA 12.4, replay of a graph that also clears the
# result; float additions, milliseconds: writes, words, by atomics.
PUBLISHED = [(65536, 65536, 0.0058), (262144, 65536, 0.0081), (1048576, 65536, 0.020)]
GPUS = ("A100", "H100", "H200", "RTX 4090")
CLEARING = 2.5e-3  # another launch


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        predictions = json.load(file)["predictions"]
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
                         f"{p['atomic_words']:,.0f}", *predicted])
    table(["items", "algorithm", "launches", "DRAM, MB", "atomics", *GPUS], rows)

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
