"""What is publicly known about a table: its columns with their declared bounds, and whose rows
they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Literal

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.plan.values import TYPES, Range, Type, Value, compute_default_step

__all__ = ["Column", "Link", "Partition", "Schema"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column as it is read. Whatever the file holds, after reading

    * what is not of the type is NULL, and so is NaN;
    * with ``values``: what is not in the list is NULL (dates are first cut to their ``grain``);
    * with bounds: what lies outside is moved to the nearest bound.
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
                "must have both bounds, the lower one first, or none",
                (self.low, self.high),
            )
        if self.values is not None and (not self.values or None in self.values):
            raise InvalidArgument(
                self.name,
                "must list at least one value, and not NULL, or have no list",
                self.values,
            )
        if self.low is not None and self.high is not None:
            self._check_bounds(self.low, self.high)
        object.__setattr__(self, "range", self._infer_range())

    def _check_bounds(self, low: Fraction, high: Fraction) -> None:
        if self.type not in ("integer", "real", "date"):
            raise InvalidArgument(self.name, f"must have no bounds, being {self.type}", (low, high))
        if self.type != "real" and (low.denominator, high.denominator) != (1, 1):
            raise InvalidArgument(self.name, "must have whole bounds", (low, high))
        least, most = (1, date.max.toordinal()) if self.type == "date" else (-(2**1000), 2**1000)
        if low < least or high > most:
            raise InvalidArgument(
                self.name,
                "must have bounds within 2^1000, and dates within the years 1 to 9999",
                (low, high),
            )

    def _infer_range(self) -> Range:
        low, high, step = self.low, self.high, self.step
        if self.values is not None and self.type in ("integer", "date"):
            numbers: list[int] = [v.toordinal() if isinstance(v, date) else v for v in self.values]  # type: ignore[misc]
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
    """How rows of a table find the unit they belong to: by the row of ``parent`` whose ``key`` is
    what ``column`` holds.

    A row whose parent is missing is nobody's. One whose parents belong to several units is a row of
    each of them: so what a unit has never depends on who else there is.
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
    """Of each unit, only the rows of the first ``most`` parts that it is in count, in the order of
    ``column``, NULL last: for every question alike, so that a unit is in no more parts than it pays
    for."""

    column: str
    max_parts: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_parts", parse_whole(self.max_parts, "most"))


@dataclass(frozen=True, slots=True)
class Schema:
    """A table: ``unit`` names the id column, is "row" where every row is somebody of their own, or
    None for a public table. With a ``link`` the id column is that of the parent."""

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
            raise InvalidArgument("columns", "must differ in more than upper and lower case", names)
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
        """The column of that name, in whatever case, or None."""
        return next(
            (column for column in self.columns if column.name.casefold() == name.casefold()), None
        )

    @property
    def id_column(self) -> Column | None:
        """What ids are read as: values of the declared type and no more, since bounds or a list
        would make strangers one person. None where there are no ids, or nothing is declared about
        them."""
        if self.link is not None:
            return self.link.parent.id_column
        declared = None if self.unit is None or self.unit == "row" else self.column(self.unit)
        return None if declared is None else Column(declared.name, declared.type)
