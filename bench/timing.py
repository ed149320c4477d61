"""Does the time of a release say how large its noise was? Rank correlation of |noise| with
nanoseconds, draw by draw.

The exact value is a million, so that what comes out has the same size whatever the noise: the time
to make a *released* number tells nobody anything new. A leaky sampler runs along, to show that the
measurement would see it.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns

import numpy as np
from numpy.typing import NDArray

from bench.clock import quiet
from bench.peers import Peers
from bench.report import Row, Section, worst
from hedgerow.mechanisms import Gaussian, Laplace

__all__ = ["spearman", "timing"]

EXACT = 1_000_000
LAWS = {"laplace": Laplace, "gaussian": Gaussian}
SCALES = (1, 1000)
BLOCK = 100  # draws of one contender before the next has its turn
PEER_DRAWS, PEER_WARM = 10_000, 500
LEAK = "a planted leak"

Name = tuple[str, str, int]
Sampler = Callable[[int], int]
Counts = NDArray[np.int64]


def timing(peers: Peers, *, quick: bool = False) -> Section:
    """Spearman's rho of |noise| and time."""
    draws = 1_000 if quick else 100_000
    contenders: dict[Name, Sampler] = {
        ("hedgerow", law, scale): LAWS[law](scale).sample for law in LAWS for scale in SCALES
    }
    contenders[LEAK, "geometric", 1] = _leaky
    rows = [_row(name, *found) for name, found in _measure(contenders, draws).items()]
    for law in LAWS:
        for scale in SCALES:
            if answer := peers.ask("opendp", "timing", law, scale, PEER_DRAWS, EXACT):
                noise, taken = (np.array(part[PEER_WARM:]) for part in answer["value"])
                rows.append(_row(("opendp", law, scale), np.abs(noise), taken))
    ours, leak = ([row for row in rows if row["who"] == who] for who in ("hedgerow", LEAK))
    return Section(
        "Timing: rank correlation of |noise| with the time of its draw",
        rows,
        [
            worst("|Spearman| at most 0.02", 0.02, ours, "Spearman", size=True),
            worst(
                "the planted leak is seen: |Spearman| at least 0.3",
                0.3,
                leak,
                "Spearman",
                at_least=True,
                size=True,
            ),
        ],
        [
            f"Chance alone moves the figure by {1 / draws**0.5:.4f} (one standard deviation) at"
            f" {draws:,} draws."
        ],
    )


def _row(name: Name, noise: Counts, taken: Counts) -> Row:
    who, law, scale = name
    return {
        "law": law,
        "scale": f"{scale:,}",
        "who": who,
        "draws": f"{noise.size:,}",
        "median, ns": float(np.median(taken)),
        "Spearman": spearman(noise, taken),
    }


def _measure(contenders: dict[Name, Sampler], draws: int) -> dict[Name, tuple[Counts, Counts]]:
    """|noise| and nanoseconds of every draw; contenders take turns, and the first turns are
    thrown away.
    """
    warm = max(BLOCK, draws // 50)
    found: dict[Name, tuple[list[int], list[int]]] = {name: ([], []) for name in contenders}
    with quiet():
        for _ in range(0, draws + warm, BLOCK):
            for name, sample in contenders.items():
                noise, taken = found[name]
                for _ in range(BLOCK):
                    start = perf_counter_ns()
                    noisy = sample(EXACT)
                    taken.append(perf_counter_ns() - start)
                    noise.append(abs(noisy - EXACT))
    return {
        name: (np.array(noise[-draws:]), np.array(taken[-draws:]))
        for name, (noise, taken) in found.items()
    }


def _leaky(exact: int) -> int:
    """Geometric noise by counting: the work is the noise."""
    noise = 0
    while _COIN.random() < 0.5:
        noise += 1
    return exact + noise


_COIN = np.random.default_rng()


def spearman(first: Counts, second: Counts) -> float:
    """Correlation of ranks; ties share the mean of theirs."""
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(values: Counts) -> NDArray[np.float64]:
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]
