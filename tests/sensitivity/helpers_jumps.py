"""Columns whose windows and jumps are easy to get wrong."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import strategies as st

from hedgerow.numeric.vectorised import Integers
from hedgerow.sensitivity.sample import SortedSample

from .helpers_brute_force import (
    PARTS,
    RELATIONS,
    World,
    add_remove,
    change_one,
)

HALF = Fraction(1, 2)


POINTS, UPPER = 4, 3


LARGEST = 9  # under add-remove: more rows than this are not in the tiny world


BETAS = [Fraction(1, 50), Fraction(1, 3), Fraction(2)]


parts = st.sampled_from(PARTS)


relations = st.sampled_from(RELATIONS)


columns = st.lists(st.integers(0, 20), min_size=1, max_size=14)


def worlds(neighbours: str) -> list[World]:
    return (
        [add_remove(POINTS, LARGEST)]
        if neighbours == "add-remove"
        else [change_one(POINTS, n) for n in (1, 2, 3, 4, 5)]
    )


def inside(world: World, neighbours: str, k: int) -> Integers:
    """Return the sets for which the brute-force results are right within distance k."""
    return (
        np.flatnonzero((world.sizes + k < LARGEST) & (world.sizes <= 5))
        if neighbours == "add-remove"
        else np.arange(len(world.sets))
    )


def neighbour(x: list[int], neighbours: str, at: int, z: int) -> list[int]:
    """Change row ``at`` to z; under add-remove remove it, or add z if z is odd."""
    at %= len(x)
    if neighbours == "change-one":
        return [*x[:at], z, *x[at + 1 :]]
    return [*x, z] if z % 2 else [*x[:at], *x[at + 1 :]]


def shapes(n: int) -> dict[str, Integers]:
    random = np.random.default_rng(n)
    width = 10**9
    flat = np.full(n, width // 3)
    stairs = flat.copy()
    stairs[n // 2 + n // 9 :] += 1
    stairs[n // 2 + n // 4 :] = width
    return {
        "uniform": random.integers(0, width, n),
        "heavy-tailed": np.minimum(random.pareto(1.1, n) * 1000, width).astype(np.int64),
        "spiked": np.where(random.random(n) < 0.7, width // 2, random.integers(0, width, n)),
        "two spikes": np.where(random.random(n) < 0.5, 3, width - 3),
        "constant": flat,
        "stairs": stairs,
        "tied": random.integers(0, 7, n),
        "even": np.arange(n) * (width // n),
        "growing": np.minimum(1.15 ** np.minimum(np.arange(n), 150), width).astype(np.int64),
        "at the lower bound": np.zeros(n, dtype=np.int64),
        "at the upper bound": np.full(n, width),
    }


@cache
def million(name: str) -> SortedSample:
    return SortedSample.from_values(shapes(10**6)[name], lower=0, upper=10**9)
