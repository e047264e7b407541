#!/usr/bin/env python3
"""Does what docs/adding-an-op.md says: applies its blocks to a copy of the sources, builds it, tests the new operations.

    adding_an_op.py SOURCE WORK [--page FILE] [--jobs N] [CMAKE-ARGUMENT...]

SOURCE is a checkout, WORK a folder for the copy and its build, which stay for the next time. CMAKE-ARGUMENTs, -D...,
configure the copy; those of a build beside it let the compiler cache serve what the blocks do not change.

A block of the page that begins with ```cpp follows a line that says where it belongs, and an empty line:
    New file `PATH`:
    In `PATH`, after the line that begins with `TEXT`:
The registry-driven tests of every operation that the blocks register must run and pass, on the CPU and on the emulated
GPU, whose kernels must be launched, and so must the tests in the files that the page adds. The copy passes the style
check, and clang-format 14 where there is one.
Exit status: 1 when a block does not apply, the copy does not build, or a test fails or did not run; 2 for bad arguments.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "simt"))
import kernels_launched  # noqa: E402

# The tests that must run for every new operation, those about all operations at once, and the files compiled into the
# copy besides the ones that the page adds.
SUITES = ["RegistryComplete", "RegistryDoor", "RegistryReference", "RegistryGradient", "RegistryBytes", "RegistryBits"]
OF_ALL = ["RegistryIntegers"]
TEST_SOURCES = r"/tests/(bits/[a-z]*|registry/(integers/)?[a-z_]*|simt/registry_[a-z_]*|(kernels|autograd)/[a-z0-9_/]*_samples)_test\.cpp$"
NEW = re.compile(r"New file `([^`]+)`:")
INSERT = re.compile(r"In `([^`]+)`, after the line that begins with `([^`]+)`:")
ADDS = re.compile(r'^ORDO_ACTIVATION\((\w+),|ORDO_REGISTER_OP\(\{\.name = "(\w+)"', re.MULTILINE)


class Failure(Exception):
    pass


def blocks(page):
    """[(line number, path, text that its line begins with or None, the block's lines)] of the page's C++."""
    lines, found, number = page.read_text(encoding="utf-8").splitlines(), [], 0
    while number < len(lines):
        if lines[number] == "```cpp":
            place = lines[number - 2] if number >= 2 and not lines[number - 1] else ""
            new, insert = NEW.fullmatch(place), INSERT.fullmatch(place)
            if not new and not insert:
                raise Failure(f"{page}:{number + 1}: the block is under no file name")
            begin = number + 1
            try:
                number = lines.index("```", begin)
            except ValueError:
                raise Failure(f"{page}:{begin}: the block has no end") from None
            path, after = (new.group(1), None) if new else insert.groups()
            found.append((begin, path, after, lines[begin:number]))
        number += 1
    return found


def applied(source, page):
    """{path: text} of the files that the page's blocks make or change."""
    changed = {}
    for number, path, after, block in blocks(page):
        here = f"{page}:{number}"
        if after is None:
            if path in changed or (source / path).exists():
                raise Failure(f"{here}: {path} is there already")
            changed[path] = "\n".join(block) + "\n"
            continue
        if path not in changed and not (source / path).is_file():
            raise Failure(f"{here}: there is no {path}")
        lines = (changed.get(path) or (source / path).read_text(encoding="utf-8")).splitlines()
        at = [i for i, line in enumerate(lines) if line.startswith(after)]
        if len(at) != 1:
            raise Failure(f"{here}: {len(at)} lines of {path} begin with '{after}'")
        changed[path] = "\n".join(lines[:at[0] + 1] + block + lines[at[0] + 1:]) + "\n"
    return changed


def copy_tree(source, copy, changed):
    """Makes `copy` the sources with `changed` in them. Files that stay as they are keep their times."""
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            check=True, capture_output=True).stdout.decode().split("\0")
    wanted = {name: (source / name).read_bytes() for name in listed if name and (source / name).is_file()}
    wanted.update({name: text.encode() for name, text in changed.items()})
    for folder, folders, files in os.walk(copy):
        if pathlib.Path(folder) == copy:
            folders[:] = [name for name in folders if name != "build"]
        for name in files:
            path = pathlib.Path(folder) / name
            if str(path.relative_to(copy)) not in wanted:
                path.unlink()
    for name, content in wanted.items():
        path = copy / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def run(command, log, **options):
    with open(log, "w", encoding="utf-8") as out:
        done = subprocess.run([str(c) for c in command], stdout=out, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        text = log.read_text(encoding="utf-8", errors="replace").splitlines()
        errors = [i for i, line in enumerate(text) if re.search(r"error|FAILED|Failure", line)]
        shown = text[errors[0]:errors[0] + 40] if errors else text[-40:]
        print("\n".join(shown))
    return done.returncode == 0


def check_style(copy, changed):
    log = copy.parent / "style.log"
    if not run(["bash", copy / "tests" / "style" / "style_check.sh", copy], log):
        raise Failure("the style check refuses the copy")
    sources = [path for path in changed if path.endswith((".h", ".cpp", ".cu"))]
    formatter = shutil.which("clang-format-14")
    if formatter and not run([formatter, "--dry-run", "--Werror", *sources], log, cwd=copy):
        raise Failure("the blocks are not formatted")


def build(copy, jobs, own_tests, arguments):
    directory = copy / "build" / "emulated"
    # As `./run` sets them, and seen from the copy, so that both have the same relative paths.
    sloppiness = "pch_defines,time_macros,include_file_mtime,include_file_ctime"
    environment = dict(os.environ, CCACHE_BASEDIR=str(copy), CCACHE_NOHASHDIR="1", CCACHE_PCH_EXTSUM="1",
                       CCACHE_SLOPPINESS=sloppiness)
    sources = "|".join([TEST_SOURCES] + [re.escape("/" + path) + "$" for path in own_tests])
    configure = ["cmake", "--preset", "emulated", "-DORDO_SAMPLES=OFF", "-DORDO_BENCH=OFF", "-DORDO_TOOLS=OFF",
                 f"-DORDO_TEST_SOURCES={sources}", *arguments]
    if not shutil.which("ccache"):  # everything is compiled again
        configure += ["-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG"]
    if not run(configure, copy.parent / "configure.log", cwd=copy, env=environment):
        raise Failure("the copy could not be configured")
    if not run(["ninja", "-C", directory, "-j", jobs, "ordo_tests"], copy.parent / "build.log", env=environment):
        raise Failure("the copy does not build")
    return directory / "bin" / "ordo_tests"


def test(program, work, operations, own_suites):
    """Runs the new operations' tests; returns how many."""
    report = work / "tests.json"
    report.unlink(missing_ok=True)
    patterns = [f"*/{name}" for name in operations] + [f"{suite}.*" for suite in own_suites + OF_ALL]
    record = work / "kernels.txt"
    record.unlink(missing_ok=True)
    passed = run([program, f"--gtest_filter={':'.join(patterns)}", f"--gtest_output=json:{report}"],
                 work / "tests.log", cwd=work, env=dict(os.environ, ORDO_EMULATOR_KERNELS=str(record)))
    if not report.is_file():
        raise Failure("the test program did not finish")
    ran, count = set(), 0
    for suite in json.loads(report.read_text(encoding="utf-8"))["testsuites"]:
        for case in suite["testsuite"]:
            if case["result"] == "COMPLETED":
                count += 1
                ran.add((case["name"].rsplit("/", 1)[-1], suite["name"].rsplit("/", 1)[-1]))
                if case.get("failures"):
                    passed = False
                    print(f"failed: {suite['name']}.{case['name']}")
    if not passed:
        raise Failure("tests of the new operations fail")
    missing = [f"{suite} of {name}" for name in operations for suite in SUITES if (name, suite) not in ran]
    missing += [suite for suite in own_suites + OF_ALL if not any(s == suite for _, s in ran)]
    if missing:
        raise Failure("these tests did not run: " + ", ".join(missing))
    kernels = launched(program.parent.parent / "libordo.so", record)
    for name in operations:
        if not any(name.replace("_", "") in symbol for symbol in kernels):
            raise Failure(f"no kernel of {name} was launched on the emulated GPU")
    return count


def launched(library, record):
    """The names of the library's kernels that a run launched, in small letters and without underscores."""
    offsets = set()
    for line in record.read_text().splitlines() if record.is_file() else []:
        module, offset = line.rsplit(" ", 1)
        if pathlib.Path(module).resolve() == library.resolve():
            offsets.add(int(offset, 16))
    return [symbol.lower().replace("_", "") for address, _, symbol in kernels_launched.kernels(library.resolve())
            if address in offsets]


def walk(arguments, cmake_arguments):
    source, work = arguments.source.resolve(), arguments.work.resolve()
    page = arguments.page or source / "docs" / "adding-an-op.md"
    changed = applied(source, page)
    operations = sorted({name for *_, block in blocks(page) for pair in ADDS.findall("\n".join(block))
                         for name in pair if name})
    own_tests = sorted(path for path in changed if path.startswith("tests/") and path.endswith("_test.cpp"))
    own_suites = sorted({suite for path in own_tests for suite in re.findall(r"^TEST\((\w+),", changed[path], re.MULTILINE)})
    if not operations:
        raise Failure(f"{page}: no block registers an operation")
    work.mkdir(parents=True, exist_ok=True)
    copy_tree(source, work / "source", changed)
    check_style(work / "source", changed)
    started = time.monotonic()
    program = build(work / "source", arguments.jobs, own_tests, cmake_arguments)
    built = time.monotonic()
    if not run([program, "bits", "--write", *operations], work / "bits.log"):
        raise Failure("the bits of the new operations could not be written")
    count = test(program, work, operations, own_suites)
    print(f"The blocks of {page.name} apply, build ({built - started:.0f} s) and pass {count} tests "
          f"({time.monotonic() - built:.0f} s): {', '.join(operations)}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--jobs", default=str(os.cpu_count()))
    arguments, cmake_arguments = parser.parse_known_args()
    if any(not argument.startswith("-D") for argument in cmake_arguments):
        parser.error(f"not arguments of CMake: {' '.join(cmake_arguments)}")
    try:
        walk(arguments, cmake_arguments)
    except Failure as failure:
        print(f"adding_an_op: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
