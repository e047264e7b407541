"""The public headers, put into Doxygen's words.

The headers are written for people: a header begins with what it is about, in plain comments; formulas and examples are set in by two or
more; labels, `Shapes: ...`, begin lines; `// -- name ---` begins a part of a class.
"""
import re

COMMENT = re.compile(r"^( *)///?(?![/<]) ?(.*)$")
# At the beginning of a line. Texts of labels go on to the next one, or to an empty line.
NAME = "(?:Shapes|Dtypes|Throws|Errors|State|Determinism|Gradients?|PyTorch|Source)"
LABEL = re.compile(rf"({NAME}(?:, {NAME})*:) (?=\S)")
PART = re.compile(r"^ *// -- (.*?)(?: ?-{3,})?$")


def public_headers(root, start="ordo.h"):
    """What ordo.h includes, and in the place of headers that only include, what those do."""
    found = []
    for name in re.findall(r"^#include <ordo/(.*)>$", (root / start).read_text(), re.M):
        if re.search(r"^namespace ", (root / name).read_text(), re.M):
            found.append(name)
        else:
            found += public_headers(root, name)
    return list(dict.fromkeys(found))


def with_verbatim(comment):
    """The lines of a comment, parts that are set in between marks."""
    out, inside, empty = [], False, 0
    for line in comment:
        if not line.strip():
            empty += 1
            continue
        if inside != line.startswith("  "):
            out += ["@endverbatim"] * inside + [""] * empty + ["@verbatim"] * (not inside)
            inside = not inside
        else:
            out += [""] * empty
        out.append(line)
        empty = 0
    return out + ["@endverbatim"] * inside


def with_labels(comment):
    """The lines of a comment, those with labels as items of a list."""
    out, inside = [], False
    for line in comment:
        match = LABEL.match(line)
        if match:
            out += [""] * (not inside and bool(out) and bool(out[-1])) + [f"- **{match[1]}** {line[match.end():]}"]
            inside = True
        else:
            inside = inside and bool(line.strip())
            out.append("  " + line if inside else line)
    return out


def prepared(root, header):
    """The lines of a header for Doxygen."""
    lines = (root / header).read_text().splitlines()
    out, i = [], 0
    while i < len(lines):
        match = COMMENT.match(lines[i])
        if lines[i] == "#pragma once":
            out.append("/** @file */")
        elif not match or lines[i].lstrip().startswith("// --"):
            out.append(lines[i])
            while PART.match(lines[i]) and re.match(r" *//(?!/| --$)", lines[min(i + 1, len(lines) - 1)]):  # a part's text
                i += 1
                out.append(lines[i])
                lines[i] = "// -- "
        else:
            comment = []
            while i < len(lines) and COMMENT.match(lines[i]) and not lines[i].lstrip().startswith("// --"):
                comment.append(COMMENT.match(lines[i])[2])
                i += 1
            # Not ///, whose slashes Doxygen 1.9 leaves in verbatim text.
            out += [f"{match[1]}/**", *(line.replace("*/", "* /") for line in with_labels(with_verbatim(comment))), f"{match[1]}*/"]
            continue
        i += 1
    return out
