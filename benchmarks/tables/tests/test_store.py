"""The file of results."""

from __future__ import annotations

from pathlib import Path

from tablebench import store


def row(**cells: object) -> dict[str, object]:
    return {"table": "t", "split": 1, "method": "m", "version": "1", "status": "ok", **cells}


def test_the_last_row_of_a_key_counts(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.csv"
    store.append(path, row(status="failed", message="two\nlines, and a comma"))
    store.append(path, row(rmse=1 / 3))
    store.append(path, row(split=2))
    found = store.read(path)
    assert [(r["split"], r["status"], r["rmse"]) for r in found] == [("1", "ok", "0.3333333"), ("2", "ok", "")]
    assert path.read_text().count("table,split") == 1
    assert "two lines, and a comma" in path.read_text()
