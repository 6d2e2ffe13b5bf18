"""Files, arrays and objects that nobody means well with: an exception that says something, never a crash."""

import json
import multiprocessing
import os
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import quick

import nomu

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
# What a refusal may be: nomu's own exceptions, and Python's for objects that are no arrays.
REFUSALS = (nomu.NomuError, ValueError, TypeError, MemoryError)


def refused(action):
    with pytest.raises(REFUSALS) as caught:
        action()
    assert len(str(caught.value)) > 5
    return str(caught.value)


def crc64(data):
    """As the files have it: CRC-64/XZ."""
    table = crc64.__dict__.setdefault("table", [])
    for byte in range(256 if not table else 0):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (0xC96C5795D7870F42 if value & 1 else 0)
        table.append(value)
    value = ~0 & (1 << 64) - 1
    for byte in data:
        value = table[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ (1 << 64) - 1


def rewritten(file, change):
    """The bytes of a model file whose header went through change(header), with checksums that fit."""
    (length,) = struct.unpack("<Q", file[16:24])
    header = json.loads(file[32 : 32 + length])
    change(header)
    text = json.dumps(header).encode()
    front = file[:16] + struct.pack("<Q", len(text))
    return front + struct.pack("<Q", crc64(front + text)) + text + file[32 + length :]


IMPORT = "nomu.Study({'x': (0, 1)}).import_csv(path)"


@pytest.mark.parametrize("call", ["nomu.load_model(path)", "nomu.load_targets(path)", "nomu.onnx.attach(path, [[1.0]], [1.0])", IMPORT])
def test_ctrl_c_ends_waiting_for_a_pipe(tmp_path, call):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = (
        # A shell's background jobs ignore SIGINT, and so would their children.
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"import nomu, nomu.onnx\npath = {str(pipe)!r}\nprint('ready', flush=True)\n"
        f"try:\n    {call}\nexcept KeyboardInterrupt:\n    print('heard')"
    )
    held = os.open(pipe, os.O_RDWR)  # so that nothing comes, and no end either
    waiting = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert waiting.stdout.readline() == "ready\n"
        time.sleep(1)
        waiting.send_signal(signal.SIGINT)
        assert waiting.communicate(timeout=20)[0] == "heard\n"
    finally:
        waiting.kill()
        os.close(held)


def test_files_that_cannot_be_read_are_said_in_our_words(tmp_path):
    for read in (nomu.load_model, nomu.load_targets):
        assert "No such file" in refused(lambda read=read: read(tmp_path / "none.nomu"))
        assert "Is a directory" in refused(lambda read=read: read(tmp_path))
        assert "not a nomu model" in refused(lambda read=read: read("/dev/zero"))


def test_files_without_an_end_are_not_read_to_it(tmp_path):
    study = nomu.Study({"x": (0, 1)}, method="random")
    assert "/dev/zero, row 1: found a zero byte" in refused(lambda: study.import_csv("/dev/zero"))
    assert "more than 1073741824 bytes" in refused(lambda: nomu.onnx.attach("/dev/zero", [[1.0]], [1.0]))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", f"yes 1,2 > {pipe}"], start_new_session=True) as endless:
        assert "goes on after 1073741824 bytes" in refused(lambda: study.import_csv(pipe))
        os.killpg(endless.pid, signal.SIGKILL)
    holes = tmp_path / "holes.nomu"
    holes.write_bytes((GOLDEN / "models_v1" / "nomu.nomu").read_bytes())
    os.truncate(holes, 1 << 42)
    assert "more than there is memory" in refused(lambda: nomu.load_model(holes))


def test_frames_of_very_many_columns():
    columns = [(f"c{j}", np.array([1.0, 2.0, 4.0])) for j in range(150_000)]
    begin = time.process_time()
    refused(lambda: nomu._nomu.columns_dataset([*columns, columns[0]], np.array([1.0, 2.0, 3.0])))
    assert time.process_time() - begin < 10


@pytest.mark.parametrize("method", ["nomu", "gp", "laplace", "deep_ensemble", "mc_dropout"])
def test_crafted_models_are_refused(tmp_path, method):
    file = (GOLDEN / "models_v1" / f"{method}.nomu").read_bytes()
    path = tmp_path / "crafted.nomu"
    path.write_bytes(rewritten(file, lambda header: None))
    nomu.load_model(path)  # the checksums are right

    def reshape(header, index, shape):
        header["blocks"][index]["shape"] = shape

    blocks = json.loads(file[32 : 32 + struct.unpack("<Q", file[16:24])[0]])["blocks"]
    for index, block in enumerate(blocks):
        a, b, c = block["shape"]
        for shape in ([a * b * c, 1, 1], [1, 1, a * b * c], [a, b * c, 0], [2**63, 2, 1], [2**32, 2**32, 1], [a, c, b][:2], "x"):
            if shape == block["shape"]:
                continue
            path.write_bytes(rewritten(file, lambda header, i=index, s=shape: reshape(header, i, s)))
            assert "crafted.nomu" in refused(lambda: nomu.load_model(path))


def test_damaged_files_are_refused(tmp_path):
    random = np.random.default_rng(0)
    path = tmp_path / "damaged"
    for source in (GOLDEN / "models_v1" / "nomu.nomu", GOLDEN / "onnx" / "torch_cnn.onnx"):
        file = source.read_bytes()
        read = nomu.load_model if source.suffix == ".nomu" else lambda p: nomu.onnx.attach(p, np.zeros((8, 64)), np.zeros(8))
        for _ in range(60):
            changed = bytearray(file)
            for place in random.integers(0, len(file), 5):
                changed[place] = random.integers(0, 256)
            path.write_bytes(bytes(changed[: random.integers(0, len(file))]))
            refused(lambda read=read: read(path))
    for content in (b"", b"\x89NOMU\r\n\x1a", b"\0" * 100):
        path.write_bytes(content)
        refused(lambda: nomu.load_model(path))
    refused(lambda: nomu.load_model(tmp_path))
    refused(lambda: nomu.load_model(12))


@pytest.fixture(scope="module")
def model():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (40, 2))
    return quick("NOMURegressor").fit(X, np.sin(3 * X[:, 0]) + X[:, 1]), X


