"""nomu export and nomu attach: what the files compute is what nomu predicts; whatever cannot be done is said.

Usage: test_onnx.py PATH_TO_NOMU [unittest arguments]
"""

import csv
import io
import json
import math
import random
from pathlib import Path

import own_data
import run_onnx
from own_data import TINY, WithFolder, built_without, run

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "onnx"
NAMES = ["mean", "sigma_model", "sigma_noise", "lower", "upper"]
EPOCHS = ["--set", "train.epochs=60"]
LONGER = ["--set", "train.epochs=400"]
METHODS = {
    "nomu": ["--method", "nomu", "--set", "ensemble=3", "--noise", "learned", *EPOCHS],
    "linearised": ["--method", "nomu", "--set", "ensemble=1", "--set", "readout.kind=linearised", *EPOCHS],
    "directed": ["--method", "directed", *LONGER],
    "one_bound": ["--method", "directed", "--set", "sides=lower", *LONGER],
    "linked": ["--method", "nomu", "--set", "ensemble=1", "--set", "mean_net.hidden=12,10", "--set", "early_links=1", *EPOCHS],
    "learned_readout": ["--method", "nomu", "--set", "ensemble=1", "--set", "readout.kind=network",
                        "--set", "readout.weights=0.3,2,0.5,0.2", *EPOCHS],
    "ensemble": ["--method", "deep_ensemble", "--noise", "learned", "--set", "net.hidden=16", *EPOCHS],
    "hyper": ["--method", "hyper_deep_ensemble", "--set", "candidates=2", "--set", "net.hidden=8", *EPOCHS],
    "ann": ["--method", "ann", "--set", "net.hidden=16", *EPOCHS],
    "laplace": ["--method", "laplace", "--set", "net.hidden=6,6", *EPOCHS],
    "neural_linear": ["--method", "neural_linear", "--set", "net.hidden=8,8", *EPOCHS],
    "tube": ["--method", "tube", "--set", "nomu.train.epochs=60"],
}


def columns(text: str, names: list[str]) -> dict:
    rows = list(csv.DictReader(io.StringIO(text)))
    return {name: [float(row[name]) for row in rows] for name in names}


class OnnxTest(WithFolder):
    def setUp(self) -> None:
        if run_onnx.MISSING or built_without():
            self.skipTest(run_onnx.MISSING or "nomu was built without ONNX")

    def compare(self, found: dict, expected: dict, extra: dict | None = None) -> None:
        """Every value to 1e-5 of itself, and `extra` where a name has some."""
        import numpy as np

        for name, values in expected.items():
            should = np.array(values)
            away = np.abs(found[name].reshape(-1).astype(float) - should)
            over = away - 1e-5 * np.abs(should) - (extra or {}).get(name, 0.0)
            worst = int(np.argmax(over))
            self.assertLessEqual(over[worst], 0.0, f"{name}, row {worst}: {away[worst]} away from {should[worst]}")

    def compare_bounds(self, found: dict, expected: dict) -> None:
        """Sigmas to 1e-5 of themselves. The mean is a float32 sum, which another program adds up in another order:
        bounds are to 1e-5 of their value and their reach, and what the mean is away."""
        import numpy as np

        mean = np.array(expected["mean"])
        away = np.abs(found["mean"].reshape(-1).astype(float) - mean)
        self.assertLess(away.max(), 2e-6 * np.abs(mean).max())
        reach = {name: away + 1e-5 * np.abs(np.array(expected[name]) - mean) for name in ("lower", "upper")}
        self.compare(found, {name: expected[name] for name in NAMES[1:]}, reach)


