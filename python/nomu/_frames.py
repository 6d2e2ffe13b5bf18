"""pandas tables with text columns, as columns that the library encodes itself."""

import sys

import numpy as np


def has_text(X):
    """Whether X is a pandas table with a column that is not numeric."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(X, pandas.DataFrame):
        return False
    return any(not pandas.api.types.is_numeric_dtype(kind) for kind in X.dtypes)


def column_names(X):
    """The column names of a table if all are texts, otherwise None."""
    names = list(getattr(X, "columns", []))
    return names if names and all(isinstance(name, str) for name in names) else None


def columns_of(frame):
    """[(name, float64 array or list of texts)], one per column; missing texts are empty."""
    from pandas.api.types import is_numeric_dtype

    columns = []
    for name in frame.columns:
        column = frame[name]
        if is_numeric_dtype(column.dtype):
            columns.append((str(name), np.ascontiguousarray(column.to_numpy(dtype=np.float64, na_value=np.nan))))
        else:
            missing = column.isna().to_numpy()
            cells = column.astype(object).to_numpy()
            columns.append((str(name), ["" if gone else str(cell) for cell, gone in zip(cells, missing, strict=True)]))
    return columns


def target_name(y):
    """The name of a pandas Series or of the only column of a table, or None."""
    name = getattr(y, "name", None)
    names = [name] if name is not None else list(getattr(y, "columns", []))
    return names[0] if len(names) == 1 and isinstance(names[0], str) else None
