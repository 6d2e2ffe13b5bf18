#!/usr/bin/env python3
"""Tells a study many uniform random results and asks for 16 more: how often the best known is improved, and seconds."""

import argparse
import csv
import random
import tempfile
import time
from pathlib import Path

import problems

import nomu.optimize as nomu


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--problems", default="branin-2,hartmann-6,ackley-5")
    given = parser.parse_args()
    for name in given.problems.split(","):
        problem = problems.problems()[name]
        improved, asks, imports = 0, [], []
        for seed in range(1, given.seeds + 1):
            evaluate, draw = problem.function(seed), random.Random(seed)
            space = {v["name"]: (float(v["low"]), float(v["high"])) for v in problem.variables}
            with tempfile.TemporaryDirectory() as folder:
                rows = Path(folder, "rows.csv")
                best = float("inf")
                with rows.open("w", newline="") as file:
                    writer = csv.writer(file)
                    writer.writerow([*space, "value"])
                    for _ in range(given.results):
                        point = {key: draw.uniform(*bounds) for key, bounds in space.items()}
                        value = evaluate(point)[0]
                        best = min(best, value)
                        writer.writerow([*point.values(), value])
                study = nomu.Study(space, Path(folder, "study.db"), seed=seed, progress=False)
                begin = time.process_time()
                study.import_csv(rows)
                imports.append(time.process_time() - begin)
                found = float("inf")
                for _ in range(16):
                    begin = time.process_time()
                    trial = study.ask()
                    asks.append(time.process_time() - begin)
                    value = evaluate(trial.params)[0]
                    study.tell(trial, value)
                    found = min(found, value)
                improved += found < best
        print(f"{name}: improved in {improved} of {given.seeds} seeds; ask {sum(asks) / len(asks):.3f} CPU s (largest "
              f"{max(asks):.3f}), import {max(imports):.2f} CPU s", flush=True)


if __name__ == "__main__":
    main()
