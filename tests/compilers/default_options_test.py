#!/usr/bin/env python3
"""Default options reach the callee, whatever processor a program is compiled and tuned for.

    default_options_test.py SOURCES INCLUDE LIBRARY FOLDER COMPILER...      INCLUDE is a folder with ordo/ in it

Every struct of options in the public headers is passed by value as its default, by programs compiled at -O2 and -O3 for
a list of processors, without CMake's help: GCC 12.2 gets such copies wrong (cmake/OrdoCompiler.cmake). What this processor can
run is run; the rest must compile. Exit status: 0 all is well, 1 not, 77 this is not x86-64.
"""
import concurrent.futures
import itertools
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

ARCHITECTURES = ["x86-64-v3", "haswell", "skylake-avx512", "icelake-server", "rocketlake", "alderlake", "znver3"]
TUNINGS = ["generic", "haswell", "skylake-avx512", "cascadelake", "icelake-server", "rocketlake", "tigerlake", "alderlake",
           "sapphirerapids", "znver3"]
CACHE = ["ccache"] if shutil.which("ccache") else []
LEAST = 30  # structs that are checked; fewer: the expression below has lost them

PROGRAM = """
#include <cstdio>
#include <cstring>
#include <new>
#include <type_traits>
%(includes)s
#if defined(__clang__)
#define PLAIN clang::noinline, clang::optnone
#else
#define PLAIN gnu::noinline, gnu::optimize("O0")
#endif
int checked = 0, wrong = 0;
template <class T> [[PLAIN]] void make(T* place) { new (place) T{}; }
template <class T> [[gnu::noinline]] void compare(T got, const char* name) {
  T want;
  make(&want);
#if !defined(__clang__)  // which cannot clear what lies between members; it has the explicit checks
  __builtin_clear_padding(&got);
  __builtin_clear_padding(&want);
  ++checked;
  if (std::memcmp(&got, &want, sizeof(T)) != 0) ++wrong, std::printf("wrong: %%s\\n", name);
#else
  (void)name, ++checked;
#endif
}
template <class T> void check(const char* name) {
  if constexpr (std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>) compare<T>({}, name);
}
using namespace ordo;
void expect(bool right, const char* what) { if (!right) ++wrong, std::printf("wrong: %%s\\n", what); }
[[gnu::noinline]] void conv(int64_t in, int64_t out, Size2 kernel, nn::ConvOptions<2> o, Size2 stride) {
  expect(in != 0 && out != 0 && kernel == Size2(int64_t(in == 2 ? 2 : 3)), "kernel");
  expect(o.stride == stride, "stride");
  expect(o.padding == Size2(0), "padding");
  expect(o.dilation == Size2(1), "dilation");
}
[[gnu::noinline]] void numbers(Dims got, Dims a, Dims b) {
  expect(got.size() == 4 && got[0] == 1 && got[1] == 1 && got[2] == 0 && got[3] == 0, "Dims");
  expect(a.size() == 2 && a[0] == 3 && a[1] == 3 && b.size() == 3 && b[2] == 7, "Dims");
}
int main() {
%(checks)s
  conv(1, 1, 3, {}, 1);
  conv(2, 1, 2, {.stride = 2}, 2);
  numbers({1, 1, 0, 0}, {3, 3}, {7, 7, 7});
  std::printf("%%d\\n", checked);
  return wrong ? 1 : 0;
}
"""


def structs(sources):
    """Names and headers of the public structs of options."""
    for header in sorted(itertools.chain.from_iterable((sources / room).rglob("*.h") for room in ("engine", "autograd", "nn"))):
        text = header.read_text()
        if "Internal" in text.split("#pragma once")[0] or "emulator" in header.parts:
            continue
        for match in re.finditer(r"^(template <int N>\n)?struct (\w+(?:Options|Settings)) \{(.*?)^\};", text, re.M | re.S):
            if "std::optional" in match[3]:  # has bytes that nobody writes
                continue
            space = re.findall(r"^namespace (ordo[\w:]*) \{", text[:match.start()], re.M)[-1]
            yield f"{space}::{match[2]}{'<2>' if match[1] else ''}", header.relative_to(sources)


def main():
    sources, include, library, folder = (pathlib.Path(a).resolve() for a in sys.argv[1:5])
    compilers = [c for c in sys.argv[5:] if c]
    if platform.machine() != "x86_64":
        print("skipped: this is not x86-64")
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    found = list(structs(sources))
    program = folder / "default_options.cpp"
    program.write_text(PROGRAM % {
        "includes": "\n".join(sorted({f"#include <ordo/{header}>" for _, header in found})),
        "checks": "\n".join(f'  check<{name}>("{name}");' for name, _ in found)})
    flags = [[f"-march={a}"] for a in ARCHITECTURES] + [["-march=x86-64-v3", f"-mtune={t}"] for t in TUNINGS]

    def one(job):
        number, (compiler, level, flag) = job
        binary = folder / f"default_options_{number}"
        made = binary.with_suffix(".o")
        title = " ".join([compiler, level, *flag])
        for command in ([*CACHE, compiler, "-std=c++20", level, *flag, f"-I{include}", "-c", program, "-o", made],
                        [compiler, made, library, f"-Wl,-rpath,{library.parent}", "-o", binary]):
            built = subprocess.run(command, capture_output=True, text=True)
            if built.returncode != 0:
                return title, "does not compile", built.stderr
        os.remove(made)
        ran = subprocess.run([binary], capture_output=True, text=True)
        os.remove(binary)
        if ran.returncode == -4:  # SIGILL
            return title, "compiled only", ""
        if ran.returncode != 0 or int(ran.stdout.split()[-1]) < LEAST:
            return title, "WRONG", ran.stdout + ran.stderr + f"exit status {ran.returncode}\n"
        return title, "right", ""

    jobs = list(enumerate(itertools.product(compilers, ("-O2", "-O3"), flags)))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for title, verdict, text in pool.map(one, jobs):
            print(f"{title}: {verdict}\n{text}", end="", flush=True)
            failed += verdict not in ("right", "compiled only")
    print(f"{len(found)} structs, {len(jobs)} programs, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
