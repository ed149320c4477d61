"""Grids and clamps of values with bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.plan.measures import ClampedGrid
from hedgerow.plan.scalar.functions import round_half_away
from hedgerow.plan.values import Range, compute_default_step

__all__ = ["build_grid"]

_MAX_STEPS: Final = 2**24


def build_grid(range_: Range, max_width: int | None = None) -> ClampedGrid | None:
    """Build the grid and the clamp of values in a range; None if no double reaches its bounds.

    Integers and days have steps of 1, reals their declared step. The step is doubled while there
    are more than 2^24 steps, or more than ``max_width`` between the bounds: noise hides the whole
    width of a row, and rounding loses about a millionth of it.
    """
    if range_.low is None or range_.high is None:
        return None
    low, high = range_.low, range_.high
    step = (
        Fraction(1)
        if range_.type in ("integer", "date")
        else range_.step
        or (compute_default_step(low, high) if low < high else abs(low) or Fraction(1))
    )
    excess = max(abs(low), abs(high), high - low) / step / _MAX_STEPS
    if excess > 1:
        step *= 2 ** (math.ceil(excess) - 1).bit_length()
    if max_width is not None:
        while round_half_away(high / step) - round_half_away(low / step) > max_width:
            step *= 2
    try:
        return ClampedGrid(step, round_half_away(low / step), round_half_away(high / step))
    except InvalidArgument:
        return None
