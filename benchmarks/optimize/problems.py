"""The problems: spaces, functions, and which half they belong to.

Designs are chosen on the development half and confirmed on the other one. The optimum of a shifted function moves with
the seed, the same way for every tool, so that no tool gains from proposing the middle of the box or its corners.
"""

import functools
import math
import random
import zlib
from dataclasses import dataclass, field

import functions as f
import tuning


class Failed(Exception):
    """The evaluation has no result."""


@dataclass
class Problem:
    name: str
    half: str  # "development" or "confirmation"
    kind: str  # smooth, rough, wells, mixed, noisy, failing or tuning
    variables: list
    make: object  # seed -> (point -> value without noise)
    optimum: float | None = None  # None: the least value any tool has found counts as it
    noise: float = 0.0  # standard deviation
    initial: int = field(init=False)

    def __post_init__(self):
        self.initial = min(max(8, 2 * len(self.variables)), 12)

    def function(self, seed):
        """The value without noise and the value a tool is told."""
        true = self.make(seed)
        noise = random.Random(f"noise {self.name} {seed}")

        def evaluate(point):
            value = true(point)
            return value, value + (noise.gauss(0, self.noise) if self.noise else 0.0)

        return evaluate


def real(name, low, high, log=False):
    return {"name": name, "type": "real", "low": low, "high": high, "log": log}


def integer(name, low, high):
    return {"name": name, "type": "integer", "low": low, "high": high, "log": False}


def choice(name, *choices):
    return {"name": name, "type": "categorical", "choices": list(choices)}


def shift_of(name, seed, lows, highs, optima):
    """Shares of the ranges by which the function moves; at least one optimum stays in the box."""
    draw = random.Random(zlib.crc32(f"{name} {seed}".encode()))
    while True:
        shift = [draw.uniform(-0.2, 0.2) * (high - low) for low, high in zip(lows, highs)]
        for optimum in optima:
            if all(low <= o + s <= high for o, s, low, high in zip(optimum, shift, lows, highs)):
                return shift


def shifted(name, half, kind, function, bounds, optima, optimum, noise=0.0, fails=None):
    lows, highs = zip(*bounds)

    def make(seed):
        shift = shift_of(name, seed, lows, highs, optima)

        def value(point):
            x = [point[f"x{i + 1}"] - s for i, s in enumerate(shift)]
            if fails and fails(x):
                raise Failed("no result here")
            return function(x)

        return value

    return Problem(name, half, kind, [real(f"x{i + 1}", *b) for i, b in enumerate(bounds)], make, optimum, noise)


def mixed_ackley(seed):
    """Ackley over three reals, one integer and two categories that stand for coordinates."""
    shift = shift_of("mixed-ackley", seed, [-3] * 3, [3] * 3, [[0, 0, 0]])
    draw = random.Random(f"order {seed}")
    order = [draw.sample([-2.0, -1.0, 0.0, 1.0, 2.0], 5) for _ in range(2)]
    centre = draw.randint(2, 6)

    def value(point):
        x = [point[f"x{i + 1}"] - s for i, s in enumerate(shift)]
        x.append((point["n"] - centre) / 2)
        x += [order[k]["abcde".index(point[f"c{k + 1}"])] for k in range(2)]
        return f.ackley(x)

    return value


def mixed_branin(seed):
    """Four Branin functions of different heights; a category selects one, an integer stretches it."""
    lows, highs = [-5, 0], [10, 15]
    shift = shift_of("mixed-branin", seed, lows, highs, [[math.pi, 2.275]])
    heights = random.Random(f"heights {seed}").sample([0.0, 4.0, 12.0, 30.0], 4)

    def value(point):
        x = [point["x1"] - shift[0], point["x2"] - shift[1]]
        which = ["cg", "lu", "qr", "amg"].index(point["solver"])
        return f.branin(x) * (1 + 0.1 * abs(point["n"] - 7)) + heights[which]

    return value


BRANIN = [(-5, 10), (0, 15)]
BRANIN_OPTIMA = [[-math.pi, 12.275], [math.pi, 2.275], [9.42478, 2.475]]
BRANIN_LEAST = 0.39788735772973816
HARTMANN6 = [0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573]


def same(low, high, d):
    return [(low, high)] * d


def cube(d, v):
    return [[v] * d]


