"""A sampler for Optuna: keep your storage, pruners and dashboard, and let nomu propose the points.

>>> study = optuna.create_study(sampler=nomu.optuna.NomuSampler(seed=1))
>>> study.optimize(objective, n_trials=40)
"""

import math
import threading

try:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
    from optuna.samplers import BaseSampler, RandomSampler
    from optuna.search_space import IntersectionSearchSpace
    from optuna.study import StudyDirection
    from optuna.trial import TrialState
except ImportError as error:
    raise ImportError("nomu.optuna needs Optuna: pip install optuna") from error

from . import _nomu
from ._settings import pairs_of

__all__ = ["NomuSampler"]

_NEVER = 1e12  # seconds: Optuna decides when a trial is over


class _Axis:
    """An Optuna parameter as a nomu variable; steps and categories become indices."""

    def __init__(self, name, distribution):
        self.name = name
        self.distribution = distribution
        step = getattr(distribution, "step", None)
        self.step = None if step is None or getattr(distribution, "log", False) else step
        if isinstance(distribution, IntDistribution) and self.step == 1:
            self.step = None

    def variable(self):
        d = self.distribution
        if isinstance(d, CategoricalDistribution):
            return _nomu.Variable.categorical(self.name, [str(i) for i in range(len(d.choices))])
        if self.step is not None:
            return _nomu.Variable.integer(self.name, 0, round((d.high - d.low) / self.step))
        kind = _nomu.Variable.integer if isinstance(d, IntDistribution) else _nomu.Variable.real
        return kind(self.name, d.low, d.high, d.log)

    def to_nomu(self, value):
        d = self.distribution
        if isinstance(d, CategoricalDistribution):
            return str(int(d.to_internal_repr(value)))
        return float(value) if self.step is None else round((value - d.low) / self.step)

    def from_nomu(self, value):
        d = self.distribution
        if isinstance(d, CategoricalDistribution):
            return d.choices[int(value)]
        if self.step is not None:
            value = d.low + value * self.step
        return int(value) if isinstance(d, IntDistribution) else min(max(float(value), d.low), d.high)


class _Search:
    """The nomu study for one Optuna study and one search space."""

    def __init__(self, search_space, direction, settings):
        self.space = search_space
        self.axes = [_Axis(name, distribution) for name, distribution in search_space.items()]
        space = _nomu.Space([axis.variable() for axis in self.axes])
        self.study = _nomu.Study.in_memory(space, pairs_of({"lease": _NEVER, "direction": direction, **settings}))
        self.asked = {}  # Optuna's trial number -> our trial number
        self.known = set()  # Optuna's trial numbers whose results are recorded
        self.running = {}  # Optuna's trial number -> ours, for trials that other processes evaluate

    def learn(self, trials):
        for trial in trials:
            if trial.number in self.known:
                continue
            if trial.state.is_finished():
                self.known.add(trial.number)
                self._learn(trial, self.asked.pop(trial.number, None))
            elif trial.state == TrialState.RUNNING and not (trial.number in self.asked or trial.number in self.running):
                self._expect(trial)

    def _expect(self, trial):
        """A trial of another process is pending here, too: the search keeps away from its point, and the next point of
        the initial design is not the one that the other process has."""
        if all(self._fits(trial, axis) for axis in self.axes):
            self.study.enqueue({axis.name: axis.to_nomu(trial.params[axis.name]) for axis in self.axes})
            self.running[trial.number] = self.study.ask(1)[0]["number"]  # what is queued comes first

    def _learn(self, trial, asked):
        value = _value_of(trial)
        asked = self.running.pop(trial.number, asked)
        if asked is not None:
            if value is None:
                self.study.fail(asked, f"{trial.state.name.lower()} in Optuna")
            else:
                self.study.tell(asked, value)
        elif value is not None and all(self._fits(trial, axis) for axis in self.axes):
            self.study.add({axis.name: axis.to_nomu(trial.params[axis.name]) for axis in self.axes}, value)

    @staticmethod
    def _fits(trial, axis):
        given = trial.distributions.get(axis.name)
        return given is not None and axis.distribution._contains(given.to_internal_repr(trial.params[axis.name]))

    def ask(self, number):
        found = self.study.ask(1)
        if not found:  # every point of a finite space has been tried
            return {}
        self.asked[number] = found[0]["number"]
        return {axis.name: axis.from_nomu(found[0]["params"][axis.name]) for axis in self.axes}


def _value_of(trial):
    """The result of a trial, or the last value that a pruned trial reported; None if it is not finite."""
    value = None
    if trial.state == TrialState.COMPLETE:
        value = trial.values[0]
    elif trial.state == TrialState.PRUNED and trial.intermediate_values:
        value = trial.intermediate_values[max(trial.intermediate_values)]
    return value if value is not None and math.isfinite(value) else None


class NomuSampler(BaseSampler):
    """Samples from a nomu study, which maximises upper bounds of NOMU or another method with DIRECT and gradients.

    Float, int and categorical parameters, with steps and logarithmic scales, are proposed together once a first trial
    has defined them; parameters that only some trials have are drawn by ``independent_sampler``. Only one objective is
    supported. Trials that other processes are running keep the search away from their points; they are learned from
    when they finish.

    Parameters
    ----------
    seed : int
        The same seed and the same results give the same proposals.
    independent_sampler : optuna.samplers.BaseSampler, optional
        Draws the first trial and parameters outside the common search space; default: uniform.
    **settings
        Settings of the study (docs/optimisation.md): ``method``, ``preset``, ``initial``, ``noisy``, ...
    """

    def __init__(self, seed=1, *, independent_sampler=None, **settings):
        self._seed = seed
        self._settings = {"seed": seed, **settings}
        self._independent = independent_sampler or RandomSampler(seed=seed)
        self._reset()

    def _reset(self):
        self._intersection = IntersectionSearchSpace()
        self._search = None
        self._owner = None
        self._lock = threading.Lock()

    def __getstate__(self):
        # Copies and other processes read the trials from Optuna's storage.
        return {"seed": self._seed, "settings": self._settings, "independent": self._independent}

    def __setstate__(self, state):
        self._seed, self._settings, self._independent = state["seed"], state["settings"], state["independent"]
        self._reset()

    def reseed_rng(self):
        self._independent.reseed_rng()

    def infer_relative_search_space(self, study, trial):
        common = self._intersection.calculate(study)
        known = (FloatDistribution, IntDistribution, CategoricalDistribution)
        return {name: d for name, d in common.items() if isinstance(d, known) and not d.single()}

    def sample_relative(self, study, trial, search_space):
        if len(study.directions) > 1:
            raise ValueError("NomuSampler optimises one objective; the study has several")
        # If some parameters of a trial are fixed, Optuna would not evaluate the proposed point.
        if not search_space or set(search_space) & set(trial.system_attrs.get("fixed_params", {})):
            return {}
        with self._lock:
            if self._search is None or self._search.space != search_space or self._owner != study.study_name:
                maximize = study.direction == StudyDirection.MAXIMIZE
                self._search = _Search(search_space, "maximize" if maximize else "minimize", self._settings)
                self._owner = study.study_name
            self._search.learn(study.get_trials(deepcopy=False))
            return self._search.ask(trial.number)

    def sample_independent(self, study, trial, param_name, param_distribution):
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study, trial):
        self._independent.before_trial(study, trial)

    def after_trial(self, study, trial, state, values):
        self._independent.after_trial(study, trial, state, values)
