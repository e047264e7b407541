#!/usr/bin/env python3
"""The packages that cpack makes of a build: packages_test.py SOURCE BUILD SCRATCH COMPILER GENERATOR BUILD_TYPE FLAGS

Unpacked in empty folders, each builds and runs a program: the archive by CMake's find_package, the Debian package, where dpkg-deb is, by
pkg-config. Nothing is installed, and the library is not compiled again. Every file that says a version says the same one.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

source, build, scratch, compiler, generator, build_type, flags = sys.argv[1:]
project = os.path.join(os.path.dirname(os.path.abspath(__file__)), "project")
wrong = []


def expect(truth, text):
    if not truth:
        wrong.append(text)


def run(*words, **options):
    print("+", *words, flush=True)
    return subprocess.run(words, check=True, **options)


def output(*words, **options):
    return run(*words, stdout=subprocess.PIPE, text=True, **options).stdout


def read(*path):
    with open(os.path.join(*path), encoding="utf-8", errors="replace") as file:
        return file.read()


def look_at(prefix):
    """What is there, what it says of where it came from, and the command."""
    for name in ("bin/ordo", "include/ordo/ordo.h", "lib/libordo.so", "lib/pkgconfig/ordo.pc", "lib/cmake/ordo/ordo-config-version.cmake",
                 "share/doc/ordo/LICENSE", "share/ordo/tools/scripts/show.py"):
        expect(os.path.exists(os.path.join(prefix, name)), f"{prefix}: no {name}")
    for name in glob.glob(prefix + "/lib/cmake/ordo/*") + [prefix + "/lib/pkgconfig/ordo.pc"]:
        for folder in (source, build):
            expect(folder not in read(name), f"{name} names {folder}")
    command = os.path.join(prefix, "bin", "ordo")
    expect(version in output(command, "--version"), "ordo has another version")
    loaded = output("ldd", command)
    expect(os.path.realpath(prefix) in os.path.realpath(re.search(r"libordo\S* => (\S+)", loaded)[1]), f"ordo has another library: {loaded}")


def configure(prefix, binary, **options):
    return subprocess.run(["cmake", "-S", project, "-B", binary, "-G", generator, "-DCMAKE_CXX_COMPILER=" + compiler, "-DCMAKE_BUILD_TYPE=" + build_type,
                           "-DCMAKE_CXX_FLAGS=" + flags, "-DCMAKE_PREFIX_PATH=" + prefix], **options)


version = re.search(r"project\(ordo VERSION ([0-9.]+)", read(source, "CMakeLists.txt"))[1]
expect(re.search(r"^version: (\S+)$", read(source, "CITATION.cff"), re.M)[1] == version, "CITATION.cff has another version")
expect(re.search(r'^    version = "(\S+)"$', read(source, "packaging/conan/conanfile.py"), re.M)[1] == version, "packaging/conan has another version")
expect(json.loads(read(source, "packaging/vcpkg/ordo/vcpkg.json"))["version"] == version, "packaging/vcpkg has another version")

shutil.rmtree(scratch, ignore_errors=True)
archive_root, debian_root = (os.path.join(scratch, name) for name in ("archive", "debian"))
os.makedirs(archive_root)
generators = ["TGZ"] + (["DEB"] if shutil.which("dpkg-deb") else [])
run("cpack", "--config", os.path.join(build, "CPackConfig.cmake"), "-G", ";".join(generators), "-B", scratch, stdout=subprocess.DEVNULL)

archive, = glob.glob(scratch + "/*.tar.gz")
run("tar", "-xzf", archive, "-C", archive_root, "--strip-components=1")
look_at(archive_root)
moved = archive_root + " moved"
os.rename(archive_root, moved)
binary = os.path.join(scratch, "by cmake")
configure(moved, binary, check=True)
run("cmake", "--build", binary)
run(os.path.join(binary, "outside"))

if "DEB" in generators:
    package, = glob.glob(scratch + "/*.deb")
    for field, pattern in (("Version", re.escape(version)), ("Depends", "libc6")):
        said = output("dpkg-deb", "-f", package, field)
        expect(field == "Depends" and not shutil.which("dpkg-shlibdeps") or re.search(pattern, said), f"{package}: {field}: {said}")
    run("dpkg-deb", "-x", package, debian_root)
    prefix = os.path.join(debian_root, "usr")
    look_at(prefix)
    if shutil.which("pkg-config"):
        options = output("pkg-config", "--cflags", "--libs", "ordo", env={**os.environ, "PKG_CONFIG_PATH": prefix + "/lib/pkgconfig"}).split()
        program = os.path.join(scratch, "by-pkg-config")
        run(compiler, *flags.split(), os.path.join(project, "main.cpp"), *options, f"-Wl,-rpath,{prefix}/lib", "-o", program)
        run(program)
print("\n".join(wrong) or f"{', '.join(generators)}: as they should be")
sys.exit(1 if wrong else 0)
