"""The laws against numbers that are known: python3 -m pytest benchmarks/coverage/tests"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import laws  # noqa: E402


def test_student():
    assert abs(laws.t_tail(-1.6604, 99) - 0.05) < 1e-4
    assert abs(laws.t_tail(0.0, 5) - 0.5) < 1e-6


def test_beta_binomial_is_a_law_with_the_right_mean():
    law = laws.beta_binomial(50, 19, 1)
    assert abs(law.sum() - 1) < 1e-9
    assert abs(law @ np.arange(51) - 50 * 0.95) < 1e-9


def test_low_coverage_is_found_and_chance_is_not():
    random = np.random.default_rng(1)
    coverage = random.beta(54, 7, 100)  # 60 calibration rows, 88.5 % instead of 90 %
    hits = random.binomial(200, coverage - 0.03)
    assert laws.split_conformal(hits, [200] * 100, [60] * 100, 0.9) < 1e-3
    assert laws.by_data_set(hits / 200, [0.9] * 100) < 1e-3
    right = random.binomial(200, random.beta(55, 6, 100))
    assert laws.split_conformal(right, [200] * 100, [60] * 100, 0.9) > 1e-3
    assert laws.by_data_set([1.0] * 5, [0.9] * 5) == 1.0
