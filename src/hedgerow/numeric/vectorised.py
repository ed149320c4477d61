"""What the vectorised samplers share: work in chunks that fit the cache, decide most draws in
doubles, settle the rest exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.bits import draw_words

__all__ = [
    "CHUNK_SIZE",
    "MAX_CENTRE",
    "MAX_SCALE",
    "MIN_SCALE",
    "Floats",
    "Integers",
    "Mask",
    "check_scale",
    "check_size",
    "compute_floors",
    "draw_uniform_words",
    "iterate_chunks",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

CHUNK_SIZE = 1 << 15
# grid steps; beyond it doubles leave too many draws undecided, and integers near their end
MAX_SCALE = 10**12
# below it there is no noise to speak of, and squares of its inverse near the end of doubles
MIN_SCALE = Fraction(1, 10**12)
# grid steps from 0: a centre beyond is moved there, which cannot raise a sensitivity
MAX_CENTRE = 2.0**50


def check_scale(scale: Fraction, argument: str = "scale") -> Fraction:
    """A scale that the samplers take: between 10^-12 and 10^12 steps."""
    if not MIN_SCALE <= scale <= MAX_SCALE:
        shown = float(scale) if abs(scale) < 10**300 else scale
        raise InvalidArgument(
            argument,
            "must lie between 10^-12 and 10^12 grid steps (use a finer or a coarser grid)",
            shown,
        )
    return scale


def check_size(size: int) -> int:
    """A number of draws."""
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 0:
        raise InvalidArgument("size", "must be a whole number of draws, 0 or more", size)
    return int(size)


def iterate_chunks(size: int) -> Iterator[slice]:
    """0..size cut into chunks."""
    return (slice(start, min(start + CHUNK_SIZE, size)) for start in range(0, size, CHUNK_SIZE))


def draw_uniform_words(count: int) -> tuple[Integers, Integers]:
    """For each draw the first 63 bits of a uniform, and one more fair bit (0 or 1) of its own."""
    raw = draw_words(count)
    spare = (raw & np.uint64(1)).view(np.int64)
    raw >>= np.uint64(1)
    return raw.view(np.int64), spare


def compute_floors(value: Floats, error: Floats) -> tuple[Integers, Integers]:
    """The floor of each real that lies within ``error`` of ``value``, and the places where that
    does not decide it.

    From 1 on, and below -1, the distance to the nearest integer is computed without rounding.
    Between, the fraction rounds by at most 2^-54 and its distance to 1/2 by 2^-55: callers leave
    2^-53 of room in ``error``.
    """
    whole = np.floor(value)
    value -= whole
    value -= 0.5
    np.abs(value, out=value)
    value += error
    return whole.astype(np.int64), np.flatnonzero(~(value < 0.5))
