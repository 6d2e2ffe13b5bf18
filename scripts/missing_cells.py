"""What is missing of the paper's cells, and what it costs: the list that scripts/gpu_cells works through."""

import collections
import csv
import gzip
import html
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXPERIMENTS = ROOT / "experiments" / "paper"
RESULTS = ROOT / "experiments" / "results"
PICTURES = ROOT / "docs" / "pictures" / "paper"
FIGURES = "figures"  # the experiment whose problems are pictures
EXPERIMENT_NAMES = (
    "bo5d-authors",
    "bo10d-authors",
    "bo20d-authors",
    "toy-1d",
    "toy-2d",
    "testbed-uniform",
    "testbed-gauss",
    "sensitivity",
    "solar",
    "uci",
    "uci-gap",
)
# Rows that an experiment shares with another: the networks of optimisation begin from drawn points in both.
SHARED = {f"bo{d}d-authors": f"bo{d}d" for d in (5, 10, 20)}
# Numbers of runs worth reaching, one after the other; the last one is the paper's.
TARGETS = {"bo": (4, 10, 20, 50, 100), "toy": (20, 125, 500), "testbed": (50, 200), "solar": (1,), "uci": (20,)}
# Splits of data sets that have fewer than 20.
SPLITS = {
    "protein": 5,
    "boston-gap": 13,
    "concrete-gap": 8,
    "energy-gap": 8,
    "kin8nm-gap": 8,
    "naval-gap": 16,
    "power-gap": 4,
    "protein-gap": 9,
    "wine-gap": 11,
    "yacht-gap": 6,
}
# Ranks of an experiment in optimisation that open when all its methods have rows: seven methods on five functions.
RANKS = 35
# Of those the one that ranks do not wait for: it costs more than all others together.
NOT_RANKED = "hyper_deep_ensemble"
# GPU seconds per run before anything was measured.
PRICES = {
    "bo/nomu": 10.0,
    "bo/deep_ensemble": 12.0,
    "bo/mc_dropout": 20.0,
    "bo/hyper_deep_ensemble": 400.0,
    "toy/hyper_deep_ensemble": 1.2,
    "testbed/hyper_deep_ensemble": 1.5,
    "solar/hyper_deep_ensemble": 60.0,
}
PICTURE_PRICE = 60.0  # of one that is drawn; twice that where ensembles with a search are trained for long (solar)


def fail(message):
    print(f"gpu_cells: {message}", file=sys.stderr)
    sys.exit(2)


def read_experiment(experiment):
    """The experiment's table with those of its bases beneath it, and its methods, one for each value of `each`."""
    import tomllib  # newer than some machines that only run the list

    file = EXPERIMENTS / f"{experiment}.toml"
    if not file.exists():
        fail(f"there is no {file}")
    layers = []
    while file:
        layers.insert(0, tomllib.loads(file.read_text()))
        file = EXPERIMENTS / layers[0]["base"] if "base" in layers[0] else None
    table = {"first_seed": 501, "runs": 500}
    methods = []
    for layer in layers:
        table.update({key: value for key, value in layer.items() if key != "method"})
        methods += layer.get("method", [])
    expanded = []
    for method in methods:
        for value in method.get("each", ["*"]):  # a star stands for the value
            expanded.append(
                {
                    "name": method["name"].replace("*", value),
                    "paper": method.get("paper", "").replace("*", value),
                    "method": method.get("method", "nomu"),
                    "problems": method.get("problems", []),
                    "title": method.get("title", method["name"]).replace("*", value if "each" in method else "*"),
                    "protocol": method.get("protocol", "").replace("*", value),
                }
            )
    return table, expanded


def device_of(kind, method):
    """Gaussian processes are fitted on the host, and networks on tables are too small for a GPU."""
    return "cpu" if kind == "uci" or method == "gp" else "cuda"


