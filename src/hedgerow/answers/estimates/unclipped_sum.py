"""Sums with an interval that holds what their bounds cut off, too: where it was counted how many
units are outside of them.

A unit whose sum s is above the upper bound h counts as h, so the answer lacks s - h, at most V - h
if V is as far as sums go; below the lower bound l it has l - s too much, at most l - W. With at
most K units outside, the sum is at most K (V - h) above the clipped one and at most K (l - W) below
it. Of the failures allowed, half go to the noise of the sum and half to that of K, which only fails
upwards: the noise is symmetric, so that is one of the two tails of an interval with all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hedgerow.answers.estimates.estimate import Estimate, Interval
from hedgerow.numeric.exact_number import Number, parse_probability
from hedgerow.sql.question import AggregateCall, ClippingCount

__all__ = ["UnclippedSum", "estimate_unclipped"]


@dataclass(frozen=True, slots=True)
class UnclippedSum:
    """The clipped sum, and what may be missing: each unit outside has ``above`` more, or
    ``below`` less, at most.
    """

    clipped_sum: Estimate
    count: Estimate
    above: Fraction
    below: Fraction
    is_integer: bool

    @property
    def values(self) -> list[Any]:
        """Those of the clipped sum: nobody knows where in between the others are."""
        return self.clipped_sum.values

    def intervals(self, level: Number) -> list[Interval]:
        """Those of the clipped sum, wider by what all units outside together can have cut off."""
        outside = 1 - parse_probability(level, "level")
        return [
            None if ends is None or counted is None else self._widen(ends, max(counted[1], 0))
            for ends, counted in zip(
                self.clipped_sum.intervals(1 - outside / 2),
                self.count.intervals(1 - outside),
                strict=True,
            )
        ]

    def _widen(self, ends: tuple[Any, Any], units: int) -> Interval:
        low, high = Fraction(ends[0]) - units * self.below, Fraction(ends[1]) + units * self.above
        return (math.floor(low), math.ceil(high)) if self.is_integer else (float(low), float(high))


def estimate_unclipped(
    call: AggregateCall, clip: ClippingCount, found: Mapping[str, Estimate]
) -> Estimate:
    """The estimate of a sum, its interval widened if it is known how far out the units can be
    that are outside.
    """
    if clip.outer is None:
        return found[call.name]
    above, below = clip.outer[1] - clip.limits[1], clip.limits[0] - clip.outer[0]
    return UnclippedSum(found[call.name], found[clip.count], above, below, call.type == "integer")
