"""Grids and clamps of values with bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.plan.functions import half_away
from hedgerow.plan.measures import Snap
from hedgerow.plan.values import Range, default_step

__all__ = ["snap"]

_STEPS: Final = 2**24


def snap(range_: Range, wide: int | None = None) -> Snap | None:
    """The grid and the clamp of values in a range with bounds: whole numbers and days by 1, reals by their step. A multiple of that where
    there would be more than 2^24 steps: noise hides the whole width of a row, and what is lost by rounding is a millionth of it. Also
    where they would be more than ``wide`` steps apart. None where no double reaches the bounds."""
    if range_.low is None or range_.high is None:
        return None
    low, high = range_.low, range_.high
    step = Fraction(1) if range_.type in ("integer", "date") else range_.step or _usual_step(low, high)
    many = max(abs(low), abs(high), high - low) / step / _STEPS
    if many > 1:
        step *= 2 ** (math.ceil(many) - 1).bit_length()
    if wide is not None:
        while half_away(high / step) - half_away(low / step) > wide:
            step *= 2
    try:
        return Snap(step, half_away(low / step), half_away(high / step))
    except InvalidArgument:
        return None


def _usual_step(low: Fraction, high: Fraction) -> Fraction:
    return default_step(low, high) if low < high else abs(low) or Fraction(1)
