"""The training step in JAX: one compiled loop over the steps, vectorised over the members."""

from __future__ import annotations

from functools import partial

import jax
from jax import Array, lax
from jax import numpy as jnp

import case as shared
from case import Case

Tree = dict[str, Array]
State = tuple[Tree, Tree, Tree, Array, Array]  # weights, first and second moments, step, key


def features(case: Case, weights: Tree, net: str, x: Array) -> Array:
    for layer in range(len(case.hidden)):
        x = jax.nn.relu(x @ weights[f"{net}.{layer}.w"] + weights[f"{net}.{layer}.b"])
    return x


def head(weights: Tree, net: str, x: Array) -> Array:
    return x @ weights[f"{net}.head.w"] + weights[f"{net}.head.b"]


def data_loss(case: Case, weights: Tree, x: Array, y: Array, artificial: Array) -> Array:
    real = features(case, weights, "mean", x)
    error = jnp.sum(jnp.square(head(weights, "mean", real) - y))
    if not case.pair:
        return error / case.rows
    if case.stopped:
        real = lax.stop_gradient(real)
        other = features(case, lax.stop_gradient(weights), "mean", artificial)
    else:
        other = features(case, weights, "mean", artificial)
    own = features(case, weights, "sigma", jnp.concatenate([x, artificial]))
    r = head(weights, "sigma", own)
    r_real = r[: case.rows] + real @ weights["sigma.head.mean"]
    r_other = r[case.rows :] + other @ weights["sigma.head.mean"]
    loss = error + shared.MU_SQR * jnp.sum(jnp.square(r_real))
    return loss + shared.MU_EXP / case.augment * jnp.sum(jnp.exp(-shared.C_EXP * r_other))


def penalty(weights: Tree) -> Array:
    return shared.L2 * sum(jnp.sum(jnp.square(value)) for value in weights.values())


def adam(weights: Tree, gradient: Tree, first: Tree, second: Tree, step: Array):
    b1, b2 = shared.BETAS
    rate = shared.LEARNING_RATE / (1 - b1**step)
    scale = lax.rsqrt(1 - b2**step)

    def one(w: Array, g: Array, m: Array, v: Array) -> tuple[Array, Array, Array]:
        g = g + 2 * shared.L2 * w
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * g * g
        return w - rate * m / (scale * jnp.sqrt(v) + shared.EPSILON), m, v

    new = {k: one(weights[k], gradient[k], first[k], second[k]) for k in weights}
    return tuple({k: value[i] for k, value in new.items()} for i in range(3))


def one_step(case: Case, x: Array, y: Array, state: State, points) -> State:
    weights, first, second, step, key = state
    step = step + 1
    gradient = jax.vmap(
        jax.grad(partial(data_loss, case)), in_axes=(0, None, None, 0)
    )(weights, x, y, points)
    return (*adam(weights, gradient, first, second, step), step, key)


def sample(case, key, n):
    return jax.random.uniform(key, (n, case.augment, case.inputs), jnp.float32, -shared.BOX, shared.BOX)

def train_all(case, steps, state, x, y):
    n = next(iter(state[0].values())).shape[0]
    def body(_, state):
        key, sub = jax.random.split(state[4])
        return one_step(case, x, y, (*state[:4], key), sample(case, sub, n))
    return lax.fori_loop(0, steps, body, state)

def train_map(case, steps, state, x, y):
    weights, m, v, step, key = state
    def one(a):
        w, m, v, k = a
        e = lambda t: {q: z[None] for q, z in t.items()}
        s = train_all(case, steps, (e(w), e(m), e(v), step, k), x, y)
        d = lambda t: {q: z[0] for q, z in t.items()}
        return d(s[0]), d(s[1]), d(s[2]), s[4]
    n = next(iter(weights.values())).shape[0]
    w, m, v, k = lax.map(one, (weights, m, v, jax.random.split(key, n)))
    return w, m, v, step + steps, key


class Members:
    def __init__(self, case: Case, variant: str) -> None:
        import os
        self.case = case
        weights = {k: jnp.asarray(v, jnp.float32) for k, v in shared.initial_weights(case).items()}
        zeros = lambda: {k: jnp.zeros_like(v) for k, v in weights.items()}
        self.x, self.y = (jnp.asarray(p, jnp.float32) for p in shared.training_rows(case))
        key = jax.random.key(1, impl=os.environ.get("PRNG", "rbg"))
        self.state = (weights, zeros(), zeros(), jnp.zeros((), jnp.int32), key)
        inner = train_map if variant == "map" else train_all
        self.steps = jax.jit(partial(inner, case), donate_argnums=1)
        if variant == "sharded":
            from jax.sharding import PartitionSpec as P
            mesh = jax.make_mesh((jax.device_count(),), ("members",))
            sp = {k: P("members") for k in weights}
            spec = (sp, sp, sp, P(), P())
            inner2 = train_map if os.environ.get("MAP") else train_all
            def f(steps, state, x, y):
                st = (*state[:4], jax.random.fold_in(state[4], lax.axis_index("members")))
                out = inner2(case, steps, st, x, y)
                return (*out[:4], state[4])
            self.steps = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=(P(), spec, P(), P()), out_specs=spec, check_vma=False), donate_argnums=1)
            self.state = jax.device_put(self.state, jax.tree.map(lambda s: jax.sharding.NamedSharding(mesh, s), spec, is_leaf=lambda s: isinstance(s, P)))

    def train(self, steps: int) -> None:
        self.state = jax.block_until_ready(self.steps(steps, self.state, self.x, self.y))

    def loss(self) -> float:
        w = {k: jnp.asarray(jax.device_get(v)) for k, v in self.state[0].items()}
        pts = sample(self.case, jax.random.key(7), self.case.members)
        l = jax.vmap(partial(data_loss, self.case), in_axes=(0, None, None, 0))(w, self.x, self.y, pts)
        return float(l.mean() + penalty(w) / self.case.members)


def build(case: Case, variant: str) -> Members:
    return Members(case, variant)
