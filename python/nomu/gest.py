"""A generator of the gest-api standard, for libEnsemble, Xopt and whatever else runs such generators.

>>> vocs = gest_api.vocs.VOCS(variables={"x": [0.0, 1.0], "y": [-1.0, 1.0]}, objectives={"f": "MINIMIZE"})
>>> generator = nomu.gest.NomuGenerator(vocs, method="nomu", initial=10)
>>> points = generator.suggest(4)
>>> generator.ingest([{**point, "f": simulate(**point)} for point in points])
"""

from __future__ import annotations

import math
import os
import socket
import uuid
from typing import Any

try:
    from gest_api.generator import Generator
    from gest_api.vocs import VOCS, ContinuousVariable, DiscreteVariable, MaximizeObjective, MinimizeObjective
except ImportError as error:
    raise ImportError("nomu.gest needs the gest-api standard: pip install gest-api") from error

from .optimize import Study, Trial
from .space import categorical, space_of

__all__ = ["NomuGenerator"]


class NomuGenerator(Generator):
    """Suggests points by a study, in memory, in a file or in a database that several generators may share.

    Continuous variables are real, discrete ones are choices; constants are passed through. There is one objective, to
    be minimised or maximised, and no constraint on results. A result that is not finite counts as a failed evaluation.

    Parameters
    ----------
    vocs : gest_api.vocs.VOCS
        Variables and objective.
    path : str or path, optional
        File or address of the study; one that exists is continued if its variables and direction are those of
        ``vocs``, another is made. Default: in memory.
    batch : int
        Number of points of ``suggest()`` without a number.
    **settings
        Settings of the study, as ``nomu.Study`` takes them.
    """

    returns_id = True

    def __init__(self, vocs: VOCS, path: Any = None, *, batch: int = 1, **settings: Any):
        super().__init__(vocs)
        self._objective, objective = next(iter(vocs.objectives.items()))
        self._constants = {name: constant.value for name, constant in vocs.constants.items()}
        self._choices = {
            name: sorted(v.values, key=str) for name, v in vocs.variables.items() if isinstance(v, DiscreteVariable)
        }
        self._names = list(vocs.variables)
        self._batch = batch
        self._worker = f"gest:{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._asked: set[int] = set()
        self._spare: list[Trial] = []  # asked for together with too many others
        space = {
            name: categorical([str(i) for i in range(len(self._choices[name]))])
            if name in self._choices
            else tuple(v.domain)
            for name, v in vocs.variables.items()
        }
        direction = "maximize" if isinstance(objective, MaximizeObjective) else "minimize"
        self.study = self._open(space, path, direction, settings)

    @staticmethod
    def _open(space: dict, path: Any, direction: str, settings: dict) -> Study:
        if path is None:
            return Study(space, direction=direction, **settings)
        try:
            return Study(space, path, direction=direction, **settings)
        except Exception as refused:
            try:
                study = Study.open(path)
            except Exception:
                raise refused from None
        there, here = _described(study.variables), _described(space_of(space).variables)
        if there != here:
            raise ValueError(f"the study at '{path}' has other variables than the VOCS: {there}, not {here}")
        if study.settings["direction"] != direction:
            direction = study.settings["direction"]
            raise ValueError(f"the study at '{path}' has another direction than the VOCS: {direction}")
        return study

    def _validate_vocs(self, vocs: VOCS) -> None:
        if len(vocs.objectives) != 1:
            raise ValueError(f"NomuGenerator optimises one objective; the VOCS has {len(vocs.objectives)}")
        objective = next(iter(vocs.objectives.values()))
        if not isinstance(objective, (MinimizeObjective, MaximizeObjective)):
            raise ValueError("NomuGenerator minimises or maximises its objective; it does not only explore")
        if vocs.constraints:
            raise ValueError(f"NomuGenerator takes no constraints on results: {', '.join(vocs.constraints)}")
        if not vocs.variables:
            raise ValueError("NomuGenerator needs a variable")
        for name, variable in vocs.variables.items():
            if isinstance(variable, DiscreteVariable):
                continue
            if not isinstance(variable, ContinuousVariable) or not all(math.isfinite(end) for end in variable.domain):
                raise ValueError(f"variable '{name}' must be discrete or have finite bounds")

    def suggest(self, num_points: int | None = None) -> list[dict]:
        count = self._batch if num_points is None else num_points
        missing = count - len(self._spare)
        trials = self._spare + self.study.ask(missing, self._worker) if missing > 0 else self._spare[:count]
        if num_points is not None and len(trials) < num_points:
            self._spare = trials
            raise ValueError(f"{num_points} points were asked for, but only {len(trials)} are left")
        self._spare = self._spare[len(trials) :]
        self._asked.update(trial.number for trial in trials)
        return [{**self._point(trial.params), **self._constants, "_id": trial.number} for trial in trials]

    def _point(self, params: dict) -> dict:
        return {
            name: self._choices[name][int(params[name])] if name in self._choices else params[name]
            for name in self._names
        }

    def _params(self, result: dict) -> dict:
        return {
            name: str(self._choices[name].index(result[name])) if name in self._choices else float(result[name])
            for name in self._names
        }

    def ingest(self, results: list[dict]) -> None:
        unknown = {int(r["_id"]) for r in results if r.get("_id") is not None} - self._asked
        if unknown:  # of an earlier process, or of another generator of the study
            unknown -= {trial.number for trial in self.study.trials() if trial.state == "pending"}
        if unknown:
            raise ValueError(f"no point with the _id {min(unknown)} was suggested, or is pending in the study")
        told = [self._told(result) for result in results]
        self.study.tell_many([one for one in told if one is not None])

    def _told(self, result: dict) -> dict | None:
        """For ``tell_many``; None if there is nothing to tell."""
        value, number = float(result[self._objective]), result.get("_id")
        if number is None:
            return {"point": self._params(result), "value": value} if math.isfinite(value) else None
        told = {"value": value} if math.isfinite(value) else {"failed": f"the result is {value}"}
        return {"id": int(number), **told}

    def finalize(self) -> None:
        """Gives points without results back to the study, for whoever continues it."""
        self._spare = []
        self.study.release(self._worker)


def _described(variables: list) -> list[tuple]:
    """What two spaces must have in common."""
    return [(v.name, v.kind, v.low, v.high, v.log, list(v.choices), v.when) for v in variables]
