#!/usr/bin/env python3
"""`ordo report` on the log of a training run: run_report_test.py ORDO ORDO_TESTS SCRATCH

The page needs nothing but itself and shows curves, settings and the weights of each epoch; a log that ends in half a line
is good, one that is broken elsewhere is named. Exit status 77, a skipped test, where Matplotlib is not installed.
"""
import json
import os
import shutil
import subprocess
import sys

import page_check

ordo, tests, scratch = sys.argv[1:]
shutil.rmtree(scratch, ignore_errors=True)
os.makedirs(scratch)
page, log = os.path.join(scratch, "run.html"), os.path.join(scratch, "run", "log.jsonl")
reports = page_check.Reports(ordo)
report, expect, failures = reports.make, reports.expect, reports.failures

subprocess.run([tests, "kill", "--train", os.path.dirname(log)], check=True)
report(0, "wrote", log, "-o", page)
text = reports.text_of(page)
with open(log) as file:
    lines = [json.loads(line) for line in file]
rates = {line["lr"] for line in lines if line["event"] == "step"}
expect(text.count("<svg role") == 3 + (len(rates) > 1), "loss, accuracy, norm, and a learning rate that changes, are not drawn")
for line in lines:
    if line["event"] == "epoch":
        expect(line["weights"] in text, f"nothing of the weights of epoch {line['epoch']}")
for word in ("finished", "run_to_run", "Settings", "Environment", lines[-1]["environment"][0]):
    expect(word in text, f"nothing of '{word}'")

with open(log) as file:
    whole = file.read()
killed, broken = os.path.join(scratch, "killed.jsonl"), os.path.join(scratch, "broken.jsonl")
with open(killed, "w") as file:
    file.write(whole[:2000])
with open(broken, "w") as file:
    file.write(whole.replace('"event":"epoch"', '"event"', 1))
report(0, "wrote", killed, log, "-o", page)
with open(page) as file:
    expect("steps so far" in file.read(), "the page of a run that was killed does not say so")
# Several runs: one that is equal, and one that parts from the first at step 4.
equal, other = os.path.join(scratch, "equal.jsonl"), os.path.join(scratch, "other.jsonl")
shutil.copy(log, equal)
with open(other, "w") as file:
    for line in lines:
        if line["event"] == "step" and line["step"] >= 4:
            line = {**line, "loss": line["loss"] * 1.25}
        file.write(json.dumps(line) + "\n")
report(0, "wrote", log, equal, other, "-o", page)
text = reports.text_of(page)
steps = [line for line in lines if line["event"] == "step"]
for word in (f"equal in {len(steps)} steps, and at the end", f"equal until step 3; step 4: losses {steps[3]['loss']} and {steps[3]['loss'] * 1.25}",
             lines[0]["model"], lines[-1]["weights"][:16], "3 training runs", 'aria-label="Losses of all runs by step"', "Distance of the losses from the first run"):
    expect(word in text, f"nothing of '{word}'")
with open(other, "w") as file:  # which parts in its weights, and later in its losses
    for line in lines:
        if line["event"] == "epoch":
            line = {**line, "weights": "0" * 64}
        if line["event"] == "step" and line is steps[-1]:
            line = {**line, "loss": 0.5}
        file.write(json.dumps(line) + "\n")
first_epoch = next(line for line in lines if line["event"] == "epoch")
report(0, "wrote", log, other, "-o", page)
expect(f"step {first_epoch['step']}: other weights after epoch {first_epoch['epoch']}" in reports.text_of(page), "weights that differ first are not named")
report(0, "wrote", log, equal, "-o", page)
expect("Distance of the losses" not in reports.text_of(page), "two equal runs have a distance")
report(2, "makes slides of results", log, "-o", page, "--slides")
report(2, r"broken.jsonl: line \d+ is not JSON", broken, "-o", page)
# Every text of a log is markup, and so is the name of its file.
hostile = page_check.hostile
harmful = os.path.join(scratch, hostile("file").replace("/", "|").replace("hostile", "h")[:200])
with open(harmful, "w") as file:
    for line in ({"format": "ordo run", "version": 1, "event": "begin", "model": hostile("model"), "seed": hostile("seed"), "level": hostile("begun"), hostile("setting"): hostile("set"), "list": [hostile("listed")]},
                 *({"event": "step", "step": hostile("step") if step == 3 else step, "loss": hostile("loss"), "lr": 0.1, "logged": {hostile("logged"): 1}}
                   for step in (1, 2)),
                 {"event": "epoch", "epoch": hostile("epoch"), "step": 2, "loss": hostile("loss"), "weights": hostile("weights")},
                 {"event": "validation", "step": 2, "metrics": {hostile("metric"): 1}},
                 {"event": "end", "reason": hostile("reason"), "steps": hostile("steps"), "loss": hostile("loss"), "weights": hostile("weights"),
                  "level": hostile("level"), "environment": [hostile("environment")]}):
        file.write(json.dumps(line) + "\n")
report(0, "wrote", harmful, log, "-o", page)
if page_check.BROWSER is not None:
    failures += page_check.harmed(page, scratch, ["model", "seed", "begun", "setting", "set", "listed", "logged", "epoch", "loss", "weights", "metric", "steps", "level", "environment"])
report(2, "cannot write", log, "-o", os.path.join(scratch, "absent", "page.html"))
print("\n".join(failures))
sys.exit(1 if failures else 0)
