"""Pages in headless Chromium, without a network: browse() opens one, and check(PAGES, SCRATCH) returns what is wrong with several.

hostile(NAME) is a text that runs scripts where a page takes it for markup; harmed(PAGE, SCRATCH, NAMES) returns what such names did.
Of all pages, at the widths of a desk and a phone, in light and dark: the browser reports nothing, the page is no wider than its window,
headings begin with h1 and skip no level, pictures have texts, and text stands out from what is behind it (WCAG AA).
As a program: page_check.py SCRATCH PAGE.html...
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

BROWSER = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
WIDTHS = (1280, 390)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "contrast.js")) as script:
    PALE = script.read()

# Shows the pages one by one in a frame, because a window is no narrower than 500 pixels.
WRAPPER = """<!doctype html><meta charset=utf-8><pre id=found>unfinished</pre><script>
const pages = %s, width = %d, texts = %s, found = [];
const pale = %s;
function look(page, frame) {
  const doc = frame.contentDocument, view = frame.contentWindow, root = doc.documentElement;
  const say = text => found.push(page.split('/').slice(-2).join('/') + ' at ' + width + ': ' + text);
  if (root.scrollWidth > width) {
    const wide = [...doc.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > width + 1).slice(0, 3);
    say('it is ' + root.scrollWidth + ' pixels wide; see ' + wide.map(e => e.tagName + '.' + e.getAttribute('class')).join(' '));
  }
  let level = 0;
  for (const h of doc.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const here = Number(h.tagName[1]);
    if (here > level + 1) say('heading "' + h.textContent.trim() + '" is h' + here + ' after h' + level);
    level = here;
  }
  if (doc.querySelectorAll('h1').length !== 1) say('it has ' + doc.querySelectorAll('h1').length + ' h1');
  for (const img of doc.querySelectorAll('img')) {
    if (!img.getAttribute('alt')) say('a picture without text: ' + img.getAttribute('src'));
    if (img.complete && !img.naturalWidth) say('a picture that is not there: ' + img.getAttribute('src'));
  }
  for (const svg of doc.querySelectorAll('svg[role=img]')) if (!svg.getAttribute('aria-label')) say('a drawing without a label');
  if (doc.body.innerText.length < 100) say('it shows ' + doc.body.innerText.length + ' characters of text');
  const scheme = view.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  for (const text of pale(doc, 4.5, texts)) say('text is faint, ' + scheme + ': ' + text);
}
const frame = document.createElement('iframe');
frame.style = 'border:0;height:900px;width:' + width + 'px';
document.body.append(frame);
let next = 0;
frame.onload = () => setTimeout(() => {
  if (next > 0) { try { look(pages[next - 1], frame); } catch (e) { found.push(pages[next - 1] + ': ' + e); } }
  if (next === pages.length) { frame.onload = null; document.getElementById('found').textContent = JSON.stringify(found); return; }
  frame.src = pages[next++];
}, 300);
frame.src = 'about:blank';
</script>"""


def browse(scratch, page, *arguments, scheme="light"):
    """Chromium's standard output, and what the page wrote to the console. `page`: a file, with ?... where it takes that."""
    with tempfile.TemporaryDirectory(dir=scratch) as profile:  # a new one: pages may keep the colours that they began with
        run = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
                              "--host-resolver-rules=MAP * ~NOTFOUND", "--allow-file-access-from-files", "--virtual-time-budget=5000",
                              f"--user-data-dir={profile}", f"--blink-settings=preferredColorScheme={int(scheme == 'light')}", *arguments,
                              "file://" + os.path.abspath(page)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    return run.stdout, [line for line in run.stderr.splitlines() if "CONSOLE" in line]


def pictures(scratch, page, size="1280,1600"):
    """What is wrong with how the page looks as a whole: light and dark differ, and neither is empty."""
    shots, wrong = [], []
    for scheme in ("light", "dark"):
        shot = os.path.join(scratch, scheme + ".png")
        if os.path.exists(shot):
            os.remove(shot)
        _, console = browse(scratch, page, "--window-size=" + size, "--screenshot=" + os.path.abspath(shot), scheme=scheme)
        wrong += ["the browser's console: " + line for line in console]
        with open(shot, "rb") as file:
            shots.append(file.read())
        if len(shots[-1]) < 20000:
            wrong.append(f"{page}: the {scheme} picture has only {len(shots[-1])} bytes")
    if shots[0] == shots[1]:
        wrong.append(f"{page}: light and dark look the same")
    return wrong


