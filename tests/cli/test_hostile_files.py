"""Pipes as inputs, files that must stay private, texts nested so deeply that reading them once ended the process.

Usage: test_hostile_files.py PATH_TO_NOMU [unittest arguments]
"""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import test_hostile
from test_hostile import FIT, WithFolder, nomu

SPACE = '[[variables]]\nname = "x"\nlow = 0\nhigh = 1\n[study]\nmethod = "random"\n'
DEEP = "[" * 200000 + "]" * 200000


class Pipes(WithFolder):
    def through_pipe(self, source: Path, *words: object) -> subprocess.CompletedProcess:
        """Runs a command on a pipe into which the file is written once; '@' stands for the pipe."""
        pipe = self.folder / "pipe"
        if not pipe.exists():
            os.mkfifo(pipe)
        writer = threading.Thread(target=lambda: pipe.write_bytes(source.read_bytes()), daemon=True)
        writer.start()
        return nomu(*[pipe if word == "@" else word for word in words], timeout=60)

    def test_inputs_are_read_once(self) -> None:
        model = self.fitted()
        several = self.folder / "several.nomu"
        self.table.write_text("x,y,z\n" + "".join(f"{i / 7},{i % 5},{i % 3}\n" for i in range(20)))
        self.assertDone(nomu("fit", self.table, "--target", "y,z", *FIT[2:], "-o", several))
        fresh = self.folder / "fresh.csv"
        fresh.write_text("x,y,z\n" + "".join(f"{i / 9},{i % 5},{i % 3}\n" for i in range(20)))
        out = self.folder / "out"
        for source in (model, several):
            for words in (["show", "@"], ["predict", "@", self.table], ["evaluate", "@", self.table],
                          ["calibrate", "@", fresh, "-o", out], ["report", "@", "--no-check", "-o", out]):
                self.assertDone(self.through_pipe(source, *words))
        self.assertDone(self.through_pipe(model, "export", "@", "-o", out))
        for words in (["predict", model, "@"], ["fit", "@", *FIT, "-o", out], ["evaluate", several, "@"],
                      ["report", several, "--data", "@", "--no-check", "-o", out]):
            self.assertDone(self.through_pipe(fresh, *words))

    def test_a_signal_ends_what_waits_for_a_pipe(self) -> None:
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        model = self.fitted()
        out = self.folder / "m"
        for words in (["show", pipe], ["fit", pipe, *FIT, "-o", out], ["fit", self.table, *FIT, "--calibrate-on", pipe, "-o", out],
                      ["fit", self.table, *FIT, "-o", pipe], ["fit", self.table, *FIT, "-o", out, "--report", pipe],
                      ["report", model, "--no-check", "-o", pipe], ["predict", model, self.table, "-o", pipe]):
            waiting = subprocess.Popen([test_hostile.NOMU, *map(str, words)], stderr=subprocess.DEVNULL)
            self.addCleanup(waiting.kill)
            time.sleep(3)
            self.assertIsNone(waiting.poll(), words)
            waiting.send_signal(signal.SIGTERM)
            self.assertEqual(waiting.wait(timeout=20), 130, words)


class OpenFiles(WithFolder):
    def test_a_file_without_a_name_is_said(self) -> None:
        self.assertRefused(nomu("fit", self.table, *FIT, "-o", ""), "the name of a file to write is empty")

    def test_a_log_is_appended_to(self) -> None:
        model = self.fitted()
        log = self.folder / "log"
        table = self.folder / "out.csv"
        self.assertDone(nomu("predict", model, self.table, "-o", table))
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            log.write_text("precious\n")
            with log.open("a") as out:
                self.assertDone(nomu("predict", model, self.table, "-o", name, capture_output=False, stdout=out, stderr=subprocess.PIPE))
            self.assertTrue(log.read_text().startswith("precious\n" + table.read_text()), name)


