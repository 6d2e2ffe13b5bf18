"""Bounds for a network that is trained already, and models as ONNX files that other programs run.

>>> bounds = nomu.attach("net.onnx", X, y, calibrate_on=(X_unseen, y_unseen))
>>> bounds.save("with_bounds.onnx")          # outputs mean (the network's own numbers), sigma_model, ..., lower, upper
>>> nomu.onnx.export(model, "model.onnx")    # a fitted regressor, a nomu.Model, or the path of a .nomu file
"""

from __future__ import annotations

import os
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _nomu
from ._errors import DataError
from ._frames import column_names, has_text
from ._nomu import onnx_available as available
from ._predictions import Predictions
from ._progress import ProgressBar
from ._settings import checked_settings, pairs_of, seed_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["AttachedNetwork", "attach", "available", "export", "load"]


class AttachedNetwork(Predictions):
    """A network from an ONNX file with bounds beside it; made by ``nomu.attach``.

    ``predict``, ``predict_parts``, ``predict_interval`` and ``guarantee`` are those of the regressors; X has the shape
    that the network reads, (q, d) or (q, channels, height, width). The mean is the network's own answer as nomu works
    it out; the file that ``save`` writes holds the original graph, so there it is the original's bit for bit.

    Attributes
    ----------
    calibration : nomu.calibrate.Calibration
        What makes bounds of the standard deviations.
    report : dict
        How the training of the sigma networks went.
    features : str
        Name of the value of the network that the bounds read.
    input_shape : tuple of int
        Axes of X behind the rows.
    feature_names_in_ : ndarray of shape (d,)
        Only where X had names.
    """

    def __init__(self, network, model, names, level):
        self._network = network
        self._model = model
        self.level = level
        self.calibration = model.calibration
        self.report = model.report
        self.features = network.features
        self.input_shape = tuple(network.columns)
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def save(self, path: str | PathLike, level: float | None = None) -> None:
        """Write one ONNX file: the original graph and beside it ``sigma_model``, ``sigma_noise``, ``lower``, ``upper``.

        Every output is float32 and shaped as the original's, which is called ``mean``. The bounds are those of
        ``level``, by default the one they were attached for; without calibration there are none.
        """
        _nomu.save_attached(self._network, self._model, path, level)

    def save_model(self, path: str | PathLike) -> None:
        """Write the bounds alone as a ``.nomu`` file, which ``nomu.onnx.load`` reads together with the network."""
        self._model.save(path)

    def to_bytes(self, level: float | None = None) -> bytes:
        """The file that ``save`` writes, for ``onnxruntime.InferenceSession`` or ``onnx.load_from_string``."""
        return _nomu.pack_attached(self._network, self._model, level)

    def _fitted_model(self):
        return self._model

    def _inputs(self, X):
        return _rows(self._network, X, "X", getattr(self, "feature_names_in_", None))

    def __reduce__(self):
        raise TypeError("an attached network is not pickled: keep the file that its save() writes")

    def __repr__(self):
        return f"<nomu.onnx.AttachedNetwork, input {self.input_shape}, features '{self.features}'>"


def _network(source, features):
    """Reads a path, bytes, or what has ``SerializeToString`` as onnx.ModelProto does."""
    if hasattr(source, "SerializeToString"):
        source = source.SerializeToString()
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _nomu.parse_onnx(bytes(source), "network", features or "")
    if not isinstance(source, (str, PathLike)):
        raise TypeError(
            f"network is a path, the bytes of an ONNX file or an onnx.ModelProto, got {type(source).__name__}"
        )
    return _nomu.load_onnx(os.fspath(source), features or "")


def _rows(network, X, name, names=None):
    """X as float64 rows (q, d), an image being its pixels one after the other; ``names``: what a table must have."""
    if has_text(X):
        raise DataError(
            f"[onnx/attach] {name} has columns of text, and the network reads numbers; encode them as it was"
        )
    given = column_names(X)
    if names is not None and given is not None and given != list(names):
        raise DataError(f"[onnx/attach] {name} has the columns {given}, the bounds were attached with {list(names)}")
    shape = tuple(network.columns)
    try:
        x = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"[onnx/attach] {name} is no array of numbers: {error}") from None
    flat = (int(np.prod(shape)),)
    if x.ndim > 0 and len(x) == 0:
        raise DataError(f"[onnx/attach] {name} has no rows")
    if x.ndim < 2 or x.shape[1:] not in (shape, flat):
        wanted = ", ".join(map(str, shape))
        raise DataError(
            f"[onnx/attach] {name} has shape {x.shape}; the network's input '{network.input}' is (rows, {wanted})"
        )
    x = np.ascontiguousarray(x.reshape(len(x), -1))
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0]
        raise DataError(f"[onnx/attach] {name} is not finite in row {row}, column {column}; leave such rows out")
    return x


