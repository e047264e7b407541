"""The report's charts: Matplotlib draws them as SVG, whose colours the page chooses.

Every colour below is that of a CSS variable in light pages (style.css), and stands for it in the page, so that one drawing serves light, dark and
print. A chart that is exported keeps its colours.
"""
import io
import math
import re

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter

from page import escape, printable

INK, MUTED, LINE = "#16181d", "#5b6270", "#dfe2e8"
VARIABLES = {INK: "ink", MUTED: "muted", LINE: "line", "#d9480f": "fast", "#1864ab": "deterministic", "#0b7a5c": "exact",
             "#7048c8": "everywhere", "#7a828e": "peer"}
WIDTH, ROW = 4.5, 0.18  # inches of a chart and of one of its rows

# Series: the paths that belong to it, what it is called, colour, marker, filled.
SERIES = {
    "fast": (("atomic", "not_guaranteed"), "fast", "#d9480f", "o", True),
    "deterministic": (("run_to_run",), "deterministic", "#1864ab", "s", True),
    "exact": (("exact",), "exact", "#0b7a5c", "D", True),
    "everywhere": (("device_to_device",), "same on every device", "#7048c8", "^", True),
    "peer": (("pytorch",), "PyTorch", "#7a828e", "o", False),
    "peer_deterministic": (("pytorch_deterministic",), "PyTorch, deterministic", "#7a828e", "s", False),
}

