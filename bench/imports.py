"""How long an import takes, each in a fresh interpreter; the interpreter's own start does not
count.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

from bench.peers import PEERS, Peers
from bench.report import Row, Section, ratio

__all__ = ["imports"]

OURS = ("numpy", "hedgerow", "hedgerow.mechanisms")
_CODE = (
    "import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
)


def imports(peers: Peers, *, quick: bool = False) -> Section:
    """Milliseconds, the median of seven."""
    what = {module: (sys.executable, module) for module in OURS}
    what |= {
        peer.name: (peers.workers[peer.name].python, peer.module)
        for peer in PEERS
        if peer.name in peers.workers
    }
    taken: dict[str, list[float]] = {name: [] for name in what}
    for _ in range(1 if quick else 7):
        for name, (python, module) in what.items():
            run = subprocess.run(
                [python, "-W", "ignore", "-c", _CODE.format(module=module)],
                capture_output=True,
                text=True,
                check=True,
            )
            taken[name].append(float(run.stdout.splitlines()[-1]) * 1e3)
    middle = {name: median(found) for name, found in taken.items()}
    rows: list[Row] = [
        {"import": name, "ms": found, "times numpy": ratio(found, middle["numpy"])}
        for name, found in middle.items()
    ]
    return Section("Import: milliseconds in a fresh interpreter", rows)
