"""From predicted standard deviations to bounds that hold, whoever predicted them.

>>> predicted = nomu.calibrate.Predicted(mean, sigma)              # [q] each, of rows the model has not seen
>>> calibration = nomu.calibrate.conformal(predicted, y)
>>> lower, upper = calibration.bounds(new_predicted, level=0.9)    # refused where nothing vouches for the level
>>> print(calibration.guarantee(0.9))

Every function takes the predictions of rows with known targets ``y`` [q] and returns a ``Calibration``.
"""

from . import _nomu
from ._arrays import vector
from ._nomu import Calibration

__all__ = ["Calibration", "Predicted", "conformal", "coverage", "isotonic", "nll", "separate", "width"]


class Predicted(_nomu.Predicted):
    """Means and standard deviations of rows, array-likes of shape [q] in the units of the target."""

    def __init__(self, mean, sigma_model, sigma_noise=None, sigma_below=None):
        super().__init__(
            vector(mean, "mean"),
            vector(sigma_model, "sigma_model"),
            None if sigma_noise is None else vector(sigma_noise, "sigma_noise"),
            None if sigma_below is None else vector(sigma_below, "sigma_below"),
        )


def nll(predicted, y):
    """One factor of the standard deviations, by Gaussian likelihood."""
    return _nomu.calibrate_nll(predicted, vector(y, "y"))


def separate(predicted, y):
    """One factor each for model uncertainty and data noise, by Gaussian likelihood."""
    return _nomu.calibrate_separate(predicted, vector(y, "y"))


def coverage(predicted, y, level):
    """The smallest factor that covers ``level`` of the targets; vouches for this level only."""
    return _nomu.calibrate_coverage(predicted, vector(y, "y"), float(level))


def width(predicted, mean_width):
    """The factor for which bounds are ``mean_width`` wide on average; vouches for no level."""
    return _nomu.calibrate_width(predicted, float(mean_width))


def conformal(predicted, y, base=None):
    """Split conformal: a new row like these is covered with the probability asked for."""
    return _nomu.calibrate_conformal(predicted, vector(y, "y"), base)


def isotonic(predicted, y, base=None):
    """Quantiles recalibrated by a rising map."""
    return _nomu.calibrate_isotonic(predicted, vector(y, "y"), base)
