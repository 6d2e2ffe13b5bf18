#!/usr/bin/env python3
"""Measures how often bounds contain fresh rows, beside the coverage that `nomu fit` prints.

    benchmarks/coverage/coverage.py build/release/cli/nomu --out benchmarks/coverage/results.csv

Each line is one kind of rows and one level, over many data sets drawn anew: rows that repeat inputs, groups, a trend in
time, heavy tails. The error of a coverage is that of its mean over the data sets. The networks are small and learn for a
short time, because the claims must hold whatever the model is worth.
"""

import argparse
import csv
import json
import math
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

QUICK = [
    *("--preset", "written", "--set", "mean_net.hidden=16", "--set", "sigma_net.hidden=16", "--set", "augment.count=16"),
    *("--set", "stable=true", "--set", "train.learning_rate=0.01", "--set", "train.epochs=150", "--threads", "1"),
]
FRESH = 200  # fresh rows of a data set, each of a new group, with new inputs


def curve(a: float, b: float) -> float:
    return 3 * math.sin(3 * a) + b


def row(draw: random.Random, shift: float = 0.0, tails: float = 0.0) -> list:
    a, b = draw.uniform(0, 2), draw.uniform(-2, 2)
    noise = draw.gauss(0, 1)
    if tails:  # Student's t
        noise /= math.sqrt(draw.gammavariate(tails / 2, 2 / tails))
    return [a, b, curve(a, b) + shift + noise]


def plain(draw, rows=300):
    return [row(draw) for _ in range(rows)], [row(draw) for _ in range(FRESH)], []


def repeated(draw, distinct, times):
    """Rows with the same inputs share a part of their error, as repeated measurements do."""
    rows = []
    for _ in range(distinct):
        a, b, y = row(draw)
        rows += [[a, b, y + draw.gauss(0, 0.3)] for _ in range(times)]
    draw.shuffle(rows)
    return rows, [[a, b, y + draw.gauss(0, 0.3)] for a, b, y in (row(draw) for _ in range(FRESH))], []


def groups(draw, count, rows):
    """Every group has a level of its own, which nothing else tells."""
    seen = [[*row(draw, shift), f"g{g}"] for g in range(count) for shift in [draw.gauss(0, 2)] for _ in range(rows)]
    draw.shuffle(seen)
    return seen, [[*row(draw, draw.gauss(0, 2)), "new"] for _ in range(FRESH)], ["--group", "group"]


def trend(draw, slope):
    """The target rises with time, which is no input."""
    rows = [[*row(draw, slope * t), t] for t in range(600)]
    return rows[:300], rows[300:], ["--time", "time"]


CASES = {
    "independent rows": (plain, {}),
    "independent rows, 80": (plain, {"rows": 80}),
    "40 inputs x 5": (repeated, {"distinct": 40, "times": 5}),
    "15 inputs x 10": (repeated, {"distinct": 15, "times": 10}),
    "400 inputs x 3": (repeated, {"distinct": 400, "times": 3}),
    **{f"{g} groups x {n}": (groups, {"count": g, "rows": n})
       for g, n in [(2, 60), (5, 30), (10, 30), (20, 15), (30, 10), (50, 10)]},
    "trend, fixed bounds": (trend, {"slope": 0.01}),
    "trend, adaptive": (trend, {"slope": 0.01}),
    "steep trend, adaptive": (trend, {"slope": 0.05}),
    "heavy tails": (lambda draw: ([row(draw, tails=1.5) for _ in range(300)],
                                  [row(draw, tails=1.5) for _ in range(FRESH)], []), {}),
    "heavy tails, 60 rows": (lambda draw: ([row(draw, tails=1.5) for _ in range(60)],
                                           [row(draw, tails=1.5) for _ in range(FRESH)], []), {}),
}  # fmt: skip


def write(path: Path, header: list, rows: list) -> Path:
    path.write_text("\n".join(",".join(map(str, line)) for line in [header, *rows]) + "\n")
    return path


