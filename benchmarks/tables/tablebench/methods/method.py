"""What a method has to offer."""

from __future__ import annotations

from importlib import metadata
from typing import ClassVar

from tablebench.forecast import Forecast
from tablebench.task import Task


class Method:
    """A peer: a name, the package it comes from, and a fit."""

    name: ClassVar[str]
    package: ClassVar[str]
    most_rows: ClassVar[int | None] = None  # training rows above which the method is not run
    uses_device: ClassVar[bool] = False  # whether --device is for this method
    is_program: ClassVar[bool] = False  # whether the fit is a process of its own

    def version(self) -> str | None:
        """The package and its version as one word, or None where it is not installed."""
        try:
            return f"{self.package}-{metadata.version(self.package)}"
        except metadata.PackageNotFoundError:
            return None

    def load(self) -> None:
        """Imports what the fit needs, before the clock starts."""
        raise NotImplementedError

    def forecast(self, task: Task) -> Forecast:
        """Fits on the training rows and says what it knows about the test rows."""
        raise NotImplementedError
