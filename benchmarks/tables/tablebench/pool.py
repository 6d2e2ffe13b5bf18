"""Runs jobs as processes, some at a time, each with a time limit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tablebench.worker import Job

Outcome = dict[str, object]
PACKAGE = Path(__file__).resolve().parent.parent


@dataclass
class _Running:
    job: Job
    folder: tempfile.TemporaryDirectory[str]
    process: subprocess.Popen[bytes]
    started: float

    def kill(self) -> None:
        """Ends the worker and the tool it may have started."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def outcome(self) -> Outcome:
        """What the worker wrote, or the last line of what it complained about."""
        folder = Path(self.folder.name)
        if self.process.returncode == 0 and (folder / "result").exists():
            outcome: Outcome = json.loads((folder / "result").read_text(encoding="utf-8"))
            return outcome
        lines = (folder / "log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        message = lines[-1] if lines else f"exit code {self.process.returncode}"
        return {"status": "failed", "message": message[:300]}


def _start(job: Job) -> _Running:
    folder = tempfile.TemporaryDirectory(prefix="nomu-tables-")
    (Path(folder.name) / "job").write_text(job.to_json(), encoding="utf-8")
    threads = {f"{library}_NUM_THREADS": str(job.threads) for library in ("OMP", "OPENBLAS", "MKL")}
    path = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH", "")]))
    with (Path(folder.name) / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tablebench.worker", "job", "result"],
            cwd=folder.name,
            env={**os.environ, **threads, "PYTHONPATH": path, "TMPDIR": folder.name},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    return _Running(job, folder, process, time.monotonic())


def run_all(
    jobs: Iterable[Job], at_once: int, time_limit: float, deadline: float | None, done: Callable[[Job, Outcome], None]
) -> None:
    """Runs all jobs. After `deadline` seconds what still runs is ended and not recorded; it will be run again."""
    waiting, running, began = list(reversed(list(jobs))), list[_Running](), time.monotonic()
    try:
        while waiting or running:
            if deadline is not None and time.monotonic() - began > deadline:
                return
            while waiting and len(running) < at_once:
                running.append(_start(waiting.pop()))
            time.sleep(0.1)
            for one in list(running):
                late = time.monotonic() - one.started > time_limit
                if one.process.poll() is None and not late:
                    continue
                running.remove(one)
                if one.process.returncode is None:
                    one.kill()
                    done(one.job, {"status": "timeout", "message": f"more than {time_limit:g} s"})
                else:
                    done(one.job, one.outcome())
                one.folder.cleanup()
    finally:
        for one in running:
            one.kill()
            one.folder.cleanup()
