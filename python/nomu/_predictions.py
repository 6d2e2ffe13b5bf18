"""Predictions with uncertainty, shared by regressors and networks with attached bounds."""

from __future__ import annotations

import datetime
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from . import _nomu
from ._errors import ConfigError
from ._progress import ProgressBar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._nomu import Model, Predicted


def numbers_of_rows(values, name, like):
    """Optional numbers, one per row, as an array [n]; accepts a column (n, 1)."""
    if values is None:
        return None
    values = check_array(values, dtype=np.float64, ensure_2d=False, input_name=name)
    check_consistent_length(values, like)
    if values.ndim > 2 or (values.ndim == 2 and values.shape[1] != 1):
        raise ValueError(f"{name} has shape {values.shape}; it must have one number per row")
    return np.ascontiguousarray(values.reshape(-1))


def names_of_rows(names, X, rows, called):
    """One text per row, and the column of X they came from, if ``names`` is its name."""
    if names is None:
        return None, None
    column = names if isinstance(names, str) else None
    if column is not None:
        if not hasattr(X, "columns") or column not in list(X.columns):
            raise ValueError(f"{called} is '{column}', but X has no such column; give one name per row")
        names = X[column]
    values = list(np.asarray(names, dtype=object).ravel())
    if len(values) != rows:
        raise ValueError(f"{called} has {len(values)} names for {rows} rows; it must have one per row")
    return [name_of(value) for value in values], column


def name_of(value):
    """A name as the cell of a text file would hold it; missing ones are one name, by the rule of tables."""
    text = "" if value is None else str(value)
    if text in ("<NA>", "NaT"):  # pandas leaves such cells empty in a file
        text = ""
    elif isinstance(value, (float, np.floating)) and float(value).is_integer():
        text = str(int(value))
    return _nomu.stratum_of(text)


