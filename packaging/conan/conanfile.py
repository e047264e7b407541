"""Ordo for Conan 2, from the checkout that this recipe is in: conan create packaging/conan -s compiler.cppstd=20

The libraries that Ordo is built with come from the system's packages.
"""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.system.package_manager import Apt


class Ordo(ConanFile):
    name = "ordo"
    version = "0.3.0"
    license = "Apache-2.0"
    description = "A small tensor and autograd engine with a determinism switch"
    topics = "tensor", "autograd", "cuda", "deterministic"
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"cuda": [True, False]}
    default_options = {"cuda": False}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "*.h", *(room + "/*" for room in ("cmake", "engine", "kernels", "autograd", "nn"))):
            copy(self, pattern, root, self.export_sources_folder, excludes=("build*", "tests/*", "tools/*", "bench/*", "samples/*"))

    def system_requirements(self):
        Apt(self).install(["libeigen3-dev", "libfmt-dev", "libhwy-dev", "nlohmann-json3-dev", "libdlpack-dev", "zlib1g-dev", "libpng-dev",
                           "libjpeg-dev", "libzip-dev", "libpcre2-dev", "libutf8proc-dev"], check=True)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "SAMPLES", "TOOLS", "BENCH", "MPI"):
            toolchain.cache_variables["ORDO_" + part] = "OFF"
        toolchain.cache_variables["ORDO_CUDA"] = "ON" if self.options.cuda else "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the package has its own configuration
        self.cpp_info.builddirs = ["lib/cmake/ordo"]
        self.cpp_info.libs = ["ordo"]
