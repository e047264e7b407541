#!/usr/bin/env python3
"""Result files of `ordo bench --json`, or logs of training runs, as one HTML page that needs nothing else.

usage: report.py FILE... -o report.html [--export csv,svg,pdf,tex] [--slides]         (`ordo report` calls it)
"""
import argparse
import csv
import json
import math
import os
import re
import statistics

import charts
import run_page
from charts import SERIES
from page import escape, fail, figure, section, tiles, whole, write
from results import read_results

FAMILIES = {"index_add": "index_add", "scatter_add": "scatter_add", "bincount": "Weighted bincount",
            "embedding": "Embedding tables, backward", "pooling": "Pooling, backward", "reduction": "Reductions",
            "matmul": "Matrix products", "convolution": "Convolution", "training": "Whole training steps",
            "unary": "Elementwise, one operand", "binary": "Elementwise, two operands", "call": "All other operations"}
DEAREST = 15  # operations that the price chart draws
PATHS = {path: name for name, (paths, *_) in SERIES.items() for path in paths}


def mean(values):
    """Geometric."""
    return math.exp(statistics.fmean(math.log(v) for v in values))


def span(values):
    return mean(values), min(values), max(values)


def interval(ms):
    """Where the true median lies, with a probability of about 95 %: between the least and the most of up to six repeats (Gibbons and Chakraborti, "Nonparametric
    Statistical Inference", 5.2), of more as if they were normal, whose median has the deviation 1.2533 sigma / sqrt(n). A file without these numbers has none."""
    if not all(key in ms for key in ("repeats", "least", "most")):
        return ms["median"], ms["median"]
    half = math.inf if ms["repeats"] <= 6 else 1.96 * 1.2533 * (ms["high"] - ms["low"]) / 1.349 / math.sqrt(ms["repeats"])
    return max(ms["median"] - half, ms["least"]), min(ms["median"] + half, ms["most"])


def short(number):
    for unit, size in (("Mi", 1 << 20), ("Ki", 1 << 10)):
        if number >= size and number % size == 0:
            return f"{number // size}{unit}"
    return str(number)


class Line:
    """All that was measured on one operation, shape, dtype and distribution."""

    def __init__(self, entry):
        self.family, self.op, self.dtype, self.distribution = (
            entry[key] for key in ("family", "op", "dtype", "distribution"))
        numbers = {key: value for key, value in entry["row"].items() if isinstance(value, int)}
        self.shape = ":".join(short(v) for v in numbers.values())
        self.letters = ":".join(numbers)
        self.key = tuple(entry[key] for key in ("op", "dtype", "distribution", "shape"))
        self.values = entry["row"].get("values", "uniform")
        self.entries = {}

    def ms(self, series):
        entry = self.entries.get(series)
        return entry["ms"]["median"] if entry and "ms" in entry else None

    def ratio(self, above, below):
        a, b = self.ms(above), self.ms(below)
        return a / b if a and b else None


def lines_of(results):
    lines = {}
    for entry in results:
        if entry["path"] in PATHS:
            key = tuple(entry[k] for k in ("op", "dtype", "distribution", "shape"))
            lines.setdefault(key, Line(entry)).entries[PATHS[entry["path"]]] = entry
    return list(lines.values())


def by(lines, key):
    groups = {}
    for line in lines:
        groups.setdefault(key(line), []).append(line)
    return groups


def ratios(lines, above, below):
    return [r for r in (line.ratio(above, below) for line in lines) if r]


# -- parts of the page ---------------------------------------------------------------------------------------------------

def legend(names):
    marks = (f'<span class="key">{charts.series_mark(n)}{escape(SERIES[n][1])}</span>' for n in names)
    return f'<p class="legend">{"".join(marks)}</p>'


def summary(lines):
    """What the whole page says, in four numbers."""
    accumulating = [l for l in lines if "exact" in l.entries or l.family == "pooling"]
    training = [l for l in lines if l.family == "training"]
    cells = []
    for text, some in (("price of determinism where sums meet in shared places", accumulating),
                       ("price of determinism in a whole training step", training)):
        prices = ratios(some, "deterministic", "fast")
        if prices:
            cells.append((f"{mean(prices):.2f}×", f"{text}: {len(prices)} benchmarks, {min(prices):.2f}× to {max(prices):.2f}×"))

    def several(series):
        entries = [l.entries[series] for l in accumulating if "patterns" in l.entries.get(series, {})]
        return sum(e["patterns"]["distinct"] > 1 for e in entries), len(entries)
    for series, text in (("fast", "benchmarks of such sums gave more than one result: fast"),
                         ("deterministic", "gave more than one result: deterministic")):
        count, all_of_them = several(series)
        if all_of_them:
            cells.append((f'{count}<small> of {all_of_them}</small>', text))
    against = ratios(lines, "peer", "deterministic")
    if against:
        cells.append((f"{mean(against):.1f}×", "as long takes PyTorch's default, against deterministic Ordo "
                                               f"({len(against)} benchmarks)"))
    return tiles(cells)


