import pickle

import numpy as np
import pytest
from conftest import QUICK, quick
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nomu


@pytest.mark.parametrize("name", QUICK)
def test_every_method_predicts_with_uncertainty(name, rows):
    X, y = rows
    model = quick(name).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    lower, upper = model.predict_interval(X, 0.8)
    assert mean.shape == std.shape == lower.shape == upper.shape == (40,)
    assert np.all(std > 0) and np.all(lower < upper)
    assert np.mean((lower <= y) & (y <= upper)) > 0.6
    assert model.model_.method == model._method
    assert "80" in model.guarantee(0.8) or "covered" in model.guarantee(0.8)


@pytest.mark.parametrize("name", QUICK)
def test_pickles_and_clones(name, rows):
    X, y = rows
    model = quick(name).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X, return_std=True), model.predict(X, return_std=True))
    assert np.array_equal(again.predict_interval(X), model.predict_interval(X))
    unfitted = clone(model)
    assert not hasattr(unfitted, "model_") and unfitted.get_params() == model.get_params()


def test_same_seed_same_numbers_whatever_the_threads(rows):
    X, y = rows
    one = quick("NOMURegressor", threads=1).fit(X, y).predict(X)
    assert np.array_equal(one, quick("NOMURegressor", threads=2).fit(X, y).predict(X))
    assert not np.array_equal(one, quick("NOMURegressor", random_state=2).fit(X, y).predict(X))
    drawn = quick("NOMURegressor", random_state=np.random.RandomState(0)).fit(X, y).predict(X)
    assert np.array_equal(drawn, quick("NOMURegressor", random_state=np.random.RandomState(0)).fit(X, y).predict(X))


def test_pipeline_and_grid_search(rows):
    X, y = rows
    pipeline = make_pipeline(StandardScaler(), quick("DeepEnsembleRegressor"))
    assert pipeline.fit(X, y).score(X, y) > 0.5
    search = GridSearchCV(quick("DeepEnsembleRegressor"), {"epochs": [2, 100]}, cv=2).fit(X, y)
    assert search.best_params_ == {"epochs": 100}
    assert len(cross_val_score(quick("GPRegressor"), X, y, cv=3, n_jobs=2)) == 3


def test_writes_a_report(rows, tmp_path):
    X, y = rows
    model = quick("GPRegressor").fit(X[:30], y[:30])
    page = tmp_path / "report.html"
    model.write_report(page, X[30:], y[30:], title="Ten rows & more", progress=False)
    text = page.read_text()
    assert "Ten rows &amp; more" in text and "the 10 rows" in text and "D3" in text
    model.write_report(page, check=False)
    assert "each left out of one fold" in page.read_text()
    with pytest.raises(TypeError, match="both X and y"):
        model.write_report(page, X)
    with pytest.raises(nomu.DataError, match="all 30 rows are among those the model was made with"):
        model.write_report(page, X[:30], y[:30])
    with pytest.raises(nomu.DataError, match="missing"):
        model.write_report(tmp_path / "missing" / "report.html")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_parts_add_up(rows):
    X, y = rows
    model = quick("GPRegressor", noise="learned").fit(X, y)
    parts = model.predict_parts(X)
    total = np.sqrt(parts["sigma_model"] ** 2 + parts["sigma_noise"] ** 2)
    assert np.allclose(total, model.predict(X, return_std=True)[1], rtol=1e-12)
    assert not parts["outside"].any()
    assert model.predict_parts(10 * X[:1])["outside"].all()


def test_known_noise(rows):
    X, y = rows
    noise = np.full(len(y), 0.3)
    model = quick("NOMURegressor").fit(X, y, noise_std=noise)
    assert model.predict(X).shape == (40,)
    assert np.allclose(model.model_.predict_uncalibrated(X, noise).sigma_noise, 0.3)
    with pytest.raises(nomu.DataError, match="fitted with known noise"):
        model.predict(X, return_std=True)
    assert np.all(model.predict(X, return_std=True, noise_std=noise)[1] > 0)


