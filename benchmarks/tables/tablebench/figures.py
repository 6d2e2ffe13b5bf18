"""Results as matrices: one row a table, one column a method, each cell the mean over splits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from tablebench.forecast import LEVEL
from tablebench.store import Row

METRICS = {
    "rmse": "RMSE",
    "crps": "CRPS",
    "nll": "NLL",
    "interval_score": "interval score",
    "coverage": "coverage",
    "cpu_s": "CPU seconds",
}
CONSTANTS = ("constant_own", "constant_oracle", "constant_halves")
_NUMBERS = (*METRICS, "width", *CONSTANTS, "calibration_rows", "test_rows", "train_rows")


def load(rows: list[Row], all_versions: bool) -> pd.DataFrame:
    """The rows with numbers as numbers. Of several versions of a method the one that was run last keeps the name.

    The others are left out, or named method@version with `all_versions`.
    """
    frame = pd.DataFrame(rows)
    last = frame.groupby("method", sort=False)["version"].transform("last")
    older = frame["version"] != last
    if all_versions:
        frame.loc[older, "method"] += "@" + frame.loc[older, "version"]
    else:
        frame = frame[~older]
    frame = frame.reset_index(drop=True)
    for name in _NUMBERS:
        frame[name] = pd.to_numeric(frame[name])
    frame.loc[frame["device"] != "cpu", "cpu_s"] = np.nan
    return frame


@dataclass
class Comparison:
    """Methods that can be compared on some tables: only splits on which all of them succeeded are used."""

    methods: list[str]
    tables: list[str]
    cells: pd.DataFrame  # one row a table, split and method

    def matrix(self, metric: str) -> pd.DataFrame:
        """Means over splits [tables][methods]; methods without this figure are missing."""
        means = self.cells.pivot_table(index="table", columns="method", values=metric, aggfunc="mean")
        means = means.reindex(index=self.tables, columns=self.methods)
        return means.dropna(axis=1)

    def losses(self, metric: str) -> pd.DataFrame:
        """`matrix`, as something to be small: of coverage the distance from the level."""
        means = self.matrix(metric)
        return (means - LEVEL).abs() if metric == "coverage" else means

    @property
    def splits(self) -> int:
        """Table and split pairs behind the figures."""
        return len(self.cells.groupby(["table", "split"]))


def compare(frame: pd.DataFrame, methods: list[str], tables: list[str]) -> Comparison:
    """The comparison of `methods` on those of `tables` where they have a split in common."""
    good = frame[(frame["status"] == "ok") & frame["method"].isin(methods) & frame["table"].isin(tables)]
    shared = good.groupby(["table", "split"])["method"].transform("nunique") == len(methods)
    cells = good[shared]
    found = set(cells["table"])
    return Comparison(methods, [table for table in tables if table in found], cells)


def unlimited(frame: pd.DataFrame, methods: list[str]) -> list[str]:
    """The methods that were not skipped anywhere because a table is too large for them."""
    limited = set(frame[frame["status"] == "skipped"]["method"])
    return [method for method in methods if method not in limited]
