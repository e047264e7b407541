#!/usr/bin/env python3
"""The built site, checked: check_site.py SITE SCRATCH

Of the public headers: Doxygen has nothing to complain of, and everything is told what it is.
Over all pages: links and anchors lead somewhere, nothing is loaded from another host, images have texts, headings are in order.
In headless Chromium, as files: some pages of each kind are as tests/tools/page_check.py wants them, and searches find what they should.
The lessons' exercises run there: every text has its verdict in time, and the unsolved files and solutions say in the page what they say
elsewhere, to the bits of each schedule.
"""
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlparse

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/tools"), str(ROOT / "docs/site"), str(ROOT / "docs/site/live")]
import addresses  # noqa: E402
import live  # noqa: E402
import page_check  # noqa: E402
from browser import Browser  # noqa: E402

LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "link": "href", "video": "src", "object": "data"}
OPENED = ["index.html", "getting-started.html", "show.html", "lessons/index.html", "lessons/02-atomic-histogram.html", "ordering.html", "ops.html", "performance.html",
          "audit.html", "api/index.html", "api/autograd/ops/reduce/reductions.h.html", "api/engine/tensor/tensor.h.html", "api/nn/module.h.html", "bench/results/report.html"]
OTHER_EXP = {(7, "solution")}  # the sum is one of expf(), which another C library rounds otherwise
TEXTS = ".md-content *, .md-tabs a, .md-nav__link, .md-header .md-ellipsis"  # not the theme's own marks


