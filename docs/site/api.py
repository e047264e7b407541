"""Reference pages of the headers that ordo.h includes, from what Doxygen says about them in XML."""
import os
import re
import subprocess
import xml.etree.ElementTree as xml
from html import escape as html
from pathlib import Path

from declarations import CLASSES, WIDTH, Item, plain
from headers import PART, prepared
from markdown_source import fence
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CppLexer

GROUPS = {"autograd/ops/create": "Tensors made", "autograd/ops/math": "Elementwise", "autograd/ops/shape": "Shapes",
          "autograd/ops/index": "Indices and scatter", "autograd/ops/reduce": "Reductions, scans, sorts", "autograd/ops/linalg": "Products and linear algebra",
          "autograd/ops/functional": "Layers and losses as functions", "autograd/ops/distributed": "Collectives", "autograd": "Autograd",
          "engine/tensor": "Tensors, dtypes, devices", "engine/run": "Determinism, threads, seeds", "engine/memory": "Memory", "engine/calls": "Calls and errors",
          "engine/cuda": "CUDA", "kernels/accumulate": "Accumulate", "engine/distributed": "Several processes", "nn": "Modules", "nn/layers": "Layers", "nn/data": "Data", "nn/optim": "Optimisers", "nn/audit": "Audit", "nn/train": "Training",
          "nn/state": "Saved state"}


def title(folder):
    return GROUPS.get(folder, folder)


def grouped(headers):
    groups = {}
    for header in headers:
        groups.setdefault(os.path.dirname(header), []).append(header)
    order = list(GROUPS)
    return sorted(groups.items(), key=lambda g: (order.index(g[0]) if g[0] in order else len(order), g[0]))


def menu(headers):
    return [{title(folder): [{os.path.basename(h): f"api/{h}.md"} for h in sorted(names)]} for folder, names in grouped(headers)]


def run_doxygen(root, headers, folder):
    """Doxygen's XML in folder/xml, and what it warns of."""
    for header in headers:
        file = folder / "headers" / header
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(prepared(root, header)) + "\n")
    warnings = folder / "warnings.txt"
    settings = (Path(__file__).parent / "Doxyfile").read_text() + f'\nINPUT = {" ".join(headers)}\nOUTPUT_DIRECTORY = "{folder}"\nWARN_LOGFILE = "{warnings}"\n'
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, cwd=folder / "headers")
    # Of template specialisations of namespace std, which Ordo does not document.
    return [line.replace(f"{folder}/headers/", "") for line in warnings.read_text().splitlines() if "Internal inconsistency: scope for class std::" not in line]


