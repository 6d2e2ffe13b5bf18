"""Test functions on their customary boxes, as plain formulas: f(x) for a list x. All are minimised."""

import math

HARTMANN = {
    3: ([[3.0, 10, 30], [0.1, 10, 35], [3.0, 10, 30], [0.1, 10, 35]],
        [[0.3689, 0.1170, 0.2673], [0.4699, 0.4387, 0.7470], [0.1091, 0.8732, 0.5547], [0.0381, 0.5743, 0.8828]]),
    6: ([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]],
        [[0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886], [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
         [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650], [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381]]),
}

SHEKEL = [(0.1, [4, 4, 4, 4]), (0.2, [1, 1, 1, 1]), (0.2, [8, 8, 8, 8]), (0.4, [6, 6, 6, 6]), (0.4, [3, 7, 3, 7]),
          (0.6, [2, 9, 2, 9]), (0.3, [5, 5, 3, 3]), (0.7, [8, 1, 8, 1]), (0.5, [6, 2, 6, 2]), (0.5, [7, 3.6, 7, 3.6])]
LANGERMANN = [(1, [3, 5, 2]), (2, [5, 2, 4]), (5, [2, 1, 7]), (2, [1, 4, 1]), (3, [7, 9, 6])]


def branin(x):
    a = x[1] - 5.1 / (4 * math.pi**2) * x[0] ** 2 + 5 / math.pi * x[0] - 6
    return a * a + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x[0]) + 10


def hartmann(x):
    widths, centres = HARTMANN[len(x)]
    weights = (1.0, 1.2, 3.0, 3.2)
    return -sum(w * math.exp(-sum(b * (v - p) ** 2 for b, v, p in zip(row, x, centre)))
                for w, row, centre in zip(weights, widths, centres))


def ackley(x):
    d = len(x)
    root = math.sqrt(sum(v * v for v in x) / d)
    waves = sum(math.cos(2 * math.pi * v) for v in x) / d
    return -20 * math.exp(-0.2 * root) - math.exp(waves) + 20 + math.e


def michalewicz(x):
    return -sum(math.sin(v) * math.sin((i + 1) * v * v / math.pi) ** 20 for i, v in enumerate(x))


def michalewicz_least(d):
    """The function is a sum over coordinates: the least value of each, on a fine grid with one refinement."""
    total = 0.0
    for i in range(d):
        def one(v, i=i):
            return -math.sin(v) * math.sin((i + 1) * v * v / math.pi) ** 20
        best = min((math.pi * k / 20000 for k in range(20001)), key=one)
        step = math.pi / 20000
        total += min(one(best + step * k / 500) for k in range(-500, 501))
    return total


def levy(x):
    w = [1 + (v - 1) / 4 for v in x]
    middle = sum((v - 1) ** 2 * (1 + 10 * math.sin(math.pi * v + 1) ** 2) for v in w[:-1])
    return math.sin(math.pi * w[0]) ** 2 + middle + (w[-1] - 1) ** 2 * (1 + math.sin(2 * math.pi * w[-1]) ** 2)


def rosenbrock(x):
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


def griewank(x):
    product = math.prod(math.cos(v / math.sqrt(i + 1)) for i, v in enumerate(x))
    return sum(v * v for v in x) / 4000 - product + 1


def styblinski(x):
    return sum(v**4 - 16 * v * v + 5 * v for v in x) / 2


def rastrigin(x):
    return sum(v * v - 10 * math.cos(2 * math.pi * v) + 10 for v in x)


def dixon_price(x):
    return (x[0] - 1) ** 2 + sum((i + 2) * (2 * b * b - a) ** 2 for i, (a, b) in enumerate(zip(x, x[1:])))


def six_hump_camel(x):
    a, b = x
    return (4 - 2.1 * a * a + a**4 / 3) * a * a + a * b + (-4 + 4 * b * b) * b * b


def powell(x):
    return sum((a + 10 * b) ** 2 + 5 * (c - e) ** 2 + (b - 2 * c) ** 4 + 10 * (a - e) ** 4
               for a, b, c, e in zip(x[0::4], x[1::4], x[2::4], x[3::4]))


def folded(v, low, high):
    """`v` if it is in the range; otherwise where the way to it ends if it is thrown back at both ends."""
    width = high - low
    way = (v - low) % (2 * width)
    return low + min(way, 2 * width - way)


def shekel(x):
    return -sum(1 / (width + sum((v - c) ** 2 for v, c in zip(x, centre))) for width, centre in SHEKEL)


def langermann(x):
    total = 0.0
    for height, centre in LANGERMANN:
        square = sum((v - c) ** 2 for v, c in zip(x, centre))
        total -= height * math.exp(-square / math.pi) * math.cos(math.pi * square)
    return total


def schwefel(x):
    """Has its least values near the ends of the range and beyond it, where it is folded back."""
    x = [folded(v, -500, 500) for v in x]
    return 418.9828872724338 * len(x) - sum(v * math.sin(math.sqrt(abs(v))) for v in x)


def holder(x):
    """Grows without bound outside its box, where it is folded back."""
    a, b = (folded(v, -10, 10) for v in x)
    return -abs(math.sin(a) * math.cos(b) * math.exp(abs(1 - math.hypot(a, b) / math.pi)))
