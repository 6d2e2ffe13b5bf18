"""Runs from the command line on a small made-up folder of tables."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent.parent
TOOL = """#!/usr/bin/env python3
import csv, json, sys
command, rest = sys.argv[1], sys.argv[2:]
if command == "--version":
    print("0.0.1")
elif command == "fit":
    rows = list(csv.DictReader(open(rest[0])))
    if any(cell == "" for row in rows for cell in row.values()):
        sys.exit("nomu: [data/dataset] " + rest[0] + ": a value is missing")
    open(rest[rest.index("-o") + 1], "w").close()
    print(json.dumps({"calibration": {"kind": "conformal", "rows": 14}}))
else:
    with open(rest[rest.index("-o") + 1], "w") as file:
        print("mean,sigma_model,sigma_noise,lower,upper", file=file)
        for row in csv.DictReader(open(rest[1])):
            print("0,3,4,-8,8", file=file)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    random, order = np.random.default_rng(1), np.random.default_rng(1).permutation(100)
    for name in ("whole", "holes"):
        lines = [f"{a:.3f},{b:.3f},{a + b:.3f}" for a, b in random.normal(size=(100, 2))]
        if name == "holes":
            lines[order[0]] = ",1,2"  # a training row
        (tmp_path / f"{name}.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    head = "name\tfile\ttarget\trows\tcolumns\tcategorical\tmissing\tkind\tgroup\ttime\tignore\tsource\n"
    index = "".join(f"{n}\t{n}.csv\ty\t100\t3\t0\t0\t\t\t\t\t\n" for n in ("whole", "holes"))
    (tmp_path / "index.tsv").write_text(head + index)
    first = ",".join(map(str, order[:3]))
    splits = "".join(f"{n}\t1\t1\t70\t30\t{first}\tshuffled: ...\n" for n in ("whole", "holes"))
    (tmp_path / "splits.tsv").write_text("name\tsplit\tseed\ttrain_rows\ttest_rows\tfirst_train\trule\n" + splits)
    (tmp_path / "tool").write_text(TOOL)
    (tmp_path / "tool").chmod(0o755)
    return tmp_path


def run(folder: Path, *words: str) -> str:
    command = [sys.executable, str(HERE / "run"), str(folder), "--out", str(folder / "results.csv"), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def results(folder: Path) -> list[dict[str, str]]:
    with (folder / "results.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_tool_gets_a_prepared_table_where_it_refuses(folder: Path) -> None:
    run(folder, "--tool", str(folder / "tool"), "--methods", "nomu")
    found = {row["table"]: row for row in results(folder)}
    assert found["whole"]["prepared"] == "0" and found["whole"]["calibration_rows"] == "14"
    assert found["whole"]["width"] == "16" and found["whole"]["version"].startswith("nomu-0.0.1-")
    assert found["holes"]["prepared"] == "1"
    assert found["holes"]["message"].endswith("[data/dataset] train.csv: a value is missing")


def test_what_is_finished_is_not_run_again(folder: Path) -> None:
    words = ("--methods", "forest_cv_plus,nomu", "--tables", "whole")
    assert "nomu: skipped, --tool does not name the program" in run(folder, *words)
    assert run(folder, *words).count("forest") == 0
    assert [row["status"] for row in results(folder)] == ["ok"]


def test_a_fit_over_its_time_is_recorded_and_can_be_repeated(folder: Path) -> None:
    words = ("--methods", "forest_cv_plus", "--tables", "whole")
    run(folder, *words, "--time-limit", "0.2")
    assert results(folder)[0]["status"] == "timeout"
    run(folder, *words)
    assert len(results(folder)) == 1
    run(folder, *words, "--retry")
    assert [row["status"] for row in results(folder)] == ["timeout", "ok"]


def test_a_broken_tool_is_a_failure(folder: Path) -> None:
    (folder / "tool").write_text(TOOL.replace('elif command == "fit":', 'elif command == "fit":\n    sys.exit("no")'))
    run(folder, "--tool", str(folder / "tool"), "--methods", "nomu", "--tables", "whole")
    assert results(folder)[0]["status"] == "failed" and results(folder)[0]["message"].endswith("no")
