"""One number at a time: the first release at a new scale, and the releases after it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from statistics import median
from time import perf_counter

import numpy as np

from bench.clock import Contender, fastest, of, quiet
from bench.peers import Peers
from bench.report import Row, Section, ratio, worst
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.numeric.bits import draw_integer

__all__ = ["latency"]

LAWS = {"laplace": Laplace, "gaussian": Gaussian}
FIRST, LATER = "first at a new scale", "then"
LATER_KINDS = {  # what is released, scale, grid
    "a count, scale 1": (42, 1, 1),
    "a count, scale 1,000": (42, 1000, 1),
    "a real, grid 2^-20": (3.7, 1, 2**-20),
}


def latency(peers: Peers, *, quick: bool = False) -> Section:
    """Microseconds a release."""
    rows = [_first(law, peers, 5 if quick else 60) for law in LAWS]
    rows += [
        _later(law, kind, peers, 20 if quick else 2_000, 2 if quick else 9)
        for law in LAWS
        for kind in LATER_KINDS
    ]
    return Section(
        "Latency: one number through Laplace.sample and Gaussian.sample, microseconds",
        rows,
        [
            worst("first release at a new scale in 1,000 microseconds", 1000, rows[:2], "hedgerow"),
            worst("later releases in 20 microseconds", 20, rows[2:], "hedgerow"),
        ],
        [
            "First: the median over scales never seen before, making the mechanism included. Then:"
            " the mean of a batch of calls."
        ],
    )


def _first(law: str, peers: Peers, scales: int) -> Row:
    taken = []
    with quiet():
        for _ in range(scales):
            scale = Fraction(draw_integer(40) + 1, 1 << 30)
            start = perf_counter()
            LAWS[law](scale).sample(42)
            taken.append((perf_counter() - start) * 1e6)
    theirs = peers.seconds("opendp", "first", law, [10 + step / 7 for step in range(scales)])
    return _row(law, FIRST, median(taken), None if theirs is None else theirs / scales * 1e6, None)


def _later(law: str, kind: str, peers: Peers, calls: int, rounds: int) -> Row:
    exact, scale, grid = LATER_KINDS[kind]
    sample = LAWS[law](scale, grid).sample
    floats = getattr(np.random.default_rng(), "laplace" if law == "laplace" else "normal")
    contenders = {
        "hedgerow": Contender(of(_repeat(lambda: sample(exact), calls)), calls, rounds),
        "numpy": Contender(of(_repeat(lambda: exact + floats(0.0, scale), calls)), calls, rounds),
        "opendp": Contender(peers.round("opendp", "scalar", law, exact, scale, calls), calls, 3),
    }
    taken = {
        name: None if seconds is None else seconds * 1e6
        for name, seconds in fastest(contenders).items()
    }
    return _row(law, f"{LATER} {kind}", taken["hedgerow"], taken["opendp"], taken["numpy"])


def _row(law: str, what: str, ours: float | None, opendp: float | None, numpy: float | None) -> Row:
    faster = ratio(opendp, ours)
    return {
        "law": law,
        "what": what,
        "hedgerow": ours,
        "opendp": opendp,
        "numpy, unsafe": numpy,
        "times faster than opendp": faster,
    }


def _repeat(work: Callable[[], object], calls: int) -> Callable[[], None]:
    def repeated() -> None:
        for _ in range(calls):
            work()

    return repeated
