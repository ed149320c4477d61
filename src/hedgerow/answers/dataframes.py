"""Conversions of answers and exact tables to data frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

__all__ = ["FrameConversions"]


class FrameConversions(ABC):
    """The conversions to pandas, polars and Arrow that follow from ``to_arrow``."""

    __slots__ = ()
    rows: list[dict[str, Any]]

    @abstractmethod
    def to_arrow(self) -> Any:
        """Return the rows as a pyarrow table."""

    def to_pandas(self) -> Any:
        """Return the rows as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return the rows as a polars data frame."""
        import polars

        return polars.from_arrow(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return an Arrow stream, which other libraries read directly."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.rows)
