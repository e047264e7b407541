#!/usr/bin/env python3
"""`ordo report` on a result file, opened in headless Chromium: report_test.py ORDO RESULTS.json SCRATCH

The page needs nothing but itself, the browser reports nothing, every chart is drawn, it fits a phone, and light and dark
differ. Exit status 77, a skipped test, where Chromium or Matplotlib is not installed.
"""
import os
import re
import shutil
import subprocess
import sys

ordo, results, scratch = sys.argv[1:]
os.makedirs(scratch, exist_ok=True)
page = os.path.join(os.path.abspath(scratch), "report.html")
browser = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
failures = []


def expect(truth, text):
    if not truth:
        failures.append(text)


def report(status, pattern, *arguments):
    run = subprocess.run([ordo, "report", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = " ".join(arguments) + f": exit status {run.returncode}, {run.stdout}"
    if run.returncode == 3 and "Matplotlib" in run.stdout:
        print(run.stdout)
        sys.exit(77)
    expect(run.returncode == status and re.search(pattern, run.stdout), said)


def browse(*arguments, style=""):
    """What Chromium prints; `style` is put at the page's end."""
    shown = page
    if style:
        shown = page.replace(".html", "-styled.html")
        with open(page) as file, open(shown, "w") as out:
            out.write(file.read().replace("</body>", style + "</body>"))
    run = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
                          f"--user-data-dir={scratch}/browser", *arguments, "file://" + shown],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    console = [line for line in run.stderr.splitlines() if "CONSOLE" in line]
    expect(not console, "the browser's console: " + "\n".join(console))
    return run.stdout


report(0, "wrote", results, "-o", page)
with open(page) as file:
    text = file.read()
outside = re.findall(r'(?:src|href)="(?!#|data:)[^"]*"|url\((?!#)[^)]*\)|@import', text)
expect(not outside, f"the page asks for {outside}")
expect(text.count("<svg role") >= 6, "there are fewer than six drawings")
for word in ("The price of determinism", "Spread of the repeats", "<h2>Bits</h2>", "<pre>ordo bench --", "of copy bandwidth",
             "@media print", "prefers-color-scheme: dark"):
    expect(word in text, f"nothing of '{word}'")

broken = os.path.join(scratch, "broken.json")
with open(broken, "w") as file:
    file.write("{}")
report(2, "was not written by", broken, "-o", page)
report(2, "cannot read", os.path.join(scratch, "absent.json"))
report(2, "cannot write", results, "-o", os.path.join(scratch, "absent", "report.html"))
report(2, "required")

if browser is None:
    print("Chromium is not installed")
    sys.exit(1 if failures else 77)
measure = """<pre id=sizes></pre><script>
  const charts = [...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect());
  const marks = [...document.querySelectorAll('figure svg use, figure svg path')].filter(m => m.getBoundingClientRect().width);
  document.getElementById('sizes').textContent = 'charts ' + charts.length + ' drawn ' +
    charts.filter(r => r.width > 250 && r.height > 20).length + ' marks ' + marks.length + ' page ' +
    document.body.scrollWidth;
</script>"""
for width in (1280, 390):  # Chromium's headless windows are not narrower than 500, the page can be
    dom = browse(f"--window-size={max(width, 500)},900", "--dump-dom", style=f"<style>body {{width: {width}px}}</style>" + measure)
    found = re.search(r"charts (\d+) drawn (\d+) marks (\d+) page (\d+)", dom)
    if not found:
        failures.append("nothing was measured in the page")
        continue
    charts, drawn, marks, wide = map(int, found.groups())
    expect(charts >= 3 and drawn == charts, f"{drawn} of {charts} charts drawn at {width} pixels")
    expect(marks > 10, f"only {marks} marks in the charts")
    expect(wide <= width, f"the page is {wide} pixels wide where there are {width}")
shots = []
for scheme, name in (("1", "light"), ("0", "dark")):
    shot = os.path.join(scratch, name + ".png")
    browse("--window-size=1280,1600", f"--blink-settings=preferredColorScheme={scheme}", "--screenshot=" + shot)
    with open(shot, "rb") as file:
        shots.append(file.read())
    expect(len(shots[-1]) > 20000, f"the {name} picture has only {len(shots[-1])} bytes")
expect(shots[0] != shots[1], "light and dark look the same")

print("\n".join(failures) or f"{page}: as it should be")
sys.exit(1 if failures else 0)
