"""How far coverage may fall by chance: the law of split conformal bounds on exchangeable rows."""

from __future__ import annotations

import math

from scipy.stats import betabinom

from tablebench.forecast import LEVEL


def lowest_coverage(calibration_rows: int, test_rows: int, share: float = 0.01, level: float = LEVEL) -> float:
    """The `share` quantile of the coverage on `test_rows` rows.

    With n calibration rows the bound is the k-th smallest score, k = ceil((n + 1) level); the covered share of new rows
    is Beta(k, n + 1 - k), so that the covered count is beta-binomial. Where n proves no such level, k is n.
    """
    k = min(math.ceil((calibration_rows + 1) * level - 1e-9), calibration_rows)
    return float(betabinom.ppf(share, test_rows, k, calibration_rows + 1 - k)) / test_rows
