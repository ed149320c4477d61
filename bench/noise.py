"""A million draws of discrete noise: Hedgerow, the exact and inexact peers, and numpy's unsafe
samplers as the limit.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from bench.clock import Contender, fastest, of
from bench.peers import Peers
from bench.report import Row, Section, ratio, worst
from hedgerow.numeric.samplers import discrete_gaussian, discrete_laplace

__all__ = ["noise"]

SCALES = (1, 10, 1000, 10**6)
PEER_DRAWS = {"opendp": 100_000, "python-dp": 100_000, "diffprivlib": 10_000}
# draws where it takes milliseconds, and seconds
SLOW = {("diffprivlib", "gaussian", 1000): 100, ("diffprivlib", "gaussian", 10**6): 0}
LIMITS = {"laplace": 5, "gaussian": 8}  # times numpy
FASTER, ROUNDED, FLOATS = (
    "times faster than opendp",
    "times numpy's rounded",
    "times numpy's floats",
)


def noise(peers: Peers, *, quick: bool = False) -> Section:
    """Nanoseconds a draw."""
    size = 1_000 if quick else 1_000_000
    rows = [
        _row(law, scale, size, peers, rounds=2 if quick else 9)
        for law in LIMITS
        for scale in SCALES
    ]
    targets = []
    for law, limit in LIMITS.items():
        part = [row for row in rows if row["law"] == law]
        targets.append(
            worst(f"{law}: at least 100 times faster than opendp", 100, part, FASTER, at_least=True)
        )
        targets.append(
            worst(
                f"{law}: at most {limit} times numpy's unsafe sampler, rounded",
                limit,
                part,
                ROUNDED,
            )
        )
    times = tuple(name for name in rows[0] if not name.startswith("times"))
    return Section(
        f"Noise: {size:,} discrete draws, nanoseconds a draw",
        rows,
        targets,
        [
            (
                "numpy is the limit, not a peer: its floats leak and its generator can be guessed."
                " 'rounded' makes integers, as all others do."
            ),
            (
                "Peers draw fewer, and the time of one draw is scaled up:"
                f" {', '.join(f'{name} {n:,}' for name, n in PEER_DRAWS.items())}."
            ),
            (
                "diffprivlib's Gaussian takes time in proportion to the scale: seconds a draw at a"
                " million, where it is left out."
            ),
        ],
        [times, ("law", "scale", FASTER, ROUNDED, FLOATS)],
    )


def _row(law: str, scale: int, size: int, peers: Peers, rounds: int) -> Row:
    contenders = {
        name: Contender(of(work), size, rounds) for name, work in _here(law, scale, size).items()
    }
    for name, usual in PEER_DRAWS.items():
        draws = SLOW.get((name, law, scale), usual)
        contenders[name] = Contender(
            peers.round(name, "noise", law, scale, draws), draws, 2 if draws else 0, warm=False
        )
    taken = {
        name: None if seconds is None else seconds * 1e9
        for name, seconds in fastest(contenders).items()
    }
    return {
        "law": law,
        "scale": f"{scale:,}",
        **taken,
        FASTER: ratio(taken["opendp"], taken["hedgerow"]),
        ROUNDED: ratio(taken["hedgerow"], taken["numpy rounded"]),
        FLOATS: ratio(taken["hedgerow"], taken["numpy floats"]),
    }


def _here(law: str, scale: int, size: int) -> dict[str, Callable[[], object]]:
    exact, unsafe = Fraction(scale), np.random.default_rng()
    sampler, floats = (
        (discrete_laplace, unsafe.laplace)
        if law == "laplace"
        else (discrete_gaussian, unsafe.normal)
    )
    return {
        "hedgerow": lambda: sampler(exact, size),
        "numpy rounded": lambda: np.rint(floats(0.0, scale, size)).astype(np.int64),
        "numpy floats": lambda: floats(0.0, scale, size),
    }
