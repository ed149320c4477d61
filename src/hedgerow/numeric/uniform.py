"""Uniform integers and biased coins with rational bias."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.bits import words
from hedgerow.numeric.chunk import Integers, Mask, check_size
from hedgerow.numeric.lazy import Uniform, settle

__all__ = ["bernoulli", "uniform_integers"]


def uniform_integers(bound: int, size: int) -> Integers:
    """``size`` independent integers, each of 0, …, bound-1 with the same probability.

    Exact: the leading bits of a word are a uniform integer below a power of two; those at or above the bound are drawn
    again, which says nothing about the value kept.
    """
    if not 1 <= bound <= 1 << 63:
        raise InvalidArgument("bound", "must lie between 1 and 2^63", bound)
    size = check_size(size)
    shift = np.uint64(64 - max(1, (bound - 1).bit_length()))
    result = (words(size) >> shift).view(np.int64)
    while (again := np.flatnonzero(result >= bound) if bound < 1 << 63 else result[:0]).size:
        result[again] = (words(again.size) >> shift).view(np.int64)
    return result


def bernoulli(p: Fraction, size: int) -> Mask:
    """``size`` independent coins, each True with probability exactly p.

    Exact: True when U < p. The first 64 bits of U decide, unless they are those of p; then U is continued.
    """
    if not 0 <= p <= 1:
        raise InvalidArgument("p", "must lie between 0 and 1", p)
    size = check_size(size)
    if p == 1:
        return np.ones(size, dtype=np.bool_)
    threshold = (p.numerator << 64) // p.denominator
    drawn = words(size)
    coins = drawn < np.uint64(threshold)
    if p.numerator << 64 != threshold * p.denominator:
        for place in np.flatnonzero(drawn == np.uint64(threshold)):
            coins[place] = _below(Uniform(threshold, 64), p)
    return coins


def _below(uniform: Uniform, p: Fraction) -> bool:
    """Is U < p? Refined until the interval of U lies on one side."""

    def decide() -> bool | None:
        low, high = Fraction(uniform.numerator, 1 << uniform.bits), Fraction(uniform.numerator + 1, 1 << uniform.bits)
        return True if high <= p else False if low >= p else None

    return settle(decide, uniform)
