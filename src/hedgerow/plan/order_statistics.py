"""Order statistics: a quantile, an extreme or the most frequent value of each group.

An engine returns the sorted sample of each group, as integers: of each unit at most ``max_rows``
values, those that come first by (rank of the unit, the value and its copy; value; copy), equal
values being numbered, so that each of its rows is equally likely to count. One unit moves a sample
by the number of its values there, in as many groups as it contributes to; the mechanism determines
what that means for the answer.
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
    """A choice among the values of a column: on the ``grid``, or for a mode among the declared
    ``values``.

    ``quantiles`` are the levels of quantiles, rising; ``bound`` is the local sensitivity, in steps,
    that propose-test-release tests.
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
            raise InvalidArgument("grid", "must be given, or values for a mode", self.kind)
        if self.values is not None and (
            None in self.values or len(set(self.values)) != len(self.values) or len(self.values) < 2
        ):
            raise InvalidArgument(
                "values", "must be two or more, different, and without NULL", self.values
            )
        if self.grid is not None and self.grid.low == self.grid.high:
            raise InvalidArgument("grid", "must have at least two values", self.grid)
        if (
            bool(self.quantiles) != (self.kind == "quantiles")
            or any(not 0 < p < 1 for p in self.quantiles)
            or list(self.quantiles) != sorted(set(self.quantiles))
        ):
            raise InvalidArgument(
                "quantiles", "must be levels between 0 and 1, in rising order", self.quantiles
            )
        if (self.bound is None) != (self.method != "propose") or (
            self.bound is not None and self.bound < 1
        ):
            raise InvalidArgument(
                "bound",
                "must be at least 1 for the method propose, and None for all others",
                self.bound,
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The column that it reads."""
        return (self.column,)

    @property
    def width(self) -> int:
        """The number of values in each group."""
        return max(1, len(self.quantiles))

    def sensitivity(self, reach: UnitReach) -> Sensitivity:
        """Return in how many groups one unit changes the sample, and how many of its values leave
        or enter one at most.
        """
        groups = reach.groups if reach.cells is None else min(reach.groups, reach.cells)
        touched = (2 if reach.is_change_one else 1) * groups
        return Sensitivity.each(
            touched if reach.cells is None else min(touched, reach.cells), reach.rows
        )