class Reference:
    """All headers' declarations. `site` makes links to pages of the site."""

    def __init__(self, root, headers, site, folder):
        self.root, self.headers, self.site = root, headers, site
        self.complaints = run_doxygen(root, headers, folder)
        self.lines = {h: (folder / "headers" / h).read_text().splitlines() for h in headers}
        self.about, self.items = {}, {h: [] for h in headers}
        self.places, self.types = {}, {}  # Doxygen's id -> (page, anchor); name -> id
        for file in sorted((folder / "xml").glob("*.xml")):
            compound = xml.parse(file).getroot().find("compounddef")
            if compound is None or re.search(r"(^std|(^|::)(detail|internal))(::|$)", compound.findtext("compoundname")):
                continue
            kind, place = compound.get("kind"), compound.find("location")
            if kind == "file":
                header = place.get("file")
                self.about[header] = [p for name in ("briefdescription", "detaileddescription") for p in compound.find(name)]
                self.places[compound.get("id")] = (f"api/{header}.md", "")
                documented = [Item(m, self.shows) for m in compound.iter("memberdef") if m.get("kind") == "define"]
                self.items[header] += [i for i in documented if i.docs and i.name.startswith("ORDO_REGISTER")]
            elif kind in CLASSES and place.get("file") in self.items and compound.get("prot", "public") != "private" and "<" not in compound.findtext("compoundname"):
                self.items[place.get("file")].append(Item(compound, self.shows))
            elif kind == "namespace":
                for member in compound.iter("memberdef"):
                    item = Item(member, self.shows)
                    if item.header in self.items:
                        self.items[item.header].append(item)
        for header, items in self.items.items():
            items.sort(key=lambda i: i.line)
            used = set()
            for item in items:
                anchor = re.sub(r"\W+", "-", re.sub(r"^ordo::", "", item.name)).strip("-").lower() or "symbol"
                item.anchor = next(a for a in (anchor, *(f"{anchor}-{n}" for n in range(2, 999))) if a not in used)
                used.add(item.anchor)
                for one in (item, *item.items):
                    self.places[one.id] = (f"api/{header}.md", item.anchor)
                if item.kind in CLASSES + ("enum", "typedef"):
                    self.types.setdefault(item.last_name(), item.id)

    def shows(self, member):
        """Whether a member of a class is for callers: not private, and not one that only says = delete or = default."""
        if member.get("prot") == "private":
            return False
        bare = not plain(member.find("briefdescription")) and not plain(member.find("detaileddescription"))
        arguments = plain(member.find("argsstring"))
        return not (bare and (member.get("kind") == "friend" or re.search(r"= ?(delete|default)$", arguments) or member.findtext("name")[0] in "~@"))

    # -- comments -------------------------------------------------------------------------------------------------------

    def link(self, refid, page):
        target = self.places.get(refid) or self.places.get(refid.rpartition("_1")[0])
        if not target or target[0] == page:
            return None
        return os.path.relpath(target[0], os.path.dirname(page)) + (f"#{target[1]}" if target[1] else "")

    def text(self, text, page, files=True):
        """Running text as Markdown. Files that it names are links."""
        text = re.sub(r"([\\*_\[\]#{}`|])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))

        def file(match):
            name = match[0].replace("\\", "")
            return f"[{match[0]}]({self.site.link(name, 'ordo.h', page)})" if (self.root / name).is_file() else match[0]
        return re.sub(r"\b[\w\\-]+(/[\w\\-]+)+\.(md|def|h)\b", file, text) if files else text

    def code_spans(self, text, page):
        """Text with `code` in it, on one line."""
        parts = re.split(r"(`[^`]+`)", re.sub(r"\s+", " ", text))
        return "".join(part if part.startswith("`") else self.text(part, page) for part in parts)

    def inline(self, element, page):
        out = self.text(element.text or "", page)
        for child in element:
            inner = self.inline(child, page)
            if child.tag == "computeroutput":
                words = plain(child)
                ticks = "``" if "`" in words else "`"
                reference = child.find("ref") if len(child) == 1 and plain(child.find("ref")) == words.removesuffix("()") else None
                link = self.link(reference.get("refid"), page) if reference is not None else None
                inner = f"{ticks}{words}{ticks}"
                inner = f"[{inner}]({link})" if link else inner
            elif child.tag == "ref":
                link = self.link(child.get("refid"), page)
                inner = self.text(plain(child), page, files=not link)
                inner = f"[{inner}]({link})" if link else inner
            elif child.tag == "emphasis":
                inner = f"*{inner}*"
            elif child.tag == "bold":
                inner = f"**{inner}**"
            elif child.tag == "ulink":
                inner = f"[{inner}]({child.get('url')})"
            elif child.tag in ("ndash", "mdash"):
                inner = {"ndash": "--", "mdash": "---"}[child.tag]
            out += inner + self.text(child.tail or "", page)
        return out

    def prose(self, elements, page):
        """Paragraphs, lists and examples as Markdown."""
        out = ""
        for element in elements:
            if element.tag == "para":
                # Its blocks stand by themselves.
                run = xml.Element("para")
                run.text = element.text
                for child in [*element, None]:
                    block = child is not None and child.tag in ("verbatim", "programlisting", "itemizedlist", "orderedlist", "simplesect", "parameterlist")
                    if not block and child is not None:
                        run.append(child)
                        continue
                    text = re.sub(r"\s+", " ", self.inline(run, page)).strip()
                    out += re.sub(r"^([-+]|\d+\.) ", r"\\\1 ", text) + "\n\n" if text else ""
                    if block:
                        out += self.block(child, page)
                        run = xml.Element("para")
                        run.text = child.tail
            else:
                out += self.block(element, page)
        return out

    def block(self, element, page):
        if element.tag in ("itemizedlist", "orderedlist"):
            mark = "- " if element.tag == "itemizedlist" else "1. "
            return "".join(mark + self.prose(item, page).strip().replace("\n", "\n    ") + "\n" for item in element) + "\n"
        if element.tag == "verbatim":
            lines = element.text.strip("\n").rstrip().splitlines()
            indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
            code = "\n".join(line[indent:] for line in lines)
            if re.fullmatch(r"[A-Z](?:(?!  |\n ).)*\.", code, re.S) and "\n" in code:  # a paragraph that is set in
                return f"> {self.code_spans(code, page)}\n\n"
            return fence(code, "cpp" if re.search(r"[;{] *(//.*)?$", code, re.M) else "text") + "\n"
        self.complaints.append(f"{page}: a comment has Doxygen's <{element.tag}>, which these pages do not know")
        return self.text(plain(element), page) + "\n\n"

    def is_code(self, header, k):
        """Whether line k of a header stands outside of /** comments."""
        for text in reversed(self.lines[header][:k]):
            if "*/" in text:
                return True
            if text.lstrip().startswith("/**"):
                return False
        return True

    # -- pages ----------------------------------------------------------------------------------------------------------

    def part_of(self, item):
        """The last `// -- part` above a declaration and set in as far as it, with the text under it."""
        lines, line = self.lines[item.header], item.line
        indent = re.match(" *", lines[line - 1])[0] if item.member else ""
        for k in range(line - 1, -1, -1):
            if re.match(indent + r"// --( |$)", lines[k]):
                found, words = PART.match(lines[k]), []
                while re.match(indent + r"//(?!/)", lines[k]):
                    words.append(re.sub(r"^ *// ?(-+ ?)?|(?: ?-{3,})$", "", lines[k]))
                    k += 1
                return "\n".join(words).strip() if found else ""
            if re.match(indent + r"[}]|namespace ", lines[k]) or len(re.match(" *", lines[k])[0]) < len(indent) and lines[k].strip() and not re.match(r" *(public|protected):|\*/", lines[k]) and self.is_code(item.header, k):
                return ""
        return ""

    def apart(self, header, end, start):
        """Whether there is an empty line between two declarations."""
        return any(not line.strip() for line in self.lines[header][end : start - 1])

    def runs(self, header, items):
        """Declarations that stand together. A comment of several lines begins a group, which goes on to the next empty line; in a class,
        as long as declarations have the same name or the same parameters."""
        group = []
        for item in items:
            item.part = self.part_of(item)
            if group:
                first = group[0]
                apart = self.apart(header, group[-1].line, item.line)
                long = first.docs and not first.short()
                other = item.member and long and first.name != item.name and (first.parameters() is None or first.parameters() != item.parameters())
                begins = item.docs and (long or not item.short())
                if apart or other or begins or item.part != first.part or item.kind in CLASSES or first.kind in CLASSES:
                    yield group
                    group = []
            group.append(item)
        if group:
            yield group

    def declarations(self, group, page, told=None):
        """The code of a group. Short comments stand in it, but for that of `told`."""
        out = []
        for item in group:
            code, comment = item.code(), "" if item is told else item.short()
            if comment and "\n" not in code and len(code) + len(comment) + 4 <= WIDTH:
                code += f"  // {comment}"
            elif comment:
                code = f"// {comment}\n{code}"
            out.append(code)
        text = highlight("\n".join(out), CppLexer(stripnl=False), HtmlFormatter(nowrap=True)).rstrip("\n")

        def linked(match):
            link = self.link(self.types.get(match[2], ""), page)
            return f'{match[1]}<a href="{html(re.sub(r"[.]md", ".html", link))}">{match[2]}</a></span>' if link else match[0]
        text = re.sub(r'(<span class="n[cf]?">)(\w+)</span>', linked, text)
        return f'<div class="highlight"><pre><code>{text}</code></pre></div>\n\n'

    def part_text(self, part, page, level):
        name, _, text = re.sub(r"\s+", " ", part).partition(": ") if ": " in part.partition("\n")[0] else ("", "", "")
        if not name:
            line, _, rest = part.partition("\n")
            cut = re.match(r"(.*?)[,;:] (.*)", line)
            name, text = (cut[1], f"{cut[2]} {rest}") if cut else (line, rest)
        text = re.sub(r"\s+", " ", text).strip()
        if " " in text:
            text = text[:1].upper() + text[1:] + "." * (text[-1:] != ".")
        return f"{'#' * level} {self.text(name[:1].upper() + name[1:], page)}\n\n" + (self.text(text, page) + "\n\n" if text else "")

    def group_text(self, group, page):
        first = group[0]
        long = first.docs if not first.short() or (len(group) == 1 and not first.member) else []
        return self.declarations(group, page, first if long else None) + self.prose(long, page)

    def members(self, item, page):
        text, part, protected = "", "", False
        for group in self.runs(item.header, item.items):
            if group[0].part != part and group[0].part:
                text += self.part_text(group[0].part, page, 3)
            part = group[0].part
            if group[0].element.get("prot") == "protected" and not protected:
                protected = True
                text += "### For derived classes\n\n"
            text += self.group_text(group, page)
        return text

    def header_page(self, header):
        page = f"api/{header}.md"
        about = self.prose(self.about.get(header, []), page)
        text = f"# `{header}`\n\n{about}"
        words = set(re.findall(r"\w+", "".join(plain(p) for p in self.about.get(header, []))))
        heading, part, told, last = None, "", False, 0
        for group in self.runs(header, self.items[header]):
            first, rows = group[0], group[0].part.startswith("rows of ")
            if group[0].part and not rows and group[0].part != part:
                text += self.part_text(group[0].part, page, 2)
            part = group[0].part
            short = list(dict.fromkeys(i.short_name() for i in group))
            shown = ", ".join(f"`{n}`" for n in short[:4]) + (", ..." if len(short) > 4 else "")
            if shown != heading:
                text += f"## {shown} {{ #{first.anchor} }}\n\n"
                heading = shown
            text += "".join(f'<a id="{i.anchor}"></a>' for i in group[1:] if i.name != first.name) + ("\n\n" if len(short) > 1 else "")
            if first.kind in CLASSES:
                bare = re.fullmatch(r"(class|struct|union) \w+", first.code())
                text += ("" if bare and (first.items or first.docs) else self.declarations(group, page, first)) + self.prose(first.docs, page) + self.members(first, page)
            else:
                text += self.group_text(group, page)
            told = told and not self.apart(header, last, first.line) or self.says_what(group, words)
            last = max(group[-1].end, group[-1].line)
            if not told:
                self.complaints.append(f"{header}: {', '.join(short)}: no comment above it, and the header's first one does not name it")
        return page, "---\nsearch:\n  boost: 0.5\n---\n\n" + text

    @staticmethod
    def says_what(group, about):
        """Whether something is said about a group: by a comment, by the words of the header's first one, by the part or the table in
        which it stands. Options and results are told by their functions, operators by those of their names."""
        names = {i.last_name() for i in group}
        names |= {re.sub(r"[123]d$", "", n) for n in names}
        return bool(any(i.docs for i in group) or group[0].part or names & about or any(re.match("operator|.*(Options|Result)$", n) for n in names))

    def summary(self, header):
        first = self.about.get(header) or [p for i in self.items[header] for p in i.docs]
        sentence = re.split(r"(?<=[.:])\s|$", plain(first[0]))[0].rstrip(":") if first else ""
        names = [n for n in dict.fromkeys(i.last_name() for i in self.items[header]) if not n.startswith("operator")]
        sentence += "." * (sentence[-1:] not in (".", ""))
        return " ".join([self.text(sentence, "api/index.md")] + [f"`{n}`" for n in names[:12]] + ["..."] * (len(names) > 12)).strip()

    def pages(self):
        for header in self.headers:
            yield self.header_page(header)
        index = ("# API\n\nThe headers that `<ordo/ordo.h>` includes. Tensors and operations are in namespace `ordo`, modules in `ordo::nn`, optimisers in\n"
                 "`ordo::optim`, data sets in `ordo::data`.\n")
        for folder, group in grouped(self.headers):
            index += f"\n## {title(folder)}\n\n" + "".join(f"- [`{os.path.basename(h)}`]({h}.md) {self.summary(h)}\n" for h in sorted(group))
        yield "api/index.md", index