def committed_rows(experiment):
    """(method, problem, seed) -> (device, seconds) of the rows of committed revisions."""
    rows = {}
    for name in filter(None, (experiment, SHARED.get(experiment))):
        file = RESULTS / f"{name}.csv.gz"
        if not file.exists():
            continue
        with gzip.open(file, "rt", newline="") as text:
            for row in csv.DictReader(text):
                own = name == experiment or row["problem"].startswith("bnn")
                if own and not row["revision"].endswith("-dirty"):
                    rows[row["method"], row["problem"], int(row["seed"])] = row["engine"], float(row["seconds"])
    return rows


def prices():
    """Median seconds per run by (experiment, method) and by (kind, method): the latter the dearest of the kind."""
    seen = collections.defaultdict(list)
    kinds = {}
    for experiment in EXPERIMENT_NAMES:
        table, methods = read_experiment(experiment)
        kinds[experiment] = table["kind"]
        of = {method["name"]: method["method"] for method in methods}
        for (method, _, _), (engine, seconds) in committed_rows(experiment).items():
            base = method.split("/")[0]
            if base in of and engine == device_of(table["kind"], of[base]):
                seen[experiment, base].append(seconds)
    known = {key: sorted(values)[len(values) // 2] for key, values in seen.items()}
    dearest = collections.defaultdict(float)
    for (experiment, method), seconds in known.items():
        dearest[kinds[experiment], method] = max(dearest[kinds[experiment], method], seconds)
    return known | dearest


def price_of(known, kind, method, experiment):
    """Seconds of one process among several that share the GPU, as in committed rows; N of them get through N times
    that."""
    for key in ((experiment, method["name"]), (kind, method["name"])):
        if key in known:
            return known[key]
    return PRICES.get(f"{kind}/{method['method']}", 1.0)


def in_paper(table, method):
    """The problems on which the paper gives a number for the method: all if it has one for all together only."""
    extra = table.get("not_in_total", [])
    problems = [p for p in table["problems"] if p not in extra and (not method["problems"] or p in method["problems"])]
    with (EXPERIMENTS / table["expected"]).open(newline="") as text:
        rows = csv.DictReader(line for line in text if not line.startswith("#"))
        known = {row["problem"] for row in rows if row["method"] == method["paper"]}
    return [p for p in problems if p in known] or (problems if "all" in known else [])


def behind_columns(table, methods):
    """Names of the methods behind the paper's columns: on every problem the first one with the column's name."""
    first = {}
    for method in methods:
        for problem in in_paper(table, method):
            first.setdefault((method["paper"], problem), method["name"])
    return set(first.values())


def missing(options):
    """The list of what to run: per experiment and method the next target; first what ranks wait for, then the rest,
    each cheapest per cell first."""
    known = prices()
    work = []
    for experiment in EXPERIMENT_NAMES:
        table, methods = read_experiment(experiment)
        kind = table["kind"]
        rows = committed_rows(experiment)
        main = behind_columns(table, [method for method in methods if method["paper"]])
        for method in methods:
            device = device_of(kind, method["method"])
            if device not in options.device or not method["paper"]:
                continue
            if not chosen(options.only, experiment, method["name"]):
                continue
            if not options.variants and method["name"] not in main:
                continue
            problems = in_paper(table, method)
            seeds = range(table["first_seed"], table["first_seed"] + table["runs"])
            have = {p: sum((method["name"], p, seed) in rows for seed in seeds) for p in problems}
            for target in [options.target] if options.target else TARGETS[kind]:
                target = min(target, table["runs"])
                first = range(table["first_seed"], table["first_seed"] + target)
                lacking = {
                    p: sum((method["name"], p, seed) not in rows for seed in first[: SPLITS.get(p)]) for p in problems
                }
                runs = sum(lacking.values())
                if runs == 0:
                    continue
                price = price_of(known, kind, method, experiment)
                cells = sum(have[p] < min(target, SPLITS.get(p, target)) for p in problems) or 1
                work.append(
                    {
                        "experiment": experiment,
                        "method": method["name"],
                        "device": device,
                        "runs": target,
                        "problems": [p for p in problems if lacking[p]],
                        "missing": runs,
                        "cells": cells,
                        "seconds": round(runs * price, 1),
                        "opens": sum(have[p] == 0 for p in problems),  # cells without any run so far
                        "ranked": kind == "bo" and method["method"] != NOT_RANKED,
                    }
                )
                break
    if "cuda" in options.device:
        work += [one for one in missing_pictures() if chosen(options.only, one["experiment"], one["method"])]
    return ordered(work, options.only)


def missing_pictures():
    """Pictures of the paper that are not drawn, or without one of their panels."""
    if not (EXPERIMENTS / f"{FIGURES}.toml").exists():
        return []
    table, methods = read_experiment(FIGURES)
    work = []
    for picture in table["problems"]:
        file = PICTURES / f"{picture}.svg"
        drawn = html.unescape(file.read_text()) if file.exists() else ""
        panels = [panel_title(method) for method in methods if picture in method["problems"]]
        lacking = sum(f">{title}<" not in drawn for title in panels)
        if drawn and not lacking:
            continue
        work.append(
            {
                "experiment": FIGURES,
                "method": picture,
                "device": "cuda",
                "runs": 1,
                "problems": [picture],
                "missing": 1,
                "cells": lacking or 1,
                "seconds": PICTURE_PRICE * (2 if picture.startswith("solar") else 1),
                "opens": 1,
                "ranked": False,
            }
        )
    return work


def panel_title(method):
    factor = method["protocol"].removeprefix("c=")
    return f"{method['title']} (c = {factor})" if factor not in ("", "1") else method["title"]


def ordered(work, only):
    """The patterns of `only` in turn; in each what ranks wait for, experiment by experiment, and then the rest."""
    patterns = only or [".*"]
    waits = ranks_wait_for(work)

    def place(one):
        name = f"{one['experiment']}/{one['method']}"
        turn = next(i for i, pattern in enumerate(patterns) if re.fullmatch(pattern, name))
        first = (0, waits[one["experiment"]]) if awaited(one) else (1, 0.0)
        return turn, *first, one["seconds"] / one["cells"]

    return sorted(work, key=place)


def awaited(one):
    return one["ranked"] and one["opens"] > 0


def ranks_wait_for(work):
    """Experiment -> seconds per cell of all that its ranks wait for, which open together."""
    waits = {}
    for experiment in {one["experiment"] for one in work if awaited(one)}:
        own = [one for one in work if one["experiment"] == experiment and awaited(one)]
        waits[experiment] = sum(one["seconds"] for one in own) / (RANKS + sum(one["opens"] for one in own))
    return waits


def chosen(only, experiment, method):
    return not only or any(re.fullmatch(pattern, f"{experiment}/{method}") for pattern in only)


def fitting(work, seconds):
    """The cheapest of the list that fit, dearer ones left out."""
    fits, used = [], 0.0
    for one in work:
        if seconds is None or used + one["seconds"] <= seconds:
            fits.append(one)
            used += one["seconds"]
    return fits


def print_list(work):
    print(f"{'experiment':<16} {'method':<24} {'device':<6} {'cells':>5} {'runs':>5} {'missing':>7} {'seconds':>8}")
    for one in work:
        print(
            f"{one['experiment']:<16} {one['method']:<24} {one['device']:<6} {one['cells']:>5} {one['runs']:>5} "
            f"{one['missing']:>7} {one['seconds']:>8.0f}"
        )
    for device in sorted({one["device"] for one in work}):
        own = [one for one in work if one["device"] == device]
        print(
            f"{'together':<16} {'':<24} {device:<6} {sum(o['cells'] for o in own):>5} {'':>5} "
            f"{sum(o['missing'] for o in own):>7} {sum(o['seconds'] for o in own):>8.0f}"
        )
