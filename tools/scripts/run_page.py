"""Logs of training runs (docs/training.md) as a page."""
import json

from page import escape, fail, figure, section, tiles, whole
from run_charts import curves_chart


def number(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else escape(value)


class Run:
    """A log's lines by event. The last line of a run that was killed may be half written."""

    def __init__(self, name):
        self.name = name
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


def summary(run):
    last = run.end or (run.epochs or run.steps or [{}])[-1]
    state = f"steps, {escape(run.end['reason']).replace('_', ' ')}" if run.end else "steps so far"
    cells = [(number(last.get("step", last.get("steps", 0))), state)]
    if "loss" in last:
        cells.append((f"{last['loss']:.4g}" if isinstance(last["loss"], float) else escape(last["loss"]), "loss, last epoch"))
    if run.validations:
        cells += [(f"{float(value):.4g}", escape(name)) for name, value in run.validations[-1]["metrics"].items()]
    return tiles(cells)


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
        if points:
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


def page(runs):
    links = "".join(f'<a href="#run{i}">{escape(run.name)}</a>' for i, run in enumerate(runs))
    nav = f"<nav>{links}</nav>" if len(runs) > 1 else ""
    return whole("Ordo: a training run", "A training run", nav + "<hr>".join(part(run, f"run{i}") for i, run in enumerate(runs)))
