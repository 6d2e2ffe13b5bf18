"""RealMLP and TabM with their published defaults, and a split conformal constant width."""

from __future__ import annotations

import importlib
import logging
import warnings
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from tablebench.conformal import split_quantile
from tablebench.encode import Inputs
from tablebench.forecast import Forecast
from tablebench.methods.method import Method
from tablebench.task import Task


class _Network(Method):
    package = "pytabkit"
    uses_device = True
    estimator: ClassVar[str]
    _module: Any

    def load(self) -> None:
        warnings.simplefilter("ignore")
        logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
        self._module = importlib.import_module("pytabkit")

    def forecast(self, task: Task) -> Forecast:
        held = task.calibration_rows()
        x, y = _frame(task.inputs), task.y
        settings = {"device": task.device, "random_state": task.seed, "n_threads": task.threads, "verbosity": 0}
        model = getattr(self._module, self.estimator)(**settings)
        model.fit(x[~held].reset_index(drop=True), y[~held], cat_col_names=list(task.inputs.names.columns))
        errors = y[held] - _mean(model, x[held].reset_index(drop=True))
        mean = _mean(model, _frame(task.new_inputs))
        half = split_quantile(np.abs(errors))
        sigma = np.full(len(mean), np.sqrt(np.mean(errors**2)))
        return Forecast(mean, mean - half, mean + half, sigma, notes={"calibration_rows": int(held.sum())})


class RealMLP(_Network):
    """RealMLP with tuned defaults (Holzmueller, Grinsztajn, Steinwart 2024)."""

    name = "realmlp"
    estimator = "RealMLP_TD_Regressor"


class TabM(_Network):
    """TabM with its defaults (Gorishniy, Kotelnikov, Babenko 2025)."""

    name = "tabm"
    estimator = "TabM_D_Regressor"


def _frame(inputs: Inputs) -> pd.DataFrame:
    """Numbers and names; these methods code names themselves."""
    return pd.concat([inputs.numbers, inputs.names], axis=1)


def _mean(model: Any, x: pd.DataFrame) -> np.ndarray:
    return np.asarray(model.predict(x), dtype=float).reshape(len(x))
