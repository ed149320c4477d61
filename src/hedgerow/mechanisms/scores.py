"""Scores of candidates, checked once for all selection mechanisms."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.chunk import Floats, Integers
from hedgerow.numeric.door import as_array
from hedgerow.numeric.number import positive

__all__ = ["as_scores", "behind_best", "check_candidates", "check_factor", "check_flag", "check_index", "smallest_radius"]

_FARTHEST = 1e200  # times the largest factor this is still a double
_FACTORS = Fraction(1, 10**100), Fraction(10**100)
_MOST = 1 << 62


def check_flag(value: object, argument: str) -> bool:
    """One of the two truth values, and nothing that could stand for one."""
    if not isinstance(value, bool):
        raise InvalidArgument(argument, "must be True or False", value)
    return value


def check_factor(factor: object) -> Fraction:
    """What scores are multiplied by: above 0, and so that no product leaves the doubles."""
    number = positive(factor, "factor")
    if not _FACTORS[0] <= number <= _FACTORS[1]:
        raise InvalidArgument("factor", "must lie between 1e-100 and 1e100 (is the sensitivity of the scores right?)", factor)
    return number


def as_scores(scores: Any, argument: str = "scores") -> Floats | Integers:
    """A list of finite numbers, one for each candidate, as an array. Says nothing about the scores when it refuses: they are data.

    Doubles beyond ±1e200 are moved there, which cannot raise a sensitivity.
    """
    array = as_array(scores, argument)
    if array.ndim != 1:
        raise InvalidArgument(argument, "must be a list of numbers, one for each candidate")
    return cast(Floats, np.clip(array, -_FARTHEST, _FARTHEST)) if array.dtype.kind == "f" else array


def behind_best(scores: Floats | Integers, factor: Fraction) -> Floats:
    """factor * (score - best score), 0 or less. Integers are subtracted as integers: as doubles, large ones would lose their difference."""
    if scores.dtype.kind == "f":
        return cast(Floats, (scores - scores.max()) * float(factor))
    # Unsigned, the difference of any two 64-bit integers fits.
    distance = scores.max().view(np.uint64) - scores.view(np.uint64)
    return cast(Floats, distance.astype(np.float64) * -float(factor))


def check_index(index: Any, size: int) -> int:
    """The place of one of ``size`` candidates."""
    if isinstance(index, (bool, np.bool_)) or not isinstance(index, (int, np.integer)) or not 0 <= index < size:
        raise InvalidArgument("index", f"must be the place of a candidate, 0 to {size - 1}", index)
    return int(index)


def check_candidates(candidates: Any) -> int:
    """A public number of candidates."""
    if isinstance(candidates, (bool, np.bool_)) or not isinstance(candidates, (int, np.integer)) or not 1 <= candidates <= _MOST:
        raise InvalidArgument("candidates", "must be a whole number between 1 and 2^62", candidates)
    return int(candidates)


def smallest_radius(missed: Callable[[float], float], beta: float, enough: float) -> float:
    """The least distance at which ``missed``, a falling probability, is at most ``beta``; ``enough`` is a distance known to do."""
    low, high = 0.0, enough
    if missed(low) <= beta:
        return low
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if missed(middle) <= beta else (middle, high)
    return high
