"""What comes in through the door of a mechanism, read once for all of them: arrays of data, and
failure probabilities.

Data are taken as the exact numbers they are. Where numpy would round them on the way in (a list
that mixes reals with integers beyond 2^53 becomes doubles), two neighbours could be driven apart by
more than the sensitivity, so such data are refused. A message never says anything about the values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_probability
from hedgerow.numeric.vectorised import Floats, Integers

__all__ = ["parse_array", "parse_beta", "parse_raw_array"]

_MAX_EXACT_DOUBLE = 1 << 53
_MIN_BETA = 1e-300


def parse_array(value: Any, argument: str) -> Floats | Integers:
    """A filled array of 64-bit integers or of finite doubles."""
    array = parse_raw_array(value, argument)
    if array.dtype.kind == "f" and array.dtype != np.longdouble:
        if not np.isfinite(array).all():
            raise InvalidArgument(argument, "must not hold NaN or infinity")
        if not isinstance(value, np.ndarray) and _loses_precision(value):
            raise InvalidArgument(
                argument,
                "must not mix reals with whole numbers beyond 2^53, which have no exact double",
            )
        return array.astype(np.float64)
    if array.dtype.kind in "iu" and array.dtype != np.uint64:
        return array.astype(np.int64)
    # The name of the type alone: "<U17" would tell how long a text is.
    raise InvalidArgument(
        argument, "must hold numbers: 64-bit signed integers or doubles", array.dtype.type.__name__
    )


def parse_raw_array(value: Any, argument: str) -> NDArray[Any]:
    """A filled array of whatever type."""
    try:
        # Made an array, a masked one would be uncovered. Of a plain one that is not asked: numpy
        # would load all it has for masks.
        array = (
            None
            if type(value) is not np.ndarray and isinstance(value, np.ma.MaskedArray)
            else np.asarray(value)
        )
    # ragged, or not an array at all; the reason may quote the data
    except (ValueError, TypeError, OverflowError):
        array = None
    if array is None:
        raise InvalidArgument(
            argument, "must be a number or a regular array of numbers, none of them masked"
        )
    if array.size == 0:
        raise InvalidArgument(argument, "must not be empty")
    return array


def _loses_precision(value: Any) -> bool:
    """Whether reading this list as doubles changes a whole number in it."""
    cells = np.asarray(value, dtype=np.object_).ravel()
    return any(
        isinstance(cell, (int, np.integer)) and abs(int(cell)) > _MAX_EXACT_DOUBLE for cell in cells
    )


def parse_beta(beta: Number) -> float:
    """A failure probability as a double; below 1e-300 doubles can no longer tell it from 0."""
    level = float(parse_probability(beta, "beta"))
    if level < _MIN_BETA:
        raise InvalidArgument("beta", "must be at least 1e-300", beta)
    return level
