"""Rows held out for calibration, and bounds from their errors."""

from __future__ import annotations

import math

import numpy as np

from tablebench.forecast import LEVEL

_CHUNK = 256  # new rows at a time, so that memory grows with the training rows only


def hold_out(rows: int, groups: np.ndarray | None, ordered: bool, seed: int, share: float = 0.2) -> np.ndarray:
    """Marks the calibration rows: whole groups, the latest rows, or random ones, whichever the table asks for."""
    chosen = np.zeros(rows, dtype=bool)
    if groups is not None:
        names = np.unique(groups)
        count = max(1, round(share * len(names)))
        chosen[np.isin(groups, np.random.default_rng(seed).permutation(names)[:count])] = True
    elif ordered:
        chosen[rows - max(1, round(share * rows)) :] = True
    else:
        chosen[np.random.default_rng(seed).permutation(rows)[: max(1, round(share * rows))]] = True
    return chosen


def folds(rows: int, groups: np.ndarray | None, ordered: bool, seed: int, count: int = 10) -> np.ndarray:
    """The fold of each row: whole groups, stretches of time, or random ones of equal size."""
    if groups is not None:
        names = np.unique(groups)
        of_name = np.random.default_rng(seed).permutation(len(names)) % min(count, len(names))
        return of_name[np.searchsorted(names, groups)]
    if ordered:
        return np.arange(rows) * count // rows
    return np.random.default_rng(seed).permutation(rows) % count


def split_quantile(scores: np.ndarray, level: float = LEVEL) -> float:
    """The ceil((n + 1) level)-th smallest score; with too few of them the largest, which proves less."""
    rank = math.ceil((len(scores) + 1) * level - 1e-9)
    return float(np.sort(scores)[min(rank, len(scores)) - 1])


def cv_plus(
    fold_means: np.ndarray, fold_of: np.ndarray, residuals: np.ndarray, level: float = LEVEL
) -> tuple[np.ndarray, np.ndarray]:
    """CV+ bounds (Barber, Candes, Ramdas, Tibshirani 2021, section 3) as lower and upper [m].

    `fold_means` [K][m]: each fold model's mean at the new rows. `fold_of` [n], `residuals` [n]: a training row's fold
    and the absolute error on it of the model that has not seen this fold.
    """
    n, m = len(residuals), fold_means.shape[1]
    low = max(math.floor((1 - level) * (n + 1) + 1e-9), 1) - 1
    high = min(math.ceil(level * (n + 1) - 1e-9), n) - 1
    lower, upper = np.empty(m), np.empty(m)
    for start in range(0, m, _CHUNK):
        part = slice(start, start + _CHUNK)
        means = fold_means[fold_of, part]
        lower[part] = np.partition(means - residuals[:, None], low, axis=0)[low]
        upper[part] = np.partition(means + residuals[:, None], high, axis=0)[high]
    return lower, upper
