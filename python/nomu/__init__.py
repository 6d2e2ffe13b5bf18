"""Honest model uncertainty for neural-network regression.

>>> import nomu
>>> model = nomu.NOMURegressor().fit(X, y)              # X [n, d], y [n]
>>> mean, std = model.predict(X_new, return_std=True)   # [q] each
>>> lower, upper = model.predict_interval(X_new, 0.9)   # [q] each
>>> best = nomu.maximize(f, {"x": (-5, 10), "y": (0, 15)}, evaluations=40)

Estimators, plots and the Optuna sampler are imported on first use, so ``import nomu`` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ._errors import ConfigError, ConnectionLost, DataError, DeviceError, NomuError
from ._nomu import EngineInfo, Model, TargetModels, list_engines, load_model, load_targets, method_names, version

if TYPE_CHECKING:
    from . import calibrate, metrics, onnx, optimize, optuna, plot
    from .onnx import attach
    from .optimize import Study, maximize, minimize
    from .regressors import (
        DeepEnsembleRegressor,
        GPRegressor,
        HyperDeepEnsembleRegressor,
        LaplaceRegressor,
        MCDropoutRegressor,
        NeuralLinearRegressor,
        NOMURegressor,
    )

__version__ = version()

# Which module defines what; add new modules here.
_LAZY = {
    "NOMURegressor": "regressors",
    "DeepEnsembleRegressor": "regressors",
    "HyperDeepEnsembleRegressor": "regressors",
    "MCDropoutRegressor": "regressors",
    "GPRegressor": "regressors",
    "LaplaceRegressor": "regressors",
    "NeuralLinearRegressor": "regressors",
    "maximize": "optimize",
    "minimize": "optimize",
    "Study": "optimize",
    "attach": "onnx",
}
_MODULES = ("calibrate", "metrics", "onnx", "optimize", "optuna", "plot", "regressors")

__all__ = [
    "ConfigError",
    "ConnectionLost",
    "DataError",
    "DeviceError",
    "EngineInfo",
    "Model",
    "NomuError",
    "TargetModels",
    "list_engines",
    "load_model",
    "load_targets",
    "method_names",
    "version",
    *_LAZY,
    *_MODULES,
]


def __getattr__(name):
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in _LAZY:
        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module 'nomu' has no attribute '{name}'")


def __dir__():
    return sorted([*__all__, "__version__"])
