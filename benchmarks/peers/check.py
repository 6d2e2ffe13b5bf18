#!/usr/bin/env python3
"""Checks that the peers take the same, right step, on tiny cases and in double precision.

Three questions, each answered by a largest absolute difference: do the gradients agree, do the
weights agree after three steps of Adam, and is the gradient the slope of the loss as it is
written down below, with NumPy, in the plainest way.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import case as shared
import jax
import numpy as np
from case import Case, Weights

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)

import jax_members  # noqa: E402
import torch  # noqa: E402
import torch_members  # noqa: E402

STEPS = 3
TOLERANCE = 1e-9
PAIR = Case("pair", "nomu", 2, (7, 5), rows=6, members=2, steps=STEPS, augment=9)
CASES = {
    "stopped": PAIR,
    "coupled": replace(PAIR, gradient="coupled"),
    "mlp": replace(PAIR, method="mlp", augment=0),
}


def written_loss(case: Case, weights: Weights, frozen: Weights, points: np.ndarray) -> float:
    """The loss of all members with its penalty; `frozen` makes the mean network's features."""
    x, y = shared.training_rows(case)
    total = shared.L2 * sum(np.square(w).sum() for w in weights.values())
    for member in range(case.members):
        own = {name: w[member] for name, w in weights.items()}
        still = {name: w[member] for name, w in frozen.items()}
        f = hidden(case, own, "mean", x) @ own["mean.head.w"] + own["mean.head.b"]
        error = np.square(f - y).sum()
        if not case.pair:
            total += error / case.rows
            continue
        rows = np.concatenate([x, points[member]])
        both = [hidden(case, still, "mean", rows), hidden(case, own, "sigma", rows)]
        kernel = np.concatenate([own["sigma.head.mean"], own["sigma.head.w"]])
        r = np.concatenate(both, axis=1) @ kernel + own["sigma.head.b"]
        total += error + shared.MU_SQR * np.square(r[: case.rows]).sum()
        total += shared.MU_EXP * np.exp(-shared.C_EXP * r[case.rows :]).mean()
    return total


def hidden(case: Case, weights: Weights, net: str, x: np.ndarray) -> np.ndarray:
    """The last hidden layer."""
    for layer in range(len(case.hidden)):
        x = np.maximum(x @ weights[f"{net}.{layer}.w"] + weights[f"{net}.{layer}.b"], 0.0)
    return x


def slope(case: Case, weights: Weights, points: np.ndarray, along: Weights) -> float:
    """The derivative of the written loss in the direction `along`, by a central difference."""
    size = 1e-6

    def moved(by: float) -> float:
        new = {name: w + by * along[name] for name, w in weights.items()}
        return written_loss(case, new, weights if case.stopped else new, points)

    return (moved(size) - moved(-size)) / (2.0 * size)


def from_jax(tree: dict[str, jax.Array]) -> Weights:
    """Weights or gradients of JAX in the shared form."""
    return {name: jax_members.stored(name, np.asarray(w)) for name, w in tree.items()}


def run_jax(case: Case, start: Weights, points: list[np.ndarray]) -> tuple[Weights, Weights]:
    """The first gradient and the weights after all steps."""
    members = jax_members.Members(case, start, dtype=np.float64)
    data = members.x, members.y
    first = from_jax(jax_members.gradient(case, *data, members.state.weights, points[0])[1])
    for now in points:
        members.state = jax_members.step(case, *data, members.state, now)
    return first, from_jax(members.state.weights)


def run_stack(case: Case, start: Weights, points: list[np.ndarray]) -> tuple[Weights, Weights]:
    """The same for the stacked members in PyTorch."""
    members = torch_members.build("stacked_fused", case, start, torch.float64)
    values = dict(zip(start, members.parameters))
    first = {}
    for now in points:
        members.artificial.copy_(torch.tensor(now))
        members.step()
        first = first or {name: w.grad.numpy().copy() for name, w in values.items()}
    return first, {name: w.detach().numpy() for name, w in values.items()}


def run_eager(case: Case, start: Weights, points: list[np.ndarray]) -> float:
    """The loss of the single-member module after all steps, summed over the members."""
    total = 0.0
    for member in range(case.members):
        own = {name: w[member : member + 1] for name, w in start.items()}
        single = torch_members.build("eager", replace(case, members=1), own, torch.float64)
        for now in points:
            single.artificial.copy_(torch.tensor(now[member]))
            single.step()
        penalty = shared.L2 * sum(w.square().sum() for w in single.parameters)
        total += (single.module(single.x, single.y).sum() + penalty).item()
    return total


def difference(a: Weights, b: Weights) -> float:
    """The largest absolute difference."""
    return max(float(np.abs(a[name] - b[name]).max()) for name in a)


def check(case: Case) -> dict[str, float]:
    """All differences of one case."""
    random = np.random.default_rng(shared.SEED)
    start = {name: 4.0 * w for name, w in shared.initial_weights(case).items()}
    shape = (STEPS, case.members, case.augment, case.inputs)
    points = list(random.uniform(-shared.BOX, shared.BOX, shape))
    jax_first, jax_last = run_jax(case, start, points)
    torch_first, torch_last = run_stack(case, start, points)
    along = {name: random.standard_normal(w.shape) for name, w in start.items()}
    predicted = sum(
        ((torch_first[name] + 2.0 * shared.L2 * start[name]) * along[name]).sum() for name in start
    )
    eager = run_eager(case, start, points)
    written = written_loss(case, torch_last, torch_last, points[-1])
    measured = slope(case, start, points[0], along)
    return {
        "gradient, torch - jax": difference(torch_first, jax_first),
        "weights after three steps, torch - jax": difference(torch_last, jax_last),
        "loss after three steps, eager - written": abs(eager - written),
        "slope, relative, torch - written": abs(predicted / measured - 1.0),
    }


def main() -> int:
    """Prints the differences; 1 if one is too large."""
    worst = 0.0
    for name, case in CASES.items():
        for what, size in check(case).items():
            print(f"{name:8} {what:42} {size:.1e}")
            worst = max(worst, size if "slope" not in what else size * 1e-3)
    return int(worst > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
