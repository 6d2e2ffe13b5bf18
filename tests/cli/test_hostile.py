"""nomu fed with what nobody means well with: pipes as files, very wide tables, damaged studies, texts that are code.

Usage: test_hostile.py PATH_TO_NOMU [unittest arguments]
"""

import json
import os
import random
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

NOMU = ""
SETTINGS = [
    word
    for setting in ("mean_net.hidden=4", "sigma_net.hidden=4", "train.epochs=3", "augment.count=4", "calibration.folds=2")
    for word in ("--set", setting)
]
FIT = ["--target", "y", "--preset", "written", "--calibrate", "nll", *SETTINGS]
TABLE = "x,y\n" + "".join(f"{i / 7},{i % 5}\n" for i in range(20))
NAMES = [
    "$(touch owned)", "`touch owned`", "; touch owned", "&& touch owned", "| touch owned", "a'b", 'a"b', "'$(touch owned)'",
    '"$(touch owned)"', "\\", "\\'; touch owned; '", "a b", "a\tb", "a\nb", "$HOME", "${HOME}", "*", "-rf", "\u00e9 \u2603",
]  # fmt: skip


def nomu(*arguments, **options) -> subprocess.CompletedProcess:
    options = {"capture_output": True, "text": True, "timeout": 120, **options}
    return subprocess.run([NOMU, *map(str, arguments)], **options)


class WithFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.table = self.folder / "t.csv"
        self.table.write_text(TABLE)

    def assertDone(self, result: subprocess.CompletedProcess) -> None:
        self.assertEqual(result.returncode, 0, result.stderr)

    def assertRefused(self, result: subprocess.CompletedProcess, *texts: str, code: int = 2) -> None:
        self.assertEqual(result.returncode, code, f"{result.stdout}{result.stderr}")
        for text in texts:
            self.assertIn(text, result.stderr)

    def fitted(self) -> Path:
        model = self.folder / "m.nomu"
        self.assertDone(nomu("fit", self.table, *FIT, "-o", model))
        return model


class Outputs(WithFolder):
    def test_pipes_are_written_to(self) -> None:
        model = self.fitted()
        table = self.folder / "out.csv"
        self.assertDone(nomu("predict", model, self.table, "-o", table))
        for target in ("-o /dev/stdout | cat", "-o >(cat > copy) > /dev/null; sleep 1; cat copy"):
            command = f"cd {self.folder}; {NOMU} predict {model} {self.table} {target}"
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
            self.assertIn(table.read_text(), done.stdout, target + done.stderr)
        model_bytes = subprocess.run(
            ["bash", "-c", f"{NOMU} show {model} > /dev/null; {NOMU} export {model} -o /dev/stdout | wc -c"], capture_output=True, text=True, timeout=60
        )
        self.assertGreater(int(model_bytes.stdout), 1000, model_bytes.stderr)

    def test_named_pipes_are_written_to(self) -> None:
        model = self.fitted()
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        read: list[str] = []
        reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
        reader.start()
        self.assertDone(nomu("predict", model, self.table, "-o", pipe, timeout=60))
        reader.join(10)
        self.assertEqual(len(read[0].splitlines()), 21)
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))

    def test_a_dangling_link_leads_to_the_new_file(self) -> None:
        (self.folder / "to").mkdir()
        link = self.folder / "link.nomu"
        link.symlink_to(Path("to", "m.nomu"))
        self.assertDone(nomu("fit", self.table, *FIT, "-o", link))
        self.assertTrue(link.is_symlink())
        self.assertGreater((self.folder / "to" / "m.nomu").stat().st_size, 1000)
        link.unlink()
        link.symlink_to(Path("nowhere", "m.nomu"))
        self.assertRefused(nomu("fit", self.table, *FIT, "-o", link), "link.nomu")
        link.unlink()
        link.symlink_to(link)
        self.assertRefused(nomu("fit", self.table, *FIT, "-o", link), "link.nomu")

    def test_a_model_is_as_private_as_its_table(self) -> None:
        before = os.umask(0o022)
        self.addCleanup(os.umask, before)
        for mode, expected in ((0o600, 0o600), (0o640, 0o640), (0o644, 0o644)):
            self.table.chmod(mode)
            model = self.fitted()
            self.assertEqual(stat.S_IMODE(model.stat().st_mode), expected)
            model.unlink()


