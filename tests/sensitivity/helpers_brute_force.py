"""Brute-force references: every data set over a small domain, every number by its definition.

A data set is a sorted tuple of points 0 … points-1. Under add-remove there is no largest data set;
a ``World`` ends somewhere, and its results for a set are right as long as everything within the
distance looked at is smaller than the largest set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import ceil, exp

import numpy as np
from numpy.typing import NDArray

from hedgerow.sensitivity.sample import SortedSample

Values = tuple[int, ...]
RELATIONS = ("add-remove", "change-one")
PARTS = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(2, 3), Fraction(9, 10), Fraction(1)]


class World:
    """All data sets of certain sizes, and their distances."""

    def __init__(self, points: int, sizes: Sequence[int], neighbours: str) -> None:
        self.sets: list[Values] = [
            x for n in sizes for x in combinations_with_replacement(range(points), n)
        ]
        self.sizes = np.array([len(x) for x in self.sets])
        counts = np.array([[x.count(z) for z in range(points)] for x in self.sets])
        apart = np.abs(counts[:, None, :] - counts[None, :, :]).sum(axis=2)
        if neighbours == "change-one":
            apart = np.where(self.sizes[:, None] == self.sizes, apart // 2, 10**6)
        self.distance = apart
        self.pairs = np.argwhere(apart == 1)

    def local(self, f: Callable[[Values], Fraction | int]) -> NDArray[np.float64]:
        """Return for each set the largest move of f to a neighbour."""
        values = np.array([float(f(x)) for x in self.sets])
        moves = np.abs(values[:, None] - values)
        result: NDArray[np.float64] = np.where(self.distance == 1, moves, 0).max(axis=1)
        return result

    def within(self, local: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        """Return for each set the largest of ``local`` within distance k."""
        result: NDArray[np.float64] = np.where(self.distance <= k, local, 0).max(axis=1)
        return result

    def nearest(self, wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return for each set the distance to the nearest wanted one; a million if none."""
        result: NDArray[np.int64] = np.where(wanted, self.distance, 10**6).min(axis=1)
        return result


@cache
def change_one(points: int, n: int) -> World:
    return World(points, [n], "change-one")


@cache
def add_remove(points: int, largest: int) -> World:
    return World(points, range(largest + 1), "add-remove")


def quantile(p: Fraction, points: int) -> Callable[[Values], int]:
    """Return the value of rank ceil(p n), at least 1; for no data the bounds."""

    def f(x: Values) -> int:
        if not x:
            return 0 if p else points - 1
        return x[max(1, ceil(p * len(x))) - 1]

    return f


def sample(x: Sequence[int], upper: int) -> SortedSample:
    return SortedSample.from_values(list(x), lower=0, upper=upper)


def smooth_median(x: Sequence[int], rank: int, upper: int, beta: float) -> float:
    """Return max_k e^(-beta k) max_t (x_(r+t) - x_(r+t-k-1)) over n^2 windows.

    As written by Nissim, Raskhodnikova and Smith. Beyond e^-100 the whole width is granted, as
    documented.
    """
    n = len(x)
    low, high = np.zeros(n + 1, dtype=np.int64), np.full(n + 1, upper)
    # x_(i) stands at n + i
    ranked = np.concatenate([low, np.sort(np.asarray(x, dtype=np.int64)), high])
    best = upper * exp(-beta * min(n, ceil(Fraction(100) / Fraction(beta))))
    for k in range(n + 1):
        ends = n + rank + np.arange(k + 2)
        best = max(best, float((ranked[ends] - ranked[ends - k - 1]).max()) * exp(-beta * k))
    return best
