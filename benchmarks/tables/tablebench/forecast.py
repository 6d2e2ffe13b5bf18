"""What a method says about the test rows, and how that is kept in a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

LEVEL = 0.9


@dataclass
class Forecast:
    """Mean and bounds of 90 % for each row; a distribution as sigma of a Gaussian, as quantiles, or both.

    `quantiles` is [n][len(levels)]. `constant_half`: the half width of constant bounds that the method's own calibration
    rows would give. `notes` are figures for the results, such as the number of calibration rows.
    """

    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    sigma: np.ndarray | None = None
    levels: np.ndarray | None = None
    quantiles: np.ndarray | None = None
    constant_half: float | None = None
    notes: dict[str, object] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Writes float32 arrays, compressed. Quantiles that only shift the mean are kept as such."""
        arrays = {"mean": self.mean, "lower": self.lower, "upper": self.upper}
        if self.sigma is not None:
            arrays["sigma"] = self.sigma
        if self.levels is not None and self.quantiles is not None:
            arrays["levels"] = self.levels
            shifts = self.quantiles - self.mean[:, None]
            if np.allclose(shifts, shifts[:1]):
                arrays["shifts"] = shifts[0]
            else:
                arrays["quantiles"] = self.quantiles
        kept = {name: _small(array) for name, array in arrays.items()}
        np.savez_compressed(path, allow_pickle=False, **kept)


def _small(array: np.ndarray) -> np.ndarray:
    """float32, and one number where all rows agree."""
    values = np.asarray(array, dtype=np.float32)
    return values[:1] if values.ndim == 1 and len(values) > 1 and np.ptp(values) == 0 else values
