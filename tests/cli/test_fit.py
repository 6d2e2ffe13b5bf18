"""nomu fit: what it says, which rows it holds out, what it refuses, what it leaves behind.

Usage: test_fit.py PATH_TO_NOMU [unittest arguments]
"""

import csv
import io
import json
import os
import resource
import signal
import subprocess
import time

import own_data
from own_data import TINY, WithFolder, run, table


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
        self.assertIn("split conformal, on 30 separate rows", result.stdout)
        self.assertIn("on 30 rows it had not seen", result.stdout)
        self.assertIn("uncertainty depends most on:", result.stdout)
        self.assertIn("learned from 40 of 40 rows", result.stdout)
        out.unlink()

    def test_wrong_data(self) -> None:
        self.refused_data("bad.csv", "")
        self.refused_data("at least 4 are needed", "a,y\n1,2\n")
        self.refused_data("at least 4 are needed", "a,y\n1,2\n2,3\n3,4\n")
        self.refused_data("there is nothing to learn", "a,y\n1,5\n2,5\n3,5\n4,5\n")
        self.refused_data("row 3, column 'y': 'many' is not a number", "a,y\n1,5\n2,many\n3,5\n4,5\n")
        self.refused_data("3 rows are left after dropping 1 without a target, but at least 4 are needed",
                          "a,y\n1,5\n2,NaN\n3,5\n4,6\n")
        self.refused_data("'a'", "a,a,y\n1,2,3\n2,3,4\n3,4,5\n4,5,6\n")
        self.refused_data("unknown column 'y'", "a,b\n1,2\n2,3\n3,4\n4,5\n")
        self.refused_data("no input columns are left", "y\n1\n2\n3\n4\n")
        self.refused_data("row 2, column 'a': '1,5' looks like a number with a decimal comma",
                          'a,y\n"1,5",1\n"2,5",2\n"3,5",3\n"4,5",5\n')
        many = "\n".join(f"n{i},{i}" for i in range(70))
        self.refused_data("column 'name' has 70 different names in 70 rows, like a row id, and is left out",
                          f"name,y\n{many}\n")

    def test_missing_rows_are_dropped_only_on_request(self) -> None:
        text = "a,y\n1,5\n,6\n3,7\n4,6\n5,9\n"
        out = self.folder / "dropped.nomu"
        result = run("fit", self.write("bad.csv", text), "--target", "y", "--drop-missing", "-o", out, *TINY)
        self.assertIn("1 row with missing values was dropped", result.stdout)
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
        self.refused("augment.count must be between 0 and 1000000000, got -3", *fit, "--set", "augment.count=-3")
        self.refused("mean_net.hidden must be at least 1, got -5", *fit, *TINY, "--set", "mean_net.hidden=-5")
        self.refused("of memory but", *fit, *TINY, "--set", "mean_net.hidden=3000000,3000000")
        self.refused("has no preset 'publishd'", *fit, "--preset", "publishd")
        self.refused("conformal", *fit, "--calibrate", "conformall")
        self.refused("cannot read", "fit", self.folder / "none.csv", "--target", "y", "-o", self.folder / "bad.nomu")
        self.refused("did you mean 'site'?", *fit, *TINY, "--group", "sites")
        for role in ("--noise", "--weight", "--group", "--time"):
            self.refused("column 'y' is the target and cannot also be weight, noise, group or time", *fit, role, "y")
        self.refused("column 'y' is the target and cannot be ignored", *fit, "--ignore", "y")
        self.refused("column 'a' is listed both as an input and as ignored", *fit, "--ignore", "a", "--features", "a,b")
        for seed in ("-1", "1.5", "99999999999999999999999"):
            self.refused("must be a whole number from 0 to 9223372036854775807", *fit, "--seed", seed)

    def test_outputs_are_checked_before_the_work(self) -> None:
        slow = ["--preset", "published", "--threads", "1"]
        begin = time.monotonic()
        self.refused("No such file or directory", "fit", self.train, "--target", "y", "-o", self.folder / "no/m.nomu", *slow)
        self.refused("Is a directory", "fit", self.train, "--target", "y", "-o", self.folder, *slow)
        self.refused("would be overwritten", "fit", self.train, "--target", "y", "-o", self.train, *slow)
        self.refused("File name too long", "fit", self.train, "--target", "y", "-o", self.folder / ("z" * 256), *slow)
        self.assertLess(time.monotonic() - begin, 10)

    def test_outputs_that_are_one_file_under_two_names(self) -> None:
        (self.folder / "d1").mkdir()
        (self.folder / "d2").symlink_to("d1")
        (self.folder / "link").symlink_to("two")
        fit = ["fit", self.train, "--target", "y", *TINY, "-o"]
        self.refused("would be overwritten", *fit, self.folder / "link", "--report", self.folder / "two")
        self.refused("would be overwritten", *fit, self.folder / "d1/x", "--report", self.folder / "d2/x")
        self.refused("would be overwritten", "report", self.model, "-o", self.folder / "both", "--plots", self.folder / "both")
        self.assertFalse((self.folder / "both").exists())

    def test_targets_too_large_or_too_close_to_compute_with(self) -> None:
        for values, said in (((1e308, -1e308), "huge.csv, row 2, column 'y': 1e+308 is too large"), ((1e-321, 2e-321), "column 'y': the target goes from")):
            huge = self.write("huge.csv", "a,y\n" + "".join(f"{i},{values[i % 2]}\n" for i in range(30)))
            self.refused(said, "fit", huge, "--target", "y", "-o", self.folder / "huge.nomu", *TINY)

    def test_a_diverged_fit_is_exit_1(self) -> None:
        arguments = ["fit", self.train, "--target", "y", "-o", self.folder / "bad.nomu", *TINY]
        self.refused("the fit diverged", *arguments, "--set", "train.learning_rate=1e20", code=1)

    def test_interrupt_is_exit_130_and_leaves_nothing(self) -> None:
        before = sorted(os.listdir(self.folder))
        command = [own_data.NOMU, "fit", self.train, "--target", "y", "-o", self.folder / "bad.nomu", *TINY]
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


if __name__ == "__main__":
    own_data.main()
