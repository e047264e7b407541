"""Compiles lessons: the emulator and this folder once, as one library with the race checker; then a file or two for each check."""
import hashlib
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HARNESS = Path(__file__).resolve().parent
ROOT = HARNESS.parents[2]
ROOMS = ("engine", "kernels", "autograd", "nn", "simulators", "ordo.h", "extend.h")

# As cmake/OrdoSanitize.cmake compiles kernels for ORDO_SANITIZE=race: the compiler reports every access to the emulator. Without the
# optimisations that leave an endless loop no line of its own.
WATCHED = ["-xc++", "-fsanitize=thread", "--param=tsan-distinguish-volatile=1", "-fno-tree-dce", "-fno-tree-ccp", "-fno-tree-ch",
           *(f"-fno-builtin-{name}" for name in ("memcpy", "memmove", "memset"))]


class DoesNotCompile(Exception):
    """The compiler's messages."""


class Builder:
    """Builds into `folder`, with the compiler of $CXX; for a GPU with nvcc."""

    def __init__(self, folder, gpu=False):
        self.gpu = gpu
        self.folder = Path(folder) / ("gpu" if gpu else "emulated")
        self.include = self.folder / "include"
        (self.include / "ordo").mkdir(parents=True, exist_ok=True)
        for room in ROOMS:
            link = self.include / "ordo" / room
            if not link.is_symlink():
                link.symlink_to(ROOT / room)
        if gpu:
            self.compiler = ["nvcc", "-std=c++20", "-O1", "-lineinfo", "-fmad=false", "-arch=native"]
        else:
            self.compiler = [os.environ.get("CXX") or "g++", "-std=c++20", "-O1", "-g1", "-Wall", "-Wextra", "-ffp-contract=off",
                             "-DORDO_EMULATED=1", "-DORDO_RACE_CHECKER=1"]
        self.compiler += [f"-I{self.include}", f"-I{HARNESS}"]
        self.headers = sorted(HARNESS.glob("*.h")) + sorted((ROOT / "engine").rglob("*.h")) + sorted((ROOT / "simulators").rglob("*.h"))
        self.headers_hash = digest(*(h.read_bytes() for h in self.headers))

    def compile(self, source, object_file, options=()):
        """Compiles one file, unless it and all headers are as they were."""
        command = [*self.compiler, *options, "-c", str(source), "-o", str(object_file)]
        stamp = Path(f"{object_file}.made")
        made_of = digest(" ".join(command).encode(), self.headers_hash.encode(), Path(source).read_bytes())
        if stamp.exists() and object_file.exists() and stamp.read_text() == made_of:
            return
        stamp.unlink(missing_ok=True)
        object_file.parent.mkdir(parents=True, exist_ok=True)
        run(command)
        stamp.write_text(made_of)

    def library(self):
        """The emulator, and main() and the functions of checks."""
        sources = [HARNESS / "check.cpp", HARNESS / "main.cpp"]
        if not self.gpu:
            sources += emulator_sources()
        objects = [self.folder / "library" / f"{source.stem}-{source.parent.name}.o" for source in sources]
        options = ["-x", "cu"] if self.gpu else []
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda pair: self.compile(*pair, options), zip(sources, objects)))
        return objects

    def program(self, lesson, source):
        """The check of the lesson in folder `lesson`, on `source` in place of yours."""
        options = ["-x", "cu"] if self.gpu else WATCHED
        check, code = self.folder / lesson.name / "check.o", self.folder / lesson.name / f"{source.stem}.o"
        library = self.library()
        with ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(self.compile, lesson / "check.cu", check, options),
                    pool.submit(self.compile, source, code, [*options, f"-I{lesson}"])]
        for job in jobs:
            job.result()
        program = code.with_suffix("")
        # The learner's file comes first: where a function is in several objects the linker keeps that of the first.
        objects = [str(code), str(check), *map(str, library)]
        if not self.gpu:
            redefined = [f"--redefine-sym={name}=lesson_{name}" for name in ("memcpy", "memmove", "memset")]
            watched = code.with_suffix(".watched.o")
            run(["objcopy", *redefined, str(code), str(watched)])
            objects[0] = str(watched)
        run(["nvcc", "-arch=native", *objects, "-o", str(program)] if self.gpu else
            [self.compiler[0], *objects, "-o", str(program), "-lfmt", "-ldl", "-pthread"])
        return program


def emulator_sources():
    return [ROOT / "engine/calls/checked.cpp", ROOT / "engine/run/files.cpp", *sorted((ROOT / "simulators/emulator").glob("*.cpp"))]


def digest(*parts):
    sha = hashlib.sha256()
    for part in parts:
        sha.update(hashlib.sha256(part).digest())
    return sha.hexdigest()


def run(command):
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        raise DoesNotCompile("the compiler was stopped after 120 seconds") from None
    if result.returncode != 0:
        raise DoesNotCompile(result.stderr.strip())
