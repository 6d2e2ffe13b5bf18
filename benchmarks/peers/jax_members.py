"""The training step in JAX: one compiled loop over the steps, vectorised over the members.

Two things keep XLA's processor backend from copying whole kernels in every step. Hidden kernels
are stored (out, in), which is how the derivative of a product comes out. And a barrier between
the gradient and the update says that nobody reads the old weights any more, so that the update
can happen in place.
"""

from __future__ import annotations

from functools import cache, partial
from typing import NamedTuple

import case as shared
import jax
import numpy as np
from case import Case, Weights
from jax import Array, lax
from jax import numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec

Tree = dict[str, Array]
AXIS = "members"


class State(NamedTuple):
    """What a step changes; every array of the trees has the members as its first axis."""

    weights: Tree
    first: Tree
    second: Tree
    step: Array
    key: Array
    best: Tree  # the snapshot; empty where none is kept
    best_loss: Array


def features(case: Case, weights: Tree, net: str, x: Array, key: Array | None = None) -> Array:
    """The last hidden layer of one network of one member; a key asks for dropout."""
    for layer in range(len(case.hidden)):
        kernel, bias = weights[f"{net}.{layer}.w"], weights[f"{net}.{layer}.b"]
        x = jax.nn.relu(lax.dot_general(x, kernel, (((1,), (1,)), ((), ()))) + bias)
        if key is not None and case.dropout > 0.0:
            kept = jax.random.bernoulli(jax.random.fold_in(key, layer), 1.0 - case.dropout, x.shape)
            x = jnp.where(kept, x / (1.0 - case.dropout), 0.0)
    return x


def head(weights: Tree, net: str, x: Array) -> Array:
    """The scalar output of one network of one member."""
    return x @ weights[f"{net}.head.w"] + weights[f"{net}.head.b"]


def data_loss(
    case: Case, x: Array, y: Array, weights: Tree, points: Array, key: Array | None = None
) -> Array:
    """The loss of one member without the penalty."""
    real = features(case, weights, "mean", x, key)
    error = jnp.sum(jnp.square(head(weights, "mean", real) - y))
    if not case.pair:
        return error / case.rows
    mean_weights = weights
    if case.stopped:
        real, mean_weights = lax.stop_gradient((real, weights))
    artificial = features(case, mean_weights, "mean", points)
    own = head(weights, "sigma", features(case, weights, "sigma", jnp.concatenate([x, points])))
    r_real = own[: case.rows] + real @ weights["sigma.head.mean"]
    r_artificial = own[case.rows :] + artificial @ weights["sigma.head.mean"]
    spread = jnp.sum(jnp.exp(-shared.C_EXP * r_artificial))
    square = jnp.sum(jnp.square(r_real))
    return error + shared.MU_SQR * square + shared.MU_EXP / case.augment * spread


def gradient(
    case: Case, x: Array, y: Array, weights: Tree, points: Array, key: Array | None = None
) -> tuple[Array, Tree]:
    """The losses and gradients of all members, without the penalty's."""
    slope = jax.vmap(jax.value_and_grad(partial(data_loss, case, x, y)))
    if case.dropout == 0.0:
        return slope(weights, points)
    return slope(weights, points, jax.random.split(key, points.shape[0]))


def keep(case: Case, state: State, losses: Array) -> State:
    """Keeps the weights of the members whose loss is the best so far."""
    if not case.keeps_best:
        return state
    better = losses < state.best_loss
    best = {
        name: jnp.where(better[:, None, None], w, state.best[name])
        for name, w in state.weights.items()
    }
    return state._replace(best=best, best_loss=jnp.where(better, losses, state.best_loss))


def adam(state: State, gradients: Tree) -> State:
    """One update; the penalty enters as weight decay."""
    b1, b2 = shared.BETAS
    step = state.step + 1
    rate = shared.LEARNING_RATE / (1.0 - b1**step)
    scale = lax.rsqrt(1.0 - b2**step)
    weights, first, second = {}, {}, {}
    for name, w in state.weights.items():
        g = gradients[name] + 2.0 * shared.L2 * w
        m = first[name] = b1 * state.first[name] + (1.0 - b1) * g
        v = second[name] = b2 * state.second[name] + (1.0 - b2) * g * g
        weights[name] = w - rate * m / (scale * jnp.sqrt(v) + shared.EPSILON)
    return state._replace(weights=weights, first=first, second=second, step=step)


