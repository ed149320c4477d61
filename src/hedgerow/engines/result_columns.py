"""Keys and exact numbers from the arrays that a statement returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hedgerow.engines.statement import Statement
from hedgerow.plan.values import Type, Value

__all__ = ["ResultColumns", "convert_result", "convert_wide"]

_DATE_UNITS: Final[Mapping[Type, str]] = {"date": "datetime64[D]", "timestamp": "datetime64[us]"}

ResultColumns = tuple[list[list[Value]], list[npt.NDArray[Any]]]


def convert_result(found: Mapping[str, npt.NDArray[Any]], statement: Statement) -> ResultColumns:
    """Convert the arrays of a statement, one for each column, to keys and numbers; NULL
    is masked.
    """
    arrays, count = list(found.values()), len(statement.keys)
    if statement.tally is not None:
        return [], _tally(arrays[0], *statement.tally)
    keys = [
        _convert_keys(array, type_)
        for array, type_ in zip(arrays[:count], statement.keys, strict=True)
    ]
    return keys, [
        _convert_numbers(array, wide=wide)
        for array, wide in zip(arrays[count:], statement.wide, strict=False)
    ]


def _tally(array: npt.NDArray[Any], low: int, high: int) -> list[npt.NDArray[Any]]:
    if array.dtype.kind != "i" or np.ma.is_masked(array):
        raise TypeError("numbers must be integers")
    counts = np.bincount(np.asarray(array) - low, minlength=1)
    if len(counts) > high - low + 1:
        raise ValueError("numbers must lie between the ends of the tally")
    steps = np.flatnonzero(counts)
    return [steps + low, counts[steps]]


def _convert_keys(array: npt.NDArray[Any], type_: Type) -> list[Value]:
    unit = _DATE_UNITS.get(type_)
    values: list[Value] = (array if unit is None else array.astype(unit)).tolist()
    return values


def _convert_numbers(array: npt.NDArray[Any], *, wide: bool) -> npt.NDArray[Any]:
    # Integers beyond 64 bits that were not cast to text arrive here as doubles, rounded, and must
    # not be taken for exact ones.
    if array.dtype.kind != ("O" if wide else "i") or np.ma.is_masked(array):
        raise TypeError("numbers must be integers")
    return convert_wide(array) if wide else array.astype(np.int64, copy=False)


def convert_wide(column: Sequence[Any] | npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Convert integers of any length, written as text, to an array of Python integers."""
    return np.array([int(value) for value in column], dtype=object)
