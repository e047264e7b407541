#!/usr/bin/env python3
"""Each kind of error that an operation throws for samples made wrong is named by its docstring.

    docstring_errors.py tests/bits/refusals.txt HEADER...
    docstring_errors.py --self-test

A docstring names an error after `Throws:`, in the text of an overload, in its header's first comment, or by "as NAME". Left out is
what holds for every operation: undefined tensors and sizes that no tensor has. Exit status: 1 for complaints.
"""
import pathlib
import re
import sys

from docstrings import FUNCTION, LABEL

EVERYWHERE = re.compile(r"undefined|a tensor has at most|no tensor is that large|sizes must not be negative")
NAMES = re.compile(r"\bas ((?:\w+(?:, | and )?)+)")


def texts_of(text):
    """{function: what its docstrings and the header's first comment say about errors}, of a header's text."""
    about = " ".join(line[3:] for line in text.partition("#pragma once")[0].splitlines() if line.startswith("// "))
    about = re.sub(r"ValueError (for|when) an undefined tensor( and)?", "", about)
    found, docstring, declared = {}, [], False
    for line in text.splitlines():
        if line.startswith("///"):
            docstring = [line[4:]] if declared else docstring + [line[4:]]
            declared = False
        elif not line or line.startswith("//"):
            docstring, declared = [], False
        else:
            declared = True
            match = FUNCTION.match(line)
            if match and docstring:
                found.setdefault(match[1], about)
                found[match[1]] += " " + throws(docstring)
    return found


def throws(docstring):
    kept, said = [], not any(LABEL.match(line) for line in docstring)
    for line in docstring:
        label = LABEL.match(line)
        said = "Throws" in label[1] if label else said
        kept += [line] * said
    return " ".join(kept)


def errors(name, texts, seen=()):
    if name not in texts or name in seen:
        return set()
    found = set(re.findall(r"\w+Error", texts[name]))
    for names in NAMES.findall(texts[name]):
        for other in re.split(r", | and ", names):
            found |= errors(other, texts, (*seen, name))
    return found


def complaints(refusals, texts):
    said = set()
    for line in refusals:
        match = re.match(r"(\w+) (\w+Error) \[(\w+)\] ", line)
        if not match or match[1] != match[3] or match[1] not in texts or EVERYWHERE.search(line):
            continue
        if match[2] not in errors(match[1], texts) and match.group(1, 2) not in said:
            said.add(match.group(1, 2))
            yield f"{match[1]} does not name {match[2]}: {line.split(' <- ')[0].partition('] ')[2]}"


def self_test():
    header = """// Products. ValueError for an undefined tensor.
#pragma once
/// The product.
///
/// Throws: ShapeError when sizes differ.
/// Gradient: a DTypeError of no account.
Tensor mm(const Tensor& a);
/// Of batches.
///
/// Shapes, Throws: as mm.
Tensor bmm(const Tensor& a);
/// With a number: ValueError.
Tensor bmm(Scalar a);
"""
    lines = ["mm ShapeError [mm] sizes <- 0", "bmm ShapeError [bmm] sizes <- 0", "bmm ValueError [bmm] number <- 0",
             "mm ValueError [mm] a is undefined <- 0", "mm DTypeError [other] dtype <- 0"]
    failed = 0
    for what, more, found in (("what is named", [], []), ("an error of another label", ["mm DTypeError [mm] dtype <- 0"], ["mm does not name DTypeError: dtype"]),
                              ("an error that nothing names", ["bmm IndexError [bmm] i <- 0"] * 2, ["bmm does not name IndexError: i"])):
        good = list(complaints(lines + more, texts_of(header))) == found
        print(f"{what}: {'as expected' if good else 'WRONG'}")
        failed |= not good
    return int(failed)


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    texts = {}
    for path in arguments[1:]:
        texts |= texts_of(pathlib.Path(path).read_text(encoding="utf-8"))
    found = list(complaints(pathlib.Path(arguments[0]).read_text(encoding="utf-8").splitlines(), texts))
    print("\n".join(found), end="\n" * bool(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