def step(case: Case, x: Array, y: Array, state: State, points: Array) -> State:
    """One step of all members on the given artificial points."""
    losses, gradients = gradient(case, x, y, state.weights, points, state.key)
    return adam(*lax.optimization_barrier((keep(case, state, losses), gradients)))


def draw(case: Case, key: Array, members: int, dtype: np.dtype) -> Array:
    """Artificial points of all members."""
    shape = (members, case.augment, case.inputs)
    return jax.random.uniform(key, shape, dtype, -shared.BOX, shared.BOX)


def train(case: Case, members: int, x: Array, y: Array, steps: Array, state: State) -> State:
    """`steps` steps of `members` members."""

    def body(_: Array, state: State) -> State:
        key, now = jax.random.split(state.key)
        return step(case, x, y, state._replace(key=key), draw(case, now, members, x.dtype))

    return lax.fori_loop(0, steps, body, state)


def train_shard(case: Case, members: int, x: Array, y: Array, steps: Array, state: State) -> State:
    """`train` on one device's share of the members, with its own stream of points."""
    own = jax.random.fold_in(state.key, lax.axis_index(AXIS))
    trained = train(case, members, x, y, steps, state._replace(key=own))
    return trained._replace(key=jax.random.split(state.key)[0])


@cache
def compiled(case: Case, devices: int):
    """The training loop of a case: on one device, or with the members split over several."""
    if devices == 1:
        return jax.jit(partial(train, case, case.members), donate_argnums=3)
    split, whole = PartitionSpec(AXIS), PartitionSpec()
    spec = State(split, split, split, whole, whole, split, split)
    shard = jax.shard_map(
        partial(train_shard, case, case.members // devices),
        mesh=mesh_of(devices),
        in_specs=(whole, whole, whole, spec),
        out_specs=spec,
        check_vma=False,
    )
    return jax.jit(shard, donate_argnums=3)


@cache
def mesh_of(devices: int) -> Mesh:
    """The first devices in a row."""
    return Mesh(np.array(jax.devices()[:devices]), (AXIS,))


class Members:
    """The members of a case and their state."""

    def __init__(
        self, case: Case, weights: Weights, devices: int = 1, dtype: type = np.float32
    ) -> None:
        if case.members % devices:
            raise SystemExit(f"{case.members} members cannot be split over {devices} devices")
        self.case = case
        self.loop = compiled(case, devices)
        mesh = mesh_of(devices)
        split = partial(jax.device_put, device=NamedSharding(mesh, PartitionSpec(AXIS)))
        share = partial(jax.device_put, device=NamedSharding(mesh, PartitionSpec()))
        self.x, self.y = (share(part.astype(dtype)) for part in shared.training_rows(case))
        start = {name: split(stored(name, w).astype(dtype)) for name, w in weights.items()}
        zeros = ({name: jnp.zeros_like(w) for name, w in start.items()} for _ in range(2))
        key = share(jax.random.key(shared.SEED, impl="rbg"))
        best = {name: jnp.array(w) for name, w in start.items()} if case.keeps_best else {}
        worst = split(np.full(case.members, np.inf, dtype))
        self.state = State(start, *zeros, share(np.int32(0)), key, best, worst)

    def train(self, steps: int) -> None:
        """See `case.Peer`."""
        self.state = jax.block_until_ready(self.loop(self.x, self.y, steps, self.state))

    def loss(self) -> float:
        """See `case.Peer`."""
        points = draw(self.case, self.state.key, self.case.members, self.x.dtype)
        weights = self.state.weights
        losses = jax.vmap(partial(data_loss, self.case, self.x, self.y))(weights, points)
        squares = sum(jnp.sum(jnp.square(w)) for w in weights.values())
        return float(jnp.sum(losses) + shared.L2 * squares) / self.case.members


def stored(name: str, weights: np.ndarray) -> np.ndarray:
    """A start weight as it is kept here: hidden kernels (out, in)."""
    hidden_kernel = name.endswith(".w") and not name.endswith("head.w")
    return weights.swapaxes(1, 2) if hidden_kernel else weights
