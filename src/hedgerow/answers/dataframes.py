"""Conversions of answers and exact tables to data frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from hedgerow.answers.estimates.estimate import Interval
from hedgerow.errors import InvalidArgument
from hedgerow.plan.values import Type

__all__ = [
    "FrameConversions",
    "add_interval_columns",
    "build_partly_typed_table",
    "build_typed_table",
    "build_untyped_array",
    "encode_json_value",
    "infer_types",
]

# A boolean is an integer in Python too, and a timestamp is a date, so their order matters.
_VALUE_TYPES: Final[tuple[tuple[type, Type], ...]] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "real"),
    (str, "text"),
    (datetime, "timestamp"),
    (date, "date"),
)


class FrameConversions(ABC):
    """The conversions to pandas, polars and Arrow that follow from ``to_arrow``."""

    __slots__ = ()
    rows: list[dict[str, Any]]

    @abstractmethod
    def to_arrow(self, *, intervals: bool = False) -> Any:
        """Return the rows as a pyarrow table; ``intervals`` adds the ends of the 95 % intervals of
        a column as <name>_low and <name>_high."""

    def to_pandas(self, *, intervals: bool = False) -> Any:
        """Return the rows as a pandas data frame, with ``intervals`` as in ``to_arrow``."""
        return self.to_arrow(intervals=intervals).to_pandas()

    def to_polars(self, *, intervals: bool = False) -> Any:
        """Return the rows as a polars data frame, with ``intervals`` as in ``to_arrow``."""
        import polars

        return polars.from_arrow(self.to_arrow(intervals=intervals))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return an Arrow stream, which other libraries read directly."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.rows)


def infer_types(
    columns: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Type | None]:
    """Infer the type of each column from its values; None where all are NULL."""
    return {name: _infer_type([row[name] for row in rows]) for name in columns}


def _infer_type(values: Sequence[Any]) -> Type | None:
    found = {_name_type(value) for value in values if value is not None}
    return "real" if found == {"integer", "real"} else next(iter(found), None)


def _name_type(value: Any) -> Type:
    return next(name for kind, name in _VALUE_TYPES if isinstance(value, kind))


def build_partly_typed_table(
    types: Mapping[str, Type | None], rows: Sequence[Mapping[str, Any]]
) -> Any:
    """Build a pyarrow table like ``build_typed_table``; a column without a type has only NULLs."""
    import pyarrow as pa

    known = {name: type_ for name, type_ in types.items() if type_ is not None}
    table = build_typed_table(known, rows)
    return pa.table(
        {
            name: build_untyped_array([None] * len(rows)) if type_ is None else table[name]
            for name, type_ in types.items()
        }
    )


def build_typed_table(types: Mapping[str, Type], rows: Sequence[Mapping[str, Any]]) -> Any:
    """Build a pyarrow table with columns of these types; integers beyond 64 bits become doubles."""
    import pyarrow as pa

    kinds = {
        "integer": pa.int64(),
        "real": pa.float64(),
        "text": pa.string(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us"),
        "boolean": pa.bool_(),
    }
    return pa.table(
        {
            name: _build_array([row[name] for row in rows], kinds[type_])
            for name, type_ in types.items()
        }
    )


def build_untyped_array(values: Sequence[Any]) -> Any:
    """Build an Arrow array of the type that the values have; integers beyond 64 bits become
    doubles."""
    return _build_array(values, None)


def _build_array(values: Sequence[Any], type_: Any) -> Any:
    import pyarrow as pa

    try:
        return pa.array(values, type_)
    except OverflowError:
        return pa.array([None if value is None else float(value) for value in values])


def add_interval_columns(table: Any, interval: Callable[[str], Sequence[Interval]]) -> Any:
    """Add <name>_low and <name>_high to a pyarrow table after each column that has intervals."""
    import pyarrow as pa

    found: dict[str, Any] = {}
    for name in table.column_names:
        found[name] = table[name]
        pairs = interval(name)
        if all(pair is None for pair in pairs):
            continue
        for end, suffix in enumerate(("low", "high")):
            added = f"{name}_{suffix}"
            if added in table.column_names:
                raise InvalidArgument(
                    "intervals",
                    f"adds a column {added}, which the answer already has: rename that one with"
                    " AS, or leave intervals out",
                )
            found[added] = build_untyped_array([pair and pair[end] for pair in pairs])
    return pa.table(found)


def encode_json_value(value: Any) -> Any:
    """Return a value for JSON, with dates as text."""
    return value.isoformat() if isinstance(value, date) else value
