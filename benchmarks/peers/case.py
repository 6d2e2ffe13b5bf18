"""What every peer shares: the case files, the start weights, the clock and the printed line.

A peer gives `run_peer` a function that builds some members of a case; everything that could
differ between two measurements by accident lives here instead.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
import tomllib

LEARNING_RATE = 1e-3
BETAS = (0.9, 0.999)
EPSILON = 1e-7
L2 = 1e-8
MU_SQR = 0.1
MU_EXP = 0.01
C_EXP = 30.0
BOX = 1.1  # artificial points are uniform on [-BOX, BOX]^inputs
INIT = 0.05  # every weight and bias starts uniform on [-INIT, INIT]
SEED = 1

Weights = dict[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """One case file; `members` and `steps` may be overridden on the command line."""

    name: str
    method: str
    inputs: int
    hidden: tuple[int, ...]
    rows: int
    members: int
    steps: int
    gradient: str = "stopped"
    augment: int = 0
    dropout: float = 0.0
    snapshot: str = "none"

    @property
    def pair(self) -> bool:
        """Whether there is a sigma network beside the mean network."""
        return self.method == "nomu"

    @property
    def keeps_best(self) -> bool:
        """Whether the parameters of the best loss so far are kept, as nomu's snapshot does."""
        return self.snapshot != "none"

    @property
    def stopped(self) -> bool:
        """Whether the sigma loss is kept away from the mean network."""
        return self.gradient == "stopped"


class Peer(Protocol):
    """Some members of one case, with their optimiser."""

    def train(self, steps: int) -> None:
        """Trains every member for `steps` steps; returns when the work is done."""

    def loss(self) -> float:
        """The whole loss, penalty included, averaged over the members."""


Build = Callable[[Case, Weights], Peer]


def load_case(path: Path, members: int | None = None, steps: int | None = None) -> Case:
    """Reads a case file and applies the overrides."""
    fields = tomllib.loads(path.read_text(encoding="utf-8"))
    for key in ("title", "repeats"):  # these change nothing in a step; any other key must be known
        fields.pop(key, None)
    fields["hidden"] = tuple(fields["hidden"])
    case = Case(**fields)
    if case.method not in ("nomu", "mlp") or case.gradient not in ("stopped", "coupled"):
        raise ValueError(f"{path}: method {case.method!r}, gradient {case.gradient!r}")
    if case.pair and case.dropout > 0.0:
        raise ValueError(f"{path}: the peers have no dropout in the NOMU pair")
    if not case.pair:
        case = replace(case, augment=0)
    return replace(case, members=members or case.members, steps=steps or case.steps)


def initial_weights(case: Case, first: int = 0) -> Weights:
    """Start weights from member `first` on: kernels (members, in, out), biases (members, 1, out).

    The head of the sigma network is kept in two kernels, one for the features of the mean
    network and one for its own, so that nobody has to concatenate features.
    """
    shapes: dict[str, tuple[int, int]] = {}
    for net in ("mean", "sigma") if case.pair else ("mean",):
        width = case.inputs
        for layer, out in enumerate(case.hidden):
            shapes[f"{net}.{layer}.w"] = (width, out)
            shapes[f"{net}.{layer}.b"] = (1, out)
            width = out
        shapes[f"{net}.head.w"] = (width, 1)
        shapes[f"{net}.head.b"] = (1, 1)
        if net == "sigma":
            shapes["sigma.head.mean"] = (width, 1)
    draw = np.random.default_rng((SEED, first))
    return {
        name: draw.uniform(-INIT, INIT, (case.members, *shape)) for name, shape in shapes.items()
    }


def training_rows(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Inputs (rows, inputs) on [-1, 1] and targets (rows, 1)."""
    x = np.random.default_rng(SEED).uniform(-1.0, 1.0, (case.rows, case.inputs))
    return x, np.sin(3.0 * x.sum(axis=1, keepdims=True)) + 0.5 * x[:, :1]


class Groups:
    """Members of a case in groups that are trained one after the other."""

    def __init__(self, case: Case, size: int, build: Build) -> None:
        if case.members % size:
            raise SystemExit(f"--group {size} does not divide {case.members} members")
        part = replace(case, members=size)
        self.peers = [
            build(part, initial_weights(part, first)) for first in range(0, case.members, size)
        ]

    def train(self, steps: int) -> None:
        """See `Peer`."""
        for peer in self.peers:
            peer.train(steps)

    def loss(self) -> float:
        """See `Peer`."""
        return statistics.fmean(peer.loss() for peer in self.peers)


def limit_process(options: argparse.Namespace) -> None:
    """Leaves a peer that computes on the processor what it may use; a GPU has no such limits."""
    if options.device == "cpu":
        limit_cpus(options.threads)
        keep_memory()


def limit_cpus(threads: int) -> None:
    """Leaves the process `threads` of the processors it may use.

    Has to run before the peer is imported: XLA sizes its thread pool by the processors it sees
    then, and has no setting for it.
    """
    allowed = sorted(os.sched_getaffinity(0))
    if threads > len(allowed):
        raise SystemExit(f"--threads {threads}: only {len(allowed)} processors are available")
    os.sched_setaffinity(0, allowed[:threads])
    os.environ["OMP_NUM_THREADS"] = str(threads)


def keep_memory() -> None:
    """Asks the C library to keep freed memory, so that steps do not fault the same pages in."""
    trim_threshold, mmap_max = -1, -4  # M_TRIM_THRESHOLD and M_MMAP_MAX of glibc's malloc.h
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(mmap_max, 0)
        mallopt(trim_threshold, 2**31 - 1)


def arguments(about: str, variants: Sequence[str]) -> argparse.Namespace:
    """The command line that all peers share."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--case", type=Path, required=True, help="a file of benchmarks/cases")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--precision", choices=("fp32", "tf32"), default="fp32")
    parser.add_argument("--variant", choices=variants, default=variants[0])
    parser.add_argument("--group", type=int, help="members trained at once (default: all)")
    parser.add_argument("--members", type=int, help="instead of the case's")
    parser.add_argument("--steps", type=int, help="instead of the case's")
    parser.add_argument("--snapshot", choices=("none", "exact"), help="instead of the case's")
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args()


def seconds(peer: Peer, steps: int, repeats: int) -> list[float]:
    """Wall time of `repeats` runs of `steps` steps, after a short run that is not counted."""
    peer.train(max(2, steps // 8))
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        peer.train(steps)
        times.append(time.perf_counter() - start)
    return times


def run_peer(name: str, version: str, options: argparse.Namespace, build: Build) -> None:
    """Builds the members, measures their training and prints the line."""
    case = load_case(options.case, options.members, options.steps)
    case = replace(case, snapshot=options.snapshot or case.snapshot)
    group = min(options.group or case.members, case.members)
    peer = Groups(case, group, build)
    first = peer.loss()
    times = seconds(peer, case.steps, options.repeats)
    scale = 1e6 / (case.members * case.steps)
    line = {
        "peer": f"{name}-{options.variant}",
        "version": version,
        "case": case.name,
        "members": case.members,
        "group": group,
        "threads": options.threads,
        "device": options.device,
        "precision": options.precision,
        "steps": case.steps,
        "us_per_network_step": round(scale * statistics.median(times), 3),
        "min_us": round(scale * min(times), 3),
        "loss_first": first,
        "loss_last": peer.loss(),
    }
    print(json.dumps(line), flush=True)
