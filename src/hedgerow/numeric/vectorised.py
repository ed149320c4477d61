"""Shared parts of the vectorised samplers.

A sampler works in chunks that fit the cache, decides most draws in doubles with an error bound, and
resolves the rest exactly.
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
# in grid steps; above it doubles leave too many draws undecided, and int64 may overflow
MAX_SCALE = 10**12
# below it noise is negligible, and squares of its inverse may overflow a double
MIN_SCALE = Fraction(1, 10**12)
# in grid steps; centres beyond it are clamped, which cannot raise a sensitivity
MAX_CENTRE = 2.0**50


def check_scale(scale: Fraction, argument: str = "scale") -> Fraction:
    """Return a noise scale, or refuse one outside 10^-12 to 10^12 grid steps."""
    if not MIN_SCALE <= scale <= MAX_SCALE:
        shown = float(scale) if abs(scale) < 10**300 else scale
        raise InvalidArgument(
            argument,
            "must lie between 10^-12 and 10^12 grid steps (use a finer or a coarser grid)",
            shown,
        )
    return scale


def check_size(size: int) -> int:
    """Return a number of draws, or refuse anything that is not a whole number of 0 or more."""
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 0:
        raise InvalidArgument("size", "must be a whole number of draws, 0 or more", size)
    return int(size)


def iterate_chunks(size: int) -> Iterator[slice]:
    """Split the range 0..size into chunks."""
    return (slice(start, min(start + CHUNK_SIZE, size)) for start in range(0, size, CHUNK_SIZE))


def draw_uniform_words(count: int) -> tuple[Integers, Integers]:
    """Draw the first 63 bits of ``count`` uniforms, and a separate fair bit (0 or 1) for each."""
    raw = draw_words(count)
    spare = (raw & np.uint64(1)).view(np.int64)
    raw >>= np.uint64(1)
    return raw.view(np.int64), spare


def compute_floors(value: Floats, error: Floats) -> tuple[Integers, Integers]:
    """Return the floor of each real within ``error`` of ``value``, and the undecided places.

    A place is undecided if the error interval contains an integer. ``value`` is overwritten. From 1
    on and below -1 the distance to the nearest integer is computed without rounding. In between,
    the fraction is rounded by at most 2^-54 and its distance to 1/2 by 2^-55, so callers must
    include a slack of 2^-53 in ``error``.
    """
    whole = np.floor(value)
    value -= whole
    value -= 0.5
    np.abs(value, out=value)
    value += error
    return whole.astype(np.int64), np.flatnonzero(~(value < 0.5))