def check(pages, scratch, texts="body *"):
    """`texts`: a selector of what must stand out from what is behind it."""
    os.makedirs(scratch, exist_ok=True)
    wrapper = os.path.join(os.path.abspath(scratch), "wrapper.html")
    wrong = []
    for width in WIDTHS:
        with open(wrapper, "w") as file:
            file.write(WRAPPER % (json.dumps(["file://" + os.path.abspath(p) for p in pages]), width, json.dumps(texts), PALE))
        for scheme in ("light", "dark"):
            dom, console = browse(scratch, wrapper, "--window-size=1400,1000", "--dump-dom",
                                  f"--virtual-time-budget={20000 + 2000 * len(pages)}", scheme=scheme)
            wrong += ["the browser's console: " + line for line in console]
            found = re.search(r"<pre id=\"found\">(.*?)</pre>", dom, re.S)
            if not found or found[1] == "unfinished":
                wrong.append(f"the pages were not all looked at, at {width} pixels")
            else:
                wrong += json.loads(html.unescape(found[1]))
    return list(dict.fromkeys(wrong))


# -- names that are markup ---------------------------------------------------------------------------------------------

def hostile(name):
    """Ends attributes, scripts, styles and texts, and then begins elements and scripts that say that they ran."""
    run = f"console.log('ran-{name}')"
    return (f"""{name}"'`--></script></style></title></textarea></text></svg><hostile-{name}></hostile-{name}><script>{run}</script>"""
            f"""<img src=x onerror="{run}"><svg onload="{run}"></svg> onload="{run}" hostile-{name}=" $x^2$ &lt;u&gt; {{}} \x1b[31m""")


class Shown(HTMLParser):
    """The elements and attributes of a page, and its texts: those between tags, of attributes and of scripts."""

    def __init__(self, page):
        super().__init__()
        self.markup, self.texts = set(), []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.markup |= {tag, *(name for name, _ in attributes)}
        self.texts += [value or "" for _, value in attributes]

    def handle_data(self, data):
        self.texts.append(data)


def harmed(page, scratch, names):
    """What went wrong in a page that got hostile(n) for every n of `names`: a script ran, an element or an attribute appeared, or a
    name is not shown as it is."""
    dom, console = browse(scratch, page, "--dump-dom")
    shown = Shown(dom)

    def plain(text):
        return text.replace("\x1b", "\\x1b")  # either is good in a page

    text = plain("\n".join(shown.texts))
    return ([f"{page}: the browser's console: {line}" for line in console] +
            [f"{page}: {found} appeared as markup" for found in sorted(shown.markup) if found.startswith("hostile") or found in ("onload", "onerror")] +
            [f"{page}: {name} is not shown as it is" for name in names if plain(hostile(name)) not in text])


class Reports:
    """Pages of `ordo report`, and what is wrong with them."""

    def __init__(self, ordo):
        self.ordo, self.failures = ordo, []

    def expect(self, truth, text):
        if not truth:
            self.failures.append(text)

    def make(self, status, pattern, *arguments):
        """Ends the program with status 77 where Matplotlib is not installed."""
        run = subprocess.run([self.ordo, "report", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode == 3 and "matplotlib" in run.stdout:
            print(run.stdout)
            sys.exit(77)
        self.expect(run.returncode == status and re.search(pattern, run.stdout), f"{arguments}: exit status {run.returncode}, {run.stdout}")

    def text_of(self, page):
        """The text of a page, which needs nothing but itself."""
        with open(page) as file:
            text = file.read()
        outside = re.findall(r'(?:src|href)="(?!#|data:)[^"]*"|url\((?!#)[^)]*\)|@import', text)
        self.expect(not outside, f"the page asks for {outside}")
        return text


if __name__ == "__main__":
    if BROWSER is None:
        print("Chromium is not installed")
        sys.exit(77)
    wrong = check(sys.argv[2:], sys.argv[1])
    print("\n".join(wrong) or f"{len(sys.argv) - 2} pages: as they should be")
    sys.exit(1 if wrong else 0)
