import numpy as np
import pytest

import nomu

# One method each, small enough for the tests; threads=1 because the machine may be shared.
QUICK = {
    "NOMURegressor": {"epochs": 60, "ensemble": 1, "hidden": (32,)},
    "DeepEnsembleRegressor": {"epochs": 60, "networks": 2, "hidden": (32,)},
    "HyperDeepEnsembleRegressor": {"epochs": 300, "networks": 2, "candidates": 3, "hidden": (32,)},
    "MCDropoutRegressor": {"epochs": 60, "hidden": (64,), "passes": 10},
    "GPRegressor": {"restarts": 0},
    "LaplaceRegressor": {"epochs": 60, "hidden": (16,)},
    "NeuralLinearRegressor": {"epochs": 60, "hidden": (16,)},
}


def quick(name, **more):
    return getattr(nomu, name)(**{**QUICK[name], "settings": {"calibration.folds": 3}, "threads": 1, **more})


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="also run what takes minutes")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="takes minutes; run with --slow"))


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (40, 2))
    return X, np.sin(3 * X[:, 0]) + X[:, 1]
