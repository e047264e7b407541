#!/usr/bin/env python3
"""Gathers the project's Markdown into a site that needs no network: build_site.py ROOT SOURCES SITE LIBRARY

README.md, docs/ and samples/lessons/ are the only texts; this writes them to SOURCES with links that hold on the site, and
calls MkDocs, whose pages go to SITE. A linked source file becomes a page that shows it. LIBRARY is the folder in which Ordo was built.
"""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent / "live")]
import addresses  # noqa: E402
import api  # noqa: E402
import headers  # noqa: E402
import live  # noqa: E402
from markdown_source import as_fences, fence, map_links, with_blank_lines  # noqa: E402

ROOT, SOURCES, SITE, LIBRARY = (Path(os.path.abspath(a)) for a in sys.argv[1:])
REPORT = "bench/results/report.html"  # not in the repository: SOURCES/../report.html, which `./run docs --site` has drawn
LESSONS = "samples/lessons"

# The menu: section, then pages of docs/ with short titles. What is in docs/ and not here stands under "Project".
SECTIONS = {
    "Building models": {"training": "Training", "distributed": "Several processes", "data": "Data", "models": "Models", "derivatives": "Singular points",
                        "from-libtorch": "From libtorch",
                        "adding-an-op": "Adding an operation"},
    "Determinism": {"determinism": "Determinism explained", "ordering": "The ordering contract", "rows": "Rows of a batch", "show": "Seeing an order", "audit": "Audit",
                    "accumulate": "What it costs: accumulate"},
    "Benchmarks": {"performance": "What determinism costs", "gpu-model": "Times on GPUs, predicted", "gpu-hour": "One hour with a GPU"},
    "Verification": {"verification": "What rests on which check", "emulator": "The emulator", "ptx": "The PTX machine",
                     "mutation": "Planted faults"},
    "Project": {"architecture": "Architecture"},
}
LANGUAGES = {".h": "cpp", ".cpp": "cpp", ".cu": "cuda", ".cuh": "cuda", ".def": "cpp", ".py": "python", ".json": "json", ".sh": "bash",
             ".cmake": "cmake", ".txt": "cmake"}
WIDE = {"docs/ops.md"}  # their tables need the room of the table of contents
LARGEST = 200_000  # bytes of a file that is shown as a page; larger ones are copied and linked
SUMS = "\n## The order of a sum\n"
LIVE_SUMS = """
Here in the page: what changes if the threads run in another order, or at another level?

<div class="live live-sums" data-code="assets/programs/sums.js"></div>
<script src="assets/programs.js"></script>
<script src="assets/sums.js"></script>

"""


