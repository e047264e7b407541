"""Charts of a training run, for run_page.py: curves over its steps."""
import math

from charts import MUTED, WIDTH, plt, svg
from page import printable

COLOURS = ["#1864ab", "#d9480f", "#0b7a5c", "#7048c8", "#7a828e"]
MOST_POINTS = 600  # of a curve; of more, means of equal parts are drawn


def thinned(points):
    if len(points) <= MOST_POINTS:
        return points
    parts = [points[len(points) * i // MOST_POINTS:len(points) * (i + 1) // MOST_POINTS] for i in range(MOST_POINTS)]
    return [tuple(sum(axis) / len(axis) for axis in zip(*part)) for part in parts]


def curves_chart(curves, label, logarithmic=False, first=0, legend=False):
    """curves: {name: [(step, value)]}; values that are no finite number are left out, and where one is NaN the line breaks. Few points are marked. `first`: the
    number of the first curve, which decides its look."""
    figure, axes = plt.subplots(figsize=(WIDTH, 2.4))
    figure.subplots_adjust(left=0.62 / WIDTH, right=1 - 0.12 / WIDTH, top=0.96, bottom=0.17)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=3, width=0.6)
    axes.grid(linewidth=0.6)
    for i, (name, points) in enumerate(curves.items(), first):
        colour, style = COLOURS[i % len(COLOURS)], ("-", "--", ":", "-.")[i // len(COLOURS) % 4]
        points = thinned([(x, y) for x, y in points if isinstance(y, (int, float)) and not math.isinf(y)])
        shape = "o" if sum(not math.isnan(y) for _, y in points) <= 40 else ""
        axes.plot([x for x, _ in points], [y for _, y in points], style + shape, color=colour, linewidth=1.2, markersize=3,
                  label=printable(name) if not name.startswith("_") else " " + printable(name))  # Matplotlib hides names that begin so
    values = [y for points in curves.values() for _, y in points if isinstance(y, (int, float)) and math.isfinite(y)]
    if logarithmic and values and min(values) > 0 and max(values) > 20 * min(values):
        axes.set_yscale("log")
    axes.set_xlabel("step", color=MUTED, labelpad=2)
    if len(curves) > 1 or legend:
        axes.legend(frameon=False, fontsize=7)
    return svg(figure, label)
