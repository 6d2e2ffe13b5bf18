#!/usr/bin/env python3
"""Optuna on Branin with nomu's sampler and with Optuna's default one: medians of the best value over seeds.

usage: optuna_branin.py [--seeds 20] [--trials 40] [--set key=value ...]
"""

import argparse
import math
import statistics
import time

import optuna

import nomu
from nomu.optuna import NomuSampler

MINIMUM = 0.397887


def branin(trial):
    x = trial.suggest_float("x", -5, 10)
    y = trial.suggest_float("y", 0, 15)
    bent = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return bent**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def best_of(sampler, trials):
    study = optuna.create_study(sampler=sampler)
    study.optimize(branin, n_trials=trials)
    return study.best_value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of nomu's study")
    arguments = parser.parse_args()
    settings = dict(item.split("=", 1) for item in arguments.set)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    samplers = {
        "nomu": lambda seed: NomuSampler(seed=seed, **settings),
        "Optuna's default": lambda seed: optuna.samplers.TPESampler(seed=seed),
    }
    engine = next(e for e in nomu.list_engines() if e.name == "cpu")
    print(f"{arguments.trials} trials, {arguments.seeds} seeds; {engine.provider} {engine.isa}; {MINIMUM} is least")
    for name, sampler in samplers.items():
        begin = time.perf_counter()
        found = sorted(best_of(sampler(seed), arguments.trials) for seed in range(1, arguments.seeds + 1))
        seconds = (time.perf_counter() - begin) / arguments.seeds
        print(
            f"{name}: median best {statistics.median(found):.6f}, "
            f"worst {found[-1]:.6f}, best {found[0]:.6f}, {seconds:.1f} s a study"
        )


if __name__ == "__main__":
    main()
