"""Logs of training runs (docs/training.md) as a page. Of several, what they have in common comes first."""
import json
import math
import os
import time

from page import escape, fail, figure, section, tiles, whole
from run_charts import curves_chart


def number(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else escape(value)


class Run:
    """A log's lines by event. The last line of a run that was killed may be half written."""

    def __init__(self, name):
        self.name, self.written = name, time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(os.path.getmtime(name)))
        lines = []
        with open(name) as file:
            for i, text in enumerate(file):
                try:
                    lines.append(json.loads(text))
                except ValueError:
                    if text.endswith("\n"):
                        fail(f"{name}: line {i + 1} is not JSON")
        self.begin, self.end = lines[0], lines[-1] if lines[-1]["event"] == "end" else None
        self.steps, self.epochs, self.validations = (
            [line for line in lines if line["event"] == event] for event in ("step", "epoch", "validation"))

    def weights(self):
        """The last that are known, and when: (SHA-256, "at the end")."""
        if self.end and "weights" in self.end:
            return self.end["weights"], "at the end"
        return (self.epochs[-1]["weights"], f"after epoch {self.epochs[-1]['epoch']}") if self.epochs else ("", "")


def summary(run):
    last = run.end or (run.epochs or run.steps or [{}])[-1]
    state = f"steps, {escape(run.end['reason']).replace('_', ' ')}" if run.end else "steps so far"
    cells = [(number(last.get("step", last.get("steps", 0))), state)]
    if "loss" in last:
        cells.append((f"{last['loss']:.4g}" if isinstance(last["loss"], float) else escape(last["loss"]), "loss, last epoch"))
    if run.validations:
        cells += [(f"{float(value):.4g}", escape(name)) for name, value in run.validations[-1]["metrics"].items()]
    return tiles(cells)


def varies(points):
    return len({str(y) for _, y in points}) > 1


def curves(run):
    figures = []
    losses = {}
    if run.steps:
        losses["each step"] = [(l["step"], l["loss"]) for l in run.steps]
    if run.epochs:
        losses["mean of the epoch"] = [(l["step"], l["loss"]) for l in run.epochs]
    names = list(dict.fromkeys(name for line in run.validations for name in line["metrics"]))
    metrics = {name: [(l["step"], l["metrics"].get(name)) for l in run.validations] for name in names}
    if "loss" in metrics:
        losses["validation"] = metrics.pop("loss")
    if losses:
        figures.append(figure(curves_chart(losses, "Loss by step", True), "Loss"))
    for name, points in metrics.items():
        figures.append(figure(curves_chart({name: points}, f"{name} by step"), f"{escape(name)}, validation"))
    for key, caption in (("lr", "Learning rate"), ("grad_norm", "Norm of the gradients, before clipping")):
        points = [(l["step"], l[key]) for l in run.steps if key in l]
        if varies(points):
            figures.append(figure(curves_chart({caption: points}, f"{caption} by step", key == "grad_norm"), caption))
    logged = list(dict.fromkeys(name for line in run.steps for name in line.get("logged", {})))
    for name in logged:
        points = [(l["step"], l["logged"][name]) for l in run.steps if name in l.get("logged", {})]
        figures.append(figure(curves_chart({name: points}, f"{name} by step"), f"{escape(name)}, logged"))
    return f'<div class="figures">{"".join(figures)}</div>'


def weights_section(run):
    rows = "".join(f"<tr><td>{number(l['epoch'])}</td><td>{number(l['step'])}</td><td>{number(l['loss'])}</td>"
                   f"<td><code>{escape(l['weights'])}</code></td></tr>" for l in run.epochs)
    if not rows:
        return ""
    return section("Weights", "SHA-256 of the parameters after each epoch. Two runs with equal lines had equal bits.",
                   '<div class="scroll"><table><thead><tr><th>epoch</th><th>step</th><th>loss</th><th>weights</th></tr></thead>'
                   f"<tbody>{rows}</tbody></table></div>")


def facts_section(title, intro, line, keys):
    rows = "".join(f"<dt>{escape(key.replace('_', ' '))}</dt><dd>" +
                   ("<br>".join(escape(v) for v in line[key]) if isinstance(line[key], list) else number(line[key])) + "</dd>"
                   for key in keys if key in line)
    return section(title, intro, f"<dl>{rows}</dl>") if rows else ""


def part(run, anchor):
    settings = [key for key in run.begin if key not in ("event", "format", "version")]
    content = (f'<header id="{anchor}"><p class="kicker">{escape(run.name)}</p></header>' + summary(run) + curves(run) +
               weights_section(run) + facts_section("Settings", "As the run began.", run.begin, settings))
    if run.end:
        content += facts_section("Environment", "Where it ended.", run.end,
                                 ("weights", "seed", "rank", "level", "ordo", "ordering_contract", "environment"))
    return content


