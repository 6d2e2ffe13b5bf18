"""nomu's own methods through the command line tool, as a user calls it.

A table that the tool refuses as it is (missing cells, too many names, names first seen in the test rows) is given to it
a second time with the preparation of the peers, and the result says so in its column `prepared`.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from tablebench.forecast import LEVEL, Forecast
from tablebench.methods.method import Method
from tablebench.task import Task

_QUANTILE = re.compile(r"q_?(0?\.\d+)$")


@dataclass(frozen=True)
class Variant:
    """One way to call the tool: arguments for `fit` and `predict` beside those that the table asks for."""

    name: str
    fit: list[str] = field(default_factory=list)
    predict: list[str] = field(default_factory=list)


class ToolError(RuntimeError):
    """The tool refused; the message is its own."""


class Tool(Method):
    """`nomu fit` and `nomu predict` at level 0.9, everything else as it comes."""

    uses_device = True
    is_program = True

    def __init__(self, program: Path, variant: Variant) -> None:
        self._program = program
        self._variant = variant

    def load(self) -> None:
        """Nothing to import."""

    def forecast(self, task: Task) -> Forecast:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            try:
                return self._fit(task, folder, *_as_it_is(task), prepared=False)
            except ToolError as refusal:
                forecast = self._fit(task, folder, *_prepared(task), prepared=True)
                forecast.notes["message"] = f"as it is: {refusal}"
                return forecast

    def _run(self, *arguments: str) -> str:
        done = subprocess.run([self._program, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            message = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
            raise ToolError(re.sub(r"(/\S+)?/(\w+\.csv)", r"\2", message))
        return done.stdout

    def _fit(
        self, task: Task, folder: Path, train: pd.DataFrame, test: pd.DataFrame, roles: list[str], prepared: bool
    ) -> Forecast:
        paths = {part: str(folder / f"{part}.csv") for part in ("train", "test", "predicted")}
        model = str(folder / "model.nomu")
        train.to_csv(paths["train"], index=False)
        test.to_csv(paths["test"], index=False)
        engine = ["--threads", str(task.threads), "--device", task.device]
        level = ["--level", str(LEVEL)]
        target = ["--target", task.table.target]
        said = self._run(
            "fit", paths["train"], *target, *roles, *level, *engine, "--json", "-o", model, *self._variant.fit
        )
        self._run("predict", model, paths["test"], *engine, "-o", paths["predicted"], *self._variant.predict)
        forecast = _read(Path(paths["predicted"]), len(test))
        report = json.loads(said)
        calibration = report.get("calibration", {})
        forecast.constant_half = report.get("trust", {}).get("constant_half_width")
        forecast.notes |= {"prepared": int(prepared), "calibration": calibration.get("kind")}
        forecast.notes["calibration_rows"] = calibration.get("rows")
        return forecast


def _as_it_is(task: Task) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """The file's own columns; test rows without their target. `fit` does not use group and time columns as inputs."""
    table = task.table
    roles = [word for column in table.ignore for word in ("--ignore", column)]
    roles += ["--group", table.group] if table.group else []
    roles += ["--time", table.time] if table.time else []
    return task.train, task.test.drop(columns=table.target), roles


def _prepared(task: Task) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """The peers' inputs, with the group or time column beside them."""
    table = task.table
    extra = [column for column in (table.group, table.time) if column]
    inputs, new_inputs = task.inputs.one_hot(), task.new_inputs.one_hot()
    names = [re.sub(r"[^\w.=()-]+", "_", column) for column in inputs.columns]
    if len(set(names)) < len(names):
        names = [f"x{j}_{name}" for j, name in enumerate(names)]
    train = pd.concat([inputs.set_axis(names, axis=1), task.train[[*extra, table.target]]], axis=1)
    test = pd.concat([new_inputs.set_axis(names, axis=1), task.test[extra]], axis=1)
    roles = ["--group", table.group] if table.group else []
    roles += ["--time", table.time] if table.time else []
    return train, test, roles


def _read(path: Path, rows: int) -> Forecast:
    """Mean, bounds and sigma of the predicted table, and quantiles where it has columns such as q0.05."""
    frame = pd.read_csv(path)
    if len(frame) != rows:
        raise ToolError(f"{len(frame)} predicted rows of {rows}")
    sigma = np.hypot(frame["sigma_model"], frame["sigma_noise"]) if "sigma_noise" in frame else frame["sigma_model"]
    mean, lower, upper = (frame[name].to_numpy(float) for name in ("mean", "lower", "upper"))
    forecast = Forecast(mean, lower, upper, np.asarray(sigma, float))
    found = sorted((float(m[1]), name) for name in frame.columns if (m := _QUANTILE.match(str(name))))
    if len(found) > 2:
        forecast.levels = np.array([level for level, _ in found])
        forecast.quantiles = frame[[name for _, name in found]].to_numpy(float)
    return forecast
