"""Held-out rows and the bounds that are made of them."""

from __future__ import annotations

import numpy as np
import pytest
from tablebench.conformal import cv_plus, folds, hold_out, split_quantile
from tablebench.coverage_law import lowest_coverage


def test_split_quantile_takes_the_rank_that_proves_the_level() -> None:
    assert split_quantile(np.arange(1.0, 20.0)) == 18  # ceil(20 * 0.9)
    assert split_quantile(np.arange(1.0, 6.0)) == 5  # too few rows: the largest


def test_groups_stay_together() -> None:
    groups = np.repeat([f"g{i}" for i in range(10)], 7)
    for marks in (hold_out(70, groups, False, 3), folds(70, groups, False, 3, count=5)):
        assert all(len(set(marks[groups == name])) == 1 for name in set(groups))
    assert hold_out(70, groups, False, 3).sum() == 14


def test_time_holds_out_the_latest_rows() -> None:
    assert np.flatnonzero(hold_out(10, None, True, 1)).tolist() == [8, 9]
    assert folds(10, None, True, 1, count=5).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_cv_plus_is_the_published_formula() -> None:
    random = np.random.default_rng(2)
    fold_of, fold_means = np.arange(39) % 5, random.normal(size=(5, 300))
    residuals = random.exponential(size=39)
    lower, upper = cv_plus(fold_means, fold_of, residuals)
    for j in (0, 255, 256, 299):
        means = fold_means[fold_of, j]
        assert lower[j] == np.sort(means - residuals)[3]  # floor(0.1 * 40) = 4th smallest
        assert upper[j] == np.sort(means + residuals)[35]  # ceil(0.9 * 40) = 36th smallest


def test_the_law_of_split_conformal_coverage() -> None:
    random = np.random.default_rng(3)
    counts = []
    for _ in range(4000):
        bound = split_quantile(random.normal(size=99))
        counts.append(np.mean(random.normal(size=50) <= bound))
    assert lowest_coverage(99, 50) == pytest.approx(np.quantile(counts, 0.01), abs=0.02)
