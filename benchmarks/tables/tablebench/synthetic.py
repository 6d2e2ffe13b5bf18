"""Made-up tables of any size, the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from tablebench.catalogue import Table
from tablebench.task import Task

SEED = 20240
NEW_ROWS = 10


def synthetic_task(rows: int, columns: int, threads: int, device: str) -> Task:
    """Normal inputs; a target with bends, a product, linear terms and noise that grows with one input."""
    random = np.random.default_rng(SEED)
    x = random.normal(size=(rows + NEW_ROWS, columns))
    first = np.resize(np.arange(columns), 4)
    y = np.sin(2 * x[:, first[0]]) + x[:, first[1]] * x[:, first[2]] + np.abs(x[:, first[3]])
    y += x @ random.normal(size=columns) / np.sqrt(columns)
    y += random.normal(size=len(y)) * 0.3 * np.exp(0.5 * x[:, 0])
    frame = pd.DataFrame(x, columns=[f"x{j + 1}" for j in range(columns)]).assign(y=y)
    text = frame.map("{:.9g}".format)
    table = Table(f"{rows}x{columns}", Path(), "y", rows + NEW_ROWS, "", "", ())
    return Task(table, 1, text.iloc[:rows], text.iloc[rows:].reset_index(drop=True), threads, device)
