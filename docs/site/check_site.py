#!/usr/bin/env python3
"""The built site, checked: check_site.py SITE SCRATCH

Over all pages: links and anchors lead somewhere, nothing is loaded from another host, images have texts, headings are in order.
In headless Chromium: pages open with nothing on the console, are no wider than a phone, have contrast in
light and dark colours, and search as files.
"""
import functools
import html
import http.server
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlparse

LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "link": "href", "video": "src", "object": "data"}
OPENED = ["index.html", "getting-started.html", "lessons/index.html", "lessons/02-atomic-histogram.html", "ordering.html", "ops.html", "performance.html",
          "audit.html", "api/index.html", "api/autograd/ops/sum.h.html", "bench/results/report.html"]
PHONE = 390  # pixels
PALE = (Path(__file__).parent / "contrast.js").read_text()
TEXTS = ".md-content *, .md-tabs a, .md-nav__link, .md-header .md-ellipsis"  # not the theme's own marks
CONTRAST = 4.5  # of text and what is behind it, as WCAG 2 asks for at level AA; 3 for large text


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


# -- in a browser ---------------------------------------------------------------------------------------------------


class Server(http.server.SimpleHTTPRequestHandler):
    """The site, and at /frame a page that shows another one at a phone's width and says how wide that is."""

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        if not self.path.startswith("/frame?"):
            super().do_GET()
            return
        body = f"""<!doctype html><title>frame</title><link rel="icon" href="data:,">
          <iframe id=f title=page style="width:{PHONE}px;height:844px;border:0"></iframe><pre id=out></pre><script>const pale = {PALE}</script><script>
          f.onload = () => setTimeout(() => {{
            const page = f.contentDocument, root = page.scrollingElement;
            const wide = [...page.querySelectorAll('.md-content *, body > *')].filter(e => e.getBoundingClientRect().left < -1).length;
            out.textContent = JSON.stringify({{width: Math.max(root.scrollWidth, page.body.scrollWidth), wide, text: page.body.innerText.length, pale: pale(page, {CONTRAST}, '{TEXTS}')}});
          }}, 300);
          f.src = "/{self.path.partition('?')[2]}";</script>""".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)


class Browser:
    def __init__(self, program, scratch):
        self.program, self.scratch, self.failures = program, scratch, []

    def open(self, address, *arguments):
        """The page as Chromium has it when its scripts have run; what it prints on the console is a failure."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as profile:
            run = subprocess.run([self.program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
                                  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--virtual-time-budget=5000", f"--user-data-dir={profile}",
                                  "--window-size=1280,900", *arguments, address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
        self.failures += [f"{address}: {line}" for line in run.stderr.splitlines() if "CONSOLE" in line]
        return run.stdout


def check_in_browser(site, scratch):
    program = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
    if program is None:
        return ["Chromium is not installed"]
    browser = Browser(program, scratch)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for scheme, name in ((s, n) for n in OPENED for s in (1, 0)):  # light, dark
        found = re.search(r'<pre id="out">(\{.*?\})</pre>', browser.open(f"http://127.0.0.1:{server.server_port}/frame?{name}", "--dump-dom",
                                                                          f"--blink-settings=preferredColorScheme={scheme}"))
        if not found:
            browser.failures.append(f"{name}: the browser measured nothing")
            continue
        size = json.loads(html.unescape(found[1]))
        browser.failures += [f"{name}, {'light' if scheme else 'dark'}: too little contrast of {text}" for text in size["pale"]]
        if size["width"] > PHONE:
            browser.failures.append(f"{name}: {size['width']} pixels wide on a phone that has {PHONE}")
        if size["text"] < 200:
            browser.failures.append(f"{name}: only {size['text']} characters of text are shown")
    server.shutdown()

    start = (site / "index.html").as_uri()
    for word, page in (("embedding_bag", "embedding_bag.h.html"), ("associative", "01-addition-is-not-associative.html")):
        results = re.findall(r'class="md-search-result__link"[^>]*|href="([^"]*)"[^>]*class="md-search-result__link"', browser.open(f"{start}?q={word}", "--dump-dom"))
        shown = " ".join(str(r) for r in results)
        if page not in shown:
            browser.failures.append(f"index.html, opened as a file: a search for {word} does not find {page} but: {shown or 'nothing'}")
    shots = []
    for scheme, name in ((1, "light"), (0, "dark")):
        shot = scratch / f"{name}.png"
        browser.open(start, f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={shot}")
        shots.append(shot.read_bytes() if shot.exists() else b"")
    if shots[0] == shots[1] or min(map(len, shots)) < 20000:
        browser.failures.append("the front page looks the same in light and dark, or there is no picture of it")
    return browser.failures


def main():
    site, scratch = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pages = {str(p.relative_to(site)): Page(p) for p in sorted(site.rglob("*.html"))}
    failures = check_links(site, pages) + check_contents(site, {n: p for n, p in pages.items() if n != "404.html"})
    if "use_deterministic_algorithms" not in pages["index.html"].text:
        failures.append("index.html does not show the switch")
    failures += check_in_browser(site, scratch)
    print("\n".join(failures) or f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links, {len(OPENED)} pages opened in a browser: as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