@pytest.mark.parametrize("name", QUICK)
def test_calibration_on_rows_that_were_kept_back(name, rows):
    X, y = rows
    model = quick(name, calibration="none").fit(X[:20], y[:20])
    mean = model.predict(X)
    with pytest.raises(nomu.ConfigError, match="not calibrated"):
        model.predict_interval(X)
    assert model.calibrate(X[20:], y[20:], level=0.8) is model
    assert "the 20 calibration rows" in model.guarantee() and np.array_equal(model.predict(X), mean)
    lower, upper = model.predict_interval(X[20:])
    assert np.mean((lower <= y[20:]) & (y[20:] <= upper)) >= 0.8
    with pytest.raises(nomu.DataError, match="all 20 rows are among those"):
        model.calibrate(X[:20], y[:20])
    with pytest.raises(nomu.ConfigError, match="calibration.kind must be one of"):
        model.calibrate(X[20:], y[20:], kind="magic")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.calibrate(X[20:], y)


def test_groups_times_and_weights(rows):
    X, y = rows
    quick("GPRegressor").fit(X, y, groups=np.repeat(["a", "b", "c", "d"], 10))
    held_out = quick("GPRegressor", settings={"calibration.policy": "hold_out"})
    held_out.fit(X, y, times=np.arange(40.0))
    assert '"time"' in held_out.model_.json()
    light = quick("NOMURegressor").fit(X, y, row_weight=np.linspace(0, 1, 40)).predict(X)
    assert not np.array_equal(light, quick("NOMURegressor").fit(X, y).predict(X))


def test_saved_models_come_back(rows, tmp_path):
    X, y = rows
    model = quick("NOMURegressor").fit(X, y)
    model.save(tmp_path / "m.nomu")
    loaded = nomu.load_model(tmp_path / "m.nomu")
    assert np.array_equal(loaded.predict(X).mean, model.predict(X))
    assert loaded.default_level == loaded.level == 0.95 and "NOMU" in loaded.describe()
    assert dict(loaded.settings)["train.epochs"] == "60"
    assert loaded.report["epochs"] > 0 and len(loaded.report["history"]) > 0


def test_text_columns_of_a_table(rows):
    pandas = pytest.importorskip("pandas")
    X, y = rows
    table = pandas.DataFrame({"x": X[:, 0], "kind": np.where(X[:, 1] > 0, "up", "1"), "n": np.arange(40)})
    model = quick("GPRegressor").fit(table, y)
    assert model.model_.input_names == ["x", "kind=1", "kind=up", "kind unknown", "n"]
    assert list(model.feature_names_in_) == ["x", "kind", "n"]
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(table), model.predict(table))
    categories = quick("GPRegressor").fit(table.astype({"kind": "category"}), y)
    assert np.array_equal(categories.predict(table), model.predict(table))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["x", "n"]])
    with pytest.raises(ValueError, match="text columns"):
        model.predict(X)


def test_names_of_a_table_reach_the_file(rows):
    pandas = pytest.importorskip("pandas")
    X, y = rows
    model = quick("GPRegressor").fit(pandas.DataFrame(X, columns=["left", "right"]), y)
    assert model.model_.input_names == ["left", "right"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"preset": "best"}, "no preset 'best'"),
        ({"noise": "loud"}, "loud"),
        ({"noise": "known"}, "noise_std"),
        ({"calibration": "magic"}, "calibration.kind"),
        ({"level": 2.0}, "calibration.level"),
        ({"hidden": (0,)}, "hidden"),
        ({"settings": {"train.epoch": 5}}, "did you mean 'train.epochs'|train.epochs"),
        ({"device": "abacus"}, "abacus"),
        ({"mu_sqr": -1.0}, "mu_sqr"),
        ({"random_state": -1}, "seed"),
    ],
)
def test_wrong_settings_are_refused(change, message, rows):
    with pytest.raises(nomu.ConfigError, match=message) as caught:
        quick("NOMURegressor", **change).fit(*rows)
    assert isinstance(caught.value, ValueError)