class OddShells(WithFolder):
    def in_shell(self, command: str) -> subprocess.CompletedProcess:
        return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=100, check=False)

    def test_what_is_closed_is_not_replaced_by_what_is_opened(self) -> None:
        model = self.fitted()
        before = model.read_bytes()
        (self.folder / "space.toml").write_text(SPACE)
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            out, study = self.folder / "out", self.folder / "s.db"
            words = " ".join([test_hostile.NOMU, "fit", str(self.table), *FIT, "-o", str(out)])
            result = self.in_shell(f"{words} {closed}")
            self.assertEqual(result.returncode, 1 if ">&- " in f"{closed} " and closed != "2>&-" else 0, closed + result.stderr)
            self.assertEqual(out.read_bytes(), before, closed)
            made = self.in_shell(f"{test_hostile.NOMU} optimize new {study} --space {self.folder}/space.toml {closed}")
            self.assertIn(made.returncode, (0, 1), made.stderr)
            self.assertDone(nomu("optimize", "run", study, "--command", "echo 1", "--trials", 2))
            self.in_shell(f"{test_hostile.NOMU} optimize run {study} --command 'cat > /dev/null; echo 2; echo 3 >&2' --trials 3 {closed}")
            self.assertDone(nomu("optimize", "verify", study))
            # A run that cannot say what it found stops after the first result.
            expected = "3 finished" if result.returncode == 1 else "5 finished"
            self.assertIn(expected, nomu("optimize", "status", study).stdout)
            study.unlink()

    def test_a_limit_on_the_size_of_files_is_said(self) -> None:
        model = self.fitted()
        before = model.read_bytes()
        for words in (["fit", self.table, *FIT, "-o", model], ["report", model, "--no-check", "-o", self.folder / "out"]):
            result = self.in_shell(f"ulimit -f 1; {test_hostile.NOMU} {' '.join(map(str, words))}")
            self.assertRefused(result, "cannot write", "File too large", code=1)
        self.assertEqual(model.read_bytes(), before)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["m.nomu", "t.csv"])


