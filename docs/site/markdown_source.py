"""Markdown as GitHub reads it, rewritten for Python-Markdown."""
import re

CODE = re.compile(r"^```.*?^```$|^ {4}[^\n]*$|(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.M | re.S)
ITEM = re.compile(r" {0,3}([-*]|\d+\.) ")


def fence(text, language):
    ticks = "`" * max([3] + [len(t) + 1 for t in re.findall(r"^`{3,}", text, re.M)])
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}\n"


def map_links(text, link):
    """Every target of a link or an image, outside of code, becomes link(target)."""
    out, end = [], 0

    def prose(part):
        part = re.sub(r"\]\(([^)\s]+)\)", lambda m: f"]({link(m[1])})", part)
        return re.sub(r'\b(src|href|srcset)="([^"]+)"', lambda m: f'{m[1]}="{link(m[2])}"', part)

    for code in CODE.finditer(text):
        out += [prose(text[end : code.start()]), code[0]]
        end = code.end()
    return "".join(out + [prose(text[end:])])


def as_fences(text):
    """Indented code becomes fenced code with a language: commands, C++, or none."""
    lines, out, fenced, i = text.split("\n"), [], False, 0
    previous = ""  # the last line with text
    while i < len(lines):
        line = lines[i]
        if line.startswith("```"):
            fenced = not fenced
        starts = line.startswith("    ") and not fenced and (i == 0 or not lines[i - 1].strip())
        if not starts or ITEM.match(previous) or previous.startswith("  "):
            out.append(line)
            previous = line if line.strip() else previous
            i += 1
            continue
        block = []
        while i < len(lines) and (lines[i].startswith("    ") or not lines[i].strip()):
            block.append(lines[i][4:])
            i += 1
        code = "\n".join(block).rstrip()
        commands = re.match(r"(\./run|cmake|ninja|build/|[A-Z_]+=\S+ |ordo \w)", code)
        language = "sh" if commands else "cpp" if re.search(r";( *//.*)?$", code, re.M) else "text"
        out += [fence(code, language)]
        previous = ""
    return "\n".join(out)


def with_blank_lines(text):
    """Python-Markdown wants an empty line before a list and before a table, and the parts of an item indented by four."""
    out, fenced, item = [], False, 0
    for line in text.split("\n"):
        before = out[-1] if out else ""
        if line.startswith("```"):
            fenced = not fenced
        if not fenced and before.strip():
            if line.startswith("|") and not before.startswith("|"):
                out.append("")
            elif ITEM.match(line) and not ITEM.match(before) and not before.startswith(" ") and not item:
                out.append("")
        if not fenced:
            if ITEM.match(line):
                item = len(ITEM.match(line)[0])
            elif line.strip() and not line.startswith(" ") and (not before.strip() or line.startswith("#")):
                item = 0
            elif item and line.startswith(" ") and not before.strip():
                line = "    " + line.lstrip() if len(line) - len(line.lstrip()) < 4 else line
        out.append(line)
    return "\n".join(out)
