"""Table schemas: what is publicly known about a table, its columns with their declared bounds, and
the unit of its rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Literal

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.plan.values import (
    FIRST_NUMBERS,
    LAST_NUMBERS,
    TYPES,
    Range,
    Type,
    Value,
    compute_default_step,
    number_date,
)

__all__ = ["Column", "Link", "Partition", "Schema"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column as it is read. Whatever the file holds, after reading

    * a value of another type is NULL, and so is NaN;
    * with ``values``, a value that is not listed is NULL (dates are first truncated to their
      ``granularity``);
    * with bounds, a value outside is moved to the nearest bound.
    """

    name: str
    type: Type
    low: Fraction | None = None
    high: Fraction | None = None
    step: Fraction | None = None
    values: tuple[Value, ...] | None = None
    granularity: Literal["day", "month", "year"] = "day"
    # what is known about the values that are read
    range: Range = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.type not in TYPES:
            raise InvalidArgument("type", f"must be one of {', '.join(TYPES)}", self.type)
        if (self.low is None) != (self.high is None) or (
            self.low is not None and self.high is not None and self.low > self.high
        ):
            raise InvalidArgument(
                self.name,
                "must have both bounds, lower bound first, or none",
                (self.low, self.high),
            )
        if self.values is not None and (not self.values or None in self.values):
            raise InvalidArgument(
                self.name,
                "must list at least one value, without NULL, or have no list",
                self.values,
            )
        if self.low is not None and self.high is not None:
            self._check_bounds(self.low, self.high)
        object.__setattr__(self, "range", self._infer_range())

    def _check_bounds(self, low: Fraction, high: Fraction) -> None:
        if self.type not in ("integer", "real", *FIRST_NUMBERS):
            raise InvalidArgument(
                self.name, f"must have no bounds, since its type is {self.type}", (low, high)
            )
        if self.type != "real" and (low.denominator, high.denominator) != (1, 1):
            raise InvalidArgument(self.name, "must have whole bounds", (low, high))
        first = FIRST_NUMBERS.get(self.type, -(2**1000))
        last = LAST_NUMBERS.get(self.type, 2**1000)
        if low < first or high > last:
            raise InvalidArgument(
                self.name,
                "must have bounds within 2^1000, or dates in the years 1 to 9999",
                (low, high),
            )

    def _infer_range(self) -> Range:
        low, high, step = self.low, self.high, self.step
        if self.values is not None and self.type in ("integer", *FIRST_NUMBERS):
            numbers: list[int] = [
                number_date(v) if isinstance(v, date) else v  # type: ignore[misc]
                for v in self.values
            ]
            low, high = Fraction(min(numbers)), Fraction(max(numbers))
        if self.type == "integer":
            step = Fraction(1)
        elif (
            self.type == "real"
            and step is None
            and low is not None
            and high is not None
            and low < high
        ):
            step = compute_default_step(low, high)
        return Range(self.type, low, high, step, self.values)


@dataclass(frozen=True, slots=True)
class Link:
    """The path from the rows of a table to their unit: the row of ``parent`` whose ``key`` equals
    ``column``.

    A row without a parent belongs to no unit. A row whose parents belong to several units is a row
    of each of them: so the rows of a unit never depend on other units.
    """

    column: str
    parent: Schema
    key: str

    def __post_init__(self) -> None:
        if self.parent.unit in (None, "row"):
            raise InvalidArgument(
                "parent", "must have an id column, or a link of its own", self.parent.table
            )
        if self.parent.column(self.key) is None:
            raise InvalidArgument("key", f"must be a column of {self.parent.table}", self.key)


@dataclass(frozen=True, slots=True)
class Partition:
    """The partition of a table by ``column``: of each unit, only the rows in its first
    ``max_parts`` parts count.

    The parts are ordered by ``column``, NULL last, the same for every question, so that a unit is
    in no more parts than it pays for.
    """

    column: str
    max_parts: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_parts", parse_whole(self.max_parts, "max_parts"))


@dataclass(frozen=True, slots=True)
class Schema:
    """A table: ``unit`` names the id column, is "row" if every row is a unit, or None for a public
    table. With a ``link`` the id column is that of the parent.
    """

    table: str
    columns: tuple[Column, ...]
    unit: str | None
    version: str = "1"
    link: Link | None = None
    partition: Partition | None = None
    max_units: int | None = None  # a public bound; nothing private depends on it

    def __post_init__(self) -> None:
        names = [column.name.casefold() for column in self.columns]
        if len(set(names)) != len(names):
            raise InvalidArgument("columns", "must have names that differ in more than case", names)
        if self.link is not None:
            start, key = self.column(self.link.column), self.link.parent.column(self.link.key)
            if self.unit != self.link.parent.unit or start is None:
                raise InvalidArgument(
                    "link",
                    "must start at a column of the table and lead to its unit",
                    self.link.column,
                )
            if key is None or start.type != key.type:
                raise InvalidArgument(
                    "link",
                    "must compare columns of the same type",
                    (self.link.column, self.link.key),
                )
        if self.max_units is not None:
            object.__setattr__(self, "max_units", parse_whole(self.max_units, "max_units"))
        if self.partition is not None and (
            self.unit in (None, "row") or self.column(self.partition.column) is None
        ):
            raise InvalidArgument(
                "partition",
                "must be by a column of a table whose units have ids",
                self.partition.column,
            )

    def column(self, name: str) -> Column | None:
        """Return the column of a name, ignoring case, or None."""
        return next(
            (column for column in self.columns if column.name.casefold() == name.casefold()), None
        )

    @property
    def id_column(self) -> Column | None:
        """The id column as it is read: values of the declared type without bounds or a list, which
        would merge different units. None if there are no ids, or nothing is declared about them.
        """
        if self.link is not None:
            return self.link.parent.id_column
        declared = None if self.unit is None or self.unit == "row" else self.column(self.unit)
        return None if declared is None else Column(declared.name, declared.type)
