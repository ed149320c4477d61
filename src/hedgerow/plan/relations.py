"""The relation nodes of a plan: rows of tables, filtered, projected, joined, aggregated per unit.

``Table`` reads what the policy declares. ``Filter`` and ``Project`` work row by row. ``Union``
concatenates rows about the same units. ``Join`` puts rows beside public ones, beside rows of the
same unit, or beside rows of a second population. ``UnitAggregation`` makes one row of all rows of a
unit. Each of them hands on the id of the unit untouched, and rows without one are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.plan.measures import SecondPopulation, Truncation, UnitStatistic
from hedgerow.plan.scalar.expressions import Expression, find_columns, infer_range
from hedgerow.plan.scalar.logic import check_same_type, compute_hull
from hedgerow.plan.schema import Schema
from hedgerow.plan.values import Range

__all__ = [
    "Filter",
    "Join",
    "PopulationJoin",
    "Project",
    "RelationNode",
    "Table",
    "Union",
    "UnitAggregation",
    "UnitStatistic",
    "find_owner_join",
    "find_population_join",
    "list_inputs",
    "list_schemas",
]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table, as its schema reads them."""

    schema: Schema

    @property
    def columns(self) -> Mapping[str, Range]:
        """The name and range of each column."""
        return {column.name: column.range for column in self.schema.columns}

    @property
    def unit(self) -> str | None:
        """The id column; "row" if every row is a unit; None if the table is public."""
        return self.schema.unit


class _SingleSource:
    """A node that hands on the unit of its source."""

    __slots__ = ()
    source: RelationNode

    @property
    def unit(self) -> str | None:
        """The unit of the source."""
        return self.source.unit


@dataclass(frozen=True, slots=True)
class Filter(_SingleSource):
    """The rows for which the condition is true; NULL is not true."""

    source: RelationNode
    condition: Expression

    def __post_init__(self) -> None:
        if infer_range(self.condition, self.columns).type != "boolean":
            raise InvalidArgument("condition", "must be a boolean expression")

    @property
    def columns(self) -> Mapping[str, Range]:
        """The columns of the source."""
        return self.source.columns


@dataclass(frozen=True, slots=True)
class Project(_SingleSource):
    """New columns computed from those of each row; the old ones are gone."""

    source: RelationNode
    outputs: tuple[tuple[str, Expression], ...]

    def __post_init__(self) -> None:
        if len({name for name, _ in self.outputs}) != len(self.outputs):
            raise InvalidArgument(
                "outputs", "must have different names", [name for name, _ in self.outputs]
            )

    @property
    def columns(self) -> Mapping[str, Range]:
        """The ranges of the outputs, inferred from the expressions each time: a name carries
        nothing over.
        """
        known = self.source.columns
        return {name: infer_range(expression, known) for name, expression in self.outputs}


