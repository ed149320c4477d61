"""Bounds on the probability that two-sided geometric variables lie in bands, by enumeration up to a
tail.

As in ``integrals``, the bands must form a forest; a leaf is summed out given its parent. Weights
are integer multiples of 2^-256: for the lower bound rounded down without the tail, for the upper
bound rounded up with all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor

from hedgerow.numeric.rounding import exp_bounds
from hedgerow.verify.refute.integrals import Ends, Region, build_forest
from hedgerow.verify.refute.interval_arithmetic import (
    RealInterval,
    RealNumber,
    divide_reals,
    enclose,
)
from hedgerow.verify.refute.out_of_scope import OutOfScope

__all__ = ["bound_geometric_region"]

_BITS = 256
_UNIT = 1 << _BITS
_TAIL_EXPONENT = 110  # e^-110 is about 10^-48
_MAX_SUPPORT = 20_000


def bound_geometric_region(scales: Mapping[int, RealNumber], region: Region) -> RealInterval:
    """Bound the probability of the region, given the scale of each variable."""
    tree = build_forest(tuple(scales), region, whole=True)
    if tree is None:
        return RealInterval(Fraction(0), Fraction(0))
    if any(abs(factor) != 1 for factor in tree.factor.values()):
        raise OutOfScope("integer noise with factors other than 1")
    ends = []
    for upper in (False, True):
        weights = {x: _compute_weights(scale, upper) for x, scale in scales.items()}
        result = _UNIT
        for x in reversed(tree.order):
            values, beyond = weights[x]
            kept = _mask_weights(values, tree.own_window[x])
            above = tree.parent[x]
            if above is None:
                result = _multiply_rounded(result, sum(kept) + beyond, upper)
            else:
                weights[above] = _sum_out_child(kept, beyond, tree.window[x], weights[above], upper)
        ends.append(Fraction(min(result, _UNIT), _UNIT))
    return RealInterval.around(*ends)


def _multiply_rounded(one: int, other: int, upper: bool) -> int:
    return -(-one * other >> _BITS) if upper else one * other >> _BITS


def _compute_weights(scale: RealNumber, upper: bool) -> tuple[list[int], int]:
    """Return P(k) = (1 - a)/(1 + a) a^|k| with a = e^(-1/scale) for k from -K to K, and a bound on
    the rest (0 for the lower bound).
    """
    rate = enclose(divide_reals(Fraction(-1), scale))
    a = [exp_bounds(end, 90)[side] for side, end in enumerate(rate)]
    longest = ceil(_TAIL_EXPONENT * enclose(scale)[1])
    if longest > _MAX_SUPPORT:
        raise OutOfScope("integer noise too wide to add up")
    base = (1 - a[0]) / (1 + a[0]) if upper else (1 - a[1]) / (1 + a[1])
    factor = _convert_to_fixed_point(a[1] if upper else a[0], upper)
    side = [_convert_to_fixed_point(base, upper)]
    for _ in range(longest):
        side.append(_multiply_rounded(side[-1], factor, upper))
    # beyond K on both sides: 2 a^(K+1)/(1 + a), at most 2 a^K
    beyond = _convert_to_fixed_point(2 * exp_bounds(rate[1] * longest, 90)[1], True) if upper else 0
    return [*reversed(side[1:]), *side], beyond


def _convert_to_fixed_point(value: Fraction, upper: bool) -> int:
    scaled = value * _UNIT
    return ceil(scaled) if upper else floor(scaled)


def _mask_weights(values: list[int], own: Ends) -> list[int]:
    middle = len(values) // 2
    low, high = own
    first = 0 if low is None else max(0, ceil(low) + middle)
    last = len(values) - 1 if high is None else min(len(values) - 1, floor(high) + middle)
    return [value if first <= place <= last else 0 for place, value in enumerate(values)]


def _sum_out_child(
    kept: list[int], beyond: int, window: Ends, above: tuple[list[int], int], upper: bool
) -> tuple[list[int], int]:
    """Multiply the weight of each parent value v by the sum of the child's weights over low <= v -
    x <= high.
    """
    sums, middle = [0, *accumulate(kept)], len(kept) // 2
    values, rest = above
    centre, (low, high) = len(values) // 2, window
    found = []
    for place, value in enumerate(values):
        v = place - centre
        first = 0 if high is None else min(max(0, v - floor(high) + middle), len(kept))
        last = len(kept) if low is None else min(max(0, v - ceil(low) + middle + 1), len(kept))
        found.append(
            _multiply_rounded(
                value, (sums[last] - sums[first] if last > first else 0) + beyond, upper
            )
        )
    return found, rest
