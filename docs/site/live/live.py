"""Compiles what runs in web pages, by Emscripten. live.py FOLDER OUTPUT writes to OUTPUT
  lessons.js  each lesson's file with its gap, its solution, and attempts that are common, all with the emulator and its race checker
  switch.js   the training of the first screen, with the library's accumulate engine on the emulator
  sums.js     the orders of sums, with kernels of the library on the emulator"""
import json
import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LIVE = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT / "samples/lessons/harness"), str(LIVE)]
import build  # noqa: E402
import lesson as lessons  # noqa: E402
from attempts import RIGHT_ATTEMPTS, WRONG_ATTEMPTS  # noqa: E402
from lines import with_lines  # noqa: E402

# Not in a page: what a compiler says, what ends a process, and loops without an end, which have no line there.
NATIVE_ONLY = {"DOES NOT COMPILE", "CRASH", "ENDLESS LOOP", "NOTHING DONE", "NOT ALLOWED", "HOST MEMORY"}
SUMS = ["docs/site/live/sums.cpp", "tools/ordo/spread_values.cpp", "nn/audit/sum_tree.cpp", "engine/tensor/dtype.cpp", "engine/run/determinism.cpp", "engine/calls/op_registry.cpp", "engine/calls/check.cpp", "engine/tensor/device.cpp", "engine/tensor/dims.cpp", "kernels/accumulate/choose.cpp",
        "kernels/accumulate/exact/exact.cu", "kernels/ordering/add_parts.cu", "kernels/matmul/gemm_ordered.cu"]
OPTIONS = ["-std=c++20", "-ffp-contract=off", "-fexceptions", "-DORDO_EMULATED=1", "-DFMT_HEADER_ONLY",
           "-include", str(LIVE / "std.h"), "-Wno-unused-command-line-argument"]


def texts_of(lesson):
    """(name, text, verdict) of each text of a lesson that a page has."""
    solution = lesson.solution.read_text()
    yield "unsolved", lesson.unsolved.read_text(), lesson.says
    yield "solution", solution, "DONE"
    for number, name, old, new, verdict, *_ in WRONG_ATTEMPTS:
        if number == lesson.number and verdict not in NATIVE_ONLY:
            yield name, solution.replace(old, new), verdict
    for number, name, changes in RIGHT_ATTEMPTS:
        if number == lesson.number:
            text = solution
            for old, new in changes:
                text = text.replace(old, new)
            yield name, text, "DONE"


def programs():
    """(lesson, name, text, verdict) of every program of the pages, in the order of their numbers."""
    return [(lesson, *text) for lesson in lessons.lessons() if not lesson.needs_library for text in texts_of(lesson)]


def recorded_texts():
    """The same of the lessons that need the whole library, which no page has."""
    return [(lesson, *text) for lesson in lessons.lessons() if lesson.needs_library for text in texts_of(lesson)]


def recorded(folder, library):
    """They, and what the check says of each."""
    for lesson, name, text, verdict in recorded_texts():
        own = Path(folder) / name
        own.mkdir(parents=True, exist_ok=True)
        source = own / lesson.yours.name
        source.write_text(text)
        _, said = lessons.verdict(lesson, source, own, library=library)
        if not re.search(rf"^{verdict}\b", said, flags=re.M):
            raise SystemExit(f"live.py: lesson {lesson.number}, {name}, is not {verdict}: {said}")
        yield lesson, name, text, verdict, said


def source_of(lesson, texts):
    """One file for all texts of a lesson, each in a namespace of its own."""
    exercise, check = ((lesson.folder / name).read_text() for name in ("exercise.h", "check.cu"))
    inner = {"check.h", "exercise.h", "lesson.h"}
    includes = sorted(set(re.findall(r"^#include [<\"]([^>\"]+)[>\"]$", "\n".join([exercise, check, *(text for _, text, _ in texts)]), flags=re.M)) - inner)
    parts = [*(f"#include <{name}>" for name in includes), '#include "lesson.h"', '#include "check.h"']
    without = lambda text: re.sub(r"^#(include|pragma once).*$", "", text, flags=re.M)
    for number, (_, text, _) in enumerate(texts):
        begins = lambda name: next((i for i, line in enumerate(text.splitlines(), 1) if re.match(rf"\w[^=;]*\b{name}\(", line)), 0)
        own_check = re.sub(r"LESSON_PLACE\((\w+)\)", lambda m: f'std::string("yours.cu:{begins(m[1])} ({m[1]}())")', without(check))
        parts += [f"namespace lesson_{lesson.number} {{\nnamespace text_{number} {{", '#line 1 "exercise.h"', without(exercise), '#line 1 "yours.cu"', without(text),
                  '#line 1 "check.cu"', own_check.replace("void lesson::check()", "void check()"), "}\n}"]
    return "\n".join(parts) + "\n"


