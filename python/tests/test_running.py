"""While a fit runs: interrupts, other threads, progress; and models that threads and forked processes share."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import quick

from nomu import _nomu


def test_interrupt_ends_a_fit():
    script = """
import threading, time, _thread, numpy as np, nomu
X = np.random.default_rng(0).uniform(-1, 1, (300, 4))
threading.Timer(0.7, _thread.interrupt_main).start()
begin = time.monotonic()
try:
    nomu.NOMURegressor(epochs=10**6, threads=1).fit(X, X[:, 0])
except KeyboardInterrupt:
    print("stopped", time.monotonic() - begin)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("stopped"), done.stdout + done.stderr


def test_other_threads_run_during_a_fit(rows):
    X, y = rows
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.005):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    quick("NOMURegressor", epochs=1500).fit(X, y)
    stop.set()
    thread.join()
    assert len(ticks) > 3


def test_progress_is_reported_and_may_raise(rows):
    X, y = rows
    data = _nomu.rows_dataset(X, y)
    alone = [("ensemble", "1"), ("calibration.kind", "none")]
    seen = []
    _nomu.fit(data, settings=[*alone, ("train.epochs", "3000")], threads=1, progress=lambda *event: seen.append(event))
    assert seen and seen[0][0] and seen[0][2] > 0

    def stop(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        _nomu.fit(data, settings=[*alone, ("train.epochs", "1000000")], threads=1, progress=stop)


def test_a_model_serves_several_threads(rows):
    X, y = rows
    model = quick("NOMURegressor", threads=2).fit(X, y)
    many = np.repeat(X, 50, axis=0)
    expected = model.predict(many)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: model.predict(many), range(40)):
            assert np.array_equal(found, expected)


def test_a_model_survives_a_fork():
    script = """
import multiprocessing, numpy as np, nomu
X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
model = nomu.NOMURegressor(epochs=3, ensemble=2, threads=2).fit(X, X[:, 0])
expected = model.predict(X)
def check(_):
    return np.array_equal(model.predict(X), expected)
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(all(pool.map(check, range(4))))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "True", done.stderr