@functools.cache
def problems():
    list_of = [
        shifted("branin-2", "development", "smooth", f.branin, BRANIN, BRANIN_OPTIMA, BRANIN_LEAST),
        shifted("hartmann-3", "development", "smooth", f.hartmann, same(0, 1, 3), [[0.114614, 0.555649, 0.852547]],
                -3.86278214782076),
        shifted("rosenbrock-4", "development", "smooth", f.rosenbrock, same(-2, 2, 4), cube(4, 1.0), 0.0),
        shifted("levy-10", "development", "rough", f.levy, same(-10, 10, 10), cube(10, 1.0), 0.0),
        shifted("ackley-5", "development", "rough", f.ackley, same(-15, 15, 5), cube(5, 0.0), 0.0),
        shifted("michalewicz-5", "development", "rough", f.michalewicz, same(0, math.pi, 5),
                [[2.2029, 1.5708, 1.2850, 1.9231, 1.7205]], f.michalewicz_least(5)),
        shifted("styblinski-20", "development", "rough", f.styblinski, same(-5, 5, 20), cube(20, -2.903534),
                20 * -39.16616570377142),
        Problem("mixed-branin", "development", "mixed",
                [real("x1", -5, 10), real("x2", 0, 15), integer("n", 1, 12), choice("solver", "cg", "lu", "qr", "amg")],
                mixed_branin, BRANIN_LEAST),
        shifted("noisy-branin-2", "development", "noisy", f.branin, BRANIN, BRANIN_OPTIMA, BRANIN_LEAST, noise=3.0),
        shifted("failing-levy-4", "development", "failing", f.levy, same(-10, 10, 4), cube(4, 1.0), 0.0,
                fails=lambda x: x[0] + x[1] < 1.0),
        Problem("svm-digits", "development", "tuning", tuning.SVM_SPACE, tuning.svm_digits),
        shifted("hartmann-6", "confirmation", "smooth", f.hartmann, same(0, 1, 6), [HARTMANN6], -3.32236801141551),
        shifted("six-hump-camel-2", "confirmation", "smooth", f.six_hump_camel, [(-3, 3), (-2, 2)],
                [[0.0898, -0.7126], [-0.0898, 0.7126]], -1.031628453489877),
        shifted("dixon-price-5", "confirmation", "smooth", f.dixon_price, same(-5, 5, 5),
                [[2 ** -((2**i - 2) / 2**i) for i in range(1, 6)]], 0.0),
        shifted("powell-8", "confirmation", "smooth", f.powell, same(-4, 5, 8), cube(8, 0.0), 0.0),
        shifted("ackley-10", "confirmation", "rough", f.ackley, same(-15, 15, 10), cube(10, 0.0), 0.0),
        shifted("michalewicz-10", "confirmation", "rough", f.michalewicz, same(0, math.pi, 10), [[1.57] * 10],
                f.michalewicz_least(10)),
        shifted("rastrigin-4", "confirmation", "rough", f.rastrigin, same(-5, 5, 4), cube(4, 0.0), 0.0),
        shifted("griewank-6", "confirmation", "rough", f.griewank, same(-50, 50, 6), cube(6, 0.0), 0.0),
        # Wells on flat ground and waves without a bowl: what is good far away says nothing about where the best is.
        shifted("shekel-4", "confirmation", "wells", f.shekel, same(0, 10, 4), cube(4, 4.0), -10.536409816692046),
        shifted("langermann-3", "confirmation", "wells", f.langermann, same(0, 10, 3), [[1.980153, 0.993397, 7.01983]],
                -4.995598959625917),
        shifted("schwefel-4", "confirmation", "wells", f.schwefel, same(-500, 500, 4), cube(4, 420.968746), 0.0),
        shifted("holder-2", "confirmation", "wells", f.holder, same(-10, 10, 2),
                [[a * 8.055023, b * 9.66459] for a in (-1, 1) for b in (-1, 1)], -19.208502567886747),
        Problem("mixed-ackley", "confirmation", "mixed",
                [real("x1", -3, 3), real("x2", -3, 3), real("x3", -3, 3), integer("n", 0, 9),
                 choice("c1", *"abcde"), choice("c2", *"abcde")], mixed_ackley, 0.0),
        shifted("noisy-hartmann-6", "confirmation", "noisy", f.hartmann, same(0, 1, 6), [HARTMANN6], -3.32236801141551,
                noise=0.1),
        shifted("failing-branin-2", "confirmation", "failing", f.branin, BRANIN, BRANIN_OPTIMA, BRANIN_LEAST,
                fails=lambda x: (x[0] - 3) ** 2 + (x[1] - 9) ** 2 < 20),
        Problem("kernel-diabetes", "confirmation", "tuning", tuning.KERNEL_SPACE, tuning.kernel_diabetes),
    ]
    return {problem.name: problem for problem in list_of}
