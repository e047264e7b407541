#!/usr/bin/env python3
"""What `ordo show` and `ordo diff` draw: show.py text|sums|fork.svg|fork|diff|playback DATA OUTPUT

DATA: JSON, or of playback a recording of ORDO_EMULATOR_RECORD (docs/show.md). text is the one that `ordo show OP` prints of sums; sums and
fork.svg are pictures, the others pages.
"""
import json
import os
import sys

import fork as forks
import trees
from page import escape, fail, section, whole, write

STYLE = """
.texts :is(td, th) { text-align: left; white-space: normal; overflow-wrap: anywhere; vertical-align: top; }
.bad { color: var(--fast); } .first td { background: #c0392b22; } .strip { display: block; width: 100%; height: 42px; }
"""


def table(head, rows, classes=""):
    """Cells are markup."""
    lines = "".join(f"<tr{attributes}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n" for attributes, cells in rows)
    return (f'<div class="scroll"><table class="{classes}"><tr>' + "".join(f"<th>{cell}</th>" for cell in head) + f"</tr>\n{lines}</table></div>")


# -- the order of a sum ------------------------------------------------------------------------------------------------

TREE_WIDTH, TREE_MARGIN = 1280, 40
TREE_STYLE = """
  .page { fill: #ffffff; } text { fill: #1b1f24; font-family: system-ui, sans-serif; }
  .title { font-size: 30px; font-weight: 600; } .heading { font-size: 23px; font-weight: 600; } .line { font-size: 17px; }
  .wire { fill: none; stroke: #4a6785; stroke-linejoin: round; } .plus { fill: #1f6feb; } .sign { fill: #ffffff; }
  .value { fill: #e8eef5; stroke: #4a6785; } .name, .sign { text-anchor: middle; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #14181d; } text { fill: #e6edf3; } .wire { stroke: #8fa9c4; } .plus { fill: #4d94ff; }
    .sign { fill: #0b1220; } .value { fill: #26303b; stroke: #8fa9c4; }
  }
"""


def text(x, y, classes, words, size=None):
    style = f' style="font-size:{size:.1f}px"' if size else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{classes}"{style}>{escape(words)}</text>\n'


def wrapped(line):
    """Lines of up to about 110 characters."""
    while len(line) > 110 and line.find(" ", 90) >= 0:
        at = line.find(" ", 90)
        yield line[:at]
        line = line[at + 1:]
    yield line


def drawing(tree, top):
    """A tree below `top`: values, and each addition below what it adds. Values are named where there is room. Returns it and where it ends."""
    values, order, names = tree.count, tree.order(), tree.names
    step = min(64, (TREE_WIDTH - 2 * TREE_MARGIN) / values)
    rise = min(44, 420 / max(1, tree.heights[tree.root]))
    left = (TREE_WIDTH - step * values) / 2
    size = min(17, (step - 4) / (0.62 * max(map(len, names))))
    named = size >= 8
    box, radius = 28 if named else 8, min(11, rise * 0.4, step * 0.4)
    x, y, out = [0.0] * values, [top + box] * values, []
    if step < 3:
        out.append(f'<rect x="{left:.1f}" y="{top:.1f}" width="{step * values:.1f}" height="{box}" class="value"/>\n')
    for i, value in enumerate(order):
        x[value] = left + step * (i + 0.5)
        if step >= 3:
            width = step * 0.7 if step < 10 else step - 4
            out.append(f'<rect x="{x[value] - width / 2:.1f}" y="{top:.1f}" width="{width:.1f}" height="{box}" rx="{min(5, width / 4):.1f}" '
                       'class="value"/>\n')
            if named:
                out.append(text(x[value], top + box / 2 + size * 0.35, "name", names[value], size))
    wires = []
    for i in range(values, tree.root + 1):
        children = tree.children[i]
        x.append((x[children[0]] + x[children[-1]]) / 2)
        y.append(top + box + 10 + rise * tree.heights[i])
        wires += [f"M{x[c]:.1f} {y[c]:.1f}V{y[i]:.1f}H{x[i]:.1f}" for c in children]
        if radius >= 1.5:
            out.append(f'<circle cx="{x[i]:.1f}" cy="{y[i]:.1f}" r="{radius:.1f}" class="plus"/>\n')
        if radius >= 6:
            out.append(text(x[i], y[i] + radius * 0.58, "sign", "+", radius * 1.7))
    end = y[-1] + 34
    wires.append(f"M{x[-1]:.1f} {y[-1]:.1f}V{end:.1f}")
    out.append(text(x[-1], end + 18, "line name", "result"))
    if not named:
        out.append(text(TREE_MARGIN, top - 6, "line", f"{values} values; leftmost {names[order[0]]}, rightmost {names[order[-1]]}"))
    wire = f'<path d="{"".join(wires)}" class="wire" stroke-width="{min(max(step / 12, 0.4), 2):.1f}"/>\n'
    return wire + "".join(out), end + 18


