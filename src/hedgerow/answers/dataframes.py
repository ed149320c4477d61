"""What every table of ours can become."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

__all__ = ["FrameConversions"]


class FrameConversions(ABC):
    """The other kinds of table, from the Arrow one that a subclass makes of its ``rows``."""

    __slots__ = ()
    rows: list[dict[str, Any]]

    @abstractmethod
    def to_arrow(self) -> Any:
        """A pyarrow table."""

    def to_pandas(self) -> Any:
        """A pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """A polars data frame."""
        import polars

        return polars.from_arrow(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """What Arrow-minded libraries read directly."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.rows)