class Privacy(WithFolder):
    def mode(self, path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    def test_what_holds_rows_is_as_private_as_they_are(self) -> None:
        self.table.chmod(0o600)
        model = self.fitted()
        out = self.folder / "out"
        for words in (["predict", model, self.table, "-o", out], ["report", model, "--no-check", "-o", out],
                      ["export", model, "-o", out]):
            self.assertDone(nomu(*words))
            self.assertEqual(self.mode(out), 0o600, words)
            out.unlink()

    def test_a_file_that_is_replaced_becomes_as_private(self) -> None:
        self.table.chmod(0o600)
        for words in (["fit", self.table, *FIT], ["predict", self.fitted(), self.table]):
            out = self.folder / f"of_{words[0]}"
            out.write_text("old")
            out.chmod(0o644)
            self.assertDone(nomu(*words, "-o", out))
            self.assertEqual(self.mode(out), 0o600, words)

    @unittest.skipIf(os.geteuid() != 0, "only root may give files to any group")
    def test_another_group_sees_no_more(self) -> None:
        self.table.chmod(0o640)
        os.chown(self.table, -1, os.getegid() + 1)
        model = self.fitted()
        self.assertEqual(self.mode(model), 0o600)
        model.chmod(0o644)
        out = self.folder / "out"
        self.assertDone(nomu("predict", model, self.table, "-o", out))
        self.assertEqual(self.mode(out), 0o600)

    def test_a_study_that_begins_with_another_is_as_private(self) -> None:
        space, early, late = (self.folder / name for name in ("space.toml", "early.db", "late.db"))
        space.write_text(SPACE)
        self.assertDone(nomu("optimize", "new", early, "--space", space))
        self.assertDone(nomu("optimize", "tell", early, "--point", "x=0.5", "1"))
        early.chmod(0o600)
        self.assertDone(nomu("optimize", "new", late, "--space", space, "--from", early, "--set", "method=auto"))
        self.assertEqual(self.mode(late), 0o600)

    def test_weights_beside_a_network_are_kept_and_kept_private(self) -> None:
        golden = Path(__file__).resolve().parent.parent / "golden" / "onnx"
        network, weights = self.folder / "torch_external.onnx", self.folder / "torch_external.onnx.data"
        for path in (network, weights):
            path.write_bytes((golden / path.name).read_bytes())
        before = weights.read_bytes()
        self.table.write_text("a,b,c,y\n" + "".join(f"{i / 40},{i % 7 / 7},{i % 3},{i % 5}\n" for i in range(40)))
        words = ["attach", network, "--data", self.table, "--target", "y", "--set", "train.epochs=3", "--set", "ensemble=1"]
        if "built without ONNX" in (refused := nomu(*words, "-o", weights)).stderr:
            self.skipTest("nomu was built without ONNX")
        self.assertRefused(refused, "holds weights of the network")
        self.assertEqual(weights.read_bytes(), before)
        weights.chmod(0o600)
        out = self.folder / "out.onnx"
        self.assertDone(nomu(*words, "-o", out))
        self.assertEqual(self.mode(out), 0o600)

    def test_copies_of_a_study_are_as_private_as_it_is(self) -> None:
        (self.folder / "space.toml").write_text(SPACE)
        study = self.folder / "s.db"
        self.assertDone(nomu("optimize", "new", study, "--space", self.folder / "space.toml"))
        self.assertDone(nomu("optimize", "tell", study, "--point", "x=0.5", "1"))
        study.chmod(0o640)
        for words in (["copy", study], ["export", study], ["report", study, "-o"]):
            out = self.folder / f"{words[0]}ed"
            self.assertDone(nomu("optimize", *words, out))
            self.assertEqual(self.mode(out), 0o640, words)


class ParserMessages(WithFolder):
    def test_escapes_in_words_do_not_reach_the_terminal(self) -> None:
        for words in (["show", self.table, "\x1b]0;x\a"], ["fit", self.table, "--target", "y", "-o", self.folder / "m", "--\x1b]0;x\a"]):
            result = nomu(*words)
            self.assertRefused(result, "\\x1b]0;x\\x07")
            self.assertNotIn("\x1b", result.stdout + result.stderr)

    @unittest.skipUnless(Path("/dev/full").exists(), "there is no /dev/full")
    def test_texts_that_cannot_be_written_are_a_failure(self) -> None:
        for words in (["--version"], ["--help"], ["fit", "--help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = nomu(*words, capture_output=False, stdout=full, stderr=subprocess.PIPE)
            self.assertRefused(result, "cannot write to standard output", code=1)

    def test_endless_files_are_not_read_to_their_end(self) -> None:
        for words in (["show", "/dev/zero"], ["predict", "/dev/zero", self.table]):
            self.assertRefused(nomu(*words, timeout=20), "/dev/zero", "not a nomu model")
        out = self.folder / "out"
        model = self.fitted()
        for words in (["fit", "/dev/zero", *FIT, "-o", out], ["predict", model, "/dev/zero"], ["evaluate", model, "/dev/zero"],
                      ["report", model, "--data", "/dev/zero", "--no-check", "-o", out],
                      ["fit", self.table, *FIT, "--calibrate-on", "/dev/zero", "-o", out]):
            self.assertRefused(nomu(*words, timeout=20), "/dev/zero, row 1: found a zero byte")
        study = self.folder / "s.db"
        for words in (["fit", self.table, *FIT, "--config", "/dev/zero", "-o", out],
                      ["optimize", "new", study, "--space", "/dev/zero"]):
            self.assertRefused(nomu(*words, timeout=20), "/dev/zero, line 1: ")
        (self.folder / "space.toml").write_text(SPACE)
        self.assertDone(nomu("optimize", "new", study, "--space", self.folder / "space.toml"))
        self.assertRefused(nomu("serve", study, "--token-file", "/dev/zero", timeout=20), "/dev/zero", "more than 4096 bytes")
        with open("/dev/zero", "rb") as zeros:
            self.assertRefused(nomu("optimize", "tell", study, "--lines", stdin=zeros, timeout=60), "standard input goes on", "in parts")

    def test_what_is_no_file_is_no_study(self) -> None:
        pipe, space = self.folder / "pipe", self.folder / "space.toml"
        os.mkfifo(pipe)
        space.write_text(SPACE)
        for path, said in ((pipe, "a pipe or a device"), ("/dev/zero", "a pipe or a device"), (self.folder, "a folder")):
            self.assertEqual(nomu("optimize", "new", path, "--space", space, timeout=20).returncode, 2)
            for words in (["status", path], ["ask", path], ["verify", path], ["report", path]):
                self.assertRefused(nomu("optimize", *words, timeout=20), f"'{path}' is not a study: it is {said}")
        self.assertRefused(nomu("optimize", "status", ""), "the name of a study is empty")

    def test_pipes_that_go_on_for_ever(self) -> None:
        out = self.folder / "out"
        for words, said in ((["fit", "/dev/stdin", *FIT, "-o", out], "it goes on after 1073741824 bytes"),
                            (["fit", self.table, *FIT, "--config", "/dev/stdin", "-o", out], "more than 4194304 bytes"),
                            (["attach", "/dev/stdin", "--data", self.table, "--target", "y", "-o", out], "more than 1073741824 bytes")):
            with subprocess.Popen(["yes", "1,2"], stdout=subprocess.PIPE) as endless:
                result = nomu(*words, stdin=endless.stdout, timeout=100)
                endless.kill()
            if "built without ONNX" not in result.stderr:
                self.assertRefused(result, "cannot read '/dev/stdin'", said)

    def test_files_with_holes_are_not_read(self) -> None:
        model = self.fitted()
        os.truncate(model, 1 << 42)
        self.assertRefused(nomu("show", model, timeout=20), "m.nomu", "more than there is memory")
        os.truncate(self.table, 1 << 42)
        self.assertRefused(nomu("fit", self.table, *FIT, "-o", self.folder / "out", timeout=20), "t.csv, row 22: found a zero byte")


class Texts(WithFolder):
    def test_settings_and_results_that_are_nested_very_deeply(self) -> None:
        space = self.folder / "space.toml"
        name = ".".join("a" * 100000)
        for text in (f"{name} = 1\n", f"[{name}]\n", f"x = {DEEP}\n", f"x = {'{a=' * 1000}1{'}' * 1000}\n"):
            space.write_text(text)
            self.assertRefused(nomu("optimize", "new", self.folder / "s.db", "--space", space), "space.toml, line 1: ")
            self.assertRefused(nomu("fit", self.table, *FIT, "--config", space, "-o", self.folder / "m"), "line 1: ")
        space.write_text(SPACE)
        study = self.folder / "s.db"
        self.assertDone(nomu("optimize", "new", study, "--space", space))
        for line in (f'{{"point": {DEEP}, "value": 1}}', f'{{"point": {{"x": {DEEP}}}, "value": 1}}'):
            self.assertRefused(nomu("optimize", "tell", study, "--lines", input=line), "line 1: ", "not a JSON object")

    def test_a_table_that_is_not_utf8_is_refused_before_the_fit(self) -> None:
        left_out = b"x,caf\xe9,y\n" + b"".join(b"%d,name%d,%d\n" % (i, i, i % 5) for i in range(60))
        cell = b"x,y\n" + b"".join(b"%d,%d\n" % (i, i % 5) for i in range(60)) + b"caf\xe9,3\n"
        for table, column in ((left_out, "'caf\ufffd'"), (cell, "column 'x'")):
            self.table.write_bytes(table)
            result = nomu("fit", self.table, *FIT, "-o", self.folder / "m", errors="replace")
            self.assertRefused(result, column, "save the table as UTF-8")

    def test_names_of_files_need_not_be_text(self) -> None:
        model = self.fitted()
        out = os.fsencode(self.folder) + b"/\xff.csv"
        done = subprocess.run([test_hostile.NOMU, "predict", model, self.table, "-o", out, "--json"], capture_output=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\ufffd.csv", done.stdout.decode())

    def test_a_variable_called_id_is_not_the_number_of_the_trial(self) -> None:
        space, study = self.folder / "space.toml", self.folder / "s.db"
        space.write_text('[[variables]]\nname = "ID"\ntype = "categorical"\nchoices = ["a b", "c d"]\n[study]\nmethod = "random"\n')
        self.assertDone(nomu("optimize", "new", study, "--space", space))
        command = 'test {ID} = "$NOMU_1" && test $NOMU_ID = 1 && echo 1'
        self.assertDone(nomu("optimize", "run", study, "--command", command, "--trials", 1))
        self.assertIn("1 finished", nomu("optimize", "status", study).stdout)

    def test_a_password_is_not_shown(self) -> None:
        for address in ("me:hu?sh@127.0.0.1:1/db?study=a", "me:hu/sh@127.0.0.1:1/db?study=a", "me:hu%sh@127.0.0.1:1/db?study=a",
                        "127.0.0.1:1/db?study=a&%70assword=hush", "127.0.0.1:1/db?study=a&passwort=hush"):
            result = nomu("optimize", "status", f"postgresql://{address}")
            self.assertIn(result.returncode, (1, 2))  # nobody answers there, or it is no address
            self.assertNotRegex(result.stderr, "hu|sh@", address)


if __name__ == "__main__":
    test_hostile.NOMU = sys.argv.pop(1)
    unittest.main()
