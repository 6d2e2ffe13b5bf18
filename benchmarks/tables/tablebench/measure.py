"""What a fit costs: wall and CPU seconds of preparing, fitting and predicting, and the peak of memory."""

from __future__ import annotations

import resource
import time

from tablebench.forecast import Forecast
from tablebench.methods.method import Method
from tablebench.task import Task


def _cpu_seconds() -> float:
    parts = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(part.ru_utime + part.ru_stime for part in parts)


def measured(method: Method, task: Task) -> tuple[Forecast, dict[str, object]]:
    """Runs a method whose packages are loaded. Memory is that of the process that fits, its packages included."""
    wall, cpu = time.perf_counter(), _cpu_seconds()
    forecast = method.forecast(task)
    who = resource.RUSAGE_CHILDREN if method.is_program else resource.RUSAGE_SELF
    return forecast, {
        "device": task.device if method.uses_device else "cpu",
        "wall_s": time.perf_counter() - wall,
        "cpu_s": _cpu_seconds() - cpu,
        "memory_mb": resource.getrusage(who).ru_maxrss / 1024,
    }
