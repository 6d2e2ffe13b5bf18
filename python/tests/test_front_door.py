"""The same rows, settings and seed give the same file from the package and from the tool. NOMU_TOOL names the tool."""

import os
import subprocess

import numpy as np
import pytest
from conftest import QUICK, quick

import nomu
from nomu import _nomu

# Methods without an estimator of their own; the module below the estimators fits them all.
OTHERS = {
    "directed": {"train.epochs": "60"},
    "tube": {"nomu.train.epochs": "60", "nomu.ensemble": "2"},
    "ann": {"net.hidden": "[16]", "train.epochs": "60"},
}

TOOL = os.environ.get("NOMU_TOOL", "")
pytestmark = pytest.mark.skipif(not os.path.exists(TOOL), reason="NOMU_TOOL names no command-line tool")


def frame(rows):
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(3)
    table = pandas.DataFrame({"a": random.uniform(size=rows), "b": random.normal(size=rows)})
    table["colour"] = [("red", "green", "blue")[i % 3] for i in range(rows)]
    table["y"] = table["a"] ** 2 - table["b"] + 0.1 * random.normal(size=rows)
    return table


def test_missing_names_are_those_of_the_tool(tmp_path):
    table = frame(160)
    table["site"] = [("north", "south", "NA", "n/a", "null", "?", "nan", None)[i % 8] for i in range(160)]
    table.to_csv(tmp_path / "rows.csv", index=False, float_format=lambda value: repr(float(value)))
    model = quick("GPRegressor", level=0.8, random_state=5).fit(table[["a", "b"]], table["y"], coverage_by=table["site"])
    assert set(model.model_.calibration.strata) == {"(missing)", "north", "south"}
    done = subprocess.run(
        [TOOL, "fit", tmp_path / "rows.csv", "--target", "y", "--method", "gp", "--seed", "5", "--level", "0.8", "--ignore", "colour",
         "--coverage-by", "site", "--set", "restarts=0", "--set", "calibration.folds=3", "-o", tmp_path / "tool.nomu"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert nomu.load_model(tmp_path / "tool.nomu").calibration.strata == model.model_.calibration.strata


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize(("rows", "columns"), [(40, ["a", "b", "colour"]), (120, ["a", "b"])])
def test_the_same_bytes(name, rows, columns, tmp_path):
    table = frame(rows)[[*columns, "y"]]
    table.to_csv(tmp_path / "rows.csv", index=False, float_format=lambda value: repr(float(value)))
    model = quick(name, level=0.8, random_state=5).fit(table[columns], table["y"])
    model.save(tmp_path / "python.nomu")
    settings = {text for text in model._pairs() if text[0] not in ("seed", "calibration.kind", "calibration.level")}
    sets = [word for key, value in sorted(settings) for word in ("--set", f"{key}={value}")]
    arguments = ["fit", tmp_path / "rows.csv", "--target", "y", "--method", model._method, "--seed", 5, "--level", 0.8]
    done = subprocess.run(
        [TOOL, *map(str, arguments), *sets, "-o", str(tmp_path / "tool.nomu")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    if nomu.load_model(tmp_path / "tool.nomu").engine.provider != model.model_.engine.provider:
        pytest.skip("the tool multiplies matrices with another library")
    assert (tmp_path / "python.nomu").read_bytes() == (tmp_path / "tool.nomu").read_bytes()
    # And the same file predicts the same numbers, MC dropout's masks included.
    loaded = nomu.load_model(tmp_path / "tool.nomu")
    assert np.array_equal(loaded.bounds(model._inputs(table[columns]), 0.8), model.predict_interval(table[columns], 0.8))


@pytest.mark.parametrize("method", OTHERS)
def test_the_same_bytes_without_an_estimator(method, tmp_path):
    table = frame(120)[["a", "b", "y"]]
    table.to_csv(tmp_path / "rows.csv", index=False, float_format=lambda value: repr(float(value)))
    settings = {**OTHERS[method], "calibration.folds": "3"}
    x, y = (np.ascontiguousarray(table[columns].to_numpy()) for columns in (["a", "b"], "y"))
    data = _nomu.rows_dataset(x, y, names=["a", "b"], target="y")
    chosen = [("seed", "5"), ("calibration.level", "0.8"), *settings.items()]
    model = _nomu.fit(data, method=method, settings=chosen, threads=1)
    model.save(tmp_path / "python.nomu")
    sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    arguments = ["fit", tmp_path / "rows.csv", "--target", "y", "--method", method, "--seed", 5, "--level", 0.8]
    done = subprocess.run(
        [TOOL, *map(str, arguments), *sets, "-o", str(tmp_path / "tool.nomu")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    if nomu.load_model(tmp_path / "tool.nomu").engine.provider != model.engine.provider:
        pytest.skip("the tool multiplies matrices with another library")
    assert (tmp_path / "python.nomu").read_bytes() == (tmp_path / "tool.nomu").read_bytes()


def test_no_method_is_left_out():
    assert sorted([*(quick(name)._method for name in QUICK), *OTHERS]) == sorted(_nomu.method_names())
