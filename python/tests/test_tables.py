"""Tables as people have them (docs/tables.md), through the package."""

import os
import subprocess

import numpy as np
import pytest
from conftest import quick

import nomu

TOOL = os.environ.get("NOMU_TOOL", "")


@pytest.fixture
def table():
    """Every kind of column, with holes, and a target that depends on them."""
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(4)
    n = 60
    size = random.uniform(1, 9, n)
    shop = random.choice(["east", "west"], n)
    is_open = random.uniform(size=n) < 0.7
    y = size * np.where(shop == "east", 2, 1) * np.where(is_open, 1.5, 1) + random.normal(size=n)
    size[::7] = np.nan
    frame = pandas.DataFrame(
        {
            "day": pandas.date_range("2020-01-01", periods=n, freq="20D"),
            "size": size,
            "shop": shop,
            "open": is_open,
            "code": ["7", "8", "9"] * (n // 3),
        }
    )
    frame["count"] = pandas.array([None if i % 11 == 0 else i % 5 for i in range(n)], dtype="Int64")
    return frame, np.maximum(y, 0.0)


def test_every_kind_of_column(table):
    X, y = table
    model = quick("GPRegressor").fit(X, y)
    assert model.model_.input_names == [
        *("day", "day season sine", "day season cosine", "day week sine", "day week cosine"),
        *("size", "size missing", "shop=east", "shop=west", "shop unknown", "open"),
        *("code=7", "code=8", "code=9", "code unknown", "count", "count missing"),
    ]
    assert "missing cells are learned from, with an input of their own: size (9), count (6)" in model.model_.describe()
    assert list(model.feature_names_in_) == ["day", "size", "shop", "open", "code", "count"]
    texts = X.assign(day=X["day"].dt.strftime("%Y-%m-%d"), shop=X["shop"].astype("string"))
    texts = texts.assign(open=X["open"].astype("boolean"))
    categories = X.assign(shop=X["shop"].astype("category"), code=X["code"].astype("category"))
    for other in (texts, categories):
        again = quick("GPRegressor").fit(other, y)
        assert np.array_equal(again.predict(other), model.predict(X))
        assert np.array_equal(model.predict(other), model.predict(X))


def test_polars_tables_are_read_like_those_of_pandas(table):
    polars = pytest.importorskip("polars")
    X, y = table
    columns = {name: X[name].tolist() for name in ("shop", "open", "code")}
    frame = polars.DataFrame(
        {
            "day": [day.to_pydatetime().date() for day in X["day"]],
            "size": [None if np.isnan(size) else size for size in X["size"]],
            **columns,
            "count": [None if gone else int(X["count"][i]) for i, gone in enumerate(X["count"].isna())],
        }
    )
    model = quick("GPRegressor").fit(frame, y)
    assert np.array_equal(model.predict(frame), quick("GPRegressor").fit(X, y).predict(X))
    assert np.array_equal(model.predict(frame[["count", "code", "open", "shop", "size", "day"]]), model.predict(frame))
    assert np.array_equal(model.predict(X), model.predict(frame)), "and either one can be predicted"


def test_columns_are_matched_by_name(table, rows):
    pandas = pytest.importorskip("pandas")
    X, y = table
    model = quick("GPRegressor").fit(X, y)
    shuffled = X[X.columns[::-1]].assign(extra="of no use")
    assert np.array_equal(model.predict(shuffled), model.predict(X))
    with pytest.raises(ValueError, match="now missing:\n- shop"):
        model.predict(X.drop(columns="shop"))
    with pytest.raises(ValueError, match="text columns"):
        model.predict(X.to_numpy())
    numbers = pandas.DataFrame(rows[0], columns=["left", "right"])
    model = quick("GPRegressor").fit(numbers, rows[1])
    assert np.array_equal(model.predict(numbers[["right", "left"]].assign(more=1.0)), model.predict(numbers))


def test_new_names_and_new_holes_are_outside(table):
    X, y = table
    model = quick("GPRegressor").fit(X, y)
    inside = X.iloc[[10]]
    assert list(model.predict_parts(inside)["outside"]) == [False]
    assert list(model.predict_parts(inside.assign(shop="north"))["outside"]) == [True]
    assert list(model.predict_parts(inside.assign(shop=None))["outside"]) == [True]
    assert list(model.predict_parts(inside.assign(size=np.nan))["outside"]) == [False], "holes in size are known"
    assert np.isfinite(model.predict(inside.assign(shop="north")))[0]


def test_arrays_may_have_missing_numbers(rows):
    X, y = rows
    holes = X.copy()
    holes[::5, 1] = np.nan
    model = quick("GPRegressor").fit(holes, y)
    assert model.model_.input_names == ["x1", "x2", "x2 missing"]
    assert np.isfinite(model.predict(holes)).all()
    assert list(model.predict_parts(np.array([[np.nan, 0.0], [0.0, np.nan]]))["outside"]) == [True, False]
    whole = quick("GPRegressor").fit(X, y)
    assert list(whole.predict_parts(np.array([[np.nan, 0.0], [0.0, 0.0]]))["outside"]) == [True, False]
    with pytest.raises(ValueError, match="infinity"):
        whole.predict(np.full((1, 2), np.inf))


def test_messages_name_what_to_do(table):
    X, y = table
    broken = X.assign(day=["2024-02-30"] + ["2024-02-28"] * (len(X) - 1))
    with pytest.raises(nomu.DataError, match="row 1, column 'day': '2024-02-30' is not a date.*dtype 'category'"):
        quick("GPRegressor").fit(broken, y)
    mixed = quick("GPRegressor").fit(X.assign(code=["1", "2", "3+"] * 20), y).model_.describe()
    assert "column 'code' mixes numbers with texts such as '3+'" in mixed
    named = quick("GPRegressor").fit(X.assign(id=[f"r{i}" for i in range(len(X))]), y).model_.describe()
    assert "column 'id' has 60 different names in 60 rows, like a row id, and is left out" in named


def test_many_names_and_rows_without_a_target(table):
    X, y = table
    names = [f"n{i % 50}" for i in range(75)] + ["a"] * 75
    pandas = pytest.importorskip("pandas")
    wide = pandas.DataFrame({"c": names + [f"rare{i}" for i in range(40)], "x": np.arange(190.0)})
    said = quick("GPRegressor").fit(wide, np.arange(190.0) % 7).model_.describe()
    assert "column 'c' has 91 names: the " in said and "most frequent have inputs of their own, the others, in" in said
    holes = y.copy()
    holes[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):  # scikit-learn's own rule: y must be known
        quick("GPRegressor").fit(X, holes)


def test_sample_weights_are_row_weights(rows):
    X, y = rows
    weight = np.linspace(0, 1, 40)
    by_name = quick("NOMURegressor").fit(X, y, sample_weight=weight).predict(X)
    assert np.array_equal(by_name, quick("NOMURegressor").fit(X, y, row_weight=weight).predict(X))
    assert not np.array_equal(by_name, quick("NOMURegressor").fit(X, y).predict(X))
    with pytest.raises(nomu.ConfigError, match="not both"):
        quick("NOMURegressor").fit(X, y, sample_weight=weight, row_weight=weight)


@pytest.mark.parametrize("frame", [False, True])
def test_only_ratios_of_weights_count(rows, frame):
    pandas = pytest.importorskip("pandas")
    X, y = rows
    bad = np.full((8, 2), 50.0)

    def bounds(X, y, weight):
        # Names make a table of it, whose columns are read from the rows that count.
        given = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.where(X[:, 0] > 9, "z", "n")}) if frame else X
        model = quick("NOMURegressor").fit(given, y, sample_weight=weight)
        return np.array(model.predict_interval(given[:40]))

    plain = bounds(X, y, None)
    for weight in 1e-3, 100.0:
        assert np.array_equal(plain, bounds(X, y, np.full(40, weight)))
    more = bounds(np.vstack([X, bad]), np.concatenate([y, np.arange(8) * 1000.0]), np.repeat([2.0, 0.0], [40, 8]))
    assert np.array_equal(plain, more)


