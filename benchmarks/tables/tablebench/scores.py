"""Scores of a forecast on rows with known targets. All but coverage: smaller is better."""

from __future__ import annotations

import math

import numpy as np

from tablebench.forecast import LEVEL, Forecast

# scipy is not needed for the normal distribution: math.erf, once a row, is fast enough.
_erf = np.vectorize(math.erf, otypes=[float])


def gaussian_crps(y: np.ndarray, mean: np.ndarray, sigma: np.ndarray) -> float:
    """Mean CRPS of normal distributions in closed form (Gneiting and Raftery 2007, section 4.2)."""
    z = (y - mean) / sigma
    density = np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
    below = 0.5 * (1 + _erf(z / math.sqrt(2)))
    return float(np.mean(sigma * (z * (2 * below - 1) + 2 * density - 1 / math.sqrt(math.pi))))


def gaussian_nll(y: np.ndarray, mean: np.ndarray, sigma: np.ndarray) -> float:
    """Mean negative log density, constant included, in the target's units."""
    return float(np.mean(0.5 * math.log(2 * math.pi) + np.log(sigma) + 0.5 * ((y - mean) / sigma) ** 2))


def quantile_crps(y: np.ndarray, levels: np.ndarray, quantiles: np.ndarray) -> float:
    """Twice the pinball loss, integrated over levels: each level stands for the levels nearest to it.

    Quantiles that cross are sorted first.
    """
    ordered = np.sort(quantiles, axis=1)
    edges = np.concatenate([[0.0], (levels[1:] + levels[:-1]) / 2, [1.0]])
    error = y[:, None] - ordered
    pinball = np.maximum(levels * error, (levels - 1) * error)
    return float(np.mean(2 * pinball @ np.diff(edges)))


def interval_score(y: np.ndarray, lower: np.ndarray, upper: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """Width plus 2 / alpha times the distance by which a row is missed (Gneiting and Raftery 2007, eq. 43)."""
    missed = np.maximum(lower - y, 0) + np.maximum(y - upper, 0)
    return np.asarray(upper - lower + 2 / (1 - level) * missed)


def constant_width_oracle(y: np.ndarray, mean: np.ndarray, covered: int) -> float:
    """Interval score of mean +- the one half width that covers `covered` of these very rows."""
    errors = np.sort(np.abs(y - mean))
    half = errors[covered - 1] if covered > 0 else 0.0
    return float(np.mean(interval_score(y, mean - half, mean + half)))


def constant_width_halves(y: np.ndarray, mean: np.ndarray, seed: int, level: float = LEVEL) -> float:
    """Interval score of a constant width: each random half of the rows gets the conformal width of the other half."""
    order = np.random.default_rng(seed).permutation(len(y))
    halves = order[: len(y) // 2], order[len(y) // 2 :]
    total = 0.0
    for known, judged in (halves, halves[::-1]):
        errors = np.sort(np.abs(y[known] - mean[known]))
        half = errors[min(math.ceil((len(errors) + 1) * level), len(errors)) - 1]
        total += float(np.sum(interval_score(y[judged], mean[judged] - half, mean[judged] + half)))
    return total / len(y)


def all_scores(y: np.ndarray, forecast: Forecast) -> dict[str, float | None]:
    """Every score by the name of its column in the results; None where the forecast has no such thing."""
    mean, sigma = forecast.mean, forecast.sigma
    covered = (forecast.lower <= y) & (y <= forecast.upper)
    scores: dict[str, float | None] = {
        "rmse": float(np.sqrt(np.mean((y - mean) ** 2))),
        "crps": None,
        "nll": None if sigma is None else gaussian_nll(y, mean, sigma),
        "interval_score": float(np.mean(interval_score(y, forecast.lower, forecast.upper))),
        "coverage": float(np.mean(covered)),
        "width": float(np.mean(forecast.upper - forecast.lower)),
        "constant_oracle": constant_width_oracle(y, mean, int(covered.sum())),
        "constant_halves": constant_width_halves(y, mean, seed=len(y)),
        "constant_own": None,
    }
    if (half := forecast.constant_half) is not None:
        scores["constant_own"] = float(np.mean(interval_score(y, mean - half, mean + half)))
    if forecast.levels is not None and forecast.quantiles is not None:
        scores["crps"] = quantile_crps(y, forecast.levels, forecast.quantiles)
    elif sigma is not None:
        scores["crps"] = gaussian_crps(y, mean, sigma)
    return scores
