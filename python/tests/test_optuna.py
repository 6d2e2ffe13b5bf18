import pickle

import pytest

optuna = pytest.importorskip("optuna")
from nomu.optuna import NomuSampler  # noqa: E402

QUICK = {"settings": "train.epochs=100", "initial": 6}


@pytest.fixture(autouse=True)
def quiet():
    optuna.logging.set_verbosity(optuna.logging.ERROR)


def mixed(trial):
    x = trial.suggest_float("x", -5, 5)
    rate = trial.suggest_float("rate", 1e-4, 1, log=True)
    n = trial.suggest_int("n", 1, 9, step=2)
    m = trial.suggest_int("m", 1, 100, log=True)
    grid = trial.suggest_float("grid", 0, 1, step=0.25)
    kind = trial.suggest_categorical("kind", ["a", 2, None])
    assert n in (1, 3, 5, 7, 9) and 1 <= m <= 100 and grid in (0, 0.25, 0.5, 0.75, 1) and 1e-4 <= rate <= 1
    return x**2 + (n - 5) ** 2 + grid + (0 if kind == 2 else 1)


def test_every_kind_of_parameter():
    study = optuna.create_study(sampler=NomuSampler(seed=2, **QUICK))
    study.optimize(mixed, n_trials=12)
    assert len(study.trials) == 12 and study.best_value < 30


def test_same_seed_same_trials_and_a_new_process_goes_on():
    def run(trials):
        study = optuna.create_study(sampler=NomuSampler(seed=4, **QUICK))
        study.optimize(lambda t: t.suggest_float("x", -5, 5) ** 2, n_trials=trials)
        return study

    study = run(10)
    assert [t.params for t in study.trials] == [t.params for t in run(10).trials]
    study.sampler = pickle.loads(pickle.dumps(study.sampler))
    study.optimize(lambda t: t.suggest_float("x", -5, 5) ** 2, n_trials=2)
    assert len(study.trials) == 12


def test_model_is_better_than_chance_on_a_bowl():
    study = optuna.create_study(direction="maximize", sampler=NomuSampler(seed=1, **QUICK))
    study.optimize(lambda t: -(t.suggest_float("x", -5, 5) - 1) ** 2 - t.suggest_float("y", -5, 5) ** 2, n_trials=20)
    assert study.best_value > -0.5


def test_failures_pruning_and_given_points():
    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number == 3:
            raise RuntimeError("stalled")
        trial.report(x, 0)
        if trial.number == 4:
            raise optuna.TrialPruned
        return x if trial.number != 5 else float("nan")

    study = optuna.create_study(sampler=NomuSampler(**QUICK))
    study.enqueue_trial({"x": 0.125})
    study.optimize(objective, n_trials=10, catch=(RuntimeError,))
    assert study.trials[0].params == {"x": 0.125}
    assert len(study.trials) == 10


def test_conditional_parameters_and_used_up_spaces():
    def objective(trial):
        kind = trial.suggest_categorical("kind", ["a", "b"])
        return trial.suggest_float("only_b", 0, 1) if kind == "b" else 1.0

    optuna.create_study(sampler=NomuSampler(**QUICK)).optimize(objective, n_trials=8)
    small = optuna.create_study(sampler=NomuSampler(**QUICK))
    small.optimize(lambda t: t.suggest_int("n", 1, 3), n_trials=6)
    assert small.best_value == 1


def test_threads_share_a_sampler():
    study = optuna.create_study(sampler=NomuSampler(method="random"))
    study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=12, n_jobs=3)
    assert len({t.params["x"] for t in study.trials}) == 12


def test_several_objectives_are_refused():
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=NomuSampler())
    with pytest.raises(ValueError, match="one objective"):
        study.optimize(lambda t: (t.suggest_float("x", 0, 1), 1.0), n_trials=3)


def test_wrong_settings_are_refused():
    study = optuna.create_study(sampler=NomuSampler(methods="gp"))
    with pytest.raises(ValueError, match="method"):
        study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=3)


def test_trials_given_in_part_are_learned_where_they_were_evaluated():
    study = optuna.create_study(sampler=NomuSampler(seed=1, **QUICK))
    for x in (0.3, -0.7, 0.9):
        study.enqueue_trial({"x": x})
    study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2 + trial.suggest_float("y", -1, 1) ** 2, n_trials=8)
    known = study.sampler._search.study.trials()
    told = {(round(t["params"]["x"], 12), round(t["params"]["y"], 12)): t["value"] for t in known if t["value"] is not None}
    assert len(told) >= 7
    for (x, y), value in told.items():
        assert value == pytest.approx(x**2 + y**2)


def test_running_trials_of_others_count_before_the_first_result():
    storage = optuna.storages.InMemoryStorage()
    study = optuna.create_study(study_name="shared", storage=storage, sampler=NomuSampler(seed=3, method="gp", initial=4))
    other = optuna.load_study(study_name="shared", storage=storage, sampler=NomuSampler(seed=3, method="gp", initial=4))
    first = study.ask()
    first.suggest_float("x", -5, 5)
    study.tell(first, float("inf"))  # says which parameters there are, but is no result
    theirs = other.ask()
    x = theirs.suggest_float("x", -5, 5)
    mine = study.ask()
    assert abs(mine.suggest_float("x", -5, 5) - x) > 1e-3
    states = [trial["state"] for trial in study.sampler._search.study.trials(0)]
    assert states == ["pending", "pending"]  # theirs is no result, whatever becomes of it
    other.tell(theirs, state=optuna.trial.TrialState.FAIL)
    study.ask().suggest_float("x", -5, 5)
    assert study.sampler._search.study.trials(0)[0]["state"] == "failed" and study.sampler._search.running == {}


def test_running_trials_of_others_are_taken_into_account():
    storage = optuna.storages.InMemoryStorage()
    ours = NomuSampler(seed=3, method="gp", initial=4)
    study = optuna.create_study(study_name="shared", storage=storage, sampler=ours)
    study.optimize(lambda t: t.suggest_float("x", -5, 5) ** 2, n_trials=8)
    other = optuna.load_study(study_name="shared", storage=storage, sampler=NomuSampler(seed=3, method="gp", initial=4))
    theirs = other.ask()
    x = theirs.suggest_float("x", -5, 5)
    mine = study.ask()
    assert abs(mine.suggest_float("x", -5, 5) - x) > 1e-3  # the same samplers and results, but not the same point
    assert list(ours._search.running) == [theirs.number]
    expected = ours._search.running[theirs.number]
    other.tell(theirs, x**2)
    study.tell(mine, 1.0)
    study.ask().suggest_float("x", -5, 5)
    assert ours._search.running == {}
    told = {trial["number"]: trial["value"] for trial in ours._search.study.trials(0)}
    assert told[expected] == x**2
