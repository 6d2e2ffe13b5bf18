#!/usr/bin/env python3
"""Asks for 1,000 points at once: seconds, and how close two of them are, in shares of the diagonal of the box."""

import argparse
import math
import time

import nomu.optimize as nomu


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1000)
    given = parser.parse_args()
    for d in (2, 6, 20):
        study = nomu.Study({f"x{i + 1}": (0.0, 1.0) for i in range(d)}, seed=1, progress=False)
        for _ in range(20):
            trial = study.ask()
            x = list(trial.params.values())
            study.tell(trial, sum((v - 0.3) ** 2 for v in x) + math.sin(9 * x[0]))
        begin, wall = time.process_time(), time.time()
        batch = [list(trial.params.values()) for trial in study.ask(given.points)]
        cpu, wall = time.process_time() - begin, time.time() - wall
        least = min(math.dist(a, b) for i, a in enumerate(batch) for b in batch[:i])
        print(f"{d} variables: {len(batch)} points, {cpu:.2f} CPU s, {wall:.2f} s, nearest two {least / math.sqrt(d):.4f}")


if __name__ == "__main__":
    main()
