"""Conversions of answers and exact tables to data frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from hedgerow.plan.values import Type

__all__ = ["FrameConversions", "build_typed_table", "encode_json_value"]


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


def build_typed_table(types: Mapping[str, Type], rows: Sequence[Mapping[str, Any]]) -> Any:
    """Build a pyarrow table with columns of these types; integers beyond 64 bits become doubles."""
    import pyarrow as pa

    kinds = {
        "integer": pa.int64(),
        "real": pa.float64(),
        "text": pa.string(),
        "date": pa.date32(),
        "boolean": pa.bool_(),
    }

    def build_column(name: str, type_: Type) -> Any:
        values = [row[name] for row in rows]
        try:
            return pa.array(values, kinds[type_])
        except OverflowError:
            return pa.array([None if value is None else float(value) for value in values])

    return pa.table({name: build_column(name, type_) for name, type_ in types.items()})


def encode_json_value(value: Any) -> Any:
    """Return a value for JSON, with dates as text."""
    return value.isoformat() if isinstance(value, date) else value
