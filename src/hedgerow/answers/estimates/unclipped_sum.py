"""The interval of a sum before clipping, from a count of the units that clipping changed.

| symbol | meaning |
|---|---|
| s | the sum of one unit |
| l, h | the lower and the upper bound that it is clipped to |
| W, V | the least and the largest sum that a unit can have |
| K | a bound on the number of units outside of l … h |

A unit with s above h counts as h, so the clipped sum lacks s - h, at most V - h. A unit with s
below l counts as l, so the clipped sum has l - s too much, at most l - W. So the sum before
clipping is at most K (V - h) above the clipped sum and at most K (l - W) below it. The failure
probability is split evenly between the noise of the sum and the noise of K. Only the upper end of K
matters. The noise is symmetric, so that end is one tail of an interval with the whole failure
probability.
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
    """A clipped sum with the count of units outside of its bounds; clipping takes at most ``above``
    from such a unit, or adds at most ``below``."""

    clipped_sum: Estimate
    count: Estimate
    above: Fraction
    below: Fraction
    is_integer: bool

    @property
    def values(self) -> list[Any]:
        """The values of the clipped sum: no better estimate is known."""
        return self.clipped_sum.values

    def intervals(self, level: Number) -> list[Interval]:
        """Return the intervals of the clipped sum, widened by the most that clipping removed."""
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
    call: AggregateCall, clip: ClippingCount, estimates: Mapping[str, Estimate]
) -> Estimate:
    """Widen the interval of a clipped sum, where the range of a unit's sum is known."""
    clipped = estimates[call.name]
    if clip.outer is None:
        return clipped
    above, below = clip.outer[1] - clip.limits[1], clip.limits[0] - clip.outer[0]
    return UnclippedSum(clipped, estimates[clip.count], above, below, call.type == "integer")
