"""Tests scripts/gpu_cells: what it calls missing, how it prices, what it refuses, and that rows come back.

usage: test_gpu_cells.py PATH_TO_NOMU
"""

import argparse
import csv
import gzip
import importlib.machinery
import importlib.util
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = None
EXPERIMENT = """kind = "toy"
problems = ["levy", "step"]
rows = 6
test_rows = 20
first_seed = 501
runs = 4
expected = "expected/small.csv"

[smoke]
runs = 2

[[method]]
name = "nomu"
paper = "NOMU"
set.train.epochs = 3
set.mean_net.hidden = [4]
set.sigma_net.hidden = [4]

[[method]]
name = "nomu-other"
paper = "NOMU"
set.train.epochs = 4

[[method]]
name = "gp"
paper = "GP"
method = "gp"
"""
EXPECTED = """# A comment.
problem,method,metric,value,lower,upper,rank
levy,NOMU,auc,0.4,0.3,0.5,
step,NOMU,auc,0.4,0.3,0.5,
levy,GP,auc,0.4,0.3,0.5,
"""


def load(root):
    """The script, looking at a tree of its own, and the module that lists what is missing there."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "scripts"))
    import missing_cells

    missing_cells.ROOT = root
    missing_cells.EXPERIMENTS, missing_cells.RESULTS = root / "experiments/paper", root / "experiments/results"
    missing_cells.PICTURES = root / "docs/pictures/paper"
    missing_cells.EXPERIMENT_NAMES, missing_cells.TARGETS = ("small",), {"toy": (2, 4)}
    loader = importlib.machinery.SourceFileLoader("gpu_cells", str(ROOT / "scripts" / "gpu_cells"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_cells", loader))
    loader.exec_module(script)
    return script, missing_cells


class GpuCells(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.root = Path(self._folder.name)
        (self.root / "experiments/paper/expected").mkdir(parents=True)
        (self.root / "experiments/results").mkdir()
        (self.root / "experiments/paper/small.toml").write_text(EXPERIMENT)
        (self.root / "experiments/paper/expected/small.csv").write_text(EXPECTED)
        self.script, self.cells = load(self.root)

    def tearDown(self):
        self._folder.cleanup()

    def write_rows(self, rows):
        """rows: (method, problem, seed, revision, engine, seconds)."""
        with gzip.open(self.root / "experiments/results/small.csv.gz", "wt", newline="") as text:
            writer = csv.writer(text)
            writer.writerow(("method", "problem", "seed", "revision", "engine", "seconds"))
            writer.writerows(rows)

    def missing(self, **options):
        defaults = {"only": None, "device": ["cuda"], "target": None, "variants": False}
        return self.cells.missing(argparse.Namespace(**(defaults | options)))

    def test_lists_the_columns_of_the_paper_up_to_the_next_target(self):
        work = self.missing()
        self.assertEqual(
            [(one["method"], one["runs"], one["missing"], one["cells"]) for one in work], [("nomu", 2, 4, 2)]
        )
        self.assertEqual({one["method"] for one in self.missing(variants=True)}, {"nomu", "nomu-other"})
        self.assertEqual([one["problems"] for one in self.missing(device=["cpu"])], [["levy"]])

    def test_rows_of_uncommitted_revisions_are_missing_and_others_set_the_price(self):
        self.write_rows([("nomu", p, s, "abc1234", "cuda", 0.5) for p in ("levy", "step") for s in (501, 502)])
        (work,) = self.missing()
        self.assertEqual((work["runs"], work["missing"], work["seconds"]), (4, 4, 2.0))
        self.write_rows([("nomu", p, s, "abc1234-dirty", "cuda", 0.5) for p in ("levy", "step") for s in (501, 502)])
        (work,) = self.missing()
        self.assertEqual((work["runs"], work["missing"]), (2, 4))

    def test_a_method_is_priced_by_its_own_rows(self):
        rows = [("gp", "levy", seed, "abc1234", "cpu", 3.0) for seed in (501, 502)]
        rows += [("gp-quick", "levy", seed, "abc1234", "cpu", 0.0) for seed in (501, 502, 503)]
        more = '[[method]]\nname = "gp-quick"\npaper = "GP"\nmethod = "gp"\nprotocol = "random"\n'
        (self.root / "experiments/paper/small.toml").write_text(EXPERIMENT + more)
        self.write_rows(rows)
        (work,) = self.missing(device=["cpu"])
        self.assertEqual((work["method"], work["seconds"]), ("gp", 6.0))

    def test_what_ranks_wait_for_comes_first(self):
        def entry(experiment, method, seconds, opens, ranked=True):
            one = {"experiment": experiment, "method": method, "seconds": seconds, "cells": 5, "opens": opens}
            return one | {"ranked": ranked, "device": "cuda"}

        work = [
            entry("bo20d", "nomu", 400.0, 5),
            entry("bo20d", "de", 200.0, 5),
            entry("bo5d", "nomu", 300.0, 4),
            entry("bo5d", "mcdo", 10.0, 0),
            entry("bo5d", "hde", 8000.0, 5, ranked=False),
        ]
        order = [(one["experiment"], one["method"]) for one in self.cells.ordered(work, None)]
        self.assertEqual(
            order, [("bo5d", "nomu"), ("bo20d", "de"), ("bo20d", "nomu"), ("bo5d", "mcdo"), ("bo5d", "hde")]
        )
        order = [one["method"] for one in self.cells.ordered(work, [".*/hde", ".*"])]
        self.assertEqual(order[0], "hde", "what is asked for goes before")

    def test_pictures_without_a_panel_are_missing(self):
        figures = 'problems = ["map", "line"]\n[[method]]\nname = "a"\ntitle = "A*"\nprotocol = "c=5"\n'
        figures += 'problems = ["map"]\n'
        (self.root / "experiments/paper/figures.toml").write_text(figures)
        folder = self.root / "docs/pictures/paper"
        folder.mkdir(parents=True)
        (folder / "line.svg").write_text("<svg/>")
        (folder / "map.svg").write_text("<svg><text>A*</text></svg>")
        waiting = [(one["experiment"], one["method"]) for one in self.cells.missing_pictures()]
        self.assertEqual(waiting, [("figures", "map")])
        (folder / "map.svg").write_text("<svg><text>A* (c = 5)</text></svg>")
        self.assertEqual(self.cells.missing_pictures(), [])
        with tarfile.open(self.root / "cells.tar.gz", "w:gz") as tar:
            tar.add(folder / "map.svg", "rows/figures+other/other.svg")
        (self.root / "tests/unit/paper").mkdir(parents=True)
        with redirect_stdout(io.StringIO()):
            self.script.take(argparse.Namespace(files=[self.root / "cells.tar.gz"], tool=TOOL, data=self.root))
        self.assertTrue((folder / "other.svg").exists())

    def test_what_fits_into_the_time(self):
        work = [{"seconds": 5.0}, {"seconds": 30.0}, {"seconds": 10.0}]
        self.assertEqual([one["seconds"] for one in self.cells.fitting(work, 20.0)], [5.0, 10.0])
        self.assertEqual(len(self.cells.fitting(work, None)), 3)

    def test_programs_of_an_uncommitted_revision_are_refused(self):
        (self.root / "gpu").mkdir()
        (self.root / "gpu/nomu").write_text("")
        (self.root / "gpu/REVISION").write_text("abc1234-dirty\n")
        message = io.StringIO()
        with redirect_stderr(message), self.assertRaises(SystemExit) as refused:
            self.script.pack(argparse.Namespace(folder=self.root / "out"))
        self.assertEqual(refused.exception.code, 2)
        self.assertIn("rows must come from a committed revision", message.getvalue())

    def packed(self, **options):
        """What `pack` makes of the list, with a program that calls the tool under test."""
        (self.root / "gpu").mkdir()
        (self.root / "gpu/nomu").write_text(f'#!/bin/sh\nexec "{Path(TOOL).resolve()}" "$@"\n')
        (self.root / "gpu/REVISION").write_text("abc1234\n")
        (self.root / "gpu" / self.script.LIBRARY).write_text("")
        for part in ("bo_initial", "solar", "uci", "uci_authors", "uci_gap"):
            (self.root / "data" / part).mkdir(parents=True)
        folder = self.root / "packed"
        defaults = {"only": None, "device": ["cuda"], "target": None, "variants": False, "seconds": None}
        named = {"folder": folder, "data": self.root / "data"}
        with redirect_stdout(io.StringIO()):
            self.script.pack(argparse.Namespace(**(defaults | named | options)))
        shutil.rmtree(self.root / "gpu")
        (folder / self.script.LIBRARY).unlink()  # it is empty, and the programs would look there first
        return folder

    def run_packed(self, folder, *options):
        command = [sys.executable, folder / "scripts/gpu_cells", "run", "--seconds", "85", "--out", self.root / "out"]
        command += ["--threads", "1", *options]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_rows_come_back(self):
        self.run_packed(self.packed(device=["cuda", "cpu"]), "--smoke")
        with tarfile.open(self.root / "out/cells.tar.gz") as tar:
            names = tar.getnames()
        self.assertTrue(any(name.startswith("rows/small+nomu/rows/") for name in names), names)
        self.assertTrue(any(name.startswith("rows/small+gp/rows/") for name in names), names)
        self.assertIn("log.txt", names)
        self.assertEqual([file.name for file in (self.root / "out").iterdir()], ["cells.tar.gz"])

    def test_rows_are_taken(self):
        self.run_packed(self.packed(device=["cpu"]))
        (self.root / "tests/unit/paper").mkdir(parents=True)
        options = argparse.Namespace(files=[self.root / "out/cells.tar.gz"], tool=TOOL, data=self.root)
        with redirect_stdout(io.StringIO()) as said:
            self.script.take(options)
        self.assertIn("small: 2 rows taken", said.getvalue())
        with gzip.open(self.root / "experiments/results/small.csv.gz", "rt", newline="") as text:
            rows = list(csv.DictReader(text))
        found = [(row["method"], row["problem"], row["seed"]) for row in rows]
        self.assertEqual(found, [("gp", "levy", "501"), ("gp", "levy", "502")])
        self.assertEqual([one["runs"] for one in self.missing(device=["cpu"])], [4] if self.committed(rows) else [2])

    def committed(self, rows):
        """Whether the tool under test was built from a committed revision, whose rows count."""
        return not any(row["revision"].endswith("-dirty") for row in rows)


if __name__ == "__main__":
    TOOL = Path(sys.argv.pop(1))
    unittest.main()
