"""The process of one fit: reads a job, fits, scores, writes the result. `python -m tablebench.worker JOB RESULT`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from tablebench.measure import measured
from tablebench.methods import PEERS
from tablebench.methods.method import Method
from tablebench.methods.tool import Tool, Variant
from tablebench.scores import all_scores
from tablebench.task import read_task


@dataclass(frozen=True)
class Job:
    """What a worker needs to know. `tool` and `variant` are for nomu's methods only."""

    folder: str
    table: str
    split: int
    method: str
    version: str
    threads: int = 1
    device: str = "cpu"
    predictions: str = ""
    tool: str = ""
    variant: Variant | None = None

    def method_object(self) -> Method:
        """The method to fit."""
        return Tool(Path(self.tool), self.variant) if self.variant else PEERS[self.method]()

    @property
    def prediction_name(self) -> str:
        """Name of the file of predictions."""
        return f"{self.table}.{self.split}.{self.method.replace(':', '-')}.npz"

    def to_json(self) -> str:
        """The job for the worker's file."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Job:
        """The inverse of `to_json`."""
        fields = json.loads(text)
        if fields["variant"]:
            fields["variant"] = Variant(**fields["variant"])
        return Job(**fields)


def run(job: Job) -> dict[str, object]:
    """Fits and scores; the clock covers preparing, fitting and predicting, not reading the file and importing."""
    task = read_task(Path(job.folder), job.table, job.split, job.threads, job.device)
    result: dict[str, object] = {"train_rows": len(task.train), "test_rows": len(task.test)}
    method = job.method_object()
    if method.most_rows is not None and len(task.train) > method.most_rows:
        return result | {"status": "skipped", "message": f"more than {method.most_rows} training rows"}
    method.load()
    forecast, cost = measured(method, task)
    result |= {"status": "ok", "prepared": 0} | cost | forecast.notes
    result |= all_scores(task.test[task.table.target].to_numpy(float), forecast)
    if job.predictions:
        forecast.save(Path(job.predictions, job.prediction_name))
    return result


if __name__ == "__main__":
    outcome = run(Job.from_json(Path(sys.argv[1]).read_text(encoding="utf-8")))
    Path(sys.argv[2]).write_text(json.dumps(outcome), encoding="utf-8")