class Site:
    def __init__(self):
        # Path in the repository -> page of the site.
        self.pages = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
        self.to_show = []  # linked files that still need a page
        self.programs = []  # what runs in pages (live.py)
        self.recorded = []  # what was run for them
        for path in sorted((ROOT / "docs").glob("*.md")):
            self.pages[f"docs/{path.name}"] = path.name
        self.pages[f"{LESSONS}/README.md"] = "lessons/index.md"
        self.pages[f"{LESSONS}/glossary.md"] = "lessons/glossary.md"
        self.lessons = sorted(p.parent.name for p in (ROOT / LESSONS).glob("[0-9][0-9]-*/README.md"))
        for name in self.lessons:
            self.pages[f"{LESSONS}/{name}/README.md"] = f"lessons/{name}.md"
        self.headers = headers.public_headers(ROOT)
        for header in self.headers:
            self.pages[header] = f"api/{header}.md"

    def page_of(self, path):
        """The page that shows a file or folder of the repository; made when it is first asked for."""
        if path in self.pages:
            return self.pages[path]
        full = ROOT / path
        if path == REPORT:
            full = SOURCES.parent / "report.html"
        if not full.exists():
            raise SystemExit(f"build_site.py: there is no {path}")
        if path.endswith(".md"):
            page = path
        elif full.is_dir():
            page = f"source/{path}/index.md"
        elif full.suffix in (".html", ".svg", ".png") or full.stat().st_size > LARGEST:
            page = path
        else:
            page = f"source/{path}.md"
        self.pages[path] = page
        self.to_show.append(path)
        return page

    def link(self, target, path, page):
        """`target`, as it stands in the file `path`, for the site's page `page`."""
        if re.match(r"[a-z]+:|#|assets/", target):
            return target
        file, _, anchor = target.partition("#")
        found = os.path.normpath(os.path.join(os.path.dirname(path), file))
        lesson = re.fullmatch(rf"{LESSONS}/([^/]+)/(unsolved|solution|check|exercise)\.\w+", found)
        if lesson and lesson[1] in self.lessons:
            found, anchor = f"{LESSONS}/{lesson[1]}/README.md", lesson[2]
        if found.startswith(".."):
            raise SystemExit(f"build_site.py: {path} links to {target}, outside of the repository")
        relative = os.path.relpath(self.page_of(found), os.path.dirname(page) or ".")
        return relative + (f"#{anchor}" if anchor else "")

    def write(self, page, text):
        out = SOURCES / page
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text)

    def convert(self, text, path, page):
        text = re.sub(r"^<!--.*?-->\n", "", text, flags=re.M | re.S)
        # A page is called by its title where the text calls it by its file.
        text = re.sub(r"\[(?:docs/)?[\w-]+\.md\]\(([^)#\s]+\.md)\)", lambda m: f"[{self.title(os.path.normpath(os.path.join(os.path.dirname(path), m[1])))}]({m[1]})", text)
        text = map_links(text, lambda target: self.link(target, path, page))
        return with_blank_lines(as_fences(text))

    def markdown(self, path):
        text = self.convert((ROOT / path).read_text(), path, self.pages[path])
        if path == "docs/show.md" and self.programs:
            text = text.replace(SUMS, SUMS + LIVE_SUMS)
            if LIVE_SUMS not in text:
                raise SystemExit(f"build_site.py: {path} has no {SUMS.strip()}")
        self.write(self.pages[path], ("---\nhide: [toc]\n---\n\n" if path in WIDE else "") + text)

    # -- pages that are put together ------------------------------------------------------------------------------------

    def readme(self):
        """The front page: README.md, with the results of the demo beside its picture, and cards before its first section."""
        intro, _, sections = (ROOT / "README.md").read_text().partition("\n## ")
        picture = re.search(r"<picture>.*?</picture>", intro, re.S)
        images = "".join(f'<img src="docs/fork-{colours}.svg#only-{colours}" alt={re.search(r"alt=(.*?)>", picture[0])[1]}>' for colours in ("light", "dark"))
        intro = intro.replace(picture[0], f'<div class="front">\n<div>{images}</div>\n{self.switch()}</div>')
        text = self.convert(intro, "README.md", "index.md") + self.cards() + self.convert(f"\n## {sections}", "README.md", "index.md")
        self.write("index.md", f"---\nhide: [navigation, toc]\n---\n\n{text}")

    def switch(self):
        """The hashes of the weights that the demo ended with, on both sides of the switch."""
        sides = {}
        demo = (ROOT / "docs/getting-started.md").read_text().partition("text_embedding_bag:")[2]
        for level, weights in re.findall(r"^ +(not_guaranteed|run_to_run) +\d+ +[\d.]+ +[\d.]+ +(\w+) ", demo, re.M):
            sides.setdefault(level, []).append(weights)
        if len(sides) != 2:
            raise SystemExit("build_site.py: docs/getting-started.md has no output of ./run demo")
        boxes = "".join(f"<p><strong>Switch {name}</strong> {len(set(hashes))} result{'s' * (len(set(hashes)) > 1)} of {len(hashes)} trainings; the SHA-256 "
                        f"of their weights:{''.join(f'<code>{h}</code>' for h in hashes)}</p>\n"
                        for name, hashes in (("off", sides["not_guaranteed"]), ("on", sides["run_to_run"])))
        if self.programs:
            boxes = (f'<div class="live live-switch" data-code="assets/programs/switch.js">{boxes}</div>\n<script src="assets/programs.js"></script>\n'
                     '<script src="assets/switch.js"></script>\n')
        return f'<div class="switch">\n{boxes}</div>\n'

    def cards(self):
        doors = [("Learn", "Why do the same sums differ, and what can one do?",
                  [("Determinism explained", "determinism.md"), ("Lessons, in the page", "lessons/index.md"), ("Seeing an order", "show.md")]),
                 ("Measure", "What do bits that repeat cost?",
                  [("What determinism costs", "performance.md"), ("Charts", self.link(f"../{REPORT}", "docs/x.md", "index.md")), ("Audit your program", "audit.md")]),
                 ("Use", "How does a program with Ordo look?",
                  [("Getting started", "getting-started.md"), ("Training", "training.md"), ("From libtorch", "from-libtorch.md")])]
        cards = "".join(f"- **{title}**\n\n    {question}\n\n" + "".join(f"    [{name}]({page})<br>\n" for name, page in links) + "\n" for title, question, links in doors)
        return '\n<div class="grid cards" markdown>\n\n' + cards + "</div>\n"

    def lesson_index(self):
        path, page = f"{LESSONS}/README.md", "lessons/index.md"
        text = self.convert((ROOT / path).read_text(), path, page)
        items = "".join(f"{int(name[:2])}. [{self.title(f'{LESSONS}/{name}/README.md')}]({name}.md)\n" for name in self.lessons)
        head, _, rest = text.partition("\n## ")
        self.write(page, f"{head}\n## The lessons\n\n{items}\n## {rest}")

    def lesson(self, name):
        folder = ROOT / LESSONS / name
        suffix = ".cpp" if (folder / "unsolved.cpp").exists() else ".cu"
        path, page = f"{LESSONS}/{name}/README.md", f"lessons/{name}.md"
        text = self.convert((folder / "README.md").read_text(), path, page)

        def code(file):
            return fence((folder / file).read_text(), "cuda" if file.endswith(".cu") else "cpp")

        def folded(title, body, anchor=""):
            block = "".join(f"    {line}".rstrip() + "\n" for line in body.splitlines())
            return (f'<a id="{anchor}"></a>\n\n' if anchor else "") + f'??? note "{title}"\n\n{block}\n'

        here = self.live_lesson(int(name[:2]))
        text += f"\n## Your file: `yours{suffix}` {{#unsolved}}\n\n{here or code('unsolved' + suffix)}\n"
        if (folder / "exercise.h").exists():
            text += folded("exercise.h: what the check calls", code("exercise.h"), "exercise")
        text += "## Hints { data-search-exclude }\n\n"
        hints = [h.strip() for h in re.split(r"^---$", (folder / "hints.md").read_text(), flags=re.M)]
        for number, hint in enumerate(hints, 1):
            text += folded(f"Hint {number} of {len(hints)}", self.convert(hint + "\n", path, page))
        text += "## Solution { data-search-exclude }\n\n" + folded(f"solution{suffix}", code("solution" + suffix), "solution")
        if (folder / "check.cu").exists():
            text += folded("check.cu: the check", code("check.cu"), "check")
        self.write(page, text)

    def live_lesson(self, number):
        """The exercise in the page: its texts, and the script that checks them. Nothing without Emscripten, but for a program of the library."""
        texts = [{"title": name.replace("_", " "), "program": program, "code": text, "verdict": verdict}
                 for program, (lesson, name, text, verdict) in enumerate(self.programs) if lesson.number == number]
        runs, code = "run it. With one seed you see that schedule played back.", ' data-code="../assets/programs/lessons.js"'
        if not texts:
            texts = [{"title": name.replace("_", " "), "code": text, "verdict": verdict, "said": said}
                     for lesson, name, text, verdict, said in self.recorded if lesson.number == number]
            runs, code = f"look. The program needs the whole library, which is not in this page: you see what `./run lesson {number}` said when the page was made.", ""
        if not texts:
            return ""
        data = json.dumps(texts).replace("<", "\\u003c")
        return (f"Try it here: choose a text, predict what the check says, and {runs} There is no compiler in this page: to check code of your own, call `./run lesson {number}`, which installs what it needs.\n\n"
                f'<div class="live"{code}></div>\n<script type="application/json" id="live-texts">{data}</script>\n'
                + "".join(f'<script src="../assets/{name}.js"></script>\n' for name in ("playback", "programs", "live")))

    def live(self):
        """Runs what pages show, and compiles what runs in them, where Emscripten is."""
        self.recorded = list(live.recorded(SOURCES.parent / "recorded", LIBRARY))
        for script in (*(ROOT / f"docs/site/live/{name}.js" for name in ("programs", "live", "switch", "sums")), ROOT / "tools/scripts/playback.js"):
            shutil.copy(script, SOURCES / "assets" / script.name)
        if not shutil.which("em++"):
            print("Emscripten (em++) is not installed: the lessons' pages have no exercise that runs")
            return
        try:
            live.build_all(SOURCES.parent / "live", SOURCES / "assets/programs")
        except live.build.DoesNotCompile as error:
            shutil.rmtree(SOURCES / "assets/programs", ignore_errors=True)
            print(f"Emscripten does not compile the lessons, whose pages have no exercise that runs:\n{error}")
            return
        self.programs = live.programs()
        print("programs that run in pages: " + ", ".join(f"{made.name} {made.stat().st_size / 1e6:.2f} MB" for made in sorted((SOURCES / "assets/programs").iterdir())))

    def show(self, path):
        """A page for a file or folder that is not one by itself."""
        full, page = ROOT / path, self.pages[path]
        if path.endswith(".md"):
            self.markdown(path)
        elif full.is_dir():
            files = sorted(f for f in full.rglob("*") if f.is_file() and "__pycache__" not in f.parts)
            names = (str(f.relative_to(ROOT)) for f in files)
            items = "".join(f"- [`{os.path.relpath(n, path)}`]({os.path.relpath(self.page_of(n), os.path.dirname(page))})\n" for n in names)
            self.write(page, f"# `{path}`\n\n{items}")
        elif page == path:
            (SOURCES / page).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCES.parent / "report.html" if path == REPORT else full, SOURCES / page)
        else:
            self.write(page, f"---\nsearch:\n  boost: 0.3\n---\n\n# `{path}`\n\n" + fence(full.read_text(), LANGUAGES.get(full.suffix, "text")))

    def title(self, path):
        text = (ROOT / path).read_text()
        return re.search(r"^# (.*)$", text, re.M)[1].replace("`", "")

    # -- the menu -------------------------------------------------------------------------------------------------------

    def menu(self):
        docs = {Path(p).stem: page for p, page in self.pages.items() if re.fullmatch(r"docs/[^/]+\.md", p)}
        menu = [{"Home": "index.md"}, {"Getting started": docs.pop("getting-started")}]
        sections = {name: [{title: docs.pop(stem)} for stem, title in pages.items() if stem in docs] for name, pages in SECTIONS.items()}
        operations = docs.pop("ops")
        sections["Benchmarks"].append({"Charts": self.page_of(REPORT)})
        sections["Project"] += [{self.title(f"docs/{stem}.md"): page} for stem, page in sorted(docs.items())]
        sections["Project"] += [{"Contributing": "contributing.md"}, {"Changelog": "changelog.md"}]
        lessons = ["lessons/index.md"] + [{f"{int(n[:2])}. {self.title(f'{LESSONS}/{n}/README.md')}": f"lessons/{n}.md"} for n in self.lessons] + [{"CUDA and glossary": "lessons/glossary.md"}]
        reference = [{"Operations": operations}, {"API": ["api/index.md"] + api.menu(self.headers)}]
        for name, pages in sections.items():
            if name == "Benchmarks":
                menu += [{"Lessons": lessons}, {"Reference": reference}]
            menu.append({name: pages})
        return menu

    def build(self):
        for folder in (SOURCES, SOURCES.parent / "api"):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(Path(__file__).parent / "assets", SOURCES / "assets")
        shutil.copy(SOURCES.parent / "picture.png", SOURCES / "assets/picture.png")
        self.live()
        menu = self.menu()
        self.readme()
        for path in list(self.pages):
            if re.fullmatch(r"docs/[^/]+\.md|CHANGELOG\.md|CONTRIBUTING\.md", path):
                self.markdown(path)
        self.lesson_index()
        self.markdown(f"{LESSONS}/glossary.md")
        for name in self.lessons:
            self.lesson(name)
        reference = api.Reference(ROOT, self.headers, self, SOURCES.parent / "api")
        for page, text in reference.pages():
            self.write(page, text)
        (SOURCES.parent / "api/complaints.txt").write_text("".join(f"{line}\n" for line in reference.complaints))
        while self.to_show:
            self.show(self.to_show.pop())
        settings = SOURCES.parent / "mkdocs.yml"
        settings.write_text(json.dumps({"INHERIT": str(Path(__file__).parent.resolve() / "mkdocs.yml"), "docs_dir": str(SOURCES), "site_dir": str(SITE), "nav": menu,
                                        **addresses.settings()}, indent=1))
        run = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(settings)], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
        if run.returncode != 0:
            print(run.stdout)
        return run.returncode


if __name__ == "__main__":
    status = Site().build()
    if status == 0:
        print(f"wrote {SITE}/index.html")
    sys.exit(status)
