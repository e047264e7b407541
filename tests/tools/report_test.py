#!/usr/bin/env python3
"""`ordo report` on a result file, opened in headless Chromium: report_test.py ORDO RESULTS.json SCRATCH

The page needs nothing but itself, every chart is drawn, it is as page_check.py wants all pages, and texts of the file stay texts. Exit status 77, a
skipped test, where Chromium or Matplotlib is not installed.
"""
import json
import os
import re
import sys

import page_check

ordo, results, scratch = sys.argv[1:]
os.makedirs(scratch, exist_ok=True)
page = os.path.join(os.path.abspath(scratch), "report.html")
reports = page_check.Reports(ordo)
report, expect, failures = reports.make, reports.expect, reports.failures

report(0, "wrote", results, "-o", page)
text = reports.text_of(page)
expect(text.count("<svg role") >= 6, "there are fewer than six drawings")
for word in ("The price of determinism", "Spread of the repeats", "<h2>Bits</h2>", "<pre>ordo bench --", "of copy bandwidth",
             "@media print", "prefers-color-scheme: dark"):
    expect(word in text, f"nothing of '{word}'")

report(0, "wrote", results, "-o", page, "--export", "csv,svg,pdf,tex")
base, made = page.removesuffix(".html"), sorted(os.listdir(os.path.dirname(page)))
for name, begins in (("report.csv", b"processor,threads,device,operation"), ("report.tex", b"\\begin{tabular}"),
                     ("report-price-of-determinism-by-operation.svg", b"<?xml"), ("report-price-of-determinism-by-operation.pdf", b"%PDF")):
    with open(os.path.join(scratch, name), "rb") as file:
        expect(file.read(40).startswith(begins), f"{name} does not begin with {begins}")
report(0, "wrote", results, "-o", page, "--slides")
slides = reports.text_of(page)
expect(slides.count('<section class="slide">') >= 4 and "aspect-ratio: 16 / 9" in slides, "there are no slides")
fitting = slides.count("<figure>") + slides.count("<li>")
expect(fitting == text.count("<figure>") and all(slide.count("<figure>") <= 1 for slide in slides.split("<section")), f"of {text.count('<figure>')} charts {fitting} are on slides or named")
report(2, "takes csv, svg, pdf and tex, not png", results, "-o", page, "--export", "png")
with open(results) as file:
    data = json.load(file)
data["load"] = 3 * data["threads"]
# A benchmark that only one of them has decides nothing beside the other.
extra = json.loads(json.dumps(next(r for r in data["results"] if r["path"] == "run_to_run" and "ms" in r)))
for path, factor in (("run_to_run", 1e6), ("not_guaranteed", 1)):
    ms = {key: value * factor if key in ("least", "low", "median", "high", "most") else value for key, value in extra["ms"].items()}
    data["results"].append({**extra, "op": "only_here", "path": path, "ms": ms})
data["machine"]["devices"] = [{"device": "cpu", "name": "Another & processor"}]
busy = os.path.join(scratch, "busy.json")
with open(busy, "w") as file:
    json.dump(data, file)
report(0, "wrote", results, busy, "-o", page)
expect("The machine was busy" in reports.text_of(page), "a busy machine is not marked")
expect(re.search(r'aria-label="machine 2".*?</svg>\s*CPU · Another &amp; processor', reports.text_of(page), re.S), "two machines are in no chart")
report(0, "wrote", results, "-o", page)

for name, value in (("repeats", 0), ("repeats", "many"), ("least", None)):
    odd = json.loads(json.dumps(data))
    next(r for r in odd["results"] if "ms" in r)["ms"][name] = value
    with open(busy, "w") as file:
        json.dump(odd, file)
    report(2, "was not written by", busy, "-o", page)
report(0, "wrote", results, "-o", page)

broken = os.path.join(scratch, "broken.json")
with open(broken, "w") as file:
    file.write("{}")
report(2, "was not written by", broken, "-o", page)
report(2, "no such file", os.path.join(scratch, "absent.json"))
report(2, "cannot write", results, "-o", os.path.join(scratch, "absent", "report.html"))
report(2, "required")

if page_check.BROWSER is None:
    print("Chromium is not installed")
    sys.exit(1 if failures else 77)
measure = """<pre id=sizes></pre><script>
  const charts = [...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect());
  const marks = [...document.querySelectorAll('figure svg use, figure svg path')].filter(m => m.getBoundingClientRect().width);
  document.getElementById('sizes').textContent = 'charts ' + charts.length + ' drawn ' +
    charts.filter(r => r.width > 250 && r.height > 20).length + ' marks ' + marks.length;
</script>"""
styled = page.replace(".html", "-styled.html")
for width in page_check.WIDTHS:  # Chromium's windows are not narrower than 500, the page can be
    with open(styled, "w") as file:
        file.write(text.replace("</body>", f"<style>body {{width: {width}px}}</style>{measure}</body>"))
    dom, _ = page_check.browse(scratch, styled, f"--window-size={max(width, 500)},900", "--dump-dom")
    found = re.search(r"charts (\d+) drawn (\d+) marks (\d+)", dom)
    if not found:
        failures.append("nothing was measured in the page")
        continue
    charts, drawn, marks = map(int, found.groups())
    expect(charts >= 3 and drawn == charts, f"{drawn} of {charts} charts drawn at {width} pixels")
    expect(marks > 10, f"only {marks} marks in the charts")
# Every text of a result file is markup.
hostile, harmful = page_check.hostile, os.path.join(scratch, "hostile.json")
entries = [{"name": hostile("name"), "family": hostile("family"), "op": hostile("op") + kind, "path": path, "device": hostile("device"),
            "dtype": hostile("dtype"), "distribution": "uniform" if kind else hostile("distribution"), "shape": hostile("shape"),
            "row": {"M": 4, hostile("letter"): 2, "values": hostile("values") + kind}, "ms": {"low": 1, "median": 2, "high": 3},
            "patterns": {"distinct": 1, "repeats": 3}, "bytes_per_second": 1e9, "max_ulp": 1}
           for path in ("atomic", "run_to_run", "exact", "pytorch") for kind in ("", " of another kind")]
entries.append({**entries[0], "path": "pytorch_deterministic", "error": hostile("error")})
machine = {key: hostile(key) for key in ("processor", "cores", "memory", "system")}
with open(harmful, "w") as file:
    json.dump({"format": "ordo bench", "version": 1, **{key: hostile(key) for key in ("command", "time", "commit", "ordo", "threads", "load")},
               "libraries": {hostile("library"): hostile("version")}, "bandwidth": {hostile("device"): 1e9}, "notes": [hostile("note")],
               "machine": {**machine, "devices": [{"device": hostile("device"), "name": hostile("device-name")}]},
               "peers": {hostile("device"): hostile("peer")}, "results": entries}, file)
report(0, "wrote", harmful, harmful, "-o", page)  # twice, for the links between the parts
failures += page_check.harmed(page, scratch, ["family", "op", "device", "dtype", "distribution", "letter", "values", "error", *machine, "command",
                                              "time", "commit", "ordo", "threads", "load", "library", "version", "device-name", "peer", "note"])
report(0, "wrote", results, "-o", page)
failures += page_check.check([page], scratch) + page_check.pictures(scratch, page)

print("\n".join(failures) or f"{page}: as it should be")
sys.exit(1 if failures else 0)
