"""Tables in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence


def number(value: object, digits: int = 3) -> str:
    """A figure with some digits; nothing where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float):
        if value != 0 and not 1e-3 <= abs(value) < 1e5:
            return f"{value:.{digits - 1}e}"
        places = max(digits - 1 - math.floor(math.log10(abs(value))), 0) if value else 0
        return f"{value:.{places}f}"
    return str(value)


def table(head: Sequence[str], rows: Iterable[Sequence[object]], digits: int = 3) -> str:
    """A table with a header; the first column is text, the others are right aligned."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    lines += ["| " + " | ".join(number(cell, digits) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
