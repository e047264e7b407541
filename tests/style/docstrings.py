#!/usr/bin/env python3
"""Every public operation says what it computes, then six labels in order (CONTRIBUTING.md has the form).

    docstrings.py HEADER...      complaints, one a line, of the functions that headers declare in a namespace
    docstrings.py --self-test    the checks find what breaks the form, and name it

Operators are left out, and functions that return nothing. A name's first docstring has the labels; overloads need none. Rows of
tables (docs/table_declarations.py) leave out the labels that the header's first comment has. Exit status: 1 for complaints.
"""
import pathlib
import re
import sys

LABELS = ["Shapes", "Dtypes", "Throws", "Determinism", "Gradient", "PyTorch"]
LABEL = re.compile(rf"((?:{'|'.join(LABELS + ['Source'])})(?:, (?:{'|'.join(LABELS)}))*): \S")
WIDTH = 116  # without "/// "; clang-format leaves lines with labels alone
FUNCTION = re.compile(r"(?:inline )?(?!(?:inline|struct|using|template|namespace|return|typedef|enum|class|void|friend|static|extern) )[A-Za-z_][\w:<>, ]*&? (\w+)\(")
TABLE = re.compile(r"// -- rows of .*\.def$")


def label_complaints(lines, shared=(), table=False):
    """What is wrong with a docstring, given as its lines without slashes."""
    first = next((i for i, line in enumerate(lines) if LABEL.match(line)), len(lines))
    if first == 0 or not lines[0]:
        yield "does not begin with what it computes"
    if not table and 0 < first < len(lines) and lines[first - 1]:
        yield "has no empty line before the labels"
    if not lines[first - 2 if 1 < first and not lines[first - 1] else first - 1].endswith((".", ";")) and not table:
        yield "has a first part that does not end with a full stop"
    found, text = [], []
    for line in lines[first:] + ["Source: end"]:
        match = LABEL.match(line)
        if match and text and not " ".join(text).endswith("."):
            yield f"has a label, {found[-1]}, whose text does not end with a full stop"
        if match:
            found += match[1].split(", ")
            text = []
        text.append(line)
    found = [label for label in found if label != "Source"]
    missing = [label for label in LABELS if label not in found and label not in shared]
    if missing:
        yield f"has no label {', '.join(missing)}"
    if [label for label in LABELS if label in found] != found:
        yield "has its labels in another order, or twice: " + ", ".join(found)


def complaints(header, text):
    lines, docstring, documented, table, done = text.splitlines(), [], False, False, set()
    about = [line[3:] for line in text.partition("#pragma once")[0].splitlines() if line.startswith("// ")]
    shared = {label for line in about if LABEL.match(line) for label in LABEL.match(line)[1].split(", ")}
    for number, line in enumerate(lines, 1):
        if TABLE.match(line) or line == "// --":
            table = line != "// --"
        if line.startswith("///"):
            if documented:
                docstring, documented = [], False
            docstring.append(line[3:].strip())
            continue
        if not line or line.startswith("//"):
            docstring = []
        documented = bool(docstring)
        match = FUNCTION.match(line)
        if not match or match[1] in done or match[1].startswith("operator"):
            continue
        done.add(match[1])
        here = f"{header}:{number}: {match[1]}"
        if not docstring:
            yield f"{here} has no docstring"
            continue
        if any(len(text) > WIDTH for text in docstring):
            yield f"{here} has a line of more than 120 columns"
        for complaint in label_complaints(docstring, shared if table else (), table):
            yield f"{here} {complaint}"


FORM = """// Sums. ValueError for an undefined tensor.
#pragma once
namespace ordo {

struct Options {
  int64_t dims() const { return 1; }
};

/// out[i] = input[0] + ... + input[i] along `dim`.
///
/// Shapes: any input; the result has input's sizes. A 0-d
/// input counts as one value.
/// Dtypes: any.
/// Throws: IndexError when input has no dimension `dim`.
/// Determinism: the same bits.
/// Gradient: none.
/// PyTorch: torch.cumsum.
/// Source: a book.
Tensor cumsum(const Tensor& input, int64_t dim);
std::pair<Tensor, Tensor> both(const Tensor& input);
/// A number in place of input.
Tensor cumsum(Scalar input, int64_t dim);

/// The product.
///
/// Shapes, Dtypes, Throws, Determinism, Gradient: as cumsum.
/// PyTorch: torch.cumprod.
inline Tensor cumprod(const Tensor& input) { return input; }

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
void report(const Tensor& a);

}  // namespace ordo
"""
ROWS = """// Functions.
// Shapes, Dtypes, Throws, Determinism: as add.
#pragma once
// -- rows of x.def
/// -x.
/// Gradient: -grad.
/// PyTorch: torch.neg.
Tensor neg(const Tensor& x);
// --
"""


def self_test():
    failed = 0

    def expect(what, text, *found):
        nonlocal failed
        said = list(complaints("x.h", text))
        good = len(said) == len(found) and all(f in s for f, s in zip(found, said))
        print(f"{what}: {'as expected' if good else 'WRONG'}")
        if not good:
            print("\n".join(said))
            failed = 1
    expect("the form", FORM)
    expect("a row of a table", ROWS)
    for label in LABELS:
        expect(f"without {label}", re.sub(rf"^/// {label}: .*\n(/// [a-z].*\n)*", "", FORM, count=1, flags=re.M),
               f"cumsum has no label {label}", f"both has no label {label}")
    expect("a joined label missing", FORM.replace("Throws, Determinism, Gradient: as", "Throws, Gradient: as"), "cumprod has no label Determinism")
    expect("another order", FORM.replace("Shapes, Dtypes, Throws", "Dtypes, Shapes, Throws"), "cumprod has its labels in another order")
    expect("a label twice", FORM.replace("/// PyTorch: torch.cumprod.", "/// Gradient: none.\n/// PyTorch: torch.cumprod."), "cumprod has its labels in another order, or twice")
    expect("no full stop", FORM.replace("torch.cumprod.", "torch.cumprod"), "cumprod has a label, PyTorch, whose text")
    expect("a long line", FORM.replace("The product.", "The product " + "of " * 40 + "all."), "cumprod has a line of more than 120")
    expect("no empty line", FORM.replace("product.\n///\n", "product.\n"), "cumprod has no empty line")
    expect("labels alone", FORM.replace("/// The product.\n///\n", ""), "cumprod does not begin with what")
    expect("no docstring", FORM.replace("inline Tensor cumprod", "\ninline Tensor cumprod"), "cumprod has no docstring")
    expect("a row without a label that nothing shares", ROWS.replace("/// PyTorch: torch.neg.\n", ""), "neg has no label PyTorch")
    expect("shared labels serve rows only", ROWS.replace("// -- rows of x.def\n", ""),
           "neg has no empty line", "neg has no label Shapes, Dtypes, Throws, Determinism")
    return failed


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    found = [complaint for path in arguments for complaint in complaints(path, pathlib.Path(path).read_text(encoding="utf-8"))]
    print("\n".join(found), end="\n" * bool(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
