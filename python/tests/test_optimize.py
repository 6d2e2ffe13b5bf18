import math
import socket
import threading
import time

import numpy as np
import pytest

import nomu
import nomu.space
from nomu.optimize import Constraint, Study, categorical, integer, maximize, minimize, real

QUICK = {"settings": "train.epochs=100", "initial": 6, "seed": 3}


def bowl(x, y):
    return (x - 1) ** 2 + (y + 2) ** 2


def test_minimize_finds_a_minimum():
    best = minimize(bowl, {"x": (-5, 5), "y": (-5, 5)}, evaluations=16, **QUICK)
    assert best.value < 2.0 and best.value == bowl(**best.params)
    assert len(best.trials) == 16 and best.trials[-1].origin in ("gp", "nomu")
    assert best.value == min(trial.value for trial in best.trials)


def test_maximize_and_unnamed_bounds():
    best = maximize(lambda x: -bowl(*x), [(-5, 5), (-5, 5)], evaluations=12, method="random")
    assert set(best.params) == {"x1", "x2"} and best.value == max(t.value for t in best.trials)


def test_same_seed_same_trials():
    one = minimize(bowl, {"x": (-5, 5), "y": (-5, 5)}, evaluations=9, **QUICK)
    two = minimize(bowl, {"x": (-5, 5), "y": (-5, 5)}, evaluations=9, **QUICK)
    assert [t.params for t in one.trials] == [t.params for t in two.trials]


def test_failures_are_lived_with():
    def sometimes(x, y):
        if x > 0:
            raise ValueError("pump stalled")
        return bowl(x, y) if y < 3 else math.nan

    best = minimize(sometimes, {"x": (-5, 5), "y": (-5, 5)}, evaluations=10, method="random")
    assert any(t.state == "failed" and "pump stalled" in t.reason for t in best.trials)
    with pytest.raises(nomu.NomuError, match="all of 3 evaluations failed, the last one with ZeroDivisionError"):
        minimize(lambda x: 1 / 0, {"x": (0, 1)}, evaluations=3, method="random")