@dataclass(frozen=True, slots=True)
class Join(_SingleSource):
    """Each row beside its matches: the rows of ``other`` with equal values in ``on`` (own column,
    column there).

    The columns of a match get the names in ``added_columns`` (name, column there). A row without a
    match is dropped, or with ``keeps_unmatched`` has NULL in the added columns.

    ``other`` is public, or about the same units: then matches belong to the same unit as well, so
    the result for a row depends on the rows of that unit only. ``max_matches`` limits the public
    matches of a row to those that come first by the added columns, NULL last; None leaves the limit
    to ``Bound``.

    With a ``second_population``, ``other`` is about another population: a row matches one row
    there, the first by the added columns of the unit that it references, and belongs to both units
    from then on. docs/decisions/0011 has the proof; only ``Filter`` and ``Project`` stand above
    such a join.

    With ``truncations``, of the source and of ``other``, rows of different units meet: each side is
    truncated, and rows with equal keys are joined. The key "" is the unit id of a side. The unit of
    the result is "row"; docs/decisions/0018 bounds the rows that one unit changes.
    """

    source: RelationNode
    other: RelationNode
    on: tuple[tuple[str, str], ...]
    added_columns: tuple[tuple[str, str], ...]
    max_matches: int | None = None
    keeps_unmatched: bool = False
    second_population: SecondPopulation | None = None
    truncations: tuple[Truncation, Truncation] | None = None

    def __post_init__(self) -> None:
        if self.max_matches is not None:
            object.__setattr__(self, "max_matches", parse_whole(self.max_matches, "max_matches"))
        if self.other.unit is None and not self.on:
            raise InvalidArgument("on", "must name columns to join the public rows on")
        by_unit = (
            self.source.unit not in (None, "row")
            and self.other.unit != "row"
            and self.max_matches == (self.second_population and 1)
        )
        if (
            not (self.other.unit is None or by_unit or self.truncations)
            or find_owner_join(self.source)
            or find_owner_join(self.other)
        ):
            raise InvalidArgument(
                "other",
                "must be public, or joined unit by unit without max_matches, and neither side may"
                " join two populations or rows of different units",
            )
        if self.second_population is not None:
            self._check_second_population(self.second_population)
        here, there = self.source.columns, self.other.columns
        if self.truncations is not None:
            here, there = self._check_truncations(self.truncations)
        names = [name for name, _ in self.added_columns]
        if len(set(names)) != len(names) or not set(names).isdisjoint(here):
            raise InvalidArgument(
                "added_columns",
                "must have different names, and none that the source has",
                self.added_columns,
            )
        if (
            not {own for own, _ in self.on} <= set(here)
            or not {theirs for _, theirs in self.on} <= set(there)
            or not {theirs for _, theirs in self.added_columns} <= set(self.other.columns)
        ):
            raise InvalidArgument(
                "on", "must name columns of the two sides, like the added columns", self.on
            )
        for own, theirs in self.on:  # or an engine might fail on data of another type
            check_same_type([here[own], there[theirs]], "A join")

    def _check_second_population(self, second: SecondPopulation) -> None:
        usable = {name for name, known in self.source.columns.items() if known.type != "real"}
        if (
            self.on
            or self.keeps_unmatched
            or self.other.unit is None
            or not {second.id_column, *second.other_columns} <= usable
        ):
            raise InvalidArgument(
                "second_population",
                "must be referenced by columns of the source that are not real, and by nothing"
                " else",
                second,
            )
        own, theirs = (
            {schema.table for schema in list_schemas(side) if schema.unit is not None}
            for side in (self.source, self.other)
        )
        if own & theirs:
            raise InvalidArgument(
                "second_population",
                "must have tables of its own, which the first population does not have",
                sorted(own & theirs),
            )

    def _check_truncations(
        self, truncations: tuple[Truncation, Truncation]
    ) -> list[dict[str, Range]]:
        """Return the columns of both sides, each with its unit id, unless rows are units."""
        sides = (self.source, self.other)
        known = [
            {**side.columns, **({} if one is None else {"": one.range})}
            for side, one in ((side, list_schemas(side)[0].id_column) for side in sides)
        ]
        reals = [{name for name, one in side.items() if one.type == "real"} for side in known]
        units = {side.unit == "row" for side in sides}
        if (
            (self.max_matches, self.keeps_unmatched, self.second_population) != (None, False, None)
            or None in (self.source.unit, self.other.unit)
            or len(units) > 1
            or (True in units and {one.max_rows_per_unit for one in truncations} != {1})
            or not self.on
            or any(own in reals[0] or theirs in reals[1] for own, theirs in self.on)
        ):
            raise InvalidArgument(
                "truncations",
                "must be of two sides with units of one kind, one row per unit if rows are units,"
                " inner-joined on keys that are not real",
                truncations,
            )
        return known

    @property
    def unit(self) -> str | None:
        """The unit of the source; "row" where rows of different units are joined."""
        return self.source.unit if self.truncations is None else "row"

    @property
    def columns(self) -> Mapping[str, Range]:
        """The columns of the source, then the added ones."""
        there = self.other.columns
        added = {name: there[column] for name, column in self.added_columns}
        if self.keeps_unmatched:
            added = {name: known.with_changes(nullable=True) for name, known in added.items()}
        return {**self.source.columns, **added}


