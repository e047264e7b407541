"""What the tests in Python share: the library (shared_library.cpp), NumPy and checks.

A script's first argument is the library. $ORDO_PYTHON runs the script, where it is set. Exit status 77, a skipped test,
without NumPy.
"""
import ctypes
import os
import sys

wanted = os.environ.pop("ORDO_PYTHON", "")
if wanted:
    os.execv(wanted, [wanted, "-B", *sys.argv])
try:
    import numpy
except ImportError:
    print("python3 has no NumPy")
    sys.exit(77)

ordo = ctypes.CDLL(sys.argv[1])
ordo.ordo_error.restype = ctypes.c_char_p
checks = 0


def expect(holds, what):
    global checks
    checks += 1
    if not holds:
        sys.exit("failed: " + what)


def finish(others=""):
    print(f"{checks} checks with NumPy {numpy.__version__}" + (f" and {others}" if others else ""))