MACHINES = [("#1864ab #d9480f #0b7a5c #7048c8 #7a828e".split()[i % 5], "osD^v"[(i + i // 5) % 5]) for i in range(25)]  # colour, marker

plt.rcParams.update({
    "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": 8, "text.color": INK, "axes.labelcolor": MUTED,
    "xtick.color": MUTED, "ytick.color": INK, "axes.edgecolor": LINE, "grid.color": LINE, "axes.axisbelow": True,
    "text.parse_math": False,  # names are no formulas
    "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none"})


export = None  # a function that gets every figure and its label, or None


def svg(figure, label):
    """The figure as an element for the page; `label` says in words what it shows."""
    if export:
        export(figure, label)
    text = io.StringIO()
    plt.rcParams["svg.hashsalt"] = label  # names inside the drawing differ between charts
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    plt.close(figure)
    drawing = text.getvalue()
    drawing = drawing[drawing.index("<svg"):]
    drawing = re.sub(r"<metadata>.*?</metadata>\s*", "", drawing, flags=re.S)
    used = set(re.findall(r"#([\w-]+)", drawing))
    drawing = re.sub(r"<[^<>]*>", lambda tag: simplified(tag[0], used), drawing)  # not the texts between tags
    drawing = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", drawing, count=1)
    drawing = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", drawing, count=1)
    return drawing.replace("<svg", f'<svg role="img" aria-label="{escape(label)}"', 1)


def simplified(tag, used):
    """A tag with fewer digits, the ids that are `used`, the page's colours and the page's own font."""
    tag = re.sub(r"\d+\.\d{3,}", lambda m: f"{float(m.group()):.2f}", tag)
    tag = re.sub(r' id="([\w.-]+)"', lambda m: m.group(0) if m.group(1) in used else "", tag)
    for colour, variable in VARIABLES.items():
        tag = tag.replace(colour, f"var(--{variable})")
    return re.sub(r"font: (?:(\w+) )?([\d.]+px) [^;\"]*",
                  lambda m: f"font-size: {m.group(2)}" + (f"; font-weight: {m.group(1)}" if m.group(1) else ""), tag)


def label_room(texts, apart):
    """Inches for the labels beside a chart; a longer one is cut off at the left."""
    return min(apart + 0.064 * max(map(len, texts)), 2)


def millis(value, _=None):
    """A time for an axis: 20 µs, 3 ms, 1 s."""
    for unit, size in (("s", 1e3), ("ms", 1), ("µs", 1e-3)):
        if value >= size * 0.9999:
            return f"{value / size:g} {unit}"
    return f"{value * 1e6:g} ns"


def new_chart(rows, left):
    """Axes with `rows` lines of text, `left` inches of labels beside them."""
    height = rows * ROW + 0.32
    figure, axes = plt.subplots(figsize=(WIDTH, height))
    figure.subplots_adjust(left=left / WIDTH, right=1 - 0.18 / WIDTH, top=1 - 0.02 / height, bottom=0.26 / height)
    axes.set_ylim(rows - 0.4, -0.6)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", length=3, width=0.6)
    axes.grid(axis="x", linewidth=0.6)
    return figure, axes


def marker(axes, x, y, series, size=4.6):
    _, _, colour, shape, filled = SERIES[series]
    if shape == "D":
        size *= 0.85
    axes.plot([x], [y], shape, color=colour, markersize=size, markeredgewidth=1.1 if not filled else 0,
              markerfacecolor=colour if filled else "none", markeredgecolor=colour, zorder=3)


def times_chart(groups, limits, label):
    """Times by row. groups: [(heading, [(row's label, {series: (median, from, to)})])]; the line goes from `from` to `to`."""
    rows = sum(len(lines) + (1 if heading else 0) for heading, lines in groups)
    figure, axes = new_chart(rows, label_room([text for _, lines in groups for text, _ in lines], 0.3))
    axes.set_xscale("log")
    axes.set_xlim(*limits)
    y, places, texts = 0, [], []
    for heading, lines in groups:
        if heading:
            axes.text(0.006, y, printable(heading), transform=matplotlib.transforms.blended_transform_factory(
                figure.transFigure, axes.transData), va="center", ha="left", fontweight="bold")
            y += 1
        for text, series in lines:
            places.append(y)
            texts.append(printable(text))
            if "fast" in series and "deterministic" in series:
                ends = [series[s][0] for s in ("fast", "deterministic")]
                axes.plot(ends, [y, y], color="#1864ab", linewidth=1.6, alpha=0.35, solid_capstyle="butt", zorder=1)
            for name, (_, low, high) in series.items():
                axes.plot([low, high], [y, y], color=SERIES[name][2], linewidth=0.8, zorder=2)
            for name, (median, _, _) in reversed(list(series.items())):
                marker(axes, median, y, name)
            y += 1
    axes.set_yticks(places, texts)
    axes.xaxis.set_major_locator(LogLocator(base=10, numticks=12))
    axes.xaxis.set_major_formatter(FuncFormatter(millis))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_minor_locator(LogLocator(base=10, subs=(2, 5), numticks=12))
    if math.log10(limits[1] / limits[0]) < 1.8:
        axes.xaxis.set_minor_formatter(FuncFormatter(millis))
    return svg(figure, label)


def ratio_axis(axes, low, high, room=0):
    """`room`: the share of the axis that is kept for text to the right of `high`."""
    axes.set_xscale("log", base=2)
    least, most = min(low, 0.9) / 1.15, max(high, 1.1)
    axes.set_xlim(least, least * (most / least) ** (1 / (1 - room)) if room else most * 1.15)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}×"))
    axes.axvline(1, color=MUTED, linewidth=0.9, zorder=2)


def price_chart(prices, label):
    """prices: [(operation, mean, least, greatest)], sorted: a bar from 1 to the mean, a line from least to greatest."""
    left = label_room([p[0] for p in prices], 0.2)
    figure, axes = new_chart(len(prices), left)
    low, high = min(p[2] for p in prices), max(p[3] for p in prices)
    ratio_axis(axes, low, high, room=0.5 / (WIDTH - left))
    for y, (_, mean, least, greatest) in enumerate(prices):
        axes.plot([least, greatest], [y, y], color="#1864ab", linewidth=0.9, zorder=2)
        axes.barh(y, mean - 1, left=1, height=0.62, color="#1864ab" if mean >= 1 else "#0b7a5c", alpha=0.85, linewidth=0)
        axes.annotate(f"{mean:.2f}×", (max(greatest, 1), y), xytext=(5, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(prices)), [printable(p[0]) for p in prices])
    return svg(figure, label)


def peers_chart(ratios, label):
    """ratios: [(operation, {series: (mean, least, greatest)})]: how many times as long the peer takes."""
    figure, axes = new_chart(len(ratios), label_room([r[0] for r in ratios], 0.2))
    spans = [span for _, by_series in ratios for span in by_series.values()]
    ratio_axis(axes, min(s[1] for s in spans), max(s[2] for s in spans))
    for y, (_, by_series) in enumerate(ratios):
        for offset, (name, (mean, least, greatest)) in zip((-0.17, 0.17), by_series.items()):
            axes.plot([least, greatest], [y + offset] * 2, color=SERIES[name][2], linewidth=1, alpha=0.6)
            marker(axes, mean, y + offset, name)
    axes.set_yticks(range(len(ratios)), [printable(r[0]) for r in ratios])
    return svg(figure, label)


def machines_chart(families, count, label):
    """families: [(family, [ratio or None for each of `count` machines])]: a mark for each machine, by colour and shape; a single machine's have numbers."""
    figure, axes = new_chart(len(families), label_room([f[0] for f in families], 0.2))
    every = [r for _, values in families for r in values if r]
    ratio_axis(axes, min(every), max(every), room=0.4 / WIDTH)
    reach = max(*every, 1) / min(*every, 1)
    if reach < 4:
        axes.xaxis.set_major_locator(FixedLocator([0.5, 0.7, 1, 1.5, 2, 3, 4] if reach > 2 else [0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75]))
    for i in range(count):
        colour, shape = MACHINES[i % len(MACHINES)]
        points = [(values[i], y) for y, (_, values) in enumerate(families) if values[i]]
        axes.plot([x for x, _ in points], [y for _, y in points], shape, color=colour, markersize=4.6, markeredgewidth=0, zorder=3)
        for x, y in points if count == 1 else ():
            axes.annotate(f"{x:.2f}×", (x, y), xytext=(6, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(families)), [printable(f[0]) for f in families])
    return svg(figure, label)


def spread_chart(spreads, label):
    """spreads: {series: [per cent, ...]}: how far the middle half of a benchmark's repeats lies apart."""
    figure, axes = new_chart(len(spreads) * 1.5, 1.9)
    axes.set_xscale("log")
    texts = []
    for y, (name, values) in enumerate(spreads.items()):
        colour = SERIES[name][2]
        # Points fan out over the row, so that all can be seen.
        fan = [1.5 * y + 0.42 * ((i * 0.618) % 1 - 0.5) for i in range(len(values))]
        axes.plot(values, fan, "o", color=colour, markersize=3, alpha=0.35, markeredgewidth=0)
        middle = sorted(values)[len(values) // 2]
        axes.plot([middle, middle], [1.5 * y - 0.5, 1.5 * y + 0.5], color=colour, linewidth=2)
        texts.append(f"{SERIES[name][1]}: {middle:.1f} %")
    axes.set_ylim(len(spreads) * 1.5 - 0.7, -0.95)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g} %"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_yticks([1.5 * y for y in range(len(spreads))], texts)
    return svg(figure, label)


def legend_mark(label, draw):
    """A marker alone, for the page's legend: draw(axes) puts it at the origin."""
    figure = plt.figure(figsize=(0.16, 0.16))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(-1, 1)
    axes.set_ylim(-1, 1)
    draw(axes)
    return svg(figure, label)


def series_mark(series):
    return legend_mark(SERIES[series][1], lambda axes: marker(axes, 0, 0, series, size=7))


def machine_mark(number):
    colour, shape = MACHINES[number % len(MACHINES)]
    return legend_mark(f"machine {number + 1}", lambda axes: axes.plot([0], [0], shape, color=colour, markersize=7, markeredgewidth=0))
