"""Reference pages of the headers that ordo.h includes: each declaration with the comment above it."""
import os
import re

from markdown_source import fence

GROUPS = {"autograd/ops": "Operations", "autograd": "Autograd", "engine": "Tensors, devices, determinism", "kernels/accumulate": "Accumulate",
          "engine/distributed": "Several processes", "nn": "Modules", "nn/data": "Data", "nn/optim": "Optimisers", "nn/audit": "Audit", "nn/train": "Training",
          "nn/state": "Saved state"}


def public_headers(root, start="ordo.h"):
    """What ordo.h includes, and in the place of headers that only include, what those do."""
    found = []
    for name in re.findall(r"^#include <ordo/(.*)>$", (root / start).read_text(), re.M):
        if re.search(r"^namespace ", (root / name).read_text(), re.M):
            found.append(name)
        else:
            found += public_headers(root, name)
    return list(dict.fromkeys(found))


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


def prose(comment, site, page):
    """A comment as Markdown: lines that are set in by two or more stand as they are, the rest is running text."""
    out, paragraph, block = [], [], []

    def escape(text):
        parts = re.split(r"(`[^`]+`)", text)
        for i in range(0, len(parts), 2):
            part = re.sub(r"([\\*_\[\]#{}])", r"\\\1", parts[i].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
            parts[i] = re.sub(r"docs/([\w\\-]+)\.md", lambda m: f"[{m[0]}]({site.link(m[0].replace(chr(92), ''), 'ordo.h', page)})", part)
        return re.sub(r"^([-+]|\d+\.) ", r"\\\1 ", "".join(parts))

    def flush():
        if paragraph:
            out.append(escape(" ".join(paragraph)) + "\n")
        if block:
            indent = min(len(line) - len(line.lstrip()) for line in block)
            out.append(fence("\n".join(line[indent:] for line in block), "cpp" if re.search(r"[;{]$", "\n".join(block), re.M) else "text"))
        paragraph.clear()
        block.clear()

    for line in comment:
        if not line.strip():
            flush()
        elif line.startswith("  "):
            if paragraph:
                flush()
            block.append(line)
        else:
            if block:
                flush()
            paragraph.append(line.strip())
    flush()
    return "\n".join(out)


def comment_text(line):
    return re.sub(r"^///? ?", "", line)


def public_part(code):
    """A class without its private part, its comments as plain ones."""
    kept, private = [], False
    for line in code:
        if re.match(r" (public|protected|private):$", line):
            private = line == " private:"
        if line.startswith("}"):
            private = False
        if not private:
            kept.append(re.sub(r"(^ *|  )///<? ", r"\1// ", line))
    while len(kept) > 1 and not kept[-2].strip():
        del kept[-2]
    return kept


def names(code):
    """What a group of declarations declares."""
    found = []
    for line in code:
        if line.startswith((" ", "}", "/", "#")):
            continue
        match = re.match(r"(?:template <.*> *)?(?:class|struct|enum class|enum|union) (?:\w+\(\w*\) )?(\w+)", line) or re.match(r"using (\w+) =", line)
        match = match or re.search(r"(operator[^\s(]+|operator\(\)|~?\w+)\s*\(", re.sub(r"template <.*?>+ ?|decltype\(|alignas\(\d+\)", "", line))
        match = match or re.match(r"[\w:<>, ]+ (\w+)(?: =.*|\{.*)?;", line)
        if match:
            found.append(match[1])
    return list(dict.fromkeys(found))


def declarations(lines):
    """(comment, code) of each group of declarations, at the level of namespaces."""
    comment, code, depth, hidden = [], [], 0, False
    for line in lines + [""]:
        if hidden or re.match(r"namespace (\w+::)*(detail|internal)\b", line):
            hidden = not re.match(r"\}  // namespace", line)
            continue
        if depth == 0 and re.match(r"#include|#pragma|namespace |\}  // namespace|#if|#endif|#else", line):
            continue
        if depth == 0 and (not line.strip() or line.startswith("//")):
            if code:
                yield comment, code
                comment, code = [], []
            if line.strip():
                comment.append(comment_text(line))
            else:
                comment = []
            continue
        code.append(line)
        bare = re.sub(r"//.*|\"[^\"]*\"|'.'", "", line)
        depth += bare.count("{") + bare.count("(") - bare.count("}") - bare.count(")")


def header_page(root, header, site):
    page = f"api/{header}.md"
    lines = (root / header).read_text().splitlines()
    about = []
    while lines and lines[0].startswith("//"):
        about.append(comment_text(lines.pop(0)))
    text = f"# `{header}`\n\n{prose(about, site, page)}\n"
    heading, everything = None, []
    for comment, code in declarations(lines):
        code = public_part(code)
        declared = names(code)
        everything += declared
        shown = ", ".join(f"`{n}`" for n in declared[:4]) + (", ..." if len(declared) > 4 else "")
        if shown and shown != heading:
            text += f"## {shown}\n\n"
            heading = shown
        text += prose(comment, site, page) + "\n" + fence("\n".join(code), "cpp") + "\n"
    return page, "---\nsearch:\n  boost: 0.5\n---\n\n" + text, about, everything


def pages(root, headers, site):
    summaries = {}
    for header in headers:
        page, text, about, declared = header_page(root, header, site)
        first = re.split(r"(?<=\.)\s|$", " ".join(line for line in about if not line.startswith("  ")))[0]
        declared = [n for n in dict.fromkeys(declared) if not n.startswith("operator")]
        summaries[header] = " ".join([prose([first], site, "api/index.md").strip()] + [f"`{n}`" for n in declared[:12]] + ["..."] * (len(declared) > 12)).strip()
        yield page, text
    index = ("# API\n\nThe headers that `<ordo/ordo.h>` includes. Tensors and operations are in namespace `ordo`, modules in `ordo::nn`, optimisers in\n"
             "`ordo::optim`, data sets in `ordo::data`.\n")
    for folder, group in grouped(headers):
        index += f"\n## {title(folder)}\n\n| header | what it declares |\n|---|---|\n"
        index += "".join(f"| [`{os.path.basename(h)}`]({h}.md) | {summaries[h].replace('|', '&#124;')} |\n" for h in sorted(group))
    yield "api/index.md", index
