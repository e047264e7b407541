"""Builds and runs tests/install/project's program with the package."""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout


class OrdoTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain", "CMakeDeps", "VirtualRunEnv"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder=os.path.join(self.recipe_folder, "..", "..", "..", "tests", "install", "project"))
        cmake.build()

    def test(self):
        self.run(os.path.join(self.cpp.build.bindir, "outside"), env="conanrun")