class Tables(WithFolder):
    def test_very_many_columns(self) -> None:
        # Reads the table and looks up every column before it sees that there is nothing to learn.
        times = []
        for columns in (50_000, 200_000):
            names = ",".join(f"c{j}" for j in range(columns))
            row = ",".join("1" for _ in range(columns))
            self.table.write_text(f"{names}\n" + f"{row}\n" * 5)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            fit = nomu("fit", self.table, "--target", "c7", "-o", self.folder / "m.nomu", "--calibrate", "none")
            self.assertRefused(fit, "t.csv, column 'c7'", "nothing to learn")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime - before.ru_utime)
        self.assertLess(times[1], 8 * times[0] + 1)  # four times the columns; 16 if every one looked at all others

    def test_a_long_cell_is_not_repeated(self) -> None:
        self.table.write_text("x,y\n1," + "a" * 3_000_000 + "\n2,3\n3,1\n4,2\n5,1\n")
        result = nomu("fit", self.table, "--target", "y", "-o", self.folder / "m.nomu")
        self.assertRefused(result, "column 'y'", "bytes ...]")
        self.assertLess(len(result.stderr), 10_000)

    def test_a_long_name_is_not_repeated(self) -> None:
        self.table.write_text("x,c,y\n" + "".join(f"{i / 7},{['red', 'blue'][i % 2]},{i % 5}\n" for i in range(20)))
        model = self.fitted()
        rows = self.folder / "rows.csv"
        rows.write_text("x,c\n1," + "a" * 3_000_000 + "\n")
        result = nomu("predict", model, rows, "-o", self.folder / "out.csv")
        self.assertDone(result)
        self.assertIn("1 row with a name in column 'c' that the model does not know", result.stdout)
        self.assertLess(len(result.stdout), 10_000)

    def test_escapes_do_not_reach_the_terminal(self) -> None:
        self.table.write_text("\x1b[32mx,y\n1,\x1b[31mred\n2,3\n3,1\n4,2\n5,1\n")
        result = nomu("fit", self.table, "--target", "y", "-o", self.folder / "m.nomu")
        self.assertRefused(result, "\\x1b[31mred")
        self.assertNotIn("\x1b", result.stderr)

    def test_sizes_beyond_memory(self) -> None:
        model = self.folder / "m.nomu"
        for setting in ("mean_net.hidden=9223372036854775807", "augment.count=9223372036854775807", "ensemble=9223372036854775807"):
            result = nomu("fit", self.table, *FIT, "--set", setting, "-o", model)
            self.assertIn(result.returncode, (1, 2), setting)
            self.assertNotIn("_M_", result.stderr)
            self.assertRegex(result.stderr, r"nomu: \[[a-z_/]+\] .*(must be|must have|memory)")


class Engines(WithFolder):
    def test_environment_variables_of_libraries_change_nothing(self) -> None:
        files = []
        for k, variables in enumerate(({}, {"DNNL_MAX_CPU_ISA": "SSE41"}, {"ONEDNN_MAX_CPU_ISA": "AVX2"})):
            files.append(self.folder / f"{k}.nomu")
            self.assertDone(nomu("fit", self.table, *FIT, "--set", "mean_net.hidden=64,64", "-o", files[-1], env={**os.environ, **variables}))
        for file in files[1:]:
            self.assertEqual(file.read_bytes(), files[0].read_bytes())


class Networks(WithFolder):
    def test_a_file_of_empty_nodes_is_refused_before_it_fills_the_memory(self) -> None:
        def varint(number: int) -> bytes:
            return bytes([number & 0x7F | 0x80]) + varint(number >> 7) if number > 0x7F else bytes([number])

        nodes = b"\x0a\x00" * 25_000_000  # 25 million NodeProtos of two bytes each
        network = self.folder / "many.onnx"
        network.write_bytes(b"\x08\x08\x3a" + varint(len(nodes)) + nodes)
        command = [NOMU, "attach", network, "--data", self.table, "--target", "y", "-o", self.folder / "out.onnx"]
        limit = 2 << 30
        limited = None if os.environ.get("NOMU_SANITIZED") else lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        result = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, preexec_fn=limited)
        if "built without ONNX" not in result.stderr:
            self.assertRefused(result, "many.onnx", "would take more than 8 times as much memory")


SPACE = """
[[variables]]
name = "x"
low = 0
high = 1
[[variables]]
name = "c"
type = "categorical"
choices = {choices}
[study]
method = "random"
"""


