#!/usr/bin/env python3
"""The built site, checked: check_site.py SITE SCRATCH

Of the public headers: Doxygen has nothing to complain of, and everything is told what it is.
Over all pages: links and anchors lead somewhere, nothing is loaded from another host, images have texts, headings are in order.
In headless Chromium, as files: some pages of each kind are as tests/tools/page_check.py wants them, and searches find what they should.
"""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlparse

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests/tools"))
import page_check  # noqa: E402

LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "link": "href", "video": "src", "object": "data"}
OPENED = ["index.html", "getting-started.html", "show.html", "lessons/index.html", "lessons/02-atomic-histogram.html", "ordering.html", "ops.html", "performance.html",
          "audit.html", "api/index.html", "api/autograd/ops/reduce/reductions.h.html", "api/engine/tensor/tensor.h.html", "api/nn/module.h.html", "bench/results/report.html"]
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
    for word, page in (("embedding_bag", "embedding.h.html"), ("associative", "01-addition-is-not-associative.html")):
        dom, console = page_check.browse(scratch, f"{start}?q={word}", "--dump-dom")
        results = re.findall(r'class="md-search-result__link"[^>]*|href="([^"]*)"[^>]*class="md-search-result__link"', dom)
        shown = " ".join(results)
        failures += console
        if page not in shown:
            failures.append(f"index.html: a search for {word} does not find {page} but: {shown or 'nothing'}")
    return failures + page_check.pictures(scratch, start)


def main():
    site, scratch = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pages = {str(p.relative_to(site)): Page(p) for p in sorted(site.rglob("*.html"))}
    failures = (scratch / "api/complaints.txt").read_text().splitlines()
    failures += check_links(site, pages) + check_contents(site, {n: p for n, p in pages.items() if n != "404.html"})
    if "use_deterministic_algorithms" not in pages["index.html"].text:
        failures.append("index.html does not show the switch")
    failures += check_in_browser(site, scratch)
    print("\n".join(failures) or f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links, {len(OPENED)} pages opened in a browser: as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
