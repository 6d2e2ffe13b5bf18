"""nomu optimize: a study from the shell, what it refuses, and what survives being killed.

Usage: test_optimize.py PATH_TO_NOMU [unittest arguments]
Environment: NOMU_KILLS, NOMU_GROUP_KILLS: how many SIGKILLs the storms throw (25 and 5; a full storm is 500 and 50).
"""

import json
import os
import random
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

NOMU = ""

SPACE = """
[[variables]]
name = "x"
low = -1
high = 1

[[variables]]
name = "n"
type = "integer"
low = 0
high = 9

[[variables]]
name = "solver"
type = "categorical"
choices = ["cg", "lu; echo 7"]

[study]
initial = 4
settings = "train.epochs=30; mean_net.hidden=[8]; sigma_net.hidden=[8]; augment.count=16"
direct.evaluations = 60
local_starts = 0
"""


def run(*arguments, **options) -> subprocess.CompletedProcess:
    return subprocess.run([NOMU, "optimize", *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)


def asked(study: Path, *options) -> list:
    return json.loads(run("ask", study, "--json", *options).stdout)


class WithStudy(unittest.TestCase):
    settings: tuple = ()

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory())) if hasattr(self, "enterContext") else Path(tempfile.mkdtemp())
        self.space = self.folder / "space.toml"
        self.space.write_text(SPACE)
        self.study = self.folder / "study.db"
        made = run("new", self.study, "--space", self.space, *[w for s in self.settings for w in ("--set", s)])
        self.assertEqual(made.returncode, 0, made.stderr)

    def assertRefused(self, result: subprocess.CompletedProcess, *texts: str, code: int = 2) -> None:
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        for text in texts:
            self.assertIn(text, result.stderr)

    def verify(self, *options: str) -> dict:
        result = run("verify", self.study, "--json", *options)
        report = json.loads(result.stdout)
        self.assertTrue(report["clean"], report)
        return report


