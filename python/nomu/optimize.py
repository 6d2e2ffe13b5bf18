"""The best point of an expensive function, proposed by a model that knows how unsure it is.

>>> best = nomu.maximize(f, {"x": (-5, 10), "y": (0, 15)}, evaluations=40)
>>> best.params, best.value

A ``Study`` asks and is told, in memory or in the SQLite files of ``nomu optimize``; several processes may share one.
"""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from numpy import ndarray

from . import _nomu
from ._errors import NomuError
from ._progress import ProgressBar
from ._settings import pairs_of
from .space import Constraint, Variable, categorical, integer, real, space_of

__all__ = [
    "Constraint",
    "Optimum",
    "Study",
    "Trial",
    "Variable",
    "categorical",
    "integer",
    "maximize",
    "minimize",
    "real",
]


@dataclass(frozen=True)
class Trial:
    """One question and, once there is one, its answer."""

    number: int
    params: dict[str, Any]
    state: str  # "pending", "finished" or "failed"
    value: float | None
    reason: str
    origin: str  # "design", "model", "random" or "given"
    worker: str
    asked: float
    told: float


@dataclass(frozen=True)
class Optimum:
    """What a search found."""

    params: dict[str, Any]
    value: float
    trials: list[Trial]


class Study:
    """Questions and answers of one search. Several threads may share it; they wait for each other.

    Parameters
    ----------
    space : dict, sequence of (low, high), or sequence of variables
        What may be varied, see ``nomu.space``: ``{"x": (0.0, 1.0), "n": integer(1, 5), "solver": ["cg", "lu"]}``.
    path : str or path, optional
        File to make; default: the study lives in memory.
    direction : str
        "minimize" or "maximize".
    constraints : sequence of Constraint
        Linear constraints between real and integer variables.
    threads : int
        Threads of the model's fits.
    progress : bool or None
        Whether to show a bar while a model is fitted; None: where somebody can see it.
    **settings
        Anything that the ``[study]`` part of a space file may say: ``method``, ``preset``, ``settings``, ``seed``,
        ``budget``, ``initial``, ``acquisition``, ``noisy``, ... (docs/optimisation.md).
    """

    def __init__(
        self,
        space: Any,
        path: str | PathLike | None = None,
        *,
        direction: str = "minimize",
        constraints: Iterable[Any] = (),
        threads: int = 1,
        progress: bool | None = None,
        **settings: Any,
    ):
        pairs = pairs_of({"direction": direction, **{k.replace("__", "."): v for k, v in settings.items()}})
        made = space_of(space, constraints)
        self._progress = progress
        self._lock = threading.Lock()
        if path is None:
            self._study = _nomu.Study.in_memory(made, pairs, threads)
        else:
            self._study = _nomu.Study.create(path, made, pairs, threads)

    @classmethod
    def open(
        cls, path: str | PathLike, *, read_only: bool = False, threads: int = 1, progress: bool | None = None
    ) -> Study:
        """A study that is there already, made here or by ``nomu optimize new``."""
        study = cls.__new__(cls)
        study._progress = progress
        study._lock = threading.Lock()
        study._study = _nomu.Study.open(path, read_only, threads)
        return study

    def ask(self, count: int | None = None, worker: str = "") -> Any:
        """The next trial, or with ``count`` a list of up to so many; the list is shorter when no more are left.

        Raises ``nomu.NomuError`` for a single trial when none is left.
        """
        with self._lock, ProgressBar(self._progress) as bar:
            found = self._study.ask(1 if count is None else count, worker, bar.callback)
        trials = [Trial(**one) for one in found]
        if count is not None:
            return trials
        if not trials:
            raise NomuError("[bo/study] nothing is left to try: the budget is spent or the space used up")
        return trials[0]

    def tell(self, trial: Trial | int, value: float, *, replace: bool = False) -> None:
        """The result of a trial (or of its number); on disk when this returns."""
        with self._lock:
            self._study.tell(_number(trial), float(value), replace)

    def fail(self, trial: Trial | int, reason: str = "", *, replace: bool = False) -> None:
        """The trial has no value and never will."""
        with self._lock:
            self._study.fail(_number(trial), str(reason), replace)

    def add(self, params: Mapping[str, Any], value: float) -> Trial:
        """A result from elsewhere."""
        with self._lock:
            return Trial(**self._study.add(dict(params), float(value)))

    def renew(self, trial: Trial | int) -> None:
        """Push the lease of a trial that is being worked on."""
        with self._lock:
            self._study.renew(_number(trial))

    def trials(self, limit: int = 0) -> list[Trial]:
        """All trials in order, or the latest ``limit``."""
        with self._lock:
            return [Trial(**one) for one in self._study.trials(limit)]

    def predict(self, params: Iterable[Mapping[str, Any]]) -> tuple[ndarray, ndarray] | None:
        """Mean and sigma of the study's model at a list of points, [q] each, in the units of the results.

        None where there are too few results for a model.
        """
        with self._lock, ProgressBar(self._progress) as bar:
            return self._study.surrogate([dict(point) for point in params], bar.callback)

    def verify(self, quick: bool = False) -> dict[str, Any]:
        """Replay the log: a dictionary that says whether everything follows from it."""
        with self._lock, ProgressBar(self._progress) as bar:
            return self._study.verify(quick, bar.callback)

    @property
    def best(self) -> Trial | None:
        """The best trial so far, or None."""
        with self._lock:
            found = self._study.best
        return None if found is None else Trial(**found)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to be asked for."""
        with self._lock:
            return self._study.finished

    @property
    def status(self) -> dict[str, int]:
        """Counts of trials by state."""
        with self._lock:
            return self._study.status

    @property
    def budget(self) -> int:
        """Trials in all, 0: no limit. Assign a larger number to go on with a study that has used up its own."""
        with self._lock:
            return self._study.budget

    @budget.setter
    def budget(self, trials: int) -> None:
        with self._lock:
            self._study.set_budget(operator.index(trials))

    @property
    def settings(self) -> dict[str, str]:
        """Every setting as text."""
        return dict(self._study.settings)

    @property
    def variables(self) -> list[Variable]:
        """What may be varied."""
        return self._study.space.variables


def _number(trial):
    return trial.number if isinstance(trial, Trial) else int(trial)


def _evaluate(f, study, trial, named):
    try:
        value = float(f(**trial.params) if named else f(list(trial.params.values())))
    except Exception as error:  # a failed evaluation is an answer too
        study.fail(trial, f"{type(error).__name__}: {error}")
        return
    if math.isfinite(value):
        study.tell(trial, value)
    else:
        study.fail(trial, f"the value {value}")


def _search(f, space, evaluations, **settings):
    if evaluations < 1:
        raise ValueError(f"evaluations must be at least 1, got {evaluations}")
    study = Study(space, budget=evaluations, **settings)
    named = isinstance(space, Mapping)
    while trials := study.ask(1):
        _evaluate(f, study, trials[0], named)
    best = study.best
    if best is None:
        trials = study.trials()
        raise NomuError(f"[bo/study] all of {len(trials)} evaluations failed, the last one with {trials[-1].reason}")
    return Optimum(best.params, best.value, study.trials())


def maximize(
    f: Callable[..., float], bounds: Any, evaluations: int = 50, *, path: str | PathLike | None = None, **settings: Any
) -> Optimum:
    """The point with the largest value of f.

    Parameters
    ----------
    f : callable
        Called with the variables as keywords where ``bounds`` is a dictionary, else with one list of values. An
        exception or a value that is not finite counts as a failure, which the search avoids.
    bounds : dict or sequence
        What may be varied, see ``Study``.
    evaluations : int
        How often f is called.
    path : str or path, optional
        Study file to keep questions and answers in.
    **settings
        See ``Study``.

    Returns
    -------
    Optimum
        ``params``, ``value`` and all ``trials``.
    """
    return _search(f, bounds, evaluations, direction="maximize", path=path, **settings)


def minimize(
    f: Callable[..., float], bounds: Any, evaluations: int = 50, *, path: str | PathLike | None = None, **settings: Any
) -> Optimum:
    """The point with the smallest value of f; see ``maximize``."""
    return _search(f, bounds, evaluations, direction="minimize", path=path, **settings)
