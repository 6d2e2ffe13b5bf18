"""Scores against numbers that are known."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from tablebench import scores
from tablebench.forecast import Forecast


def test_gaussian_crps_of_the_mean_itself() -> None:
    # At y = mean the CRPS of N(mean, sigma) is sigma (sqrt(2) - 1) / sqrt(pi).
    found = scores.gaussian_crps(np.array([3.0]), np.array([3.0]), np.array([2.0]))
    assert found == pytest.approx(2 * (np.sqrt(2) - 1) / np.sqrt(np.pi))


def test_quantile_crps_tends_to_the_gaussian_one() -> None:
    levels = np.arange(1, 1000) / 1000
    quantiles = np.array([[NormalDist(1, 2).inv_cdf(level) for level in levels]] * 3)
    y = np.array([-2.0, 1.0, 4.0])
    exact = scores.gaussian_crps(y, np.ones(3), np.full(3, 2.0))
    assert scores.quantile_crps(y, levels, quantiles) == pytest.approx(exact, rel=2e-3)


def test_interval_score_counts_width_and_misses() -> None:
    found = scores.interval_score(np.array([0.0, 3.0, -1.0]), np.zeros(3), np.full(3, 2.0))
    assert found == pytest.approx([2, 2 + 20, 2 + 20])


def test_oracle_width_covers_the_given_count() -> None:
    y, mean = np.array([1.0, -2.0, 3.0, 4.0]), np.zeros(4)
    # Half width 3 covers three rows and misses the fourth by 1.
    assert scores.constant_width_oracle(y, mean, 3) == pytest.approx(6 + 20 / 4)


def test_halves_judge_every_row_once() -> None:
    y = np.random.default_rng(1).normal(size=2000)
    found = scores.constant_width_halves(y, np.zeros(2000), seed=1)
    # The best interval of a normal target at 90 % scores 4.1255.
    assert found == pytest.approx(4.1255, rel=0.03)


def test_a_forecast_without_distribution_has_no_crps() -> None:
    found = scores.all_scores(np.zeros(4), Forecast(np.zeros(4), np.full(4, -1.0), np.ones(4)))
    assert found["crps"] is None and found["nll"] is None and found["coverage"] == 1


def test_the_constant_width_of_the_methods_own_rows() -> None:
    y = np.array([0.0, 1.0, 4.0])
    forecast = Forecast(np.zeros(3), np.full(3, -1.0), np.full(3, 1.0), np.ones(3))
    assert scores.all_scores(y, forecast)["constant_own"] is None
    forecast.constant_half = 2.0
    assert np.isclose(scores.all_scores(y, forecast)["constant_own"], 4 + 20 * 2 / 3)  # one row is missed by 2
