"""Several targets in one file, through the tool.

Usage: test_targets.py PATH_TO_NOMU [unittest arguments]
"""

import csv
import json
import os
import random
import shutil

import own_data
from own_data import TINY, WithFolder, run


def two(rows: int, seed: int = 1) -> str:
    """Columns site, x, a and b, of which the last two are targets."""
    draw = random.Random(seed)
    lines = ["site,x,a,b"]
    for _ in range(rows):
        site, x = draw.choice(["north", "south"]), draw.uniform(-2, 2)
        lines.append(f"{site},{x:.6f},{x + draw.gauss(0, 0.3):.6f},{abs(x) + 0.5 * draw.gauss(0, 1) ** 2:.6f}")
    return "\n".join(lines) + "\n"


class Targets(WithFolder):
    def rows_of(self, path):
        with open(path) as file:
            return list(csv.DictReader(file))

    def fit(self, *options, rows=300):
        data = self.write("two.csv", two(rows))
        model = self.folder / "two.nomu"
        done = run("fit", data, "--target", "a,b", "-o", model, *TINY, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return model, done.stdout

    def test_one_file_for_all(self) -> None:
        model, said = self.fit("--range", "b=0,inf", "--level", "0.9")
        self.assertIn("2 targets, fitted as one cohort: a, b", said)
        self.assertIn("joint bounds of 90 %, for all 2 targets at once: a new row like the 60 calibration rows", said)
        fresh = self.write("fresh.csv", two(400, 2))
        out = self.folder / "out.csv"
        done = run("predict", model, fresh, "--quantiles", "0.1", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        row = self.rows_of(out)[0]
        added = ["mean_a", "sigma_model_a", "sigma_noise_a", "lower_a", "upper_a", "q0.1_a", "mean_b"]
        self.assertEqual(list(row)[4:11], added)
        self.assertEqual(list(row)[-1], "outside")
        separate = self.rows_of(out)
        self.assertGreaterEqual(min(float(row["lower_b"]) for row in separate), 0)
        done = run("predict", model, fresh, "--joint", "-o", out)
        self.assertIn("bounds of 90 %, joint: for all 2 targets at once", done.stdout, done.stderr)
        joint = self.rows_of(out)
        width = [sum(float(r["upper_a"]) - float(r["lower_a"]) for r in rows) for rows in (separate, joint)]
        self.assertGreater(width[1], width[0])
        inside = [all(float(r[f"lower_{t}"]) <= float(r[t]) <= float(r[f"upper_{t}"]) for t in "ab") for r in joint]
        self.assertGreater(sum(inside) / len(inside), 0.82)
        report = json.loads(run("evaluate", model, fresh, "--json").stdout)
        self.assertAlmostEqual(report["joint_coverage"], sum(inside) / len(inside), places=9)
        self.assertLess(report["all_inside"], report["joint_coverage"])
        self.assertEqual(set(report["targets"]), {"a", "b"})
        self.assertIn("inside the joint bounds:", run("evaluate", model, fresh).stdout)
        self.assertEqual(run("show", model).stdout, said[: said.index("held-out rows")])
        self.assertIn("guarantee", json.loads(run("show", model, "--json").stdout)["joint"])
        page = self.folder / "page.html"
        self.assertEqual(run("report", model, "--no-check", "-o", page).returncode, 0)
        for target in "ab":
            (self.folder / f"page.{target}.html").unlink()
        again = json.loads(run("calibrate", model, fresh, "-o", model, "--json").stdout)
        self.assertIn("400 calibration rows", again["joint"]["guarantee"])
        out.unlink()
        model.unlink()

    def test_a_target_of_several_is_the_model_of_its_own_fit(self) -> None:
        model, _ = self.fit(rows=90)
        alone = self.folder / "alone.nomu"
        fresh = self.write("fresh.csv", two(5, 2))
        together = model.read_bytes()
        for target, other in ("a", "b"), ("b", "a"):
            fit = ["fit", self.folder / "two.csv", "--ignore", other, "--target", target, "-o", alone, *TINY]
            self.assertEqual(run(*fit).returncode, 0)
            first = run("predict", model, fresh, "--target", target).stdout
            self.assertEqual(first, run("predict", alone, fresh).stdout)
            # Bit for bit: the file of the first target lies in that of all; what the second repeats of it does not.
            (self.assertIn if target == "a" else self.assertNotIn)(alone.read_bytes(), together)
        self.assertLess(len(together), 2 * alone.stat().st_size)
        self.refused("the file holds models of several targets (a, b); choose one of them (--target", "export", model,
                     "-o", self.folder / "x.onnx")  # fmt: skip
        self.refused("choose it with --target (a, b)", "predict", model, fresh, "--adapt", "-o", self.folder / "o.csv")
        self.refused("there is no target 'c'; the targets are a, b", "predict", model, fresh, "--target", "c")
        self.refused("leave out --target", "predict", alone, fresh, "--target", "a")
        self.refused("--joint is for model files with several targets", "predict", alone, fresh, "--joint")
        alone.unlink()
        model.unlink()

    def test_nothing_is_said_about_one_target_only(self) -> None:
        model, _ = self.fit("--calibrate", "nll")
        out = self.folder / "some.csv"
        holes = self.write("holes.csv", "site,x\nnorth,1\nsouth,\n,0.5\n")
        done = run("predict", model, holes, "--drop-missing", "-o", out)
        self.assertIn("1 row predicted, 0 of them outside the range of the training data\n", done.stdout)
        self.assertIn("2 rows with missing values were dropped", done.stdout)
        line = json.loads(run("predict", model, holes, "--drop-missing", "--json", "-o", out).stdout)
        self.assertEqual((line["rows"], line["dropped_rows"], sorted(line["guarantees"])), (1, 2, ["a", "b"]))
        known = self.folder / "two.csv"
        said = run("evaluate", model, known).stdout
        self.assertEqual(said.count("300 of them are among those the model was made with"), 2, said)
        report = json.loads(run("evaluate", model, known, "--json").stdout)
        self.assertEqual([report["targets"][name]["seen"] for name in "ab"], [300, 300])
        missing = self.write("missing.csv", two(20, 5) + "north,,1,2\n")
        said = run("evaluate", model, missing, "--drop-missing").stdout
        self.assertIn("1 row with missing values was dropped", said)

    def test_nobody_sees_more_than_the_table_shows(self) -> None:
        data = self.write("private.csv", two(60))
        data.chmod(0o600)
        model = self.folder / "private.nomu"
        self.assertEqual(run("fit", data, "--target", "a,b", "-o", model, *TINY).returncode, 0)
        self.assertEqual(model.stat().st_mode & 0o777, 0o600)
        fresh, again = self.write("more.csv", two(60, 2)), self.folder / "again.nomu"
        self.assertEqual(run("calibrate", model, fresh, "-o", again).returncode, 0)
        self.assertEqual(again.stat().st_mode & 0o777, 0o600)
        model.unlink()
        again.unlink()

    def test_rows_and_requests_that_do_not_work(self) -> None:
        lines = two(60).splitlines()
        lines[3] = ",".join([*lines[3].split(",")[:3], ""])
        data = self.write("gaps.csv", "\n".join(lines) + "\n")
        model = self.folder / "gaps.nomu"
        done = run("fit", data, "--target", "a,b", "-o", model, *TINY, "--calibrate", "nll")
        self.assertIn("1 rows without a value of every target were left out", done.stdout, done.stderr)
        self.refused("joint bounds of all targets need conformal calibration", "predict", model, data, "--joint")
        model.unlink()
        fit = ["fit", data, "-o", model, *TINY, "--target"]
        self.refused("say which (--range a=0,inf", *fit, "a,b", "--range", "0,inf")
        self.refused("a range is given for 'x', which is not a target", *fit, "a,b", "--range", "x=0,inf")
        self.refused("--range names 'x', but the target is 'a'", *fit, "a", "--range", "x=0,inf")
        self.refused("unknown column 'c'", *fit, "a,c")
        self.refused("is listed twice", *fit, "a,a")
        self.refused("known noise belongs to a single target", *fit, "a,b", "--noise", "x")

    def test_a_file_of_several_targets_is_as_private_as_its_tables(self) -> None:
        before = os.umask(0o022)
        self.addCleanup(os.umask, before)
        data, held = self.write("two.csv", two(60)), self.write("held.csv", two(30, 3))
        model, again = self.folder / "private.nomu", self.folder / "again.nomu"
        fit = ["fit", data, "--target", "a,b", "-o", model, *TINY, "--calibrate", "nll"]
        for of_data, of_held, expected in ((0o600, 0o644, 0o600), (0o644, 0o640, 0o640), (0o644, 0o644, 0o644)):
            data.chmod(of_data)
            held.chmod(of_held)
            self.assertEqual(run(*fit, "--calibrate-on", held).returncode, 0)
            self.assertEqual(model.stat().st_mode & 0o777, expected)
            held.chmod(0o600)
            self.assertEqual(run("calibrate", model, held, "-o", again, "--calibrate", "nll").returncode, 0)
            self.assertEqual(again.stat().st_mode & 0o777, 0o600)
            model.unlink()
            again.unlink()

    def test_names_of_targets_lead_to_no_other_folder(self) -> None:
        inside = self.folder / "pages"
        inside.mkdir()
        first, second = "../a", "/.._a"  # without slashes they are the same
        lines = two(60).splitlines()
        data = self.write("named.csv", "\n".join([f"site,x,{first},{second}", *lines[1:]]) + "\n")
        model = self.folder / "named.nomu"
        done = run("fit", data, "--target", f"{first},{second}", "-o", model, *TINY, "--calibrate", "nll", "--report", inside / "m.html",
                   "--plots", inside / "plots")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {"m._.._a.html", "m._.._a_.html"}
        self.assertEqual({path.name for path in inside.iterdir()}, {*names, "plots"})
        self.assertEqual({path.name for path in (inside / "plots").iterdir()}, {"_.._a", "_.._a_"})
        again = self.folder / "again"
        again.mkdir()
        self.assertEqual(run("report", model, "--no-check", "-o", again / "m.html").returncode, 0)
        self.assertEqual({path.name for path in again.iterdir()}, names)
        for folder in (inside, again):
            shutil.rmtree(folder)
        model.unlink()

    def test_messages_name_the_file(self) -> None:
        model, _ = self.fit("--calibrate", "nll", rows=60)
        bad = self.write("bad.csv", "site,x,a,b\nnorth,inf,1,2\nnorth,1,1,2\n")
        for command in (["predict", model, bad], ["evaluate", model, bad], ["calibrate", model, bad, "-o", model]):
            self.refused("bad.csv", *command)
        constant = self.write("constant.csv", "x,a,b\n" + "1,1,2\n" * 30)
        self.refused("constant.csv", "fit", constant, "--target", "a,b", "-o", self.folder / "no.nomu", *TINY)
        model.unlink()


if __name__ == "__main__":
    own_data.main()