class AskAndTell(WithStudy):
    def test_failures_told_as_values_are_advised_against(self) -> None:
        lines = [json.dumps({"point": {"x": k / 10, "n": 3, "solver": "cg"}, "value": k}) for k in range(9)]
        told = run("tell", self.study, "--lines", input="\n".join(lines))
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        point = ("--point", "x=-0.5", "--point", "n=3", "--point", "solver=cg")
        told = run("tell", self.study, *point, "1e6")
        self.assertIn("1 result, 1000000 for example, is more than a thousand interquartile ranges worse", told.stderr)
        self.assertIn("--failed", told.stderr)
        told = run("tell", self.study, "--point", "x=-0.6", "--point", "n=3", "--point", "solver=cg", "2.5")
        self.assertEqual(told.stderr, "", "once is enough")
        best = run("best", self.study)
        self.assertIn("tell it as failed", best.stderr)
        self.assertNotIn("tell it as failed", best.stdout)
        self.assertIn("tell it as failed", json.loads(run("best", self.study, "--json").stdout)["advice"][0])

    def test_a_study_by_hand(self) -> None:
        for value in range(6):
            trial = asked(self.study)[0]
            self.assertEqual(trial["id"], value + 1)
            self.assertEqual(set(trial["point"]), {"x", "n", "solver"})
            self.assertEqual(run("tell", self.study, trial["id"], 5 - value).returncode, 0)
        self.assertEqual(json.loads(run("best", self.study, "--json").stdout)["value"], 0.0)
        self.assertIn("6 trials: 6 finished, 0 failed, 0 pending", run("status", self.study).stdout)
        rows = run("list", self.study, "--all", "--csv").stdout.splitlines()
        self.assertEqual(rows[0], "trial,state,x,n,solver,value,reason")
        self.assertEqual(len(rows), 7)
        self.assertEqual(self.verify()["exact"], 6)

    def test_results_as_tables_and_what_they_say(self) -> None:
        self.assertRefused(run("insight", self.study), "too few different results", code=1)
        rows = ["x,n,solver,value"]
        rows += [f"{0.1 * i - 0.4:.3f},{1 + i % 3},{'cg' if i % 2 else 'lu; echo 7'},{(0.1 * i - 0.5) ** 2}" for i in range(9)]
        table = self.folder / "rows.csv"
        table.write_text("\n".join([*rows, "0.1,1,cg,"]) + "\n")
        self.assertEqual(json.loads(run("import", self.study, table, "--json").stdout), {"added": 9, "without_value": 1})
        found = json.loads(run("insight", self.study, "--json").stdout)
        self.assertEqual(found["best"]["value"], json.loads(run("best", self.study, "--json").stdout)["value"])
        self.assertAlmostEqual(sum(one["share"] for one in found["importances"]), 1.0)
        self.assertIn("is expected to improve", run("insight", self.study).stdout)
        copy = self.folder / "copy.csv"
        self.assertEqual(json.loads(run("export", self.study, copy, "--json").stdout)["trials"], 9)
        self.assertEqual(copy.read_text().splitlines()[0], "trial,state,x,n,solver,value,reason")
        self.assertEqual(json.loads(run("import", self.study, copy, "--json").stdout)["added"], 9)
        table.write_text("x,n,solver,value\nfar,1,cg,2\n")
        self.assertRefused(run("import", self.study, table), "column 'x'", "finite number")
        table.write_text("x,n,solver,result\n0.1,1,cg,2\n")
        self.assertRefused(run("import", self.study, table), "value", "result")
        self.verify()

    def test_costs_are_told_listed_and_refused(self) -> None:
        self.assertEqual([trial["id"] for trial in asked(self.study, "--count", "2")], [1, 2])
        self.assertRefused(run("tell", self.study, 1, 5, "--cost", 0), "--cost")
        self.assertEqual(run("tell", self.study, 1, 5, "--cost", 12.5).returncode, 0)
        lines = '{"id": 2, "value": 4, "cost": -1}\n'
        self.assertRefused(run("tell", self.study, "--lines", input=lines), "line 1", "a cost must be a finite number above 0")
        lines = '{"id": 2, "value": 4, "cost": 3}\n'
        self.assertEqual(run("tell", self.study, "--lines", input=lines).returncode, 0)
        rows = run("list", self.study, "--all", "--csv").stdout.splitlines()
        self.assertEqual(rows[0], "trial,state,x,n,solver,value,cost,reason")
        self.assertIn(",12.5,", rows[1])
        copy = self.folder / "copy.csv"
        run("export", self.study, copy)
        self.assertEqual(run("import", self.study, copy, "--cost", "cost").returncode, 0)
        trials = [json.loads(line) for line in run("list", self.study, "--all", "--json").stdout.splitlines()]
        self.assertEqual([trial["cost"] for trial in trials], [12.5, 3, 12.5, 3])
        self.assertRefused(run("import", self.study, copy, "--cost", "state"), "column 'state'", "a number above 0")
        self.verify()

    def test_costs_stay_with_results_that_are_told_again_or_corrected(self) -> None:
        asked(self.study, "--count", "2")
        self.assertEqual(run("tell", self.study, 1, 5, "--cost", 3).returncode, 0)
        self.assertEqual(run("tell", self.study, 1, 5).returncode, 0)  # the same result again is no mistake
        self.assertEqual(run("tell", self.study, 1, 6, "--replace").returncode, 0)
        trial = json.loads(run("list", self.study, "--all", "--json").stdout.splitlines()[0])
        self.assertEqual((trial["value"], trial["cost"]), (6, 3))
        copy = self.folder / "copy.csv"
        run("export", self.study, copy)
        run("import", self.study, copy)
        self.assertEqual(json.loads(run("list", self.study, "--all", "--json").stdout.splitlines()[2])["cost"], 3)
        self.verify()

    def test_tables_of_variables_that_are_called_like_columns(self) -> None:
        space = self.folder / "names.toml"
        space.write_text("".join(f'[[variables]]\nname = "{name}"\nlow = 0\nhigh = 9\n' for name in ("trial", "value", "reason")))
        study, table = self.folder / "names.db", self.folder / "names.csv"
        run("new", study, "--space", space)
        run("tell", study, "--point", "trial=0.25", "--point", "value=7", "--point", "reason=5", 3)
        run("export", study, table)
        self.assertEqual(table.read_text().splitlines()[0], "trial_,state,trial,value,reason,value_,reason_")
        self.assertEqual(run("import", study, table).returncode, 0)
        trials = [json.loads(line) for line in run("list", study, "--all", "--json").stdout.splitlines()]
        self.assertEqual(trials[1]["point"], trials[0]["point"])
        self.assertEqual(trials[1]["value"], 3)

    def test_what_would_be_ignored_is_refused(self) -> None:
        point = ("--point", "x=0.5", "--point", "n=3", "--point", "solver=cg")
        self.assertRefused(run("tell", self.study, *point, 3, "--failed", "boo"), "only a trial can fail, not a point")
        self.assertRefused(run("tell", self.study, *point, 3, "--replace"), "--point adds a result and replaces none")
        self.assertRefused(run("tell", self.study, *point, "--point", "x=0.6", 3), "--point gives 'x' twice")
        twice = '{"x": 0.5, "x": 0.6, "n": 3, "solver": "cg"}\n'
        self.assertRefused(run("enqueue", self.study, "--lines", input=twice), "line 1", "'x' twice")
        line = f'{{"point": {twice.strip()}, "value": 3}}\n'
        self.assertRefused(run("tell", self.study, "--lines", input=line), "line 1", "'x' twice")
        self.assertRefused(run("list", self.study, "--csv", "--json"), "--json")
        self.assertRefused(run("run", self.study, "--command", " "), "the command is empty")
        self.assertEqual(json.loads(run("status", self.study, "--json").stdout)["trials"], 0)
        for text in ("inf", "abc"):
            table = self.folder / "rows.csv"
            table.write_text(f"x,n,solver,value\n0.1,1,cg,{text}\n")
            self.assertRefused(run("import", self.study, table), f"got '{text}'; leave the cell empty")

    def test_what_happens_is_said(self) -> None:
        for command in ("tell", "enqueue"):
            done = run(command, self.study, "--lines", input="\n")
            self.assertEqual((done.returncode, done.stderr), (0, "note: standard input is empty; nothing was recorded\n"))
        run("enqueue", self.study, "--point", "x=0.5", "--point", "n=3", "--point", "solver=cg")
        self.assertIn("1 pending (1 waiting for a worker)", run("status", self.study).stdout)
        run("budget", self.study, 4)
        self.assertIn("1 trial of 4: ", run("status", self.study).stdout)
        few = run("ask", self.study, "--count", "100")
        self.assertEqual((few.returncode, len(few.stdout.splitlines())), (0, 4))
        self.assertIn("4 of the 100 trials asked for: the budget of 4 trials is spent", few.stderr)
        for trial in range(1, 5):
            run("tell", self.study, trial, trial)
        small = self.folder / "small.toml"
        small.write_text('[[variables]]\nname = "x"\nlow = -1\nhigh = 1\n')
        made = run("new", self.folder / "small.db", "--space", small, "--from", self.study)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("has variables that the new study has not: n, solver", made.stderr)

    def test_a_new_study_may_begin_with_an_earlier_one(self) -> None:
        for trial in asked(self.study, "--count", "6"):
            run("tell", self.study, trial["id"], trial["point"]["x"] ** 2)
        best = json.loads(run("best", self.study, "--json").stdout)
        again = self.folder / "again.db"
        made = run("new", again, "--space", self.space, "--from", self.study, "--set", "method=auto")
        self.assertIn("beginning with 6 results of", made.stdout, made.stderr)
        self.assertEqual(asked(again)[0]["point"], best["point"])
        other = self.folder / "other.toml"
        other.write_text('[[variables]]\nname = "rate"\nlow = 0\nhigh = 1\n')
        self.assertRefused(run("new", self.folder / "c.db", "--space", other, "--from", self.study), "has no variable 'rate'")
        refused = run("new", self.folder / "c.db", "--space", self.space, "--from", self.study, "--set", "method=gp")
        self.assertRefused(refused, "only method auto begins with the results of an earlier study")
        self.assertRefused(run("new", self.folder / "c.db", "--space", self.space, "--from", self.folder / "no.db"), "no.db")
        self.assertFalse((self.folder / "c.db").exists())

    def test_the_best_comes_with_what_is_expected_there(self) -> None:
        for trial in asked(self.study, "--count", "6"):
            run("tell", self.study, trial["id"], trial["point"]["x"])
        found = json.loads(run("best", self.study, "--json").stdout)
        self.assertEqual((found["mean"], found["sigma"]), (found["value"], 0.0))
        self.assertNotIn("expected ", run("best", self.study).stdout)  # without noise it is what was told
        noisy = self.folder / "noisy.db"
        run("new", noisy, "--space", self.space, "--set", "noisy=true")
        for trial in asked(noisy, "--count", "6"):
            run("tell", noisy, trial["id"], trial["point"]["x"])
        self.assertGreater(json.loads(run("best", noisy, "--json").stdout)["sigma"], 0.0)
        self.assertIn("expected ", run("best", noisy).stdout)

    def test_the_best_of_a_noisy_study_is_not_called_its_best_result(self) -> None:
        study = self.folder / "noisy.db"
        run("new", study, "--space", self.space, "--set", "noisy=true")
        lines = [{"point": {"x": x / 10, "n": 3, "solver": "cg"}, "value": (x / 10) ** 2} for x in range(-10, 11, 2) for _ in range(3)]
        lines.append({"point": {"x": 1, "n": 3, "solver": "cg"}, "value": -0.5})
        run("tell", study, "--lines", input="\n".join(map(json.dumps, lines)))
        self.assertIn("\nbest result: trial 34, value -0.5", run("status", study).stdout)
        status = json.loads(run("status", study, "--json").stdout)
        self.assertEqual((status["best_result"]["id"], "best" in status), (34, False))
        best = json.loads(run("best", study, "--json").stdout)
        self.assertLess(abs(best["point"]["x"]), 0.5)
        self.assertNotEqual(best["id"], 34)

    def test_batches_respect_what_is_pending(self) -> None:
        first = asked(self.study, "--count", 5)
        second = asked(self.study, "--count", 3)
        points = [json.dumps(t["point"], sort_keys=True) for t in first + second]
        self.assertEqual(len(set(points)), 8)

    def test_lines_in_and_out(self) -> None:
        asked(self.study, "--count", 3)
        lines = '{"id": 1, "value": 2}\n{"id": 2, "failed": "melted"}\n{"point": {"x": 0.5, "n": 3, "solver": "cg"}, "value": 1}\n'
        told = run("tell", self.study, "--lines", "--json", input=lines)
        self.assertEqual(json.loads(told.stdout), {"told": 3})
        status = json.loads(run("status", self.study, "--json").stdout)
        self.assertEqual((status["finished"], status["failed"], status["pending"]), (2, 1, 1))
        self.assertEqual(status["best"]["value"], 1)
        self.verify()

    def test_queued_points_are_asked_first(self) -> None:
        point = "--point", "x=0.5", "--point", "n=3", "--point", "solver=cg"
        self.assertEqual(run("enqueue", self.study, *point).stdout, "1  x=0.5 n=3 solver=cg\n")
        lines = '{"x": -1, "n": 1, "solver": "cg"}\n\n{"x": 1, "n": 2, "solver": "cg"}\n'
        self.assertEqual(json.loads(run("enqueue", self.study, "--lines", "--json", input=lines).stdout), {"trials": [2, 3]})
        self.assertIn("3 trials wait for a worker", run("workers", self.study).stdout)
        trials = asked(self.study, "--count", 4)
        self.assertEqual([trial["id"] for trial in trials], [1, 2, 3, 4])
        self.assertEqual(trials[0]["point"], {"x": 0.5, "n": 3, "solver": "cg"})
        self.assertEqual([trial["origin"] for trial in trials], ["given"] * 3 + ["design"])
        self.verify()
        self.assertRefused(run("enqueue", self.study), "--point NAME=VALUE", "--lines")
        self.assertRefused(run("enqueue", self.study, *point, "--lines"), "give either a point")
        self.assertRefused(run("enqueue", self.study, "--point", "x"), "'x' is not of the form name=value")
        self.assertRefused(run("enqueue", self.study, "--point", "x=1"), "lacks the variable 'n'")
        self.assertRefused(run("enqueue", self.study, "--lines", input=lines + '{"x": NaN}\n'), "line 4", "a point is an object")
        self.assertRefused(run("tell", self.study, *point), "nomu optimize enqueue adds a point without one")
        self.assertEqual(json.loads(run("status", self.study, "--json").stdout)["trials"], 4)

    def test_mistakes_are_explained(self) -> None:
        asked(self.study)
        self.assertRefused(run("tell", self.study, 1, "nan"), "finite number", "--failed REASON")
        self.assertRefused(run("tell", self.study, 1, "inf"), "finite number")
        self.assertRefused(run("tell", self.study, 9, 1), "there is no trial 9")
        for name in ("first", "1e300", "1.5", "9223372036854775808", "0"):
            self.assertRefused(run("tell", self.study, name, 1), "named by its number")
        self.assertRefused(run("tell", self.study, 1), "ID VALUE")
        self.assertRefused(run("tell", self.study, "--point", "y=1", 3), "there is no variable 'y'", "x, n, solver")
        self.assertRefused(run("tell", self.study, "--point", "x=1", 3), "lacks the variable 'n'")
        self.assertRefused(run("tell", self.study, "--point", "x=7", "--point", "n=1", "--point", "solver=cg", 3), "between -1 and 1")
        self.assertRefused(run("tell", self.study, "--lines", input='{"ID": 1, "value": 2}\n'), "unknown key 'ID'")
        self.assertEqual(run("tell", self.study, 1, 4).returncode, 0)
        self.assertEqual(run("tell", self.study, 1, 4).returncode, 0, "the same again is safe")
        self.assertRefused(run("tell", self.study, 1, 5), "has the value 4 already")
        self.assertRefused(run("tell", self.study, 1, "--failed", "melted"), "has the value 4 already")
        asked(self.study)
        for _ in range(2):
            self.assertEqual(run("tell", self.study, 2, "--failed", "melted").returncode, 0)
        self.assertRefused(run("tell", self.study, 2, "--failed", "burnt"), "has failed (melted) already")
        self.assertEqual(run("tell", self.study, 1, 5, "--replace").returncode, 0)
        self.assertRefused(run("best", self.folder / "none.db"), "no such file")
        self.assertRefused(run("best", self.space), "is not a study")
        self.assertRefused(run("new", self.study, "--space", self.space), "exists already")
        self.verify()

    def test_wrong_spaces_are_explained(self) -> None:
        def refused(text: str, *expected: str) -> None:
            self.space.write_text(text)
            self.assertRefused(run("new", self.folder / "other.db", "--space", self.space), *expected)
            self.assertFalse((self.folder / "other.db").exists())

        refused('[[variables]]\nname = "x"\nlow = 1\nhigh = 0\n', f"{self.space}: variable 'x': the bounds are reversed")
        refused(SPACE + '[[constraints]]\nterms = { z = 1 }\nat_most = 1\n', f"{self.space}: there is no variable 'z'")
        refused(SPACE + '[[constraints]]\nterms = { x = 1 }\nat_most = -5\n', f"{self.space}: no point was found that meets all constraints")
        large = 'low = -9223372036854775807\nhigh = -9223372036854775806\n'
        refused(f'[[variables]]\nname = "x"\n{large}', "whole numbers beyond 2^53 are not told apart")
        refused(f'[[variables]]\nname = "x"\ntype = "integer"\n{large}', "between -2^53 and 2^53")
        refused(f'[[variables]]\nname = "{"x" * 3_000_000}"\nlow = 0\nhigh = 1\n', "a name has at most 4000 bytes")
        refused('[[variables]]\nname = "a\\u0000b"\nlow = 0\nhigh = 1\n', "must not contain braces, line ends or zero bytes")
        refused(SPACE + "lease = inf\n", "lease must be a finite number above 0, got inf")
        refused('[[variables]]\nname = "x"\nlow = 1\nhigh = 1\n', "both bounds are 1")
        refused('[[variables]]\nname = "x"\nlwo = 1\nhigh = 1\n', "line 3", "did you mean 'low'")
        refused(SPACE + 'methd = "gp"\n', "methd", "method")
        refused(SPACE.replace("[study]", '[study]\nmethod = "gpp"'), "gp")

    def test_no_result_no_best(self) -> None:
        self.assertRefused(run("best", self.study), "no trial has a result yet", code=1)


