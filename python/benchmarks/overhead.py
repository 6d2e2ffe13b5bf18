#!/usr/bin/env python3
"""What the binding costs: the same fit of 1,000 rows and 8 columns by the command line and by Python, and the import.

usage: overhead.py NOMU [--repeats 5]    NOMU: the command-line tool, built with the same provider of matrix products

Fits alternate and the processor time of each is compared, so that other load on the machine does not decide. The time
of the fit alone is the one that the tool itself prints, which begins after its options are read.
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
    before = cpu_seconds(resource.RUSAGE_SELF)
    model = nomu.NOMURegressor(threads=1, progress=False).fit(X, y)
    return cpu_seconds(resource.RUSAGE_SELF) - before, model


def import_seconds():
    code = "import time; t = time.perf_counter(); import nomu; print(time.perf_counter() - t)"
    return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    X, y = rows()
    nomu.NOMURegressor(epochs=1, threads=1).fit(X, y)  # scikit-learn is imported now
    tool, python = [], []
    with tempfile.TemporaryDirectory() as folder:
        table, model = Path(folder, "rows.csv"), Path(folder, "model.nomu")
        with table.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*(f"x{i}" for i in range(1, 9)), "y"])
            writer.writerows([*map(float, row), float(target)] for row, target in zip(X, y, strict=True))
        for _ in range(arguments.repeats):
            begin = time.perf_counter()
            seconds, said = fit_by_tool(arguments.tool, table, model)
            tool.append(seconds)
            middle = time.perf_counter()
            seconds, fitted = fit_by_python(X, y)
            python.append(seconds)
            print(f"tool {tool[-1]:.3f} s of processor, {middle - begin:.3f} s on the clock; ", end="")
            print(f"python {seconds:.3f} s, {time.perf_counter() - middle:.3f} s")
        same = np.array_equal(nomu.load_model(model).predict(X).mean, fitted.predict(X))
    engine = fitted.model_.engine
    print(f"tool: {said['provider']} {said['isa']}; python: {engine.provider} {engine.isa}; same predictions: {same}")
    share = statistics.median(python) / statistics.median(tool) - 1
    print(f"median processor time: tool {statistics.median(tool):.3f} s, ", end="")
    print(f"python {statistics.median(python):.3f} s: {100 * share:+.2f} %")
    print(f"import nomu: {import_seconds():.3f} s")


if __name__ == "__main__":
    main()
