"""The process of one fit to a made-up table: `python -m tablebench.speed_worker METHOD ROWS COLUMNS ...`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tablebench.choice import OWN
from tablebench.measure import measured
from tablebench.methods import PEERS
from tablebench.methods.tool import Tool
from tablebench.synthetic import synthetic_task


def main(name: str, rows: str, columns: str, threads: str, device: str, tool: str) -> None:
    """Fits once and prints what it cost."""
    task = synthetic_task(int(rows), int(columns), int(threads), device)
    method = Tool(Path(tool), OWN[name]) if name in OWN else PEERS[name]()
    method.load()
    print(json.dumps(measured(method, task)[1]))


if __name__ == "__main__":
    main(*sys.argv[1:])
