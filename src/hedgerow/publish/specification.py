"""The specification of a publication before any data are read: its cost, its strategy and its
expected error.

Every kind of publication is a function from public parameters to a ``Specification``. Its ``build``
then spends the budget of a private table and returns the published table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Protocol

from hedgerow.privacy.loss import Loss
from hedgerow.publish.domain import Domain
from hedgerow.publish.strategies.strategy import Measurement
from hedgerow.release.private_table import PrivateTable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "INTERVAL_BETA",
    "MAX_CELLS",
    "Accuracy",
    "Builder",
    "BuiltTable",
    "Progress",
    "Specification",
    "ignore_progress",
    "measure_all",
]

# the probability with which a published interval may miss its exact count
INTERVAL_BETA: Final = Fraction(1, 20)
MAX_CELLS: Final = 2 * 10**7  # of all published tables together
Progress = Callable[[int, int], None]  # called with the steps done, and their total


def ignore_progress(done: int, of: int) -> None:
    """Ignore the progress of a build."""


def measure_all(
    private_table: PrivateTable,
    measurements: Sequence[Measurement],
    tell: Progress = ignore_progress,
) -> list[Any]:
    """Return all measurements of a strategy, in order, as counts of rows: integers, or reals where
    rows count in parts.
    """
    results: list[Any] = []
    for block, mechanism in measurements:
        tell(len(results), len(measurements))
        noisy = private_table.measure(block, mechanism)
        results.append(
            noisy if private_table.parts_per_row == 1 else noisy / private_table.parts_per_row
        )
    tell(len(results), len(measurements))
    return results


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The expected error of the ``answers`` called ``name``: the root of the mean of their
    variances, and the radius that the noise of each stays within with probability 0.95 (None if no
    single figure holds for all).
    """

    name: str
    answers: int
    rms: float
    radius: float | None = None


@dataclass(frozen=True, slots=True)
class BuiltTable:
    """A published table, and facts about it that are public or paid for."""

    table: pa.Table
    facts: dict[str, Any] = field(default_factory=dict)


class Builder(Protocol):
    """A function that measures a private table and builds the published one."""

    def __call__(
        self, private_table: PrivateTable, tell: Progress = ignore_progress
    ) -> BuiltTable: ...


@dataclass(frozen=True, slots=True, eq=False)
class Specification:
    """A publication of some ``kind`` over a ``domain``, measured with a ``strategy`` for a
    ``cost``.
    """

    kind: str
    domain: Domain
    strategy: str
    cost: Loss
    accuracy: tuple[Accuracy, ...]
    build: Builder
    notes: tuple[str, ...] = ()
    # all measurements, if they are known beforehand
    measurements: tuple[Measurement, ...] = ()
    # the most that an answer may lack, in standard deviations of its noise
    relative_truncation: float = 0.0
