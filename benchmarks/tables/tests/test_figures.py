"""Ranks and comparisons."""

from __future__ import annotations

import pandas as pd
from tablebench import figures, store
from tablebench.ranks import against


def row(table: str, split: int, method: str, score: float, version: str = "1", status: str = "ok") -> store.Row:
    cells = dict.fromkeys(store.FIELDS, "")
    cells |= {"table": table, "split": str(split), "method": method, "version": version, "status": status}
    return cells | {"device": "cpu", "interval_score": str(score)}


def test_only_shared_splits_are_compared() -> None:
    rows = [row("a", 1, "x", 1), row("a", 2, "x", 9), row("a", 1, "y", 2), row("a", 2, "y", 0, status="timeout")]
    frame = figures.load([*rows, row("b", 1, "x", 1)], all_versions=False)
    found = figures.compare(frame, ["x", "y"], ["a", "b"])
    assert found.tables == ["a"] and found.matrix("interval_score").loc["a"].tolist() == [1, 2]


def test_the_version_run_last_keeps_the_name() -> None:
    rows = [row("a", 1, "x", 1, "old"), row("a", 1, "x", 2, "new")]
    assert figures.load(rows, all_versions=False)["interval_score"].tolist() == [2]
    assert figures.load(rows, all_versions=True)["method"].tolist() == ["x@old", "x"]


def test_a_method_that_always_wins_is_better() -> None:
    losses = pd.DataFrame({"ours": [1.0, 2.0, 3.0], "theirs": [2.0, 4.0, 6.0]})
    (found,) = against(losses, "ours")
    assert (found.verdict, found.wins, found.losses) == ("better", 3, 0) and abs(found.ratio - 2) < 1e-12
