"""Tests scripts/unity_groups: which sources share a unit, and that a unit means what its sources mean by themselves.

usage: test_unity_groups.py
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "unity_groups"


def source(name, own, body="", include=""):
    """A source with one function and an unnamed namespace."""
    return f'{include}namespace nomu {{\nnamespace {{\n{own}\n}}  // namespace\nint {name}() {{ {body} }}\n}}  // namespace nomu\n'


class Groups(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)

    def units(self, files, *cold):
        """{unit: [names of its sources]} for sources given as {name: text}."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        sources = [str(self.root / name) for name in files if name.endswith(".cpp")]
        out = subprocess.run(
            [sys.executable, SCRIPT, self.root, self.root / "out", "x", "--cold", *cold, "--", *sources],
            check=True, capture_output=True, text=True,
        ).stdout
        units = {}
        for line in out.splitlines():
            unit, heat, file = line.split(";")
            self.assertIn(f"_{heat}_", unit)
            units.setdefault(Path(unit), []).append(Path(file).name)
        return units

    def test_a_name_of_two_sources_stands_for_each_ones_own(self):
        units = self.units({
            "a.cpp": source("a", "constexpr int where = 1;", "return where;"),
            "b.cpp": source("b", "constexpr int where = 20;", "return where;"),
            "c.cpp": source("c", "constexpr int elsewhere = 300;", "return elsewhere;"),
            "main.cpp": "namespace nomu { int a(); int b(); int c(); }\nint main() { return nomu::a() + nomu::b() == 21 ? 0 : 1; }\n",
        })
        self.assertEqual([sorted(files) for files in units.values()], [["a.cpp", "b.cpp", "c.cpp", "main.cpp"]])
        (unit,) = units
        self.assertNotIn("elsewhere_", unit.read_text())
        program = self.root / "program"
        subprocess.run(["c++", "-std=c++20", unit, "-o", program], check=True)
        self.assertEqual(subprocess.run([program]).returncode, 0)

    def test_members_of_that_name_keep_sources_apart(self):
        units = self.units({
            "a.cpp": source("a", "struct Spec { int where; };\nconstexpr int where = 1;", "return Spec{.where = where}.where;"),
            "b.cpp": source("b", "constexpr int where = 2;", "return where;"),
        })
        self.assertEqual(len(units), 2)

    def test_a_function_of_a_header_keeps_sources_apart(self):
        header = '#include "shape.hpp"\n'
        units = self.units({
            "shape.hpp": "#pragma once\nnamespace nomu {\nint shape(int rows);\n}  // namespace nomu\n",
            "a.cpp": source("a", "int shape(double) { return 1; }", "return shape(0.5);", header),
            "b.cpp": source("b", "int shape(double) { return 2; }", "return shape(0.5);", header),
        })
        self.assertEqual(len(units), 2)

    def test_parameters_of_that_name_do_not_matter(self):
        header = '#include "refuse.hpp"\n'
        units = self.units({
            "refuse.hpp": "#pragma once\nnamespace nomu {\nvoid refuse(int where, int what);\n}  // namespace nomu\n",
            "a.cpp": source("a", "constexpr int where = 1;", "return where;", header),
            "b.cpp": source("b", "constexpr int where = 2;", "return where;", header),
        })
        self.assertEqual(len(units), 1)

    def test_cold_folders_have_units_of_their_own(self):
        units = self.units({
            "fit/a.cpp": source("a", "", "return 1;"),
            "page/b.cpp": source("b", "", "return 2;"),
            "page/c.cpp": source("c", "", "return 3;"),
        }, "page")
        self.assertEqual(sorted(sorted(files) for files in units.values()), [["a.cpp"], ["b.cpp", "c.cpp"]])

    def test_unchanged_units_are_not_written_again(self):
        files = {"a.cpp": source("a", "", "return 1;"), "b.cpp": source("b", "", "return 2;")}
        (unit,) = self.units(files)
        before = unit.stat().st_mtime_ns
        self.units(files)
        self.assertEqual(unit.stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
