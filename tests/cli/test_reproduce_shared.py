"""`nomu reproduce --store`: several processes share an experiment; their rows are those of one.

Usage: tests/postgres/with_server test_reproduce_shared.py PATH_TO_NOMU [unittest arguments]
"""

import csv
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import own_data
from own_data import run

FRONT = os.environ.get("NOMU_TEST_POSTGRES", "")
LEASE = 2

# Cohorts of one run each, of about a second.
SLOW = """
kind = "toy"
title = "Slow"
problems = ["levy"]
rows = 8
test_rows = 20
runs = 4

[[method]]
name = "nomu"
title = "NOMU"
cohort_cpu = 1
set.mean_net.hidden = [64, 64, 64]
set.sigma_net.hidden = [64, 64, 64]
set.train.epochs = 2000
"""


def rows_of(path: Path) -> list[dict]:
    """Everything but the time it took."""
    with open(path, newline="") as text:
        return [{name: cell for name, cell in row.items() if name != "seconds"} for row in csv.DictReader(text)]


class Shared:
    """The same tests for every engine that keeps studies."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def command(self, experiment: object, out: str, *more: object) -> list[str]:
        words = [own_data.NOMU, "reproduce", experiment, "--out", self.folder / out, "--pack", self.folder / f"{out}.csv",
                 "--device", "cpu", "--threads", "1", "--json", *more]
        return [str(word) for word in words]

    def start(self, experiment: object, out: str, *more: object) -> subprocess.Popen:
        command = self.command(experiment, out, "--store", self.store(), *more)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def ended(self, process: subprocess.Popen) -> dict:
        out, said = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, said)
        return json.loads(out)

    def alone(self, experiment: object, *more: object) -> list[dict]:
        done = subprocess.run(self.command(experiment, "alone", *more), capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return rows_of(self.folder / "alone.csv")

    def slow(self) -> Path:
        path = self.folder / "slow.toml"
        path.write_text(SLOW)
        return path

    def wait_for_claims(self, count: int) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            done = run("optimize", "workers", self.store(), "--json")
            if done.returncode == 0 and len(json.loads(done.stdout)) >= count:
                return
            time.sleep(0.05)
        self.fail("nobody claims a cohort")

    def test_two_processes_make_the_rows_of_one(self) -> None:
        both = [self.start("toy-1d", f"part{number}", "--profile", "smoke") for number in range(2)]
        reports = [self.ended(process) for process in both]
        expected = self.alone("toy-1d", "--profile", "smoke")
        self.assertEqual(len(expected), 108)
        self.assertEqual(sum(report["added"] for report in reports), 108, "no run was fitted twice")
        for number, report in enumerate(reports):
            self.assertTrue(report["complete"])
            self.assertEqual(report["added"] + report["by_others"] + report["finished_before"], 108)
            self.assertEqual(rows_of(self.folder / f"part{number}.csv"), expected)
        self.assertEqual((self.folder / "part0" / "report.md").read_text(), (self.folder / "alone" / "report.md").read_text())
        again = self.ended(self.start("toy-1d", "again", "--profile", "smoke", "--report"))
        self.assertEqual(again["added"], 0)
        self.assertEqual(rows_of(self.folder / "again.csv"), expected)
        self.assertFalse((self.folder / "again" / "rows").exists(), "rows are in the store alone")
        self.assertEqual(json.loads(run("optimize", "verify", self.store(), "--json").stdout)["clean"], True)
        status = run("optimize", "status", self.store()).stdout
        self.assertRegex(status, r"^a store of the paper's experiments .*: (\d+) cohorts so far, \1 finished, 0 pending\n$")

    def test_a_killed_process_loses_its_cohort_after_the_lease(self) -> None:
        experiment = self.slow()
        both = [self.start(experiment, f"part{number}", "--lease", LEASE) for number in range(2)]
        self.wait_for_claims(2)
        begin = time.monotonic()
        both[0].kill()
        report = self.ended(both[1])
        self.assertGreater(time.monotonic() - begin, LEASE / 2, "its lease had not ended")
        self.assertTrue(report["complete"])
        self.assertEqual(rows_of(self.folder / "part1.csv"), self.alone(experiment))

    def test_a_process_that_comes_back_finds_its_cohort_taken_over(self) -> None:
        experiment = self.slow()
        both = [self.start(experiment, f"part{number}", "--lease", LEASE) for number in range(2)]
        self.wait_for_claims(2)
        both[0].send_signal(signal.SIGSTOP)
        try:
            report = self.ended(both[1])
        finally:
            both[0].send_signal(signal.SIGCONT)
        self.assertTrue(report["complete"])
        late = self.ended(both[0])
        self.assertTrue(late["complete"])
        expected = self.alone(experiment)
        self.assertEqual(rows_of(self.folder / "part0.csv"), expected)
        self.assertEqual(rows_of(self.folder / "part1.csv"), expected)

    def test_a_signal_gives_the_cohort_back_at_once(self) -> None:
        process = self.start(self.slow(), "part", "--lease", "600")
        self.wait_for_claims(1)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(json.loads(run("optimize", "workers", self.store(), "--json").stdout), [])

    def test_a_report_makes_no_store(self) -> None:
        done = run(*self.command("toy-1d", "refused", "--profile", "smoke", "--report", "--store", self.store())[1:])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotEqual(run("optimize", "status", self.store()).returncode, 0, "there is one now")

    def test_what_is_no_store_of_rows(self) -> None:
        space = self.folder / "space.toml"
        space.write_text('[[variables]]\nname = "x"\nlow = 0\nhigh = 1\n')
        self.assertEqual(run("optimize", "new", self.store(), "--space", space).returncode, 0)
        self.refused("is a study of optimisation and holds no rows of experiments; name another one with --store")
        self.assertEqual(json.loads(run("optimize", "status", self.store(), "--json").stdout)["trials"], 0)

    def refused(self, message: str, *words: object, experiment: str = "toy-1d", code: int = 2) -> None:
        done = run(*self.command(experiment, "refused", "--profile", "smoke", *(words or ("--store", self.store())))[1:])
        self.assertIn(message, done.stderr)
        self.assertEqual(done.returncode, code)
        self.assertFalse((self.folder / "refused").exists())


class InAFile(Shared, unittest.TestCase):
    def store(self) -> str:
        return str(self.folder / "shared.db")

    def test_messages(self) -> None:
        (self.folder / "text").write_text("no study")
        self.refused("'" + str(self.folder / "text") + "' is not a study", "--store", self.folder / "text")
        self.refused("figures are drawn on one machine: leave --store out", experiment="figures")
        self.refused("does not name a study; add ?study=NAME", "--store", "postgresql://127.0.0.1:1/db")
        self.refused("cannot connect to 'postgresql://127.0.0.1:1/db?study=a'", "--store", "postgresql://127.0.0.1:1/db?study=a", code=1)
        self.refused("--lease", "--store", self.store(), "--lease", "0")


@unittest.skipUnless(FRONT, "no PostgreSQL server (Debian: postgresql-15)")
class InPostgres(Shared, unittest.TestCase):
    def store(self) -> str:
        return f"{FRONT}&study={self.id()}"

    def test_a_restarted_database_is_waited_for(self) -> None:
        experiment = self.slow()
        process = self.start(experiment, "part")
        self.wait_for_claims(1)
        control = os.environ["NOMU_TEST_POSTGRES_CONTROL"]
        subprocess.run([control, "stop"], check=True)
        time.sleep(3.0)
        subprocess.run([control, "start"], check=True)
        self.assertTrue(self.ended(process)["complete"])
        self.assertEqual(rows_of(self.folder / "part.csv"), self.alone(experiment))


if __name__ == "__main__":
    own_data.main()