def test_strides_and_types_do_not_matter(model):
    fitted, X = model
    expected = fitted.predict(X)
    wide = np.zeros((40, 4))
    wide[:, ::2] = X
    backwards = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    for same in (np.asfortranarray(X), wide[:, ::2], backwards, X.astype(">f8"), X.astype(object), np.ma.array(X), X.tolist()):
        np.testing.assert_array_equal(fitted.predict(same), expected)
    repeated = np.broadcast_to(X[0], (5, 2))  # strides of 0
    np.testing.assert_array_equal(fitted.predict(repeated), np.repeat(expected[:1], 5))
    unaligned = np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(X.shape)
    np.testing.assert_array_equal(fitted.predict(unaligned), expected)


class Raises:
    def __array__(self, *_, **__):
        raise RuntimeError("no array today")


class Lies:
    shape = (10**9, 2)

    def __len__(self):
        return 10**9

    def __getitem__(self, index):
        raise IndexError(index)


def test_what_is_no_array_of_numbers_is_refused(model):
    fitted, X = model
    y = X[:, 0]
    bad = [
        np.full((3, 2), np.inf), np.zeros((3, 3)), np.zeros((0, 2)), np.zeros((3, 0)), np.zeros(3), np.zeros((2, 2, 2)),
        np.float64(3), None, "text", [["a", "b"]], [[1, 2], [3]], np.zeros((3, 2), dtype=complex) + 1j, np.array([[object(), 1]], dtype=object),
        np.broadcast_to(1.0, (1 << 40, 2)), Lies(), {}, {1: 2}, b"bytes", lambda: 1,
    ]  # fmt: skip
    for X_bad in bad:
        refused(lambda X_bad=X_bad: fitted.predict(X_bad))
        refused(lambda X_bad=X_bad: quick("NOMURegressor").fit(X_bad, y))
    for y_bad in (np.full(40, np.nan), np.zeros(39), np.zeros((40, 2)), "text", None, np.broadcast_to(1.0, (1 << 40,)), Lies()):
        refused(lambda y_bad=y_bad: quick("NOMURegressor").fit(X, y_bad))
    with pytest.raises((RuntimeError, *REFUSALS)):
        fitted.predict(Raises())


