"""The command-line tool as a user meets it: output, messages, exit codes, files.

Usage: test_cli.py PATH_TO_NOMU [unittest arguments]
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

NOMU = ""


def run(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([NOMU, *arguments], capture_output=True, text=True, timeout=300, **options)


class Help(unittest.TestCase):
    def test_help_and_version(self) -> None:
        self.assertEqual(run("--help").returncode, 0)
        for command in ("fit", "predict", "evaluate", "calibrate", "check", "report", "show", "demo", "bench", "settings", "devices"):
            self.assertIn(command, run("--help").stdout)
            self.assertEqual(run(command, "--help").returncode, 0)
        self.assertRegex(run("--version").stdout, r"\d+\.\d+\.\d+")

    def test_how_the_program_was_built(self) -> None:
        told = run("--version", "--verbose")
        self.assertEqual(told.returncode, 0, told.stderr)
        lines = dict(line.split(": ", 1) for line in told.stdout.splitlines()[1:])
        self.assertEqual(list(lines), ["compiler", "ONNX", "hardening"])
        self.assertEqual(run("--verbose", "--version").stdout, told.stdout)
        self.assertRegex(lines["hardening"], r"none|-fstack-protector|_GLIBCXX_ASSERTIONS|_FORTIFY_SOURCE|AddressSanitizer")
        if ", Release" in lines["compiler"]:
            self.assertIn("-fstack-protector-strong", lines["hardening"])

    def test_wrong_usage_is_exit_2(self) -> None:
        for arguments in ([], ["nonsense"], ["demo", "--nonsense"], ["demo", "--rows", "many"], ["demo", "--rows", "-8"]):
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertNotEqual(result.stderr, "", arguments)


class Settings(unittest.TestCase):
    def test_lists_what_there_is(self) -> None:
        overview = run("settings").stdout
        for subject in ("nomu", "gp", "deep_ensemble", "fit", "optimize"):
            self.assertRegex(overview, rf"(?m)^  {subject} +.*\d+ settings")

    def test_a_method_with_its_presets(self) -> None:
        text = run("settings", "nomu").stdout
        self.assertIn("--method nomu --preset PRESET --set NAME=VALUE", text)
        self.assertRegex(text, r"(?m)^ensemble +number of fits.*\n +a whole number, between 1 and 1000000; default 5, interactive: 1")
        settings = {s["name"]: s for s in json.loads(run("settings", "nomu", "--json").stdout)[0]["settings"]}
        self.assertEqual(settings["gradient"]["values"]["published"], "coupled")

    def test_unknown_methods_are_exit_2(self) -> None:
        done = run("settings", "nom")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nom", done.stderr)

    def test_several_settings_after_one_set(self) -> None:
        wrong = run("demo", "--set", "train.epochs=0", "ensemble=0")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("ensemble must be between 1 and", wrong.stderr)
        wrong = run("demo", "--set=train.epochs=1", "ensemble=0")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("ensemble must be between 1 and", wrong.stderr)
        stranger = run("bench", "--set", "members=1", "rows=2", "--json", "nonsense=1")
        self.assertEqual(stranger.returncode, 2)  # a word after another option is not a setting


class Devices(unittest.TestCase):
    def test_lists_provider_and_isa(self) -> None:
        engines = {e["name"]: e for e in json.loads(run("devices", "--json").stdout)}
        self.assertTrue(engines["cpu"]["available"])
        self.assertIn(engines["cpu"]["provider"], ("onednn", "eigen"))
        self.assertIn(engines["cpu"]["isa"], ("avx512", "avx2", "baseline"))
        self.assertIn("cuda", engines)
        self.assertIn("cpu", run("devices").stdout)


class Bench(unittest.TestCase):
    small = ("--set", "hidden=16", "--set", "members=2", "--set", "steps=2", "--set", "repeats=1")

    def test_one_json_line_a_case(self) -> None:
        result = run("bench", "--json", *self.small)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual({line["case"] for line in lines}, {"R1", "R1-UCI", "R2", "R2-MCDO", "R3", "R3-572", "R3-coupled"})
        for line in lines:
            self.assertGreater(line["us_per_network_step"], 0)
            for key in ("gflops", "roofline_us", "roofline_ratio", "engine", "provider", "isa", "threads"):
                self.assertIn(key, line)

    def test_threads_are_a_limit(self) -> None:
        cores = len(os.sched_getaffinity(0))
        result = run("bench", "--json", *self.small, "--threads", "1000")
        self.assertLessEqual(json.loads(result.stdout.splitlines()[0])["threads"], cores)
        one = subprocess.run(["taskset", "-c", str(min(os.sched_getaffinity(0))), NOMU, "devices", "--json"],
                             capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(one.stdout)[0]["threads"], 1)

    def test_scaling_has_its_own_cases(self) -> None:
        result = run("bench", "--scaling", "--case", "r1")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--scaling", result.stderr)

    def test_scaling_says_which_rows_there_are(self) -> None:
        result = run("bench", "--scaling", "--only", "R9")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--only 'R9' matches no row; the rows are: R1, a step of one of 200;", result.stderr)
        self.assertEqual(run("bench", "--peers", ".").returncode, 2)

    def test_an_engine_without_a_roofline_says_so(self) -> None:
        small = ("--case", "r1", "--device", "reference", "--set", "members=1", "--set", "steps=2")
        self.assertIn("roofline not measured", run("bench", *small).stdout)
        self.assertIsNone(json.loads(run("bench", "--json", *small).stdout)["roofline_us"])

    def test_unknown_case_and_key(self) -> None:
        result = run("bench", "--case", "r9")
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown case 'r9'; use one of r1, r1_uci, r2, r2_mcdo, r3", result.stderr)
        result = run("bench", "--case", "r1", "--set", "member=3")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean 'members'?", result.stderr)

    def test_case_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            case = Path(folder) / "mine.toml"
            case.write_text('name = "mine"\nhidden = [8]\naugment = 4\nsteps = 1\nrepeats = 1\n')
            self.assertIn('"mine"', run("bench", "--json", "--case", str(case)).stdout)
            case.write_text('name = "mine"\nhiden = [8]\n')
            result = run("bench", "--case", str(case))
            self.assertEqual(result.returncode, 2)
            self.assertIn("line 2", result.stderr)
            self.assertIn("did you mean 'hidden'?", result.stderr)

    def test_absurd_sizes_are_refused_with_the_figure(self) -> None:
        result = run("bench", "--case", "r3", "--set", "hidden=2000000,2000000")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"needs [\d.]+ TB of memory but [\d.]+ [GM]B are free")
        result = run("bench", "--case", "r3", "--set", "hidden=-5")
        self.assertEqual(result.returncode, 2)
        self.assertIn("hidden must be at least 1, got -5", result.stderr)

    def test_unknown_engine_parts(self) -> None:
        for option, value in (("--device", "tpu"), ("--provider", "mkl"), ("--isa", "sse9"), ("--threads", "-2")):
            result = run("bench", option, value, *self.small)
            self.assertEqual(result.returncode, 2, option)
            self.assertIn(value.lstrip("-"), result.stderr)


class Demo(unittest.TestCase):
    quick = ("--set", "train.epochs=30", "--set", "mean_net.hidden=32", "--set", "sigma_net.hidden=32")

    def test_writes_a_picture_and_prints_metrics(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            result = run("demo", "--out", folder, *self.quick)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("min NLL", result.stdout)
            svg = (Path(folder) / "report.svg").read_text()
            self.assertTrue(svg.startswith("<svg") and svg.rstrip().endswith("</svg>"))
            self.assertEqual(os.listdir(folder), ["report.svg"], "no temporary file is left")

    def test_same_seed_same_bytes_whatever_the_threads(self) -> None:
        pictures = []
        for threads in ("1", "2", "2"):
            with tempfile.TemporaryDirectory() as folder:
                run("demo", "--out", folder, "--threads", threads, *self.quick)
                pictures.append((Path(folder) / "report.svg").read_bytes())
        self.assertEqual(pictures[0], pictures[1])
        self.assertEqual(pictures[1], pictures[2])

    def test_json(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            report = json.loads(run("demo", "--json", "--out", folder, *self.quick).stdout)
            self.assertEqual(report["function"], "levy")
            self.assertIsInstance(report["auc"], float)

    def test_several_functions_side_by_side(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            result = run("demo", "--function", "levy,kink", "--json", "--out", folder, *self.quick)
            self.assertEqual([json.loads(line)["function"] for line in result.stdout.splitlines()], ["levy", "kink"])
            svg = (Path(folder) / "report.svg").read_text()
            self.assertEqual(svg.count("<svg"), 1)
            self.assertIn("points of levy", svg)
            self.assertIn("points of kink", svg)

    def test_wrong_input(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            result = run("demo", "--function", "levi", "--out", folder)
            self.assertEqual(result.returncode, 2)
            self.assertIn("levy", result.stderr)
            result = run("demo", "--set", "train.epoch=3", "--out", folder)
            self.assertEqual(result.returncode, 2)
            self.assertIn("did you mean 'train.epochs'?", result.stderr)
            result = run("demo", "--set", "mu_exp", "--out", folder)
            self.assertEqual(result.returncode, 2)
            self.assertIn("name=value", result.stderr)
            self.assertEqual(os.listdir(folder), [], "nothing is half-written")

    def test_unwritable_folder_is_refused_before_the_work(self) -> None:
        with tempfile.NamedTemporaryFile() as file:
            begin = time.monotonic()
            result = run("demo", "--out", file.name + "/sub")
            self.assertEqual(result.returncode, 2)
            self.assertIn("cannot write to the folder", result.stderr)
            self.assertLess(time.monotonic() - begin, 5)

    def test_interrupt_is_exit_130_and_leaves_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen([NOMU, "demo", "--out", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(1.5)
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, error)
            self.assertEqual(os.listdir(folder), [])

    def test_a_diverged_fit_says_so_and_is_exit_1(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            result = run("demo", "--out", folder, "--set", "train.learning_rate=1e20", *self.quick)
            self.assertEqual(result.returncode, 1)
            self.assertIn("the fit diverged, even after 1 restarts; try a smaller train.learning_rate", result.stderr)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    NOMU = sys.argv.pop(1)
    unittest.main(verbosity=1)
