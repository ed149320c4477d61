"""What is chosen in each group, instead of added up: a quantile, an end, the most frequent value.

Such an answer is no sum. What an engine hands over is the sorted sample of the group, as whole
numbers: of each unit at most ``max_rows`` values, those that come first by (rank of the unit, the
value and its copy; value; copy), equal values being numbered: so each of its rows is as likely to
count as any other. How far one unit moves a sample is how many of its values are there, and in how
many groups; what that means for the answer is for the mechanism to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from hedgerow.errors import InvalidArgument
from hedgerow.plan.measures import ClampedGrid, UnitReach
from hedgerow.plan.values import Value
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["SELECTION_METHODS", "OrderStatistic", "OrderStatisticKind", "SelectionMethod"]

OrderStatisticKind = Literal["quantiles", "least", "greatest", "mode"]
SelectionMethod = Literal["exponential", "inverse", "smooth", "laplace", "propose", "stable"]

# What each can be chosen by; the first is taken where a question names none.
SELECTION_METHODS: Final[dict[OrderStatisticKind, tuple[SelectionMethod, ...]]] = {
    **dict.fromkeys(
        ("quantiles", "least", "greatest"),
        ("exponential", "inverse", "smooth", "laplace", "propose"),
    ),
    "mode": ("exponential", "inverse", "laplace", "stable"),
}


@dataclass(frozen=True, slots=True)
class OrderStatistic:
    """A choice among the values of a column: on the grid of ``snap``, or for a mode among the
    declared ``values``.

    ``at`` are the shares of quantiles, rising; ``bound`` is the local sensitivity, in steps, that
    propose-test-release is told to test.
    """

    kind: OrderStatisticKind
    column: str
    grid: ClampedGrid | None = None
    values: tuple[Value, ...] | None = None
    quantiles: tuple[Fraction, ...] = ()
    method: SelectionMethod = "exponential"
    bound: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in SELECTION_METHODS or self.method not in SELECTION_METHODS[self.kind]:
            raise InvalidArgument(
                "method",
                f"must be one of {', '.join(SELECTION_METHODS.get(self.kind, SELECTION_METHODS))}",
                self.method,
            )
        if (self.grid is None) != (self.kind == "mode") or (self.values is None) != (
            self.kind != "mode"
        ):
            raise InvalidArgument("snap", "must say the grid, or for a mode the values", self.kind)
        if self.values is not None and (
            None in self.values or len(set(self.values)) != len(self.values) or len(self.values) < 2
        ):
            raise InvalidArgument(
                "values", "must be two or more, different, and not NULL", self.values
            )
        if self.grid is not None and self.grid.low == self.grid.high:
            raise InvalidArgument("snap", "must leave a choice", self.grid)
        if (
            bool(self.quantiles) != (self.kind == "quantiles")
            or any(not 0 < p < 1 for p in self.quantiles)
            or list(self.quantiles) != sorted(set(self.quantiles))
        ):
            raise InvalidArgument(
                "at", "must be the rising shares of quantiles, between 0 and 1", self.quantiles
            )
        if (self.bound is None) != (self.method != "propose") or (
            self.bound is not None and self.bound < 1
        ):
            raise InvalidArgument(
                "bound",
                "must be at least a step for propose-test-release, and is for nothing else",
                self.bound,
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The column it is of."""
        return (self.column,)

    @property
    def width(self) -> int:
        """How many values it has in each group."""
        return max(1, len(self.quantiles))

    def sensitivity(self, reach: UnitReach) -> Sensitivity:
        """In how many groups one unit changes the sample, and how many of its values leave one
        there at most, and enter it at most.
        """
        groups = reach.groups if reach.cells is None else min(reach.groups, reach.cells)
        touched = (2 if reach.is_change_one else 1) * groups
        return Sensitivity.each(
            touched if reach.cells is None else min(touched, reach.cells), reach.rows
        )