def price_section(lines):
    prices = []
    for op, some in by(lines, lambda l: l.op).items():
        values = ratios(some, "deterministic", "fast")
        if values:
            prices.append((op, *span(values)))
    if not prices:
        return ""
    prices.sort(key=lambda p: -p[1])
    near, dearer = sum(abs(p[1] - 1) <= 0.05 for p in prices), sum(p[1] > 1.05 for p in prices)
    shown = prices[:DEAREST]
    drawing = charts.price_chart(shown, "Price of determinism by operation")
    return section("The price of determinism", "Time at <code>run_to_run</code> divided by the time of the fast path: "
                   "geometric mean over shapes, dtypes and distributions; the line goes from the least to the greatest. "
                   f"Of {len(prices)} operations {near} are within 5 %, {dearer} dearer and {len(prices) - near - dearer} cheaper"
                   + (f"; the {len(shown)} dearest are drawn, and all are in the table at the end." if len(shown) < len(prices) else "."),
                   figure(drawing, "Above 1 the deterministic path takes longer; below 1, in green, it is the faster one."))


def values_section(lines):
    """Of the operations and shapes that were measured with several kinds of values."""
    several = {(l.op, l.dtype, l.shape) for l in lines if l.values != "uniform"}
    some = [l for l in lines if (l.op, l.dtype, l.shape) in several and l.distribution.split("-")[0] == "uniform"]
    prices = [(kind, *span(ratios(of_kind, "deterministic", "fast"))) for kind, of_kind in by(some, lambda l: l.values).items()
              if ratios(of_kind, "deterministic", "fast")]
    if not prices:
        return ""
    prices.sort(key=lambda p: -p[1])
    return section("The price by the kind of values", "Sums of single columns are the true ones, rounded once, and how long "
                   "that takes depends on the values: <code>exp3</code> and <code>exp8</code> are e to the power of 3 or 8 "
                   "normal ones, <code>gradients</code> as large as those of a training, <code>zeros</code> half zeros, "
                   "<code>signs</code> each followed by its opposite, and <code>boundaries</code> made so that most sums end a "
                   "hair beside the middle of two floats.",
                   figure(charts.price_chart(prices, "Price of determinism by the kind of values"),
                          "Geometric means over the operations and shapes that were measured with all of them; the lines go "
                          "from the least to the greatest."))


def peer_section(lines):
    rows = []
    for op, some in by(lines, lambda l: l.op).items():
        spans = {s: span(ratios(some, "peer", s)) for s in ("fast", "deterministic") if ratios(some, "peer", s)}
        if len(spans) == 2:
            rows.append((op, spans))
    if not rows:
        return ""
    rows.sort(key=lambda r: -r[1]["deterministic"][0])
    drawing = charts.peers_chart(rows, "PyTorch's time divided by Ordo's, by operation")
    return section("Beside PyTorch", "PyTorch's time in its default mode divided by Ordo's: same shapes, dtypes, index types "
                   "and threads, measured in turn in one run, TF32 off. Above 1, Ordo is the faster.",
                   legend(["fast", "deterministic"]) +
                   figure(drawing, "Geometric means; the lines go from the least to the greatest ratio."))


