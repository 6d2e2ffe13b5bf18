"""A random forest with CV+ bounds; its distribution is that of the out-of-fold errors around its mean."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from tablebench.conformal import cv_plus
from tablebench.forecast import Forecast
from tablebench.methods.method import Method
from tablebench.task import Task

LEVELS = np.arange(1, 100) / 100
TREES = 100


class ForestCVPlus(Method):
    """scikit-learn's forest with its defaults; ten fold models besides the one of all rows."""

    name = "forest_cv_plus"
    package = "scikit-learn"
    _ensemble: Any

    def load(self) -> None:
        self._ensemble = importlib.import_module("sklearn.ensemble")

    def forecast(self, task: Task) -> Forecast:
        x, y, new_x, fold_of = task.inputs.matrix(), task.y, task.new_inputs.matrix(), task.folds()

        def fit(rows: np.ndarray) -> Any:
            forest = self._ensemble.RandomForestRegressor(TREES, random_state=task.seed, n_jobs=task.threads)
            return forest.fit(x[rows], y[rows])

        errors = np.empty(len(y))
        fold_means = np.empty((fold_of.max() + 1, len(new_x)))
        for fold in range(len(fold_means)):
            model = fit(fold_of != fold)
            errors[fold_of == fold] = y[fold_of == fold] - model.predict(x[fold_of == fold])
            fold_means[fold] = model.predict(new_x)
        mean = fit(fold_of >= 0).predict(new_x)
        lower, upper = cv_plus(fold_means, fold_of, np.abs(errors))
        sigma = np.full(len(mean), np.sqrt(np.mean(errors**2)))
        quantiles = mean[:, None] + np.quantile(errors, LEVELS)
        return Forecast(mean, lower, upper, sigma, LEVELS, quantiles, notes={"calibration_rows": len(y)})
