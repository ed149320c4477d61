"""A publication before it is made: what it will cost, how it is measured, how far off it will be.
Looks at no data.

Every kind of publication is a function from public terms to a ``Specification``; its ``build`` then
spends a purse on the exact table and returns what is published.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from hedgerow.privacy.loss import Loss
from hedgerow.publish.domain import Domain
from hedgerow.publish.strategies.strategy import Measurement
from hedgerow.release.private_table import PrivateTable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Accuracy",
    "Builder",
    "BuiltTable",
    "Progress",
    "Specification",
    "ignore_progress",
    "measure_all",
]

Progress = Callable[[int, int], None]  # how much is done, and of how much


def ignore_progress(done: int, of: int) -> None:
    """Tells nobody."""


def measure_all(
    purse: PrivateTable, measurements: Sequence[Measurement], tell: Progress = ignore_progress
) -> list[Any]:
    """All measurements of a design, in order, in counts: whole numbers, or where parts of a row
    are counted, reals.
    """
    found: list[Any] = []
    for block, law in measurements:
        tell(len(found), len(measurements))
        noisy = purse.measure(block, law)
        found.append(noisy if purse.parts_per_row == 1 else noisy / purse.parts_per_row)
    tell(len(found), len(measurements))
    return found


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far off the answers called ``what`` will be: the root of the mean of their variances, and
    what the noise of one of them stays within with probability 0.95 (None where no single figure
    says that)."""

    name: str
    answers: int
    rms: float
    radius: float | None = None


@dataclass(frozen=True, slots=True)
class BuiltTable:
    """What is published: a table, and facts about it that are public or paid for."""

    table: pa.Table
    facts: dict[str, Any] = field(default_factory=dict)


class Builder(Protocol):
    """What makes a publication of a purse."""

    def __call__(self, purse: PrivateTable, tell: Progress = ignore_progress) -> BuiltTable: ...


@dataclass(frozen=True, slots=True, eq=False)
class Specification:
    """A publication of some ``kind`` over a ``domain``, measured as ``design`` says, for
    ``total``.
    """

    kind: str
    domain: Domain
    strategy: str
    cost: Loss
    accuracy: tuple[Accuracy, ...]
    build: Builder
    notes: tuple[str, ...] = ()
    # all that is measured, where that is known beforehand
    measurements: tuple[Measurement, ...] = ()
    # what an answer may lack at most, in standard deviations of its noise
    relative_truncation: float = 0.0