def machines_section(parts):
    """parts: [(title, lines)]. What every family costs on each machine, in one chart."""
    figures = []
    for above, below, caption in (("deterministic", "fast", "Time at <code>run_to_run</code> divided by that of the fast path"),
                                  ("peer", "deterministic", "PyTorch's time divided by Ordo's at <code>run_to_run</code>")):
        rows = []
        for family in dict.fromkeys(l.family for _, lines in parts for l in lines):
            of_family = [{l.key: l.ratio(above, below) for l in lines if l.family == family and l.ratio(above, below)} for _, lines in parts]
            # Of what was measured on all of them that have the family.
            common = set.intersection(*(set(some) for some in of_family if some)) if any(of_family) else set()
            if common:
                rows.append((FAMILIES.get(family, family), [mean([some[key] for key in common]) if some else None for some in of_family]))
        if rows:
            label = caption.replace("<code>", "").replace("</code>", "")
            figures.append(figure(charts.machines_chart(rows, len(parts), label + ", by family"), caption + "."))
    keys = "".join(f'<span class="key">{charts.machine_mark(i)}{title}</span>' for i, (title, _) in enumerate(parts))
    legend_of_them = f'<p class="legend">{keys}</p>' if len(parts) > 1 else ""
    return section("By family", "Geometric means over the benchmarks of each family" + (" that all machines with that family ran; a family without such has no row." if len(parts) > 1 else "."), f'{legend_of_them}<div class="figures">{"".join(figures)}</div>') if figures else ""


def family_sections(lines):
    parts = []
    for family, some in by(lines, lambda l: l.family).items():
        several_ops = len({l.op for l in some}) > 1
        times = [t for l in some for e in l.entries.values() if "ms" in e for t in interval(e["ms"])]
        if not times:
            continue
        limits = min(times) / 1.25, max(times) * 1.25
        figures, series = [], [s for s in SERIES if any("ms" in l.entries.get(s, {}) for l in some)]
        for dtype, of_dtype in by(some, lambda l: l.dtype).items():
            scattered = any(l.distribution != "rand" for l in of_dtype)

            def heading(l):
                if scattered:
                    return f"{l.op}   {l.shape}" if several_ops else l.shape
                return l.op
            groups = [(name, [(l.distribution if scattered else l.shape,
                               {s: (l.ms(s), *interval(l.entries[s]["ms"])) for s in SERIES if "ms" in l.entries.get(s, {})}) for l in group])
                      for name, group in by(of_dtype, heading).items()]
            drawing = charts.times_chart(groups, limits, f"{FAMILIES.get(family, family)}, {dtype}")
            figures.append(figure(drawing, f"<b>{escape(dtype)}</b>. Shapes: " +
                                  ", ".join(sorted({escape(l.letters) for l in of_dtype}))))
        errors = {}
        for l in some:
            for s, e in l.entries.items():
                if "error" in e:
                    errors.setdefault((e["error"], l.dtype), ({}, {}))
                    for kept, word in zip(errors[e["error"], l.dtype], (SERIES[s][1], l.op)):
                        kept[word] = None
        notes = "".join(f'<p class="note">{" and ".join(who)}: “{escape(text)}” ({escape(", ".join(ops))}, {escape(dtype)})</p>'
                        for (text, dtype), (who, ops) in errors.items())
        parts.append(f'<section class="{"wide" if len(figures) > 1 else ""}"><h3>{escape(FAMILIES.get(family, family))}</h3>{legend(series)}'
                     f'<div class="figures">{"".join(figures)}</div>{notes}</section>')
    return ('<section><h2>Times</h2><p class="intro">Median of the repeats, on a logarithmic axis; a thin line '
            'through a mark is an interval of about 95 % for the median, the band between fast and deterministic the price.</p></section>'
            + f'<div class="columns">{"".join(parts)}</div>')


def spread_section(lines):
    spreads = {}
    for series in SERIES:
        values = [100 * max(e["ms"]["high"] - e["ms"]["low"], 1e-4 * e["ms"]["median"]) / e["ms"]["median"]
                  for e in (l.entries.get(series, {}) for l in lines) if "ms" in e]
        if values:
            spreads[series] = values
    drawing = charts.spread_chart(spreads, "Spread of repeats")
    return section("Spread of the repeats", "How far apart the middle half of a benchmark's repeats lies, in per cent of their "
                   "median. One point for each benchmark; the bar is the median.",
                   figure(drawing, "What differs by less than this is noise; <code>ordo bench --compare</code> goes by it."))


def table(head, rows, classes=""):
    cells = "".join(f"<th>{h}</th>" for h in head)
    body = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table class="{classes}"><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>'


def ulps(value):
    if value is None or value < 10:
        return "" if value is None else f"{value:.2g}"
    return f"{float(f'{value:.2g}'):.0f}" if value < 1e5 else f"{value:.1e}".replace("e+0", "e")


