"""Searches for the best point of an expensive function with a model that knows its own uncertainty.

>>> best = nomu.maximize(f, {"x": (-5, 10), "y": (0, 15)}, evaluations=40)
>>> best.params, best.value

A ``Study`` hands out points and records results, in memory, in the SQLite files of ``nomu optimize`` or in a PostgreSQL
database (``"postgresql://host/db?study=NAME"``); several processes may share a file, several machines a database.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from typing import Any

from numpy import ndarray

from . import _nomu
from ._errors import NomuError
from ._progress import ProgressBar
from ._settings import pairs_of, settings_help
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
    """A point to evaluate and, once available, its result."""

    number: int
    params: dict[str, Any]
    state: str  # "pending", "finished" or "failed"
    value: float | None
    reason: str
    origin: str  # "design", "gp", "nomu", "model", "random", "custom" or "given"
    worker: str
    asked: float
    told: float
    cost: float | None = None  # what the evaluation took, if it was told

    def __repr__(self) -> str:
        told = f", value={self.value!r}" if self.value is not None else f", {self.reason!r}" if self.reason else ""
        return f"Trial({self.number}, {self.params!r}, {self.state}{told})"


@dataclass(frozen=True)
class Optimum:
    """The result of a search: its best trial (``Study.best``), and all trials."""

    params: dict[str, Any]
    value: float
    trials: list[Trial]

    def __repr__(self) -> str:
        return f"Optimum(params={self.params!r}, value={self.value!r}, {len(self.trials)} trials)"


class Study:
    """The trials of one search. Several threads may share a study; calls wait for each other.

    Parameters
    ----------
    space : dict, sequence of (low, high), or sequence of variables
        The search space, see ``nomu.space``: ``{"x": (0.0, 1.0), "n": integer(1, 5), "solver": ["cg", "lu"]}``.
    path : str or path, optional
        File to create, or address in a PostgreSQL database; default: the study is kept in memory.
    direction : str
        "minimize" or "maximize".
    constraints : sequence of Constraint
        Linear constraints between real and integer variables.
    threads : int
        Number of threads for fitting models.
    trust_file_system : bool
        Whether to use a file even if it is on a file system that several machines share (NFS and the like).
    earlier : Study, str or path, optional
        An earlier study of a similar problem with the same variables. Its best point is tried first, and its results
        help the model as far as they prove similar.
    progress : bool or None
        Whether to show a bar while a model is fitted; None: only in a terminal or notebook.
    **settings
        Any setting of the ``[study]`` table of a space file, with "__" for a dot in its name (docs/optimisation.md).
        They are listed below.
    """

    __doc__ = (__doc__ or "") + "\n    Settings\n    --------\n" + settings_help(_nomu.study_settings()) + "\n    "

    def __init__(
        self,
        space: Any,
        path: str | PathLike | None = None,
        *,
        direction: str = "minimize",
        constraints: Iterable[Any] = (),
        threads: int = 1,
        trust_file_system: bool = False,
        earlier: Study | str | PathLike | None = None,
        progress: bool | None = None,
        **settings: Any,
    ):
        pairs = pairs_of({"direction": direction, **{k.replace("__", "."): v for k, v in settings.items()}})
        made = space_of(space, constraints)
        self._progress = progress
        if earlier is not None and not isinstance(earlier, Study):
            earlier = Study.open(earlier, read_only=True, trust_file_system=trust_file_system)
        before = None if earlier is None else earlier._study
        if path is None:
            self._study = _nomu.Study.in_memory(made, pairs, threads, before)
        else:
            self._study = _nomu.Study.create(path, made, pairs, threads, trust_file_system, before)

    @classmethod
    def open(
        cls,
        path: str | PathLike,
        *,
        read_only: bool = False,
        threads: int = 1,
        trust_file_system: bool = False,
        progress: bool | None = None,
    ) -> Study:
        """Open a study that was created here or by ``nomu optimize new``: a file, or an address in a database."""
        study = cls.__new__(cls)
        study._progress = progress
        study._study = _nomu.Study.open(path, read_only, threads, trust_file_system)
        return study

    def __repr__(self) -> str:
        status, best = self.status, self.best_result  # without fitting a model
        word = "best result" if self.settings["noisy"] == "true" else "best"
        found = "" if best is None else f", {word} {best.value!r} at {best.params!r}"
        return f"<nomu.Study of {len(self.variables)} variables, {status['trials']} trials{found}>"

    def ask(self, count: int | None = None, worker: str = "") -> Any:
        """The next trial or, with ``count``, a list of up to that many; the list is shorter if no more are left.

        Without ``count``, raises ``nomu.NomuError`` if no trial is left.
        """
        with ProgressBar(self._progress) as bar:
            found = self._study.ask(1 if count is None else count, worker, bar.callback)
        trials = [Trial(**one) for one in found]
        if count is not None:
            return trials
        if not trials:
            raise NomuError(f"[bo/study] nothing is left to try: {self._study.why_finished()}")
        return trials[0]

    def tell(self, trial: Trial | int, value: float, *, cost: float | None = None, replace: bool = False) -> None:
        """Record the result of a trial, given as a ``Trial`` or by its number; it is on disk when this returns.

        ``cost`` is what the evaluation took, in any unit. Once four costs are known, the method "auto" prefers points
        that promise more for less.
        """
        self._study.tell(_number(trial), float(value), replace, None if cost is None else float(cost))

    def fail(self, trial: Trial | int, reason: str = "", *, replace: bool = False) -> None:
        """Record that a trial failed."""
        self._study.fail(_number(trial), str(reason), replace)

    def add(self, params: Mapping[str, Any], value: float, *, cost: float | None = None) -> Trial:
        """Record a result that was obtained elsewhere."""
        return Trial(**self._study.add(dict(params), float(value), None if cost is None else float(cost)))

    def enqueue(self, params: Mapping[str, Any]) -> Trial:
        """Add a point without a result: whoever asks next gets it, before anything is suggested."""
        return Trial(**self._study.enqueue(dict(params)))

    def tell_many(self, results: Iterable[Any], *, repeated: str = "accept_equal") -> list[int]:
        """Record many results in one transaction: all of them, or none if it raises.

        Parameters
        ----------
        results : iterable
            Each is ``(trial, value)``, or a dictionary as ``nomu optimize tell --lines`` reads them:
            ``{"id": 3, "value": 0.5}``, ``{"id": 4, "failed": "pump stalled"}`` or, for a point that was evaluated
            elsewhere, ``{"point": {"x": 0.1}, "value": 0.7}``; a value may have a ``cost``.
        repeated : str
            What to do with a trial that has a result: "accept_equal" takes the same result again and refuses another
            one, "refuse" refuses both, "replace" overwrites.

        Returns
        -------
        list of int
            The numbers of their trials.
        """
        return self._study.tell_many([_told(one) for one in results], repeated)

    def renew(self, trial: Trial | int) -> bool:
        """Extend the lease of a trial that is being evaluated.

        Returns False, and changes nothing, if the trial has a result, was given back or, for a ``Trial`` with a worker,
        is another worker's by now.
        """
        return self._study.renew(_number(trial), trial.worker if isinstance(trial, Trial) else "")

    def release(self, worker: str) -> int:
        """Give the trials of a worker back, so that whoever asks next gets them; returns their number."""
        return self._study.release(worker)

    def workers(self) -> list[dict[str, Any]]:
        """Who evaluates what: ``worker``, ``trial``, for how many ``seconds``, and ``lease_left``."""
        return self._study.workers()

    def run(
        self,
        f: Callable[..., float] | None = None,
        *,
        command: str | None = None,
        workers: int = 1,
        timeout: float = 0.0,
        start_within: float = 0.0,
        trials: int = 0,
        failures: int = 10,
        patience: float = 60.0,
        until_settled: bool = False,
        on_result: Callable[[Trial], Any] | None = None,
    ) -> dict[str, Any]:
        """Evaluate trials with a function or a shell command until none is left.

        Other processes may work on the same file. Leases are renewed meanwhile, and trials of workers whose process no
        longer exists are taken over. On an interrupt, running trials go back to the study.

        Parameters
        ----------
        f : callable, optional
            Called with the variables as keywords, from threads other than the calling one. Exceptions and values that
            are not finite are failures. A call cannot be interrupted: Ctrl-C waits for it and keeps its result.
        command : str, optional
            Shell command whose last line of output is the value, as in ``nomu optimize run``: ``{x}`` stands for the
            value of x, ``{id}`` for the number of the trial. Give either ``f`` or ``command``.
        workers : int
            Number of evaluations that run at the same time.
        timeout : float
            Seconds after which a command is killed and its trial fails; 0: never. Not for ``f``.
        start_within : float
            Seconds after which no further trial is started; 0: no limit. Those that run are finished.
        trials : int
            Largest number of trials to evaluate; 0: until the study is finished.
        failures : int
            Consecutive failures after which to stop with ``nomu.NomuError``; 0: never.
        patience : float
            Seconds for which to retry if a result cannot be written, for example because the disk is full.
        until_settled : bool
            Whether to stop when, three results or failures in a row, hardly any improvement is to be expected
            (``outlook``).
        on_result : callable, optional
            Called with each ``Trial`` once its result is recorded.

        Returns
        -------
        dict
            The number of ``finished`` and of ``failed`` trials, and whether the search is ``settled``.
        """
        if (f is None) == (command is None):
            raise ValueError("give either f or command")
        settings = pairs_of(
            {
                "workers": workers,
                "timeout": timeout,
                "start_within": start_within,
                "trials": trials,
                "failures": failures,
                "patience": patience,
                "until_settled": until_settled,
            }
        )
        report = None if on_result is None else lambda found: on_result(Trial(**found))
        with ProgressBar(self._progress) as bar:
            if command is not None:
                return self._study.run_command(command, settings, report, bar.callback)
            return self._study.run_function(f, settings, report, bar.callback)

    def trials(self, limit: int = 0) -> list[Trial]:
        """All trials in order, or the latest ``limit``."""
        return [Trial(**one) for one in self._study.trials(limit)]

    def predict(self, params: Iterable[Mapping[str, Any]]) -> tuple[ndarray, ndarray] | None:
        """Mean and sigma of the study's model at a list of points, [q] each, in the units of the results.

        None if there are too few results for a model.
        """
        with ProgressBar(self._progress) as bar:
            return self._study.surrogate([dict(point) for point in params], bar.callback)

    def ask_by(
        self, acquisition: Callable[[float, float, float], float], count: int = 1, worker: str = ""
    ) -> list[Trial]:
        """Up to ``count`` trials that maximise ``acquisition(mean, sigma, best)``, in the units of the results.

        Larger is better. The list is empty if there are too few results for a model.
        """
        return [Trial(**one) for one in self._study.ask_by(acquisition, count, worker)]

    def import_csv(self, path: str | PathLike, value: str = "value", cost: str | None = None) -> int:
        """Add the results in a CSV file with a column for each variable and one for the value; returns their number.

        ``cost`` names a column of what they cost, whose cells may be empty.
        """
        return self._study.import_table(path, value, cost or "")

    def export_csv(self, path: str | PathLike) -> None:
        """Write all trials to a CSV file."""
        self._study.export_table(path)

    def outlook(self) -> dict[str, Any] | None:
        """What the results say about the best point and about going on; None if there are too few.

        ``best`` is the best trial (by the model, if results are noisy), ``mean`` and ``sigma`` the value expected there
        and its standard deviation, ``gain`` the improvement that the next trial is expected to bring, ``worth_it``
        whether that is more than a thousandth of the spread of the results.
        """
        found = self._study.outlook()
        return None if found is None else {**found, "best": Trial(**found["best"])}

    def importances(self) -> dict[str, tuple[float, float]]:
        """The share of every variable in the variation of the function, and the standard deviation of that share."""
        return dict(self._study.importances())

    def advice(self) -> list[str]:
        """What the results suggest to do otherwise, a sentence each.

        To make the study noisy, if a model explains 2e-4 or more of the variance of its results as noise; to
        tell failures as such, if results are more than a thousand interquartile ranges worse than the median.
        """
        return list(self._study.advice())

    def verify(self, quick: bool = False) -> dict[str, Any]:
        """Replay the log and report, as a dictionary, whether everything in the study follows from it."""
        with ProgressBar(self._progress) as bar:
            return self._study.verify(quick, bar.callback)

    @property
    def best(self) -> Trial | None:
        """The best trial so far, or None; if results are noisy, the one whose expected value is the best."""
        found = self._study.best
        return None if found is None else Trial(**found)

    @property
    def best_result(self) -> Trial | None:
        """The trial with the best recorded value, or None; the same as ``best`` unless results are noisy."""
        found = self._study.best_result
        return None if found is None else Trial(**found)

    @property
    def finished(self) -> bool:
        """Whether no trial is left to ask for."""
        return self._study.finished

    @property
    def status(self) -> dict[str, int]:
        """Number of trials by state."""
        return self._study.status

    @property
    def budget(self) -> int:
        """Total number of trials; 0: no limit. Assign a larger number to continue a study that has used it up."""
        return self._study.budget

    @budget.setter
    def budget(self, trials: int) -> None:
        self._study.set_budget(operator.index(trials))

    @property
    def settings(self) -> dict[str, str]:
        """Every setting as text."""
        return dict(self._study.settings)

    @property
    def variables(self) -> list[Variable]:
        """The variables of the search space."""
        return self._study.space.variables


def _number(trial):
    return trial.number if isinstance(trial, Trial) else int(trial)


def _told(given):
    """A result as the extension takes it: number, parameters, value, reason, cost."""
    if not isinstance(given, Mapping):
        trial, value = given
        return _number(trial), None, float(value), "", None
    if unknown := set(given) - {"id", "point", "value", "failed", "cost"}:
        raise ValueError(f"unknown key {min(map(str, unknown))!r}; a result has id or point, value or failed, and cost")
    if ("id" in given) == ("point" in given) or ("value" in given) == ("failed" in given):
        raise ValueError(f"a result has either id or point, and either value or failed, got {dict(given)!r}")
    number = _number(given["id"]) if "id" in given else 0
    value = float(given["value"]) if "value" in given else None
    cost = given.get("cost")
    params = dict(given["point"]) if "point" in given else None
    return number, params, value, str(given.get("failed", "")), None if cost is None else float(cost)


def _search(f, space, evaluations, *, failures=10, **settings):
    if evaluations < 1:
        raise ValueError(f"evaluations must be at least 1, got {evaluations}")
    if failures < 0:
        raise ValueError(f"failures must not be negative, got {failures}")
    study = Study(space, budget=evaluations, **settings)
    try:
        found = study._study.optimize(
            f, lambda: [trial.number for trial in study.ask(1)], isinstance(space, Mapping), failures
        )
    except NomuError as error:
        with suppress(NomuError):  # the error is worth more than its list
            error.trials = study.trials()
        raise
    return Optimum(found["params"], found["value"], [Trial(**one) for one in found["trials"]])


def maximize(
    f: Callable[..., float],
    bounds: Any,
    evaluations: int = 50,
    *,
    path: str | PathLike | None = None,
    failures: int = 10,
    **settings: Any,
) -> Optimum:
    """The point with the largest value of f.

    Parameters
    ----------
    f : callable
        Called with the variables as keywords if ``bounds`` is a dictionary, otherwise with a list of values. An
        exception or a value that is not finite counts as a failure, which the search avoids.
    bounds : dict or sequence
        The search space, see ``Study``.
    evaluations : int
        Number of calls of f.
    path : str or path, optional
        File to keep the study in.
    failures : int
        Failures in a row after which to stop with ``nomu.NomuError``, whose ``trials`` are those so far; 0: never.
    **settings
        See ``Study``.

    Returns
    -------
    Optimum
        ``params``, ``value`` and all ``trials``.
    """
    return _search(f, bounds, evaluations, direction="maximize", path=path, failures=failures, **settings)


def minimize(
    f: Callable[..., float],
    bounds: Any,
    evaluations: int = 50,
    *,
    path: str | PathLike | None = None,
    failures: int = 10,
    **settings: Any,
) -> Optimum:
    """The point with the smallest value of f; see ``maximize``."""
    return _search(f, bounds, evaluations, direction="minimize", path=path, failures=failures, **settings)
