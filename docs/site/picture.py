#!/usr/bin/env python3
"""The picture that goes with a link to the site: picture.py FORK.json PICTURE.png

Of the two trainings of the first page: how far their weights lie apart, by step, with the switch off and on.
"""
import json
import sys

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

INK, OFF, ON = "#16181d", "#d9480f", "#1864ab"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    figure = plt.figure(figsize=(12, 6.3), dpi=100, facecolor="white")
    figure.text(0.06, 0.84, "Ordo", fontsize=54, fontweight="bold", color=INK)
    figure.text(0.06, 0.76, "Tensors and gradients in C++ and CUDA, with a switch for determinism", fontsize=21, color=INK)
    axes = figure.add_axes((0.1, 0.14, 0.84, 0.54))
    for level, colour, says in zip(data["levels"], (OFF, ON), ("switch off", "switch on")):
        distances = level["weights"]
        axes.plot(range(1, len(distances) + 1), [max(d, 1e-12) for d in distances], color=colour, linewidth=3.5)
        axes.annotate(f"{says}: {level['verdict']}", (len(distances), max(distances[-1], 1e-12)), xytext=(0, 12), textcoords="offset points", ha="right", fontsize=20, color=colour)
    axes.set_yscale("log")
    axes.set_ylim(3e-13, 1e3 * max(max(level["weights"]) for level in data["levels"]))
    axes.set_yticks([])
    axes.set_ylabel("weights apart", fontsize=17)
    axes.set_xlabel("step of two trainings with one seed", fontsize=17)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    figure.savefig(sys.argv[2])


main()