class Studies(WithFolder):
    def new(self, choices: list[str], name: str = "s.db") -> Path:
        space = self.folder / "space.toml"
        space.write_text(SPACE.replace("{choices}", json.dumps(choices, ensure_ascii=False).replace("\x7f", "")))
        study = self.folder / name
        self.assertDone(nomu("optimize", "new", study, "--space", space))
        return study

    def run_command(self, study: Path, command: str, *options) -> subprocess.CompletedProcess:
        return nomu("optimize", "run", study, "--command", command, *options, cwd=self.folder)

    def test_values_are_never_code(self) -> None:
        study = self.new(NAMES)
        script = self.folder / "show.py"
        script.write_text("import json, sys\nopen('seen', 'a').write(json.dumps(sys.argv[1]) + '\\n')\nprint(1)\n")
        self.assertDone(self.run_command(study, f"{sys.executable} show.py {{c}}", "--trials", 60))
        self.assertDone(self.run_command(study, f'{sys.executable} show.py "$NOMU_c"', "--trials", 60))
        trials = [json.loads(line) for line in nomu("optimize", "list", study, "--json", "--all").stdout.splitlines()]
        seen = [json.loads(line) for line in (self.folder / "seen").read_text().splitlines()]
        self.assertEqual(seen, [trial["point"]["c"] for trial in trials])
        self.assertEqual(set(seen), set(NAMES))
        self.assertFalse((self.folder / "owned").exists())

    def test_quoted_placeholders_are_refused(self) -> None:
        study = self.new(NAMES)
        for command in ('echo "{c}"', "echo '{c}'", "echo `echo {c}`", "echo \\{c}", 'sh -c "echo {c}"', "echo \"it's {c}\"", 'echo "a" "b{c}"'):
            self.assertRefused(self.run_command(study, command, "--trials", 3), "{c} inside quotes", "$NOMU_c")
        script = "cat <<EOF\nit's\nEOF\necho {c}"
        for command in ('echo "$(echo "{c}")"', "echo \"${X:-\"{c}\"}\"", "# it's\necho {c}", script, "echo $'it\\'s' {c}", 'echo "`echo "{c}"`"'):
            self.assertRefused(self.run_command(study, command, "--trials", 3), "the command contains {c}", '"$NOMU_c"')
        self.assertFalse((self.folder / "owned").exists())
        # Nothing is lost where values are plain words, nor with numbers.
        plain = self.new(["cg", "lu-2"], "plain.db")
        self.assertDone(self.run_command(plain, 'test "{c}" = \'{c}\' && echo "{x}"', "--trials", 3))
        self.assertDone(self.run_command(study, 'echo "{x}" \'{id}\' | tail -c 2', "--trials", 3))
        trials = [json.loads(line) for line in nomu("optimize", "list", plain, "--json", "--all").stdout.splitlines()]
        self.assertEqual([trial["state"] for trial in trials], ["finished"] * 3)

    def test_large_points_do_not_block(self) -> None:
        long = ["a" * 70_000, "b" * 70_000]
        study = self.new(long)
        self.assertDone(self.run_command(study, "cat > /dev/null; echo 1", "--trials", 2))
        self.assertDone(self.run_command(study, "echo 2", "--trials", 2))  # does not read its input
        begin = time.monotonic()
        result = self.run_command(study, "sleep 100; cat", "--trials", 1, "--timeout", 1)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertIn("no result after 1", result.stdout + result.stderr)
        process = subprocess.Popen([NOMU, "optimize", "run", str(study), "--command", "sleep 100; cat"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(2)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(20), 130)
        process.communicate()

    def test_choices_too_long_for_a_command_are_on_standard_input(self) -> None:
        study = self.new(["a" * 140_000, "b " * 70_000])
        counting = f"{sys.executable} -c 'import json, sys; print(len(json.load(sys.stdin)[\"point\"][\"c\"]))'"
        self.assertDone(self.run_command(study, counting, "--trials", 3))
        trials = [json.loads(line) for line in nomu("optimize", "list", study, "--json", "--all").stdout.splitlines()]
        self.assertEqual([trial["value"] for trial in trials], [140_000.0] * 3)
        self.assertRefused(self.run_command(study, "echo {c} | wc -c", "--trials", 3), "{c}", "up to 140000 bytes", "standard input")

    def damaged(self, sql: str) -> Path:
        study = self.new(["cg", "lu"], "damaged.db")
        trials = json.loads(nomu("optimize", "ask", study, "--count", 3, "--json").stdout)
        self.assertDone(nomu("optimize", "tell", study, trials[0]["id"], 1))
        with sqlite3.connect(study) as database:
            database.execute(sql)
        database.close()
        return study

    def test_damage_is_said(self) -> None:
        for sql in (
            "update trials set point='[]'",
            "update trials set point='[0.5,7]'",
            "update trials set point='[0.5,0.5]'",
            "update trials set point='[0.5,-1]'",
            "update trials set point='[nan,0]'",
            "update trials set point='x'",
            "update trials set value=9e999 where value is not null",
            "update trials set state=7",
            "update trials set id=9223372036854775807 where id=3",
            "update events set body='{}'",
            "update events set body='[]'",
            "update events set body=x'ff00'",
            "update meta set value='{}' where key='space'",
        ):
            study = self.damaged(sql)
            for command in (["status"], ["best"], ["list"], ["ask", "--count", "2"], ["report"], ["tell", "2", "1"]):
                result = nomu("optimize", command[0], study, *command[1:])
                self.assertIn(result.returncode, (0, 2), f"{sql}: {command}: {result.stderr}")
                if result.returncode == 2:
                    self.assertIn("damaged.db'", result.stderr, f"{sql}: {command}")
                self.assertNotIn("json.exception", result.stderr)
            for options in ([], ["--quick"]):
                result = nomu("optimize", "verify", study, *options)
                self.assertIn(result.returncode, (1, 2), f"{sql}: {result.stdout} {result.stderr}")
                self.assertRegex(result.stdout + result.stderr, "event|trial|damaged|malformed|unexpected|header", sql)
            for file in self.folder.glob("damaged.*"):
                file.unlink()

    def test_numbers_that_cannot_go_on_are_said(self) -> None:
        last = 2**63 - 1
        for sql in (
            f"update events set number={last} where number=(select max(number) from events)",
            f"update trials set place={last} where place is not null",
        ):
            study = self.damaged(sql)
            told = nomu("optimize", "tell", study, "--point", "x=0.5", "--point", "c=cg", 1)
            self.assertRefused(told, f"counts up to {last}")
            study.unlink()

    def test_settings_beyond_their_range_do_not_stall(self) -> None:
        for name in ("initial", "local_starts", "direct.evaluations", "warm_epochs"):
            study = self.new(["cg", "lu"], "damaged.db")
            with sqlite3.connect(study) as database:
                spec = json.loads(database.execute("select value from meta where key='spec'").fetchone()[0])
                self.assertIn(name, spec)
                spec[name] = str(2**63 - 1)
                database.execute("update meta set value=? where key='spec'", [json.dumps(spec)])
            database.close()
            for command in ("ask", "verify", "status"):
                self.assertRefused(nomu("optimize", command, study, timeout=30), name)
            study.unlink()

    def test_integers_at_the_edge_of_their_range(self) -> None:
        space = self.folder / "space.toml"
        for low, high in ((-(2**63) + 1, 5), (-(2**63), 2**63 - 1), (0, 2**63 - 1)):
            space.write_text(f'[[variables]]\nname = "n"\ntype = "integer"\nlow = {low}\nhigh = {high}\n[study]\nmethod = "random"\n')
            self.assertRefused(nomu("optimize", "new", self.folder / "edge.db", "--space", space), "'n'", "2^53")
            self.assertFalse((self.folder / "edge.db").exists())

    def test_a_killed_new_does_not_take_the_name(self) -> None:
        space = self.folder / "space.toml"
        self.new(["a", "b"])
        generator = random.Random(3)
        for k in range(12):
            study = self.folder / f"killed{k}.db"
            process = subprocess.Popen([NOMU, "optimize", "new", str(study), "--space", str(space)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(generator.uniform(0.0, 0.06))
            process.kill()
            process.wait()
            again = nomu("optimize", "new", study, "--space", space)
            # Either nothing was made, or all of it.
            if again.returncode != 0:
                self.assertRefused(again, "exists already")
                self.assertDone(nomu("optimize", "verify", study))
        study = self.folder / "empty.db"
        for journal in ("delete", "wal"):  # what a process leaves that is killed before its first commit
            with sqlite3.connect(study) as database:
                database.execute(f"pragma journal_mode={journal}")
            database.close()
            self.assertDone(nomu("optimize", "new", study, "--space", space))
            study.unlink()
        study.write_text("not a database, but somebody's text")
        self.assertRefused(nomu("optimize", "new", study, "--space", space), "empty.db")
        self.assertEqual(study.read_text(), "not a database, but somebody's text")


if __name__ == "__main__":
    NOMU = sys.argv.pop(1)
    unittest.main()
