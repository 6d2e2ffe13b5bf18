#!/usr/bin/env python3
"""What the binding costs: the same fit of 1,000 rows and 8 columns by the command line and by Python, and the import.

usage: overhead.py NOMU [--repeats 7]    NOMU: the command-line tool, built with the same provider of matrix products

Two measures, because a busy machine moves processor times by several per cent:
- pairs of fits, one by each, in turns of who begins: the median of the ratios of their processor times, which include
  everything from reading the rows on, for the tool also the table's text and the model's file;
- the processor time of the calling thread during the fit in Python, against that of the whole process. The library
  works on a thread of its own, so that this is what the binding costs, whatever else the machine does.
"""

import argparse
import csv
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import nomu


def rows():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (1000, 8))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * random.normal(size=1000)


def cpu_seconds(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def fit_by_tool(tool, table, model):
    before = cpu_seconds(resource.RUSAGE_CHILDREN)
    command = [tool, "fit", table, "--target", "y", "-o", model, "--threads", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return cpu_seconds(resource.RUSAGE_CHILDREN) - before, json.loads(done.stdout)


def fit_by_python(X, y):
    before, thread = cpu_seconds(resource.RUSAGE_SELF), time.thread_time()
    model = nomu.NOMURegressor(threads=1, progress=False).fit(X, y)
    return cpu_seconds(resource.RUSAGE_SELF) - before, time.thread_time() - thread, model


def import_seconds():
    code = "import time; t = time.perf_counter(); import nomu; print(time.perf_counter() - t)"
    return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    X, y = rows()
    nomu.NOMURegressor(epochs=1, threads=1).fit(X, y)  # scikit-learn is imported now
    ratios, shares = [], []
    with tempfile.TemporaryDirectory() as folder:
        table, model = Path(folder, "rows.csv"), Path(folder, "model.nomu")
        with table.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*(f"x{i}" for i in range(1, 9)), "y"])
            writer.writerows([*map(float, row), float(target)] for row, target in zip(X, y, strict=True))
        for turn in range(arguments.repeats):
            if turn % 2 == 0:
                tool, said = fit_by_tool(arguments.tool, table, model)
            python, thread, fitted = fit_by_python(X, y)
            if turn % 2 == 1:
                tool, said = fit_by_tool(arguments.tool, table, model)
            ratios.append(python / tool)
            shares.append(thread / python)
            print(
                f"tool {tool:.3f} s, python {python:.3f} s of processor; calling thread {1000 * thread:.2f} ms",
                flush=True,
            )
        same = np.array_equal(nomu.load_model(model).predict(X).mean, fitted.predict(X))
    engine = fitted.model_.engine
    print(f"tool: {said['provider']} {said['isa']}; python: {engine.provider} {engine.isa}; same predictions: {same}")
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(
        f"python against tool: {100 * (middle - 1):+.2f} % (quartiles {100 * (low - 1):+.2f}, {100 * (high - 1):+.2f})"
    )
    print(f"the binding's own share of a fit: {100 * statistics.median(shares):.3f} %")
    print(f"import nomu: {import_seconds():.3f} s")


if __name__ == "__main__":
    main()
