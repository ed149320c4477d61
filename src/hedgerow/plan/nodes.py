"""The eight nodes of a plan.

    Aggregate(Group(Bound( … Project(Filter(Table)) … )))

``Table`` reads what the policy declares, ``Filter`` and ``Project`` work row by row, ``Union`` puts rows of one population together,
``Join`` looks rows up in a public table. ``Bound`` comes last before ``Group``: of each unit it keeps at most ``max_groups`` groups, and
of each of those at most ``max_rows`` rows' worth. Its order within a unit depends on nothing but that unit's own rows. Nothing
stands between it and the sums, so nothing can merge or multiply rows after it.

The id of the unit is not a column of the question: every node below ``Bound`` hands it on untouched, and rows without one are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hedgerow.errors import InvalidArgument, Unbounded
from hedgerow.numeric.number import whole
from hedgerow.plan.expressions import Expression, range_of
from hedgerow.plan.measures import Measure, Reach
from hedgerow.plan.schema import Schema
from hedgerow.plan.values import Range, Value, common_step
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit

__all__ = ["Aggregate", "Bound", "Filter", "Group", "Join", "Node", "Project", "Rows", "Table", "Union"]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table, as its schema reads them."""

    schema: Schema

    @property
    def columns(self) -> Mapping[str, Range]:
        """Name and range of each column."""
        return {column.name: column.range for column in self.schema.columns}

    @property
    def unit(self) -> str | None:
        """The id column, "row", or None where all is public."""
        return self.schema.unit


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which the condition holds; NULL does not hold."""

    source: Rows
    condition: Expression

    def __post_init__(self) -> None:
        if range_of(self.condition, self.columns).type != "boolean":
            raise InvalidArgument("condition", "must be a condition")

    @property
    def columns(self) -> Mapping[str, Range]:
        """As those of the source."""
        return self.source.columns

    @property
    def unit(self) -> str | None:
        """As that of the source."""
        return self.source.unit


@dataclass(frozen=True, slots=True)
class Project:
    """New columns computed from those of each row; the old ones are gone."""

    source: Rows
    outputs: tuple[tuple[str, Expression], ...]

    def __post_init__(self) -> None:
        if len({name for name, _ in self.outputs}) != len(self.outputs):
            raise InvalidArgument("outputs", "must have different names", [name for name, _ in self.outputs])

    @property
    def columns(self) -> Mapping[str, Range]:
        """Ranges follow from the expressions, anew each time: a name carries nothing over."""
        known = self.source.columns
        return {name: range_of(expression, known) for name, expression in self.outputs}

    @property
    def unit(self) -> str | None:
        """As that of the source."""
        return self.source.unit


@dataclass(frozen=True, slots=True)
class Join:
    """Each row beside the rows of a *public* table that agree with it on ``on`` (own column, column there); its columns take the names
    in ``adds`` (name, column there). A row without a partner is dropped. ``matches`` is the public limit of partners a row."""

    source: Rows
    public: Table
    on: tuple[tuple[str, str], ...]
    adds: tuple[tuple[str, str], ...]
    matches: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "matches", whole(self.matches, "matches"))
        if self.public.unit is not None:
            raise InvalidArgument("public", "must be a public table")
        if not {name for name, _ in self.adds}.isdisjoint(self.source.columns):
            raise InvalidArgument("adds", "must have names that the source does not have", self.adds)

    @property
    def columns(self) -> Mapping[str, Range]:
        """Those of the source, then the added ones."""
        there = self.public.columns
        return {**self.source.columns, **{name: there[column] for name, column in self.adds}}

    @property
    def unit(self) -> str | None:
        """As that of the source."""
        return self.source.unit


@dataclass(frozen=True, slots=True)
class Union:
    """The rows of several sources about the same units, with the same columns, duplicates kept."""

    sources: tuple[Rows, ...]

    def __post_init__(self) -> None:
        if len(self.sources) < 2 or len({tuple((n, r.type) for n, r in source.columns.items()) for source in self.sources}) > 1:
            raise InvalidArgument("sources", "must be two or more with columns of the same names and types")
        if len({source.unit == "row" for source in self.sources}) > 1 or any(source.unit is None for source in self.sources):
            raise InvalidArgument("sources", "must be about the same units")

    @property
    def columns(self) -> Mapping[str, Range]:
        """The hull of the ranges; a bound that one source lacks is lacking."""
        each = [source.columns for source in self.sources]
        return {name: _hull([columns[name] for columns in each]) for name in each[0]}

    @property
    def unit(self) -> str | None:
        """The id column of the first source: each source hands on its own."""
        return self.sources[0].unit


Rows = Table | Filter | Project | Join | Union


@dataclass(frozen=True, slots=True)
class Bound:
    """What counts of each unit: at most ``max_groups`` groups (combinations of the ``keys``), in each at most ``max_rows`` rows' worth.

    Kept are the groups that come first by (rank of the unit and the group, group): a total order within the unit.
    """

    source: Rows
    keys: tuple[str, ...]
    max_groups: int
    max_rows: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_groups", whole(self.max_groups, "max_groups"))
        object.__setattr__(self, "max_rows", whole(self.max_rows, "max_rows"))
        if len(set(self.keys)) != len(self.keys) or not set(self.keys) <= set(self.columns):
            raise InvalidArgument("keys", "must be different columns of the source", self.keys)
        if self.source.unit is None:
            raise InvalidArgument("source", "must be about somebody: a public table needs no bound")
        if self.source.unit == "row" and (self.max_groups, self.max_rows) != (1, 1):
            raise InvalidArgument("max_groups", "must be 1, like max_rows, where every row is a unit of its own", self.max_groups)
        if self.source.unit == "row" and _multiplies(self.source):
            raise Unbounded(
                "A row that is a unit of its own may meet several rows of the public table: join on columns that are unique there."
            )

    @property
    def columns(self) -> Mapping[str, Range]:
        """As those of the source."""
        return self.source.columns


@dataclass(frozen=True, slots=True)
class Group:
    """The bounded rows by their ``keys``. With ``domain``, a tuple of values a key, exactly those groups, empty ones as well, and rows
    of other groups are dropped *before* ``Bound`` picks; without, the groups there are."""

    source: Bound
    domain: tuple[tuple[Value, ...], ...] | None = ()

    def __post_init__(self) -> None:
        if self.domain is not None and len(self.domain) != len(self.source.keys):
            raise InvalidArgument("domain", "must list the values of every key, or be None")
        if any(not values or None in values or len(set(values)) != len(values) for values in self.domain or ()):
            raise InvalidArgument("domain", "must list different values for every key, at least one, and not NULL")

    @property
    def keys(self) -> tuple[str, ...]:
        """The key columns."""
        return self.source.keys

    @property
    def cells(self) -> int | None:
        """How many groups there are; None when only the data know."""
        if self.domain is None:
            return None
        count = 1
        for values in self.domain:
            count *= len(values)
        return count


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The whole numbers that a question needs: the measures of every group."""

    source: Group
    measures: tuple[Measure, ...]

    def __post_init__(self) -> None:
        if not self.measures or len(set(self.measures)) != len(self.measures):
            raise InvalidArgument("measures", "must be different, and at least one")
        known = self.bound.columns
        for measure in self.measures:
            if measure.column is not None and measure.column not in known:
                raise InvalidArgument("measures", "must be of columns of the source", measure.column)
            if measure.snap is not None and known[str(measure.column)].type not in ("integer", "real"):
                raise InvalidArgument("measures", "must add up numbers", measure.column)

    @property
    def bound(self) -> Bound:
        """The caps."""
        return self.source.source

    def reach(self, unit: Unit) -> Reach:
        """How far one unit reaches in this plan."""
        if (unit.owner == "row") != (self.bound.source.unit == "row"):
            raise InvalidArgument("unit", "must be the one that the tables of the plan declare", unit.owner)
        return Reach(self.bound.max_groups, self.bound.max_rows, self.source.cells, unit.relation == "change-one")

    def sensitivity(self, unit: Unit) -> tuple[Sensitivity, ...]:
        """How far one unit moves each measure, all groups together. Never looks at data."""
        reach = self.reach(unit)
        return tuple(measure.sensitivity(reach).group(unit.group) for measure in self.measures)


Node = Rows | Bound | Group | Aggregate


def _multiplies(rows: Rows) -> bool:
    if isinstance(rows, Table):
        return False
    if isinstance(rows, Union):
        return any(_multiplies(source) for source in rows.sources)
    return (isinstance(rows, Join) and rows.matches > 1) or _multiplies(rows.source)


def _hull(ranges: list[Range]) -> Range:
    lows, highs = [r.low for r in ranges if r.low is not None], [r.high for r in ranges if r.high is not None]
    complete = len(lows) == len(ranges) == len(highs)
    values = {r.values for r in ranges}
    return Range(
        ranges[0].type,
        min(lows) if complete else None,
        max(highs) if complete else None,
        common_step(r.step for r in ranges),
        values.pop() if len(values) == 1 else None,
        any(r.nullable for r in ranges),
    )
