"""Lists, arrays and pandas columns as the float64 arrays that the library reads."""

import numpy as np


def vector(values, name):
    """values as float64, [q]."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.reshape(-1)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}")
    return array
