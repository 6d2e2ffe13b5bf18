"""What all regressors share: reading X and y, and fitting through the library."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, validate_data

from . import _nomu
from ._errors import ConfigError
from ._frames import categorical_columns, columns_of, has_text, is_frame, selected, target_name
from ._predictions import Predictions, names_of_rows, numbers_of_rows
from ._progress import ProgressBar
from ._settings import checked_settings, pairs_of, range_of, seed_of, settings_help
from ._targets import OneTarget, ranges_of, target_columns

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Self

_FEWEST_ROWS = 4


_SHARED = """    calibration : str
        "auto", "none", "nll", "separate", "coverage", "conformal" or "isotonic". "auto" gives conformal bounds if
        the rows support the level: below 200 rows from ten fold models (eleven fits in lockstep), otherwise by holding
        out a fifth of the rows.
    level : float, optional
        Default level of the bounds; None: 0.95. Of a level that is given here and that the rows, distinct inputs or
        groups do not support, "auto" makes an error; with None it settles for "nll", which proves nothing.
    noise : str
        Noise of the targets: "none", "learned" or "auto". "auto": known if ``fit`` is given ``noise_std``, otherwise
        learned if there are enough rows: 30 for NOMU, 100 for other methods.
    settings : dict, optional
        Any other setting of the method, by its name on the command line, such as ``{"train.epochs": 500}``; it
        wins over a parameter that sets the same.
    range : (low, high), optional
        What the target can be, such as ``(0, inf)``; means, bounds and quantiles stay inside. With several targets also
        a dict of such pairs by name.
    random_state : int, RandomState instance or None
        The same integer gives the same model, bit for bit. None draws a seed from NumPy's global generator.
    device : str
        "auto", "cpu", "cuda" or "reference".
    threads : int
        Number of threads for the fit; 0: all cores this process may use. Does not affect the result.
    progress : bool or None
        Whether to show a progress bar; None: only in a terminal or notebook.

    Attributes
    ----------
    model_ : nomu.Model
        The fitted model itself, with its settings, report and calibration; that of the first of several targets.
    models_ : nomu.TargetModels
        Only with several targets: the models of all of them.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Only if X had column names.
    """


class Regressor(Predictions, RegressorMixin, BaseEstimator):
    """Base of the regressors; use one of its subclasses."""

    _method = ""
    _names: dict[str, tuple[str, ...]] = {}  # parameter -> settings of the library

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.__doc__ = (cls.__doc__ or "").rstrip(" ") + _SHARED
        if cls._method:
            rows = _nomu.method_settings(cls._method) + _nomu.fit_settings()
            cls.__doc__ += f"\n    Settings\n    --------\n{settings_help(rows)}\n    "

    def __init__(self, calibration, level, noise, preset, settings, range, random_state, device, threads, progress):
        self.calibration = calibration
        self.level = level
        self.noise = noise
        self.preset = preset
        self.settings = settings
        self.range = range
        self.random_state = random_state
        self.device = device
        self.threads = threads
        self.progress = progress

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        noise_std: ArrayLike | None = None,
        row_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        times: ArrayLike | None = None,
        coverage_by: str | ArrayLike | None = None,
    ) -> Self:
        """Fit and calibrate.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Inputs. Columns of a pandas or polars DataFrame may be numbers, texts, categories, booleans or dates;
            missing cells (NaN, None, NA) are learned from. docs/tables.md has the rules.
        y : array-like of shape (n,), or (n, k) for k targets
            Targets; at least four rows, not all equal. Several targets are fitted together, to the same rows;
            columns of a DataFrame keep their names, others are called y1, y2, ...
        sample_weight : array-like of shape (n,), optional
            How much each row counts. Only ratios matter: equal weights change nothing, and rows of weight 0 are left
            out.
        noise_std : array-like of shape (n,), optional
            Known standard deviation of each target's noise.
        row_weight : array-like of shape (n,), optional
            Another name of ``sample_weight``.
        groups : array-like of shape (n,), optional
            Calibration holds out the rows of a group together, and its claim is about rows of new groups: ten groups
            prove at most 90.9 %.
        times : array-like of shape (n,), optional
            Calibration holds out the latest rows. Its claim assumes that later rows are like them; ``adaptive`` gives
            bounds that follow the results.
        coverage_by : column name or array-like of shape (n,), optional
            Names, such as sites, within each of which the bounds keep their level; names with too few rows keep it
            together, if they can (``coverage_claims``). A column of X stays an input; give an array if it is not to be
            one.

        Returns
        -------
        self
        """
        if self.noise == "known" and noise_std is None:
            raise ConfigError('[fit] noise="known" needs the noise of every row: fit(X, y, noise_std=...)')
        if sample_weight is not None and row_weight is not None:
            raise ConfigError("[fit] give sample_weight or row_weight, not both")
        row_weight = sample_weight if row_weight is None else row_weight
        for fitted in ("model_", "models_"):
            self.__dict__.pop(fitted, None)  # after a failed fit the estimator is not fitted
        columns = target_columns(y)
        facts = (noise_std, row_weight, groups, times, coverage_by)
        how = (self._method, self.preset, self.noise, self._pairs(), self.device, self.threads)
        if columns is None:
            data = self._dataset(X, y, *facts)
            with ProgressBar(self.progress) as bar:
                self.model_ = _nomu.fit(data, *how, bar.callback, range_of(self.range))
            return self
        data = [self._dataset(X, column, *facts, target=name) for name, column in columns.items()]
        with ProgressBar(self.progress) as bar:
            self.models_ = _nomu.fit_targets(data, *how, bar.callback, ranges_of(self.range, columns))
        self.model_ = self.models_.models[0]
        return self

    def target(self, name: str) -> OneTarget:
        """One of several targets, with the methods of a regressor that was fitted to it alone."""
        self._fitted_model()
        if not self._targets():
            raise ConfigError("[target] the model has one target; use the model itself")
        return OneTarget(self, self.models_.model(str(name)))

    def _targets(self):
        several = getattr(self, "models_", None)
        return [] if several is None else [OneTarget(self, model) for model in several.models]

    def calibrate(
        self,
        X: Any,
        y: ArrayLike,
        *,
        kind: str = "auto",
        level: float | None = None,
        noise_std: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        coverage_by: ArrayLike | None = None,
    ) -> Self:
        """Recalibrate the fitted model on rows it has not seen; nothing is trained.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
        y : array-like of shape (n,)
        kind : str
            Like the parameter ``calibration``; "auto" is conformal if the rows support the level.
        level : float, optional
            New default level of the bounds; by default the parameter ``level``.
        noise_std : array-like of shape (n,), optional
            The rows' known noise, for a model that was fitted with known noise.
        groups : array-like of shape (n,), optional
            Groups of the rows; the claim is then about rows of new groups.
        coverage_by : array-like of shape (n,), optional
            As in ``predict_interval``.

        Returns
        -------
        self
        """
        model = self._fitted_model()
        level = self.level if level is None else level
        if several := self._targets():
            columns = target_columns(y)
            if columns is None or len(columns) != len(several):
                raise ValueError(f"y must have {len(several)} columns, one for each target")
            pairs = zip(several, columns.values(), strict=True)
            rows = [one._labelled_rows(X, column, noise_std, groups, coverage_by) for one, column in pairs]
            self.models_ = self.models_.calibrated(rows, kind, None if level is None else float(level))
            self.model_ = self.models_.models[0]
            return self
        rows = self._labelled_rows(X, y, noise_std, groups, coverage_by)
        self.model_ = model.calibrated(rows, kind, None if level is None else float(level))
        return self

    def trust(self) -> dict | None:
        """What unseen rows say about the fitted model; None if it has seen all rows.

        ``seen_rmse`` and ``unseen_rmse`` are errors of the two kinds of rows, ``interval_score_ratio`` (with its
        standard error) compares the bounds with a constant width around the same mean, below 1 being better
        (``constant_half_width`` is that of the constant bounds), ``widest_over_median`` the widest bounds with the
        median, ``drivers`` says how much sigma changes with the columns that matter most to it, ``lines`` says it in
        words. With several targets, such a dict for each, by name.
        """
        self._fitted_model()
        if self._targets():
            return {name: model.trust() for name, model in zip(self.models_.names, self.models_.models, strict=True)}
        return self._fitted_model().trust()

    def save(self, path: str | PathLike) -> None:
        """Write a ``.nomu`` file for the command line and ``nomu.load_model``. It contains the training rows."""
        model = self._fitted_model()
        (getattr(self, "models_", None) or model).save(path)

    def export_onnx(self, path: str | PathLike, level: float | None = None) -> None:
        """Write an ONNX file for other programs: network, scaling, calibration and bounds in one graph.

        Its input ``x`` is float32 of shape (q, d). Its outputs are float32 of shape (q, 1): ``mean``, ``sigma_model``,
        ``sigma_noise`` and, if calibrated, ``lower`` and ``upper`` for ``level``, by default the model's own.
        """
        self._refuse_several("export_onnx")
        _nomu.save_onnx(self._fitted_model(), path, level)

    def _fitted_model(self):
        check_is_fitted(self, "model_")
        return self.model_

    def _pairs(self):
        """The parameters as settings of the library."""
        chosen = {"calibration.kind": self.calibration}
        if self.level is not None:
            chosen["calibration.level"] = self.level
        for parameter, names in self._names.items():
            chosen.update(dict.fromkeys(names, getattr(self, parameter)))
        chosen.update(checked_settings(self.settings))
        return pairs_of({"seed": seed_of(self.random_state), **chosen})

    def _dataset(self, X, y, noise_std, row_weight, groups, times, coverage_by=None, target=None):
        given = X
        target = target_name(y) if target is None else target
        table = has_text(X)
        if table:
            columns = columns_of(X)
            categorical = categorical_columns(X, columns)
            self.columns_ = list(X.columns)
            validate_data(self, X, skip_check_array=True)
            y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y").reshape(-1)
            check_consistent_length(X, y)
        else:
            self.columns_ = list(X.columns) if is_frame(X) else None
            X, y = validate_data(
                self, X, y, dtype=np.float64, order="C", y_numeric=True, ensure_min_samples=_FEWEST_ROWS,
                ensure_all_finite="allow-nan",
            )  # fmt: skip
            columns, categorical = self._numbered(X), []
        self.text_columns_ = table
        strata, self.coverage_by_ = names_of_rows(coverage_by, given, len(y), "coverage_by")
        facts = {
            "strata": strata,
            "strata_name": self.coverage_by_,
            "target": target,
            "noise": numbers_of_rows(noise_std, "noise_std", y),
            "weight": numbers_of_rows(row_weight, "sample_weight", y),
            "groups": None if groups is None else [str(group) for group in np.asarray(groups).ravel()],
            "times": numbers_of_rows(times, "times", y),
            "noise_name": target_name(noise_std),
        }
        self.known_noise_ = noise_std is not None
        y = np.ascontiguousarray(y, dtype=np.float64)
        if columns is not None:
            return _nomu.columns_dataset(columns, y, categorical=categorical, **facts)
        names = getattr(self, "feature_names_in_", None)
        return _nomu.rows_dataset(X, y, names=None if names is None else list(names), **facts)

    def _numbered(self, X):
        """The columns of an array with missing numbers, otherwise None: it can be read as it is."""
        if not np.isnan(X).any():
            return None
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{j + 1}" for j in np.arange(X.shape[1])] if names is None else names
        return [(str(name), np.ascontiguousarray(X[:, j])) for j, name in enumerate(names)]

    def _encoded(self, X):
        """X as the model reads it, (q, inputs), and which rows hold what training did not, (q,)."""
        if is_frame(X) and self.columns_ is not None:
            X = selected(X, self.columns_)
        elif self.text_columns_:
            raise ValueError(f"{type(self).__name__} was fitted on a table with text columns; give the same columns")
        if self.text_columns_:
            validate_data(self, X, skip_check_array=True, reset=False)
            return self.model_.encode(columns_of(X))
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False, ensure_all_finite="allow-nan")
        if X.shape[1] == len(self.model_.input_names) and not np.isnan(X).any():
            return X, np.zeros(len(X), dtype=bool)
        names = self.model_.column_names
        return self.model_.encode([(name, np.ascontiguousarray(X[:, j])) for j, name in enumerate(names)])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.multi_output = True
        return tags
