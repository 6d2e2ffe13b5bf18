"""Tests scripts/progress: what a long command says is shown as it comes, not at its end.

usage: test_progress.py
"""

import subprocess
import unittest
from pathlib import Path

PROGRESS = Path(__file__).resolve().parents[2] / "scripts" / "progress"


class Progress(unittest.TestCase):
    def begin(self, work):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        process = subprocess.Popen([PROGRESS, work], bufsize=1, **pipes)
        self.addCleanup(process.kill)
        return process

    def after_all(self, work, *lines):
        return self.begin(work).communicate("\n".join(lines) + "\n", timeout=60)[0].splitlines()

    def test_steps_are_shown_while_the_command_runs(self):
        process = self.begin("build")
        process.stdin.write("[1/2] Building CXX object src/a.cpp.o\n")
        self.assertEqual(process.stdout.readline().split(), ["50", "%", "1", "of", "2"])
        self.assertEqual(process.communicate("src/a.cpp:1: warning: unused\n", timeout=60)[0], "src/a.cpp:1: warning: unused\n")

    def test_a_build_without_work_says_nothing(self):
        self.assertEqual(self.after_all("build", "ninja: no work to do."), [])

    def test_packages_reach_the_end_whatever_had_to_be_fetched(self):
        lines = ["0 upgraded, 2 newly installed, 0 to remove", "Get:1 somewhere a", "Unpacking a (1) ...", "Unpacking b (1) ...",
                 "Setting up a (1) ...", "Setting up b (1) ...", "W: something is odd"]  # fmt: skip
        shown = self.after_all("install", *lines)
        self.assertEqual(shown[-2:], ["   100 %  5 of 5", "W: something is odd"])


if __name__ == "__main__":
    unittest.main()
