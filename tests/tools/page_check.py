"""What every page must keep, looked at in headless Chromium: check(PAGES, SCRATCH) returns what is wrong as a list.

At the widths of a desk and a phone, in light and dark: the browser reports nothing, the page is no wider than its window,
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

BROWSER = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
WIDTHS = (1280, 390)

WRAPPER = """<!doctype html><meta charset=utf-8><pre id=found>unfinished</pre><script>
const pages = %s, width = %d, found = [];
const rgb = text => { const m = text.match(/^rgba?\\(([^)]*)\\)/); return m ? m[1].split(/[ ,/]+/).map(Number) : null; };
const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b; };
const over = (top, under) => { const a = top[3] === undefined ? 1 : top[3]; return [0, 1, 2].map(i => top[i] * a + under[i] * (1 - a)); };
function behind(view, node, base) {
  const layers = [];
  for (let e = node; e && e.nodeType === 1; e = e.parentElement) {
    const style = view.getComputedStyle(e), c = rgb(style.backgroundColor);
    if (style.backgroundImage !== 'none' || (c === null)) return null;
    if (c[3] !== 0) layers.push(c);
    if (c[3] === undefined) break;
  }
  return layers.reduceRight((under, top) => over(top, under), base);
}
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
  const dark = view.matchMedia('(prefers-color-scheme: dark)').matches;
  const base = dark ? [18, 18, 18] : [255, 255, 255], poor = new Set();
  const walk = doc.createTreeWalker(doc.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || !e.getClientRects().length) continue;
    const style = view.getComputedStyle(e), inSvg = e.namespaceURI.endsWith('svg');
    if (style.visibility === 'hidden' || style.opacity < .5 || e.closest('script, style, noscript, title, [aria-hidden=true], [hidden]')) continue;
    const ink = rgb(inSvg ? style.fill : style.color), ground = behind(view, e, base);
    if (!ink || !ground || ink[3] === 0) continue;
    const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.6 && style.fontWeight >= 700;
    const [a, b] = [light(over(ink, ground)), light(ground)], ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < (large ? 3 : 4.5) - .005) poor.add((dark ? 'dark ' : 'light ') + ratio.toFixed(2) + ' ' + e.tagName + '.' + (e.getAttribute('class') || '') + ' ' + style.color + ' on ' + ground.map(Math.round));
  }
  for (const text of [...poor].slice(0, 6)) say('text is faint: ' + text);
}
const frame = document.createElement('iframe');
frame.style = 'border:0;height:900px;width:' + width + 'px';
document.body.append(frame);
let next = 0;
frame.onload = () => setTimeout(() => {
  if (next > 0) { try { look(pages[next - 1], frame); } catch (e) { found.push(pages[next - 1] + ': ' + e); } }
  if (next === pages.length) { frame.onload = null; document.getElementById('found').textContent = JSON.stringify(found); return; }
  frame.src = pages[next++];
}, 50);
frame.src = 'about:blank';
</script>"""


def browse(scratch, page, *arguments):
    """Chromium's standard output, and what the page wrote to the console."""
    run = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
                          "--allow-file-access-from-files", f"--user-data-dir={scratch}/browser", *arguments, "file://" + page],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    return run.stdout, [line for line in run.stderr.splitlines() if "CONSOLE" in line]


def check(pages, scratch):
    os.makedirs(scratch, exist_ok=True)
    wrapper = os.path.join(os.path.abspath(scratch), "wrapper.html")
    wrong = []
    for width in WIDTHS:
        with open(wrapper, "w") as file:
            file.write(WRAPPER % (json.dumps(["file://" + os.path.abspath(p) for p in pages]), width))
        for scheme in ("1", "0"):  # light, dark
            dom, console = browse(scratch, wrapper, "--window-size=1400,1000", "--dump-dom",
                                  f"--virtual-time-budget={20000 + 2000 * len(pages)}", f"--blink-settings=preferredColorScheme={scheme}")
            wrong += ["the browser's console: " + line for line in console]
            found = re.search(r"<pre id=\"found\">(.*?)</pre>", dom, re.S)
            if not found or found[1] == "unfinished":
                wrong.append(f"the pages were not all looked at, at {width} pixels")
            else:
                wrong += json.loads(html.unescape(found[1]))
    return list(dict.fromkeys(wrong))


if __name__ == "__main__":
    if BROWSER is None:
        print("Chromium is not installed")
        sys.exit(77)
    wrong = check(sys.argv[2:], sys.argv[1])
    print("\n".join(wrong) or f"{len(sys.argv) - 2} pages: as they should be")
    sys.exit(1 if wrong else 0)
