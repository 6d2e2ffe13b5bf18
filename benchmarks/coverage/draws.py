"""The kinds of data sets: rows to fit, fresh rows of the population that the printed claim is about, and options."""

from dataclasses import dataclass, field

import numpy as np

FRESH = 200  # fresh rows of a data set


@dataclass
class Drawn:
    header: list
    seen: list
    fresh: list
    options: list = field(default_factory=list)
    adapt: bool = False  # fresh rows come one after the other, with results
    names: list = field(default_factory=list)  # of the fresh rows, where claims go by name
    targets: tuple = ("y",)  # several: the claim is about all at once


def inputs(draw, rows):
    return np.column_stack([draw.uniform(0, 2, rows), draw.uniform(-2, 2, rows)])


def signal(x):
    return 3 * np.sin(3 * x[:, 0]) + x[:, 1]


def table(x, y, *more):
    return [[*map(float, row), float(target), *rest] for row, target, *rest in zip(x, y, *more)]


def plain(draw, rows=300):
    x, new = inputs(draw, rows), inputs(draw, FRESH)
    return Drawn(["a", "b", "y"], table(x, signal(x) + draw.normal(size=rows)),
                 table(new, signal(new) + draw.normal(size=FRESH)))  # fmt: skip


def tailed(draw, rows, freedom):
    x, new = inputs(draw, rows), inputs(draw, FRESH)
    return Drawn(["a", "b", "y"], table(x, signal(x) + draw.standard_t(freedom, rows)),
                 table(new, signal(new) + draw.standard_t(freedom, FRESH)))  # fmt: skip


def repeated(draw, distinct, times):
    """Rows with equal inputs share a part of their error, as repeated measurements do; fresh inputs are new."""
    x, new = inputs(draw, distinct), inputs(draw, FRESH)
    y = np.repeat(signal(x) + draw.normal(size=distinct), times) + draw.normal(0, 0.3, distinct * times)
    order = draw.permutation(distinct * times)
    results = signal(new) + draw.normal(size=FRESH) + draw.normal(0, 0.3, FRESH)
    return Drawn(["a", "b", "y"], table(np.repeat(x, times, axis=0)[order], y[order]), table(new, results))


def grouped(draw, groups, rows):
    """Every group has a level of its own, which nothing else tells; each fresh row is of a new group."""
    x, new = inputs(draw, groups * rows), inputs(draw, FRESH)
    group = np.repeat(np.arange(groups), rows)
    y = signal(x) + draw.normal(0, 2, groups)[group] + draw.normal(size=len(x))
    order = draw.permutation(len(x))
    results = signal(new) + draw.normal(0, 2, FRESH) + draw.normal(size=FRESH)
    return Drawn(["a", "b", "y", "group"], table(x[order], y[order], [f"g{k}" for k in group[order]]),
                 table(new, results, ["new"] * FRESH), ["--group", "group"])  # fmt: skip


def trend(draw, slope):
    """The target rises with time, which is no input."""
    x = inputs(draw, 600)
    y = signal(x) + slope * np.arange(600) + draw.normal(size=600)
    rows = table(x, y, range(600))
    return Drawn(["a", "b", "y", "time"], rows[:300], rows[300:], ["--time", "time"], adapt=True)


def named(draw, shares, rows, groups=0):
    """Names with noise of their own, drawn anew for rare ones; fresh rows have the names of the population. With
    groups, each belongs to one name, and fresh rows are of new groups."""
    noise = draw.permutation(np.geomspace(0.2, 4, len(shares)))
    words = [f"n{k:02d}" for k in range(len(shares))]
    options = ["--coverage-by", "name"]

    def rows_of(count, group=None):
        x, name = inputs(draw, count), draw.choice(len(shares), count, p=shares)
        shift = 0
        if group is not None:
            name = draw.choice(len(shares), group.max() + 1, p=shares)[group]
            shift = draw.normal(size=group.max() + 1)[group] * noise[name]
        y = signal(x) + shift + noise[name] * draw.normal(size=count)
        more = [[words[k] for k in name]] + ([] if group is None else [[f"g{k}" for k in group]])
        return table(x, y, *more), [words[k] for k in name]

    if not groups:
        (seen, _), (fresh, names) = rows_of(rows), rows_of(FRESH)
        return Drawn(["a", "b", "y", "name"], seen, fresh, options, names=names)
    seen, _ = rows_of(rows, np.arange(rows) % groups)
    fresh, names = rows_of(FRESH, np.arange(FRESH))
    return Drawn(["a", "b", "y", "name", "group"], seen, fresh, [*options, "--group", "group"], names=names)


def targets(draw, rows):
    """Two targets that share a part of their noise."""
    x, new = inputs(draw, rows), inputs(draw, FRESH)

    def both(at):
        shared = draw.normal(size=len(at))
        first = signal(at) + shared + 0.5 * draw.normal(size=len(at))
        return table(at, first, map(float, at[:, 0] ** 2 + shared + draw.normal(size=len(at))))

    return Drawn(["a", "b", "y", "z"], both(x), both(new), targets=("y", "z"))


RARE = [0.35, 0.35] + [0.3 / 12] * 12

CASES = {
    "independent rows, 300": (plain, {}),
    "independent rows, 80": (plain, {"rows": 80}),
    "40 inputs x 5": (repeated, {"distinct": 40, "times": 5}),
    "15 inputs x 10": (repeated, {"distinct": 15, "times": 10}),
    "400 inputs x 3": (repeated, {"distinct": 400, "times": 3}),
    **{f"{g} groups x {n}": (grouped, {"groups": g, "rows": n})
       for g, n in [(2, 60), (5, 30), (10, 30), (20, 15), (30, 10), (50, 10)]},
    "trend, adaptive": (trend, {"slope": 0.01}),
    "steep trend, adaptive": (trend, {"slope": 0.05}),
    "t with 2 degrees, 300": (tailed, {"rows": 300, "freedom": 2}),
    "t with 3 degrees, 60": (tailed, {"rows": 60, "freedom": 3}),
    "3 names, 400 rows": (named, {"shares": [0.4, 0.35, 0.25], "rows": 400}),
    "2 names, 80 rows": (named, {"shares": [0.5, 0.5], "rows": 80}),
    "2 names and 12 rare, 500 rows": (named, {"shares": RARE, "rows": 500}),
    "2 targets at once, 300 rows": (targets, {"rows": 300}),
    "2 targets at once, 80 rows": (targets, {"rows": 80}),
    "2 names, 60 groups x 5": (named, {"shares": [0.5, 0.5], "rows": 300, "groups": 60}),
}  # fmt: skip


def draw_case(case: str, seed: int) -> Drawn:
    make, arguments = CASES[case]
    return make(np.random.default_rng([seed, *case.encode()]), **arguments)
