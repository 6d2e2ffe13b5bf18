#!/usr/bin/env python3
"""nomu optimize on studies in a PostgreSQL database; run by tests/postgres/with_server."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

TOOL = ""
FRONT = os.environ.get("NOMU_TEST_POSTGRES", "")

SPACE = '[[variables]]\nname = "x"\nlow = 0\nhigh = 1\n[study]\nmethod = "random"\n'


def run(*words: object, **more: object) -> subprocess.CompletedProcess:
    command = [TOOL, "optimize", *[str(word) for word in words]]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **more)


def answer(*words: object) -> object:
    result = run(*words, "--json")
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return json.loads(result.stdout)


@unittest.skipUnless(FRONT, "no PostgreSQL server (Debian: postgresql-15)")
class Postgres(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "space.toml").write_text(SPACE)
        self.study = f"{FRONT}&study={self.id()}"

    def new(self, *settings: str) -> None:
        made = run("new", self.study, "--space", self.folder / "space.toml", *[w for s in settings for w in ("--set", s)])
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn(f"nomu optimize ask '{self.study}'", made.stdout)  # & must be quoted in a shell

    def assert_refused(self, result: subprocess.CompletedProcess, *texts: str) -> None:
        self.assertEqual(result.returncode, 2, result.stderr)
        for text in texts:
            self.assertIn(text, result.stderr)

    def test_every_command_takes_an_address(self) -> None:
        self.new("budget=6")
        self.assertEqual(len(answer("ask", self.study, "--count", 2, "--worker", "me")), 2)
        self.assertEqual([worker["worker"] for worker in answer("workers", self.study)], ["me"])
        self.assertIn("trial 2, for", run("workers", self.study).stdout)
        self.assertEqual(run("tell", self.study, 1, 0.5).returncode, 0)
        lines = '{"id": 2, "failed": "melted"}\n{"point": {"x": 0.25}, "value": 1}\n'
        self.assertEqual(run("tell", self.study, "--lines", input=lines).returncode, 0)
        self.assert_refused(run("tell", self.study, "--lines", input=lines + '{"id": 9, "value": 1}\n'),
                            "line 3: there is no trial 9", "no line was recorded")
        self.assertEqual(answer("run", self.study, "--command", "echo {x}", "--workers", 2)["finished"], 3)
        self.assertEqual(answer("status", self.study)["finished"], 5)
        self.assertEqual(len(run("list", self.study, "--csv").stdout.splitlines()), 7)
        self.assertEqual(run("best", self.study).returncode, 0)
        self.assertEqual(answer("budget", self.study, 9)["budget"], 9)
        page = self.folder / "page.html"
        self.assertEqual(run("report", self.study, "-o", page, "--no-model").returncode, 0)
        self.assertIn("<title>page", page.read_text())
        self.assert_refused(run("report", self.study), "-o FILE")
        self.assertEqual(answer("verify", self.study)["clean"], True)

    def test_copies_go_there_and_back(self) -> None:
        self.new()
        run("run", self.study, "--command", "echo {x}", "--trials", 5)
        there, back = self.folder / "there.db", self.study + "-back"
        self.assertEqual(answer("copy", self.study, there)["trials"], 5)
        self.assertEqual(run("copy", there, back).returncode, 0)
        for place in (there, back):
            self.assertEqual(run("verify", place).stdout, run("verify", self.study).stdout)
            self.assertEqual(run("list", place, "--json").stdout, run("list", self.study, "--json").stdout)
        self.assert_refused(run("copy", self.study, there), "exists already")

    def test_damage_is_said(self) -> None:
        psql = shutil.which("psql") or next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin/psql"))), None)
        if psql is None:
            self.skipTest("no psql (Debian: postgresql-client)")
        front = self.study
        mine = "study = (select max(id) from nomu_studies)"
        for number, change in enumerate((
            "nomu_trials set point='[]'", "nomu_trials set point='[7]'", "nomu_trials set point='x'",
            "nomu_trials set point='" + "[" * 100000 + "'", "nomu_trials set value='NaN', place=1", "nomu_trials set state=7",
            "nomu_trials set value='Infinity', state=1, place=1",
            "nomu_trials set id=id+9223372036854775800", "nomu_trials set id=id-3", "nomu_trials set id=id*1000000",
            "nomu_trials set asked='Infinity', told='NaN', lease='-Infinity'", "nomu_trials set place=9223372036854775807, value=1, state=1",
            "nomu_events set body='{}'", "nomu_events set body='[]'", "nomu_events set kind=chr(27) || '[31m'",
            "nomu_events set number=number+9223372036854775800", "nomu_events set trial=-1",
            "nomu_meta set value='{}' where key='space' and", "nomu_meta set value='x' where key='spec' and",
            "nomu_meta set value=replace(value, '\"random\"', '\"none such\"') where key='spec' and",
        )):
            self.study = f"{front}-{number}"
            self.new()
            self.assertEqual(run("ask", self.study, "--count", 3).returncode, 0)
            self.assertEqual(run("tell", self.study, 1, 1).returncode, 0)
            sql = f"update {change}{'' if change.endswith(' and') else ' where'} {mine}"
            done = subprocess.run([psql, FRONT, "-v", "ON_ERROR_STOP=1", "-q", "-f", "-"], input=sql, capture_output=True, text=True,
                                  timeout=60, check=False)
            self.assertEqual(done.returncode, 0, f"{sql[:200]}: {done.stderr}")
            for words in (["status"], ["best"], ["list"], ["workers"], ["ask"], ["tell", 2, 1], ["insight"], ["budget", 50],
                          ["export", self.folder / "t.csv"], ["report", "-o", self.folder / "p.html"], ["copy", self.folder / "c.db"]):
                result = run(words[0], self.study, *words[1:])
                self.assertIn(result.returncode, (0, 1, 2), f"{sql[:200]}: {words}: {result.stderr}")
                (self.folder / "c.db").unlink(missing_ok=True)
            result = run("verify", self.study)
            # The log has no times, of its numbers only the order counts, and no model was needed yet.
            harmless = any(word in change for word in ("asked=", "number=", "none such"))
            allowed = (0, 1, 2) if harmless else (1, 2)
            self.assertIn(result.returncode, allowed, f"{sql[:200]}: {result.stdout} {result.stderr}")

    def test_secrets_are_never_printed(self) -> None:
        address = FRONT.replace("user=nomu", "user=guarded&password=not-this-one") + "&study=a"
        refused = run("status", address)
        self.assert_refused(refused, "password authentication failed", "cannot connect to 'postgresql:///studies?")
        self.assertNotIn("not-this-one", refused.stdout + refused.stderr)
        self.assert_refused(run("status", f"{FRONT}&study=nowhere"), "there is no study", "nomu optimize new creates it")
        self.assert_refused(run("status", FRONT), "does not name a study; add &study=NAME")
        away = run("status", "postgresql://127.0.0.1:1/db?study=a")  # may come back: not a wrong input
        self.assertEqual(away.returncode, 1)
        self.assertIn("cannot connect to", away.stderr)

    def test_a_server_is_refused_like_every_command(self) -> None:
        for address, text in (
            (FRONT.replace("user=nomu", "user=guarded&password=not-this-one"), "password authentication failed"),
            (FRONT.replace("///studies", "///no_such_database"), '"no_such_database" does not exist'),
            (FRONT, "there is no study"),
        ):
            command = [TOOL, "serve", f"{address}&study=a", "--port", "0"]
            refused = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            if "without cpp-httplib" in refused.stderr:
                self.skipTest("nomu was built without cpp-httplib")
            self.assert_refused(refused, text)
            self.assertNotIn("not-this-one", refused.stderr)

    def test_preemption_hands_running_trials_back_at_once(self) -> None:
        self.new("lease=600")
        command = [TOOL, "optimize", "run", self.study, "--command", "sleep 60", "--workers", "2"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as worker:
            while answer("status", self.study)["pending"] < 2:
                time.sleep(0.05)
            worker.send_signal(signal.SIGTERM)
            self.assertEqual(worker.wait(timeout=20), 130)
        self.assertEqual(answer("status", self.study)["expired"], 2)
        self.assertEqual([trial["id"] for trial in answer("ask", self.study, "--count", 2)], [1, 2])

    def test_a_restarted_database_is_waited_for(self) -> None:
        self.new("budget=20")
        control = os.environ["NOMU_TEST_POSTGRES_CONTROL"]
        # One worker has a result to record when the server comes back, and nothing else that would keep it going.
        command = [TOOL, "optimize", "run", self.study, "--command", "sleep 0.1; echo {x}", "--trials", "10", "--workers"]
        for workers, trials in (("1", 10), ("2", 20)):
            with subprocess.Popen(
                [*command, workers], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            ) as worker:
                worker.stdout.readline()
                subprocess.run([control, "stop"], check=True)
                time.sleep(1.5)
                subprocess.run([control, "start"], check=True)
                rest, _ = worker.communicate(timeout=60)
                self.assertEqual(worker.returncode, 0)
            self.assertIn("best: trial", rest)
            self.assertEqual(answer("verify", self.study)["clean"], True)
            self.assertEqual(answer("status", self.study)["trials"], trials)

    def test_a_worker_may_begin_while_the_database_is_away(self) -> None:
        self.new("budget=3")
        control = os.environ["NOMU_TEST_POSTGRES_CONTROL"]
        command = [TOOL, "optimize", "run", self.study, "--command", "echo {x}", "--patience"]
        subprocess.run([control, "stop"], check=True)
        impatient = subprocess.run([*command, "0"], capture_output=True, text=True, timeout=60, check=False)
        with subprocess.Popen([*command, "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as worker:
            said = worker.stderr.readline()
            subprocess.run([control, "start"], check=True)
            out, _ = worker.communicate(timeout=60)
        self.assertEqual(impatient.returncode, 1, impatient.stderr)
        self.assertIn("waiting for the server", said)
        self.assertEqual(worker.returncode, 0)
        self.assertIn("3 trials finished", out)

    def test_a_signal_is_heard_while_the_network_is_silent(self) -> None:
        self.new()
        query = dict(parse_qsl(urlsplit(FRONT).query))
        program = Path(__file__).resolve().parents[1] / "postgres" / "proxy.py"
        # In a session of its own: a stopped process in ours would end all of us if our parent ended.
        proxy = subprocess.Popen([sys.executable, program, f"{query['host']}/.s.PGSQL.5432"], stdout=subprocess.PIPE, text=True,
                                 start_new_session=True)
        self.addCleanup(proxy.communicate)
        self.addCleanup(proxy.kill)
        port = proxy.stdout.readline().strip()
        study = f"postgresql://{query['user']}@127.0.0.1:{port}/studies?sslmode=disable&study={self.id()}"
        command = [TOOL, "optimize", "run", study, "--command", "sleep 1; echo 7"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as worker:
            worker.stdout.readline()
            time.sleep(0.3)  # the next command runs
            proxy.send_signal(signal.SIGSTOP)
            time.sleep(2.0)  # its result is being recorded
            begin = time.monotonic()
            worker.send_signal(signal.SIGTERM)
            _, errors = worker.communicate(timeout=80)
            seconds = time.monotonic() - begin
        self.assertLess(seconds, 25)
        self.assertEqual(worker.returncode, 130, errors)
        self.assertIn("not recorded, tell it yourself: trial 2, 7", errors)

    def test_patience_ends(self) -> None:
        self.new()
        control = os.environ["NOMU_TEST_POSTGRES_CONTROL"]
        command = [TOOL, "optimize", "run", self.study, "--command", "sleep 0.1; echo {x}", "--patience", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as worker:
            worker.stdout.readline()
            subprocess.run([control, "stop"], check=True)
            try:
                _, errors = worker.communicate(timeout=60)
            finally:
                subprocess.run([control, "start"], check=True)
        self.assertEqual(worker.returncode, 1, errors)
        self.assertRegex(errors, "cannot connect to|was lost|could not be recorded")


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()
