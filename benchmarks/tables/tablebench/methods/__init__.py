"""The methods by name. A peer's package is imported only when the peer is asked for."""

from __future__ import annotations

from tablebench.methods.boosting import BoostedConstantWidth, BoostedQuantiles
from tablebench.methods.forest import ForestCVPlus
from tablebench.methods.gaussian_process import GaussianProcess
from tablebench.methods.method import Method
from tablebench.methods.natural_boosting import NaturalBoosting
from tablebench.methods.networks import RealMLP, TabM

PEERS: dict[str, type[Method]] = {
    peer.name: peer
    for peer in (BoostedConstantWidth, BoostedQuantiles, ForestCVPlus, NaturalBoosting, GaussianProcess, RealMLP, TabM)
}
