"""Tests scripts/reproduction: the tables cover the paper, verdicts are counted as the page says, the page stays short.

usage: test_reproduction.py
"""

import importlib.machinery
import importlib.util
import io
import re
import sys
import unittest
from contextlib import redirect_stderr
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("reproduction", str(ROOT / "scripts" / "reproduction"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("reproduction", loader))
    loader.exec_module(module)
    return module


reproduction = load()


def cell(**values):
    blank = {
        "verdict": "inside",
        "consistency": "consistent",
        "rank": "",
        "paper_rank": "",
        "value": "0.5",
        "runs": "9",
    }
    return blank | values


class Reproduction(unittest.TestCase):
    def test_the_tables_have_all_of_the_papers_numbers(self):
        cells = 0
        for table in reproduction.TABLES:
            for expected in reproduction.expected_cells(table.studies[-1]):
                cells += table.times(expected) if table.keep(expected) else 0
        self.assertEqual(cells, 862)

    def test_verdicts_are_counted(self):
        score = reproduction.Score()
        score.add(cell(), 6, rank=False)
        score.add(cell(verdict="outside", consistency="different"), 1, rank=False)
        score.add(cell(verdict="outside", consistency=""), 1, rank=False)  # the paper gives no interval
        score.add(None, 1, rank=False)
        counted = {"cells": 9, "not run": 1, "inside": 6, "outside": 2, "consistent": 6, "different": 1, "undecided": 1}
        self.assertEqual({name: count for name, count in score.count.items() if count}, counted)

    def test_a_rank_is_consistent_in_the_range_of_ours(self):
        score = reproduction.Score()
        score.add(cell(rank="2", paper_rank="2", rank_best="2", rank_worst="2"), 1, rank=True)
        score.add(cell(rank="3", paper_rank="2", rank_best="2", rank_worst="4"), 1, rank=True)
        score.add(cell(rank="3", paper_rank="1", rank_best="2", rank_worst="4"), 1, rank=True)
        score.add(cell(), 1, rank=True)  # not ranked
        counted = [score.count[name] for name in ("not run", "inside", "overlapping", "outside", "consistent", "different")]
        self.assertEqual(counted, [1, 1, 1, 1, 2, 1])

    def test_cells_are_marked(self):
        expected = {"value": "0.106", "rank": "1"}
        self.assertEqual(reproduction.short(expected, None, rank=False), "- (0.11)")
        self.assertEqual(reproduction.short(expected, cell(), rank=False), "0.50 (0.11)")
        self.assertEqual(reproduction.short(expected, cell(consistency="different"), rank=False), "**0.50** (0.11)")
        self.assertEqual(reproduction.short(expected, cell(consistency="undecided"), rank=False), "0.50? (0.11)")
        self.assertEqual(reproduction.short({"value": "0.07"}, None, rank=False), "- (0.07)")
        ranked = cell(rank="3", rank_best="2", rank_worst="4")
        self.assertEqual(reproduction.short(expected, ranked, rank=True), "**3** (1)")

    def test_numbers_have_the_digits_they_need(self):
        self.assertEqual(
            [reproduction.digits(text) for text in ("12611", "2.911", "0.1", "0.0492", "0.04", "0.003", "0.000176", "0")],
            ["12611", "2.91", "0.10", "0.049", "0.040", "0.0030", "1.8e-04", "0.00"],
        )

    def test_an_unknown_pivot_is_named(self):
        message = io.StringIO()
        with redirect_stderr(message), self.assertRaises(SystemExit):
            reproduction.pivot(None, "toys")
        self.assertIn("there is no pivot 'toys'; there are toy, bnn", message.getvalue())

    def test_the_page_is_one_to_read(self):
        page = (ROOT / "docs" / "reproduction.md").read_text()
        self.assertLess(len(page.splitlines()), 150)
        for link in re.findall(r"\]\((reproduction/[^)]*)\)", page):
            self.assertTrue((ROOT / "docs" / link).exists(), link)


if __name__ == "__main__":
    unittest.main()
