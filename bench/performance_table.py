#!/usr/bin/env python3
"""Tables in Markdown of what result files of `ordo bench` say.

usage: performance_table.py machine|operations|products|training|summary|accumulate FILE...

A file that is not there leaves its cells empty.
"""
import json
import os
import sys

from tables import mean, print_table, span

FAST, DETERMINISTIC = ("atomic", "not_guaranteed"), ("run_to_run",)
EXACT, PEER = ("exact", "device_to_device"), ("pytorch",)
PEER_DETERMINISTIC = ("pytorch_deterministic",)
PEER_WITHOUT_BFLOAT16 = ("pytorch_without_bfloat16",)


def stem(name):
    return os.path.splitext(os.path.basename(name))[0]


def number(value):
    """With two digits, or whole."""
    return f"{value:.2g}" if value < 10 else f"{float(f'{value:.3g}'):.0f}" if value < 1e5 else f"{value:.1e}"


def rows_of(data):
    """By operation, then by row: {path: result}."""
    operations = {}
    for result in data["results"] if data else []:
        row = operations.setdefault(result["op"], {}).setdefault(json.dumps(result["row"]), {})
        row[result["path"]] = result
    return operations


def of(row, paths):
    return next((row[p] for p in paths if p in row and "ms" in row[p]), None)


def ratios(rows, above, below):
    pairs = ((of(row, above), of(row, below)) for row in rows.values())
    return [a["ms"]["median"] / b["ms"]["median"] for a, b in pairs if a and b]


def patterns(rows, paths):
    found = [r["patterns"] for r in (of(row, paths) for row in rows.values()) if r]
    if not found:
        return ""
    several = sum(p["distinct"] > 1 for p in found)
    return f"{several} of {len(found)}" if several else "none"


def worst(rows, paths):
    found = [r["max_ulp"] for r in (of(row, paths) for row in rows.values()) if r and "max_ulp" in r]
    return number(max(found)) if found else ""


def print_caption(name, data):
    print(f"\n{', '.join(data['bandwidth'])}, {data['machine']['processor']}, {data['threads']} threads\n" if data else
          f"\n{stem(name)}: not measured yet\n")


def machine(files):
    """What was measured on."""
    lines = []
    for name, data in files:
        if not data:
            continue
        m = data["machine"]
        for device, bandwidth in data["bandwidth"].items():
            known = next((d["name"] for d in m["devices"] if d["device"].startswith(device)), "")
            lines.append([f"`{name}`", f"{device}: {known}", f"{data['threads']} of {m['cores']}", f"{data['load']:.1f}",
                          f"{bandwidth / 1e9:.1f} GB/s", f"Ordo {data['ordo']} ({data['commit']})",
                          data["peers"].get(device, "none"), data["time"][:10]])
    print_table(["file", "device", "threads", "load before", "copy bandwidth", "Ordo", "peer", "date"], lines)


def operations(files):
    """Price, bits, errors, and the peer, for every operation."""
    for name, data in files:
        print_caption(name, data)
        lines = []
        for op, rows in rows_of(data).items():
            throws = [row for row in rows.values() if of(row, PEER) and "error" in row.get("pytorch_deterministic", {})]
            lines.append([op, str(len(rows)), span(ratios(rows, DETERMINISTIC, FAST)), patterns(rows, FAST),
                          patterns(rows, DETERMINISTIC), worst(rows, FAST), worst(rows, DETERMINISTIC), worst(rows, EXACT),
                          span(ratios(rows, PEER, DETERMINISTIC)),
                          f"throws in {len(throws)}" if throws else span(ratios(rows, PEER_DETERMINISTIC, DETERMINISTIC))])
        print_table(["operation", "benchmarks", "deterministic / fast", "several results, fast", "deterministic", "ulps, fast",
                     "deterministic", "exact", "PyTorch / deterministic", "its deterministic mode"], lines or [[""] * 10])


def products(files):
    """Milliseconds of every matrix product and convolution, and the peer's ratios."""
    for name, data in files:
        print_caption(name, data)
        lines, groups = [], {}
        for op, rows in rows_of(data).items():
            for row in rows.values():
                one = next(iter(row.values()))
                times = [of(row, paths) for paths in (DETERMINISTIC, EXACT, PEER, PEER_WITHOUT_BFLOAT16)]
                if one["family"] not in ("matmul", "convolution") or not all(times[:2]):
                    continue
                ours = times[1]["ms"]["median"]
                compared = [t["ms"]["median"] / ours if t else None for t in times[2:]]
                lines.append([op, one["shape"], one["dtype"]] + [number(t["ms"]["median"]) if t else "" for t in times]
                             + [f"{c:.2f}" if c else "" for c in compared])
                groups.setdefault((one["family"], one["dtype"]), []).append(compared)
        for (family, dtype), compared in groups.items():
            means = [span([c[k] for c in compared if c[k]]) for k in range(2)]
            lines.append([f"all of {family}", "", dtype, "", "", "", ""] + means)
        print_table(["operation", "shape", "dtype", "run_to_run, ms", "device_to_device", "PyTorch",
                     "without bfloat16 instructions", "PyTorch / device_to_device", "without"], lines or [[""] * 9])