def bits_section(lines):
    columns = (("fast",), ("deterministic",), ("exact", "everywhere"), ("peer",), ("peer_deterministic",))
    columns = [names for names in columns if any(s in l.entries for l in lines for s in names)]

    def cells(some, names):
        entries = [l.entries[s] for l in some for s in names if s in l.entries]
        found = [e["patterns"] for e in entries if "patterns" in e]
        if not found:
            return ["throws" if entries else "", ""]
        most = max(found, key=lambda p: (p["distinct"], -p["repeats"]))
        text = f'{escape(most["distinct"])}<small>/{escape(most["repeats"])}</small>'
        errors = [e["max_ulp"] for e in entries if "max_ulp" in e]
        return [f'<b class="one">{text}</b>' if most["distinct"] == 1 else text, ulps(max(errors) if errors else None)]
    rows = [[escape(op), escape(dtype)] + [cell for names in columns for cell in cells(some, names)]
            for (op, dtype), some in by(lines, lambda l: (l.op, l.dtype)).items()]
    titles = [" or<br>".join(SERIES[s][1] for s in names).replace(", ", ",<br>") for names in columns]
    head = ["operation", "dtype"] + [cell for title in titles for cell in (title, "ulps")]
    return section("Bits", "How many different results the repeats of a benchmark gave, of how many, and the largest error "
                   "against float64 in units in the last place of the result; the worst of all shapes and distributions. "
                   "The same result every time is set off.", table(head, rows, "bits"))


def all_section(lines, copy):
    rows = []
    for line in lines:
        for series, e in line.entries.items():
            head = [escape(line.op), escape(line.shape), escape(line.dtype), escape(line.distribution), escape(SERIES[series][1])]
            if "error" in e:
                rows.append(head + ["throws"] + [""] * 5)
                continue
            share = e.get("bytes_per_second", 0) / copy if copy else 0
            rows.append(head + [f'{e["ms"]["median"]:.4g}', f'{e["ms"]["low"]:.4g} – {e["ms"]["high"]:.4g}', "{:.4g} – {:.4g}".format(*interval(e["ms"])),
                                escape(f'{e["patterns"]["distinct"]}/{e["patterns"]["repeats"]}'), ulps(e.get("max_ulp")),
                                f"{share:.0%}" if share else ""])
    head = ["operation", "shape", "dtype", "values", "", "ms", "middle half", "95 % interval", "patterns", "ulps", "of copy bandwidth"]
    return f'<details><summary>All {len(rows)} measurements</summary>{table(head, rows)}</details>'


def about_section(data, device):
    machine = data.get("machine", {})
    name = next((d["name"] for d in machine.get("devices", []) if d["device"].startswith(device)), "")
    facts = [("device", f"{device}: {name}" if name else device), ("processor", machine.get("processor")),
             ("cores", machine.get("cores")), ("memory", machine.get("memory")), ("system", machine.get("system")),
             ("threads", data.get("threads")), ("load at the start", data.get("load")),
             ("copy bandwidth", f'{data.get("bandwidth", {}).get(device, 0) / 1e9:.1f} GB/s'),
             ("Ordo", f'{data.get("ordo")}, commit {data.get("commit") or "unknown"}'),
             ("control", data.get("control", {}).get("text", "not measured")),
             ("peer", data.get("peers", {}).get(device, "none")),
             ("libraries", ", ".join(f"{k} {v}" for k, v in data.get("libraries", {}).items())),
             ("measured", data.get("time"))]
    rows = "".join(f"<dt>{k}</dt><dd>{escape(v)}</dd>" for k, v in facts if v not in (None, ""))
    notes = "".join(f'<p class="note">{escape(n)}</p>' for n in data.get("notes", []))
    return section("Machine and command", "Bytes per second count what an operation must read and write at least, and are "
                   "compared with a copy of 256 MiB measured in the same run.",
                   f"<dl>{rows}</dl><p>To measure it again:</p><pre>{escape(data.get('command'))}</pre>{notes}")


def title_of(data, device):
    devices = data.get("machine", {}).get("devices", [])
    name = next((d["name"] for d in devices if d["device"].startswith(device)), "") or device
    return (f'{"CPU" if device == "cpu" else "GPU"} · {escape(name)} · {escape(data.get("threads"))} threads · '
            f'{escape(data.get("time", ""))[:10]}')


