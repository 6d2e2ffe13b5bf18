#!/usr/bin/env python3
"""Runs tools on problems, one process a run, and appends a row per run to a CSV file; what is there is not run again.

benchmarks/optimize/run.py --tools nomu,sobol --half development --seeds 1-3 --out results.csv
"""

import argparse
import concurrent.futures
import csv
import importlib.util
import multiprocessing
import os
import sys
import time
import traceback
from pathlib import Path

import problems as p
import tools

NEEDS = {"nomu": "nomu", "optuna:tpe": "optuna", "optuna:gp": "torch", "botorch": "botorch", "smac": "smac",
         "sobol": "scipy"}
# What a run imports. It is loaded once, before the processes of the runs branch off, and costs no tool CPU seconds.
LOADED = {
    "nomu": ["nomu.optimize"],
    "optuna:tpe": ["optuna"],
    "optuna:gp": ["optuna", "torch", "optuna._gp.gp", "optuna._gp.search_space"],
    "botorch": ["botorch.acquisition", "botorch.fit", "botorch.models.transforms", "botorch.optim", "gpytorch.mlls"],
    "smac": ["smac", "smac.runhistory", "ConfigSpace"],
    "sobol": ["scipy.stats.qmc"],
}


def single(tool, name, seed, evaluations, batch):
    """One run in this process: the true value of the best point so far after every evaluation, and CPU seconds."""
    problem = p.problems()[name]
    evaluate = problem.function(seed)
    searcher = tools.make(tool, problem, seed, evaluations)
    best_told, best_true, trace, spent, suggested, failures = float("inf"), float("inf"), [], 0.0, 0, 0
    while len(trace) < evaluations:
        begin = time.process_time()
        points = [searcher.ask()] if batch == 1 else searcher.ask_many(min(batch, evaluations - len(trace)))
        taken = time.process_time() - begin
        if len(trace) >= problem.initial:
            spent += taken
            suggested += len(points)
        for point in points:
            try:
                true, told = evaluate(point)
            except p.Failed:
                true = told = None
                failures += 1
            if told is not None and told < best_told:
                best_told, best_true = told, true
            begin = time.process_time()
            searcher.tell(point, told)
            if len(trace) >= problem.initial:
                spent += time.process_time() - begin
            trace.append(best_true)
    return {"cpu": spent / max(suggested, 1), "failures": failures, "trace": trace}


def load(tool, chosen):
    wanted = list(LOADED.get(tool, ["nomu.optimize"]))
    if any(problem.kind == "tuning" for problem in chosen):
        wanted += ["sklearn.datasets", "sklearn.decomposition", "sklearn.kernel_ridge", "sklearn.model_selection",
                   "sklearn.svm"]
    for name in wanted:
        try:
            importlib.import_module(name)
        except ImportError:  # a part that this version of the tool does not have
            pass


def branch(task):
    """The result of `single` in a process of its own; an error as text."""
    def work(out):
        try:
            out.send(single(*task))
        except BaseException:
            out.send(traceback.format_exc().strip().splitlines()[-1])

    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(send,))
    process.start()
    send.close()
    try:
        result = receive.recv()
    except EOFError:
        result = "the process ended without a result"
    process.join()
    return result


def seeds_of(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def done(path):
    if not path.exists():
        return set()
    with path.open() as file:
        return {(r["tool"], r["problem"], int(r["seed"]), int(r["batch"]), r["revision"]) for r in csv.DictReader(file)}


def add_row(path, row):
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(["tool", "revision", "problem", "seed", "batch", "cpu", "failures", "trace"])
        writer.writerow(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", default="nomu,optuna:tpe,optuna:gp,botorch,smac,sobol")
    parser.add_argument("--problems", default="", help="names; default: all of the half")
    parser.add_argument("--half", default="both", choices=["development", "confirmation", "both"])
    parser.add_argument("--seeds", default="1-3", help="first-last")
    parser.add_argument("--evaluations", type=int, default=50)
    parser.add_argument("--batch", type=int, default=1, help="points asked for at a time")
    parser.add_argument("--revision", default="", help="what to call the rows of nomu: a revision or a design")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time; more than there are idle cores spoil CPU seconds")
    parser.add_argument("--out", default="optimize.csv")
    given = parser.parse_args()
    chosen = [q for q in p.problems().values() if given.half in ("both", q.half)]
    if given.problems:
        unknown = set(given.problems.split(",")) - set(p.problems())
        if unknown:
            raise SystemExit(f"there is no problem {', '.join(sorted(unknown))}; there are {', '.join(p.problems())}")
        chosen = [p.problems()[name] for name in given.problems.split(",")]
    out = Path(given.out)
    known, failed = done(out), 0
    os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    for tool in given.tools.split(","):
        need = NEEDS.get(tool, "nomu")
        if importlib.util.find_spec(need) is None:
            print(f"{tool}: skipped, there is no Python package {need}")
            continue
        revision = given.revision if tool.startswith("nomu") else ""
        waiting = [(seed, problem) for seed in seeds_of(given.seeds) for problem in chosen
                   if (tool, problem.name, seed, given.batch, revision) not in known]
        if not waiting:
            continue
        load(tool, chosen)
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            runs = {pool.submit(branch, [tool, problem.name, seed, given.evaluations, given.batch]): (seed, problem.name)
                    for seed, problem in waiting}
            for run in concurrent.futures.as_completed(runs):
                seed, name = runs[run]
                result = run.result()
                if isinstance(result, str):
                    failed += 1
                    print(f"{tool} {name} {seed} failed: {result}", flush=True)
                    continue
                add_row(out, [tool, revision, name, seed, given.batch, f"{result['cpu']:.5f}", result["failures"],
                              " ".join(f"{v:.8g}" for v in result["trace"])])
                print(f"{tool} {name} {seed}: {result['trace'][-1]:.6g} ({result['cpu']:.3f} CPU s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