def training(files):
    """Milliseconds of a training step."""
    lines = []
    for name, data in files:
        found = [(op, row) for op, rows in rows_of(data).items() if op.startswith("train-") for row in rows.values()]
        for op, row in found or [("", {})]:
            any_result = next(iter(row.values()), None)
            times = [of(row, paths) for paths in (FAST, DETERMINISTIC, EXACT, PEER, PEER_DETERMINISTIC)]
            lines.append([on(data) if data else stem(name), op.replace("train-", ""),
                          any_result["shape"] if any_result else ""] + [number(t["ms"]["median"]) if t else "" for t in times])
    print_table(["device", "model", "batch", "fast, ms", "deterministic", "device_to_device", "PyTorch", "its deterministic mode"],
                lines)


def on(data):
    """The processor, or the GPU, of one device's file."""
    if "cuda" in data["bandwidth"]:
        return ", ".join(d["name"] for d in data["machine"]["devices"] if d["device"] != "cpu")
    return f"{data['machine']['processor']}, {data['threads']} threads"


def summary(files):
    """A row for each device: geometric means, and how many rows gave several results in their repeats."""
    kinds = (("sums into shared places", ("index_add", "scatter_add", "bincount", "embedding", "pooling")),
             ("reductions, products, convolutions", ("reduction", "matmul", "convolution")),
             ("training steps", ("training",)))
    lines = []
    for name, data in files:
        without = f" (version {data['ordo']}, no control)" if data and "control" not in data else ""
        line, everything = [on(data) + without if data else f"{stem(name)}: not measured yet"], {}
        for _, families in kinds:
            rows = {key: row for rows in rows_of(data).values() for key, row in rows.items()
                    if next(iter(row.values()))["family"] in families}
            everything.update(rows)
            for values in ratios(rows, DETERMINISTIC, FAST), ratios(rows, PEER, DETERMINISTIC):
                line.append(f"{mean(values):.2f}" if values else "")
        lines.append([*line, patterns(everything, FAST), patterns(everything, DETERMINISTIC)])
    heads = [head for kind, _ in kinds for head in (f"{kind}: on / off", "PyTorch / on")]
    print_table(["", *heads, "several results, off", "on"], lines)


def accumulate(files):
    """Milliseconds of index_add by every algorithm, float32."""
    paths = ("atomic", "sorted", "exact", "pytorch", "pytorch_deterministic")
    lines = []
    for _, data in files:
        for row in rows_of(data).get("index_add", {}).values():
            first = next(iter(row.values()))
            if first["dtype"] == "float32" and first["distribution"] in ("uniform", "one") and "values" not in first["row"]:
                lines.append([on(data), f"({first['shape'].replace(':', ', ')})", first["distribution"],
                              *(number(of(row, (p,))["ms"]["median"]) if of(row, (p,)) else "" for p in paths)])
    lines.sort(key=lambda line: (line[0], line[2] == "one", line[1]))
    head = ["device", "(M, N, D)", "destinations", "`atomic`", "`sorted`", "`exact`", "PyTorch", "PyTorch deterministic"]
    if len({line[0] for line in lines}) == 1:
        print(f"{lines[0][0]}:\n")
        head, lines = head[1:], [line[1:] for line in lines]
    print_table(head, lines)


def control(files):
    lines = []
    for name, data in files:
        measured = data.get("control") if data else None
        lines.append([f"`{os.path.basename(name)}`", *((f"{measured['ratio']:.2f}", str(measured["rows"])) if measured else ("", ""))])
    print_table(["file", "rows of equal code: on / off", "rows"], lines)


def main():
    tables = {f.__name__: f for f in (machine, operations, products, training, summary, accumulate, control)}
    if len(sys.argv) < 3 or sys.argv[1] not in tables:
        sys.exit(__doc__.strip())
    files = []
    for name in sys.argv[2:]:
        data = None
        if os.path.exists(name):
            with open(name) as file:
                data = json.load(file)
            own = data.get("control", {})
            if own.get("biased"):
                sys.exit(f"{name}: its control is {own['ratio']:.3f} instead of 1: measure again (docs/performance.md)")
        files.append((name, data))
    tables[sys.argv[1]](files)


main()
