"""nomu optimize when things go wrong beside it: races, full disks, orphans, texts of other encodings, tight constraints.

Usage: test_optimize_trouble.py PATH_TO_NOMU [unittest arguments]
"""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
from pathlib import Path

import test_optimize as base
from test_optimize import WithStudy, asked, run

SIMPLEX = """
[[variables]]
name = "a"
low = 0
high = 1
[[variables]]
name = "b"
low = 0
high = 1
[[variables]]
name = "c"
low = 0
high = 1
[[constraints]]
terms = { a = 1, b = 1, c = 1 }
at_least = 0.9995
at_most = 1.0005
[study]
initial = 6
method = "gp"
direct.evaluations = 60
local_starts = 0
"""


class Files(WithStudy):
    def test_of_two_that_make_one_study_one_does(self) -> None:
        for k in range(12):
            path = self.folder / f"race{k}.db"
            command = [base.NOMU, "optimize", "new", path, "--space", self.space]
            both = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
            errors = [process.communicate()[1] for process in both]
            self.assertEqual(sorted(process.returncode for process in both), [0, 2], errors)
            self.assertRegex("".join(errors), "exists already|holds a study")
            self.assertEqual(run("status", path).returncode, 0)

    def test_a_study_of_a_newer_version_is_left_alone(self) -> None:
        with contextlib.closing(sqlite3.connect(self.study)) as database:
            database.execute("PRAGMA user_version=7")
        before = self.study.read_bytes()
        for words in (("status",), ("ask",), ("tell", 1, 2), ("verify",), ("enqueue", "--point", "x=1")):
            refused = run(words[0], self.study, *words[1:])
            self.assertRefused(refused, "has format version 7; this nomu reads versions 1 to 2: update it on this machine")
        self.assertEqual(self.study.read_bytes(), before)

    def damage(self, sql: str) -> None:
        with contextlib.closing(sqlite3.connect(self.study)) as database:
            database.executescript(sql)

    def test_a_pending_trial_with_a_place_among_the_results_is_damage(self) -> None:
        for value in (3, 2):
            self.assertEqual(run("tell", self.study, asked(self.study)[0]["id"], value).returncode, 0)
        asked(self.study)
        self.damage("UPDATE trials SET place = 1 WHERE state = 0")
        for words in (("status",), ("best",), ("insight",), ("report", "-o", self.folder / "page.html"), ("list",)):
            self.assertRefused(run(words[0], self.study, *words[1:]), "trial 3 has a result without a place")
        self.assertNotEqual(run("verify", self.study).returncode, 0)

    def test_the_schema_of_a_study_runs_no_code(self) -> None:
        original = self.study.read_bytes()
        columns = "id, state, point, value, place, origin, worker, lease, asked, told"
        made = f"""CREATE TABLE old AS SELECT * FROM trials; DROP TABLE trials;
            CREATE TABLE trials(id INTEGER PRIMARY KEY, state INTEGER NOT NULL, point TEXT NOT NULL, value REAL, place INTEGER,
            reason TEXT AS (hex(zeroblob(100000000))), origin TEXT, worker TEXT, lease REAL, asked REAL, told REAL);
            INSERT INTO trials({columns}) SELECT {columns} FROM old; DROP TABLE old;"""
        for sql in (made, "CREATE INDEX costly ON trials(hex(zeroblob(1000000)))", "CREATE VIEW v AS SELECT 1",
                    "ALTER TABLE meta ADD COLUMN more TEXT AS (hex(zeroblob(1000000)))"):
            self.study.write_bytes(original)
            self.damage(sql)
            for command in ("status", "list", "verify", "ask"):
                self.assertRefused(run(command, self.study), "is damaged: it")

    def test_columns_beside_the_log_are_checked(self) -> None:
        asked(self.study)
        original = self.study.read_bytes()
        for sql, text in (
            ("UPDATE trials SET origin = '\x1b[31m'", "trial 1 differs from what the log says"),
            ("UPDATE trials SET asked = 1e300", "a time of trial 1 is 1e+300"),
            ("UPDATE trials SET told = -1e300", "a time of trial 1 is -1e+300"),
            ("INSERT INTO meta(key, value) VALUES('budget', 'x')", "the budget is 'x'"),
        ):
            self.study.write_bytes(original)
            self.damage(sql)
            verified = run("verify", self.study)
            self.assertNotEqual(verified.returncode, 0, sql)
            self.assertIn(text, verified.stdout + verified.stderr)
        self.assertRefused(run("status", self.study), f"'{self.study}' is damaged: the budget is 'x'")
        self.study.write_bytes(original)
        constraint = '"constraints":[{"at_least":null,"at_most":-5,"terms":[["x",1.0]]}]'
        self.damage(f"UPDATE meta SET value = replace(value, '\"constraints\":[]', '{constraint}') WHERE key = 'space'")
        self.assertRefused(run("status", self.study), f"'{self.study}': no point was found that meets all constraints")

    def test_what_sqlite_adds_itself_is_no_damage(self) -> None:
        asked(self.study)
        self.damage("ANALYZE; VACUUM; DROP INDEX by_value")
        self.assertEqual(run("status", self.study).returncode, 0)
        self.verify()

    def test_no_page_replaces_a_study(self) -> None:
        other = self.folder / "other.db"
        self.assertEqual(run("new", other, "--space", self.space).returncode, 0)
        for study in (self.study, other):
            trial = asked(study)[0]
            run("tell", study, trial["id"], 1)
        self.assertRefused(run("report", self.study, "--with", other, "-o", other, "--no-model"), "is also used by another option")
        self.assertRefused(run("report", self.study, "-o", other, "--no-model"), "holds a study")
        self.assertRefused(run("report", self.study, "-o", f"{other}-wal", "--no-model"), "holds a study")
        # A page is as private as the most private of the studies that it draws.
        page = self.folder / "page.html"
        other.chmod(0o600)
        drawn = run("report", self.study, "--with", other, "-o", page, "--no-model")
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        self.assertEqual(page.stat().st_mode & 0o777, 0o600)
        self.assertRefused(run("report", self.study, "-o", page, "--no-model", "--optimum", "nan"), "must be a finite number, got 'nan'")
        self.assertRefused(run("run", self.study, "--command", "echo 1", "--timeout", "inf"), "must be a finite number above 0, got 'inf'")
        self.assertEqual(run("status", other).returncode, 0)

    def test_odd_names(self) -> None:
        self.assertRefused(run("new", ":memory:", "--space", self.space), "cannot be the name of a file")
        twice = "/" + str(self.folder / "twice.db")
        self.assertEqual(run("new", twice, "--space", self.space).returncode, 0)
        self.assertTrue((self.folder / "twice.db").exists())

    def test_numbers_that_look_like_options(self) -> None:
        asked(self.study, "--count", 2)
        self.assertEqual(run("tell", self.study, 1, "-.5").returncode, 0)
        self.assertEqual(json.loads(run("best", self.study, "--json").stdout)["value"], -0.5)
        self.assertRefused(run("tell", self.study, 2, "-inf"), "finite number")
        self.assertRefused(run("run", self.study, "--command", "echo 1", "--timeout", 0), "above 0, got '0'")