class Predictions:
    """Predictions of a fitted model. Subclasses define the model and how it reads X."""

    known_noise_ = False
    coverage_by_: str | None = None

    def _fitted_model(self) -> Model:
        raise NotImplementedError

    def _targets(self) -> list[Predictions]:
        """One object for each of several targets; empty: there is one target."""
        return []

    def _refuse_several(self, what):
        if self._targets():
            raise ConfigError(f"[{what}] the model has several targets; choose one: model.target(name).{what}(...)")

    def _inputs(self, X) -> np.ndarray:
        """X as the model reads it, (q, inputs)."""
        return self._encoded(X)[0]

    def _encoded(self, X) -> tuple[np.ndarray, np.ndarray]:
        """The same, and which rows hold a missing cell where training had none, (q,)."""
        x = self._inputs(X)
        return x, np.zeros(len(x), dtype=bool)

    def predict(self, X: Any, return_std: bool = False, *, noise_std: ArrayLike | None = None) -> Any:
        """Predict means and, on request, calibrated standard deviations.

        Parameters
        ----------
        X : array-like or DataFrame of shape (q, d)
        return_std : bool
            Whether to return standard deviations too; they combine model uncertainty and data noise.
        noise_std : array-like of shape (q,), optional
            The rows' known noise, for a model that was fitted with known noise.

        Returns
        -------
        mean : ndarray of shape (q,), or (q, k) with k targets
        std : ndarray of the same shape
            Only with ``return_std``.
        """
        if several := self._targets():
            every = [one.predict(X, return_std) for one in several]
            if not return_std:
                return np.column_stack(every)
            return tuple(np.column_stack(part) for part in zip(*every, strict=True))
        predicted = self._predicted(X, noise_std, required=return_std)
        if not return_std:
            return predicted.mean
        return predicted.mean, predicted.sigma

    def predict_parts(self, X: Any, *, noise_std: ArrayLike | None = None) -> dict[str, np.ndarray]:
        """Predict with the parts of the uncertainty separate.

        Returns
        -------
        dict of ndarrays of shape (q,)
            ``mean``; ``sigma_model`` and ``sigma_noise``, calibrated; ``sigma_below``, the downward model uncertainty
            if it differs; ``outside``, whether a row lies outside the box of the training rows, or has a name or a
            missing cell that training did not have. With k targets, all but ``outside`` have the shape (q, k).
        """
        if several := self._targets():
            every = [one.predict_parts(X) for one in several]
            shared = every[0]["outside"]
            return {part: shared if part == "outside" else np.column_stack([one[part] for one in every])
                    for part in every[0]}  # fmt: skip
        predicted = self._predicted(X, noise_std, required=True)
        model = self._fitted_model()
        x, unfamiliar = self._encoded(X)
        noise = predicted.sigma_noise
        parts = {
            "mean": predicted.mean,
            "sigma_model": np.array(predicted.sigma_model),
            "sigma_noise": np.zeros(len(predicted)) if noise is None else np.array(noise),
            "outside": model.outside(x) | unfamiliar,
        }
        if predicted.sigma_below is not None:
            parts["sigma_below"] = np.array(predicted.sigma_below)
        return parts

    def predict_interval(
        self,
        X: Any,
        level: float | None = None,
        *,
        noise_std: ArrayLike | None = None,
        coverage_by: ArrayLike | None = None,
        joint: bool = False,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Predict bounds that contain the target with probability ``level``.

        Parameters
        ----------
        X : array-like or DataFrame of shape (q, d)
        level : float in (0, 1), optional
            Default: the one the model was fitted for. A level that the calibration does not support is refused;
            ``guarantee`` says what the bounds guarantee.
        coverage_by : array-like of shape (q,), optional
            The rows' names, for a model that was fitted with ``coverage_by``; by default they are read from X if they
            are a column of it. Names that the calibration did not have get the widest bounds of any name.

        joint : bool
            With several targets: bounds that contain all of them at once, instead of each by itself.

        Returns
        -------
        lower, upper : ndarrays of shape (q,), or (q, k) with k targets
        """
        several = self._targets()
        if joint and not several:
            raise ConfigError("[predict_interval] joint=True is for models of several targets")
        if several:
            if joint:
                x = self._inputs(X)
                every = self.models_.joint_bounds(x, self._level(level), self._strata(X, coverage_by, len(x)))
            else:
                every = [one.predict_interval(X, level, coverage_by=coverage_by) for one in several]
            return tuple(np.column_stack(side) for side in zip(*every, strict=True))
        model = self._fitted_model()
        x = self._inputs(X)
        strata = self._strata(X, coverage_by, len(x))
        return model.bounds(x, self._level(level), numbers_of_rows(noise_std, "noise_std", x), strata)

    def _strata(self, X, coverage_by, rows):
        """The stratum of each row, for a model whose bounds have strata."""
        known = bool(self._fitted_model().calibration.strata)
        if not known:
            if coverage_by is not None:
                raise ConfigError("[predict] the model was fitted without coverage_by, so leave it out here")
            return None
        if coverage_by is None and self.coverage_by_ is None:
            raise ConfigError("[predict] the bounds depend on names: give coverage_by=, one name per row")
        return names_of_rows(self.coverage_by_ if coverage_by is None else coverage_by, X, rows, "coverage_by")[0]

    def predict_quantiles(
        self,
        X: Any,
        quantiles: ArrayLike = (0.05, 0.5, 0.95),
        *,
        noise_std: ArrayLike | None = None,
        coverage_by: ArrayLike | None = None,
    ) -> np.ndarray:
        """Predict quantiles, from the calibrated bounds.

        Parameters
        ----------
        X : array-like or DataFrame of shape (q, d)
        quantiles : array-like of shape (k,)
            Probabilities inside (0, 1). The median is the mean; others are bounds of level ``|2 p - 1|`` and refused
            where the calibration does not support that level.
        coverage_by : array-like of shape (q,), optional
            As in ``predict_interval``.

        Returns
        -------
        ndarray of shape (q, k), or (q, targets, k) with several targets
            Not decreasing with the probability.
        """
        if several := self._targets():
            every = [one.predict_quantiles(X, quantiles, coverage_by=coverage_by) for one in several]
            return np.stack(every, axis=1)
        model = self._fitted_model()
        x = self._inputs(X)
        probabilities = numbers_of_rows(np.atleast_1d(quantiles), "quantiles", np.atleast_1d(quantiles))
        strata = self._strata(X, coverage_by, len(x))
        return model.quantiles(x, probabilities, numbers_of_rows(noise_std, "noise_std", x), strata)

    def guarantee(self, level: float | None = None, *, joint: bool = False) -> str:
        """What bounds of this level guarantee, in a sentence; with several targets one for each, or of joint bounds."""
        if joint and self._targets():
            return self.models_.joint_guarantee(self._level(level))
        if several := self._targets():
            sentences = zip(self.models_.names, several, strict=True)
            return "\n".join(f"{name}: {one.guarantee(level)}" for name, one in sentences)
        return self._fitted_model().calibration.guarantee(self._level(level))

    def coverage_claims(self, level: float | None = None) -> dict[str, dict[str, Any]]:
        """What bounds of this level prove for each name of ``coverage_by``; empty without such names.

        Each name has ``rows`` and ``units`` of the calibration, ``guaranteed_coverage`` (0: none) and ``basis``: "own"
        if it holds within the name, "rare_together" if it holds within all rare names together, or "nothing".
        """
        return self._fitted_model().calibration.claims(self._level(level))

    def write_report(
        self,
        path: str | PathLike,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        noise_std: ArrayLike | None = None,
        coverage_by: ArrayLike | None = None,
        level: float | None = None,
        title: str = "",
        check: bool = True,
        refit: bool = False,
        progress: bool | None = None,
    ) -> None:
        """Write an HTML page about the model: plots, numbers and what the bounds guarantee.

        Parameters
        ----------
        path : path of the page, which is self-contained and opens offline
        X, y : array-likes of shape (q, d) and (q,), optional
            Rows the model has not seen, to evaluate it on; default: those its calibration learned from.
        noise_std : array-like of shape (q,), optional
            The rows' known noise, for a model that was fitted with known noise.
        coverage_by : array-like of shape (q,), optional
            As in ``predict_interval``.
        level : float in (0, 1), optional
            Level of the bounds shown; default: the one the model was fitted for.
        title : str
            Title of the page.
        check : bool
            Whether to measure how well the bounds meet the paper's desiderata.
        refit : bool
            Whether to measure D5 as well, which takes three fits.
        progress : bool or None
            Whether to show a progress bar; None: only in a terminal or notebook.
        """
        self._refuse_several("write_report")
        if (X is None) != (y is None):
            raise TypeError("give write_report both X and y, or neither")
        model = self._fitted_model()
        rows = None if X is None else self._labelled_rows(X, y, noise_std, coverage_by=coverage_by)
        today = datetime.date.today().isoformat()
        with ProgressBar(progress) as bar:
            _nomu.save_report(model, path, rows, level, title, today, check, refit, bar.callback)

    def adaptive(self, level: float | None = None) -> AdaptiveIntervals:
        """Bounds that follow the results of rows in order of time, where later rows may differ from earlier ones.

        Parameters
        ----------
        level : float in (0, 1), optional
            The share of rows that the bounds are to contain in the long run; default: the model's own.

        Returns
        -------
        AdaptiveIntervals
            ``predict_interval(X)`` gives bounds, ``update(X, y)`` takes results.
        """
        self._refuse_several("adaptive")
        return AdaptiveIntervals(self, self._level(level))

    def _labelled_rows(self, X, y, noise_std, groups=None, coverage_by=None):
        """Rows with targets, as the model reads them."""
        if y is None:
            raise ValueError("y is missing; give the targets of the rows")
        x = self._inputs(X)
        noise = numbers_of_rows(noise_std, "noise_std", x)
        groups = None if groups is None else [str(group) for group in np.asarray(groups).ravel()]
        names = self._fitted_model().input_names
        strata = self._strata(X, coverage_by, len(x))
        facts = {"names": names, "noise": noise, "groups": groups, "strata": strata, "strata_name": self.coverage_by_}
        return _nomu.rows_dataset(x, numbers_of_rows(y, "y", x), **facts)

    def _level(self, level):
        return float(self._fitted_model().level if level is None else level)

    def _predicted(self, X, noise_std, required) -> Predicted:
        model = self._fitted_model()
        x = self._inputs(X)
        noise = numbers_of_rows(noise_std, "noise_std", x)
        if noise is None and self.known_noise_ and not required:
            noise = np.zeros(len(x))  # the mean does not depend on it
        return model.predict(x, noise)


class AdaptiveIntervals:
    """Bounds of a model that are updated as results come in; ``Predictions.adaptive`` makes one.

    Whatever the rows do, the share of them within the bounds that they had before their results approaches the level:
    it is never farther from it than ``allowance``, which falls like one over the number of results.
    """

    def __init__(self, predictions: Predictions, level: float):
        self._predictions = predictions
        self.level = level
        self._bounds = _nomu.adaptive_bounds(predictions._fitted_model(), level)

    def predict_interval(self, X: Any, *, noise_std: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds of rows to come, from the results so far; arrays of shape (q,)."""
        return self._follow(X, None, noise_std)

    def update(self, X: Any, y: ArrayLike, *, noise_std: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Take the results of rows, the earliest first; returns the bounds that each had before its result."""
        return self._follow(X, y, noise_std)

    def _follow(self, X, y, noise_std):
        x = self._predictions._inputs(X)
        noise = numbers_of_rows(noise_std, "noise_std", x)
        model = self._predictions._fitted_model()
        return _nomu.adaptive_follow(self._bounds, model, x, numbers_of_rows(y, "y", x), noise)

    @property
    def rows(self) -> int:
        """Results so far."""
        return self._bounds.rows

    @property
    def missed(self) -> int:
        """Results outside the bounds that their rows had before."""
        return self._bounds.missed

    @property
    def allowance(self) -> float:
        """How far the share of rows within their bounds can be from the level at most; proven."""
        return self._bounds.allowance

    def guarantee(self) -> str:
        """What is proven about the rows so far, in a sentence."""
        return self._bounds.guarantee()

    def __repr__(self) -> str:
        return f"<nomu.AdaptiveIntervals of level {self.level:g}, {self.rows} results, {self.missed} outside>"
