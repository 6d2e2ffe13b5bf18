"""Bounds for networks of tests/golden/onnx, and models as ONNX files, judged by ONNX Runtime."""

import pickle
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import quick

import nomu

pytestmark = pytest.mark.skipif(not nomu.onnx.available(), reason="this build has no ONNX")

NETWORKS = Path(__file__).resolve().parents[2] / "tests" / "golden" / "onnx"
TABULAR = [
    "sklearn_mlp", "sklearn_pipeline", "torch_batch_norm", "torch_gelu", "torch_layer_norm", "torch_relu",
    "torch_residual", "torch_silu", "torch_tanh",
]  # fmt: skip
FEW = {"settings": {"train.epochs": 20, "ensemble": 2, "calibration.folds": 3}, "threads": 1}


def network(name):
    return NETWORKS / f"{name}.onnx"


def run(file, rows):
    """Outputs by name, as ONNX Runtime computes them for float32 rows."""
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(file if isinstance(file, bytes) else str(file))
    values = session.run(None, {session.get_inputs()[0].name: rows})
    return dict(zip([output.name for output in session.get_outputs()], values, strict=True))


def single(values):
    """A draw in float32, so that both sides read the same numbers."""
    return values.astype(np.float32)


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    X = single(random.uniform(-1, 1, (60, 2)))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] ** 2 / 2


@pytest.fixture
def unseen():
    random = np.random.default_rng(1)
    X = single(random.uniform(-1, 1, (50, 2)))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] ** 2 / 2


def test_bounds_stay_in_the_range(table):
    X, y = table
    low, high = float(np.min(y)), float(np.max(y))
    bounds = nomu.attach(network("torch_relu"), X, y, range=(low, high), **FEW)
    lower, upper = bounds.predict_interval(3 * X, level=0.99)
    assert lower.min() >= low and upper.max() == high
    with pytest.raises(nomu.DataError, match="is not in its range"):
        nomu.attach(network("torch_relu"), X, y, range=(low + 1e-3, high), **FEW)


def test_an_attached_network_has_a_report(table, unseen, tmp_path):
    bounds = nomu.attach(network("torch_relu"), *table, **FEW)
    bounds.write_report(tmp_path / "report.html", *unseen, title="torch_relu", progress=False)
    text = (tmp_path / "report.html").read_text()
    assert "torch_relu" in text and "the 50 rows" in text and "D2" in text


@pytest.mark.parametrize("name", TABULAR)
def test_the_mean_is_the_networks_own_bit_for_bit(name, table, tmp_path):
    nomu.attach(network(name), *table, **FEW).save(tmp_path / "bounds.onnx")
    rows = single(np.random.default_rng(2).uniform(-1.5, 1.5, (1000, 2)))
    (own,) = run(network(name), rows).values()
    got = run(tmp_path / "bounds.onnx", rows)
    assert list(got) == ["mean", "sigma_model", "sigma_noise", "lower", "upper"]
    assert np.array_equal(got["mean"], own)
    assert all(value.shape == own.shape for value in got.values())


def test_the_file_says_what_python_says(table, unseen):
    bounds = nomu.attach(network("torch_tanh"), *table, calibrate_on=unseen, noise="learned", **FEW)
    rows = single(np.random.default_rng(2).uniform(-1.5, 1.5, (1000, 2)))
    got = {name: value.reshape(-1) for name, value in run(bounds.to_bytes(level=0.8), rows).items()}
    parts = bounds.predict_parts(rows)
    lower, upper = bounds.predict_interval(rows, 0.8)
    for name, value in {**parts, "lower": lower, "upper": upper}.items():
        if name != "outside":
            assert np.abs(got[name] - value).max() < 1e-5 * np.ptp(value), name
    mean, std = bounds.predict(rows, return_std=True)
    assert np.allclose(std, np.hypot(parts["sigma_model"], parts["sigma_noise"]))
    assert "split conformal" in bounds.guarantee(0.8)
    assert parts["outside"].any() and not parts["outside"].all()


def test_images(tmp_path):
    random = np.random.default_rng(0)
    images = single(random.uniform(0, 1, (60, 1, 8, 8)))
    y = (images > 0.5).mean((1, 2, 3))
    bounds = nomu.attach(network("torch_cnn"), images, y, **FEW)
    bounds.save(tmp_path / "bounds.onnx")
    got = run(tmp_path / "bounds.onnx", images)
    assert np.array_equal(got["mean"], next(iter(run(network("torch_cnn"), images).values())))
    assert bounds.input_shape == (1, 8, 8)
    std = bounds.predict(images, return_std=True)[1]
    assert np.array_equal(std, bounds.predict(images.reshape(60, -1), return_std=True)[1])
    seen = {"sigma_net.filters": [4], "sigma_net.pool": [0], **FEW["settings"]}
    pixels = nomu.attach(network("torch_cnn"), images, y, threads=1, settings=seen)
    got = run(pixels.to_bytes(), images)
    sigma = pixels.predict_parts(images)["sigma_model"]
    assert np.allclose(got["sigma_model"].reshape(-1), sigma, rtol=1e-4)
    assert not np.array_equal(sigma, bounds.predict_parts(images)["sigma_model"])
    with pytest.raises(nomu.DataError, match=r"X has shape \(60, 8, 8\); the network's input 'x' is \(rows, 1, 8, 8\)"):
        bounds.predict(images[:, 0])


