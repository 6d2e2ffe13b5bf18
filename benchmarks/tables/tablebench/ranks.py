"""Mean ranks over tables, and how sure they are: a bootstrap over tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class AgainstReference:
    """One method against the reference; positive rank differences mean that the reference is better."""

    method: str
    difference: float
    low: float
    high: float
    wins: int  # tables on which the reference is better
    losses: int
    ratio: float  # geometric mean of the method's figure over the reference's; NaN where figures can be negative

    @property
    def verdict(self) -> str:
        """What a bootstrap interval of 95 % allows to say about the reference."""
        return "better" if self.low > 0 else "worse" if self.high < 0 else "tied"


def ranks(losses: pd.DataFrame) -> pd.DataFrame:
    """Ranks on each table, 1 the smallest loss; ties share their mean."""
    return losses.rank(axis=1)


def against(losses: pd.DataFrame, reference: str, draws: int = 10000, seed: int = 1) -> list[AgainstReference]:
    """Each method against `reference`: tables are drawn with replacement, their ranks stay."""
    ranked = ranks(losses)
    chosen = np.random.default_rng(seed).integers(len(ranked), size=(draws, len(ranked)))
    found = []
    for method in losses.columns:
        if method == reference:
            continue
        difference = (ranked[method] - ranked[reference]).to_numpy()
        low, high = np.quantile(difference[chosen].mean(axis=1), [0.025, 0.975])
        own, other = losses[reference].to_numpy(), losses[method].to_numpy()
        positive = bool((own > 0).all() and (other > 0).all())
        ratio = float(np.exp(np.mean(np.log(other / own)))) if positive else float("nan")
        wins, lost = int((own < other).sum()), int((own > other).sum())
        found.append(AgainstReference(method, float(difference.mean()), float(low), float(high), wins, lost, ratio))
    return found
