"""Plots of uncertainty with matplotlib: each function draws into ``ax`` (or a new figure) and returns the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import metrics
from ._arrays import vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["bands", "mw_cp", "regret", "reliability", "sigma_map"]

_MEAN = "#1f4e79"
_DATA = "#c0392b"


def _axes(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def _name(model, column, fallback):
    names = getattr(model, "feature_names_in_", None)
    return fallback if names is None else str(names[column])


def _predict(model, x):
    """Mean and calibrated sigma of a regressor at the rows x, given as an array."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        import pandas

        x = pandas.DataFrame(x, columns=list(names))
    return x, *model.predict(x, return_std=True)


def bands(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    low: float | None = None,
    high: float | None = None,
    level: float | None = None,
    points: int = 300,
    ax: Axes | None = None,
) -> Axes:
    """Plot mean and bounds of a model with one input.

    Parameters
    ----------
    model : regressor fitted to one column
    X, y : array-likes of shape (n, 1) and (n,), optional
        Rows to draw as dots.
    low, high : float, optional
        Range of the input; default: that of X, widened by a tenth on either side.
    level : float, optional
        Level of the bounds to draw; default: bands of mean -+ 1, 2 and 3 calibrated standard deviations.
    """
    ax = _axes(ax)
    if X is not None:
        column = np.asarray(X, dtype=np.float64)
        if column.ndim > 2 or (column.ndim == 2 and column.shape[1] != 1):
            raise ValueError(f"bands need one input, but X has shape {column.shape}; for two inputs use sigma_map")
        column = column.reshape(-1)
        margin = 0.1 * (column.max() - column.min() or 1.0)
        low = column.min() - margin if low is None else low
        high = column.max() + margin if high is None else high
    if low is None or high is None:
        raise ValueError("give X, or the range of the input as low and high")
    grid = np.linspace(low, high, points)
    x, mean, sigma = _predict(model, grid.reshape(-1, 1))
    if level is None:
        for c in (3, 2, 1):
            label = r"mean $\pm$ 1, 2, 3 $\sigma$" if c == 1 else None
            ax.fill_between(grid, mean - c * sigma, mean + c * sigma, color=_MEAN, alpha=0.15, lw=0, label=label)
    else:
        lower, upper = model.predict_interval(x, level)
        ax.fill_between(grid, lower, upper, color=_MEAN, alpha=0.25, lw=0, label=f"{100 * level:g} % bounds")
    ax.plot(grid, mean, color=_MEAN, label="mean")
    if X is not None and y is not None:
        ax.plot(column, vector(y, "y"), "o", color=_DATA, ms=4, label="data")
    ax.set_xlabel(_name(model, 0, "x"))
    ax.set_ylabel("y")
    ax.margins(x=0)
    ax.legend()
    return ax


def sigma_map(
    model: Any,
    X: Any = None,
    *,
    low: Sequence[float] | None = None,
    high: Sequence[float] | None = None,
    points: int = 80,
    ax: Axes | None = None,
) -> Axes:
    """Plot the calibrated standard deviation of a model with two inputs as a map, with the rows as dots.

    ``low`` and ``high`` are the corners of the map, [2] each; default: the box of X (n, 2), a tenth wider on each side.
    """
    ax = _axes(ax)
    if X is not None:
        rows = np.asarray(X, dtype=np.float64)
        margin = 0.1 * (rows.max(axis=0) - rows.min(axis=0))
        low = rows.min(axis=0) - margin if low is None else low
        high = rows.max(axis=0) + margin if high is None else high
    if low is None or high is None:
        raise ValueError("give X, or the corners of the map as low and high")
    first, second = np.meshgrid(np.linspace(low[0], high[0], points), np.linspace(low[1], high[1], points))
    _, _, sigma = _predict(model, np.column_stack([first.ravel(), second.ravel()]))
    shown = ax.contourf(first, second, sigma.reshape(first.shape), levels=20, cmap="viridis")
    ax.figure.colorbar(shown, ax=ax, label=r"$\sigma$")
    if X is not None:
        ax.plot(rows[:, 0], rows[:, 1], "o", color="white", mec="black", ms=4)
    ax.set_xlabel(_name(model, 0, "x1"))
    ax.set_ylabel(_name(model, 1, "x2"))
    return ax


def reliability(
    mean: ArrayLike, sigma: ArrayLike, y: ArrayLike, *, label: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot the share of rows whose predicted level is at most p against p: the diagonal if all quantiles are right.

    mean, sigma, y : array-likes of shape (q,)
    """
    ax = _axes(ax)
    z = metrics.standardised_residuals(mean, sigma, y)
    from scipy.stats import norm

    predicted = np.sort(norm.cdf(z))
    seen = np.arange(1, len(z) + 1) / len(z)
    area = metrics.miscalibration_area(mean, sigma, y)
    name = f"area {area:.3f}" if label is None else f"{label} (area {area:.3f})"
    ax.step(np.concatenate([[0.0], predicted, [1.0]]), np.concatenate([[0.0], seen, [1.0]]), where="post", label=name)
    if not any(line.get_gid() == "diagonal" for line in ax.lines):
        ax.plot([0, 1], [0, 1], color="grey", lw=1, ls="--", gid="diagonal")
    ax.set(xlabel="predicted level", ylabel="share of rows", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.legend()
    return ax


def mw_cp(
    mean: ArrayLike, sigma: ArrayLike, y: ArrayLike, *, label: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot mean width against coverage of mean -+ c sigma for all c; lower is better. The area is the paper's AUC.

    mean, sigma, y : array-likes of shape (q,)
    """
    ax = _axes(ax)
    _, covered, width = metrics.mw_cp_curve(mean, sigma, y)
    area = metrics.auc(mean, sigma, y)
    ax.plot(covered, width, label=f"AUC {area:.3g}" if label is None else f"{label} (AUC {area:.3g})")
    ax.set(xlabel="coverage CP", ylabel="mean width MW", xlim=(0, 1))
    ax.set_ylim(bottom=0)
    ax.legend()
    return ax


def regret(
    trials: Any, optimum: float, *, direction: str = "minimize", label: str | None = None, ax: Axes | None = None
) -> Axes:
    """Plot how far the best value so far is from the optimum, after each evaluation.

    Parameters
    ----------
    trials : Optimum, Study, list of trials, or array-like of values [n]
    optimum : float
        The best possible value.
    """
    ax = _axes(ax)
    given = getattr(trials, "trials", trials)
    given = given() if callable(given) else given
    found = [getattr(trial, "value", trial) for trial in given]
    worst = np.inf if direction == "minimize" else -np.inf
    values = np.array([worst if value is None else value for value in found], dtype=np.float64)
    best = np.minimum.accumulate(values) if direction == "minimize" else np.maximum.accumulate(values)
    distance = np.abs(best - optimum)
    ax.step(np.arange(1, len(distance) + 1), distance, where="post", label=label)
    if np.any(distance[np.isfinite(distance)] > 0):
        ax.set_yscale("log")
    ax.set(xlabel="evaluations", ylabel="simple regret")
    if label is not None:
        ax.legend()
    return ax
