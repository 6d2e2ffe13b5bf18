"""The commands for one's own data: fit, predict, evaluate, calibrate, show, check; messages, exit codes, files.

Usage: test_fit.py PATH_TO_NOMU [unittest arguments]
"""

import csv
import io
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
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


class Fit(WithFolder):
    def test_says_what_it_did_and_what_is_guaranteed(self) -> None:
        self.assertIn("NOMU for 'y' from 3 inputs: site (2 names), a, b", self.said)
        self.assertIn("CV+", self.said)
        self.assertIn("covered with probability at least", self.said)
        self.assertIn("1 - 2 alpha", self.said)

    def test_same_seed_same_bytes_whatever_the_threads(self) -> None:
        other = self.folder / "other.nomu"
        for threads in ("1", "2"):
            run("fit", self.train, "--target", "y", "-o", other, *TINY, "--threads", threads)
            self.assertEqual(other.read_bytes(), self.model.read_bytes())
        run("fit", self.train, "--target", "y", "-o", other, *TINY, "--seed", "2")
        self.assertNotEqual(other.read_bytes(), self.model.read_bytes())
        other.unlink()

    def test_json_and_progress_lines(self) -> None:
        out = self.folder / "json.nomu"
        result = run("fit", self.train, "--target", "y", "-o", out, "--json", "--json-progress", *TINY)
        report = json.loads(result.stdout)
        self.assertEqual(report["calibration"]["kind"], "cross_conformal")
        self.assertEqual(report["rows"], 40)
        self.assertGreater(report["held_out"]["rmse"], 0)
        lines = [json.loads(line) for line in result.stderr.splitlines()]
        self.assertEqual(lines[-1]["done"], lines[-1]["total"])
        out.unlink()

    def test_many_rows_are_held_out_by_group_or_time(self) -> None:
        many = self.write("many.csv", table(220))
        out = self.folder / "many.nomu"
        result = run("fit", many, "--target", "y", "-o", out, "--calibrate", "conformal", *TINY)
        self.assertIn("on 44 rows held out (at random), not refitted", result.stdout)
        self.assertIn("probability at least 95 % (split conformal)", result.stdout)
        result = run("fit", many, "--target", "y", "-o", out, "--calibrate", "nll", "--group", "site", *TINY)
        self.assertIn("held out (whole groups), then refitted on all rows", result.stdout)
        result = run("fit", many, "--target", "y", "-o", out, "--calibrate", "nll", "--time", "a", *TINY)
        self.assertIn("held out (the latest)", result.stdout)
        self.assertIn("from 2 inputs: site (2 names), b", result.stdout)
        out.unlink()

    def test_config_and_settings(self) -> None:
        config = self.write("run.toml", "mu_exp = 0.05\n[calibration]\nkind = 'nll'\nlevel = 0.8\n[train]\nepochs = 7\n")
        out = self.folder / "config.nomu"
        result = run("fit", self.train, "--target", "y", "-o", out, *TINY[:-2], "--config", config)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("mu_exp = 0.05", result.stdout)
        self.assertIn("after 7 epochs", result.stdout)
        self.assertIn("bounds of 80 %", result.stdout)
        out.unlink()

    def test_known_noise(self) -> None:
        rows = table(40).splitlines()
        noisy = self.write("noisy.csv", "\n".join([rows[0] + ",s"] + [row + ",3" for row in rows[1:]]) + "\n")
        out = self.folder / "noisy.nomu"
        result = run("fit", noisy, "--target", "y", "--noise", "s", "-o", out, *TINY)
        self.assertIn("from 3 inputs", result.stdout)
        self.refused("unknown column 's'", "predict", out, self.train)
        shown = list(csv.DictReader(io.StringIO(run("predict", out, noisy).stdout)))
        self.assertGreater(float(shown[0]["sigma_noise"]), 0)
        out.unlink()

    def test_rows_given_for_calibration(self) -> None:
        more = self.write("more.csv", table(30, seed=2))
        out = self.folder / "given.nomu"
        result = run("fit", self.train, "--target", "y", "--calibrate-on", more, "-o", out, *TINY)
        self.assertIn("split conformal, on 30 rows given for it", result.stdout)
        self.assertIn("learned from 40 of 40 rows", result.stdout)
        out.unlink()

    def test_wrong_data(self) -> None:
        self.refused_data("bad.csv", "")
        self.refused_data("at least 4 are needed", "a,y\n1,2\n")
        self.refused_data("at least 4 are needed", "a,y\n1,2\n2,3\n3,4\n")
        self.refused_data("there is nothing to learn", "a,y\n1,5\n2,5\n3,5\n4,5\n")
        self.refused_data("row 3, column 'y': 'many' is not a number", "a,y\n1,5\n2,many\n3,5\n4,5\n")
        self.refused_data("row 4, column 'a': 'x' is not a number", "a,y\n1,5\n2,6\nx,5\n4,5\n")
        self.refused_data("row 3, column 'y': the value is missing", "a,y\n1,5\n2,NaN\n3,5\n4,6\n")
        self.refused_data("'a'", "a,a,y\n1,2,3\n2,3,4\n3,4,5\n4,5,6\n")
        self.refused_data("unknown column 'y'", "a,b\n1,2\n2,3\n3,4\n4,5\n")
        self.refused_data("no input columns are left", "y\n1\n2\n3\n4\n")
        many = "\n".join(f"n{i},{i}" for i in range(70))
        self.refused_data("at most 64 become inputs", f"name,y\n{many}\n")

    def test_missing_rows_are_dropped_only_on_request(self) -> None:
        text = "a,y\n1,5\n,6\n3,7\n4,6\n5,9\n"
        self.refused_data("row 3, column 'a': the value is missing, and 1 of 5 rows lack one", text)
        out = self.folder / "dropped.nomu"
        result = run("fit", self.write("bad.csv", text), "--target", "y", "--drop-missing", "-o", out, *TINY)
        self.assertIn("1 rows with missing values were left out", result.stdout)
        out.unlink()

    def test_a_constant_input_is_reported(self) -> None:
        out = self.folder / "constant.nomu"
        path = self.write("bad.csv", "a,b,y\n1,7,5\n2,7,6\n3,7,7\n4,7,6\n")
        result = run("fit", path, "--target", "y", "-o", out, *TINY)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("input 'b' is the same in every row", result.stdout)
        out.unlink()

    def test_wrong_settings(self) -> None:
        fit = ["fit", self.train, "--target", "y", "-o", self.folder / "bad.nomu"]
        config = self.write("bad.toml", "[train]\nepoch = 3\n")
        self.refused("line 2", *fit, "--config", config)
        self.refused("did you mean 'train.epochs'?", *fit, "--config", config)
        self.refused("did you mean 'calibration.folds'?", *fit, "--set", "calibration.fold=3")
        self.refused("level must be in (0, 1), got 1.5", *fit, *TINY, "--level", "1.5")
        self.refused("level must be in (0, 1), got 0", *fit, *TINY, "--level", "0")
        self.refused("needs at least 99 calibration rows", *fit, *TINY, "--calibrate", "conformal", "--level", "0.99")
        self.refused("augment.count must be at least 1, got -3", *fit, "--set", "augment.count=-3")
        self.refused("mean_net.hidden must be at least 1, got -5", *fit, *TINY, "--set", "mean_net.hidden=-5")
        self.refused("of memory but", *fit, *TINY, "--set", "mean_net.hidden=3000000,3000000")
        self.refused("has no preset 'publishd'", *fit, "--preset", "publishd")
        self.refused("conformal", *fit, "--calibrate", "conformall")
        self.refused("cannot read", "fit", self.folder / "none.csv", "--target", "y", "-o", self.folder / "bad.nomu")
        self.refused("did you mean 'site'?", *fit, *TINY, "--group", "sites")

    def test_outputs_are_checked_before_the_work(self) -> None:
        slow = ["--preset", "published", "--threads", "1"]
        begin = time.monotonic()
        self.refused("No such file or directory", "fit", self.train, "--target", "y", "-o", self.folder / "no/m.nomu", *slow)
        self.refused("Is a directory", "fit", self.train, "--target", "y", "-o", self.folder, *slow)
        self.refused("would be overwritten", "fit", self.train, "--target", "y", "-o", self.train, *slow)
        self.assertLess(time.monotonic() - begin, 10)

    def test_a_diverged_fit_is_exit_1(self) -> None:
        arguments = ["fit", self.train, "--target", "y", "-o", self.folder / "bad.nomu", *TINY]
        self.refused("the fit diverged", *arguments, "--set", "train.learning_rate=1e20", code=1)

    def test_interrupt_is_exit_130_and_leaves_nothing(self) -> None:
        before = sorted(os.listdir(self.folder))
        command = [NOMU, "fit", self.train, "--target", "y", "-o", self.folder / "bad.nomu", *TINY]
        process = subprocess.Popen(
            [*command, "--json-progress", "--set", "train.epochs=100000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        process.stderr.readline()  # it is training now
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, error)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_a_full_disk_leaves_the_old_file(self) -> None:
        def small_files() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

        old = self.folder / "old.nomu"
        old.write_text("old")
        before = sorted(os.listdir(self.folder))
        result = run("fit", self.train, "--target", "y", "-o", old, *TINY, preexec_fn=small_files)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("File too large", result.stderr)
        self.assertEqual(old.read_text(), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        result = run("predict", self.model, self.train, "-o", "/dev/full")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("No space left on device", result.stderr)
        old.unlink()


class Predict(WithFolder):
    def test_columns_in_columns_out(self) -> None:
        rows = self.write("x.csv", "id,b,site,a\nq,1.5,north,0.5\nr,99,south,1\n")
        out = self.folder / "out.csv"
        result = run("predict", self.model, rows, "--level", "0.9", "-o", out)
        self.assertIn("1 of them outside", result.stdout)
        self.assertIn("bounds of 90 %", result.stdout)
        with out.open() as file:
            found = list(csv.DictReader(file))
        names = ["id", "b", "site", "a", "mean", "sigma_model", "sigma_noise", "lower", "upper", "outside"]
        self.assertEqual(list(found[0]), names)
        self.assertEqual([row["outside"] for row in found], ["0", "1"])
        for row in found:
            self.assertLess(float(row["lower"]), float(row["upper"]))
        shown = list(csv.DictReader(io.StringIO(run("predict", self.model, rows, "--level", "0.9").stdout)))
        self.assertEqual(shown, found, "standard output takes the same table")
        report = json.loads(run("predict", self.model, rows, "-o", out, "--json").stdout)
        self.assertEqual((report["rows"], report["outside"], report["level"]), (2, 1, 0.95))
        out.unlink()

    def test_a_row_alone_equals_the_row_in_a_batch(self) -> None:
        batch = run("predict", self.model, self.train).stdout.splitlines()
        header, first = self.train.read_text().splitlines()[:2]
        alone = run("predict", self.model, self.write("one.csv", f"{header}\n{first}\n")).stdout.splitlines()
        self.assertEqual(alone[1], batch[1])

    def test_wrong_rows(self) -> None:
        out = self.folder / "bad_out.csv"
        cases = {
            "unknown column 'b'": "site,a\nnorth,1\n",
            "row 3, column 'site': 'nrth' was not among the names the model was trained on; did you mean 'north'?":
                "site,a,b\nnorth,1,2\nnrth,1,2\n",
            "row 2, column 'a': 'x' is not a number": "site,a,b\nnorth,x,2\n",
            "row 2, column 'b': the value is missing": "site,a,b\nnorth,1,\n",
            "already a column 'mean'": "site,a,b,mean\nnorth,1,2,3\n",
        }
        for message, text in cases.items():
            self.refused(message, "predict", self.model, self.write("bad.csv", text), "-o", out)
        self.refused("level must be in (0, 1), got 2", "predict", self.model, self.train, "--level", "2", "-o", out)
        self.refused("needs at least 99 calibration rows", "predict", self.model, self.train, "--level", "0.99", "-o", out)
        self.refused("would be overwritten", "predict", self.model, self.train, "-o", self.model)
        self.refused("--json needs -o FILE", "predict", self.model, self.train, "--json")

    def test_nothing_uncalibrated_has_a_level(self) -> None:
        model = self.folder / "raw.nomu"
        said = run("fit", self.train, "--target", "y", "--calibrate", "none", "-o", model, *TINY).stdout
        self.assertNotIn("95", said)
        rows = list(csv.DictReader(io.StringIO(run("predict", model, self.train).stdout)))
        self.assertEqual((rows[0]["lower"], rows[0]["upper"]), ("", ""))
        self.refused("is not calibrated", "predict", model, self.train, "--level", "0.95")
        self.assertIn("no bounds to judge", run("evaluate", model, self.train).stdout)
        model.unlink()

    def test_damaged_models(self) -> None:
        whole = self.model.read_bytes()
        draw = random.Random(5)
        path = self.folder / "damaged.nomu"
        path.touch()
        for length in [0, 1, 10, 40, *(draw.randrange(len(whole)) for _ in range(20))]:
            path.write_bytes(whole[:length])
            self.refused("damaged.nomu: ", "show", path)
        changed = bytearray(whole)
        changed[len(changed) // 2] ^= 1
        path.write_bytes(changed)
        self.refused("does not match its checksum; the file is damaged", "predict", path, self.train)
        self.refused("this is no nomu model", "show", self.train)
        path.unlink()


class Judge(WithFolder):
    def test_evaluate(self) -> None:
        fresh = self.write("fresh.csv", table(200, seed=3))
        self.assertIn("coverage", run("evaluate", self.model, fresh).stdout)
        report = json.loads(run("evaluate", self.model, fresh, "--level", "0.9", "--json").stdout)
        self.assertEqual((report["rows"], report["level"]), (200, 0.9))
        self.assertGreater(report["coverage"], 0.7)
        self.refused("unknown column 'y'", "evaluate", self.model, self.write("x.csv", "site,a,b\nnorth,1,2\n"))

    def test_calibrate(self) -> None:
        fresh = self.write("fresh.csv", table(60, seed=4))
        out = self.folder / "again.nomu"
        result = run("calibrate", self.model, fresh, "--calibrate", "isotonic", "--level", "0.9", "-o", out)
        self.assertIn("isotonic, on 60 rows given for it", result.stdout)
        report = json.loads(run("calibrate", self.model, fresh, "-o", out, "--json").stdout)
        self.assertEqual((report["kind"], report["guaranteed_coverage"]), ("conformal", 0.95))
        mean = lambda model: [r["mean"] for r in csv.DictReader(io.StringIO(run("predict", model, fresh).stdout))]
        self.assertEqual(mean(out), mean(self.model), "the fit itself stays")
        self.refused("are among those the model learned from", "calibrate", self.model, self.train, "-o", out)
        out.unlink()

    def test_show(self) -> None:
        self.assertIn("CV+", run("show", self.model).stdout)
        facts = json.loads(run("show", self.model, "--json").stdout)
        self.assertEqual(facts["settings"]["train.epochs"], "40")
        self.assertEqual(facts["data"]["columns"][0], {"name": "site", "levels": ["north", "south"]})

    def test_check(self) -> None:
        said = run("check", self.model, "--probes", "100").stdout
        for name in ("D1", "D2", "D3", "D4", "D5"):
            self.assertIn(name, said)
        findings = {f["name"]: f for f in json.loads(run("check", self.model, "--probes", "100", "--no-refit", "--json").stdout)}
        self.assertIn(findings["D2"]["verdict"], ("holds", "fails"))
        self.assertEqual(findings["D5"]["verdict"], "skipped")


if __name__ == "__main__":
    NOMU = sys.argv.pop(1)
    unittest.main(verbosity=1)
