"""What the bounds promise for repeated inputs, groups, times and names."""

import numpy as np
import pytest

import nomu

TINY = {"train.epochs": 40, "mean_net.hidden": [16], "sigma_net.hidden": [16]}


def quick(**parameters):
    return nomu.NOMURegressor(preset="written", settings=TINY, **parameters)


def draw(rows, seed=1):
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (rows, 2))
    return X, X[:, 0] + random.normal(0, 0.1, rows)


def test_equal_inputs_count_once():
    X, y = draw(40)
    model = quick().fit(np.tile(X, (5, 1)), np.tile(y, 5))
    calibration = model.model_.calibration
    assert (calibration.unit, calibration.units, calibration.rows) == ("new_inputs", 40, 200)
    assert "with new inputs like the 40 distinct ones of the 200 rows" in model.guarantee()
    assert "200 rows, 40 with distinct inputs" in model.model_.describe()


def test_groups_prove_what_their_number_allows():
    X, y = draw(300)
    groups = np.arange(300) % 10
    model = quick().fit(X, y, groups=groups)
    assert "measured, not proven" in model.guarantee() and "10 groups prove at most 90.91 %" in model.guarantee()
    with pytest.raises(nomu.ConfigError, match="needs at least 19 calibration groups, but there are 10"):
        quick(level=0.95).fit(X, y, groups=groups)
    lower = quick(level=0.9).fit(X, y, groups=groups)
    assert "a row of a new group like the 10 groups" in lower.guarantee()
    fresh, results = draw(60, 2)
    assert lower.calibrate(fresh, results, groups=np.arange(60) % 20).model_.calibration.units == 20


def test_a_level_that_needs_more_rows_is_refused():
    X, y = draw(60)
    with pytest.raises(nomu.ConfigError, match="level 0.9999 needs at least 9999 calibration rows, but there are 60"):
        quick(level=0.9999).fit(X, y)
    model = quick().fit(X, y)
    for question in (model.predict_interval, lambda X, level: model.guarantee(level)):
        with pytest.raises(nomu.ConfigError, match="level 0.9999 needs at least 9999 calibration rows, but there are 60"):
            question(X, level=0.9999)
    for level in (0, 1, -0.5, 1.5, float("nan"), float("inf")):
        with pytest.raises(nomu.ConfigError, match="level"):
            model.predict_interval(X, level=level)


def test_adaptive_bounds_keep_their_level_under_a_trend():
    X, y = draw(900)
    y = y + 0.005 * np.arange(900)
    model = quick(level=0.9).fit(X[:300], y[:300], times=np.arange(300))
    assert "nothing drifts" in model.guarantee()
    lower, upper = model.predict_interval(X[300:])
    assert np.mean((lower <= y[300:]) & (y[300:] <= upper)) < 0.8
    bounds = model.adaptive()
    before = bounds.predict_interval(X[300:301])
    lower, upper = bounds.update(X[300:], y[300:])
    assert before[0][0] == lower[0] and before[1][0] == upper[0]
    inside = np.mean((lower <= y[300:]) & (y[300:] <= upper))
    assert abs(inside - 0.9) < 0.02 and abs(inside - 0.9) <= bounds.allowance
    assert bounds.rows == 600 and bounds.missed == round(600 * (1 - inside))
    assert "approaches 90 %, whatever the rows do" in bounds.guarantee()
    assert repr(bounds) == f"<nomu.AdaptiveIntervals of level 0.9, 600 results, {bounds.missed} outside>"


def test_coverage_by_name():
    pandas = pytest.importorskip("pandas")
    X, y = draw(400)
    random = np.random.default_rng(3)
    site = np.where(np.arange(400) % 2 == 0, "calm", "wild")
    y = y + np.where(site == "wild", random.normal(0, 3, 400), 0)
    by_array = quick(level=0.9).fit(X, y, coverage_by=site)
    assert "within each of 2 names by itself" in by_array.guarantee()
    claims = by_array.coverage_claims()
    assert claims["calm"] == {"rows": 40, "units": 40, "basis": "own", "guaranteed_coverage": 0.9}
    with pytest.raises(nomu.ConfigError, match="give coverage_by=, one name per row"):
        by_array.predict_interval(X[:3])
    lower, upper = by_array.predict_interval(X[:3], coverage_by=["calm", "wild", "new"])
    width = upper - lower
    assert 3 * width[0] < width[1] and width[2] > 2 * width[0]
    quantiles = by_array.predict_quantiles(X[:3], [0.05, 0.95], coverage_by=["calm", "wild", None])
    np.testing.assert_array_equal(quantiles[:2, 1], upper[:2])
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "site": site})
    by_column = quick(level=0.9, noise="none").fit(frame, y, coverage_by="site")
    lower, upper = by_column.predict_interval(frame[:2])
    assert upper[0] - lower[0] < upper[1] - lower[1]
    fresh, results = draw(200, 5)
    table = pandas.DataFrame({"a": fresh[:, 0], "b": fresh[:, 1], "site": site[:200]})
    assert by_column.calibrate(table, results).coverage_claims()["wild"]["rows"] == 100
    with pytest.raises(nomu.ConfigError, match="coverage_by needs conformal bounds"):
        quick(calibration="nll").fit(X, y, coverage_by=site)
    with pytest.raises(nomu.ConfigError, match="needs at least 99 calibration rows, but there are 80 of 'calm'"):
        quick(level=0.99).fit(X[:160], y[:160], coverage_by=site[:160])
    with pytest.raises(ValueError, match="coverage_by is 'town', but X has no such column"):
        quick().fit(frame, y, coverage_by="town")
    with pytest.raises(ValueError, match="coverage_by has 3 names for 400 rows"):
        quick().fit(X, y, coverage_by=["a", "b", "c"])
