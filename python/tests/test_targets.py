"""Several targets: a y with two columns."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import r2_score

import nomu

TINY = {"train.epochs": 40, "mean_net.hidden": [16], "sigma_net.hidden": [16]}


def quick(**parameters):
    return nomu.NOMURegressor(preset="written", settings=TINY, **parameters)


def draw(rows, seed=1):
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (rows, 2))
    noise = random.normal(0, 0.2, (rows, 2))
    return X, np.column_stack([X[:, 0], X[:, 0] - X[:, 1]]) + noise


@pytest.mark.parametrize("rows", [300, 90])  # held out, and in folds
def test_each_target_and_all_at_once(rows, tmp_path):
    X, Y = draw(rows)
    model = quick(level=0.9).fit(X, Y)
    mean, std = model.predict(X[:5], return_std=True)
    assert mean.shape == std.shape == (5, 2)
    alone = quick(level=0.9).fit(X, Y[:, 1])
    np.testing.assert_array_equal(mean[:, 1], alone.predict(X[:5]))
    lower, upper = model.predict_interval(X[:5])
    np.testing.assert_array_equal(lower[:, 1], alone.predict_interval(X[:5])[0])
    low, high = model.predict_interval(X[:5], joint=True)
    assert np.mean(high - low) > np.mean(upper - lower)
    assert "for all 2 targets at once" in model.guarantee(joint=True)
    assert model.guarantee().startswith("y1: ")
    fresh, results = draw(2000, 2)
    low, high = model.predict_interval(fresh, joint=True)
    assert np.mean(np.all((low <= results) & (results <= high), axis=1)) > 0.82
    assert model.predict_quantiles(X[:5], [0.1, 0.5]).shape == (5, 2, 2)
    assert model.predict_parts(X[:5])["sigma_model"].shape == (5, 2)
    scores = [r2_score(Y[:, k], model.predict(X)[:, k]) for k in range(2)]
    assert np.isclose(model.score(X, Y), np.mean(scores))
    assert model.trust()["y2"] == alone.trust() == model.target("y2").trust()
    model.save(tmp_path / "m.nomu")
    back = nomu.load_targets(tmp_path / "m.nomu")
    assert back.names == ["y1", "y2"]
    assert repr(back).startswith("<nomu.TargetModels y1, y2, ") and repr(back).endswith(" rows>")
    assert ": <nomu.Model of y2 by nomu, " in repr(model.target("y2"))
    np.testing.assert_array_equal(back.joint_bounds(fresh, 0.9)[1][0], low[:, 1])
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_interval(fresh, joint=True)[0], low)
    with pytest.raises(nomu.DataError, match="several targets .y1, y2.*load_targets"):
        nomu.load_model(tmp_path / "m.nomu")
    calibrated = model.calibrate(*draw(100, 3))
    assert "100 calibration rows" in calibrated.guarantee(joint=True)


def test_names_ranges_and_what_is_refused(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, Y = draw(90)
    frame = pandas.DataFrame(np.exp(Y), columns=["height", "weight"])
    model = quick(level=0.9, range={"height": (0, np.inf)}).fit(X, frame)
    assert model.models_.names == ["height", "weight"]
    lower, _ = model.predict_interval(X)
    assert lower[:, 0].min() >= 0 and lower[:, 1].min() < 0
    one = model.target("weight")
    np.testing.assert_array_equal(one.predict(X), model.predict(X)[:, 1])
    assert one.adaptive().rows == 0
    with pytest.raises(nomu.ConfigError, match="choose one: model.target.name..adaptive"):
        model.adaptive()
    with pytest.raises(nomu.ConfigError, match="model.target.name..export_onnx"):
        model.export_onnx(tmp_path / "m.onnx")
    with pytest.raises(nomu.ConfigError, match="there is no target 'age'; the targets are height, weight"):
        model.target("age")
    with pytest.raises(nomu.ConfigError, match="known noise belongs to a single target"):
        quick().fit(X, Y, noise_std=np.ones(90))
    with pytest.raises(nomu.ConfigError, match="joint=True is for models of several targets"):
        quick().fit(X, Y[:, 0]).predict_interval(X, joint=True)
    with pytest.raises(nomu.ConfigError, match="joint bounds of all targets need conformal calibration"):
        quick(calibration="nll").fit(X, Y).predict_interval(X, joint=True)
