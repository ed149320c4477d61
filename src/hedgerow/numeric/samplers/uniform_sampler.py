"""Uniform integers below a bound."""

from __future__ import annotations

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.bits import draw_words
from hedgerow.numeric.vectorised import Integers, check_size

__all__ = ["uniform_integers"]


def uniform_integers(bound: int, size: int) -> Integers:
    """Draw ``size`` independent integers, uniform on 0, …, bound-1.

    Exact: the leading bits of a word are a uniform integer below a power of two. Those at or above
    the bound are drawn again, independently of the values kept.
    """
    if not 1 <= bound <= 1 << 63:
        raise InvalidArgument("bound", "must lie between 1 and 2^63", bound)
    size = check_size(size)
    shift = np.uint64(64 - max(1, (bound - 1).bit_length()))
    result = (draw_words(size) >> shift).view(np.int64)
    while (again := np.flatnonzero(result >= bound) if bound < 1 << 63 else result[:0]).size:
        result[again] = (draw_words(again.size) >> shift).view(np.int64)
    return result
