"""What the tests of the commands for one's own data share: a table, a small model of it, refusals."""

import functools
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NOMU = ""
TINY = [
    *("--preset", "written", "--set", "mean_net.hidden=16", "--set", "sigma_net.hidden=16", "--set", "augment.count=8"),
    *("--set", "stable=true", "--set", "train.learning_rate=0.01", "--set", "train.epochs=40"),
]


def run(*arguments, **options) -> subprocess.CompletedProcess:
    return subprocess.run([NOMU, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)


def table(rows: int, seed: int = 1) -> str:
    """Columns site (names), a, b and y; y depends on all of them."""
    draw = random.Random(seed)
    lines = ["site,a,b,y"]
    for _ in range(rows):
        site, a, b = draw.choice(["north", "south"]), draw.uniform(0, 2), draw.uniform(-5, 5)
        y = 300 + 50 * math.sin(3 * a) + 10 * b + (20 if site == "north" else 0) + draw.gauss(0, 3)
        lines.append(f"{site},{a:.6f},{b:.6f},{y:.6f}")
    return "\n".join(lines) + "\n"


@functools.cache
def built_without() -> bool:
    return "built without ONNX" in run("attach", "missing.onnx", "--data", "-", "--target", "y", "-o", "nowhere.onnx").stderr


class WithFolder(unittest.TestCase):
    """A folder with 40 training rows, and a model of them that all tests of a class share."""

    @classmethod
    def setUpClass(cls) -> None:
        cls._temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls._temporary.name)
        cls.train = cls.write("train.csv", table(40))
        cls.model = cls.folder / "model.nomu"
        done = run("fit", cls.train, "--target", "y", "-o", cls.model, *TINY)
        assert done.returncode == 0, done.stderr
        cls.said = done.stdout

    @classmethod
    def tearDownClass(cls) -> None:
        cls._temporary.cleanup()

    @classmethod
    def write(cls, name: str, text: str) -> Path:
        path = cls.folder / name
        path.write_text(text)
        return path

    def refused(self, message: str, *arguments, code: int = 2) -> None:
        """The command fails with this message and leaves the folder as it was."""
        before = sorted(os.listdir(self.folder))
        result = run(*arguments)
        self.assertIn(message, result.stderr)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before, "nothing is half-written")

    def refused_data(self, message: str, text: str, *more) -> None:
        path = self.write("bad.csv", text)
        self.refused(message, "fit", path, "--target", "y", "-o", self.folder / "bad.nomu", *TINY, *more)


def main() -> None:
    """Runs the tests of the calling file: PATH_TO_NOMU, then arguments of unittest."""
    global NOMU
    NOMU = sys.argv.pop(1)
    unittest.main(verbosity=1)
