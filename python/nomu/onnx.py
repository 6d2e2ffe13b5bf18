"""Bounds for a network that is already trained, and models as ONNX files for other programs.

>>> bounds = nomu.attach("net.onnx", X, y, calibrate_on=(X_unseen, y_unseen))
>>> bounds.save("with_bounds.onnx")          # outputs mean (the network's own numbers), sigma_model, ..., lower, upper
>>> nomu.onnx.export(model, "model.onnx")    # a fitted regressor, a nomu.Model, or the path of a .nomu file
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _nomu
from ._errors import DataError
from ._frames import column_names, has_text, target_name
from ._nomu import onnx_available as available
from ._predictions import Predictions
from ._progress import ProgressBar
from ._settings import checked_settings, pairs_of, range_of, seed_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["AttachedNetwork", "attach", "available", "export", "load"]


class AttachedNetwork(Predictions):
    """A network from an ONNX file with attached bounds; made by ``nomu.attach``.

    ``predict``, ``predict_parts``, ``predict_interval`` and ``guarantee`` are those of the regressors; X has the shape
    that the network reads, (q, d) or (q, channels, height, width). The mean is the network's output as nomu computes
    it; the file that ``save`` writes contains the original graph, so there it is the original's, bit for bit.

    Attributes
    ----------
    calibration : nomu.calibrate.Calibration
        Turns standard deviations into bounds.
    report : dict
        How the training of the sigma networks went.
    features : str
        Name of the network's value that the bounds read.
    input_shape : tuple of int
        Axes of X after the rows.
    feature_names_in_ : ndarray of shape (d,)
        Only if X had column names.
    """

    def __init__(self, network, model, names):
        self._network = network
        self._model = model
        self.level = model.level
        self.calibration = model.calibration
        self.report = model.report
        self.features = network.features
        self.input_shape = tuple(network.columns)
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def save(self, path: str | PathLike, level: float | None = None) -> None:
        """Write one ONNX file: the original graph with ``sigma_model``, ``sigma_noise``, ``lower`` and ``upper`` added.

        Every output is float32 and has the shape of the original's, which is called ``mean``. The bounds are for
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
        raise TypeError("an attached network cannot be pickled; use the file that its save() writes")

    def __repr__(self):
        return f"<nomu.onnx.AttachedNetwork, input {self.input_shape}, features '{self.features}'>"


def _network(source, features, output=None):
    """Reads a path, bytes, onnx.ModelProto (anything with ``SerializeToString``), or torch's ONNXProgram."""
    source = getattr(source, "model_proto", source)
    if hasattr(source, "SerializeToString"):
        source = source.SerializeToString()
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _nomu.parse_onnx(bytes(source), "network", features or "", output or "")
    if not isinstance(source, (str, PathLike)):
        raise TypeError(
            "network must be a path, the bytes of an ONNX file, an onnx.ModelProto or a torch.onnx.ONNXProgram, "
            f"got {type(source).__name__}"
        )
    return _nomu.load_onnx(os.fspath(source), features or "", output or "")


def _side_by_side(network, X, name):
    """The arrays of a dict by input, or the columns of a table that are called like the inputs, in their order."""
    inputs = network.inputs
    if isinstance(X, Mapping):
        if set(X) != {key for key, _ in inputs}:
            raise DataError(
                f"[onnx/attach] {name} has the keys {sorted(map(str, X))}, but the network's inputs are "
                f"{[key for key, _ in inputs]}"
            )
        try:
            parts = [np.atleast_1d(np.asarray(X[key], dtype=np.float64)) for key, _ in inputs]
        except (TypeError, ValueError) as error:
            raise DataError(f"[onnx/attach] {name} is not a dict of arrays of numbers: {error}") from None
        if any(part.size != len(parts[0]) * size for part, (_, size) in zip(parts, inputs, strict=True)):
            wanted = ", ".join(f"'{key}': (rows, {size})" for key, size in inputs)
            raise DataError(f"[onnx/attach] {name} must hold {{{wanted}}} with the same number of rows")
        return np.concatenate([part.reshape(len(parts[0]), -1) for part in parts], axis=1)
    names = [key for key, _ in inputs]
    given = column_names(X)
    if len(names) > 1 and given is not None and sorted(given) == sorted(names):
        return X[names]
    return X


