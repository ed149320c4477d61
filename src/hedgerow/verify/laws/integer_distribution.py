"""Distributions of integers, given by the logarithms of their probabilities at some points.

Near its centres a distribution is known at every integer, and all sums below are exact up to
rounding. Far away, where a wide distribution still has mass, it is known at points with growing
gaps; there the sums use the trapezoid rule, which is accurate to about seven digits in the body and
four far out in the tails.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.verify.laws.case import LawBroken

__all__ = ["MIN_LOG", "TILTS", "IntegerDistribution", "make_points"]

TILTS = np.concatenate([-np.geomspace(0.9, 1e-3, 24), np.geomspace(1e-3, 0.9, 24)])

_DENSE_RADIUS = 1 << 12
_GAP_GROWTH = 1 + 2.0**-10
_MAX_DISTANCE = 2.0**50
_HEAVY_TAIL_DISTANCE = 2.0**30  # mass this far out means that the tail falls like a power
# below this, a double has too few digits for the difference of two logarithms
MIN_LOG = -2000.0


@lru_cache(maxsize=16)
def make_points(
    *centres: int,
    dense: int = _DENSE_RADIUS,
    growth: float = _GAP_GROWTH,
    farthest: float = _MAX_DISTANCE,
) -> Integers:
    """Return integers at which to evaluate: all near a centre, fewer and fewer farther away."""
    far = np.rint(
        dense * growth ** np.arange(1, int(np.log(farthest / dense) / np.log(growth)))
    ).astype(np.int64)
    offsets = np.concatenate([-far[::-1], np.arange(-dense, dense + 1), far])
    found = np.unique(np.concatenate([offsets + centre for centre in centres]))
    found.flags.writeable = False
    return found


@dataclass(frozen=True)
class IntegerDistribution:
    """A distribution; ``log[i]`` is the log-probability of ``steps[i]``, and the steps
    are sorted.
    """

    steps: Integers
    log: Floats

    @classmethod
    def from_logs(cls, steps: Integers, log: Any) -> IntegerDistribution:
        """Build a distribution; negligible probabilities are cut off at the ends and raised to the
        minimum between them.
        """
        values = np.maximum(np.asarray(log, dtype=np.float64), MIN_LOG)
        seen = np.flatnonzero(values > MIN_LOG)
        if not seen.size:
            raise LawBroken(
                "probabilities sum to one",
                "probabilities at integers near the exact value",
                "none above e^-2000",
            )
        kept = slice(seen[0], seen[-1] + 1)
        return cls(steps[kept], values[kept])

    @cached_property
    def weights(self) -> Floats:
        """The number of integers that each point represents; 1 where no neighbour is missing."""
        gaps = np.diff(self.steps, prepend=self.steps[:1] - 1, append=self.steps[-1:] + 1)
        return np.asarray((gaps[:-1] + gaps[1:]) / 2)

    @cached_property
    def is_exact(self) -> bool:
        """True if nearly all mass lies where every integer is known."""
        sparse = self.weights != 1
        return bool(np.sum(self.weights[sparse] * np.exp(self.log[sparse])) < 1e-13)

    @property
    def tolerance(self) -> float:
        """The relative error allowed for sums."""
        return 1e-9 if self.is_exact else 1e-5

    @property
    def mass_beyond(self) -> float:
        """The approximate mass of a heavy-tailed distribution beyond the outermost points, if it
        continues to fall like a power.
        """
        total = 0.0
        for steps, log in ((self.steps, self.log), (-self.steps[::-1], self.log[::-1])):
            far = float(steps[-1])
            near = int(np.searchsorted(steps, far / 16))
            if (
                far > _HEAVY_TAIL_DISTANCE
                and (fall := float(log[near] - log[-1]) / float(np.log(far / steps[near]))) > 1
            ):
                total += float(np.exp(log[-1])) * far / (fall - 1)
        return total

    def sum_logs(self, log_terms: Floats) -> float:
        """Return the logarithm of the sum of exp(term) over all integers."""
        terms = log_terms + np.log(self.weights)
        top = float(terms.max())
        return top + float(np.log(np.sum(np.exp(terms - top))))

    def mean(self, values: Floats) -> float:
        """Return the expectation of a function with these values at the points."""
        return float(np.sum(self.weights * np.exp(self.log) * values))

    @cached_property
    def cumulants(self) -> Floats:
        """The values ln E e^(s log p(Z)) = ln sum p^(1+s), for each s of ``TILTS``."""
        return np.array([self.sum_logs((1 + tilt) * self.log) for tilt in TILTS.tolist()])

    @cached_property
    def _mass_between(self) -> Floats:
        """The mass above each point up to and including the next."""
        p, gaps = np.exp(self.log), np.diff(self.steps)
        return np.asarray(gaps * (p[:-1] + p[1:]) / 2 + np.diff(p) / 2)

    @cached_property
    def cumulative(self) -> Floats:
        """Pr[Z <= point] for each point."""
        return np.cumsum(np.concatenate([np.exp(self.log[:1]), self._mass_between]))

    def above(self, bound: int) -> float:
        """Return Pr[Z > bound], accurate however small it is."""
        beyond = np.append(np.cumsum(self._mass_between[::-1])[::-1], 0.0)
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(beyond, 0.0))
        if bound < self.steps[0]:
            return 1.0
        return float(np.exp(np.interp(bound, self.steps, logs)))

    def below(self, bound: int) -> float:
        """Return Pr[Z < bound]."""
        return IntegerDistribution(-self.steps[::-1], self.log[::-1]).above(-bound)
