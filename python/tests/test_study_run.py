"""Study.run: trials evaluated by a function or a shell command."""

import signal
import subprocess
import sys
import threading
import time

import pytest

import nomu
from nomu.optimize import Study

RANDOM = {"method": "random", "seed": 3}


def test_a_function_runs_to_the_end_of_the_budget():
    study = Study({"x": (-1, 1), "n": (0.0, 9.0)}, budget=9, **RANDOM)
    seen = []
    report = study.run(lambda x, n: x * x + n, on_result=seen.append)
    assert report == {"finished": 9, "failed": 0, "settled": False} and study.finished
    assert {t.number for t in seen} == set(range(1, 10)) and all(t.state == "finished" for t in seen)
    assert study.best.value == min(t.value for t in seen)


def test_functions_run_at_the_same_time_and_may_use_the_study():
    study = Study({"x": (-1, 1)}, budget=3, **RANDOM)
    together = threading.Barrier(3, timeout=30)

    def f(x):
        together.wait()
        assert study.status["pending"] >= 1
        return x

    assert study.run(f, workers=3) == {"finished": 3, "failed": 0, "settled": False}


def test_failures_have_reasons():
    study = Study({"x": (-1, 1)}, budget=2, **RANDOM)
    assert study.run(lambda x: 1 / 0) == {"finished": 0, "failed": 2, "settled": False}
    assert study.trials()[0].reason == "ZeroDivisionError: division by zero"
    study.budget = 0
    with pytest.raises(nomu.NomuError, match="3 trials in a row failed"):
        study.run(lambda x: float("nan"), failures=3)
    with pytest.raises(TypeError):
        study.run(3)


def test_an_interrupt_is_no_failure():
    def stop(x):
        raise KeyboardInterrupt

    study = Study({"x": (-1, 1)}, **RANDOM)
    with pytest.raises(KeyboardInterrupt):
        study.run(stop)
    assert study.status["failed"] == 0 and study.status["expired"] == 1


def test_what_on_result_raises_stops_the_run():
    study = Study({"x": (-1, 1)}, **RANDOM)

    def enough(trial):
        if trial.number == 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        study.run(lambda x: x, on_result=enough)
    assert study.status["finished"] == 3


def test_a_command_runs(tmp_path):
    study = Study({"x": (-1, 1), "n": (1, 5)}, tmp_path / "study.db", budget=4, **RANDOM)
    assert study.run(command="echo {x}", workers=2) == {"finished": 4, "failed": 0, "settled": False}
    for trial in Study.open(tmp_path / "study.db").trials():
        assert trial.value == pytest.approx(trial.params["x"])
    study.budget = 5
    begin = time.monotonic()
    assert study.run(command="sleep 60", timeout=0.2) == {"finished": 0, "failed": 1, "settled": False}
    assert time.monotonic() - begin < 30


def test_models_are_fitted_on_the_way():
    study = Study({"x": (-5, 5)}, budget=9, initial=5, settings="train.epochs=50", seed=1)
    study.run(lambda x: (x - 1) ** 2, workers=2)
    assert study.trials()[-1].origin in ("gp", "nomu") and study.verify()["clean"]


def test_wrong_arguments_are_refused():
    study = Study({"x": (-1, 1)}, **RANDOM)
    with pytest.raises(ValueError, match="either f or command"):
        study.run()
    with pytest.raises(ValueError, match="either f or command"):
        study.run(lambda x: x, command="echo 1")
    with pytest.raises(nomu.ConfigError, match="workers"):
        study.run(lambda x: x, workers=0)
    with pytest.raises(nomu.ConfigError, match="only a command can be stopped"):
        study.run(lambda x: x, timeout=1.0)
    with pytest.raises(nomu.DataError, match="there is no variable 'y'"):
        study.run(command="echo {y}")
    with pytest.raises(nomu.DataError, match="cannot be run"):
        study.run(command="./no_such_program")
    assert study.status["failed"] == 0


def test_ctrl_c_ends_commands_and_gives_trials_back(tmp_path):
    Study({"x": (-1, 1)}, tmp_path / "study.db", **RANDOM)
    code = f"""
import nomu, sys
study = nomu.Study.open({str(tmp_path / "study.db")!r})
try:
    study.run(command="sleep 60; echo 1", workers=2)
except KeyboardInterrupt:
    sys.exit(7)
"""
    process = subprocess.Popen([sys.executable, "-c", code])
    study = Study.open(tmp_path / "study.db", read_only=True)
    deadline = time.monotonic() + 60
    while study.status["pending"] < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 7
    assert study.status["expired"] == 2 and study.status["failed"] == 0
