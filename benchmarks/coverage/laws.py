"""How probable it is that coverage as low as measured is chance, if the printed coverage is true."""

import math

import numpy as np


def t_tail(t: float, freedom: int) -> float:
    """P(T <= t) of Student's t, by the substitution t = sqrt(freedom) tan(angle)."""
    angles = np.linspace(-math.pi / 2, math.atan(t / math.sqrt(freedom)), 20001)
    values = np.cos(angles) ** (freedom - 1)
    log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(math.pi)
    steps = (values[1:] + values[:-1]) / 2 * np.diff(angles)
    return float(math.exp(log_scale) * steps.sum())


def beta_binomial(trials: int, a: float, b: float) -> np.ndarray:
    """Probabilities of 0 to `trials` successes."""
    counts = np.arange(trials + 1)
    choose = [math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) for k in counts]
    logs = [math.lgamma(a + k) + math.lgamma(b + trials - k) for k in counts]
    norm = math.lgamma(a + b + trials) - math.lgamma(a + b) + math.lgamma(a) + math.lgamma(b)
    return np.exp(np.array(choose) + np.array(logs) - norm)


def split_conformal(hits, trials, calibration, level) -> float:
    """P(all data sets together have so few hits), for split conformal bounds of rows that count one by one.

    With n calibration rows, the coverage of a data set is Beta(k, n + 1 - k) with k = ceil((n + 1) level), so that its
    hits are beta-binomial; those of all data sets add up.
    """
    total = np.array([1.0])
    for tried, n in zip(trials, calibration):
        k = math.ceil((n + 1) * level - 1e-9)
        total = np.convolve(total, beta_binomial(tried, k, n + 1 - k)) if tried else total
    return float(total[: sum(hits) + 1].sum())


def by_data_set(coverages, printed) -> float:
    """P(a mean as low as this), one-sided t-test of the data sets' coverages, which are independent, less the printed
    coverage of each."""
    beyond = np.asarray(coverages) - np.asarray(printed)
    if len(beyond) < 2:
        return 1.0
    error = beyond.std(ddof=1) / math.sqrt(len(beyond))
    if error == 0:
        return 1.0 if beyond[0] >= 0 else 0.0
    return t_tail(float(beyond.mean() / error), len(beyond) - 1)
