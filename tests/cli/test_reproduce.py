"""Experiments: `nomu reproduce`; every experiment in its smoke profile, resuming after a kill, packing, messages, exit codes.

Usage: test_reproduce.py PATH_TO_NOMU [unittest arguments]
In their smoke profile, experiments of data files take made rows; with NOMU_DATA their messages are checked on real ones too.
"""

import csv
import gzip
import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path

import own_data
from own_data import run

RESULTS = Path(__file__).resolve().parents[2] / "experiments" / "results"


def rows_in(folder: Path) -> list:
    rows = []
    for file in sorted((folder / "rows").glob("*.csv")):
        with open(file, newline="") as text:
            rows += csv.DictReader(text)
    return rows


def key(row: dict) -> tuple:
    return tuple(row[name] for name in ("spec", "data", "seed", "precision", "results_version"))


class Reproduce(unittest.TestCase):
    def setUp(self) -> None:
        self._temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self._temporary.name)

    def tearDown(self) -> None:
        self._temporary.cleanup()

    def smoke(self, experiment: str, out: str, *more) -> subprocess.CompletedProcess:
        # One thread: on a machine that is busy, two of them mostly wait for each other.
        threads = [] if "--threads" in more else ["--threads", "1"]
        done = run("reproduce", experiment, "--profile", "smoke", "--out", self.folder / out, "--device", "cpu", *threads, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def reports(self, out: str) -> list:
        return [(self.folder / out / f"report.{ending}").read_bytes() for ending in ("md", "csv", "svg")]

    def test_a_refused_command_leaves_nothing_behind(self) -> None:
        for wrong in (["--methods", "nom"], ["--device", "cuda"]):
            done = run("reproduce", "bo5d", "--profile", "smoke", *wrong, "--out", self.folder / "a" / "b")
            if done.returncode == 0:
                continue  # there is a GPU
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_optimisation_draws_the_course_of_its_runs(self) -> None:
        self.smoke("bo5d", "bo", "--methods", "gp-0.5,rand", "--problems", "levy_published-5d")
        picture = (self.folder / "bo" / "curves.svg").read_text()
        xml.etree.ElementTree.fromstring(picture)
        for text in ("RAND", "GP, MW 0.5", "regret", "95 %"):
            self.assertIn(text, picture)

    def test_every_experiment(self) -> None:
        experiments = json.loads(run("reproduce", "--list", "--json").stdout)
        names = [experiment["experiment"] for experiment in experiments]
        self.assertLessEqual({"toy-1d", "toy-2d", "testbed-uniform", "testbed-gauss", "sensitivity"}, set(names))
        for name in names:
            with self.subTest(name):
                self.assertIn("added in", self.smoke(name, name).stdout)
                pictures = list((self.folder / name).glob("*.svg"))
                self.assertTrue(pictures)
                for picture in pictures:
                    xml.etree.ElementTree.fromstring(picture.read_bytes())

    def test_data_that_are_not_there(self) -> None:
        done = run("reproduce", "uci", "--out", self.folder / "a")
        self.assertEqual(done.returncode, 2)
        self.assertIn("give that folder with --data", done.stderr)
        done = run("reproduce", "solar", "--data", self.folder, "--out", self.folder / "a")
        self.assertEqual(done.returncode, 2)
        self.assertIn("solar/irradiance_data.txt", done.stderr)

    def test_data_sets(self) -> None:
        data = os.environ.get("NOMU_DATA", "")
        if not data:
            self.skipTest("NOT RUN: NOMU_DATA does not name the folder of the data files")
        said = run("reproduce", "uci", "--data", data, "--problems", "yacht,yacht-authors", "--methods", "nlm", "--runs",
                   "2", "--out", self.folder / "a", "--device", "cpu", "--json")
        self.assertEqual(json.loads(said.stdout)["added"], 4)

    def test_report_beside_the_paper(self) -> None:
        said = self.smoke("toy-1d", "a", "--methods", "gp", "--functions", "forrester,levy").stdout
        self.assertIn("forrester  GP", said)
        self.assertIn("-2.68 [-2.86, -2.49]", said)
        self.assertNotIn("NOMU", said)
        again = run("reproduce", "toy-1d", "--profile", "smoke", "--methods", "gp", "--functions", "forrester,levy",
                    "--out", self.folder / "a", "--report")  # fmt: skip
        self.assertEqual(again.stdout.splitlines()[:-1], said.splitlines()[:-2])

    def test_packed_rows_are_finished(self) -> None:
        packed = self.folder / "toy.csv.gz"
        self.smoke("toy-1d", "a", "--methods", "gp,de", "--pack", packed)
        with gzip.open(packed, "rt") as text:
            self.assertEqual(len(list(csv.DictReader(text))), 2 * 3 * 4)
        done = self.smoke("toy-1d", "b", "--methods", "gp,de", "--results", packed, "--json")
        self.assertEqual(json.loads(done.stdout)["added"], 0)
        self.assertEqual(self.reports("a"), self.reports("b"))

    def test_committed_rows_are_those_of_the_studies_as_they_are(self) -> None:
        for experiment in ("toy-1d", "toy-2d", "testbed-uniform", "bo5d", "bo-search"):
            committed = RESULTS / f"{experiment}.csv.gz"
            done = run("reproduce", experiment, "--results", committed, "--report", "--out", self.folder / experiment,
                       "--pack", self.folder / "known.csv.gz")  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
            with gzip.open(committed, "rt") as all_rows, gzip.open(self.folder / "known.csv.gz", "rt") as known:
                self.assertEqual({key(row) for row in csv.DictReader(known)}, {key(row) for row in csv.DictReader(all_rows)})
            with open(self.folder / experiment / "report.csv", newline="") as report:
                self.assertTrue(all(None not in row for row in csv.DictReader(report)), "a cell too many")

    def test_threads_and_limits_change_nothing(self) -> None:
        self.smoke("toy-1d", "a", "--threads", "1")
        cut = self.smoke("toy-1d", "b", "--threads", "2", "--limit", "0.05", "--json")
        self.assertFalse(json.loads(cut.stdout)["complete"])
        self.smoke("toy-1d", "b", "--threads", "2")
        self.assertEqual(self.reports("a"), self.reports("b"))

    def test_killed_at_any_moment(self) -> None:
        began = time.monotonic()
        self.smoke("toy-1d", "whole")
        took = time.monotonic() - began
        expected = sorted(map(key, rows_in(self.folder / "whole")))
        draw = random.Random(4)
        cut_short = 0
        for trial in range(4):
            out = self.folder / f"killed{trial}"
            for _ in range(5):
                process = subprocess.Popen(
                    [own_data.NOMU, "reproduce", "toy-1d", "--profile", "smoke", "--device", "cpu", "--threads", "1",
                     "--out", out],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )  # fmt: skip
                time.sleep(draw.uniform(0, took / 2))
                process.send_signal(signal.SIGKILL)
                cut_short += process.wait() == -signal.SIGKILL
                found = list(map(key, rows_in(out)))
                self.assertEqual(len(found), len(set(found)), "no run is there twice")
            self.smoke("toy-1d", out.name)
            self.assertEqual(self.reports(out.name), self.reports("whole"))
            self.assertEqual(sorted(map(key, rows_in(out))), expected)
        self.assertGreater(cut_short, 5, "the kills came too late to mean anything")

    def test_interrupt_keeps_what_is_finished(self) -> None:
        process = subprocess.Popen(
            [own_data.NOMU, "reproduce", "toy-1d", "--methods", "nomu", "--functions", "levy", "--device", "cpu",
             "--out", self.folder / "a"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, said)

    def refused(self, message: str, *arguments) -> None:
        done = run("reproduce", *arguments, "--out", self.folder / "refused")
        self.assertIn(message, done.stderr)
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_messages(self) -> None:
        self.refused("give the name of an experiment")
        self.refused("did you mean 'toy-1d'?", "toy-1")
        self.refused("did you mean 'mcdo'?", "toy-1d", "--methods", "mcd")
        self.refused("no problem 'levi'", "toy-1d", "--functions", "levi")
        self.refused("cannot read", "toy-1d", "--results", self.folder / "none.csv.gz", "--report")
        wrong = self.folder / "wrong.toml"
        wrong.write_text("kind = 'toy'\nproblem = ['levy']\n")
        self.refused("did you mean 'problems'?", wrong)
        wrong.write_text("kind = 'toy'\nproblems = ['levy']\n[[method]]\nname = 'nomu'\nset.mu_sq = 1\n")
        self.refused("did you mean 'mu_sqr'?", wrong)
        wrong.write_text("kind = 'toys'\nproblems = ['levy']\n[[method]]\nname = 'nomu'\n")
        self.refused("did you mean 'toy'?", wrong)


if __name__ == "__main__":
    own_data.main()
