"""The preparation that all peers share, fitted on training rows.

Names: the 30 most frequent ones of a column, rarer and unseen ones together as "other"; a column with more than 30
names also gets one number, how often the row's name occurs in training. Numbers: a missing cell becomes the median and
sets an indicator. Dates and times (ISO 8601): day number, day of week, month, and the hour where times differ within
a day.
The target, the group column and ignored columns are no inputs; a time column is one, as a date.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from tablebench.catalogue import Table

MOST_NAMES = 30
OTHER, MISSING = "(other)", "(missing)"


@dataclass
class Inputs:
    """Prepared rows: `numbers` [n][p] and, before one-hot coding, `names` as categories [n][q]."""

    numbers: pd.DataFrame
    names: pd.DataFrame

    def one_hot(self) -> pd.DataFrame:
        """Numbers and one column of 0 and 1 for each name."""
        parts = [self.numbers]
        for column in self.names:
            codes = self.names[column].cat.codes.to_numpy()
            levels = self.names[column].cat.categories
            hot = (codes[:, None] == np.arange(len(levels))).astype(float)
            parts.append(pd.DataFrame(hot, columns=[f"{column}={level}" for level in levels]))
        return pd.concat(parts, axis=1)

    def matrix(self) -> np.ndarray:
        """`one_hot` as an array [n][d]."""
        return np.asarray(self.one_hot(), dtype=float)

    def rows(self, chosen: np.ndarray) -> Inputs:
        """Some of the rows."""
        return Inputs(self.numbers.iloc[chosen].reset_index(drop=True), self.names.iloc[chosen].reset_index(drop=True))


@dataclass
class _Numeric:
    median: float
    indicator: bool

    @staticmethod
    def fit(cells: pd.Series) -> _Numeric:
        numbers = pd.to_numeric(cells.where(cells != ""))
        return _Numeric(float(numbers.median()), bool(numbers.isna().any()))

    def apply(self, name: str, cells: pd.Series) -> dict[str, np.ndarray]:
        numbers = pd.to_numeric(cells.where(cells != ""), errors="coerce")
        made = {name: numbers.fillna(self.median).to_numpy(float)}
        if self.indicator:
            made[f"{name} missing"] = numbers.isna().to_numpy(float)
        return made


@dataclass
class _Named:
    kept: list[str]
    counts: dict[str, int] | None

    @staticmethod
    def fit(cells: pd.Series) -> _Named:
        counts = cells.replace("", MISSING).value_counts()
        counts = counts.iloc[np.lexsort((counts.index.astype(str), -counts.to_numpy()))]
        frequency = counts.to_dict() if len(counts) > MOST_NAMES else None
        return _Named([str(name) for name in counts.index[:MOST_NAMES]], frequency)

    def category(self, cells: pd.Series) -> pd.Categorical:
        names = cells.replace("", MISSING)
        return pd.Categorical(names.where(names.isin(self.kept), OTHER), categories=[*self.kept, OTHER])

    def frequency(self, cells: pd.Series) -> np.ndarray | None:
        if self.counts is None:
            return None
        return np.asarray(cells.replace("", MISSING).map(self.counts).fillna(0), dtype=float)


@dataclass
class _Date:
    median: float
    hours: bool

    @staticmethod
    def parse(cells: pd.Series) -> pd.Series:
        return pd.to_datetime(cells.where(cells != ""), utc=True, format="ISO8601", errors="coerce")

    @staticmethod
    def fit(cells: pd.Series) -> _Date:
        dates = _Date.parse(cells)
        return _Date(float(_Date.day(dates).median()), dates.dt.hour.nunique() > 1)

    @staticmethod
    def day(dates: pd.Series) -> pd.Series:
        return (dates - pd.Timestamp("1970-01-01", tz="UTC")).dt.total_seconds() / 86400

    def apply(self, name: str, cells: pd.Series) -> dict[str, np.ndarray]:
        dates = self.parse(cells)
        made = {
            f"{name} day": self.day(dates).fillna(self.median).to_numpy(float),
            f"{name} weekday": dates.dt.dayofweek.fillna(0).to_numpy(float),
            f"{name} month": dates.dt.month.fillna(0).to_numpy(float),
        }
        if self.hours:
            made[f"{name} hour"] = dates.dt.hour.fillna(0).to_numpy(float)
        return made


def _is_numeric(cells: pd.Series) -> bool:
    present = cells[cells != ""]
    return bool(pd.to_numeric(present, errors="coerce").notna().all())


def _is_date(cells: pd.Series) -> bool:
    present = cells[cells != ""]
    return bool(present.str.match(r"\d{4}-\d{2}-\d{2}").all()) and bool(_Date.parse(present).notna().all())


@dataclass
class Encoder:
    """What was learned from training rows."""

    columns: dict[str, _Numeric | _Named | _Date] = field(default_factory=dict)

    @staticmethod
    def fit(table: Table, frame: pd.DataFrame) -> Encoder:
        """Learns from the training rows `frame`."""
        encoder = Encoder()
        inputs = [c for c in frame.columns if c not in table.roles or c == table.time]
        for name in inputs:
            cells = frame[name]
            if (cells == "").all():
                continue
            kind = _Numeric if _is_numeric(cells) else _Date if _is_date(cells) else _Named
            encoder.columns[name] = kind.fit(cells)
        return encoder

    def apply(self, frame: pd.DataFrame) -> Inputs:
        """Prepares rows, training rows or new ones."""
        numbers: dict[str, np.ndarray] = {}
        names: dict[str, pd.Categorical] = {}
        for name, column in self.columns.items():
            if isinstance(column, _Named):
                names[name] = column.category(frame[name])
                frequency = column.frequency(frame[name])
                if frequency is not None:
                    numbers[f"{name} frequency"] = frequency
            else:
                numbers.update(column.apply(name, frame[name]))
        index = pd.RangeIndex(len(frame))
        return Inputs(pd.DataFrame(numbers, index=index), pd.DataFrame(names, index=index))