class Run(WithStudy):
    settings = ("budget=8",)

    def test_runs_a_command_to_the_end_of_the_budget(self) -> None:
        result = run("run", self.study, "--command", "echo working; echo {x} {solver} >&2; echo {n}", "--workers", 3)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("8 trials finished, 0 failed", result.stdout)
        for line in run("list", self.study, "--json", "--all").stdout.splitlines():
            trial = json.loads(line)
            self.assertEqual(trial["value"], trial["point"]["n"])  # and nothing in a choice is run as a command
        self.assertEqual(self.verify()["trials"], 8)

    def test_stops_when_going_on_is_not_worth_it(self) -> None:
        space = self.folder / "one.toml"
        space.write_text('[[variables]]\nname = "x"\nlow = -1\nhigh = 2\n')
        study = self.folder / "one.db"
        run("new", study, "--space", space, "--set", "budget=60")
        command = "awk 'BEGIN { print ({x} - 0.7) * ({x} - 0.7) }'"
        result = run("run", study, "--command", command, "--until-settled")
        self.assertIn("settled: hardly any improvement is to be expected", result.stdout, result.stderr)
        status = json.loads(run("status", study, "--json").stdout)
        self.assertLess(status["trials"], 30)
        self.assertLess(status["best"]["value"], 1e-3)
        self.assertIn("hardly worth going on", run("insight", study).stdout)

    def test_commands_do_not_see_inactive_variables(self) -> None:
        space = self.folder / "when.toml"
        space.write_text(
            '[[variables]]\nname = "solver"\ntype = "categorical"\nchoices = ["cg", "lu"]\n'
            '[[variables]]\nname = "restart"\ntype = "integer"\nlow = 3\nhigh = 9\nwhen = {solver = "cg"}\n'
        )
        study = self.folder / "when.db"
        run("new", study, "--space", space)
        command = 'test {solver}x{restart}y = luxy && test -z "$NOMU_restart" && echo 1 || echo "$NOMU_restart"'
        result = run("run", study, "--command", command)
        self.assertIn("8 trials finished, 0 failed", result.stdout, result.stderr)  # seven values of restart, and lu
        trials = [json.loads(line) for line in run("list", study, "--all", "--json").stdout.splitlines()]
        for trial in trials:
            self.assertEqual("restart" in trial["point"], trial["point"]["solver"] == "cg")
            self.assertEqual(trial["value"], trial["point"].get("restart", 1))
        refused = run("tell", study, "--point", "solver=lu", "--point", "restart=4", 1)
        self.assertRefused(refused, "'restart' has a value, but is only active when solver = cg; leave it out")

    def test_the_trial_comes_on_standard_input_too(self) -> None:
        command = f"{sys.executable} -c \"import json, sys; print(json.load(sys.stdin)['point']['x'])\""
        self.assertEqual(run("run", self.study, "--command", command, "--trials", 2).returncode, 0)
        trial = json.loads(run("list", self.study, "--json").stdout.splitlines()[0])
        self.assertEqual(trial["value"], trial["point"]["x"])

    def reasons(self, command: str, *options) -> list:
        result = run("run", self.study, "--command", command, "--trials", 2, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line)["reason"] for line in run("list", self.study, "--json", "--limit", 2).stdout.splitlines()]

    def test_failures_have_reasons(self) -> None:
        self.assertEqual(self.reasons("echo no luck >&2; exit 3"), ["exit code 3: no luck"] * 2)
        self.assertEqual(self.reasons("echo about 3"), ["its last line is not a finite number: 'about 3'"] * 2)
        self.assertEqual(self.reasons("true"), ["printed nothing"] * 2)
        self.assertEqual(self.reasons("echo nan"), ["its last line is not a finite number: 'nan'"] * 2)

    def test_a_command_that_hangs_is_ended(self) -> None:
        begin = time.monotonic()
        self.assertEqual(self.reasons("sleep 60; echo 1", "--timeout", 0.3), ["no result after 0.3 s"] * 2)
        self.assertLess(time.monotonic() - begin, 30)

    def test_wrong_commands_cost_no_trial(self) -> None:
        self.assertRefused(run("run", self.study, "--command", "./no_such_program {x}"), "cannot be run", "no trial was spent")
        self.assertRefused(run("run", self.study, "--command", "echo {y}"), "there is no variable 'y'")
        status = json.loads(run("status", self.study, "--json").stdout)
        self.assertEqual((status["finished"], status["failed"]), (0, 0))

    def test_many_failures_in_a_row_stop_it(self) -> None:
        self.assertRefused(run("run", self.study, "--command", "exit 1", "--failures", 3), "3 trials in a row failed", code=1)

    def test_an_interrupt_gives_the_trials_back(self) -> None:
        process = subprocess.Popen([NOMU, "optimize", "run", self.study, "--command", "sleep 30; echo 1", "--workers", "2"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while json.loads(run("status", self.study, "--json").stdout)["pending"] < 2:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(json.loads(run("status", self.study, "--json").stdout)["expired"], 2)


class Storm(WithStudy):
    settings = ("method=random",)

    def start(self, *options: str) -> subprocess.Popen:
        log = self.folder / "told.log"
        # A result is in the log before it is told, so everything told must be in the log.
        command = f"sleep 0.0$(({{id}} % 4)); echo {{id}} >> {log}; echo {{id}}"
        return subprocess.Popen([NOMU, "optimize", "run", self.study, "--command", command, "--workers", "4", *options],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)

    def storm(self, kills: int, whole_group: bool) -> None:
        told = set()
        draw = random.Random(kills)
        begin = time.monotonic()
        self.start("--trials", "4").communicate()
        longest = 2 * (time.monotonic() - begin)  # so that kills fall into the work, however slow this build is
        for _ in range(kills):
            process = self.start()
            lines = []
            reader = threading.Thread(target=lambda p=process, out=lines: out.extend(p.stdout))
            reader.start()
            time.sleep(draw.uniform(0.0, longest))
            if whole_group:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            process.wait()
            reader.join()
            process.stdout.close()
            told |= {int(line.split()[1].rstrip(":")) for line in lines if line.endswith("\n") and line.startswith("trial ")}
        trials = [json.loads(line) for line in run("list", self.study, "--all", "--json").stdout.splitlines()]
        finished = {t["id"]: t["value"] for t in trials if t["state"] == "finished"}
        self.assertLessEqual(told, set(finished))  # what was said to be told is there
        logged = {int(line) for line in (self.folder / "told.log").read_text().splitlines()}
        self.assertLessEqual(set(finished), logged)  # and nothing else is
        for identity, value in finished.items():
            self.assertEqual(value, identity)
        self.assertEqual(len({t["id"] for t in trials}), len(trials))
        self.verify()
        more = run("run", self.study, "--command", "echo {id}", "--trials", 5)
        self.assertEqual(more.returncode, 0, more.stderr)
        self.verify()

    def test_sigkill(self) -> None:
        self.storm(int(os.environ.get("NOMU_KILLS", "25")), whole_group=False)

    def test_sigkill_of_the_whole_group(self) -> None:
        self.storm(int(os.environ.get("NOMU_GROUP_KILLS", "5")), whole_group=True)


class StormOverModels(Storm):
    """The same where models are fitted, so that kills fall into fits and searches."""

    settings = ("direct.evaluations=200", "local_starts=2")


class Sharing(WithStudy):
    settings = ("method=random",)

    def test_many_processes_on_one_file_never_see_a_lock(self) -> None:
        def work(errors: list) -> None:
            for _ in range(int(os.environ.get("NOMU_OPERATIONS", "12"))):
                for arguments in (("ask", self.study, "--json"), ("status", self.study, "--json")):
                    result = run(*arguments)
                    if result.returncode != 0:
                        errors.append(result.stderr)
                    elif arguments[0] == "ask":
                        told = run("tell", self.study, json.loads(result.stdout)[0]["id"], 1)
                        if told.returncode != 0:
                            errors.append(told.stderr)

        errors: list = []
        threads = [threading.Thread(target=work, args=(errors,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.verify()

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_read_only_file_can_be_read_but_not_told(self) -> None:
        asked(self.study)
        self.study.chmod(stat.S_IRUSR)
        self.folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
        self.addCleanup(self.folder.chmod, stat.S_IRWXU)
        self.assertEqual(run("status", self.study).returncode, 0)
        self.assertRefused(run("tell", self.study, 1, 1), "cannot be written to")


class JobArray(WithStudy):
    """The script of a cluster, with stand-ins for the commands of Slurm."""

    SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "slurm" / "worker.sh"

    def start(self, *options: str, budget: int = 1000, state: str = "RUNNING", **environment: str) -> subprocess.Popen:
        self.space.write_text(f'[[variables]]\nname = "x"\nlow = 0\nhigh = 1\n[study]\nmethod = "random"\nbudget = {budget}\n')
        self.study = self.folder / f"{state}{budget}.db"
        run("new", self.study, "--space", self.space)
        for name, text in (("squeue", f"echo {state}"), ("scontrol", f'echo "$@" >>{self.folder}/called')):
            (self.folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.folder / name).chmod(0o755)
        return subprocess.Popen(["bash", self.SCRIPT, "sleep 0.1; echo {x}", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "NOMU": NOMU, "STUDY": str(self.study),
                                     "SLURM_JOB_ID": "7", **environment})  # fmt: skip

    def ended(self, task: subprocess.Popen) -> str:
        """What scontrol was called with."""
        output, _ = task.communicate(timeout=60)
        self.assertEqual(task.returncode, 0, output)
        self.assertEqual(self.status()["pending"] - self.status()["expired"], 0)  # what was running was given back
        called = self.folder / "called"
        text = called.read_text() if called.exists() else ""
        called.unlink(missing_ok=True)
        return text

    def status(self) -> dict:
        return json.loads(run("status", self.study, "--json").stdout)

    def test_a_task_at_its_time_limit_comes_again(self) -> None:
        for state, requeued in (("RUNNING", "requeue 7\n"), ("CANCELLED", "")):
            task = self.start(state=state)
            while self.status()["finished"] < 3:
                time.sleep(0.05)
            task.terminate()
            self.assertEqual(self.ended(task), requeued, state)
            self.assertFalse(self.status()["done"])

    def test_a_task_that_is_done_does_not(self) -> None:
        self.assertEqual(self.ended(self.start(budget=3)), "")
        self.assertTrue(self.status()["done"])
        self.assertEqual(self.ended(self.start("--trials", "2")), "")

    def test_nothing_is_started_that_would_not_end_in_time(self) -> None:
        begin = time.monotonic()
        task = self.start(TRIAL_SECONDS="5", SLURM_JOB_END_TIME=str(int(time.time()) + 68))
        self.assertEqual(self.ended(task), "requeue 7\n")
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(self.status()["pending"], 0)
        task = self.start(budget=999, TRIAL_SECONDS="50", SLURM_JOB_END_TIME=str(int(time.time()) + 100))
        output, _ = task.communicate(timeout=60)
        self.assertEqual(task.returncode, 1)
        self.assertIn("does not fit into the time limit", output)


if __name__ == "__main__":
    NOMU = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