def test_settings_beyond_their_range_are_refused(model):
    _, X = model
    for more in ({"hidden": (2**62,)}, {"hidden": (2**32, 2**32)}, {"epochs": 2**63 - 1}, {"epochs": 2**70}, {"ensemble": 2**62}, {"hidden": (-1,)}):
        refused(lambda more=more: quick("NOMURegressor", **more).fit(X, X[:, 0]))


def test_threads_and_forks_share_a_model(model):
    fitted, X = model
    expected = fitted.predict(X)
    wrong = []

    def predict():
        for _ in range(20):
            if not np.array_equal(fitted.predict(X), expected):
                wrong.append(1)

    threads = [threading.Thread(target=predict) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for found in pool.map(fitted.predict, [X] * 4):
            np.testing.assert_array_equal(found, expected)


def test_forks_while_threads_predict(model):
    # In a process of its own: a fork of pytest copies what its other threads do, too.
    script = """
import os, signal, sys, threading
import numpy as np, nomu
model = nomu.load_model(sys.argv[1])
X = np.linspace(-1, 1, 80).reshape(40, 2)
expected = model.predict(X).mean
stop = threading.Event()
def predict():
    while not stop.is_set():
        model.predict(X)
threads = [threading.Thread(target=predict) for _ in range(3)]
for thread in threads:
    thread.start()
codes = []
for _ in range(200):
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # ends a process that waits for a lock
        os._exit(0 if np.array_equal(model.predict(X).mean, expected) else 1)
    codes.append(os.waitpid(child, 0)[1])
stop.set()
for thread in threads:
    thread.join()
print(sum(code != 0 for code in codes), "of", len(codes))
"""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.nomu")
        model[0].save(path)
        done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", script, path], capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "0 of 200", done.stdout + done.stderr


def test_searches_stop_after_failures_in_a_row():
    calls = []

    def misspelt(x):
        calls.append(x)
        return math.sin(x)  # noqa: F821

    with pytest.raises(nomu.NomuError, match="10 evaluations in a row failed, the last one with NameError") as caught:
        nomu.minimize(misspelt, {"x": (0, 1)}, 50, method="random")
    assert len(calls) == 10
    assert [trial.state for trial in caught.value.trials] == ["failed"] * 10
    with pytest.raises(nomu.NomuError, match="3 evaluations in a row"):
        nomu.maximize(misspelt, {"x": (0, 1)}, 50, method="random", failures=3)
    calls.clear()
    with pytest.raises(nomu.NomuError, match="all of 12 evaluations failed"):
        nomu.minimize(misspelt, {"x": (0, 1)}, 12, method="random", failures=0)
    # Failures between results are what the search is for.
    best = nomu.minimize(lambda x: 1 / 0 if len(calls.append(x) or calls) % 2 else x, {"x": (0, 1)}, 40, method="random")
    assert len(best.trials) == 40
    with pytest.raises(ValueError, match="must not be negative"):
        nomu.minimize(misspelt, {"x": (0, 1)}, failures=-1)


def test_functions_may_do_anything():
    study = nomu.Study({"x": (0, 1), "c": ["$(touch owned)", "b"]}, method="random", budget=12)

    def odd(x, c):
        return {0: None, 1: "1.5", 2: float("nan"), 3: 10**400, 4: object(), 5: np.array([1.0, 2.0])}.get(len(study.trials()) % 7, x)

    report = study.run(odd, failures=0)
    assert report["finished"] + report["failed"] == 12
    assert study.verify()["clean"]

    class Leave(BaseException):
        pass

    def leave(x):
        raise Leave

    with pytest.raises(Leave):
        nomu.minimize(leave, {"x": (0, 1)}, method="random")
