"""The common preparation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from tablebench.catalogue import Table
from tablebench.encode import MOST_NAMES, Encoder

TABLE = Table("t", Path(), "y", 4, "site", "day", ("id",))


def frame(**columns: list[str]) -> pd.DataFrame:
    rows = len(next(iter(columns.values())))
    rest = {"y": ["0"] * rows, "site": ["s"] * rows, "day": ["2024-01-31"] * rows, "id": ["7"] * rows}
    return pd.DataFrame(rest | columns)


def test_roles_are_no_inputs_but_dates_are() -> None:
    inputs = Encoder.fit(TABLE, frame(x=["1", "2"])).apply(frame(x=["3"]))
    assert list(inputs.numbers) == ["day day", "day weekday", "day month", "x"]
    assert inputs.numbers.iloc[0].tolist() == [19753, 2, 1, 3]


def test_missing_numbers_become_the_median_and_an_indicator() -> None:
    encoder = Encoder.fit(TABLE, frame(x=["1", "", "3", "8"]))
    found = encoder.apply(frame(x=["", "5"])).numbers
    assert found["x"].tolist() == [3, 5] and found["x missing"].tolist() == [1, 0]


def test_new_and_rare_names_share_a_column() -> None:
    train = frame(c=[f"n{i}" for i in range(40)] + ["n39", ""])
    encoder = Encoder.fit(TABLE, train)
    found = encoder.apply(frame(c=["n39", "never seen", ""])).one_hot()
    hot = found[[name for name in found if name.startswith("c=")]]
    assert hot.shape[1] == MOST_NAMES + 1 and (hot.sum(axis=1) == 1).all()
    assert hot["c=n39"].tolist() == [1, 0, 0] and hot["c=(other)"].tolist()[1] == 1
    assert found["c frequency"].tolist() == [2, 0, 1]


def test_the_text_none_is_a_name() -> None:
    inputs = Encoder.fit(TABLE, frame(c=["None", "a"])).apply(frame(c=["None"]))
    assert np.array_equal(inputs.one_hot()["c=None"], [1])