LINK = ["-Oz", "-sASYNCIFY", "-sASYNCIFY_STACK_SIZE=65536", "-sALLOW_MEMORY_GROWTH", "-sSINGLE_FILE", "-sEXIT_RUNTIME=0", "-sENVIRONMENT=worker,node", "-sINVOKE_RUN=0",
        "--no-entry", "-sEXPORTED_RUNTIME_METHODS=FS", "-sFORCE_FILESYSTEM", "-sDISABLE_EXCEPTION_CATCHING=0", "-sTOTAL_STACK=1048576"]


class Compiler:
    def __init__(self, folder, options):
        self.folder = Path(folder)
        self.include = self.folder / "include"
        (self.include / "ordo").mkdir(parents=True, exist_ok=True)
        for name, target in [*((f"ordo/{room}", ROOT / room) for room in build.ROOMS), ("fmt", Path("/usr/include/fmt"))]:
            link = self.include / name
            if not link.is_symlink():
                link.symlink_to(target)
        self.options = [*OPTIONS, *options, f"-I{LIVE}", f"-I{self.include}", f"-I{build.HARNESS}", f"-I{self.folder}", f"-I{ROOT}"]

    def compile(self, source):
        made = self.folder / f"{source.stem}-{source.parent.name}.o"
        build.run(["em++", *self.options, "-xc++", "-c", str(source), "-o", str(made)])
        return made

    def compile_lesson(self, lesson, texts):
        source, code, made = (self.folder / f"lesson_{lesson.number}{end}" for end in (".cpp", ".ll", ".o"))
        source.write_text(source_of(lesson, texts))
        build.run(["em++", *self.options, "-g", "-fno-builtin", "-Xclang", "-fsanitize=thread", "-mllvm", "-tsan-instrument-func-entry-exit=0",
                   "-mllvm", "-tsan-distinguish-volatile=1", "-S", "-emit-llvm", str(source), "-o", str(code)])
        code.write_text(with_lines(code.read_text(), "yours.cu"))
        build.run(["em++", *self.options, "-c", str(code), "-o", str(made)])
        return made

    def link(self, objects, functions, output):
        """A script for the page: it hands the text of the worker's script to ordoLive()."""
        program = self.folder / "program.js"
        os.environ["NODE_PATH"] = "/usr/share/nodejs"  # another node than Debian's does not look for its packages there
        build.run(["em++", *OPTIONS, *map(str, objects), "-o", str(program), *LINK, "-sEXPORTED_FUNCTIONS=" + ",".join(functions)])
        worker = (LIVE / "worker.js").read_text() + program.read_text()
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text("window.ordoLive(" + json.dumps(worker) + ");\n")


def build_lessons(folder, output):
    compiler = Compiler(folder, ["-O1", "-DORDO_RACE_CHECKER=1"])
    every = {lesson: list(texts_of(lesson)) for lesson in lessons.lessons() if not lesson.needs_library}
    names = [f"lesson_{lesson.number}::text_{number}" for lesson, texts in every.items() for number in range(len(texts))]
    declared = "".join(f"namespace {name} {{\nvoid check();\n}}\n" for name in names)
    (compiler.folder / "programs.h").write_text(f"#pragma once\n{declared}inline void (*const kPrograms[])() = {{\n" + "".join(f"    {name}::check,\n" for name in names) + "};\n")
    sources = [LIVE / "live.cpp", build.HARNESS / "check.cpp", *build.emulator_sources()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(compiler.compile, source) for source in sources] + [pool.submit(compiler.compile_lesson, lesson, texts) for lesson, texts in every.items()]
        compiler.link([job.result() for job in jobs], ["_run_program", "_program_status"], output)


def build_program(folder, output, sources, function):
    """A program with kernels of the library, for the emulated GPU."""
    compiler = Compiler(folder, ["-O2"])
    sources = [LIVE / "library.cpp", ROOT / "engine/run/launch_tuning.cpp", *sorted((ROOT / "kernels/accumulate/sorted").glob("*.cu")), *build.emulator_sources(),
               *(ROOT / source for source in sources)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        compiler.link(list(pool.map(compiler.compile, sources)), ["_" + function], output)


def build_all(folder, output):
    build_lessons(Path(folder) / "lessons", output / "lessons.js")
    build_program(Path(folder) / "switch", output / "switch.js", ["docs/site/live/switch.cpp"], "train")
    build_program(Path(folder) / "sums", output / "sums.js", SUMS, "look")


if __name__ == "__main__":
    if not shutil.which("em++"):
        sys.exit("live.py: Emscripten (em++) is not installed")
    build_all(sys.argv[1], Path(sys.argv[2]))
