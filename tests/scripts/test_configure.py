"""What CMake says and does where something is missing or not supported, and within another project.

usage: test_configure.py CMAKE
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CMAKE = "cmake"
# What these tests are not about takes its time.
LIGHT = [f"-DNOMU_{name}=OFF" for name in ("UNITY", "BUILD_TESTS", "BUILD_EXAMPLES", "WITH_ONEDNN", "WITH_ONNX", "WITH_POSTGRES", "WITH_SERVER")]

PARENT = f"""
cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES CXX)
add_subdirectory("{ROOT}" nomu)
foreach(name IN ITEMS nomu nomu_cli nomu_unit_tests)
  if(TARGET ${{name}})
    message(STATUS "there is ${{name}}")
  endif()
endforeach()
"""
# As NLopt does, this one asks for shared libraries unless told otherwise.
FETCHED = """
cmake_minimum_required(VERSION 3.2)
project(CLI11 NONE)
option(BUILD_SHARED_LIBS "as shared libraries" ON)
message(STATUS "fetched with shared libraries ${BUILD_SHARED_LIBS}")
add_library(CLI11 INTERFACE)
add_library(CLI11::CLI11 ALIAS CLI11)
"""


def configure(*arguments, source=ROOT):
    """The exit code, all that CMake said in one line, and its cache."""
    with tempfile.TemporaryDirectory() as folder:
        command = [CMAKE, "-G", "Ninja", "-S", str(source), "-B", folder, *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        cache = Path(folder, "CMakeCache.txt")
        known = cache.read_text() if cache.exists() else ""
    return done.returncode, " ".join((done.stdout + done.stderr).split()), known


class Refused(unittest.TestCase):
    def refused(self, *arguments):
        code, said, _ = configure(*arguments)
        self.assertNotEqual(code, 0)
        self.assertIn("nomu: ", said)
        return said

    def test_macos(self):
        self.assertIn("macOS is not supported", self.refused("-DCMAKE_SYSTEM_NAME=Darwin"))

    def test_windows(self):
        self.assertIn("Windows is not supported", self.refused("-DCMAKE_SYSTEM_NAME=Windows"))

    def test_a_static_tool_is_the_tool_alone(self):
        said = self.refused("-DNOMU_STATIC=ON", "-DBUILD_SHARED_LIBS=ON")
        self.assertIn("NOMU_STATIC is for the tool alone, without BUILD_SHARED_LIBS", said)

    def test_a_static_tool_needs_a_static_nlopt(self):
        said = self.refused("-DNOMU_STATIC=ON", "-DNOMU_STATIC_NLOPT=", *LIGHT)
        self.assertIn("there is no libnlopt.a", said)
        self.assertIn("scripts/static_nlopt makes it", said)

    def test_a_missing_library(self):
        said = self.refused("-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON", *LIGHT)
        self.assertIn("fmt was not found", said)
        self.assertIn("-DNOMU_FETCH_DEPS=ON", said)


class Accepted(unittest.TestCase):
    def test_a_missing_library_is_fetched_and_changes_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "CMakeLists.txt").write_text(FETCHED)
            code, said, known = configure("-DNOMU_FETCH_DEPS=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON",
                                          f"-DFETCHCONTENT_SOURCE_DIR_CLI11={folder}", *LIGHT)
        self.assertEqual(code, 0, said)
        self.assertIn("CLI11 v2.3.2 is fetched from https://github.com/CLIUtils/CLI11", said)
        self.assertIn("fetched with shared libraries OFF", said)
        self.assertNotIn("BUILD_SHARED_LIBS:BOOL=ON", known)

    def test_within_another_project_nothing_is_forced(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "CMakeLists.txt").write_text(PARENT)
            code, said, known = configure(*[option for option in LIGHT if "BUILD" not in option], source=folder)
        self.assertEqual(code, 0, said)
        self.assertIn("CMAKE_BUILD_TYPE:STRING=\n", known)
        self.assertIn("there is nomu", said)
        self.assertNotIn("there is nomu_", said)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        CMAKE = sys.argv.pop(1)
    unittest.main(verbosity=0)