@dataclass(frozen=True, slots=True)
class Union:
    """The rows of several sources about the same units, with the same columns, duplicates kept."""

    sources: tuple[RelationNode, ...]

    def __post_init__(self) -> None:
        shapes = {
            tuple((name, known.type) for name, known in source.columns.items())
            for source in self.sources
        }
        if len(self.sources) < 2 or len(shapes) > 1:
            raise InvalidArgument(
                "sources", "must be two or more, with columns of the same names and types"
            )
        if len({source.unit == "row" for source in self.sources}) > 1 or any(
            source.unit is None or find_owner_join(source) for source in self.sources
        ):
            raise InvalidArgument(
                "sources", "must be about the same units, and must not join rows of two units"
            )

    @property
    def columns(self) -> Mapping[str, Range]:
        """The hull of the ranges of all sources; a bound that one source lacks is missing."""
        sides = [source.columns for source in self.sources]
        ranges = {name: [columns[name] for columns in sides] for name in sides[0]}
        return {
            name: compute_hull(known, "UNION ALL", nullable=any(each.nullable for each in known))
            for name, known in ranges.items()
        }

    @property
    def unit(self) -> str | None:
        """The id column of the first source; each source hands on its own."""
        return self.sources[0].unit


@dataclass(frozen=True, slots=True)
class UnitAggregation(_SingleSource):
    """One row for each unit and combination of the ``keys``: the keys, then the ``outputs``. It
    depends on the rows of that unit only.
    """

    source: RelationNode
    keys: tuple[str, ...]
    outputs: tuple[tuple[str, UnitStatistic], ...]

    def __post_init__(self) -> None:
        names = [*self.keys, *(name for name, _ in self.outputs)]
        if len(set(names)) != len(names):
            raise InvalidArgument("outputs", "must have different names, and none of a key", names)
        if self.source.unit in (None, "row") or find_owner_join(self.source):
            raise InvalidArgument("source", "must be about units with ids, of one population")
        known = self.source.columns
        used = {one.column for _, one in self.outputs if one.column is not None}
        if unknown := {*self.keys, *used} - set(known):
            raise InvalidArgument(
                "outputs", "must aggregate columns of the source, like the keys", sorted(unknown)
            )
        for name, statistic in self.outputs:
            if statistic.column is not None:
                statistic.check_type(known[statistic.column].type, name)

    @property
    def columns(self) -> Mapping[str, Range]:
        """The keys, then the outputs."""
        known = self.source.columns
        return {
            **{key: known[key] for key in self.keys},
            **{name: statistic.range(known) for name, statistic in self.outputs},
        }


RelationNode = Table | Filter | Project | Join | Union | UnitAggregation


@dataclass(frozen=True, slots=True)
class PopulationJoin:
    """A join of two populations: the second one, and for each key of the plan whether the unit of
    the second population alone determines it.
    """

    population: SecondPopulation
    determined_keys: tuple[bool, ...]


def find_owner_join(rows: RelationNode) -> Join | None:
    """Return the join whose rows belong to two units, below filters and projections, or None."""
    while isinstance(rows, Filter | Project):
        rows = rows.source
    join = rows if isinstance(rows, Join) else None
    return join if join and (join.second_population or join.truncations) else None


def find_population_join(rows: RelationNode, keys: tuple[str, ...] = ()) -> PopulationJoin | None:
    """Return the join of two populations at the bottom of these rows, or None.

    Each key must have one value in each reference of a unit: it is computed from the columns of the
    reference and from those that the second population adds.
    """
    origins = [{key} for key in keys]
    while isinstance(rows, Filter | Project):
        if isinstance(rows, Project):
            outputs = {name: set(find_columns(value)) for name, value in rows.outputs}
            origins = [set[str]().union(*(outputs[name] for name in names)) for names in origins]
        rows = rows.source
    if not isinstance(rows, Join) or rows.second_population is None:
        return None
    second = rows.second_population
    theirs = {second.id_column, *(name for name, _ in rows.added_columns)}
    if not all(names <= theirs.union(second.other_columns) for names in origins):
        raise InvalidArgument(
            "keys",
            "must be computed from the columns of the reference and of the second population",
            keys,
        )
    return PopulationJoin(second, tuple(names <= theirs for names in origins))


def list_inputs(rows: RelationNode) -> tuple[RelationNode, ...]:
    """Return the relations directly below a node, the one that hands on its unit first."""
    if isinstance(rows, Table | Union):
        return () if isinstance(rows, Table) else rows.sources
    return (rows.source, rows.other) if isinstance(rows, Join) else (rows.source,)


def list_schemas(rows: RelationNode) -> list[Schema]:
    """Return the schema of each table as often as it is read, first the one that gives the unit."""
    if isinstance(rows, Table):
        return [rows.schema]
    return [schema for source in list_inputs(rows) for schema in list_schemas(source)]
