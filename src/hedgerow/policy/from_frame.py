"""The arguments of ``protect`` as a policy document, so that one reader checks both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from numbers import Integral
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.policy.declared_values import TYPES

__all__ = ["FRAME_SOURCE", "build_frame_document"]

FRAME_SOURCE = "frame"


def build_frame_document(
    frame: object, budget: Mapping[str, Any], table: dict[str, Any], columns: object
) -> dict[str, Any]:
    """Build the document with one table "data"; arguments that are None are left out. Columns that
    are not declared have the type of the frame's schema, and no bounds or list of values."""
    columns = {} if columns is None else columns
    if not isinstance(columns, Mapping):
        raise InvalidArgument(
            "columns",
            'must be a dict such as {"age": (0, 110), "region": ["north", "south"]}',
            columns,
        )
    names = _list_columns(frame)
    if names is not None:
        known = ", ".join(map(str, names))
        unit = table["unit"]
        for name in unit if isinstance(unit, list) else [unit]:
            if name in names or unit == "row":
                continue
            if name in getattr(getattr(frame, "index", None), "names", ()):
                raise InvalidArgument(
                    "unit",
                    "is the index of the frame: use frame.reset_index() to make it a column",
                    name,
                )
            raise InvalidArgument("unit", f"must be 'row' or a column of the frame: {known}", name)
        for name in columns:
            if name not in names:
                raise InvalidArgument("columns", f"must be columns of the frame: {known}", name)
    table = {key: value for key, value in table.items() if value is not None}
    declared = {
        name: _build_column(frame, name, written)
        for name, written in columns.items()
        if written is not None
    }
    return {
        "database": {"name": "data"},
        "budget": {key: value for key, value in budget.items() if value is not None},
        "tables": {"data": {**table, "columns": declared}},
    }


def _build_column(frame: object, name: str, written: object) -> Mapping[str, Any]:
    if isinstance(written, Mapping):
        return written
    if isinstance(written, str) and written in TYPES:
        return {"type": written}
    if isinstance(written, list):
        return {"values": written}
    if isinstance(written, tuple) and len(written) == 2:
        low, high = written
        if _has_time(low) or _has_time(high):
            return {"type": "timestamp", "min": low, "max": high}
        if isinstance(low, date) and isinstance(high, date):
            return {"type": "date", "values": f"{low.isoformat()[:10]} … {high.isoformat()[:10]}"}
        if isinstance(low, str) and isinstance(high, str):
            raise InvalidArgument(
                f"columns[{name!r}]",
                f"must be a list if these are its values: [{low!r}, {high!r}]",
                written,
            )
        whole = all(isinstance(end, Integral) for end in written) and _has_integer_type(frame, name)
        return {"type": "integer" if whole else "real", "min": low, "max": high}
    forms = (
        f"bounds (low, high) of numbers or dates, a list of values, one of {', '.join(TYPES)}, a"
        " dict as in a policy file, or None"
    )
    raise InvalidArgument(f"columns[{name!r}]", f"must be {forms}", written)


def _has_time(value: object) -> bool:
    """Return whether a value is a timestamp that is not a day's midnight."""
    return isinstance(value, datetime) and value.time() != time.min


def _list_columns(frame: Any) -> list[Any] | None:
    if isinstance(frame, Mapping):
        return list(frame)
    if type(frame).__name__ == "LazyFrame":
        raise InvalidArgument(
            "frame", "must be in memory: use frame.collect()", type(frame).__name__
        )
    names = getattr(frame, "column_names", getattr(frame, "columns", None))
    return None if names is None else list(names)


def _has_integer_type(frame: Any, name: str) -> bool:
    """Return whether the type of a column is an integer; its values are not looked at."""
    try:
        column = frame[name]
    except (KeyError, TypeError):
        return False
    kind = getattr(column, "dtype", getattr(column, "type", None))
    return re.fullmatch(r"u?int[0-9]+(\[pyarrow\])?", str(kind).lower()) is not None
