"""scikit-learn's Gaussian process with a length scale per input and white noise."""

from __future__ import annotations

import importlib
from statistics import NormalDist
from typing import Any

import numpy as np

from tablebench.forecast import LEVEL, Forecast
from tablebench.methods.method import Method
from tablebench.task import Task

# The gradient needs rows^2 x inputs numbers when each input has its own length scale: 1.6 GB at this limit.
MOST_NUMBERS = 2e8


class GaussianProcess(Method):
    """RBF with one length scale per input (one for all where memory forbids), on standardised inputs and target."""

    name = "sklearn_gp"
    package = "scikit-learn"
    most_rows = 2000
    _gp: Any
    _kernels: Any

    def load(self) -> None:
        self._gp = importlib.import_module("sklearn.gaussian_process")
        self._kernels = importlib.import_module("sklearn.gaussian_process.kernels")

    def forecast(self, task: Task) -> Forecast:
        x, y, new_x = task.inputs.matrix(), task.y, task.new_inputs.matrix()
        centre, scale = x.mean(0), np.where(x.std(0) > 0, x.std(0), 1.0)
        x, new_x = (x - centre) / scale, (new_x - centre) / scale
        ard = len(x) ** 2 * x.shape[1] <= MOST_NUMBERS
        k = self._kernels
        start = np.full(x.shape[1] if ard else 1, np.sqrt(x.shape[1]))
        kernel = k.ConstantKernel(1.0) * k.RBF(start, (1e-2, 1e4)) + k.WhiteKernel(0.1, (1e-6, 10))
        model = self._gp.GaussianProcessRegressor(kernel, normalize_y=True, random_state=task.seed).fit(x, y)
        mean, sigma = model.predict(new_x, return_std=True)
        half = NormalDist().inv_cdf(0.5 + LEVEL / 2) * sigma
        return Forecast(mean, mean - half, mean + half, sigma)