def _rows(network, X, name, names=None):
    """X as float64 rows (q, d), images flattened to pixels; ``names``: the columns a table must have."""
    X = _side_by_side(network, X, name)
    if has_text(X):
        raise DataError(
            f"[onnx/attach] {name} has text columns, but the network reads numbers; encode them as in its training"
        )
    given = column_names(X)
    if names is not None and given is not None and given != list(names):
        raise DataError(
            f"[onnx/attach] {name} has the columns {given}, but the bounds were attached with {list(names)}"
        )
    shape = tuple(network.columns)
    try:
        x = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"[onnx/attach] {name} is not an array of numbers: {error}") from None
    flat = (int(np.prod(shape)),)
    if x.ndim > 0 and len(x) == 0:
        raise DataError(f"[onnx/attach] {name} has no rows")
    if x.ndim < 2 or x.shape[1:] not in (shape, flat):
        wanted = ", ".join(map(str, shape))
        called = ", ".join(f"'{key}'" for key, _ in network.inputs)
        called = f"input {called} is" if len(network.inputs) == 1 else f"inputs {called} are together"
        raise DataError(f"[onnx/attach] {name} has shape {x.shape}; the network's {called} (rows, {wanted})")
    x = np.ascontiguousarray(x.reshape(len(x), -1))
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0]
        raise DataError(f"[onnx/attach] {name} is not finite in row {row}, column {column}; drop such rows")
    return x


def _targets(y, name, rows):
    try:
        y = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"[onnx/attach] {name} is not an array of numbers: {error}") from None
    if y.shape not in ((rows,), (rows, 1)):
        raise DataError(f"[onnx/attach] {name} has shape {y.shape}, but X has {rows} rows; {name} must be ({rows},)")
    if not np.isfinite(y).all():
        raise DataError(f"[onnx/attach] {name} is not finite in row {np.argmin(np.isfinite(y))}; drop such rows")
    return np.ascontiguousarray(y.reshape(-1))


