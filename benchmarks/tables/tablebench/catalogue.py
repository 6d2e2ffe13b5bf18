"""The tables of a folder and their splits, as index.tsv and splits.tsv describe them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

Rows = np.ndarray


@dataclass(frozen=True)
class Table:
    """One line of index.tsv. `group` and `time` are empty where the table has no such column."""

    name: str
    path: Path
    target: str
    rows: int
    group: str
    time: str
    ignore: tuple[str, ...]

    @property
    def exchangeable(self) -> bool:
        """Whether training and test rows are a random split of the same rows."""
        return not self.group and not self.time

    @property
    def roles(self) -> frozenset[str]:
        """Columns with another role than that of an input."""
        return frozenset({self.target, self.group, self.time, *self.ignore} - {""})

    def read(self) -> pd.DataFrame:
        """All cells as text; a missing one is empty, and the text `None` stays what it is."""
        frame = pd.read_csv(self.path, dtype=str, keep_default_na=False, encoding="utf-8")
        if len(frame) != self.rows:
            raise ValueError(f"{self.path}: {len(frame)} rows, the index says {self.rows}")
        return frame


@dataclass(frozen=True)
class Split:
    """Training and test rows of a table, counted from 0 after the header."""

    number: int
    train: Rows
    test: Rows


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def read_tables(folder: Path) -> dict[str, Table]:
    """The tables of `folder`/index.tsv by name, in the order of the file."""
    return {
        line["name"]: Table(
            name=line["name"],
            path=folder / line["file"],
            target=line["target"],
            rows=int(line["rows"]),
            group=line["group"],
            time=line["time"],
            ignore=tuple(filter(None, line["ignore"].split(","))),
        )
        for line in _lines(folder / "index.tsv")
    }


def _by_rule(rule: str, seed: str, table: Table, frame: pd.DataFrame) -> tuple[Rows, Rows]:
    rows = len(frame)
    if rule.startswith("shuffled"):
        order = np.random.default_rng(int(seed)).permutation(rows)
        return order[: rows * 7 // 10], order[rows * 7 // 10 :]
    if rule.startswith("whole groups"):
        codes, groups = pd.factorize(frame[table.group])
        order = np.random.default_rng(int(seed)).permutation(len(groups))
        trains = np.isin(codes, order[: len(groups) * 7 // 10])
        return np.flatnonzero(trains), np.flatnonzero(~trains)
    raise ValueError(f"{table.name}: unknown rule of a split: {rule}")


def _latest(line: dict[str, str]) -> tuple[Rows, Rows]:
    train, test = int(line["train_rows"]), int(line["test_rows"])
    return np.arange(train), np.arange(train, train + test)


def read_split(folder: Path, table: Table, number: int, frame: pd.DataFrame) -> Split:
    """The split as its rule makes it, checked against the counts and the first training rows in the file."""
    for line in _lines(folder / "splits.tsv"):
        if line["name"] == table.name and int(line["split"]) == number:
            break
    else:
        raise ValueError(f"{table.name}: no split {number} in {folder / 'splits.tsv'}")
    rule = line["rule"]
    train, test = _latest(line) if rule.startswith("latest rows") else _by_rule(rule, line["seed"], table, frame)
    made = (len(train), len(test), ",".join(map(str, train[:3])))
    said = (int(line["train_rows"]), int(line["test_rows"]), line["first_train"])
    if made != said:
        raise ValueError(f"{table.name}, split {number}: made {made}, splits.tsv says {said}")
    return Split(number, train, test)


def split_numbers(folder: Path, table: Table) -> list[int]:
    """Numbers of the table's splits."""
    return [int(line["split"]) for line in _lines(folder / "splits.tsv") if line["name"] == table.name]