def _targets(y, name, rows):
    try:
        y = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"[onnx/attach] {name} is no array of numbers: {error}") from None
    if y.shape not in ((rows,), (rows, 1)):
        raise DataError(f"[onnx/attach] {name} has shape {y.shape}, X has {rows} rows; {name} is ({rows},)")
    if not np.isfinite(y).all():
        raise DataError(f"[onnx/attach] {name} is not finite in row {np.argmin(np.isfinite(y))}; leave such rows out")
    return np.ascontiguousarray(y.reshape(-1))


def attach(
    network: str | PathLike | bytes | Any,
    X: Any,
    y: ArrayLike,
    *,
    calibrate_on: tuple[Any, ArrayLike] | None = None,
    features: str | None = None,
    noise: str = "none",
    calibration: str = "auto",
    level: float = 0.95,
    settings: dict[str, Any] | None = None,
    random_state: Any = 1,
    device: str = "auto",
    threads: int = 0,
    progress: bool | None = None,
) -> AttachedNetwork:
    """Give bounds to a trained regression network.

    An ensemble of sigma networks is trained beside it, on its inputs and on what its last hidden layer holds; the
    network itself stays as it is.

    Parameters
    ----------
    network : path, bytes or onnx.ModelProto
        One float32 input (rows, d) or (rows, channels, height, width) with any number of rows, one output of one number
        a row. Operators that are not known are refused by the name of their node.
    X : array-like or DataFrame of shape (n, d) or (n, channels, height, width)
        Rows the network was trained on, as it reads them.
    y : array-like of shape (n,)
        What it was to predict there.
    calibrate_on : (X, y), optional
        Rows the network has not seen, which the bounds are calibrated on. Without them the bounds prove no coverage:
        on rows a network has learned from it errs less than elsewhere.
    features : str, optional
        Node or value of the network that the bounds read; default: what its last layer with weights reads.
    noise : str
        Noise of the targets: "none" or "learned".
    calibration : str
        "auto", "none", "nll", "separate", "coverage", "isotonic", or, with ``calibrate_on``, "conformal", which "auto"
        then is where the rows support the level.
    level : float
        Level of the bounds unless another is asked for.
    settings : dict, optional
        Any setting of the sigma networks by its name on the command line, such as ``{"ensemble": 1}`` for a single one
        or, for images, ``{"sigma_net.filters": [8, 12]}`` to have them look at the pixels too.
    random_state : int, RandomState instance or None
        The same integer gives the same bounds, bit for bit. None draws one from NumPy's global generator.
    device, threads, progress
        As for the regressors.
    """
    read = _network(network, features)
    names = column_names(X)
    data = _dataset(read, X, y, names, ("X", "y"))
    unseen = None
    if calibrate_on is not None:
        try:
            X_unseen, y_unseen = calibrate_on
        except (TypeError, ValueError):
            raise TypeError("calibrate_on is a pair (X, y)") from None
        unseen = _dataset(read, X_unseen, y_unseen, names, ("X of calibrate_on", "y of calibrate_on"))
    chosen = {"seed": seed_of(random_state), "calibration.kind": calibration, "calibration.level": level}
    with ProgressBar(progress) as bar:
        model = _nomu.attach(
            read, data, unseen, noise, pairs_of({**chosen, **checked_settings(settings)}), device, threads, bar.callback
        )
    return AttachedNetwork(read, model, names, level)


def _dataset(network, X, y, names, called):
    x = _rows(network, X, called[0], names)
    return _nomu.rows_dataset(x, _targets(y, called[1], len(x)), names=names)


def export(model: Any, path: str | PathLike, level: float | None = None) -> None:
    """Write a fitted model of networks as an ONNX file.

    Parameters
    ----------
    model : fitted regressor, nomu.Model, or path of a .nomu file
        Any method but "gp", which is no network.
    path : path of the file to write
    level : float in (0, 1), optional
        Level of the outputs ``lower`` and ``upper``; default: the one the model was fitted for.
    """
    if isinstance(model, (str, PathLike)):
        model = _nomu.load_model(model)
    elif hasattr(model, "export_onnx"):
        return model.export_onnx(path, level)
    if not isinstance(model, _nomu.Model):
        raise TypeError(f"model is a fitted regressor, a nomu.Model or a path, got {type(model).__name__}")
    return _nomu.save_onnx(model, path, level)


def load(path: str | PathLike, network: str | PathLike | bytes | Any, *, features: str | None = None) -> AttachedNetwork:
    """Read bounds that ``AttachedNetwork.save_model`` wrote, together with the network they were fitted for.

    Parameters
    ----------
    path : path of the ``.nomu`` file
    network : path, bytes or onnx.ModelProto
        The network itself, which the file does not hold; another one is refused.
    features : str, optional
        Name of the value that the bounds read, where it was chosen.
    """
    source = _network(network, features)
    model = _nomu.load_bounds(path, source)
    return AttachedNetwork(source, model, None, model.default_level)
