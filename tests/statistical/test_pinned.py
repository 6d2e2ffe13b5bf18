"""Results of the paper that are cheap to repeat, pinned: medians over twenty runs must stay where they were.

Usage: test_pinned.py PATH_TO_NOMU           compares with pinned.csv
       test_pinned.py PATH_TO_NOMU --write   writes pinned.csv anew, after a change that moves results on purpose

The tolerance of a median is what instruction sets and providers of matrix products differ by, three times, and at least two
percent: rounding does not fail, another algorithm does. The Gaussian process runs at the paper's sizes, and its medians must
also agree with the paper's as often as they did; the networks are small.
"""

import csv
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PINNED = HERE / "pinned.csv"
PAPER = HERE.parents[1] / "experiments" / "paper"
EXPERIMENTS = {"gp": [PAPER / "toy-1d.toml", "--methods", "gp", "--runs", "20"], "small": [HERE / "small.toml"]}
METRICS = ("auc", "min_nll")
VARIANTS = (("baseline", "eigen"), ("avx2", "eigen"), ("auto", "auto"))
SHARE = 0.02


def medians(tool, name, isa="auto", provider="auto"):
    """{(experiment, method, problem, metric): median over the runs}."""
    with tempfile.TemporaryDirectory() as folder:
        command = [tool, "reproduce", *EXPERIMENTS[name], "--out", folder, "--device", "cpu", "--isa", isa, "--provider", provider]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
        rows = []
        for file in sorted(Path(folder, "rows").glob("*.csv")):
            with open(file, newline="") as text:
                rows += csv.DictReader(text)
    found = {}
    for row in rows:
        if row["status"] != "ok":
            sys.exit(f"{name}: {row['method']} on {row['problem']}, seed {row['seed']}: {row['status']}")
        for metric in METRICS:
            found.setdefault((name, row["method"], row["problem"], metric), []).append(float(row[metric]))
    for key, values in found.items():
        if len(values) != 20:
            sys.exit(f"{key}: {len(values)} runs instead of 20")
    return {key: statistics.median(values) for key, values in found.items()}


def inside_paper(found):
    """How many of the Gaussian process' medians lie inside the paper's intervals for 500 runs."""
    with open(PAPER / "expected" / "toy-1d.csv", newline="") as text:
        expected = [row for row in csv.DictReader(line for line in text if not line.startswith("#")) if row["method"] == "GP"]
    inside = 0
    for row in expected:
        key = ("gp", "gp", row["problem"], row["metric"])
        if key in found and row["lower"] and float(row["lower"]) <= round(found[key], 2) <= float(row["upper"]):
            inside += 1
    return inside


def write(tool):
    runs = [{key: value for name in EXPERIMENTS for key, value in medians(tool, name, *variant).items()} for variant in VARIANTS]
    with open(PINNED, "w", newline="") as text:
        out = csv.writer(text, lineterminator="\n")
        out.writerow(("experiment", "method", "problem", "metric", "median", "tolerance"))
        for key, value in sorted(runs[-1].items()):
            spread = 3 * max(abs(run[key] - value) for run in runs)
            out.writerow((*key, f"{value:.6g}", f"{max(spread, SHARE * abs(value)):.3g}"))
        out.writerow(("gp", "gp", "all", "inside the paper's intervals", inside_paper(runs[-1]), 1))


def compare(tool):
    with open(PINNED, newline="") as text:
        pinned = {tuple(row[name] for name in ("experiment", "method", "problem", "metric")): row for row in csv.DictReader(text)}
    found = {key: value for name in EXPERIMENTS for key, value in medians(tool, name).items()}
    found["gp", "gp", "all", "inside the paper's intervals"] = inside_paper(found)
    moved = 0
    for key in sorted(pinned.keys() | found.keys()):
        if key not in pinned or key not in found:
            print(f"{' '.join(key)}: {'not pinned' if key in found else 'no longer measured'}")
            moved += 1
            continue
        median, tolerance = float(pinned[key]["median"]), float(pinned[key]["tolerance"])
        if not abs(found[key] - median) <= tolerance:
            print(f"{' '.join(key)}: {found[key]:.6g}, was {median:.6g} (tolerance {tolerance:.3g})")
            moved += 1
    print(f"{len(found)} statistics, {moved} moved")
    return 1 if moved else 0


if __name__ == "__main__":
    sys.exit(write(sys.argv[1]) if sys.argv[2:] == ["--write"] else compare(sys.argv[1]))
