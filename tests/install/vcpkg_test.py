#!/usr/bin/env python3
"""The vcpkg port, built from this checkout: vcpkg_test.py SOURCE. Exit status 77, a skipped test, without vcpkg and its root folder."""
import os
import shutil
import subprocess
import sys
import tempfile

if not shutil.which("vcpkg") or not os.environ.get("VCPKG_ROOT"):
    print("skipped: vcpkg is not installed, or VCPKG_ROOT does not say where")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    subprocess.run(["vcpkg", "install", "ordo", "--classic", "--triplet=x64-linux-dynamic", f"--x-install-root={folder}/installed",
                    f"--overlay-ports={os.path.join(sys.argv[1], 'packaging', 'vcpkg')}"], check=True)
    installed = f"{folder}/installed/x64-linux-dynamic"
    for path in ("lib/libordo.so", "include/ordo/ordo.h", "share/ordo/copyright", "lib/pkgconfig/ordo.pc"):
        if not os.path.exists(f"{installed}/{path}"):
            sys.exit(f"the port did not install {path}")
