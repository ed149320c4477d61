"""Coins with a rational bias."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.bits import draw_words
from hedgerow.numeric.samplers.lazy_uniform import LazyUniform, refine_until_decided
from hedgerow.numeric.vectorised import Mask, check_size

__all__ = ["bernoulli"]


def bernoulli(p: Fraction, size: int) -> Mask:
    """Draw ``size`` independent coins, each True with probability exactly p.

    A coin is True when U < p. The first 64 bits of U decide, unless they equal those of p; then U
    is refined.
    """
    if not 0 <= p <= 1:
        raise InvalidArgument("p", "must lie between 0 and 1", p)
    size = check_size(size)
    if p == 1:
        return np.ones(size, dtype=np.bool_)
    threshold = (p.numerator << 64) // p.denominator
    drawn = draw_words(size)
    coins = drawn < np.uint64(threshold)
    if p.numerator << 64 != threshold * p.denominator:
        for place in np.flatnonzero(drawn == np.uint64(threshold)):
            coins[place] = _is_below(LazyUniform(threshold, 64), p)
    return coins


def _is_below(uniform: LazyUniform, p: Fraction) -> bool:

    def decide() -> bool | None:
        steps = p * (1 << uniform.bits)
        return (
            True
            if uniform.numerator + 1 <= steps
            else False
            if uniform.numerator >= steps
            else None
        )

    return refine_until_decided(decide, uniform)
