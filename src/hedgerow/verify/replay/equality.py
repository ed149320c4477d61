"""Whether two values are the same, down to the last cell, and where not. The values themselves
are never shown.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["find_difference", "realise_iterator"]

_MAX_DEPTH = 50


def realise_iterator(value: Any) -> Any:
    """The value with what would be made later made now: an iterator becomes a list."""
    return list(value) if isinstance(value, Iterator) else value


def find_difference(one: Any, other: Any, where: str = "", depth: int = 0) -> str | None:
    """Where two values differ first, as a path such as ``["mean"][2]``, with the reason; None where
    they are the same.

    NaN is NaN. A number and the same number of another type are different: the type can be seen.
    """
    if type(one) is not type(other):
        return _format_difference(where, "the types differ")
    if depth > _MAX_DEPTH:
        return _format_difference(where, "it is too deep to be compared")
    if isinstance(one, float):
        alike = one == other or (math.isnan(one) and math.isnan(other))
        return (
            None
            if alike and math.copysign(1, one) == math.copysign(1, other)
            else _format_difference(where, "the numbers differ")
        )
    if isinstance(one, np.ndarray):
        return _compare_arrays(one, other, where)
    if isinstance(one, Mapping):
        if list(one) != list(other):  # their order can be seen as well
            return _format_difference(where, "the keys differ")
        return _first_difference(
            find_difference(one[key], other[key], f"{where}[{key!r}]", depth + 1) for key in one
        )
    if isinstance(one, (list, tuple)):
        if len(one) != len(other):
            return _format_difference(where, "the lengths differ")
        return _first_difference(
            find_difference(a, b, f"{where}[{place}]", depth + 1)
            for place, (a, b) in enumerate(zip(one, other, strict=True))
        )
    return _compare_objects(one, other, where, depth)


def _compare_objects(one: Any, other: Any, where: str, depth: int) -> str | None:
    if one is other:
        return None
    if callable(getattr(one, "equals", None)):  # frames and columns of pandas, polars and Arrow
        return (
            None
            if _describe_columns(one) == _describe_columns(other) and one.equals(other) is True
            else _format_difference(where, "the tables differ")
        )
    if isinstance(one, BaseException):
        return None if one.args == other.args else _format_difference(where, "the errors differ")
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        names = [field.name for field in dataclasses.fields(one)]
        return _first_difference(
            find_difference(getattr(one, name), getattr(other, name), f"{where}.{name}", depth + 1)
            for name in names
        )
    if getattr(type(one), "__eq__", None) is not object.__eq__:
        equal = one == other
        return (
            None
            if isinstance(equal, (bool, np.bool_)) and equal
            else _format_difference(where, "they differ")
        )
    if hasattr(one, "__dict__"):
        return find_difference(vars(one), vars(other), where, depth + 1)
    return _format_difference(
        where,
        f"values of the type {type(one).__name__} cannot be compared: return numbers, text, lists,"
        " dicts or tables",
    )


def _describe_columns(table: Any) -> Any:
    """What ``equals`` leaves out: the names and types of columns."""
    return [
        str(getattr(table, name, "")) for name in ("columns", "name", "dtypes", "dtype", "schema")
    ]


def _compare_arrays(one: Any, other: Any, where: str) -> str | None:
    if one.dtype != other.dtype or one.shape != other.shape:
        return _format_difference(where, "the shapes or types of the arrays differ")
    if one.dtype == np.object_:
        return find_difference(one.tolist(), other.tolist(), where)
    alike = (one == other) | ((one != one) & (other != other))
    return None if bool(np.all(alike)) else _format_difference(where, "the arrays differ")


def _first_difference(found: Iterator[str | None]) -> str | None:
    return next((one for one in found if one is not None), None)


def _format_difference(where: str, what: str) -> str:
    return f"{where}: {what}" if where else what
