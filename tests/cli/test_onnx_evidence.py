"""Models fitted by evidence as ONNX files: steps, trends, heads and warped targets compute what nomu predicts.

Usage: test_onnx_evidence.py PATH_TO_NOMU [unittest arguments]
"""

import json
import math
import random

import own_data
import run_onnx
from own_data import run
from test_onnx import NAMES, OnnxTest, columns

SITES = ["north", "south", "west"]
QUICK = ["--set", "train.epochs=40", "--set", "evidence.penalties=1,10", "--set", "evidence.noise_penalties=3"]


def skewed(rows: int, seed: int, power: float = 1.0) -> str:
    """A positive target of one to a few hundred; with a small power it is hardly skewed."""
    draw = random.Random(seed)
    lines = ["site,a,b,y"]
    for _ in range(rows):
        site, a, b = draw.choice(SITES), draw.uniform(0, 2), draw.uniform(-5, 5)
        exponent = 1 + 0.8 * a + 0.3 * b + (0.5 if site == "north" else 0) + draw.gauss(0, 0.3)
        lines.append(f"{site},{a:.6f},{b:.6f},{math.exp(power * exponent):.6f}")
    return "\n".join(lines) + "\n"


def heavy(rows: int, seed: int) -> str:
    """Targets around 1000 with heavy tails on both sides."""
    draw = random.Random(seed)
    lines = ["a,b,y"]
    for _ in range(rows):
        a, b = draw.gauss(0, 1), draw.gauss(0, 1)
        y = 1000 + 20 * math.sinh(1.5 * a + math.sin(2 * b)) + draw.gauss(0, 3) * (1 + abs(a))
        lines.append(f"{a:.6f},{b:.6f},{y:.6f}")
    return "\n".join(lines) + "\n"


def bent(rows: int, seed: int) -> str:
    """A target that is linear in one number and quadratic in the other."""
    draw = random.Random(seed)
    lines = ["a,b,y"]
    for _ in range(rows):
        a, b = draw.gauss(0, 1), draw.gauss(0, 1)
        lines.append(f"{a:.6f},{b:.6f},{a + b * b + draw.gauss(0, 0.2):.6f}")
    return "\n".join(lines) + "\n"


class Evidence(OnnxTest):
    def fitted(self, text: str, *options, evidence: str = "yes"):
        """The model of a table, and its ONNX file."""
        model, out = self.folder / "evidence.nomu", self.folder / "evidence.onnx"
        done = run("fit", self.write("evidence.csv", text), "--target", "y", "-o", model, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"evidence.use = {evidence}", done.stdout)
        self.said = done.stdout
        made = run("export", model, "-o", out, "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.inputs = json.loads(made.stdout)["inputs"]
        return model, out

    def check(self, model, out) -> None:
        """Every output of 1000 rows among and beyond the data, to 1e-5 of its value; bounds, which may be near 0 far from
        the mean, to 1e-5 of their half width, too."""
        import numpy as np

        draw = random.Random(7)
        sites = [draw.choice([*SITES, "elsewhere"]) for _ in range(1000)]
        numbers = np.array([[draw.uniform(-2, 4), draw.uniform(-12, 12)] for _ in sites], np.float32)
        numbers[:2] = [[1e6, -3e9], [-1e6, 2e-30]]
        values = {"a": numbers[:, 0], "b": numbers[:, 1]}
        for name in self.inputs:
            if name not in values:  # "site=north", or the input for names that training did not have
                known = [f"site={site}" if site in SITES else "site unknown" for site in sites]
                values[name] = np.array([name == one for one in known], np.float32)
        lines = [f"{site},{a:.17g},{b:.17g}" for site, (a, b) in zip(sites, numbers.astype(float))]
        rows = self.write("rows.csv", "\n".join(["site,a,b", *lines]) + "\n")
        done = run("predict", model, rows, "--device", "reference")
        self.assertEqual(done.returncode, 0, done.stderr)
        x = np.stack([values[name] for name in self.inputs], 1)
        largest = np.finfo(np.float32).max  # what a file cannot hold is infinite there
        expected = {name: np.clip(values, -largest, largest) for name, values in columns(done.stdout, NAMES).items()}
        found = {name: np.clip(values, -largest, largest) for name, values in run_onnx.outputs(out, {"x": x}).items()}
        reach = {name: 1e-5 * np.abs(expected[name] - expected["mean"]) for name in ("lower", "upper")}
        self.compare(found, expected, reach)

    def tearDown(self) -> None:
        for name in ("evidence.nomu", "evidence.onnx", "evidence.csv", "rows.csv"):
            (self.folder / name).unlink(missing_ok=True)

    def test_a_skewed_target_with_names(self) -> None:
        model, out = self.fitted(skewed(240, 3))
        self.assertIn("split conformal", self.said)
        for part in (b"nomu_warp_scale", b"nomu_step_low", b"nomu_reach", b"nomu_raw_near", b"nomu_slopes", b"nomu_unknown",
                     b"nomu_range_bend"):
            self.assertIn(part, out.read_bytes())
        self.check(model, out)

    def test_numbers_in_proportion_up_to_where_they_are_drawn_in(self) -> None:
        for seed in (2, 5, 1, 3, 4):
            model, out = self.fitted(bent(600, seed))
            if b"nomu_straight" in out.read_bytes():
                break
        else:
            self.fail("no table gave such a presentation; choose others")
        self.check(model, out)

    def test_few_rows(self) -> None:
        model, out = self.fitted(skewed(60, 5))
        self.assertIn("CV+", self.said)
        self.check(model, out)

    def test_heavy_tails_on_both_sides(self) -> None:
        model, out = self.fitted(heavy(260, 4))
        self.assertIn(b"nomu_warp_scale", out.read_bytes())
        self.check(model, out)

    def test_fold_models_with_and_without_a_warp(self) -> None:
        for seed in range(8):
            model, out = self.fitted(skewed(60, seed, 0.35), *QUICK)
            if b"nomu_kept" in out.read_bytes():
                break
        else:
            self.fail("no table gave folds of both kinds; choose others")
        self.check(model, out)

    def test_without_steps_trend_warp_and_calibration(self) -> None:
        plain = ["--set", "evidence.steps=0", "--set", "evidence.trend=false", "--set", "evidence.warp=false"]
        model, out = self.fitted(skewed(60, 2), *QUICK, *plain)
        for part in (b"nomu_warp_scale", b"nomu_step_low"):
            self.assertNotIn(part, out.read_bytes())
        self.check(model, out)
        model, out = self.fitted(skewed(60, 2), *QUICK, "--calibrate", "nll")
        self.check(model, out)

    def test_inputs_drawn_in_for_another_method(self) -> None:
        options = ["--method", "deep_ensemble", "--set", "networks=2", "--set", "train.epochs=40", "--set", "scale.inputs=robust"]
        model, out = self.fitted(skewed(60, 2), *options, evidence="no")
        self.assertIn(b"nomu_reach", out.read_bytes())
        self.check(model, out)


if __name__ == "__main__":
    own_data.main()
