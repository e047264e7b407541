#!/usr/bin/env python3
"""The picture of README.md and `ordo show fork`: how far two runs of one training part, with the switch off and on.

    fork.py FORK.json light|dark|both    an SVG on standard output, for a page of that colour or the reader's
    fork.py FORK.json markdown           the lines that show light and dark

FORK.json comes from `ordo show fork --json`. Texts are large enough to be read at the width of a phone.
"""
import json
import math
import sys

COLOURS = {"light": {"text": "#1f2328", "faint": "#59636e", "grid": "#d1d9e0", "off": "#cf222e", "on": "#1a7f37"},
           "dark": {"text": "#f0f6fc", "faint": "#9198a1", "grid": "#3d444d", "off": "#ff7b72", "on": "#56d364"}}
BOTH = {name: f"var(--{name})" for name in COLOURS["light"]}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM, ZERO = 640, 386, 68, 632, 84, 278, 324
LEAST = -9  # a power of ten


def say(fork):
    """What the picture shows, in words."""
    off, on = fork["levels"]
    steps = len(off["weights"])
    parts = [f"they part at step {level['first']}" if level["first"] else f"equal, bit for bit, after all {steps} steps" for level in (off, on)]
    return f"Switch off: {parts[0]}", f"Switch on: {parts[1]}"


def height(value, most):
    """0 has a line of its own, below those of the powers of ten."""
    if value == 0:
        return ZERO
    share = (min(max(math.log10(value), LEAST), most) - LEAST) / (most - LEAST)
    return BOTTOM - share * (BOTTOM - TOP)


def variables():
    """CSS that BOTH's colours are."""
    light, dark = ("svg { " + " ".join(f"--{name}: {colour};" for name, colour in COLOURS[scheme].items()) + " }" for scheme in ("light", "dark"))
    return f"{light} @media (prefers-color-scheme: dark) {{ {dark} }} "


def svg(fork, scheme):
    colours = COLOURS.get(scheme, BOTH)
    off, on = say(fork)
    steps = len(fork["levels"][0]["weights"])
    most = 3 * math.ceil(math.log10(max([10.0**(LEAST + 2)] + [w for level in fork["levels"] for w in level["weights"]])) / 3)
    title = "Two runs of one training, with the same seed"
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}. {off}. {on}.">',
           f"<style>{variables() if colours is BOTH else ''}text {{ font: 21px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: {colours['faint']} }} path {{ fill: none; stroke-width: 3.5; "
           "stroke-linejoin: round }</style>",
           f'<text x="8" y="24" style="font-size:23px;font-weight:600;fill:{colours["text"]}">{title}</text>',
           '<text x="8" y="56">Distance between their weights</text>']
    for power in range(LEAST, most + 1, 3):
        y = height(10.0**power, most)
        label = "1" if power == 0 else f"10<tspan dy=\"-7\" font-size=\"15\">{str(power).replace('-', chr(0x2212))}</tspan>"
        out += [f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="{colours["grid"]}" style="stroke-width:1"/>',
                f'<text x="{LEFT - 10}" y="{y + 7:.1f}" text-anchor="end">{label}</text>']
    out += [f'<text x="{LEFT - 10}" y="{ZERO + 7}" text-anchor="end">0</text>']
    for level, name in zip(fork["levels"], ("off", "on")):
        x = [LEFT + (RIGHT - LEFT) * (i + 1) / steps for i in range(steps)]
        points = [(x[i], height(w, most)) for i, w in enumerate(level["weights"])]
        kept = [p for i, p in enumerate(points) if i in (0, steps - 1) or p[1] != points[i - 1][1] or p[1] != points[i + 1][1]]
        line = "L".join(f"{a:.1f} {b:.1f}" for a, b in kept)
        out.append(f'<path d="M{line}" stroke="{colours[name]}"/>')
    where = min(height(w, most) for w in fork["levels"][0]["weights"][steps // 3:])
    below = max(height(w, most) for w in fork["levels"][0]["weights"][steps // 3:])
    label = where - 14 if where - 30 > TOP else min(below + 34, BOTTOM - 20)
    label = min(label, ZERO - 40)  # above that of the other side
    out += [f'<text x="{RIGHT}" y="{label:.1f}" text-anchor="end" style="fill:{colours["off"]}">{off}</text>',
            f'<text x="{RIGHT}" y="{ZERO - 13}" text-anchor="end" style="fill:{colours["on"]}">{on}</text>',
            f'<text x="{LEFT}" y="{HEIGHT - 14}">step 1</text><text x="{RIGHT}" y="{HEIGHT - 14}" text-anchor="end">step {steps}</text>', "</svg>"]
    return "\n".join(out)


def markdown(fork):
    off, on = say(fork)
    return ('<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="docs/fork-dark.svg">\n'
            f'  <img src="docs/fork-light.svg" width="640" alt="Two runs of one training, with the same seed. {off}. {on}.">\n</picture>')


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        fork = json.load(file)
    print(markdown(fork) if sys.argv[2] == "markdown" else svg(fork, sys.argv[2]))


if __name__ == "__main__":
    main()