def part(data, device, lines, name):
    biased = data.get("control", {}).get("biased")
    warning = (f'<p class="note"><b>Measure again before you publish this.</b> {escape(data["control"].get("text", ""))}</p>'
               if biased else "")
    load, threads = data.get("load"), data.get("threads")
    if isinstance(load, (int, float)) and isinstance(threads, int) and load > threads / 2:
        warning += f'<p class="note"><b>The machine was busy.</b> Its load at the start was {load:.1f}: other programs ran beside this one.</p>'
    return (f'<header id="{name}"><p class="kicker">{title_of(data, device)}</p></header>' + warning + summary(lines) + '<div class="columns">' +
            price_section(lines) + values_section(lines) + peer_section(lines) +
            "</div>" + family_sections(lines) + bits_section(lines) + spread_section(lines) +
            all_section(lines, data.get("bandwidth", {}).get(device)) + about_section(data, device))


def page(files, slides):
    groups = [(data, device, lines_of(results)) for data in files for device, results in by_device(data["results"]).items()]
    titles = [title_of(data, device) for data, device, _ in groups]
    parts = [part(data, device, lines, f"part{i}") for i, (data, device, lines) in enumerate(groups)]
    links = [f'<a href="#part{i}">{title}</a>' for i, title in enumerate(titles)]
    families = machines_section([(title, lines) for title, (_, _, lines) in zip(titles, groups)])
    nav = f'<nav>{"".join(links)}</nav>{families}<hr>' if len(links) > 1 else ""
    if len(parts) == 1:
        parts = [parts[0].replace('<div class="columns">', f'{families}<div class="columns">', 1)]
    lead = ('<p class="lead">Parallel programs add floating-point numbers in whatever order their threads arrive, and rounding '
            'makes that order show. Ordo also adds in an order of its own. This page measures both: time, and bits.</p>')
    content = nav + "<hr>".join(parts)
    if slides:
        return whole("Ordo: what determinism costs", "What determinism costs", "".join(slides_of(content)), SLIDES)
    return whole("Ordo: what determinism costs", "What determinism costs", lead + content)


# -- for papers and slides ---------------------------------------------------------------------------------------------

SLIDES = """
@page { size: 13.333in 7.5in; margin: 0; }
html { scroll-snap-type: y proximity; }
main { max-width: none; padding: 0; } main > h1 { padding: 1vw 4vw; margin: 0; font-size: 1.3vw; letter-spacing: 0; }
.slide { width: 100%; aspect-ratio: 16 / 9; overflow: hidden; padding: 3vw 4vw; display: flex; flex-direction: column; gap: 1vw; scroll-snap-align: start; border-top: 1px solid var(--line); }
.slide h2 { margin: 0; font-size: 3vw; } .slide .kicker, .slide .legend { margin: 0; font-size: 1.3vw; }
.slide figure { max-width: none; flex: 1; min-height: 0; display: flex; flex-direction: column; background: none; padding: 0; }
.slide svg[role] { flex: 1; min-height: 0; } .slide .key svg { flex: none; } .slide figcaption, .slide .tiles span { font-size: 1.3vw; } .slide .tiles b { font-size: 4vw; }
@media print { .slide { break-after: page; border: 0; height: 7.5in; } main > h1 { display: none; } }
"""
TALLEST = 1.3  # times its width: what is higher cannot be read on a slide


def slides_of(content):
    """A slide for each chart that fits, and for the numbers at the head of each machine; at the end, what did not fit."""
    kicker = heading = legend_of_it = ""
    left_out = []
    for found in re.finditer(r'<p class="kicker">(?P<kicker>.*?)</p>|<p class="note">(?P<warning><b>.*?)</p>|<h[23]>(?P<heading>.*?)</h[23]>|<p class="legend">(?P<legend>.*?)</p>(?=<)'
                             r'|<div class="tiles">(?P<tiles>.*?)</div></div>|<figure>(?P<figure>.*?)</figure>', content, re.S):
        kind = found.lastgroup
        if kind == "kicker":
            kicker = found["kicker"]
        elif kind == "warning":
            kicker += "<br>" + found["warning"]
        elif kind == "heading":
            heading, legend_of_it = found["heading"], ""
        elif kind == "legend":
            legend_of_it = found[0]
        elif kind == "tiles":
            yield f'<section class="slide"><p class="kicker">{kicker}</p><h2>What determinism costs</h2>{found[0]}</section>'
        else:
            _, _, wide, high = map(float, re.search(r'viewBox="([^"]*)"', found["figure"])[1].split())
            if high <= TALLEST * wide:
                yield f'<section class="slide"><p class="kicker">{kicker}</p><h2>{heading}</h2>{legend_of_it}{found[0]}</section>'
            else:
                left_out.append(heading + ": " + re.search(r'aria-label="([^"]*)"', found["figure"])[1])
    if left_out:
        yield '<section class="slide"><h2>Too tall for a slide</h2><ul>' + "".join(f"<li>{text}</li>" for text in left_out) + "</ul></section>"


