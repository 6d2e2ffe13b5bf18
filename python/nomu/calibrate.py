"""Turns predicted standard deviations, from any source, into calibrated bounds.

>>> predicted = nomu.calibrate.Predicted(mean, sigma)              # [q] each, for rows the model has not seen
>>> calibration = nomu.calibrate.conformal(predicted, y)
>>> lower, upper = calibration.bounds(new_predicted, level=0.9)    # refused if the level is not supported
>>> print(calibration.guarantee(0.9))

Every function takes predictions for rows, most also their targets ``y`` [q], and returns a ``Calibration``.
"""

from numpy.typing import ArrayLike

from . import _nomu
from ._arrays import vector
from ._nomu import Calibration

__all__ = ["Calibration", "Predicted", "conformal", "coverage", "isotonic", "nll", "separate", "width"]


class Predicted(_nomu.Predicted):
    """Predicted means and standard deviations, array-likes of shape [q] in the units of the target."""

    def __init__(
        self,
        mean: ArrayLike,
        sigma_model: ArrayLike,
        sigma_noise: ArrayLike | None = None,
        sigma_below: ArrayLike | None = None,
    ):
        super().__init__(
            vector(mean, "mean"),
            vector(sigma_model, "sigma_model"),
            None if sigma_noise is None else vector(sigma_noise, "sigma_noise"),
            None if sigma_below is None else vector(sigma_below, "sigma_below"),
        )


def _checked(predicted):
    if not isinstance(predicted, _nomu.Predicted):
        raise TypeError(f"expected nomu.calibrate.Predicted(mean, sigma), got {type(predicted).__name__}")
    return predicted


def nll(predicted: _nomu.Predicted, y: ArrayLike) -> Calibration:
    """One factor for the standard deviations, by Gaussian likelihood."""
    return _nomu.calibrate_nll(_checked(predicted), vector(y, "y"))


def separate(predicted: _nomu.Predicted, y: ArrayLike) -> Calibration:
    """One factor each for model uncertainty and data noise, by Gaussian likelihood."""
    return _nomu.calibrate_separate(_checked(predicted), vector(y, "y"))


def coverage(predicted: _nomu.Predicted, y: ArrayLike, level: float) -> Calibration:
    """The smallest factor that covers ``level`` of the targets; supports only this level."""
    return _nomu.calibrate_coverage(_checked(predicted), vector(y, "y"), float(level))


def width(predicted: _nomu.Predicted, mean_width: float) -> Calibration:
    """The factor that makes bounds ``mean_width`` wide on average; supports no level."""
    return _nomu.calibrate_width(_checked(predicted), float(mean_width))


def conformal(predicted: _nomu.Predicted, y: ArrayLike, base: Calibration | None = None) -> Calibration:
    """Split conformal: a new row like these is covered with the requested probability."""
    return _nomu.calibrate_conformal(_checked(predicted), vector(y, "y"), base)


def isotonic(predicted: _nomu.Predicted, y: ArrayLike, base: Calibration | None = None) -> Calibration:
    """Recalibrates quantiles with a monotone map."""
    return _nomu.calibrate_isotonic(_checked(predicted), vector(y, "y"), base)
