"""Several targets at once: a y with two columns or more, as scikit-learn's multi-output regressors take it."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from . import _nomu
from ._frames import is_frame
from ._predictions import Predictions
from ._settings import range_of

if TYPE_CHECKING:
    from ._nomu import Model


def target_columns(y):
    """{name: column} of a y with several columns, otherwise None."""
    if is_frame(y):
        return {str(name): np.asarray(y[name]) for name in y.columns} if len(y.columns) > 1 else None
    array = np.asarray(y)
    if array.ndim != 2 or array.shape[1] < 2:
        return None
    return {f"y{k + 1}": array[:, k] for k in range(array.shape[1])}


def ranges_of(limits, names):
    """What each target can be: a dict by name, or a pair for all."""
    if limits is None:
        return {}
    if isinstance(limits, dict):
        return {str(name): range_of(pair) for name, pair in limits.items()}
    return {name: range_of(limits) for name in names}


class OneTarget(Predictions):
    """One target of a regressor that was fitted to several; ``regressor.target(name)`` makes one."""

    def __init__(self, regressor: Predictions, model: Model):
        self._regressor = regressor
        self._model = model
        self.level = regressor.level
        self.coverage_by_ = regressor.coverage_by_

    def _fitted_model(self):
        return self._model

    def _encoded(self, X):
        return self._regressor._encoded(X)

    def trust(self) -> dict | None:
        """As that of a regressor."""
        return self._model.trust()

    def save(self, path: str | PathLike) -> None:
        """Write a ``.nomu`` file of this target alone."""
        self._model.save(path)

    def export_onnx(self, path: str | PathLike, level: float | None = None) -> None:
        """Write an ONNX file of this target."""
        _nomu.save_onnx(self._model, path, level)

    def __repr__(self) -> str:
        return f"<one target of {self._regressor!r}: {self._model!r}>"
