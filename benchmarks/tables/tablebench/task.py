"""One fit: the rows of one split of one table, and what methods need to know besides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from tablebench.catalogue import Table, read_split, read_tables
from tablebench.conformal import folds, hold_out
from tablebench.encode import Encoder, Inputs


@dataclass
class Task:
    """`train` and `test` hold text cells as in the file. Methods must not look at the targets of `test`."""

    table: Table
    split: int
    train: pd.DataFrame
    test: pd.DataFrame
    threads: int = 1
    device: str = "cpu"

    @cached_property
    def seed(self) -> int:
        """One seed a split; the splits themselves were made with their own numbers."""
        return self.split

    @cached_property
    def y(self) -> np.ndarray:
        """Targets of the training rows."""
        return np.asarray(self.train[self.table.target], dtype=float)

    @cached_property
    def groups(self) -> np.ndarray | None:
        """Group of each training row, or None."""
        return np.asarray(self.train[self.table.group], dtype=str) if self.table.group else None

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder.fit(self.table, self.train)

    @cached_property
    def inputs(self) -> Inputs:
        """Prepared training rows."""
        return self._encoder.apply(self.train)

    @cached_property
    def new_inputs(self) -> Inputs:
        """Prepared test rows."""
        return self._encoder.apply(self.test)

    def calibration_rows(self) -> np.ndarray:
        """Marks a fifth of the training rows: whole groups, the latest rows, or random ones."""
        return hold_out(len(self.train), self.groups, bool(self.table.time), self.seed)

    def folds(self) -> np.ndarray:
        """Fold of each training row, of ten."""
        return folds(len(self.train), self.groups, bool(self.table.time), self.seed)


def read_task(folder: Path, name: str, split: int, threads: int, device: str) -> Task:
    """Reads the rows of a split."""
    table = read_tables(folder)[name]
    frame = table.read()
    rows = read_split(folder, table, split, frame)
    part = [frame.iloc[chosen].reset_index(drop=True) for chosen in (rows.train, rows.test)]
    return Task(table, split, part[0], part[1], threads, device)
