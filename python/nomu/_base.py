"""What all regressors share: reading X and y, fitting through the library, predicting with uncertainty."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, validate_data

from . import _nomu
from ._frames import columns_of, has_text
from ._progress import ProgressBar
from ._settings import pairs_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Self

_FEWEST_ROWS = 4
_LARGEST_SEED = 2**31 - 1


def _numbers(values, name, like):
    """Optional numbers of the rows, [n]."""
    if values is None:
        return None
    values = check_array(values, dtype=np.float64, ensure_2d=False, input_name=name)
    check_consistent_length(values, like)
    return np.ascontiguousarray(values)


_SHARED = """    calibration : str
        "auto", "none", "nll", "separate", "coverage", "conformal" or "isotonic". "auto" gives conformal bounds where
        the rows support the level: below 200 rows from ten fold models (eleven fits in lock step), else from a fifth
        of the rows held out.
    level : float
        Level of the bounds unless another is asked for.
    noise : str
        Noise of the targets: "none", "learned", or "auto": learned from 100 rows on, or known where ``fit`` is given
        ``noise_std``.
    settings : dict, optional
        Any other setting of the method by its name on the command line, such as ``{"train.epochs": 500}``.
    random_state : int, RandomState instance or None
        The same integer gives the same model, bit for bit. None draws one from NumPy's global generator.
    device : str
        "auto", "cpu", "cuda" or "reference".
    threads : int
        Threads of the fit; 0: all cores this process may use. Their number changes no result.
    progress : bool or None
        Whether to show a bar; None: where there is a terminal or a notebook to show it in.

    Attributes
    ----------
    model_ : nomu.Model
        The fitted model itself: its settings, report, calibration and file.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,)
        Only where X had names.
    """


class Regressor(RegressorMixin, BaseEstimator):
    """Base of the regressors; use one of its subclasses."""

    _method = ""
    _names: dict[str, tuple[str, ...]] = {}  # parameter -> settings of the library

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.__doc__ = (cls.__doc__ or "").rstrip(" ") + _SHARED

    def __init__(self, calibration, level, noise, preset, settings, random_state, device, threads, progress):
        self.calibration = calibration
        self.level = level
        self.noise = noise
        self.preset = preset
        self.settings = settings
        self.random_state = random_state
        self.device = device
        self.threads = threads
        self.progress = progress

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        noise_std: ArrayLike | None = None,
        row_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        times: ArrayLike | None = None,
    ) -> Self:
        """Fit and calibrate.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d)
            Inputs. Text columns of a pandas DataFrame become one 0/1 input per text.
        y : array-like of shape (n,)
            Targets; at least four rows, not all equal.
        noise_std : array-like of shape (n,), optional
            Known standard deviation of each target's noise.
        row_weight : array-like of shape (n,), optional
            How much each row counts in the loss.
        groups : array-like of shape (n,), optional
            Rows of a group are held out together by the calibration.
        times : array-like of shape (n,), optional
            The latest rows are held out by the calibration.

        Returns
        -------
        self
        """
        data = self._dataset(X, y, noise_std, row_weight, groups, times)
        with ProgressBar(self.progress) as bar:
            self.model_ = _nomu.fit(
                data, self._method, self.preset, self.noise, self._pairs(), self.device, self.threads, bar.callback
            )
        return self

    def predict(self, X: Any, return_std: bool = False, *, noise_std: ArrayLike | None = None) -> Any:
        """Predict means, and on request calibrated standard deviations.

        Parameters
        ----------
        X : array-like or DataFrame of shape (q, d)
        return_std : bool
            Whether to return standard deviations too; they hold model uncertainty and data noise together.
        noise_std : array-like of shape (q,), optional
            The rows' known noise, for a model that was fitted with known noise.

        Returns
        -------
        mean : ndarray of shape (q,)
        std : ndarray of shape (q,)
            Only with ``return_std``.
        """
        predicted = self._predicted(X, noise_std, required=return_std)
        if not return_std:
            return predicted.mean
        return predicted.mean, self.model_.calibration.sigma(predicted)

    def predict_parts(self, X: Any, *, noise_std: ArrayLike | None = None) -> dict[str, np.ndarray]:
        """Predict with the uncertainty taken apart.

        Returns
        -------
        dict of ndarrays of shape (q,)
            ``mean``; ``sigma_model`` and ``sigma_noise``, calibrated; ``sigma_below``, the model uncertainty downwards
            where it differs; ``outside``, whether a row lies outside the box of the training rows.
        """
        predicted = self._predicted(X, noise_std, required=True)
        calibration = self.model_.calibration
        noise = predicted.sigma_noise
        parts = {
            "mean": predicted.mean,
            "sigma_model": calibration.c_model * predicted.sigma_model,
            "sigma_noise": np.zeros(len(predicted)) if noise is None else calibration.c_noise * noise,
            "outside": self.model_.outside(self._inputs(X)),
        }
        if predicted.sigma_below is not None:
            parts["sigma_below"] = calibration.c_model * predicted.sigma_below
        return parts

    def predict_interval(
        self, X: Any, level: float | None = None, *, noise_std: ArrayLike | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Predict bounds that hold the target with probability ``level``.

        Parameters
        ----------
        X : array-like or DataFrame of shape (q, d)
        level : float in (0, 1), optional
            Default: the one the model was fitted for. A level that the calibration cannot vouch for is refused;
            ``guarantee`` says what the bounds are worth.

        Returns
        -------
        lower, upper : ndarrays of shape (q,)
        """
        check_is_fitted(self)
        x = self._inputs(X)
        if level is None:
            level = self.model_.default_level or self.level
        return self.model_.bounds(x, float(level), _numbers(noise_std, "noise_std", x))

    def guarantee(self, level: float | None = None) -> str:
        """What bounds of this level are worth, in a sentence."""
        check_is_fitted(self)
        return self.model_.calibration.guarantee(float(level or self.model_.default_level or self.level))

    def save(self, path: str | PathLike) -> None:
        """Write a ``.nomu`` file for the command line and ``nomu.load_model``. It contains the training rows."""
        check_is_fitted(self)
        self.model_.save(path)

    def _pairs(self):
        """The parameters as settings of the library."""
        chosen = {"calibration.kind": self.calibration, "calibration.level": self.level}
        for parameter, names in self._names.items():
            chosen.update(dict.fromkeys(names, getattr(self, parameter)))
        chosen.update(self.settings or {})
        if isinstance(self.random_state, (int, np.integer)):
            seed = int(self.random_state)
        else:
            seed = check_random_state(self.random_state).randint(_LARGEST_SEED)
        return pairs_of({"seed": seed, **chosen})

    def _dataset(self, X, y, noise_std, row_weight, groups, times):
        text = has_text(X)
        if text:
            validate_data(self, X, skip_check_array=True)
            y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y").reshape(-1)
            check_consistent_length(X, y)
        else:
            X, y = validate_data(
                self, X, y, dtype=np.float64, order="C", y_numeric=True, ensure_min_samples=_FEWEST_ROWS
            )
        self.text_columns_ = text
        facts = {
            "noise": _numbers(noise_std, "noise_std", y),
            "weight": _numbers(row_weight, "row_weight", y),
            "groups": None if groups is None else [str(group) for group in np.asarray(groups).ravel()],
            "times": _numbers(times, "times", y),
        }
        self.known_noise_ = noise_std is not None
        y = np.ascontiguousarray(y, dtype=np.float64)
        if text:
            return _nomu.columns_dataset(columns_of(X), y, **facts)
        names = getattr(self, "feature_names_in_", None)
        return _nomu.rows_dataset(X, y, names=None if names is None else list(names), **facts)

    def _inputs(self, X):
        """X as the model reads it, (q, inputs)."""
        if not self.text_columns_:
            return validate_data(self, X, dtype=np.float64, order="C", reset=False)
        if not hasattr(X, "columns"):
            raise ValueError(f"{type(self).__name__} was fitted on a table with text columns; give such a table again")
        validate_data(self, X, skip_check_array=True, reset=False)
        return self.model_.encode(columns_of(X[list(self.feature_names_in_)]))

    def _predicted(self, X, noise_std, required):
        check_is_fitted(self)
        x = self._inputs(X)
        noise = _numbers(noise_std, "noise_std", x)
        if noise is None and self.known_noise_ and not required:
            noise = np.zeros(len(x))  # the mean does not depend on it
        return self.model_.predict(x, noise)
