"""Parts of a row: how finely those are counted who have more rows than count.

A unit with c rows, of which m count, puts F k m/c parts of 1/F of a row into a combination of which it
has k, cut to whole parts (``plan.crossing``). F is the smallest power of two, from the one that suits
the least noise that the price can buy for a count, with which no answer lacks more than 1 % of the
standard deviation of its noise; or the largest whose noise can be drawn and whose numbers have room in
64 bits, if there are no more units than declared. All of it follows from public numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hedgerow.errors import Refused
from hedgerow.numeric.chunk import LARGEST_SCALE
from hedgerow.plan.crossing import FINEST, WORD
from hedgerow.publish.sketch import Sketch
from hedgerow.publish.terms import Terms

__all__ = ["refined"]

_LACKING: Final = 0.01  # standard deviations of the noise that an answer may lack
_LEAST: Final = 2  # parts: 1 would mean that some rows count whole, and others not at all
_COARSER: Final = 4


def refined(sketched: Callable[[Terms], Sketch], terms: Terms) -> tuple[Sketch, Terms]:
    """Return a sketch in parts of a row, and its terms."""
    fine, limit = _suiting(terms), FINEST
    while True:
        finer = replace(terms, fine=fine)
        try:
            found = sketched(finer)
        except Refused:
            if fine == _LEAST:
                raise
            sketched(replace(terms, losing=(0, 0)))  # what is refused of whole rows is not refused for its parts
            fine = limit = max(fine // _COARSER, _LEAST)
            continue
        gain = max((block.gain for block, _ in found.measurements), default=1)
        limit = min(limit, max(_power_below(WORD / (terms.losing[0] * terms.rows * gain)), _LEAST))
        wanted = min(fine * _power_above(found.lacking / _LACKING), limit)
        if fine <= limit and wanted <= fine:
            return found, finer
        fine = wanted


def _suiting(terms: Terms) -> int:
    """Return the parts that suit the least noise on a count, as far as it can be drawn."""
    moved = terms.rows * terms.group
    if terms.rho is not None:
        scale = spread = moved / math.sqrt(2 * float(terms.rho))
    else:
        assert terms.epsilon is not None
        scale = moved / float(terms.epsilon)
        spread = math.sqrt(2) * scale
    wanted = _power_above(min(terms.losing) / (_LACKING * spread))
    return max(min(wanted, FINEST, _power_below(float(LARGEST_SCALE) / scale)), _LEAST)


def _power_above(least: float) -> int:
    """Return the smallest power of two that is not below this."""
    return 1 << max(math.ceil(math.log2(max(least, 1))), 0)


def _power_below(most: float) -> int:
    """Return the largest power of two that is not above this, or 1."""
    return 1 << max(math.floor(math.log2(max(most, 1))), 0)