def test_an_interrupt_is_no_failure():
    def stop(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        minimize(stop, {"x": (0, 1)}, evaluations=3)


def test_every_kind_of_variable():
    space = {"a": (0.0, 1.0), "rate": real(1e-4, 1, log=True), "n": integer(1, 5)}
    space |= {"solver": ["cg", "lu"], "c": categorical("xy")}
    study = Study(space, direction="maximize", **QUICK)
    for _ in range(9):
        trial = study.ask()
        assert 0 <= trial.params["a"] <= 1 and 1e-4 <= trial.params["rate"] <= 1
        assert isinstance(trial.params["n"], int) and trial.params["solver"] in ("cg", "lu")
        study.tell(trial, trial.params["a"] - abs(trial.params["n"] - 3))
    assert study.best.value == max(t.value for t in study.trials())


def test_constraints_hold():
    space = {"x": (0, 1), "y": (0, 1)}
    study = Study(space, constraints=[Constraint({"x": 1, "y": 1}, at_most=0.5)], **QUICK)
    for trial in study.ask(8):
        assert trial.params["x"] + trial.params["y"] <= 0.5 + 1e-12


def test_a_study_lasts(tmp_path):
    path = tmp_path / "yield.db"
    study = Study({"x": (-5, 5), "y": (-5, 5)}, path, **QUICK)
    for _ in range(7):
        trial = study.ask(worker="me")
        study.tell(trial, bowl(**trial.params))
    study.add({"x": 1, "y": -2}, 0.0)
    study.fail(study.ask(), "gone")
    again = Study.open(path)
    assert again.best.params == {"x": 1.0, "y": -2.0} and again.best.origin == "given"
    assert again.status == {"trials": 9, "finished": 8, "failed": 1, "pending": 0, "expired": 0}
    assert again.settings["direction"] == "minimize" and [v.name for v in again.variables] == ["x", "y"]
    assert again.verify()["clean"]
    mean, sigma = again.predict([{"x": 1, "y": -2}, {"x": 5, "y": 5}])
    assert mean.shape == sigma.shape == (2,) and mean[0] < mean[1]
    with pytest.raises(nomu.DataError, match="read"):
        Study.open(path, read_only=True).tell(1, 5.0)


def test_a_queued_point_is_asked_next():
    study = Study({"x": (0, 1), "kind": ["a", "b"]}, method="random")
    queued = study.enqueue({"x": 0.25, "kind": "b"})
    assert queued.number == 1 and queued.state == "pending" and queued.origin == "given"
    asked = study.ask(2)
    assert asked[0].params == {"x": 0.25, "kind": "b"} and asked[1].number == 2
    study.tell(asked[0], 1.0)
    assert study.best.number == 1 and study.verify()["clean"]
    with pytest.raises(nomu.DataError, match="lacks the variable 'kind'"):
        study.enqueue({"x": 0.5})
    with pytest.raises(nomu.DataError, match="must be a number between 0 and 1"):
        study.enqueue({"x": math.nan, "kind": "a"})


def test_many_results_at_once():
    study = Study({"x": (0, 1)}, method="random")
    first, second, third = study.ask(3)
    given = [(first, 1.0), {"id": second, "failed": "melted"}, {"point": {"x": 0.5}, "value": 0.25, "cost": 3}]
    assert study.tell_many(given) == [1, 2, 4]
    assert study.trials()[1].reason == "melted" and study.trials()[3].cost == 3.0
    assert study.tell_many([(first, 1.0)]) == [1]  # the same again
    with pytest.raises(nomu.DataError, match="result 2: trial 1 has the value 1 already"):
        study.tell_many([(third, 2.0), (first, 5.0)])
    assert study.status["finished"] == 2  # none of them
    with pytest.raises(nomu.DataError, match="has the value 1 already"):
        study.tell_many([(first, 1.0)], repeated="refuse")
    assert study.tell_many([(first, 5.0)], repeated="replace") == [1]
    with pytest.raises(nomu.ConfigError, match="repeated must be"):
        study.tell_many([(third, 1.0)], repeated="sometimes")
    for wrong in ({"id": 3}, {"value": 1.0}, {"id": 3, "value": 1.0, "failed": "?"}, {"id": 3, "value": 1.0, "worth": 2}):
        with pytest.raises(ValueError, match="a result has"):
            study.tell_many([wrong])
    assert study.tell_many([]) == [] and study.verify()["clean"]


def test_workers_leases_and_trials_that_are_given_back():
    study = Study({"x": (0, 1)}, method="random")
    (trial,) = study.ask(1, worker="me")
    (found,) = study.workers()
    assert found["worker"] == "me" and found["trial"] == 1 and found["seconds"] >= 0 and found["lease_left"] > 0
    assert study.renew(trial) and study.renew(1)
    assert study.release("somebody else") == 0 and study.release("me") == 1
    assert study.workers() == [] and not study.renew(trial)
    (again,) = study.ask(1, worker="you")
    assert again.number == 1 and not study.renew(trial) and study.renew(again)


def test_connecting_lets_other_threads_run():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://127.0.0.1:{silent.getsockname()[1]}/db?study=a&connect_timeout=3"
        done, ticks = threading.Event(), []

        def tick():
            while not done.wait(0.05):
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        begin = time.monotonic()
        try:
            with pytest.raises(nomu.NomuError):
                Study.open(address)
        finally:
            seconds = time.monotonic() - begin
            done.set()
            thread.join()
    if seconds < 1:
        pytest.skip("built without PostgreSQL")
    assert len(ticks) > 5


def test_a_lost_connection_is_an_error_of_its_own():
    assert issubclass(nomu.ConnectionLost, nomu.NomuError) and issubclass(nomu.ConnectionLost, ConnectionError)
    assert str(nomu.ConnectionLost("[bo/study] away")) == "[bo/study] away"


def test_a_budget_ends():
    study = Study({"x": (0, 1)}, budget=2, method="random")
    assert len(study.ask(5)) == 2 and study.finished
    with pytest.raises(nomu.NomuError, match="nothing is left"):
        study.ask()
    study.budget = 3
    assert study.budget == 3 and study.ask().number == 3 and study.finished
    with pytest.raises(nomu.DataError, match="no limit"):
        study.budget = -1


def test_wrong_questions_and_answers_are_refused(tmp_path):
    study = Study({"x": (0, 1), "kind": ["a", "b"]}, method="random")
    trial = study.ask()
    with pytest.raises(nomu.DataError, match="finite"):
        study.tell(trial, math.nan)
    with pytest.raises(nomu.DataError, match="99"):
        study.tell(99, 1.0)
    study.tell(trial, 1.0)
    with pytest.raises(nomu.DataError):
        study.tell(trial, 2.0)
    study.tell(trial, 2.0, replace=True)
    with pytest.raises(nomu.DataError, match="lacks the variable 'kind'"):
        study.add({"x": 0.5}, 1.0)
    with pytest.raises(nomu.DataError, match="kinds"):
        study.add({"x": 0.5, "kinds": "a"}, 1.0)
    with pytest.raises(nomu.DataError, match="x"):
        study.add({"x": 5.0, "kind": "a"}, 1.0)
    with pytest.raises(nomu.DataError, match="c"):
        study.add({"x": 0.5, "kind": "c"}, 1.0)
    with pytest.raises(nomu.DataError, match="none.db"):
        Study.open(tmp_path / "none.db")
    Study({"x": (0, 1)}, tmp_path / "one.db")
    with pytest.raises(nomu.DataError, match="exists already"):
        Study({"x": (0, 1)}, tmp_path / "one.db")


@pytest.mark.parametrize(
    ("space", "settings", "message"),
    [
        ({"x": (1, 0)}, {}, "x"),
        ({"x": (0, 1, 2)}, {}, "two numbers"),
        ({"x": "abc"}, {}, "give \\(low, high\\)"),
        ({"x": []}, {}, "give \\(low, high\\)"),
        ({"x": 3}, {}, "variable 'x': give \\(low, high\\)"),
        ({"x": real(0, 1, log=True)}, {}, "x"),
        ({}, {}, "variable"),
        ({"x": (0, 1)}, {"budgets": 3}, "budget"),
        ({"x": (0, 1)}, {"direction": "up"}, "direction"),
        ({"x": (0, 1)}, {"method": "magic"}, "magic"),
        ({"x": (0, 1)}, {"settings": "epochs=3"}, "epochs"),
    ],
)
def test_impossible_studies_are_refused(space, settings, message):
    with pytest.raises(ValueError, match=message):
        Study(space, **settings)


def test_impossible_searches_are_refused():
    with pytest.raises(ValueError, match="evaluations must be at least 1, got 0"):
        minimize(bowl, {"x": (0, 1), "y": (0, 1)}, evaluations=0)
    with pytest.raises(TypeError, match="a space must be {name: .*got 3"):
        minimize(bowl, 3)


def test_numpy_numbers_are_numbers():
    study = Study({"x": np.array([0.0, 1.0])}, budget=np.int64(3), method="random")
    study.tell(study.ask(), np.float32(0.5))
    assert study.best.value == 0.5


def test_threads_share_a_study():
    from concurrent.futures import ThreadPoolExecutor

    study = Study({"x": (-5, 5), "y": (-5, 5)}, **QUICK)

    def work(_):
        trial = study.ask()
        study.tell(trial, bowl(**trial.params))

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(12)))
    assert study.status["finished"] == 12 and len({tuple(t.params.values()) for t in study.trials()}) == 12