class Page(HTMLParser):
    """Links, anchors, what is loaded, images and headings of one file."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads, self.images, self.headings = set(), [], [], [], []
        self.text = path.read_text()
        self.feed(self.text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.update(v for k, v in attributes if k == "id" or (k == "name" and tag == "a"))
        if tag == "a" and values.get("href") is not None:
            self.links.append(values["href"])
        if values.get(LOADS.get(tag)) and values.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(values[LOADS[tag]])
        if tag == "img":
            self.images.append((values.get("src", "?"), values.get("alt")))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))


def elsewhere(address):
    return bool(re.match(r"(https?:)?//", address))


def check_links(site, pages):
    failures = []
    for name, page in pages.items():
        for link in page.links + page.loads:
            if elsewhere(link) or re.match(r"(mailto|data|javascript):", link):
                continue
            target = urlparse(urljoin(f"/{name}", link))
            path = unquote(target.path).lstrip("/") or "index.html"
            anchor = unquote(target.fragment)
            if not (site / path).is_file():
                failures.append(f"{name}: nothing is at {link}")
            elif anchor and path in pages and anchor not in pages[path].ids:
                failures.append(f"{name}: {link} has no such anchor")
    return failures


def check_contents(site, pages):
    failures = []
    for name, page in pages.items():
        failures += [f"{name}: loads {load}" for load in page.loads if elsewhere(load)]
        failures += [f"{name}: the image {src} has no text" for src, alt in page.images if not alt]
        heads = page.headings
        if heads.count(1) != 1 or heads[0] != 1:
            failures.append(f"{name}: headings {heads[:5]}, where one h1 comes first")
        failures += [f"{name}: h{b} after h{a}" for a, b in zip(heads, heads[1:]) if b > a + 1]
    for style in list(site.rglob("*.css")) + list(site.rglob("*.html")):
        for address in re.findall(r"url\(['\"]?([^)'\"]+)|@import ['\"]([^'\"]+)", style.read_text()):
            if elsewhere("".join(address)):
                failures.append(f"{style.relative_to(site)}: loads {''.join(address)}")
    return failures


def check_in_browser(site, scratch):
    if page_check.BROWSER is None:
        return ["Chromium is not installed"]
    failures = page_check.check([site / name for name in OPENED], scratch, TEXTS)
    start = site / "index.html"
    for word, page in (("embedding_bag", "embedding.h.html"), ("associative", "01-addition-is-not-associative.html"), ("cudaMalloc", "glossary.html")):
        dom, console = page_check.browse(scratch, f"{start}?q={word}", "--dump-dom")
        results = re.findall(r'class="md-search-result__link"[^>]*|href="([^"]*)"[^>]*class="md-search-result__link"', dom)
        shown = " ".join(results)
        failures += console
        if page not in shown:
            failures.append(f"index.html: a search for {word} does not find {page} but: {shown or 'nothing'}")
    with Browser(scratch) as browser:
        failures += check_filter(browser, site)
    return failures + page_check.pictures(scratch, start)


def check_addresses(scratch):
    """A link to the site has a picture, and the site one to the sources, where their addresses are known."""
    folder = scratch / "addresses"
    (folder / "docs").mkdir(parents=True, exist_ok=True)
    (folder / "docs/index.md").write_text("# A page\n")
    os.environ.update(ORDO_SITE_URL="https://example.org/ordo", ORDO_REPOSITORY_URL="https://example.org/sources", NO_MKDOCS_2_WARNING="1")
    (folder / "mkdocs.yml").write_text(json.dumps({"INHERIT": str(ROOT / "docs/site/mkdocs.yml"), "docs_dir": "docs", "site_dir": "site", **addresses.settings()}))
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", str(folder / "mkdocs.yml")], check=True)
    text = (folder / "site/index.html").read_text()
    return [f"a page with addresses has no {wanted}" for wanted in ('og:image" content="https://example.org/ordo/assets/picture.png"', 'href="https://example.org/sources"')
            if wanted not in text]


def essence(said):
    """Of what a check prints: what does not depend on the compiler, which decides which accesses are left of a kernel."""
    text = "\n".join(line.split(" The busiest")[0] for line in said.splitlines() if not re.match(r"\(\d+ ms\)| +\d+ \| |ONE SCHEDULE", line))
    text = re.sub(r"yours\.cu:\d+ \((\w+\(\))\)", r"\1", text)  # where a function begins: at its name, or at its first statement
    text = re.sub(r"^((RACE|UNWRITTEN MEMORY): )(.*(?:\n  .*)*)", lambda found: found[1] + str(sorted(set(re.findall(r"yours\.cu:\d+", found[3])))), text, flags=re.M)
    return text.strip()


def check_switch(browser, site):
    """The first screen: off, two models; on, one, which is that of the CPU (tests/docs/first_screen_test.cpp)."""
    failures, began = [], time.monotonic()
    browser.open(f"file://{site}/index.html")
    box = "document.querySelector('.live-switch')"
    if browser.wait(f"{box}?.querySelector('.live-curve-1')?.getAttribute('d')") is None:
        failures.append("index.html: no curve is drawn")
    print(f"index.html: the first curve is there after {time.monotonic() - began:.1f} s")
    for on, models in (("false", 2), ("true", 1)):
        if browser.wait(f"{box}?.dataset.done") != on or len(hashes := set(browser.value(f"{box}.dataset.hashes").split())) != models:
            failures.append(f"index.html, switch {on}: {browser.value(f'{box}.innerText')}")
        elif on == "true" and hashes != {(ROOT / "docs/site/live/switch.sha256").read_text().strip()}:
            failures.append(f"index.html: the weights are {hashes}, and not those of docs/site/live/switch.sha256")
        browser.value("document.getElementById('live-on').click()")
    return failures


def check_sums(browser, site):
    """The page on orders: what it finds is what tests/docs/page_sums_test.cu finds, and `index_add` without determinism has several orders."""
    failures, began = [], time.monotonic()
    browser.open(f"file://{site}/show.html")
    box, lines = "document.querySelector('.live-sums')", ""

    def look(*values):
        browser.value(f"ordoLook({', '.join(map(str, values))})")
        return browser.value(f"{box}.dataset.line") if browser.wait(f"{box}?.dataset.done") == "true" else browser.value(f"{box}?.innerText") or "nothing"
    browser.wait(f"{box}?.dataset.done")
    print(f"show.html: the first tree is there after {time.monotonic() - began:.1f} s")
    for op, dtype, level in itertools.product(range(4), range(2), range(2)):
        lines += look(op, 24, dtype, level, 3) + "\n"
    if (found := hashlib.sha256(lines.encode()).hexdigest()) != (ROOT / "docs/site/live/sums.sha256").read_text().strip():
        failures.append(f"show.html: the sums have the hash {found}, and not that of docs/site/live/sums.sha256:\n{lines}")
    for level, several in ((0, True), (1, False)):
        orders = {re.sub(r'"results".*', "", look(0, 24, 0, level, seed)) for seed in range(1, 6)}
        if (len({re.sub(r'.*"additions"', "", order) for order in orders}) > 1) != several:
            failures.append(f"show.html, level {level}: {len(orders)} orders in 5 schedules")
    drawn = browser.value("document.querySelectorAll('.live-plus').length")
    if drawn != 24:
        failures.append(f"show.html: of 24 additions {drawn} are drawn")
    return failures


def check_filter(browser, site):
    browser.open(f"file://{site}/ops.html")
    browser.wait("document.querySelector('.filter input')")
    rows = "[...document.querySelectorAll('.md-content tbody tr')].filter(r => r.offsetParent).map(r => r.cells[0].textContent)"
    every = browser.value(rows)
    browser.value("(f => { f.value = 'embedding_bag'; f.oninput(); })(document.querySelector('.filter input'))")
    left = browser.value(rows)
    if not left or len(left) >= len(every) / 10 or not any("embedding_bag" in name for name in left):
        return [f"ops.html: of {len(every)} rows a filter for embedding_bag leaves {left}"]
    return []


def check_lessons(site, scratch):
    if not (site / "assets/programs").exists():
        return ["there is nothing that runs in pages: " + ("build_site.py says why" if shutil.which("em++") else "Emscripten is not installed")]
    failures, folder = [], scratch / "lessons"
    for program in (site / "assets/programs").iterdir():
        if program.stat().st_size > 3e6:
            failures.append(f"{program.name} takes {program.stat().st_size / 1e6:.1f} MB, and may take 3")
    pages = {int(page.name[:2]): page for page in (site / "lessons").glob("[0-9]*.html")}

    def run(browser, lesson, name, seed=0):
        if browser.value("location.pathname") != str(pages[lesson.number]):
            browser.open(f"file://{pages[lesson.number]}?check=solution")  # the address may ask for a check
            if browser.wait("document.querySelector('.live')?.dataset.verdict") != "DONE":
                failures.append(f"lesson {lesson.number}: its address asked for a check of the solution, which is not DONE")
        browser.value(f"ordoCheck({name.replace('_', ' ')!r}, {seed})")
        word = browser.wait("document.querySelector('.live')?.dataset.verdict")
        return word, browser.value("document.querySelector('.live-said').textContent + '\\n' + document.querySelector('.live-verdict').textContent")

    live.build.Builder(folder).library()
    with Browser(scratch) as browser:
        failures += check_switch(browser, site) + check_sums(browser, site)
        for lesson, name, text, verdict in live.programs():
            word, said = run(browser, lesson, name)
            if word != verdict:
                failures.append(f"lesson {lesson.number}, {name}, in its page: {word} in place of {verdict}: {said}")
            for seed in (0, 2, 7) if name in ("unsolved", "solution") else ():
                source = folder / "sources" / lesson.folder.name / name / "yours.cu"
                source.parent.mkdir(parents=True, exist_ok=True)
                source.write_text(text)
                _, elsewhere_said = live.lessons.verdict(lesson, source, folder, seed=seed or None)
                said = run(browser, lesson, name, seed)[1] if seed else said
                if essence(said) != essence(elsewhere_said) and (lesson.number, name) not in OTHER_EXP:
                    failures.append(f"lesson {lesson.number}, {name}, seed {seed}: in the page\n{essence(said)}\nelsewhere\n{essence(elsewhere_said)}")
        for lesson, name, _, verdict in live.recorded_texts():
            word, said = run(browser, lesson, name)
            if word != verdict or (verdict == "FORK") != ("ordo diff says" in said):
                failures.append(f"lesson {lesson.number}, {name}, in its page: {word} in place of {verdict}: {said}")
        failures += [f"a lesson's page: {line}" for line in browser.console]
    return failures


def main():
    site, scratch = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pages = {str(p.relative_to(site)): Page(p) for p in sorted(site.rglob("*.html"))}
    failures = (scratch / "api/complaints.txt").read_text().splitlines()
    failures += check_links(site, pages) + check_contents(site, {n: p for n, p in pages.items() if n != "404.html"})
    failures += check_addresses(scratch)
    if not (site / "assets/picture.png").exists():
        failures.append("there is no picture for links")
    if "use_deterministic_algorithms" not in pages["index.html"].text:
        failures.append("index.html does not show the switch")
    failures += check_in_browser(site, scratch) + (check_lessons(site, scratch) if page_check.BROWSER else [])
    print("\n".join(failures) or f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links, {len(OPENED)} pages opened in a browser: as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
