"""Parsing of data arrays and failure probabilities, shared by all mechanisms.

Data are taken as the exact numbers they are. Where numpy would round them while reading (a list
that mixes reals with integers beyond 2^53 becomes doubles), two neighbouring data sets could be
driven apart by more than the sensitivity; such data are refused. A message never says anything
about the values.
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
    """Return a non-empty array of 64-bit integers or of finite doubles."""
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
    # only the name of the type: "<U17" would reveal the length of a text
    raise InvalidArgument(
        argument, "must hold numbers: 64-bit signed integers or doubles", array.dtype.type.__name__
    )


def parse_raw_array(value: Any, argument: str) -> NDArray[Any]:
    """Return a non-empty array of any type."""
    try:
        # asarray would unmask a masked array. A plain array skips the check, since touching
        # np.ma makes numpy load a large module.
        array = (
            None
            if type(value) is not np.ndarray and isinstance(value, np.ma.MaskedArray)
            else np.asarray(value)
        )
    # ragged, or not an array at all; numpy's message may quote the data
    except (ValueError, TypeError, OverflowError):
        array = None
    if array is None:
        raise InvalidArgument(
            argument, "must be a number or a regular array of numbers without masked entries"
        )
    if array.size == 0:
        raise InvalidArgument(argument, "must not be empty")
    return array


def _loses_precision(value: Any) -> bool:
    """Return whether reading this list as doubles changes a whole number in it."""
    cells = np.asarray(value, dtype=np.object_).ravel()
    return any(
        isinstance(cell, (int, np.integer)) and abs(int(cell)) > _MAX_EXACT_DOUBLE for cell in cells
    )


def parse_beta(beta: Number) -> float:
    """Return a failure probability as a double; refuse one below 1e-300, the limit of doubles."""
    level = float(parse_probability(beta, "beta"))
    if level < _MIN_BETA:
        raise InvalidArgument("beta", "must be at least 1e-300", beta)
    return level
