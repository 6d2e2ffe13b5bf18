"""The results: a CSV file to which finished fits are appended, one write each; a run can be stopped anywhere."""

from __future__ import annotations

import csv
import fcntl
import io
from pathlib import Path

KEY = ("table", "split", "method", "version")
FIELDS = (
    *KEY,
    "status",  # ok, failed, timeout, skipped
    "prepared",  # 1: the tool refused the table as it is and got the peers' preparation
    "train_rows",
    "test_rows",
    "calibration",
    "calibration_rows",
    "rmse",
    "crps",
    "nll",
    "interval_score",
    "coverage",
    "width",
    "constant_oracle",
    "constant_halves",
    "constant_own",
    "device",  # where the fit computed; CPU seconds of a fit on a GPU do not tell its cost
    "wall_s",
    "cpu_s",
    "memory_mb",
    "message",
)
Row = dict[str, str]


def key_of(row: Row) -> tuple[str, ...]:
    """What a result is found by."""
    return tuple(row[name] for name in KEY)


def as_text(value: object) -> str:
    """A cell: seven digits are enough for a figure, and messages stay on one line."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.7g}"
    return " ".join(str(value).split())


def append(path: Path, result: dict[str, object]) -> None:
    """Adds one row, and the header to a new file, under a lock: several runs may write to the same file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n", restval="")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if file.tell() == 0:
            writer.writeheader()
        writer.writerow({name: as_text(value) for name, value in result.items()})
        file.write(text.getvalue().encode())


def read(path: Path) -> list[Row]:
    """All rows, the last one of each key; none where there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list({key_of(row): row for row in csv.DictReader(file)}.values())
