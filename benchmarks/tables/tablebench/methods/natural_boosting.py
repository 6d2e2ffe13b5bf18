"""NGBoost with a normal distribution, as it comes: its own quantiles are the bounds."""

from __future__ import annotations

import importlib
from statistics import NormalDist
from typing import Any

from tablebench.forecast import LEVEL, Forecast
from tablebench.methods.method import Method
from tablebench.task import Task


class NaturalBoosting(Method):
    """500 trees of depth 3, rate 0.01, no early stopping, nothing held out."""

    name = "ngboost"
    package = "ngboost"
    _module: Any

    def load(self) -> None:
        self._module = importlib.import_module("ngboost")

    def forecast(self, task: Task) -> Forecast:
        model = self._module.NGBRegressor(n_estimators=500, random_state=task.seed, verbose=False)
        model.fit(task.inputs.matrix(), task.y)
        law = model.pred_dist(task.new_inputs.matrix())
        mean, sigma = law.params["loc"], law.params["scale"]
        half = NormalDist().inv_cdf(0.5 + LEVEL / 2) * sigma
        return Forecast(mean, mean - half, mean + half, sigma)