def attach(
    network: str | PathLike | bytes | Any,
    X: Any,
    y: ArrayLike,
    *,
    calibrate_on: tuple[Any, ArrayLike] | None = None,
    features: str | None = None,
    output: str | None = None,
    noise: str = "auto",
    calibration: str = "auto",
    level: float | None = None,
    settings: dict[str, Any] | None = None,
    range: tuple[float, float] | None = None,
    random_state: Any = 1,
    device: str = "auto",
    threads: int = 0,
    progress: bool | None = None,
) -> AttachedNetwork:
    """Give bounds to a trained regression network.

    Trains an ensemble of sigma networks that read its inputs and its last hidden layer; the network itself is not
    changed.

    Parameters
    ----------
    network : path, bytes, onnx.ModelProto or torch.onnx.ONNXProgram
        A float32 input (rows, d) or (rows, channels, height, width) with any number of rows, or several inputs
        (rows, d) of float32 or integers, and an output with one number per row. Weights in a second file are read from
        the folder of the path. Unknown operators are refused, naming their node.
    X : array-like or DataFrame of shape (n, d) or (n, channels, height, width), or dict of arrays by input
        Rows the network was trained on, in the form it reads. The columns of an array are those of all inputs, in their
        order; a DataFrame whose columns are called like the inputs may have any order.
    y : array-like of shape (n,)
        Their targets.
    calibrate_on : (X, y), optional
        Rows the network has not seen, to calibrate the bounds on. Without them no coverage is proven, because a
        network's errors are smaller on its training rows than elsewhere.
    features : str, optional
        Node or value of the network that the bounds read; default: the input of its last layer with weights.
    output : str, optional
        The output that is the prediction, if the network has several.
    noise : str
        Noise of the targets: "none", "learned" or "auto", which learns it from 100 rows on.
    calibration : str
        "auto", "none", "nll", "separate", "coverage", "isotonic" or, with ``calibrate_on``, "conformal", which "auto"
        then chooses if the rows support the level.
    level : float, optional
        Default level of the bounds; None: 0.95. "auto" refuses a level that is given here and not supported.
    settings : dict, optional
        Any setting of the sigma networks, by its name on the command line, such as ``{"ensemble": 1}`` for a single one
        or, for images, ``{"sigma_net.filters": [8, 12]}`` to read the pixels too.
    range : (low, high), optional
        Values that the target can take, such as (0, inf): bounds and quantiles stay inside. The ``mean`` in a file is
        the network's own.
    random_state : int, RandomState instance or None
        The same integer gives the same bounds, bit for bit. None draws a seed from NumPy's global generator.
    device, threads, progress
        As for the regressors.
    """
    read = _network(network, features, output)
    X = _side_by_side(read, X, "X")
    names = column_names(X)
    data = _dataset(read, X, y, names, ("X", "y"))
    unseen = None
    if calibrate_on is not None:
        try:
            X_unseen, y_unseen = calibrate_on
        except (TypeError, ValueError):
            raise TypeError("calibrate_on must be a pair (X, y)") from None
        unseen = _dataset(read, X_unseen, y_unseen, names, ("X of calibrate_on", "y of calibrate_on"))
    chosen = {"seed": seed_of(random_state), "calibration.kind": calibration}
    if level is not None:
        chosen["calibration.level"] = level
    with ProgressBar(progress) as bar:
        model = _nomu.attach(
            read,
            data,
            unseen,
            noise,
            pairs_of({**chosen, **checked_settings(settings)}),
            device,
            threads,
            bar.callback,
            range_of(range),
        )
    return AttachedNetwork(read, model, names)


def _dataset(network, X, y, names, called):
    x = _rows(network, X, called[0], names)
    return _nomu.rows_dataset(x, _targets(y, called[1], len(x)), names=names, target=target_name(y))


def export(model: Any, path: str | PathLike, level: float | None = None) -> None:
    """Write a fitted model as an ONNX file.

    Parameters
    ----------
    model : fitted regressor, nomu.Model, or path of a .nomu file
        Any method except "gp", which is not a network.
    path : path of the file to write
    level : float in (0, 1), optional
        Level of the outputs ``lower`` and ``upper``; default: the one the model was fitted for.
    """
    if isinstance(model, (str, PathLike)):
        model = _nomu.load_model(model)
    elif hasattr(model, "export_onnx"):
        return model.export_onnx(path, level)
    if not isinstance(model, _nomu.Model):
        raise TypeError(f"model must be a fitted regressor, a nomu.Model or a path, got {type(model).__name__}")
    return _nomu.save_onnx(model, path, level)


def load(
    path: str | PathLike,
    network: str | PathLike | bytes | Any,
    *,
    features: str | None = None,
    output: str | None = None,
) -> AttachedNetwork:
    """Read bounds that ``AttachedNetwork.save_model`` wrote, together with the network they were fitted for.

    Parameters
    ----------
    path : path of the ``.nomu`` file
    network : path, bytes, onnx.ModelProto or torch.onnx.ONNXProgram
        The network itself, which the file does not contain; any other is refused.
    features, output : str, optional
        What was given to ``attach``.
    """
    source = _network(network, features, output)
    model = _nomu.load_bounds(path, source)
    named = model.input_names != [f"x{j + 1}" for j in range(len(model.input_names))]
    return AttachedNetwork(source, model, model.input_names if named else None)
