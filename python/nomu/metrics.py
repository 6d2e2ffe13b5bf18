"""Quality of bounds and predictive distributions: the paper's NLL, CP, MW and AUC, and other common scores.

Arguments are array-likes of shape [q] in the units of the target. Different lengths, no rows, numbers that are not
finite and, if a function divides by sigma, a sigma of 0 raise ``nomu.DataError``.
"""

from numpy import ndarray
from numpy.typing import ArrayLike

from . import _nomu
from ._arrays import vector

__all__ = [
    "auc",
    "coverage",
    "crps",
    "interval_score",
    "mean_width",
    "measure",
    "minimal_nll",
    "miscalibration_area",
    "mw_cp_curve",
    "nll",
    "rmse",
    "sharpness",
    "standardised_residuals",
]


def _three(mean: ArrayLike, sigma: ArrayLike, y: ArrayLike) -> tuple[ndarray, ndarray, ndarray]:
    return vector(mean, "mean"), vector(sigma, "sigma"), vector(y, "y")


def standardised_residuals(mean: ArrayLike, sigma: ArrayLike, y: ArrayLike) -> ndarray:
    """Signed (y - mean) / sigma, [q]."""
    return _nomu.standardised_residuals(*_three(mean, sigma, y))


def nll(mean: ArrayLike, sigma: ArrayLike, y: ArrayLike, constant: bool = True) -> float:
    """Mean negative log Gaussian likelihood; ``constant``: whether to include ln(2 pi) / 2."""
    return _nomu.nll(*_three(mean, sigma, y), constant=bool(constant))


def minimal_nll(mean: ArrayLike, sigma: ArrayLike, y: ArrayLike, constant: bool = True) -> tuple[float, float]:
    """The smallest NLL over all factors c on sigma, and that c."""
    return _nomu.minimal_nll(*_three(mean, sigma, y), constant=bool(constant))


def coverage(lower: ArrayLike, upper: ArrayLike, y: ArrayLike) -> float:
    """Coverage probability CP: the share of targets with lower <= y <= upper."""
    return _nomu.coverage(vector(lower, "lower"), vector(upper, "upper"), vector(y, "y"))


def mean_width(lower: ArrayLike, upper: ArrayLike) -> float:
    """Mean width MW of bounds."""
    return _nomu.mean_width(vector(lower, "lower"), vector(upper, "upper"))


def interval_score(lower: ArrayLike, upper: ArrayLike, y: ArrayLike, level: float) -> float:
    """Mean interval score of central bounds of ``level``: the width plus 2 / (1 - level) times the size of a miss."""
    return _nomu.interval_score(vector(lower, "lower"), vector(upper, "upper"), vector(y, "y"), float(level))


def mw_cp_curve(mean: ArrayLike, sigma: ArrayLike, y: ArrayLike) -> tuple[ndarray, ndarray, ndarray]:
    """The exact curve of mean width against coverage for mean -+ c sigma: c, coverage and mean width, [k] each."""
    return _nomu.mw_cp_curve(*_three(mean, sigma, y))


def auc(mean: ArrayLike, sigma: ArrayLike, y: ArrayLike) -> float:
    """The paper's AUC: the area under the MW-CP curve."""
    return _nomu.auc(*_three(mean, sigma, y))


def crps(mean: ArrayLike, sigma: ArrayLike, y: ArrayLike) -> float:
    """Mean continuous ranked probability score of Gaussian predictions."""
    return _nomu.crps(*_three(mean, sigma, y))


def rmse(mean: ArrayLike, y: ArrayLike) -> float:
    """Root mean squared error."""
    return _nomu.rmse(vector(mean, "mean"), vector(y, "y"))


def miscalibration_area(mean: ArrayLike, sigma: ArrayLike, y: ArrayLike) -> float:
    """The area between the reliability curve and the diagonal: 0 when all Gaussian quantiles are right, at most 1/2."""
    return _nomu.miscalibration_area(*_three(mean, sigma, y))


def sharpness(sigma: ArrayLike) -> float:
    """The root of the mean predictive variance."""
    return _nomu.sharpness(vector(sigma, "sigma"))


def measure(mean: ArrayLike, sigma: ArrayLike, y: ArrayLike) -> dict[str, float]:
    """All metrics that need neither a level nor bounds, as a dictionary."""
    return _nomu.measure(*_three(mean, sigma, y))
