"""The success rate of an attack, with an interval that holds whatever the truth is.

Where guesses are **independent** (nobody's guess depends on another person), every guess is a trial
of its own: the interval is that of Clopper and Pearson. Otherwise only runs are independent of each
other, and a run's share of right guesses lies between 0 and 1. Hoeffding (1963, Theorem 1): the
mean of the runs deviates from m to r with a probability of at most e^(-runs d(r, m)), d(r, m) = r
ln(r/m) + (1-r) ln((1-r)/(1-m)); the interval is every m for which that is not too small.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_probability
from hedgerow.verify.audit.confidence import clopper_pearson_lower, clopper_pearson_upper

__all__ = ["SuccessRate"]

_BISECTION_STEPS = 60


@dataclass(frozen=True, slots=True)
class SuccessRate:
    """The number of right guesses among ``people`` in each of ``runs`` runs."""

    hits: int
    people: int
    runs: int
    is_independent: bool = False

    def __post_init__(self) -> None:
        if self.people < 1 or self.runs < 1:
            raise InvalidArgument(
                "runs", "and people must each be at least 1", (self.people, self.runs)
            )
        if not 0 <= self.hits <= self.guesses:
            raise InvalidArgument("hits", f"must lie between 0 and {self.guesses}", self.hits)

    @property
    def guesses(self) -> int:
        """The number of guesses in all runs."""
        return self.people * self.runs

    @property
    def rate(self) -> float:
        """The share of right guesses."""
        return self.hits / self.guesses

    def interval(self, confidence: Number = Fraction(95, 100)) -> tuple[float, float]:
        """Return an interval that contains the true rate of the attack with this confidence."""
        error = float(1 - parse_probability(confidence, "confidence")) / 2
        return self.lower_bound(error), self.upper_bound(error)

    def lower_bound(self, error: float) -> float:
        """Return a bound that is above the true rate with a probability of at most ``error``."""
        if self.is_independent:
            return float(clopper_pearson_lower(self.hits, self.guesses, error))
        return _find_boundary(self.rate, 0.0, self._build_deviation_test(error))

    def upper_bound(self, error: float) -> float:
        """Return a bound that is below the true rate with a probability of at most ``error``."""
        if self.is_independent:
            return float(clopper_pearson_upper(self.hits, self.guesses, error))
        return _find_boundary(self.rate, 1.0, self._build_deviation_test(error))

    def exceeds(self, ceiling: Number, error: float) -> bool:
        """Return whether the true rate is proved to be above the ceiling.

        A wrong proof has a probability of at most ``error``.
        """
        return self.lower_bound(error) > float(ceiling)

    def _build_deviation_test(self, error: float) -> Callable[[float], bool]:
        return lambda mean: self.runs * _compute_divergence(self.rate, mean) > -math.log(error)


def _find_boundary(inside: float, outside: float, strays: Callable[[float], bool]) -> float:
    """Return the farthest point from ``inside`` towards ``outside`` that does not stray, rounded
    outwards.
    """
    if not strays(outside):
        return outside
    for _ in range(_BISECTION_STEPS):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if strays(middle) else (middle, outside)
    return outside


def _compute_divergence(rate: float, mean: float) -> float:
    total = 0.0
    for share, expected in ((rate, mean), (1 - rate, 1 - mean)):
        if share > 0:
            total += math.inf if expected <= 0 else share * math.log(share / expected)
    return total
