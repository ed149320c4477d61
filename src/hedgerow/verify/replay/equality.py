"""Comparison of two values down to the last cell, with the place of a difference. Values are never
shown.
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
    """Return an iterator as a list, and any other value as it is."""
    return list(value) if isinstance(value, Iterator) else value


def find_difference(left: Any, right: Any, where: str = "", depth: int = 0) -> str | None:
    """Return the path to the first difference, such as ``["mean"][2]``, with the reason; None if
    the values are equal.

    NaN equals NaN. Equal numbers of different types differ, since the type can be seen.
    """
    if type(left) is not type(right):
        return _format_difference(where, "the types differ")
    if depth > _MAX_DEPTH:
        return _format_difference(where, "the value is nested too deeply to be compared")
    match left:
        case float():
            alike = left == right or (math.isnan(left) and math.isnan(right))
            same_sign = math.copysign(1, left) == math.copysign(1, right)
            return None if alike and same_sign else _format_difference(where, "the numbers differ")
        case np.ndarray():
            return _compare_arrays(left, right, where)
        case Mapping():
            if list(left) != list(right):  # their order can be seen as well
                return _format_difference(where, "the keys differ")
            return _first_difference(
                find_difference(left[key], right[key], f"{where}[{key!r}]", depth + 1)
                for key in left
            )
        case list() | tuple():
            if len(left) != len(right):
                return _format_difference(where, "the lengths differ")
            return _first_difference(
                find_difference(a, b, f"{where}[{place}]", depth + 1)
                for place, (a, b) in enumerate(zip(left, right, strict=True))
            )
    return _compare_objects(left, right, where, depth)


def _compare_objects(left: Any, right: Any, where: str, depth: int) -> str | None:
    if left is right:
        return None
    if callable(getattr(left, "equals", None)):  # frames and columns of pandas, polars and Arrow
        alike = _describe_columns(left) == _describe_columns(right) and left.equals(right) is True
        return None if alike else _format_difference(where, "the tables differ")
    if isinstance(left, BaseException):
        return None if left.args == right.args else _format_difference(where, "the errors differ")
    if dataclasses.is_dataclass(left) and not isinstance(left, type):
        names = [field.name for field in dataclasses.fields(left)]
        return _first_difference(
            find_difference(getattr(left, name), getattr(right, name), f"{where}.{name}", depth + 1)
            for name in names
        )
    if getattr(type(left), "__eq__", None) is not object.__eq__:
        equal = left == right
        alike = isinstance(equal, (bool, np.bool_)) and bool(equal)
        return None if alike else _format_difference(where, "the values differ")
    if hasattr(left, "__dict__"):
        return find_difference(vars(left), vars(right), where, depth + 1)
    return _format_difference(
        where,
        f"values of type {type(left).__name__} cannot be compared; return numbers, text, lists,"
        " dicts or tables",
    )


def _describe_columns(table: Any) -> Any:
    """Return the names and types of columns, which ``equals`` ignores."""
    return [
        str(getattr(table, name, "")) for name in ("columns", "name", "dtypes", "dtype", "schema")
    ]


def _compare_arrays(left: Any, right: Any, where: str) -> str | None:
    if left.dtype != right.dtype or left.shape != right.shape:
        return _format_difference(where, "the shapes or types of the arrays differ")
    if left.dtype == np.object_:
        return find_difference(left.tolist(), right.tolist(), where)
    alike = (left == right) | ((left != left) & (right != right))
    return None if bool(np.all(alike)) else _format_difference(where, "the arrays differ")


def _first_difference(found: Iterator[str | None]) -> str | None:
    return next((one for one in found if one is not None), None)


def _format_difference(where: str, what: str) -> str:
    return f"{where}: {what}" if where else what