def test_ranges(table):
    X, y = table
    model = quick("GPRegressor", range=(0, np.inf)).fit(X, y)
    lower, upper = model.predict_interval(X, 0.9)
    assert lower.min() == 0.0 and (upper > lower).all() and model.predict(X).min() >= 0.0
    assert "'y' stays between 0 and inf" in model.model_.describe()
    with pytest.raises(nomu.DataError, match="not in its range 5 to inf"):
        quick("GPRegressor", range=(5, np.inf)).fit(X, y)
    with pytest.raises(TypeError, match="two numbers"):
        quick("GPRegressor", range=5).fit(X, y)


def test_quantiles(rows):
    X, y = rows
    model = quick("NOMURegressor").fit(X, y)
    found = model.predict_quantiles(X, [0.9, 0.5, 0.1])
    assert found.shape == (40, 3) and (found[:, 0] >= found[:, 1]).all() and (found[:, 1] >= found[:, 2]).all()
    lower, upper = model.predict_interval(X, 0.8)
    assert np.array_equal(found[:, 2], lower) and np.array_equal(found[:, 0], upper)
    with pytest.raises(nomu.ConfigError, match="quantile 0.001 is a bound of level 0.998"):
        model.predict_quantiles(X, [0.001])


@pytest.mark.skipif(not os.path.exists(TOOL), reason="NOMU_TOOL names no command-line tool")
def test_the_same_bytes_as_from_the_tool(table, tmp_path):
    X, y = table
    X = X.assign(code=["1", "2", "3+"] * 20)
    X.assign(open=X["open"].map({True: "true", False: "false"}), y=y).to_csv(
        tmp_path / "rows.csv", index=False, float_format=lambda value: repr(float(value))
    )
    model = quick("GPRegressor", range=(0, np.inf), random_state=5).fit(X, y)
    model.save(tmp_path / "python.nomu")
    arguments = ["fit", tmp_path / "rows.csv", "--target", "y", "--method", "gp", "--seed", 5, "--range", "0,inf"]
    sets = ["--set", "calibration.folds=3", "--set", "restarts=0"]
    done = subprocess.run(
        [TOOL, *map(str, arguments), *sets, "-o", str(tmp_path / "tool.nomu")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    if nomu.load_model(tmp_path / "tool.nomu").engine.provider != model.model_.engine.provider:
        pytest.skip("the tool multiplies matrices with another library")
    assert (tmp_path / "python.nomu").read_bytes() == (tmp_path / "tool.nomu").read_bytes()