# -- several runs ------------------------------------------------------------------------------------------------------

KEYS = {"loss": "losses", "grad_norm": "norms of the gradients", "lr": "learning rates"}  # of a step; a log has them to the last bit


def by_number(lines, key):
    return {line[key]: line for line in lines if isinstance(line.get(key), int)}


def beside(run, other):
    """In words: up to where the other run is equal to this one, as far as their logs tell."""
    mine, theirs = by_number(run.steps, "step"), by_number(other.steps, "step")
    common, parted = sorted(mine.keys() & theirs.keys()), []  # [(step, what)]
    for step in common:
        differ = [key for key in KEYS if mine[step].get(key) != theirs[step].get(key)]
        if differ:
            parted.append((step, f"{KEYS[differ[0]]} {mine[step].get(differ[0])} and {theirs[step].get(differ[0])}"))
            break
    mine, theirs = by_number(run.epochs, "epoch"), by_number(other.epochs, "epoch")
    epochs = sorted(mine.keys() & theirs.keys())
    parted += [(mine[e].get("step", 0), f"other weights after epoch {e}") for e in epochs if mine[e].get("weights") != theirs[e].get("weights")][:1]
    ended = run.end and other.end
    if ended and run.end.get("weights") != other.end.get("weights") and run.end.get("steps") == other.end.get("steps"):
        parted.append((run.end.get("steps") or 0, "other weights at the end"))
    if parted:
        step, what = min((p for p in parted if isinstance(p[0], int)), default=parted[0], key=lambda p: p[0])
        equal = [s for s in common if s < step]
        return (f"equal until step {equal[-1]}; " if equal else "") + f"step {step}: {what}"
    if common:
        return f"equal in {len(common)} steps" + (", and at the end" if ended else "")
    return f"equal weights after {len(epochs)} epochs" if epochs else "equal weights at the end" if ended else "nothing in common to compare"


def short_names(runs):
    """The names of the logs without the folders that they share."""
    parts = [os.path.normpath(run.name).split(os.sep) for run in runs]
    while all(len(p) > 1 for p in parts) and len({p[0] for p in parts}) == 1:
        parts = [p[1:] for p in parts]
    while all(len(p) > 1 for p in parts) and len({p[-1] for p in parts}) == 1:
        parts = [p[:-1] for p in parts]
    names = ["/".join(p) for p in parts]
    return [name if names.count(name) == 1 else f"{name} ({i + 1})" for i, name in enumerate(names)]


def together(runs):
    names = short_names(runs)
    rows = ""
    for i, (run, name) in enumerate(zip(runs, names)):
        weights, when = run.weights()
        cells = [escape(name), escape(run.begin.get("model", "")), number(run.begin.get("parameters", "")), number(run.begin.get("seed", "")),
                 escape(run.begin.get("level", "")), run.written, f"<code>{escape(str(weights or '')[:16])}</code> {escape(when)}",
                 escape(beside(runs[0], run)) if i else "the first"]
        rows += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    head = "".join(f"<th>{h}</th>" for h in ("run", "model", "parameters", "seed", "level", "log written", "weights, SHA-256", "beside the first"))
    losses = {name: [(l["step"], l.get("loss")) for l in run.steps] or [(l["step"], l.get("loss")) for l in run.epochs] for run, name in zip(runs, names)}
    figures = [figure(curves_chart(losses, "Losses of all runs by step", True), "Losses")] if any(losses.values()) else []
    first, apart = dict(losses[names[0]]), {}
    for name in names[1:]:
        points = [(step, abs(loss - first[step])) for step, loss in losses[name] if all(isinstance(v, (int, float)) for v in (loss, first.get(step)))]
        apart[name] = [(step, d or math.nan) for step, d in points if math.isfinite(d)]
    if any(d > 0 for points in apart.values() for _, d in points):
        figures.append(figure(curves_chart(apart, "Distance of the losses from the first run's, by step", True, 1, True), "Distance of the losses from those of the first run; where it is 0, nothing is drawn"))
    return section("All runs", "Losses, learning rates and norms are compared to the last bit, step by step, and weights by their SHA-256.",
                   f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
                   f'<div class="figures">{"".join(figures)}</div>')


def page(runs):
    links = "".join(f'<a href="#run{i}">{escape(run.name)}</a>' for i, run in enumerate(runs))
    nav = f"<nav>{links}</nav>{together(runs)}<hr>" if len(runs) > 1 else ""
    title = "A training run" if len(runs) == 1 else f"{len(runs)} training runs"
    return whole(f"Ordo: {title[0].lower()}{title[1:]}", title, nav + "<hr>".join(part(run, f"run{i}") for i, run in enumerate(runs)))