def measure(tool: str, case: str, level: float, asked: bool, seed: int) -> dict:
    """One data set: what was printed, and the share of fresh rows within their bounds."""
    make, arguments = CASES[case]
    draw = random.Random(f"{case} {seed}")
    seen, fresh, options = make(draw, **arguments)
    header = ["a", "b", "y", *(["group"] if "--group" in options else ["time"] if options else [])]
    adapt = "adaptive" in case
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        train, test = write(at / "train.csv", header, seen), write(at / "test.csv", header, fresh)
        named = ["--level", level] if asked else []
        fit = [tool, "fit", train, "--target", "y", "-o", at / "m.nomu", "--json", *options, *QUICK, *named]
        done = subprocess.run(list(map(str, fit)), capture_output=True, text=True)
        if done.returncode == 2 and "needs at least" in done.stderr:
            return {"refused": done.stderr.strip()}
        if done.returncode:
            raise RuntimeError(done.stderr)
        calibration = json.loads(done.stdout)["calibration"]
        out = at / "out.csv"
        line = [tool, "predict", at / "m.nomu", test, "-o", out, "--json", *(["--adapt"] if adapt else []), *named]
        said = subprocess.run(list(map(str, line)), capture_output=True, text=True, check=True)
        with open(out) as file:
            inside = [float(r["lower"]) <= float(r["y"]) <= float(r["upper"]) for r in csv.DictReader(file)]
    proven = calibration["guaranteed_coverage"]
    return {
        "kind": calibration["kind"],
        "units": calibration["units"],
        "printed": level if adapt else proven,
        "guarantee": json.loads(said.stdout)["guarantee"],
        "coverage": sum(inside) / len(inside),
    }


def summary(case: str, level: float, asked: bool, sets: list) -> dict:
    refused = [one for one in sets if "refused" in one]
    line = {"case": case, "level": level, "asked": "yes" if asked else "no", "sets": len(sets), "refused": len(refused)}
    found = [one for one in sets if "refused" not in one]
    if not found:
        return {**line, "kind": "refused", "verdict": "refused"}
    shares = [one["coverage"] for one in found]
    mean = sum(shares) / len(shares)
    spread = math.sqrt(sum((share - mean) ** 2 for share in shares) / max(1, len(shares) - 1))
    error = spread / math.sqrt(len(shares))
    printed = max(one["printed"] for one in found)
    below = mean + 2.33 * error < printed
    verdict = "below" if below else "holds" if printed > 0 else "nothing proven"
    return {**line, "kind": found[0]["kind"], "units": found[0]["units"], "printed": f"{printed:.4f}",
            "coverage": f"{mean:.4f}", "error": f"{error:.4f}", "verdict": verdict}  # fmt: skip


FIELDS = ["case", "level", "asked", "sets", "refused", "kind", "units", "printed", "coverage", "error", "verdict"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", help="path of the command `nomu`")
    parser.add_argument("--sets", type=int, default=100, help="data sets for each line")
    parser.add_argument("--cases", default="", help="words; only cases that contain one of them, separated by commas")
    parser.add_argument("--jobs", type=int, default=1, help="fits at the same time")
    parser.add_argument("--out", default="", help="CSV file to write")
    options = parser.parse_args()
    words = [word for word in options.cases.split(",") if word]
    lines = []
    for case in CASES:
        if words and not any(word in case for word in words):
            continue
        for level, asked in [(0.9, True), (0.95, True), (0.95, False)]:
            if not asked and (not lines or lines[-1]["refused"] == 0):
                continue  # the same fits once more
            with ThreadPoolExecutor(options.jobs) as pool:
                numbers = range(options.sets)
                sets = list(pool.map(lambda seed: measure(options.tool, case, level, asked, seed), numbers))
            lines.append(summary(case, level, asked, sets))
            told = next((one for one in sets if "refused" not in one), sets[0])
            print("  ".join(f"{key} {lines[-1].get(key, '')}" for key in FIELDS), flush=True)
            print(f"    {told.get('guarantee') or told.get('refused')}", flush=True)
    if options.out:
        with open(options.out, "w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
    return 1 if any(line["verdict"] == "below" for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
