"""Bounds on what a cap removes, from the noisy numbers of units by their number of rows. All of it
is post-processing of one release (``database.measured_clipping``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np

from hedgerow.mechanisms.laplace import Laplace
from hedgerow.release.payload import Release

__all__ = ["CAP_GRID", "ClippingHistogram"]

_DECADE: Final = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
# The caps that are measured. They never depend on data or policy.
CAP_GRID: Final = (
    *(1, 2, 3, 4, 5, 6, 8),
    *(step * 10**power for power in range(3) for step in _DECADE),
    10_000,
)
_BETA: Final = 0.05  # of each statement


@dataclass(frozen=True, slots=True)
class ClippingHistogram:
    """The noisy number of units in each bucket of a ``grid`` of caps; ``entry`` is the ledger entry
    that paid for it.

    Bucket i holds the units with more than ``grid[i - 1]`` rows, and at most ``grid[i]``.
    """

    release: Release
    grid: tuple[int, ...] = CAP_GRID

    @property
    def entry(self) -> int:
        """The number of the ledger entry."""
        return self.release.entry.seq

    @property
    def counts(self) -> list[int]:
        """The noisy counts, by bucket."""
        return [number for place, number in self._numbers if place > 0]

    @property
    def unaffected(self) -> int:
        """The noisy number of units in the bucket of 0, where there is one."""
        return sum(number for place, number in self._numbers if place == 0)

    @property
    def _lowest(self) -> tuple[int, ...]:
        """The fewest rows of a unit in each bucket."""
        return (1, *(cap + 1 for cap in self.grid))

    @property
    def _numbers(self) -> list[tuple[int, int]]:
        (numbers,) = self.release.numbers
        places = [int(str(key)) for (key,) in self.release.keys]
        return sorted((place, int(n or 0)) for place, n in zip(places, numbers, strict=True))

    def bound_units_below(self, cap: int) -> int:
        """Return a number of units that, with probability 95 %, have more than ``cap`` rows: there
        are at least as many."""
        return self._bound_below([1 if low > cap else 0 for low in self._lowest])

    def bound_units_above(self, cap: int, statements: int = 1) -> int:
        """Return a number of units of which, with probability 95 %, no more have more than ``cap``
        rows; of several ``statements``, all hold together with that probability."""
        first = sum(high <= cap for high in self.grid)
        buckets = len(self.grid) + 1 - first
        return max(0, sum(self.counts[first:]) + self._compute_radius([1] * buckets, statements))

    def bound_rows_removed(self, cap: int) -> int:
        """Return a number of rows: with probability 95 %, at least as many are beyond the first
        ``cap`` rows of their unit.

        Each unit counts with the fewest rows of its bucket, up to a second cap. Every cap of the
        grid is tried as the second one, each with its share of the 5 %.
        """
        return self._bound_below([max(0, low - cap) for low in self._lowest])

    def estimate_rows_kept(self, cap: int) -> int:
        """Estimate how many rows are within the first ``cap`` of their unit, rather too many."""
        highest = (*self.grid, cap)
        pairs = zip(self.counts, highest, strict=True)
        return sum(max(0, count) * min(high, cap) for count, high in pairs)

    def _bound_below(self, weights: Sequence[int]) -> int:
        """Return the best lower bound of a weighted sum of counts, of those whose weights do not
        grow beyond some second cap, or end there."""
        counts, last = self.counts, len(weights)
        first = next((i for i, weight in enumerate(weights) if weight), last)
        seconds: list[int] = []
        for place in range(first, last):  # each weight twice the one before: few statements
            if not seconds or weights[place] >= 2 * weights[seconds[-1]]:
                seconds.append(place)
        tried = {
            (*weights[first:second], *tail)
            for second in seconds
            for tail in ((), (weights[second],) * (last - second))
            if tail or second > first
        }
        bounds = (
            sum(w * n for w, n in zip(cut, counts[first:], strict=False))
            - self._compute_radius(cut, len(tried))
            for cut in tried
        )
        return max(0, *bounds, 0)

    def _compute_radius(self, weights: Sequence[int], statements: int = 1) -> int:
        (noise,) = self.release.noise.mechanisms
        assert isinstance(noise, Laplace)
        return _find_radius(noise.scale, tuple(weights), _BETA / statements)


@lru_cache(maxsize=1024)
def _find_radius(scale: Fraction, weights: tuple[int, ...], beta: float) -> int:
    """Return how far one side of a weighted sum of discrete Laplace noise reaches with probability
    at most ``beta``.

    Let b be the scale and Z one draw. E exp(tZ) = (cosh a - 1) / (cosh a - cosh t) with a = 1/b, at
    most 1 / (1 - t^2 b^2), because (cosh x - 1) / x^2 grows with x. So P(sum > r) is at most
    exp(-tr) times the product of 1 / (1 - t^2 b^2 w^2), for every t below 1 / (b max w). The best
    of a few t is taken.
    """
    sizes = float(scale) * np.array(weights, dtype=np.float64)
    steps = np.linspace(0.02, 0.98, 49) / sizes.max()
    growth = -np.log1p(-np.square(np.outer(steps, sizes))).sum(axis=1)
    return math.ceil(float(np.min((growth - math.log(beta)) / steps)) * (1 + 1e-9))