def sums(data):
    """Trees under each other, for light and dark pages."""
    y = 60
    body = [text(TREE_MARGIN, y, "title", data["title"])]
    for found in data["found"]:
        tree = trees.Tree(found["count"], found["additions"], data["names"]) if found["count"] else None
        several = f" ({found['trees']} different trees with {found['seeds']} seeds)" if found["trees"] > 1 else ""
        lines = [trees.describe(tree)[0] + several if tree else found["why"], ": ".join(found["results"]) if len(found["results"]) == 2 else found["results"][0]]
        y += 56
        body.append(text(TREE_MARGIN, y, "heading", found["heading"]))
        for line in (part for line in lines for part in wrapped(line)):
            y += 26
            body.append(text(TREE_MARGIN, y, "line", line))
        y += 44
        if tree:
            picture, y = drawing(tree, y)
            body.append(picture)
    y += TREE_MARGIN
    title = escape(data["title"])
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {TREE_WIDTH} {y:.0f}" width="{TREE_WIDTH}" height="{y:.0f}" role="img" '
            f'aria-label="{title}">\n<title>{title}</title>\n<style>{TREE_STYLE}</style>\n<rect width="100%" height="100%" class="page"/>\n'
            + "".join(body) + "</svg>\n")


# -- a training that forks ---------------------------------------------------------------------------------------------

