"""Checks of scores, factors and candidates, shared by the selection mechanisms."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_positive
from hedgerow.numeric.validation import parse_array
from hedgerow.numeric.vectorised import Floats, Integers

__all__ = [
    "check_candidates",
    "check_factor",
    "check_flag",
    "check_index",
    "compute_score_gaps",
    "find_smallest_radius",
    "parse_scores",
]

_MAX_SCORE = 1e200  # times the largest factor this is still a double
_FACTOR_RANGE = Fraction(1, 10**100), Fraction(10**100)
_MAX_CANDIDATES = 1 << 62


def check_flag(value: object, argument: str) -> bool:
    """Return a boolean; refuse values that are merely truthy or falsy."""
    if not isinstance(value, bool):
        raise InvalidArgument(argument, "must be True or False", value)
    return value


def check_factor(factor: object) -> Fraction:
    """Return the factor of the scores; refuse one with which a product could leave the doubles."""
    number = parse_positive(factor, "factor")
    if not _FACTOR_RANGE[0] <= number <= _FACTOR_RANGE[1]:
        raise InvalidArgument(
            "factor",
            "must lie between 1e-100 and 1e100 (is the sensitivity of the scores right?)",
            factor,
        )
    return number


def parse_scores(scores: Any, argument: str = "scores") -> Floats | Integers:
    """Return one finite number for each candidate, as an array.

    A refusal says nothing about the scores: they are data. Doubles beyond ±1e200 are clamped, which
    cannot raise a sensitivity.
    """
    array = parse_array(scores, argument)
    if array.ndim != 1:
        raise InvalidArgument(argument, "must be a list of numbers, one for each candidate")
    return (
        cast(Floats, np.clip(array, -_MAX_SCORE, _MAX_SCORE)) if array.dtype.kind == "f" else array
    )


def compute_score_gaps(scores: Floats | Integers, factor: Fraction) -> Floats:
    """Return factor * (score - best score), 0 or less.

    Integers are subtracted as integers: as doubles, large ones would lose their difference.
    """
    if scores.dtype.kind == "f":
        return cast(Floats, (scores - scores.max()) * float(factor))
    # the difference of any two 64-bit integers fits into an unsigned one
    distance = scores.max().view(np.uint64) - scores.view(np.uint64)
    return cast(Floats, distance.astype(np.float64) * -float(factor))


def check_index(index: Any, size: int) -> int:
    """Return the index of one of ``size`` candidates; refuse others."""
    if (
        isinstance(index, (bool, np.bool_))
        or not isinstance(index, (int, np.integer))
        or not 0 <= index < size
    ):
        raise InvalidArgument("index", f"must be the index of a candidate, 0 to {size - 1}", index)
    return int(index)


def check_candidates(candidates: Any) -> int:
    """Return a public number of candidates; refuse others."""
    if (
        isinstance(candidates, (bool, np.bool_))
        or not isinstance(candidates, (int, np.integer))
        or not 1 <= candidates <= _MAX_CANDIDATES
    ):
        raise InvalidArgument("candidates", "must be a whole number between 1 and 2^62", candidates)
    return int(candidates)


def find_smallest_radius(missed: Callable[[float], float], beta: float, enough: float) -> float:
    """Return the least distance at which ``missed``, a falling probability, is at most ``beta``.

    ``enough`` is a distance at which it is.
    """
    low, high = 0.0, enough
    if missed(low) <= beta:
        return low
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if missed(middle) <= beta else (middle, high)
    return high