class Export(OnnxTest):
    def rows(self) -> tuple:
        import numpy as np

        draw = random.Random(7)
        lines = ["site,a,b"] + [f"{draw.choice(['north', 'south'])},{draw.uniform(-1, 3):.3f},{draw.uniform(-8, 8):.3f}"
                                for _ in range(1000)]
        cells = [line.split(",") for line in lines[1:]]
        x = np.array([[site == "north", site == "south", 0.0, float(a), float(b)] for site, a, b in cells], np.float32)
        text = ["site,a,b"] + [f"{cell[0]},{row[3]:.17g},{row[4]:.17g}" for cell, row in zip(cells, x.astype(float))]
        return self.write("rows.csv", "\n".join(text) + "\n"), x

    def test_every_method(self) -> None:
        rows, x = self.rows()
        model, out = self.folder / "method.nomu", self.folder / "method.onnx"
        for name, options in METHODS.items():
            with self.subTest(name):
                calibration = "isotonic" if name == "directed" else "auto" if name in ("nomu", "laplace") else "nll"
                done = run("fit", self.train, "--target", "y", "-o", model, "--calibrate", calibration, *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                said = run("export", model, "--level", "0.9", "-o", out)
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertIn("input x, float [rows][5]: site=north, site=south, site unknown, a, b", said.stdout)
                names = NAMES + (["sigma_below"] if name == "directed" else [])
                # The fast engines compute in single precision, the graph and the reference in double.
                done = run("predict", model, rows, "--level", "0.9", "--device", "reference")
                self.compare(run_onnx.outputs(out, {"x": x}), columns(done.stdout, names))
        model.unlink()
        out.unlink()

    def test_missing_numbers_dates_and_ranges(self) -> None:
        import numpy as np

        draw = random.Random(5)
        lines = ["when,size,y"]
        for i in range(60):
            size = "" if i % 5 == 0 else f"{draw.randrange(64) / 8}"
            when = "" if i % 7 == 0 else f"{2020 + i // 12}-{1 + i % 12:02}-01"
            lines.append(f"{when},{size},{min(3.0, max(0.0, draw.gauss(1, 2))):.6f}")
        train = self.write("holes.csv", "\n".join(lines) + "\n")
        model, out = self.folder / "holes.nomu", self.folder / "holes.onnx"
        done = run("fit", train, "--target", "y", "--range", "0,3", "-o", model, "--calibrate", "nll", *METHODS["nomu"])
        self.assertEqual(done.returncode, 0, done.stderr)
        said = run("export", model, "--level", "0.9", "-o", out).stdout
        self.assertIn("[rows][6]: when, when season sine, when season cosine, when missing, size, size missing", said)
        rows = self.write("rows.csv", "when,size\n2022-01-01,2.5\n,-40\n2022-01-01,\n,\n")
        day, nan = 18993.0, np.nan
        x = np.array([[day, 0, 1, 0, 2.5, 0], [nan, nan, nan, 0, -40, 0], [day, 0, 1, 0, nan, 0], [nan, 0, 0, 0, nan, 0]],
                     np.float32)
        done = run("predict", model, rows, "--level", "0.9", "--device", "reference")
        expected = columns(done.stdout, NAMES)
        self.compare(run_onnx.outputs(out, {"x": x}), expected, dict.fromkeys(NAMES, 1e-5))
        self.assertGreaterEqual(min(expected["lower"]), 0.0)
        self.assertLessEqual(max(expected["upper"]), 3.0)
        model.unlink()
        out.unlink()

    def test_dropout_takes_the_masks_of_the_first_row(self) -> None:
        rows, x = self.rows()
        model, out = self.folder / "dropout.nomu", self.folder / "dropout.onnx"
        options = ["--method", "mc_dropout", "--noise", "learned", "--set", "passes=10", "--set", "net.hidden=12,12",
                   "--set", "dropout_layers=0.05,0.2", *EPOCHS]
        self.assertEqual(run("fit", self.train, "--target", "y", "-o", model, *options).returncode, 0)
        run("export", model, "-o", out)
        lines = rows.read_text().splitlines()
        found = run_onnx.outputs(out, {"x": x})
        for i in range(5):
            one = self.write("one.csv", f"{lines[0]}\n{lines[i + 1]}\n")
            alone = columns(run("predict", model, one, "--device", "reference").stdout, NAMES)
            self.compare({name: found[name][i : i + 1] for name in NAMES}, alone)

    def test_an_uncalibrated_model_has_no_bounds(self) -> None:
        model, out = self.folder / "raw.nomu", self.folder / "raw.onnx"
        run("fit", self.train, "--target", "y", "--calibrate", "none", "-o", model, *TINY)
        self.assertIn("there are no outputs lower and upper", run("export", model, "-o", out).stdout)
        _, x = self.rows()
        self.assertEqual(sorted(run_onnx.outputs(out, {"x": x})), ["mean", "sigma_model", "sigma_noise"])

    def test_notes_and_json(self) -> None:
        out = self.folder / "noted.onnx"
        report = json.loads(run("export", self.model, "-o", out, "--json").stdout)
        self.assertEqual((report["opset"], report["level"], report["inputs"][0]), (13, 0.95, "site=north"))
        first = out.read_bytes()
        run("export", self.model, "-o", out)
        self.assertEqual(out.read_bytes(), first, "the same model gives the same bytes")
        self.assertIn(b"nomu.guarantee", first)
        out.unlink()

    def test_refusals(self) -> None:
        out = self.folder / "no.onnx"
        process = self.folder / "gp.nomu"
        run("fit", self.train, "--target", "y", "--method", "gp", "--calibrate", "nll", "-o", process)
        self.refused("a Gaussian process (method 'gp') stores its training rows", "export", process, "-o", out)
        self.refused("needs at least 99 calibration rows", "export", self.model, "--level", "0.99", "-o", out)
        self.refused("this is not a nomu model", "export", self.train, "-o", out)
        self.refused("would be overwritten", "export", self.model, "-o", self.model)


class Attach(OnnxTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        draw = random.Random(3)
        lines = ["a,b,y"]
        for _ in range(150):
            a, b = draw.uniform(-1, 1), draw.uniform(-1, 1)
            lines.append(f"{a:.6f},{b:.6f},{math.sin(3 * a) + b * b / 2 + draw.gauss(0, 0.02):.6f}")
        cls.data = cls.write("net.csv", "\n".join(lines) + "\n")
        cls.fresh = cls.write("fresh.csv", "\n".join(lines[:1] + lines[101:]) + "\n")
        cls.half = cls.write("half.csv", "\n".join(lines[:101]) + "\n")

    def attach(self, name: str, *more) -> Path:
        out = self.folder / f"{name}_bounds.onnx"
        done = run("attach", GOLDEN / f"{name}.onnx", "--data", self.half, "--target", "y", "-o", out, "--set",
                   "sigma_net.hidden=32", *LONGER, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stdout
        return out

    def test_the_range_holds_in_the_file_and_the_mean_stays_the_networks(self) -> None:
        import numpy as np

        x = np.random.default_rng(6).uniform(-4, 4, (200, 2)).astype(np.float32)
        rows = self.write("limited.csv", "a,b\n" + "".join(f"{a:.17g},{b:.17g}\n" for a, b in x.astype(float)))
        own = self.folder / "limited_own.csv"
        found = run_onnx.outputs(self.attach("torch_relu", "--range=-1.2,1.6", "--predict", rows, "--predictions", own), {"x": x})
        original = run_onnx.outputs(GOLDEN / "torch_relu.onnx", {"x": x})
        self.assertTrue(np.array_equal(found["mean"], next(iter(original.values()))))
        self.assertAlmostEqual(float(found["lower"].min()), -1.2, places=5)
        self.assertAlmostEqual(float(found["upper"].max()), 1.6, places=5)
        self.assertEqual(max(columns(own.read_text(), ["upper"])["upper"]), 1.6)
        self.refused("is not in the range 0 to 2 of the target (--range)", "attach", GOLDEN / "torch_relu.onnx", "--data", self.half,
                     "--target", "y", "-o", self.folder / "no.onnx", "--range=0,2")

    def test_networks_keep_their_mean_and_get_bounds(self) -> None:
        import numpy as np

        x = np.random.default_rng(5).uniform(-1.5, 1.5, (1000, 2)).astype(np.float32)
        rows = self.write("rows.csv", "a,b\n" + "".join(f"{a:.17g},{b:.17g}\n" for a, b in x.astype(float)))
        for name, source in {"torch_relu": "x", "torch_tanh": "x", "torch_gelu": "x", "torch_batch_norm": "x",
                             "torch_residual": "x", "sklearn_mlp": "X"}.items():
            with self.subTest(name):
                own = self.folder / "own.csv"
                out = self.attach(name, "--predict", rows, "--predictions", own,
                                  *([] if name == "torch_tanh" else ["--noise", "none"]))
                before = next(iter(run_onnx.outputs(GOLDEN / f"{name}.onnx", {source: x}).values()))
                after = run_onnx.outputs(out, {source: x})
                self.assertTrue(np.array_equal(before, after["mean"]), "the mean is the network's own, bit for bit")
                self.assertEqual(sorted(after), sorted(NAMES))
                self.assertTrue(np.all(after["lower"] < after["mean"]) and np.all(after["mean"] < after["upper"]))
                self.assertEqual(bool(np.any(after["sigma_noise"] > 0)), name == "torch_tanh", "noise is learned from 100 rows")
                inside, far = np.abs(x).max(1) < 0.8, np.abs(x).max(1) > 1.3
                self.assertLess(after["sigma_model"][inside].mean(), after["sigma_model"][far].mean())
                self.compare_bounds(after, columns(own.read_text(), NAMES))

    def test_calibrated_on_rows_of_their_own(self) -> None:
        self.attach("torch_relu", "--calibrate-on", self.fresh, "--level", "0.9")
        self.assertIn("50 separate rows", self.said)
        self.assertNotIn("has not seen with --calibrate-on", self.said)
        self.attach("torch_relu")
        self.assertIn("has not seen with --calibrate-on", self.said)

    def test_report_and_json(self) -> None:
        page = self.folder / "bounds.html"
        self.attach("torch_relu", "--report", page)
        self.assertIn("torch_relu.onnx", page.read_text())
        self.attach("torch_relu", "--json", "--features", "/1/Relu")
        self.assertEqual(json.loads(self.said)["features"], "/1/Relu_output_0")

    def test_refusals(self) -> None:
        out = self.folder / "no.onnx"
        refuse = lambda message, name, *more: self.refused(
            message, "attach", GOLDEN / f"{name}.onnx", "--data", self.data, "--target", "y", "-o", out, *more)
        refuse("node 'TreeEnsembleRegressor' (ai.onnx.ml.TreeEnsembleRegressor): this operator is not supported", "sklearn_trees")
        refuse("calibrate its predictions instead, with nomu.calibrate.conformal in Python", "sklearn_trees")
        refuse("has 2 outputs ('h', 'a'); name the one that is the prediction with --output", "two_outputs")
        refuse("output 'a' gives 3 numbers per row, but it must give one", "two_outputs", "--output", "a", "--features", "h")
        refuse("the batch axis of input 'x' is fixed at 1", "torch_one_row")
        refuse("the network reads 64 columns, but the data have 2", "torch_cnn")
        refuse("there is no layer 'fc9'; the layers are /0/Gemm, /1/Relu", "torch_relu", "--features", "fc9")
        refuse("the network reads 2 columns, but the data have 1", "torch_relu", "--ignore", "b")
        self.refused("this is not an ONNX file", "attach", self.data, "--data", self.data, "--target", "y", "-o", out)
        self.refused("cannot read", "attach", "missing.onnx", "--data", self.data, "--target", "y", "-o", out)


if __name__ == "__main__":
    own_data.main()