def export_csv(files, base):
    with open(base + ".csv", "w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        table.writerow(["processor", "threads", "device", "operation", "shape", "dtype", "values", "path", "ms_low", "ms_median", "ms_high", "ms_95_low", "ms_95_high", "patterns", "repeats"])
        for data in files:
            for r in data["results"]:
                if "ms" in r:
                    patterns = r.get("patterns", {})
                    table.writerow([data.get("machine", {}).get("processor"), data.get("threads"), *(r[key] for key in ("device", "op", "shape", "dtype", "distribution", "path")),
                                    *(r["ms"][key] for key in ("low", "median", "high")), *interval(r["ms"]), patterns.get("distinct"), patterns.get("repeats")])


def tex(text):
    return re.sub(r"[&%$#_{}~^\\]", lambda found: {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}.get(found[0], "\\" + found[0]), str(text))


def export_tex(files, base):
    """A table of families: the price of determinism, and PyTorch's time beside it."""
    lines = [r"\begin{tabular}{lrrr}", r"family & benchmarks & deterministic / fast & PyTorch / deterministic \\", r"\hline"]
    for data in files:
        for device, results in by_device(data["results"]).items():
            lines.append(rf"\multicolumn{{4}}{{l}}{{{tex(data.get('machine', {}).get('processor') or device)}, {tex(data.get('threads'))} threads, {tex(device)}}} \\")
            for family, some in by(lines_of(results), lambda l: l.family).items():
                cells = [f"{mean(values):.2f}" if values else "" for values in (ratios(some, "deterministic", "fast"), ratios(some, "peer", "deterministic"))]
                lines.append(rf"{tex(FAMILIES.get(family, family))} & {len(some)} & {cells[0]} & {cells[1]} \\")
    with open(base + ".tex", "w", encoding="utf-8") as out:
        out.write("\n".join([*lines, r"\end{tabular}"]) + "\n")


def export_charts(kinds, base):
    """Each chart that is drawn from now on, as a file of each kind."""
    numbers = {}

    def save(figure, label):
        if figure.get_figwidth() < 1:
            return  # a mark of a legend
        slug = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:60]
        numbers[slug] = numbers.get(slug, 0) + 1
        for kind in kinds:
            figure.savefig(f"{base}-{slug}{'' if numbers[slug] == 1 else '-' + str(numbers[slug])}.{kind}", format=kind)
    charts.export = save


def by_device(results):
    groups = {}
    for entry in results:
        groups.setdefault(entry["device"], []).append(entry)
    return groups


def first_line(name):
    """Of a file of JSON lines; None where it is something else."""
    try:
        with open(name, encoding="utf-8") as file:
            return json.loads(file.readline())
    except ValueError:
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", dest="output", required=True)
    parser.add_argument("--export", default="")
    parser.add_argument("--slides", action="store_true")
    arguments = parser.parse_args()
    kinds, base = [kind for kind in arguments.export.split(",") if kind], os.path.splitext(arguments.output)[0]
    for kind in kinds:
        if kind not in ("csv", "svg", "pdf", "tex"):
            fail(f"--export takes csv, svg, pdf and tex, not {kind}")
    begins = [first_line(name) for name in arguments.files]
    logs = [isinstance(begin, dict) and begin.get("format") == "ordo run" for begin in begins]
    if any(logs) and not all(logs):
        fail("makes a page of results or of training runs, not of both")
    if kinds and any(logs):
        fail("exports results, not logs of training runs")
    if arguments.slides and any(logs):
        fail("makes slides of results, not of logs of training runs")
    if all(logs):
        write(arguments.output, run_page.page([run_page.Run(name) for name in arguments.files]))
    else:
        files = [read_results(name, "report") for name in arguments.files]
        for name, data in zip(arguments.files, files):
            if not data["results"]:
                fail(f"{name} has no results")
        if {"svg", "pdf"} & set(kinds):
            export_charts([kind for kind in kinds if kind in ("svg", "pdf")], base)
        write(arguments.output, page(files, arguments.slides))
        if "csv" in kinds:
            export_csv(files, base)
        if "tex" in kinds:
            export_tex(files, base)


main()
