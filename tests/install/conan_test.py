#!/usr/bin/env python3
"""The Conan recipe, which builds the library and a program with it: conan_test.py SOURCE. Exit status 77, a skipped test, without Conan."""
import os
import shutil
import subprocess
import sys
import tempfile

if not shutil.which("conan"):
    print("skipped: Conan is not installed")
    sys.exit(77)
with tempfile.TemporaryDirectory() as home:
    environment = {**os.environ, "CONAN_HOME": home}
    for words in (["profile", "detect"], ["create", os.path.join(sys.argv[1], "packaging", "conan"), "-s", "compiler.cppstd=20"]):
        subprocess.run(["conan", *words], env=environment, check=True)
