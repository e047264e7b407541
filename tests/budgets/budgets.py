"""What the reports of sizes and compile times share: the budgets, builds, families, and how an excess is said."""
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OBJECTS = ("CMakeFiles/ordo.dir", "CMakeFiles/ordo_upper.dir")


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def cached_option(build, name):
    """An entry of CMakeCache.txt, or an empty text."""
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else ""


def judged(build):
    """Whether the budgets are meant for this build: with optimisation, and without a sanitizer's code."""
    return (cached_option(build, "CMAKE_BUILD_TYPE") == "Release" and
            cached_option(build, "CMAKE_CXX_FLAGS_RELEASE") in ("", "-O3 -DNDEBUG") and
            cached_option(build, "ORDO_SANITIZE") in ("", "OFF"))


def family_of(source):
    """engine, autograd, nn, or kernels/reduce: what a source or object file, named from the root, is counted under."""
    parts = pathlib.PurePath(source).parts
    return "/".join(parts[:2]) if parts[0] == "kernels" and len(parts) > 2 else parts[0]


def library_objects(build):
    """(object file, its source as named from the root) of a build's library."""
    for folder in (build / name for name in OBJECTS):
        for path in sorted(folder.rglob("*.o")):
            source = str(path.relative_to(folder))[:-len(".o")]
            if (ROOT / source).is_file() or (build / source).is_file():  # else of a source that is gone
                yield path, source


class Verdict:
    """Collects what exceeds its budget."""

    def __init__(self):
        self.excesses = []

    def check(self, what, value, limit, unit):
        if limit is not None and value > limit:
            self.excesses.append(f"{what}: {value:,.{unit[1]}f} {unit[0]}, and the budget is {limit:,.{unit[1]}f}")

    def status(self, advice):
        for line in self.excesses:
            print(f"over budget: {line}")
        if self.excesses:
            print(advice)
        return 1 if self.excesses else 0


SECONDS = ("s of CPU time", 0)
LINES = ("lines", 0)
KILOBYTES = ("kB", 0)
MEGABYTES = ("MB", 1)