def test_wrong_kinds_of_settings_are_refused(rows):
    with pytest.raises(TypeError, match="a setting must be a number"):
        quick("NOMURegressor", epochs=object()).fit(*rows)
    with pytest.raises(TypeError, match=r"settings must be a dictionary .*got \['epochs'\]"):
        quick("NOMURegressor", settings=["epochs"]).fit(*rows)


def test_wrong_rows_are_refused(rows):
    X, y = rows
    model = quick("GPRegressor").fit(X, y)
    with pytest.raises(ValueError, match="minimum of 4"):
        quick("GPRegressor").fit(X[:3], y[:3])
    with pytest.raises(nomu.DataError, match="nothing to learn"):
        quick("GPRegressor").fit(X, np.ones(40))
    with pytest.raises(ValueError, match="infinity"):
        model.predict(np.full((1, 2), np.inf))
    with pytest.raises(ValueError, match="features"):
        model.predict(np.ones((1, 3)))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        quick("GPRegressor").fit(X, y, noise_std=np.ones(3))
    with pytest.raises(nomu.DataError, match="noise"):
        quick("GPRegressor").fit(X, y, noise_std=-np.ones(40))
    with pytest.raises(nomu.ConfigError, match="0.999"):
        model.predict_interval(X, 0.999)
    with pytest.raises(nomu.ConfigError):
        quick("GPRegressor", calibration="none").fit(X, y).predict_interval(X, 0.9)
    with pytest.raises(nomu.DataError, match="3 columns"):
        model.model_.predict(np.ones((1, 3)))
    with pytest.raises(ValueError, match="not fitted|not_fitted|is not fitted"):
        quick("GPRegressor").predict(X)


def test_wrong_files_are_refused(tmp_path):
    with pytest.raises(nomu.DataError, match="missing.nomu"):
        nomu.load_model(tmp_path / "missing.nomu")
    (tmp_path / "no.nomu").write_bytes(b"not a model")
    with pytest.raises(nomu.DataError, match="no.nomu"):
        nomu.load_model(tmp_path / "no.nomu")


def test_a_fit_that_fails_leaves_nothing_fitted(rows):
    from sklearn.exceptions import NotFittedError

    X, y = rows
    model = quick("GPRegressor").fit(X, y)
    model.settings = {"no.such": 1}
    with pytest.raises(nomu.ConfigError):
        model.fit(np.column_stack([X, X]), y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_columns_of_numbers_may_stand_upright(rows):
    X, y = rows
    model = quick("GPRegressor", noise="known").fit(X[:30], y[:30], noise_std=np.full((30, 1), 0.1))
    model.calibrate(X[30:], y[30:].reshape(-1, 1), kind="nll", noise_std=np.full(10, 0.1))
    with pytest.raises(ValueError, match="one number per row"):
        model.calibrate(X[30:], np.column_stack([y[30:], y[30:]]))
    with pytest.raises(ValueError, match="y is missing"):
        model.calibrate(X[30:], None)


def test_text_tables_may_have_other_names_than_texts(rows):
    pandas = pytest.importorskip("pandas")
    X, y = rows
    table = pandas.DataFrame({0: X[:, 0], 1: np.where(X[:, 1] > 0, "up", "down")})
    model = quick("GPRegressor").fit(table, y)
    assert model.predict(table).shape == (40,)


def test_trust_says_what_unseen_rows_show(rows):
    X, y = rows
    trust = quick("NOMURegressor").fit(X, y).trust()
    assert trust["unseen_rows"] == 40 and trust["unseen_rmse"] > 0
    assert trust["interval_score_ratio"] > 0 and trust["interval_score_ratio_error"] > 0
    assert trust["lines"][0].startswith("error: RMSE") and set(trust["drivers"]) <= {"x1", "x2"}
    assert quick("NOMURegressor", calibration="none").fit(X, y).trust() is None
