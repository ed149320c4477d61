"""The resolution of row parts, for units with more rows than their contribution bound.

| symbol | meaning |
|---|---|
| c, m | the rows of a unit, and the number of them that count |
| k | the rows of the unit in one combination of codes |
| F | the parts of a row |

A unit with c > m rows contributes F k m/c parts of 1/F of a row to a combination, rounded down to
whole parts (``plan.contingency``). F is the smallest power of two with which no answer lacks more
than 1 % of the standard deviation of its noise. It starts at the power that suits the least noise
the price can buy for a count. It is at most the largest power whose noise can be drawn and whose
numbers fit into 64 bits, given the declared number of units. F follows from public numbers alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hedgerow.errors import Refused
from hedgerow.numeric.vectorised import MAX_SCALE
from hedgerow.plan.contingency import MAX_RESOLUTION, WORD_LIMIT
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import Specification

__all__ = ["refine_parts"]

_MAX_RELATIVE_TRUNCATION: Final = 0.01  # in standard deviations of an answer's noise
_MIN_PARTS: Final = 2  # with 1, some rows would count as a whole and others not at all
_COARSENING_FACTOR: Final = 4


def refine_parts(
    specify: Callable[[PrivacyParameters], Specification], terms: PrivacyParameters
) -> tuple[Specification, PrivacyParameters]:
    """Return a specification in parts of a row, and its privacy parameters."""
    parts, limit = _choose_initial_parts(terms), MAX_RESOLUTION
    while True:
        refined = replace(terms, parts_per_row=parts)
        try:
            specification = specify(refined)
        except Refused:
            if parts == _MIN_PARTS:
                raise
            # A refusal of whole rows is raised here: it has nothing to do with the parts.
            specify(replace(terms, truncation_bounds=(0, 0)))
            parts = limit = max(parts // _COARSENING_FACTOR, _MIN_PARTS)
            continue
        gain = max((block.gain for block, _ in specification.measurements), default=1)
        limit = min(
            limit,
            max(
                _power_below(WORD_LIMIT / (terms.truncation_bounds[0] * terms.rows * gain)),
                _MIN_PARTS,
            ),
        )
        wanted = min(
            parts * _power_above(specification.relative_truncation / _MAX_RELATIVE_TRUNCATION),
            limit,
        )
        if parts <= limit and wanted <= parts:
            return specification, refined
        parts = wanted


def _choose_initial_parts(terms: PrivacyParameters) -> int:
    """Return the parts that suit the least noise on a count, as far as it can be drawn."""
    rows = terms.rows * terms.group
    if terms.rho is not None:
        scale = spread = rows / math.sqrt(2 * float(terms.rho))
    else:
        assert terms.epsilon is not None
        scale = rows / float(terms.epsilon)
        spread = math.sqrt(2) * scale
    wanted = _power_above(min(terms.truncation_bounds) / (_MAX_RELATIVE_TRUNCATION * spread))
    return max(min(wanted, MAX_RESOLUTION, _power_below(float(MAX_SCALE) / scale)), _MIN_PARTS)


def _power_above(least: float) -> int:
    return 1 << max(math.ceil(math.log2(max(least, 1))), 0)


def _power_below(most: float) -> int:
    return 1 << max(math.floor(math.log2(max(most, 1))), 0)