class Lines(WithStudy):
    def lines(self, *lines: str) -> subprocess.CompletedProcess:
        return run("tell", self.study, "--lines", input="".join(line + "\n" for line in lines))

    def test_contradictions_are_refused_by_their_line(self) -> None:
        asked(self.study, "--count", 3)
        point = '"point": {"x": 0.5, "n": 3, "solver": "cg"}'
        self.assertRefused(self.lines('{"id": 1, "value": 2}', f'{{"id": 2, {point}, "value": 3}}'), "line 2", "id or point")
        self.assertRefused(self.lines('{"id": 2, "value": 3, "failed": "crashed"}'), "line 1", "value or failed")
        self.assertRefused(self.lines('{"id": 2, "value": NaN}'), "NaN", "as failed")
        self.assertRefused(self.lines(f'{{{point}, "failed": "no"}}'), "only a trial can fail")
        self.assertRefused(run("tell", self.study, 2, 4, "--lines", input=""), "leave the rest")
        # The corrected file once more: what is known is no contradiction, another value is.
        self.assertEqual(self.lines('{"id": 1, "value": 2}', '{"id": 2, "failed": "melted"}').returncode, 0)
        self.assertEqual(self.lines('{"id": 2, "failed": "melted"}').returncode, 0)
        self.assertRefused(self.lines('{"id": 1, "value": 3}'), "has the value 2 already")
        self.verify()

    def test_texts_of_other_encodings(self) -> None:
        trial = json.loads(run("ask", self.study, "--json", "--worker", os.fsdecode(b"caf\xe9")).stdout)[0]
        self.assertEqual(trial["worker"], "caf\ufffd")
        self.assertEqual(run("tell", self.study, 1, "--failed", os.fsdecode(b"caf\xe9")).returncode, 0)
        result = run("run", self.study, "--command", "printf 'caf\\351' >&2; exit 3", "--trials", 1, errors="replace")
        self.assertEqual(result.returncode, 0, result.stderr)
        trials = [json.loads(line) for line in run("list", self.study, "--json", "--all").stdout.splitlines()]
        self.assertEqual([t["reason"] for t in trials], ["caf\ufffd", "exit code 3: caf\ufffd"])
        self.verify()