def test_without_calibration_there_are_no_bounds(table):
    bounds = nomu.attach(network("torch_relu"), *table, calibration="none", **FEW)
    assert list(run(bounds.to_bytes(), table[0])) == ["mean", "sigma_model", "sigma_noise"]
    with pytest.raises(nomu.ConfigError, match="calibrat"):
        bounds.predict_interval(table[0])


def test_bytes_and_protos_are_networks_too(table):
    class Proto:
        def SerializeToString(self):  # noqa: N802, as onnx.ModelProto calls it
            return network("torch_relu").read_bytes()

    files = [nomu.attach(source, *table, **FEW).to_bytes() for source in (network("torch_relu"), Proto())]
    files.append(nomu.attach(network("torch_relu").read_bytes(), *table, **FEW).to_bytes())
    assert files[0] == files[1] == files[2]
    assert files[0] != nomu.attach(network("torch_relu"), *table, random_state=2, **FEW).to_bytes()


def test_a_program_of_torch_is_a_network(table):
    class Program:  # as torch.onnx.export returns it
        class model_proto:  # noqa: N801
            SerializeToString = staticmethod(network("torch_relu").read_bytes)  # noqa: N815

    files = [nomu.attach(source, *table, **FEW).to_bytes() for source in (Program(), network("torch_relu"))]
    assert files[0] == files[1]


@pytest.fixture
def three():
    random = np.random.default_rng(0)
    X = np.column_stack([single(random.uniform(-1, 1, (60, 2))), random.integers(0, 4, 60)])
    return X, np.sin(3 * X[:, 0]) + X[:, 1] ** 2 / 2


def test_weights_in_a_second_file(three, tmp_path):
    bounds = nomu.attach(network("torch_external"), *three, **FEW)
    bounds.save(tmp_path / "alone.onnx")
    rows = single(three[0])
    assert np.array_equal(
        run(tmp_path / "alone.onnx", rows)["mean"], next(iter(run(network("torch_external"), rows).values()))
    )
    with pytest.raises(nomu.DataError, match="give the path of the network instead of its bytes"):
        nomu.attach(network("torch_external").read_bytes(), *three)


def test_several_inputs(three):
    X, y = three
    bounds = nomu.attach(network("torch_embedding"), X, y, **FEW)
    parts = {"codes": X[:, 2].astype(int), "numbers": X[:, :2]}
    again = nomu.attach(network("torch_embedding"), parts, y, **FEW)
    assert bounds.to_bytes() == again.to_bytes()
    assert np.array_equal(bounds.predict(X), again.predict(parts))
    cases = [
        (X[:, :2], r"X has shape \(60, 2\); the network's inputs 'numbers', 'codes' are together \(rows, 3\)"),
        ({"numbers": X}, r"X has the keys \['numbers'\], but the network's inputs are \['numbers', 'codes'\]"),
        ({"numbers": X, "codes": X[:, 2]}, r"X must hold {'numbers': \(rows, 2\), 'codes': \(rows, 1\)}"),
        ({"numbers": X[:, :2], "codes": ["a"] * 60}, "X is not a dict of arrays of numbers"),
    ]
    for wrong, message in cases:
        with pytest.raises(nomu.DataError, match=message):
            nomu.attach(network("torch_embedding"), wrong, y)


def test_columns_that_the_network_calls_by_name(three):
    pandas = pytest.importorskip("pandas")
    X, y = three
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    bounds = nomu.attach(network("sklearn_frame"), frame, y, **FEW)
    assert list(bounds.feature_names_in_) == ["c", "a", "b"]
    assert np.array_equal(bounds.predict(frame), bounds.predict(X[:, [2, 0, 1]]))


def test_one_output_of_several(three):
    X, y = three
    first = nomu.attach(network("torch_two_outputs"), X, y, output="mean", **FEW)
    second = nomu.attach(network("torch_two_outputs"), X, y, output="sigma_model", **FEW)
    own = run(network("torch_two_outputs"), single(X))
    assert np.array_equal(run(first.to_bytes(), single(X))["mean"], own["mean"])
    assert np.array_equal(run(second.to_bytes(), single(X))["mean"], own["sigma_model"])
    with pytest.raises(nomu.DataError, match="there is no output 'y', only 'mean', 'sigma_model'"):
        nomu.attach(network("torch_two_outputs"), X, y, output="y")


def test_features_are_chosen_or_given(table):
    bounds = nomu.attach(network("torch_relu"), *table, **FEW)
    assert "/3/Relu" in bounds.features and "/3/Relu" in repr(bounds)
    assert "/1/Relu" in nomu.attach(network("torch_relu"), *table, features="/1/Relu", **FEW).features
    with pytest.raises(nomu.DataError, match="there is no layer 'head'; the layers are /0/Gemm"):
        nomu.attach(network("torch_relu"), *table, features="head")


