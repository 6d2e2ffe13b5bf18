"""nomu attach with networks as people export them (tests/golden/make_onnx_exports.py), stored and exported anew.

Usage: test_onnx_exports.py PATH_TO_NOMU [unittest arguments]
"""

import csv
import math
import random
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import own_data
import run_onnx
from own_data import WithFolder, built_without, run

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
CHOICES = {"torch_two_outputs": ["--output", "mean"], "torch_slice": ["--features", "relu"]}
NETWORKS = [
    "torch_external", "torch_value_mean", "torch_output_lower", "torch_slice", "torch_split", "torch_expand", "torch_expand_old",
    "torch_zeros_old", "torch_where", "torch_celu", "torch_hardswish", "torch_tanh_new", "torch_embedding", "torch_two_inputs",
    "torch_two_outputs", "sklearn_columns", "sklearn_imputed", "sklearn_polynomial", "sklearn_frame",
]
QUICK = ["--set", "train.epochs=60", "--set", "sigma_net.hidden=32", "--set", "ensemble=2"]


def numbers(path: Path, name: str) -> list[float]:
    with path.open() as file:
        return [float(row[name]) for row in csv.DictReader(file)]


class Exports(WithFolder):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        draw = random.Random(3)
        # Numbers that single precision holds exactly, so that all sides read the same.
        cls.cells = [(draw.randrange(-1228, 1229) / 1024, draw.randrange(-1228, 1229) / 1024, draw.randrange(4)) for _ in range(1000)]
        lines = ["a,b,c,y"] + [f"{a},{b},{c},{math.sin(3 * a) + b * b / 2:.9g}" for a, b, c in cls.cells]
        cls.train = cls.write("train.csv", "\n".join(lines[:121]) + "\n")
        cls.rows = cls.write("rows.csv", "\n".join(lines) + "\n")

    def setUp(self) -> None:
        if built_without():
            self.skipTest("nomu was built without ONNX")

    def attach(self, path: Path, *options) -> tuple[Path, Path]:
        out, own = self.folder / "with.onnx", self.folder / "own.csv"
        made = run("attach", path, "--data", self.train, "--target", "y", "-o", out, "--predict", self.rows, "--predictions",
                   own, *QUICK, *options)
        self.assertEqual(made.returncode, 0, made.stderr)
        return out, own

    def feeds(self, path: Path) -> dict:
        """The columns a, b, c as the network reads them, in order unless it calls them by name."""
        import numpy as np

        x, first, made = np.array(self.cells), 0, {}
        for given in run_onnx.onnxruntime.InferenceSession(str(path)).get_inputs():
            size = given.shape[1] if len(given.shape) > 1 else 1
            at = "abc".find(given.name) if len(given.name) == 1 and given.name in "abc" else first
            part = x[:, at : at + size].astype("int64" if "int64" in given.type else "float32")
            made[given.name] = part.reshape(-1) if len(given.shape) == 1 else part
            first += size
        return made

    def compare(self, name: str, folder: Path) -> None:
        """The mean is ONNX Runtime's bit for bit, and sigma nomu's own to 1e-5 of its value and of the median.

        The features carry the rounding of the network, which counts for more where sigma is far below the median: in a
        few rows sigma is more than 1e-5 of its value away, by the engine that computes in double like the file.
        """
        import numpy as np

        path, model = folder / f"{name}.onnx", self.folder / "bounds.nomu"
        out, own = self.attach(path, *CHOICES.get(name, []), "--model", model)
        feeds = self.feeds(path)
        before = next(iter(run_onnx.outputs(path, feeds).values()))
        after = run_onnx.outputs(out, feeds)
        self.assertEqual(list(after), ["mean", "sigma_model", "sigma_noise", "lower", "upper"])
        np.testing.assert_array_equal(after["mean"], before)
        np.testing.assert_allclose(np.array(numbers(own, "mean")), before.reshape(-1), rtol=2e-6, atol=2e-6)
        sigma = np.array(numbers(own, "sigma_model"))
        np.testing.assert_allclose(after["sigma_model"].reshape(-1), sigma, rtol=1e-5, atol=1e-5 * np.median(sigma))
        exact = run("predict", model, self.rows, "--network", path, "-o", own, "--device", "reference", *CHOICES.get(name, []))
        self.assertEqual(exact.returncode, 0, exact.stderr)
        sigma = np.array(numbers(own, "sigma_model"))
        away = np.abs(after["sigma_model"].reshape(-1) - sigma) / sigma
        self.assertLessEqual(np.sum(away > 1e-5), 5, f"rows of {len(sigma)}; the largest difference is {away.max():.2g}")
        self.assertLess(away.max(), 1e-4)

    def test_nomu_computes_what_the_runtime_computed(self) -> None:
        """Without any runtime: the stored answers."""
        for name in NETWORKS:
            with self.subTest(name):
                golden = GOLDEN / "onnx" / f"{name}.csv"
                own = self.folder / "own.csv"
                made = run("attach", GOLDEN / "onnx" / f"{name}.onnx", "--data", self.train, "--target", "y", "-o",
                           self.folder / "with.onnx", "--predict", golden, "--predictions", own, *QUICK, *CHOICES.get(name, []))
                self.assertEqual(made.returncode, 0, made.stderr)
                for value, expected in zip(numbers(own, "mean"), numbers(golden, "y"), strict=True):
                    self.assertAlmostEqual(value, expected, delta=2e-6 * (1 + abs(expected)))

    @unittest.skipIf(run_onnx.onnxruntime is None, "onnxruntime is not installed")
    def test_stored_networks_keep_their_mean(self) -> None:
        for name in NETWORKS:
            with self.subTest(name):
                self.compare(name, GOLDEN / "onnx")

    def test_networks_exported_now(self) -> None:
        if run_onnx.onnxruntime is None:
            self.skipTest("onnxruntime is not installed")
        fresh = self.folder / "fresh"
        fresh.mkdir()
        made = subprocess.run([sys.executable, GOLDEN / "make_onnx_exports.py", fresh], capture_output=True, text=True, check=False)
        if "ModuleNotFoundError" in made.stderr:
            self.skipTest("no exporter is installed: " + made.stderr.splitlines()[-1])
        self.assertEqual(made.returncode, 0, made.stderr)
        for name in NETWORKS:
            with self.subTest(name):
                self.compare(name, fresh)
        shutil.rmtree(fresh)

    def test_what_cannot_be_attached_says_why(self) -> None:
        for name, options, text in [
            ("sklearn_texts", [], "input 'c' reads texts, but bounds read numbers; encode the texts as numbers"),
            ("torch_two_outputs", [], "2 outputs ('mean', 'sigma_model'); name the one that is the prediction with --output"),
            ("torch_two_outputs", ["--output", "spread"], "there is no output 'spread', only 'mean', 'sigma_model'"),
            ("torch_slice", [], "the path back from the output branches here; use --features to name the layer"),
        ]:
            self.refused(text, "attach", GOLDEN / "onnx" / f"{name}.onnx", "--data", self.train, "--target", "y", "-o",
                         self.folder / "no.onnx", *options)

    def test_a_saved_model_finds_the_output_again(self) -> None:
        network, model = GOLDEN / "onnx" / "torch_two_outputs.onnx", self.folder / "bounds.nomu"
        _, own = self.attach(network, "--output", "sigma_model", "--model", model)
        again = run("predict", model, self.rows, "--network", network, "--output", "sigma_model")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stdout, own.read_text())


if __name__ == "__main__":
    own_data.main()