class Commands(WithStudy):
    settings = ("method=random",)

    def test_a_command_may_end_with_127(self) -> None:
        command = "if [ {id} = 2 ]; then echo lost >&2; exit 127; fi; sleep 0.5; echo {id}"
        result = run("run", self.study, "--command", command, "--workers", 3, "--trials", 4)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("3 trials finished, 1 failed", result.stdout)

    def test_other_braces_stay(self) -> None:
        result = run("run", self.study, "--command", "A=4; echo '3 2' | awk '{print $1 + '${A}'}'", "--trials", 1)
        self.assertIn("trial 1: 7", result.stdout, result.stderr)
        self.assertRefused(run("run", self.study, "--command", "echo {xx}"), "no variable 'xx'", "did you mean 'x'", "blanks inside")

    def test_what_a_command_started_ends_with_the_run(self) -> None:
        mark = self.folder / "alive"
        command = f"(while true; do date +%s%N > {mark}; sleep 0.05; done) & wait"
        process = subprocess.Popen([base.NOMU, "optimize", "run", self.study, "--command", command])
        while not mark.exists():
            time.sleep(0.02)
        process.kill()
        process.wait()
        time.sleep(0.5)
        last = mark.read_text()
        time.sleep(0.5)
        self.assertEqual(mark.read_text(), last)

    def pending(self, **wanted: int) -> None:
        """Waits until the status has these counts."""
        for _ in range(600):
            status = json.loads(run("status", self.study, "--json").stdout)
            if all(status[name] == count for name, count in wanted.items()):
                return
            time.sleep(0.05)
        self.fail(f"{status} instead of {wanted}")

    def test_a_signal_to_a_whole_batch_step_hands_trials_back(self) -> None:
        # As Slurm does it: every process of the step gets the signal, and the script passes it on to the worker.
        script = (
            """"$0" optimize run "$1" --command 'trap "" TERM; sleep 60' --workers 2 & worker=$!\n"""
            """trap 'kill -TERM "$worker"' TERM\nwait "$worker"\nwait "$worker"\n"""
        )
        step = subprocess.Popen(["bash", "-c", script, base.NOMU, str(self.study)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True)
        self.pending(pending=2)
        os.killpg(step.pid, signal.SIGTERM)
        self.assertEqual(step.wait(timeout=60), 130)
        self.pending(pending=2, expired=2)

    def runs(self, word: str) -> bool:
        """Whether a process has this word on its command line, and has not ended."""
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if word.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                    return True
        return False

    def test_nothing_outlives_a_run_that_is_killed(self) -> None:
        for name, command in (("a", "timeout 40 sleep 31.5"), ("b", "exec setsid sleep 31.5"), ("c", "setsid timeout 40 sleep 31.5; echo 1")):
            study = self.folder / f"{name}.db"
            self.assertEqual(run("new", study, "--space", self.space).returncode, 0)
            process = subprocess.Popen([base.NOMU, "optimize", "run", study, "--command", command],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not self.runs("31.5"):
                time.sleep(0.02)
            process.kill()
            process.wait(timeout=60)
            end = time.monotonic() + 20
            while self.runs("31.5") and time.monotonic() < end:
                time.sleep(0.02)
            self.assertFalse(self.runs("31.5"), command)

    def test_a_command_in_a_session_of_its_own_hears_a_stop(self) -> None:
        process = subprocess.Popen([base.NOMU, "optimize", "run", self.study, "--command", "exec setsid sleep 31.75"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not self.runs("31.75"):
            time.sleep(0.02)
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertLess(time.monotonic() - begin, 4)
        self.assertFalse(self.runs("31.75"))

    def test_a_result_that_came_in_time_counts(self) -> None:
        # Models that take longer to fit than the commands may run.
        slow = self.folder / "slow.db"
        settings = "settings=train.epochs=5000; mean_net.hidden=[64,64]; sigma_net.hidden=[64,64]; augment.count=64"
        made = run("new", slow, "--space", self.space, "--set", settings, "--set", "initial=3")
        self.assertEqual(made.returncode, 0, made.stderr)
        result = run("run", slow, "--command", "sleep 0.05; echo {n}", "--workers", 2, "--timeout", 0.3, "--trials", 5)
        self.assertIn("5 trials finished, 0 failed", result.stdout, result.stderr)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "only root can mount a small disk")
    def test_a_full_disk_loses_no_result(self) -> None:
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", disk], check=False).returncode != 0:
            self.skipTest("no disk can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        study, filler = disk / "study.db", disk / "filler"
        self.assertEqual(run("new", study, "--space", self.space, "--set", "method=random").returncode, 0)
        fill = f"head -c 1000000 /dev/zero > {filler} 2>/dev/null; echo 7"
        full = run("run", study, "--command", fill, "--trials", 1, "--patience", 2)
        self.assertRefused(full, "not recorded, tell it yourself: trial 1, 7", code=1)
        filler.unlink()
        self.assertEqual(json.loads(run("status", study, "--json").stdout)["pending"], 1)
        # Room again while it waits: the result is recorded after all.
        later = f"head -c 1000000 /dev/zero > {filler} 2>/dev/null; (sleep 1; rm {filler}) >/dev/null 2>&1 & echo 8"
        saved = run("run", study, "--command", later, "--trials", 1)
        self.assertIn("trial 1: 8", saved.stdout, saved.stderr)
        self.assertIn("not recorded yet", saved.stderr)


class Constraints(WithStudy):
    def test_a_thin_slice_of_the_box_is_found(self) -> None:
        self.space.write_text(SIMPLEX)
        study = self.folder / "thin.db"
        made = run("new", study, "--space", self.space)
        self.assertEqual(made.returncode, 0, made.stderr)
        for _ in range(9):
            trial = asked(study)[0]
            point = trial["point"]
            self.assertTrue(0.9995 <= sum(point.values()) <= 1.0005, point)
            run("tell", study, trial["id"], (point["a"] - 0.2) ** 2 + (point["b"] - 0.5) ** 2)
        self.assertEqual(trial["origin"], "model")
        self.assertRefused(run("tell", study, "--point", "a=1", "--point", "b=1", "--point", "c=0", 1), "violates constraint 1")

    def test_a_used_up_space_ends_the_study(self) -> None:
        variables = "".join(f'[[variables]]\nname = "{n}"\ntype = "integer"\nlow = 0\nhigh = 30\n' for n in "abcd")
        few = '[[constraints]]\nterms = { a = 1, b = 1, c = 1, d = 1 }\nat_most = 1\n[study]\nmethod = "random"\n'
        self.space.write_text(variables + few)
        study = self.folder / "few.db"
        made = run("new", study, "--space", self.space)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(len(asked(study, "--count", 9)), 5)
        for trial in range(1, 6):
            run("tell", study, trial, trial)
        self.assertIn("every point of the space has been tried", run("ask", study).stdout)
        self.assertEqual(run("status", study, "--watch").returncode, 0)

    def test_a_copy_of_the_file_alone_has_all(self) -> None:
        process = subprocess.Popen([base.NOMU, "optimize", "run", self.study, "--command", "echo {id}", "--trials", "6"],
                                   stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            if line.startswith("trial 5"):
                break
        process.kill()
        process.communicate()
        copy = self.folder / "copy.db"
        copy.write_bytes(self.study.read_bytes())
        self.assertGreaterEqual(json.loads(run("status", copy, "--json").stdout)["finished"], 5)
        verified = run("verify", copy, "--quick")
        self.assertEqual(verified.returncode, 0)
        self.assertIn("suggestions not recomputed\nclean\n", verified.stdout)

    def test_a_study_that_is_moved_away_is_missed(self) -> None:
        process = subprocess.Popen(
            [base.NOMU, "optimize", "run", self.study, "--command", "sleep 0.2; echo {id}", "--patience", "0.1"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.readline()
        self.study.rename(self.folder / "elsewhere.db")
        _, errors = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("was moved or removed", errors)

    def test_a_spent_budget_says_so(self) -> None:
        study = self.folder / "budget.db"
        self.assertEqual(run("new", study, "--space", self.space, "--set", "budget=2").returncode, 0)
        asked(study, "--count", 2)
        self.assertIn("the budget of 2 trials is spent", run("ask", study).stdout)

    def test_a_budget_can_be_raised(self) -> None:
        study = self.folder / "raised.db"
        self.assertEqual(run("new", study, "--space", self.space, "--set", "budget=2").returncode, 0)
        asked(study, "--count", 2)
        raised = run("budget", study, 4)
        self.assertEqual((raised.returncode, raised.stdout), (0, "2 trials of 4: 0 finished, 0 failed, 2 pending\n"))
        self.assertEqual(len(asked(study, "--count", 9)), 2)
        self.assertIn("clean", run("verify", study).stdout)
        for wrong in ("-1", "many", "1.5"):
            self.assertEqual(run("budget", study, wrong).returncode, 2, wrong)
        self.assertEqual(json.loads(run("budget", study, 0, "--json").stdout)["budget"], 0)


if __name__ == "__main__":
    base.NOMU = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
