"""LightGBM: quantile regression with conformal bounds, and a constant width around its mean."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from tablebench.conformal import split_quantile
from tablebench.forecast import LEVEL, Forecast
from tablebench.methods.method import Method
from tablebench.task import Task

LEVELS = np.round(np.arange(1, 20) * 0.05, 2)  # 0.05 to 0.95, which holds both bounds of 90 %


class _Boosted(Method):
    package = "lightgbm"
    _module: Any

    def load(self) -> None:
        self._module = importlib.import_module("lightgbm")

    def _fit(self, task: Task, x: np.ndarray, y: np.ndarray, **objective: Any) -> Any:
        settings = {"n_jobs": task.threads, "random_state": task.seed, "verbosity": -1, **objective}
        return self._module.LGBMRegressor(**settings).fit(x, y)


class BoostedConstantWidth(_Boosted):
    """Split conformal: the mean from four fifths of the rows, one half width from the rest."""

    name = "lightgbm_constant"

    def forecast(self, task: Task) -> Forecast:
        held = task.calibration_rows()
        x, y = task.inputs.matrix(), task.y
        model = self._fit(task, x[~held], y[~held])
        errors = y[held] - model.predict(x[held])
        mean = model.predict(task.new_inputs.matrix())
        half = split_quantile(np.abs(errors))
        sigma = np.full(len(mean), np.sqrt(np.mean(errors**2)))
        return Forecast(mean, mean - half, mean + half, sigma, notes={"calibration_rows": int(held.sum())})


class BoostedQuantiles(_Boosted):
    """Conformalised quantile regression (Romano, Patterson, Candes 2019); the CRPS is that of all 19 quantiles."""

    name = "lightgbm_cqr"

    def forecast(self, task: Task) -> Forecast:
        held = task.calibration_rows()
        x, y, new_x = task.inputs.matrix(), task.y, task.new_inputs.matrix()
        # Started from the quantile itself, LightGBM finds no split where the quantile is the largest target (a cap).
        median = float(np.median(y[~held]))
        start = {"objective": "quantile", "boost_from_average": False}
        models = [self._fit(task, x[~held], y[~held] - median, alpha=float(a), **start) for a in LEVELS]
        edge = (1 - LEVEL) / 2
        low = models[int(np.argmin(np.abs(LEVELS - edge)))]
        high = models[int(np.argmin(np.abs(LEVELS - 1 + edge)))]
        known, new = y[held] - median, np.column_stack([model.predict(new_x) for model in models]) + median
        half = split_quantile(np.maximum(low.predict(x[held]) - known, known - high.predict(x[held])))
        mean = self._fit(task, x[~held], y[~held]).predict(new_x)
        return Forecast(
            mean,
            low.predict(new_x) + median - half,
            high.predict(new_x) + median + half,
            levels=LEVELS,
            quantiles=new,
            notes={"calibration_rows": int(held.sum())},
        )
