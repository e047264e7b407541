#!/usr/bin/env python3
"""adding_an_op.py fails where it should: blocks that do not apply, tests that fail or do not run."""
import json
import pathlib
import stat
import sys
import tempfile

import adding_an_op

TABLE = "first\nROW(a, 1)\nROW(b, 2)\n"
PAGE = "In `table`, after the line that begins with `ROW(a,`:\n\n```cpp\nROW(new, 3)\n```\n\n" \
       "New file `new.cpp`:\n\n```cpp\nint x;\n```\n\n```text\nno file\n```\n"
failed = 0


def expect(what, condition):
    global failed
    if not condition:
        failed += 1
        print(f"not so: {what}")


def message(function, *arguments):
    """What the Failure says that the function ends with, or nothing."""
    try:
        function(*arguments)
    except adding_an_op.Failure as failure:
        return str(failure)
    return ""


def check_blocks(folder):
    (folder / "table").write_text(TABLE)
    page = folder / "page.md"

    def applied(text):
        page.write_text(text)
        return adding_an_op.applied(folder, page)

    expect("blocks apply", applied(PAGE) == {"table": "first\nROW(a, 1)\nROW(new, 3)\nROW(b, 2)\n",
                                             "new.cpp": "int x;\n"})
    for what, text, words in [
            ("a line that is not there", PAGE.replace("ROW(a,", "ROW(c,"), "0 lines of table begin"),
            ("a line that is there twice", PAGE.replace("ROW(a,", "ROW("), "2 lines of table begin"),
            ("no such file", PAGE.replace("`table`", "`tables`"), "there is no tables"),
            ("a new file that is there", PAGE.replace("`new.cpp`", "`table`"), "table is there already"),
            ("a block of no file", PAGE.replace("New file `new.cpp`:", "A file:"), "under no file name"),
            ("a block without an end", PAGE[:PAGE.index("int x;")], "has no end")]:
        expect(what, words in message(applied, text))


def check_tests(folder):
    program = folder / "bin" / "program"
    program.parent.mkdir()

    def test(suites, status=0, failures=None):
        """With a program that reports these suites, each with the case of the operation `op`."""
        case = {"name": "agrees/op", "result": "COMPLETED", **({"failures": failures} if failures else {})}
        report = {"testsuites": [{"name": f"Ops/{suite}", "testsuite": [case]} for suite in suites]}
        (folder / "report.json").write_text(json.dumps(report))
        program.write_text(f"#!/bin/sh\nfor a; do case $a in --gtest_output=json:*) "
                           f"cp {folder}/report.json \"${{a#*json:}}\";; esac; done\nexit {status}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return message(adding_an_op.test, program, folder, ["op"], [])

    everything = adding_an_op.SUITES + adding_an_op.OF_ALL
    adding_an_op.launched = lambda library, record: ["unarykernel<op>"]
    expect("tests that pass", test(everything) == "")
    expect("a test that did not run", "RegistryBytes of op" in test([s for s in everything if s != "RegistryBytes"]))
    expect("a test of all that did not run", "RegistryIntegers" in test(adding_an_op.SUITES))
    expect("a test that fails", "fail" in test(everything, 1, [{"failure": "1 is not 2"}]))
    expect("a program that fails", "fail" in test(everything, 1))
    adding_an_op.launched = lambda library, record: ["unarykernel<other>"]
    expect("no kernel", "no kernel of op" in test(everything))


with tempfile.TemporaryDirectory() as name:
    check_blocks(pathlib.Path(name))
    check_tests(pathlib.Path(name))
sys.exit(1 if failed else 0)
