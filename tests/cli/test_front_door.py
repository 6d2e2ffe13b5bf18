"""One front door: the same rows, settings and seed give the same model file from C++ and from the command line, for every method.

usage: test_front_door.py NOMU FRONT_DOOR
FRONT_DOOR is the program of tests/cli/front_door.cpp. `python/tests/test_front_door.py` adds Python.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL, PROGRAM = (Path(argument).resolve() for argument in sys.argv[1:3])

# Small settings of every method; the request is the same in all interfaces.
METHODS = {
    "nomu": ["train.epochs=30", "ensemble=2"],
    "directed": ["train.epochs=30"],
    "gp": ["restarts=1"],
    "mc_dropout": ["train.epochs=30", "passes=5"],
    "deep_ensemble": ["train.epochs=30", "networks=2"],
    "hyper_deep_ensemble": ["train.epochs=30", "networks=2", "candidates=3"],
    "tube": ["nomu.train.epochs=30", "nomu.ensemble=2"],
    "ann": ["net.hidden=[16]", "train.epochs=30"],
    "laplace": ["net.hidden=[8]", "train.epochs=30"],
    "neural_linear": ["net.hidden=[8]", "train.epochs=30"],
}


def table(rows):
    """Numbers and names; every number reads back as the same double."""
    lines = ["a,b,colour,y"]
    for i in range(rows):
        a, b = (i * 37 % 101) / 101, (i * 53 % 89) / 89
        lines.append(f"{a!r},{b!r},{('red', 'green', 'blue')[i % 3]},{a * a - b + 0.1 * (i % 5)!r}")
    return "\n".join(lines) + "\n"


class FrontDoor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_in(self, *command):
        done = subprocess.run([str(part) for part in command], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stderr}")
        return done.stdout

    def test_the_same_bytes_from_the_tool_and_from_cpp(self):
        # Few rows for CV+, more for held-out rows and learned noise.
        for rows in (40, 240):
            (self.folder / "train.csv").write_text(table(rows))
            for method, settings in METHODS.items():
                if rows == 240 and method == "gp":
                    settings = [*settings, "most_steps=20"]
                sets = [word for setting in settings for word in ("--set", setting)]
                self.run_in(TOOL, "fit", "train.csv", "--target", "y", "--method", method, "--seed", 7, "--threads", 1,
                            "--level", 0.8, *sets, "-o", "tool.nomu")
                self.run_in(PROGRAM, "train.csv", "y", method, 7, 0.8, "cpp.nomu", *settings)
                self.assertEqual((self.folder / "tool.nomu").read_bytes(), (self.folder / "cpp.nomu").read_bytes(),
                                 f"{method}, {rows} rows")

    def test_no_path_time_or_interface_is_in_the_file(self):
        made = []
        for name in ("train.csv", "elsewhere/other.csv"):
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(table(40))
            out = path.with_suffix(".nomu")
            self.run_in(TOOL, "fit", path, "--target", "y", "--method", "gp", "--set", "restarts=0", "-o", out)
            made.append(out.read_bytes())
            self.assertNotIn(path.stem.encode(), made[-1])
        self.assertEqual(*made)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
