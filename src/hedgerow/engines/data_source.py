"""The seam to the data: what an engine offers, and the whole numbers that it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from hedgerow.errors import InvalidArgument
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.values import Type, Value

__all__ = ["SOURCE_FAILED", "Cells", "PhysicalColumn", "Source"]

# The same words whatever happened: which of a missing disk, a full memory or a late answer it was
# may depend on the data.
SOURCE_FAILED: Final = "The data source failed while answering; the question was charged."


@dataclass(frozen=True, slots=True)
class PhysicalColumn:
    """A column as the data have it; ``type`` is None where it is none of the five that can be read.
    ``wide``: its whole numbers may need more than 64 bits; ``clock``: its dates have a time of day,
    which is cut off; ``alone``: the engine's type, if numbers of another do not compare with it
    exactly."""

    name: str
    type: Type | None
    is_wide: bool = False
    has_time: bool = False
    exact_type: str = ""


@dataclass(frozen=True, slots=True)
class Cells:
    """The exact numbers of a plan, never to be published as they are.

    ``keys`` has a list for each key and ``numbers`` an array for each whole number of the measures,
    in their order (a mean has two); all are as long as there are cells. Whether an array is int64
    or holds Python integers depends on the plan alone; that of a pick holds sorted samples, and
    that of combinations one ``Tabulated``.
    """

    keys: tuple[Sequence[Value], ...]
    numbers: tuple[npt.NDArray[Any], ...]

    def __post_init__(self) -> None:
        if len({*map(len, self.keys), *map(len, self.numbers)}) != 1:
            raise InvalidArgument("numbers", "must be as long as the keys")
        if any(
            column.dtype not in (np.dtype(np.int64), np.dtype(object)) for column in self.numbers
        ):
            raise InvalidArgument("numbers", "must be whole numbers")

    def __len__(self) -> int:
        return len(self.numbers[0])


class Source(Protocol):
    """Data that answer plans. ``run`` is the only place where data move."""

    def schema(self, table: str) -> tuple[PhysicalColumn, ...]:
        """The columns that a table has, by their names in the data."""

    def prepare(self, plan: Aggregate) -> None:
        """Make ready to run a plan; refuses what cannot be run, before it is paid for. Looks at
        no data.
        """

    def run(self, plan: Aggregate) -> Cells:
        """The whole numbers of every group. SourceError with the words of ``SOURCE_FAILED`` when
        that does not work, whyever.
        """

    def close(self) -> None:
        """Lets go of the data."""