def test_results_print_themselves_in_a_line():
    best = minimize(bowl, {"x": (-5, 5), "y": (-5, 5)}, evaluations=10, method="random")
    assert len(repr(best)) < 120 and "10 trials" in repr(best) and repr(best.value) in repr(best)
    assert repr(best.trials[0]).startswith("Trial(1, {") and "value=" in repr(best.trials[0])


def test_spaces_and_studies_print_themselves_in_a_line():
    space = {"temperature": real(20, 90, unit="K"), "rate": integer(1, 8, log=True), "solver": ["cg", "lu"]}
    study = Study(space, method="random", constraints=[Constraint({"temperature": 1, "rate": 2}, at_most=95)])
    assert repr(study) == "<nomu.Study of 3 variables, 0 trials>"
    study.tell(study.ask(), 2.5)
    assert repr(study).startswith("<nomu.Study of 3 variables, 1 trials, best 2.5 at {'temperature': ")
    assert repr(study.variables[0]) == "<nomu.Variable temperature from 20 to 90 K>"
    assert study.variables[0].unit == "K" and study.variables[1].unit == ""
    assert repr(nomu.space.space_of(space)).startswith("<nomu.Space temperature from 20 to 90 K; rate from 1 to 8, whole, log")
    assert repr(Constraint({"a": 1, "b": 2}, at_least=0)) == "<nomu.Constraint 0 <= 1 a + 2 b>"


def test_units_are_text_of_one_line():
    with pytest.raises(nomu.ConfigError, match="variable 'x': a unit is text on one line"):
        Study({"x": real(0, 1, unit="m\ns")})


