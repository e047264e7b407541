#!/usr/bin/env python3
"""The pages and pictures of `ordo show` and `ordo diff`, opened in headless Chromium: show_pages_test.py ORDO SCRATCH

Texts of the files that they show stay texts, in pages and in the terminal.

Exit status 77, a skipped test, where Chromium is not installed.
"""
import json
import os
import re
import struct
import subprocess
import sys
import xml.dom.minidom
import zlib

import page_check

ordo, scratch = sys.argv[1:]
os.makedirs(scratch, exist_ok=True)
pages, wrong = [], []
page, picture = (os.path.join(scratch, "fork" + end) for end in (".html", ".svg"))
subprocess.run([ordo, "show", "fork", "--steps", "4", "--html", page, "--svg", picture, "--json", page + ".json"], check=True, stdout=subprocess.DEVNULL)
with open(page + ".json") as file:
    levels = json.load(file)["levels"]
if [(l["level"], len(l["weights"]), len(l["losses"])) for l in levels] != [("not_guaranteed", 4, 4), ("run_to_run", 4, 4)]:
    wrong.append(f"{page}.json: {levels}")
if levels[1]["first"] or any(levels[1]["weights"]):
    wrong.append(f"{page}.json: run_to_run parts")
curves = [path for path in xml.dom.minidom.parse(picture).getElementsByTagName("path") if "L" in path.getAttribute("d")]
if len(curves) != 2:
    wrong.append(f"{picture}: {len(curves)} curves")
pages.append(page)
# Two threads meet at a barrier and add to one place.
recording = [{"format": "ordo recording", "version": 1},
             {"launch": 1, "kernel": "add_atomic_kernel</script>", "grid": [1, 1, 1], "block": [2, 1, 1], "seed": 1, "order": "random"},
             ["run", 0, 1], ["barrier", 0, 1, "a.cu:3"], ["run", 0, 0], ["barrier", 0, 0, "a.cu:3"], ["open", 0, 0],
             ["atomic", 0, 0, 0, "0", "0.5"], ["end", 0, 0], ["run", 0, 1], ["atomic", 0, 1, 0, "0.5", "0.75"], ["end", 0, 1], {"cut": 10}]
played, page = (os.path.join(scratch, "playback" + end) for end in (".jsonl", ".html"))


def play(*lines):
    with open(played, "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return subprocess.run([ordo, "show", "playback", played, "-o", page], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


for lines, pattern in (([*recording, ["run", 0]], "line 14: this is no event"), (recording[:1], "no launch"), (recording[1:], "line 1"),
                       ([*recording, ["atomic", 0, 0, "<b>", "1", "2"]], "line 14"), ([*recording, {"launch": 2}], "line 14")):
    run = play(*lines)
    if run.returncode != 2 or pattern not in run.stdout:
        wrong.append(f"'{pattern}' expected: exit status {run.returncode}, {run.stdout}")
if play(*recording).returncode:
    wrong.append("the recording was not played")
pages.append(page)
# Every text of a trace is markup and has what a terminal obeys, and a line that the command does not say.
hostile = page_check.hostile


def trace_text(text):
    bytes_ = (text + "\n\x9bequal: 2 events").encode()
    length = bytes([len(bytes_) & 127 | 128, len(bytes_) >> 7])  # a number of 14 bits
    return length + bytes_


def trace(run):
    """A file of nn/audit/trace.h: a header, and an operation with a tensor whose fingerprint is `run`."""
    pairs = [("version", "v"), ("device", "processor"), ("instruction_set", "vectors"), ("schedule", "schedule"), ("filters", "filters"), ("argument", "argument")]
    header = bytes([0, len(pairs)]) + b"".join(bytes([len(key)]) + key.encode() + trace_text(hostile(name) + run) for key, name in pairs)
    names = [b"\1" + trace_text(hostile(name)) for name in ("operation", "module", "node", "device", "tensor")]
    tensors = b"\0\1" + bytes([2, 0, 5]) + run.encode() * 16  # read, of the first dtype and sizes, with the fifth text
    operation = b"\3\0\0\0\0\0\0\1\2\3\4" + trace_text(hostile("arguments")) + tensors
    bodies = [header, *names, b"\2\1\4", operation, b"\x08"]
    return b"ORDOTRC\n" + struct.pack("<I", 1) + b"".join(struct.pack("<II", len(b), zlib.crc32(b)) + b for b in bodies)


def compared(*arguments):
    return subprocess.run([ordo, "diff", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


differences, traces = os.path.join(scratch, "diff.html"), [os.path.join(scratch, run + ".trace") for run in "ab"]
for name in traces:
    with open(name, "wb") as file:
        file.write(trace(os.path.basename(name)[0]))
run = compared(*traces, "--html", differences, "--json", differences + ".json")
said = run.stdout.decode()
if run.returncode != 1 or "first: operation operation\"'" not in said:
    wrong.append(f"the traces with markup were not compared: exit status {run.returncode}, {said}")
wrong += [f"ordo diff printed {c!r}" for c in sorted(set(said)) if not c.isprintable() and c != "\n"]
if "\\x1b[31m" not in said or "\nequal" in said:
    wrong.append(f"ordo diff does not escape: {said}")
run = compared(os.path.join(scratch, "\x1b[31m\nequal"), traces[0])
if run.returncode != 2 or b"\x1b" in run.stdout:
    wrong.append(f"an error has the name of a file as it is: {run.stdout}")
if page_check.BROWSER is None:
    print("\n".join(wrong) or "Chromium is not installed")
    sys.exit(1 if wrong else 77)
wrong += page_check.check(pages, scratch)
dom, _ = page_check.browse(scratch, page, "--dump-dom")
for text in ("Step 10 of 10: block 0 thread 1 has ended.", "b0 t0: 0.5, b0 t1: 0.25", "ends after 10 events", "2 threads and 10 steps",
             "1: add_atomic_kernel&lt;/script&gt;, grid 1 x 1 x 1"):
    if text not in dom:
        wrong.append(f"nothing of '{text}' in the playback")
# Every text of a recording is markup.
harmful = [recording[0], {**recording[1], "launch": hostile("launch"), "kernel": hostile("kernel"), "grid": [hostile("grid")], "block": [hostile("block")],
                          "seed": hostile("seed"), "order": hostile("order")},
           ["barrier", 0, 1, hostile("barrier")], ["warp", 0, 1, hostile("warp")], ["atomic", 0, 0, 0, hostile("old"), hostile("new")], {"cut": hostile("cut")}]
if play(*harmful).returncode:
    wrong.append("the recording with markup was not played")
wrong += page_check.harmed(page, scratch, ["launch", "kernel", "grid", "block", "seed", "old", "new"])
wrong += page_check.harmed(differences, scratch, ["operation", "module", "tensor", "arguments", "processor", "vectors", "schedule", "filters", "argument"])
circles = len(re.findall(r'<circle cx="\d', dom))
if circles != 2:
    wrong.append(f"{circles} atomic operations in the playback, not 2")
print("\n".join(wrong) or "the pages are as they should be")
sys.exit(1 if wrong else 0)
