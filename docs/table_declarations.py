#!/usr/bin/env python3
"""Writes the declarations that rows of kernels/elementwise/*.def make into public headers, the methods of Tensor among them;
./run docs calls it.

    table_declarations.py [--check]    --check writes nothing and fails when a header is stale

They stand between "// -- rows of TABLE" and "// --". A row's docstring is what the table says above it, with what its dtypes and
derivative in the table tell.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ["autograd/ops/math/unary.h", "autograd/ops/math/binary.h", "autograd/ops/math/comparison.h", "engine/tensor/tensor.h"]
# By macro and header: the arguments that are names of numbers, with their defaults; overloads.
ONE, TWO = ["const Tensor& input"], ["const Tensor& a, const Tensor& b", "const Tensor& a, Scalar b", "Scalar a, const Tensor& b"]
ROWS = {
    "unary.h": {"ORDO_FUNCTION": ONE, "ORDO_ACTIVATION": ONE, "ORDO_FUNCTION_OF": ONE, "ORDO_FUNCTION_OF2": ONE},
    "binary.h": {"ORDO_FUNCTION2": TWO},
    "comparison.h": {"ORDO_COMPARISON": TWO[:2], "ORDO_EXCHANGED_COMPARISON": TWO[:2], "ORDO_LOGICAL": TWO[:1], "ORDO_PREDICATE": ONE},
}
# Tensor's methods for a row, NAME that of the function; autograd/ops/methods.cpp defines them from the same tables.
OF_NONE, OF_ONE = ["Tensor NAME() const"], ["Tensor NAME(const Tensor& other) const", "Tensor NAME(Scalar other) const"]
METHODS = {"ORDO_FUNCTION": OF_NONE + ["Tensor& NAME_()"], "ORDO_PREDICATE": OF_NONE,
           "ORDO_FUNCTION2": OF_ONE + ["Tensor& NAME_(const Tensor& other)", "Tensor& NAME_(Scalar other)"],
           "ORDO_COMPARISON": OF_ONE, "ORDO_EXCHANGED_COMPARISON": OF_ONE, "ORDO_LOGICAL": OF_ONE[:1]}
NUMBERS = {"ORDO_FUNCTION_OF": 1, "ORDO_FUNCTION_OF2": 2}
# What the header's first comment does not say of all.
DTYPES = {"numeric": "any but bool, kept; integers wrap.", "rounding": "any but bool, kept; integers stay as they are.",
          "ORDO_FUNCTION_OF": "floating, kept.", "ORDO_FUNCTION_OF2": "floating, kept.",
          "number": "any but bool; they promote.", "integral": "integers and bool; they promote."}


def arguments(text):
    """Those of a macro, from behind its opening parenthesis on."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            return [" ".join(part.split()) for part in parts]
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    raise SystemExit(f"table_declarations.py: a row without an end: {text[:60]}")


def derivative(name, macro, row, kind):
    """As the table has it. Formulas of public operations only: a function of the table's own needs words in the comment."""
    if kind == "integral":
        return "none."
    found = [part for part in row if re.match(r"(OF_\w+|GRADIENT)\(|ZERO$", part)]
    texts = []
    for part in found:
        inner = arguments(part.partition("(")[2]) if part != "ZERO" else ["0"]
        texts.append(", ".join(inner[part.startswith("GRADIENT"):]))
    if any(re.search(r"_(backward|gradient)\(|::|over_square|\bk[A-Z]|grad_enabled", text) for text in texts):
        raise SystemExit(f"table_declarations.py: {name} needs a line `/// Gradient: ...` above its row")
    return (texts[0] if len(texts) == 1 else f"of a, {texts[0]}; of b, {texts[1]}") + "."


def method_lines(table):
    """Tensor's methods for the rows of a table, without docstrings: those stand at the functions."""
    rows = re.findall(r"^(ORDO_\w+)\((\w+),", (ROOT / table).read_text(), re.M)
    return ["  " + method.replace("NAME", name) + ";" for macro, name in rows for method in METHODS.get(macro, [])]


def declarations(header, table):
    """The lines of a header for the rows of a table."""
    out, comment = [], []
    lines = (ROOT / table).read_text().splitlines()
    for at, line in enumerate(lines):
        match = re.match(r"(ORDO_\w+)\((\w+),", line)
        if line.startswith("///"):
            comment.append(line[4:])
            continue
        if line.startswith("// -- ") and out and out[-1]:
            out.append("")
        if match and match[1] in ROWS[header]:
            out += row_lines(header, match[1], arguments("\n".join(lines[at:]).partition("(")[2]), comment)
        comment = []
    return out[:-1] if out and not out[-1] else out


def row_lines(header, macro, row, comment):
    name, kind = row[0], row[1]
    said = {}
    for line in comment:
        label, _, text = line.partition(": ")
        said[label if label in ("Gradient", "PyTorch") else ""] = text if label in ("Gradient", "PyTorch") else line
    if "" not in said:
        raise SystemExit(f"table_declarations.py: nothing above the row of {name} says what it computes")
    labels = {"Dtypes": DTYPES.get(kind, DTYPES.get(macro))}
    if header != "comparison.h":
        labels["Gradient"] = said.get("Gradient") or derivative(name, macro, row, kind)
    labels["PyTorch"] = said.get("PyTorch") or f"torch.{name}."
    texts = [said[""]] + [f"{label}: {text}" for label, text in labels.items() if text]
    lines = [f"/// {line}" for text in texts for line in textwrap.wrap(text, 116, break_long_words=False, break_on_hyphens=False)]
    numbers = "".join(f", Scalar {row[1 + 2 * i]} = {row[2 + 2 * i]}" for i in range(NUMBERS.get(macro, 0)))
    return lines + [f"Tensor {name}({parameters}{numbers});" for parameters in ROWS[header][macro]]


def rewritten(header, text):
    out, skipping = [], False
    for line in text.splitlines():
        if line.strip() == "// --":
            skipping = False
        if not skipping:
            out.append(line)
        match = re.fullmatch(r"( *)// -- rows of (\S+\.def)", line)
        if match:
            out += method_lines(match[2]) if match[1] else declarations(header, match[2])
            skipping = True
    if skipping:
        raise SystemExit(f"table_declarations.py: rows in {header} have no end, `// --`")
    return "\n".join(out) + "\n"


def main(check):
    stale = 0
    for header in HEADERS:
        path = ROOT / header
        old = path.read_text()
        new = rewritten(path.name, old)
        if new == old:
            continue
        if check:
            print(f"{path.relative_to(ROOT)} is stale: call ./run docs")
            stale = 1
        else:
            path.write_text(new)
            print(f"wrote {path.relative_to(ROOT)}")
    return stale


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
