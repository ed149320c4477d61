"""The interface between plans and engines: a source, the columns of its tables, and the exact
cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from hedgerow.errors import InvalidArgument
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.values import Type, Value

__all__ = ["SOURCE_FAILED", "Cells", "IsolatedSource", "PhysicalColumn", "Source"]

# The same text for every failure: whether the disk, the memory or the time ran out may depend on
# the data.
SOURCE_FAILED: Final = (
    "The data source failed while answering, and the query was charged. Run it again; if it fails"
    " again, ask the custodian to check the data."
)


@dataclass(frozen=True, slots=True)
class PhysicalColumn:
    """A column as the data have it; ``type`` is None where it is none of the six readable types.

    ``is_wide``: its integers may need more than 64 bits, or its timestamps have nanoseconds and a
    zone. ``has_time``: its dates have a time of
    day, which is cut off. ``exact_type``: the engine's own type, if numbers of other types do not
    compare with it exactly.
    """

    name: str
    type: Type | None
    is_wide: bool = False
    has_time: bool = False
    exact_type: str = ""


@dataclass(frozen=True, slots=True)
class Cells:
    """The exact numbers of a plan, which must never be published as they are.

    ``keys`` has one list for each key, and ``numbers`` one array for each number of the measures,
    in their order (a mean has two); all have one entry for each cell. Whether an array is int64 or
    holds Python integers depends on the plan alone. The array of an order statistic holds sorted
    samples, and that of a contingency table one ``ContingencyTable``.
    """

    keys: tuple[Sequence[Value], ...]
    numbers: tuple[npt.NDArray[Any], ...]

    def __post_init__(self) -> None:
        if len({*map(len, self.keys), *map(len, self.numbers)}) != 1:
            raise InvalidArgument("numbers", "must be as long as the keys")
        if any(
            column.dtype not in (np.dtype(np.int64), np.dtype(object)) for column in self.numbers
        ):
            raise InvalidArgument("numbers", "must be integers")

    def __len__(self) -> int:
        return len(self.numbers[0])


class Source(Protocol):
    """A data source that answers plans; ``run`` is the only method that moves data."""

    def schema(self, table: str) -> tuple[PhysicalColumn, ...]:
        """Return the columns of a table, by their names in the data."""

    def prepare(self, plan: Aggregate) -> None:
        """Prepare a plan without looking at data; refuse one that cannot run before it is
        charged.
        """

    def run(self, plan: Aggregate) -> Cells:
        """Return the exact cells of a plan; any failure is a SourceError with the text of
        ``SOURCE_FAILED``.
        """

    def close(self) -> None:
        """Release the data."""


@runtime_checkable
class IsolatedSource(Source, Protocol):
    """A source that works outside this process. ``deadline`` is the number of seconds for a plan,
    and may be set between two of them."""

    deadline: float

    def restart_if_dead(self) -> None:
        """Start or connect again what has ended, so that the next plan need not wait for that."""