def fork_page(data):
    content = forks.svg(data, "both")
    for level in data["levels"]:
        count = len(level["weights"])
        steps = [r * count // min(count, 10) - 1 for r in range(1, min(count, 10) + 1)]
        rows = [("", (i + 1, f"{level['weights'][i]:.3g}", f"{level['different'][i]} of {level['of']}", f"{level['losses'][i]:.3g}")) for i in steps]
        content += section(f"{escape(level['level'])}: {escape(level['verdict'])}", "The distance of the weights is the root of the sum of squares.",
                           table(("step", "weights apart", "weights that differ", "losses apart"), rows))
    return whole(escape(data["title"]), escape(data["title"]), content)


# -- two traces --------------------------------------------------------------------------------------------------------

def strip(steps):
    """A bar for each of at most 1000 groups of steps, as red as many of its events differ."""
    each = -(-len(steps) // 1000) or 1
    groups = [steps[i:i + each] for i in range(0, len(steps), each)]
    bars = []
    for i, group in enumerate(groups):
        events, different = (sum(step[key] for step in group) for key in ("events", "different"))
        height = max(4, 40 * different / events) if different else 40
        named = f"step {group[0]['step']}" + (f" to {group[-1]['step']}" if len(group) > 1 else "")
        bars.append(f'<rect x="{i * 10}" y="{40 - height:.1f}" width="9" height="{height:.1f}" fill="{"#c0392b" if different else "#2e8b5755"}">'
                    f"<title>{named}: {different} of {events} events differ</title></rect>\n")
    return (f'<svg class="strip" viewBox="0 0 {len(groups) * 10} 40" preserveAspectRatio="none" role="img" aria-label="{len(steps)} steps">\n'
            + "".join(bars) + "</svg>\n") if bars else ""


def side_by_side(a, b):
    def tensors(mine, other):
        marks = ["" if other[i:i + 1] == [t] else ' class="bad"' for i, t in enumerate(mine)]
        return "".join(f"<code{mark}>{escape(t)}</code><br>" for mark, t in zip(marks, mine))
    rows = [(key, escape(a.get(name, "")), escape(b.get(name, ""))) for key, name in
            (("event", "text"), ("record", "record"), ("level", "level"), ("algorithm", "algorithm"), ("arguments", "arguments"))]
    rows += [(key, tensors(a.get(key, []), b.get(key, [])), tensors(b.get(key, []), a.get(key, []))) for key in ("inputs", "outputs")]
    return table(("", "A", "B"), [("", row) for row in rows if row[1] or row[2]], "texts")


def events(title, places, last=None):
    rows = [("", (p["record"], f'<span style="padding-left:{p["depth"]}em">{escape(p["text"])}</span>')) for p in places]
    if last:
        rows.append((' class="first"', (last["record"], escape(last["text"]))))
    return f"<h2>{title}</h2>\n" + table(("record", "event"), rows, "texts") if rows else ""


def bullets(title, lines):
    return f"<h2>{title}</h2>\n<ul>\n" + "".join(f"<li>{escape(line)}</li>\n" for line in lines) + "</ul>\n" if lines else ""


def diff_page(data):
    content = f'<p>A: <code>{escape(data["files"]["a"])}</code><br>B: <code>{escape(data["files"]["b"])}</code></p>\n'
    content += (f'<p>{data["compared"]} pairs of events, {data["different"]} differ; {data["only_a"]} only in A, {data["only_b"]} only in B.</p>\n'
                "<h2>Steps</h2>\n" + strip(data["steps"]))
    if not data["equal"]:
        first = data["first"]
        place = first["a"] or first["b"]
        content += (f'<h2>The first difference</h2>\n<p><b>{escape(place["text"])}</b><br>{escape(first["what"])} (cause: {escape(first["cause"])})<br>'
                    f'{escape(data["remedy"])}</p>\n')
        content += side_by_side(first["a"] or {}, first["b"] or {}) + events("Before it", data["before"], place) + events("Spread to", data["spread"])
        content += bullets("Others that part by themselves", [f'{(o["a"] or o["b"])["text"]}: {o["what"]} ({o["cause"]})' for o in data["others"]])
    content += bullets("Notes", data["notes"])
    title = "Two equal traces" if data["equal"] else "Two different traces"
    return whole(title, title, content, STYLE)


# -- a recording of the emulator ---------------------------------------------------------------------------------------

PLAYBACK_STYLE = STYLE + """
.bar { display: flex; flex-wrap: wrap; gap: .6em; align-items: center; margin: .6em 0; } .bar input[type=range] { flex: 1 1 12em; min-width: 8em; }
select { max-width: 100%; } button, select { font: inherit; padding: .2em .7em; } #places :is(th, td:not(:nth-child(2))) { white-space: nowrap; }
#board { display: flex; overflow: auto; max-height: 60vh; border: 1px solid var(--line); margin: 1em 0; }
#board svg { flex: none; display: block; } #board svg:first-child { position: sticky; left: 0; background: var(--page); }
#board text { font: 12px ui-monospace, monospace; fill: currentColor; } #now { min-height: 3em; font-weight: 600; }
.key b { display: inline-block; width: .8em; height: .8em; } .key span { margin-right: 1.2em; white-space: nowrap; display: inline; }
"""
# Kinds of events, and what follows the kind, the block and the thread.
EVENTS = {"run": (), "end": (), "open": (), "barrier": (str,), "warp": (str,), "atomic": (int, str, str)}


def is_event(e):
    def number(value):
        return type(value) is int and value >= 0
    if not isinstance(e, list) or len(e) < 3 or not isinstance(e[0], str) or e[0] not in EVENTS or not number(e[1]) or not number(e[2]) or e[2] >= 1024:
        return False
    rest = EVENTS[e[0]]
    return len(e) == 3 + len(rest) and all(number(v) if kind is int else isinstance(v, str) for v, kind in zip(e[3:], rest))


def is_launch(item):
    return (all(key in item for key in ("kernel", "grid", "block", "seed", "order")) and isinstance(item["kernel"], str)
            and isinstance(item["grid"], list) and isinstance(item["block"], list))


def playback_page(name):
    """The file is read line by line; what is no recording is refused with the number of the line."""
    launches, cut, number = [], "", 0

    def refuse(why):
        fail(f"{name}, line {number}: {why}; a recording is made with ORDO_EMULATOR_RECORD=FILE, in a build with the emulator", "show")
    with open(name, encoding="utf-8", errors="replace", newline="\n") as file:
        for number, line in enumerate(file, 1):
            try:
                item = json.loads(line)
            except (ValueError, RecursionError):
                item = None
            if number == 1:
                if not isinstance(item, dict) or item.get("format") != "ordo recording" or item.get("version") != 1:
                    refuse("this is not a recording of version 1")
            elif isinstance(item, dict) and "cut" in item:
                cut = f"<p>The recording ends after {escape(item['cut'])} events; the rest of the run is not in it.</p>\n"
            elif isinstance(item, dict) and "launch" in item:
                if not is_launch(item):
                    refuse("the launch is not whole")
                launches.append({**item, "events": []})
            elif is_event(item) and launches:
                launches[-1]["events"].append(item)
            else:
                refuse("this is no event")
    played = [launch for launch in launches if launch["events"]]
    if not played:
        refuse("no launch has been recorded")
    data = json.dumps(played, separators=(",", ":")).replace("<", "\\u003c")  # cannot end the script
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "playback.js"), encoding="utf-8") as file:
        content = file.read()
    title = f"{len(played)} launch{'' if len(played) == 1 else 'es'} on the emulator, played back"
    return whole(title, title, f"""{cut}<div id="playback"></div>
<script id="data" type="application/json">{data}</script>
<script>
{content}ordoPlayback(document.getElementById('playback'), JSON.parse(document.getElementById('data').textContent));
</script>
""", PLAYBACK_STYLE)


def main():
    sys.setrecursionlimit(20000)  # a tree may be as deep as it has values
    kind, name, output = sys.argv[1:]
    if kind == "playback":
        write(output, playback_page(name))
        return
    with open(name, encoding="utf-8") as file:
        data = json.load(file)
    write(output, {"text": trees.tell, "sums": sums, "fork.svg": lambda d: forks.svg(d, "both") + "\n", "fork": fork_page, "diff": diff_page}[kind](data))


if __name__ == "__main__":
    main()
