"""Tables of pandas and polars, as columns that the library encodes itself by the rules of docs/tables.md."""

import sys

import numpy as np


def is_frame(X):
    """Whether X is a table of pandas or polars."""
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    return (pandas is not None and isinstance(X, pandas.DataFrame)) or (
        polars is not None and isinstance(X, polars.DataFrame)
    )


def _is_polars(X):
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(X, polars.DataFrame)


def _is_number(column):
    """Whether all cells are numbers; truth values are not."""
    if _is_polars_column(column):
        return column.dtype.is_numeric()
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return is_numeric_dtype(column.dtype) and not is_bool_dtype(column.dtype)


def _is_polars_column(column):
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(column, polars.Series)


def _column(frame, name):
    return frame[name] if not _is_polars(frame) else frame.get_column(name)


def has_text(X):
    """Whether X is a table with a column that is not numeric."""
    return is_frame(X) and any(not _is_number(_column(X, name)) for name in X.columns)


def column_names(X):
    """The column names of a table if all are texts, otherwise None."""
    names = list(getattr(X, "columns", []))
    return names if names and all(isinstance(name, str) for name in names) else None


def _numbers(column):
    if _is_polars_column(column):
        import polars

        return np.ascontiguousarray(column.cast(polars.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)
    return np.ascontiguousarray(column.to_numpy(dtype=np.float64, na_value=np.nan))


def _text(cell):
    """A cell as a file would hold it: ISO dates, true and false."""
    if isinstance(cell, (bool, np.bool_)):
        return "true" if cell else "false"
    iso = getattr(cell, "isoformat", None)
    return iso() if iso is not None else str(cell)


def _texts(column):
    """The cells as texts; missing ones are empty."""
    if _is_polars_column(column):
        return ["" if cell is None else _text(cell) for cell in column.to_list()]
    missing = column.isna().to_numpy()
    cells = column.astype(object).to_numpy()
    return ["" if gone else _text(cell) for cell, gone in zip(cells, missing, strict=True)]


def _is_category(column):
    return type(column.dtype).__name__ in ("CategoricalDtype", "Categorical", "Enum")


def _reads_as_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def columns_of(frame):
    """[(name, float64 array or list of texts)], one per column; missing texts are empty."""
    columns = []
    for name in frame.columns:
        column = _column(frame, name)
        columns.append((str(name), _numbers(column) if _is_number(column) else _texts(column)))
    return columns


def categorical_columns(frame, columns):
    """Names of the columns whose cells are names, whatever they look like: of dtype category, or numbers as texts."""
    names = []
    for original, (name, cells) in zip(frame.columns, columns, strict=True):
        texts = isinstance(cells, list)
        if _is_category(_column(frame, original)) or (texts and all(_reads_as_number(c) for c in cells if c)):
            names.append(name)
    return names


def selected(frame, names):
    """The columns of these names, in this order; the table as it is if some are missing, which scikit-learn tells."""
    missing = [name for name in names if name not in frame.columns]
    if missing and all(isinstance(name, str) for name in names):
        return frame
    if missing:
        raise ValueError(f"these columns of the fit are missing: {missing}")
    return frame.select(names) if _is_polars(frame) else frame[list(names)]


def target_name(y):
    """The name of a pandas Series or of the only column of a table, or None."""
    name = getattr(y, "name", None)
    names = [name] if name is not None else list(getattr(y, "columns", []))
    return names[0] if len(names) == 1 and isinstance(names[0], str) else None