def test_tables_outlook_importances_and_an_acquisition_of_ones_own(tmp_path):
    study = Study({"x": (-5, 5), "y": (-5, 5)}, seed=2, initial=12)
    assert study.outlook() is None and study.importances() == {}
    for _ in range(12):
        trial = study.ask()
        study.tell(trial, trial.params["x"] ** 2 + 0.01 * trial.params["y"])
    outlook = study.outlook()
    assert outlook["best"] == study.best and outlook["sigma"] >= 0 and outlook["gain"] >= 0
    shares = study.importances()
    assert shares["x"][0] > 0.9 and abs(sum(share for share, _ in shares.values()) - 1) < 1e-9
    study.export_csv(tmp_path / "all.csv")
    again = Study({"x": (-5, 5), "y": (-5, 5)}, seed=2)
    assert again.import_csv(tmp_path / "all.csv") == 12 and again.best.value == study.best.value
    asked = study.ask_by(lambda mean, sigma, best: -mean, count=2)
    assert [trial.origin for trial in asked] == ["custom", "custom"]
    with pytest.raises(ZeroDivisionError):
        study.ask_by(lambda mean, sigma, best: 1 / 0)
    assert study.verify()["clean"]


def test_failures_told_as_values_are_advised_against():
    study = Study({"x": (0, 1)}, seed=2)
    for k in range(10):
        study.tell(study.ask(), 0.1 * k)
    assert study.advice() == []
    study.tell(study.ask(), 1e6)
    (advice,) = study.advice()
    assert "1 result, 1000000 for example, is more than a thousand interquartile ranges worse" in advice


def test_the_best_of_a_noisy_study_is_the_models_choice():
    study = Study({"x": (-1, 1)}, noisy=True)
    for x in 3 * [k / 5 for k in range(-5, 6)]:
        study.add({"x": x}, x**2)
    study.add({"x": 1.0}, -0.5)
    assert study.best_result.number == 34 and abs(study.best.params["x"]) < 0.5
    assert study.best == study.outlook()["best"]
    assert "34 trials, best result -0.5 at" in repr(study)


def test_conditional_variables_are_left_out():
    space = {
        "solver": ["cg", "lu"],
        "restart": nomu.optimize.integer(3, 9, when={"solver": "cg"}),
        "drop": nomu.optimize.real(0.0, 1.0, when={"solver": ["cg"], "restart": [3, 4]}),
    }
    study = nomu.optimize.Study(space, seed=2, progress=False)
    for _ in range(20):
        trial = study.ask()
        assert ("restart" in trial.params) == (trial.params["solver"] == "cg")
        assert ("drop" in trial.params) == (trial.params.get("restart", 0) in (3, 4))
        study.tell(trial, trial.params.get("restart", 5) + trial.params.get("drop", 0.0))
    assert study.best.value < 3.2
    assert study.add({"solver": "lu"}, 5.0).params == {"solver": "lu"}
    with pytest.raises(nomu.DataError, match="'restart' has a value, but is only active when solver = cg"):
        study.add({"solver": "lu", "restart": 3}, 5.0)
    assert study.variables[2].when == [("solver", ["cg"]), ("restart", ["3", "4"])]
    assert study.verify()["exact"] == 20
    with pytest.raises(ValueError, match="when must be"):
        nomu.optimize.real(0, 1, when="cg")


def test_costs_are_kept(tmp_path):
    study = nomu.optimize.Study({"x": (0.0, 1.0)}, tmp_path / "s.db", progress=False)
    trial = study.ask()
    with pytest.raises(nomu.DataError, match="a cost must be a finite number above 0"):
        study.tell(trial, 1.0, cost=-2)
    study.tell(trial, 1.0, cost=2)
    assert study.add({"x": 0.25}, 2.0, cost=3.5).cost == 3.5
    study.export_csv(tmp_path / "all.csv")
    other = nomu.optimize.Study({"x": (0.0, 1.0)}, progress=False)
    assert other.import_csv(tmp_path / "all.csv", cost="cost") == 2
    assert [trial.cost for trial in other.trials()] == [2.0, 3.5]


def test_an_earlier_study_is_a_beginning(tmp_path):
    space = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
    before = nomu.optimize.Study(space, tmp_path / "before.db", seed=1, progress=False)
    for _ in range(12):
        trial = before.ask()
        before.tell(trial, (trial.params["x"] - 0.3) ** 2 + trial.params["y"])
    for earlier in (before, tmp_path / "before.db"):
        study = nomu.optimize.Study(space, earlier=earlier, progress=False)
        assert study.ask().params == before.best.params
    with pytest.raises(nomu.ConfigError, match="has no variable 'z'"):
        nomu.optimize.Study({"z": (0.0, 1.0)}, earlier=before)


def test_a_run_stops_when_it_is_settled():
    study = nomu.optimize.Study({"x": (-1.0, 2.0)}, budget=60, progress=False)
    report = study.run(lambda x: (x - 0.7) ** 2, until_settled=True)
    assert report["settled"]
    assert report["finished"] < 30
    assert not study.outlook()["worth_it"]