def test_tables_keep_their_columns(table):
    pandas = pytest.importorskip("pandas")
    X, y = table
    frame = pandas.DataFrame(X, columns=["a", "b"])
    bounds = nomu.attach(network("torch_relu"), frame, y, **FEW)
    assert np.array_equal(bounds.predict(frame), bounds.predict(X))
    with pytest.raises(nomu.DataError, match=r"X has the columns \['b', 'a'\], but the bounds were attached with"):
        bounds.predict(frame[["b", "a"]])
    with pytest.raises(nomu.DataError, match="X has text columns, but the network reads numbers"):
        nomu.attach(network("torch_relu"), frame.assign(b="north"), y)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sklearn_trees", "node 'TreeEnsembleRegressor'.*this operator is not supported"),
        ("sklearn_trees", "nomu.calibrate.conformal"),
        ("sklearn_texts", "input 'c' reads texts"),
        ("two_outputs", r"2 outputs \('h', 'a'\); name the one that is the prediction with output="),
        ("torch_slice", "use features= to name the layer"),
        ("torch_one_row", "the batch axis of input 'x' is fixed at 1"),
        ("nowhere", "cannot read"),
    ],
)
def test_networks_that_are_refused(name, message, table):
    with pytest.raises(nomu.DataError, match=message):
        nomu.attach(network(name), *table)


def test_wrong_inputs_are_named(table):
    X, y = table
    relu = network("torch_relu")
    hole = X.copy()
    hole[3, 1] = np.nan
    cases = [
        (lambda: nomu.attach(relu, X[:, :1], y), nomu.DataError, r"X has shape \(60, 1\).*\(rows, 2\)"),
        (lambda: nomu.attach(relu, hole, y), nomu.DataError, "X is not finite in row 3, column 1"),
        (lambda: nomu.attach(relu, [["a", "b"]], y), nomu.DataError, "X is not an array of numbers"),
        (lambda: nomu.attach(relu, X, y[:9]), nomu.DataError, r"y has shape \(9,\), but X has 60 rows"),
        (lambda: nomu.attach(relu, X, hole[:, 1]), nomu.DataError, "y is not finite in row 3"),
        (lambda: nomu.attach(relu, X, y, noise="loud"), nomu.ConfigError, "noise must be auto, none"),
        (lambda: nomu.attach(relu, X, y, settings={"train.epoch": 1}), nomu.ConfigError, "did you mean 'train.epochs'"),
        (lambda: nomu.attach(relu, X, y, calibrate_on=(X, y), **FEW), nomu.DataError, "all 60 rows are among those"),
        (lambda: nomu.attach(relu, X, y, calibrate_on=X), TypeError, r"calibrate_on must be a pair \(X, y\)"),
        (lambda: nomu.attach(b"no network", X, y), nomu.DataError, "network: this is not an ONNX file"),
        (lambda: nomu.attach(None, X, y), TypeError, "network must be a path.*got NoneType"),
        (
            lambda: pickle.dumps(nomu.attach(relu, X, y, **FEW)),
            TypeError,
            "use the file that its save",
        ),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=message):
            call()


def test_ctrl_c_ends_it(table):
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        nomu.attach(network("torch_relu"), *table, settings={"train.epochs": 10_000_000}, threads=1)
    assert time.monotonic() - begin < 30


NETWORK_METHODS = [
    "NOMURegressor", "DeepEnsembleRegressor", "HyperDeepEnsembleRegressor", "MCDropoutRegressor", "LaplaceRegressor",
    "NeuralLinearRegressor",
]  # fmt: skip


@pytest.mark.parametrize("name", NETWORK_METHODS)
def test_export(name, rows, tmp_path):
    X, y = rows
    model = quick(name, level=0.8).fit(X, y)
    model.export_onnx(tmp_path / "model.onnx")
    points = single(np.random.default_rng(2).uniform(-1, 1, (100, 2)))
    got = run(tmp_path / "model.onnx", points)
    parts = model.predict_parts(points)
    parts["lower"], parts["upper"] = model.predict_interval(points)
    for output, value in got.items():
        off = np.abs(value.reshape(-1) - parts[output]).max()
        assert off < 1e-4 * np.ptp(y), f"{output} is {off} off"
    assert set(got) == {"mean", "sigma_model", "sigma_noise", "lower", "upper"}
    model.save(tmp_path / "model.nomu")
    nomu.onnx.export(tmp_path / "model.nomu", tmp_path / "again.onnx")
    nomu.onnx.export(model.model_, tmp_path / "third.onnx")
    assert len({path.read_bytes() for path in tmp_path.glob("*.onnx")}) == 1


def test_export_refuses(rows, tmp_path):
    with pytest.raises(nomu.ConfigError, match="Gaussian process"):
        nomu.onnx.export(quick("GPRegressor").fit(*rows), tmp_path / "model.onnx")
    with pytest.raises(TypeError, match="got int"):
        nomu.onnx.export(3, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())
