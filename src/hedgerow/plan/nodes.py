"""The nodes of a plan.

    Aggregate(Group(Bound( … Project(Filter(Table)) … )))

``Table`` reads what the policy declares, ``Filter`` and ``Project`` work row by row, ``Union`` puts
rows of one population together, ``Join`` puts rows beside public ones, or beside others of the same
unit, and ``UnitAggregation`` makes one row of all that a unit has. ``Bound`` comes last before
``Group``: of each unit it keeps at most ``max_groups`` groups, and of each of those at most
``max_rows`` rows' worth. Its order within a unit depends on nothing but that unit's own rows.
Nothing stands between it and the sums, so nothing can merge or multiply rows after it.

The id of the unit is not a column of the question: every node below ``Bound`` hands it on
untouched, and rows without one are dropped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from hedgerow.errors import InvalidArgument, Unbounded
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.plan.contingency import WORD_LIMIT, Contingency
from hedgerow.plan.measures import ClampedGrid, Measure, SecondPopulation, UnitReach
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import ColumnRef, Expression, find_columns, infer_range
from hedgerow.plan.scalar.logic import check_same_type, compute_hull
from hedgerow.plan.schema import Schema
from hedgerow.plan.values import Range, Value
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit

__all__ = ["Aggregate", "Bound", "Filter", "Group", "Join", "UnitAggregation", "UnitStatistic"]
__all__ += ["AnyMeasure", "Node", "Project", "RelationNode", "Table", "Union", "list_schemas"]


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


class _SingleSource:
    """What is made of the rows of a source hands on their unit."""

    __slots__ = ()
    source: RelationNode

    @property
    def unit(self) -> str | None:
        """As that of the source."""
        return self.source.unit


@dataclass(frozen=True, slots=True)
class Filter(_SingleSource):
    """The rows for which the condition holds; NULL does not hold."""

    source: RelationNode
    condition: Expression

    def __post_init__(self) -> None:
        if infer_range(self.condition, self.columns).type != "boolean":
            raise InvalidArgument("condition", "must be a condition")

    @property
    def columns(self) -> Mapping[str, Range]:
        """As those of the source."""
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
        """Ranges follow from the expressions, anew each time: a name carries nothing over."""
        known = self.source.columns
        return {name: infer_range(expression, known) for name, expression in self.outputs}


@dataclass(frozen=True, slots=True)
class Join(_SingleSource):
    """Each row beside the rows of ``other`` that agree with it on ``on`` (own column, column
    there), whose columns take the names in ``adds`` (name, column there). A row without a partner
    is dropped, or with ``keeps`` has NULL in the added columns.

    ``other`` is public, or about the same units: then partners always belong to the same unit as
    well, so what a row becomes depends on nothing but that unit's rows. ``matches`` is the limit of
    public partners a row has, those counting that come first by what they add, NULL last; None
    where the limit is left to ``Bound``.

    With ``others``, ``other`` is about another population: a row meets one row there, the first by
    what it adds of the unit that it names, and belongs to both from then on. docs/decisions/0011
    has the proof; nothing but ``Filter`` and ``Project`` stands above such a join.
    """

    source: RelationNode
    other: RelationNode
    on: tuple[tuple[str, str], ...]
    added_columns: tuple[tuple[str, str], ...]
    max_matches: int | None = None
    keeps_unmatched: bool = False
    second_population: SecondPopulation | None = None

    def __post_init__(self) -> None:
        if self.max_matches is not None:
            object.__setattr__(self, "max_matches", parse_whole(self.max_matches, "matches"))
        if self.other.unit is None and not self.on:
            raise InvalidArgument("on", "must name columns that agree with the public rows")
        ids = (
            self.source.unit not in (None, "row")
            and self.other.unit != "row"
            and self.max_matches == (self.second_population and 1)
        )
        if (
            not (self.other.unit is None or ids)
            or _find_population_join(self.source)
            or _find_population_join(self.other)
        ):
            raise InvalidArgument(
                "other",
                "must be public, or be joined unit by unit without a limit of partners, where"
                " nobody met others",
            )
        here, there = self.source.columns, self.other.columns
        named = self.second_population is None or {
            self.second_population.id_column,
            *self.second_population.other_columns,
        } <= {name for name in here if here[name].type != "real"}
        if self.second_population is not None and (
            self.on or self.keeps_unmatched or self.other.unit is None or not named
        ):
            raise InvalidArgument(
                "others",
                "must be named by columns of the source that are no reals, and by nothing else",
                self.second_population,
            )
        mine, others = (
            {one.table for one in list_schemas(side) if one.unit is not None}
            for side in (self.source, self.other)
        )
        if self.second_population is not None and mine & others:
            raise InvalidArgument(
                "others",
                "must be of another population, whose tables are no tables of this one",
                sorted(mine & others),
            )
        names = [name for name, _ in self.added_columns]
        if len(set(names)) != len(names) or not set(names).isdisjoint(here):
            raise InvalidArgument(
                "adds",
                "must have different names, and such that the source does not have",
                self.added_columns,
            )
        if not {own for own, _ in self.on} <= set(here) or not {
            theirs for _, theirs in (*self.on, *self.added_columns)
        } <= set(there):
            raise InvalidArgument(
                "on", "must be of columns of the two sides, like what is added", self.on
            )
        for own, theirs in self.on:  # or an engine might fail where the data do not look alike
            check_same_type([here[own], there[theirs]], "A join")

    @property
    def columns(self) -> Mapping[str, Range]:
        """Those of the source, then the added ones."""
        there = self.other.columns
        added = {name: there[column] for name, column in self.added_columns}
        return {
            **self.source.columns,
            **(
                {name: known.with_changes(nullable=True) for name, known in added.items()}
                if self.keeps_unmatched
                else added
            ),
        }


@dataclass(frozen=True, slots=True)
class Union:
    """The rows of several sources about the same units, with the same columns, duplicates kept."""

    sources: tuple[RelationNode, ...]

    def __post_init__(self) -> None:
        if (
            len(self.sources) < 2
            or len(
                {tuple((n, r.type) for n, r in source.columns.items()) for source in self.sources}
            )
            > 1
        ):
            raise InvalidArgument(
                "sources", "must be two or more with columns of the same names and types"
            )
        if len({s.unit == "row" for s in self.sources}) > 1 or any(
            s.unit is None or _find_population_join(s) for s in self.sources
        ):
            raise InvalidArgument("sources", "must be about the same units, who met nobody")

    @property
    def columns(self) -> Mapping[str, Range]:
        """The hull of the ranges; a bound that one source lacks is lacking."""
        each = [source.columns for source in self.sources]
        ranges = {name: [columns[name] for columns in each] for name in each[0]}
        return {
            name: compute_hull(known, "UNION ALL", nullable=any(one.nullable for one in known))
            for name, known in ranges.items()
        }

    @property
    def unit(self) -> str | None:
        """The id column of the first source: each source hands on its own."""
        return self.sources[0].unit


@dataclass(frozen=True, slots=True)
class UnitStatistic:
    """What becomes of the rows of one unit: how many there are, how many values, how many different
    ones, their total or mean on the grid of ``snap``, the least or the greatest.

    With s the sum of the snapped values in steps, cut to +-2^62, so that no order of rows shows: a
    ``total`` of reals is s * a / b in doubles, left to right, for a step of a/b; one of whole
    numbers is s times the step, where s is cut to +-2^62 // step instead. The ``mean`` is s * a / b
    / (how many values), in doubles. Both are NULL where there is no value.
    """

    kind: Literal["rows", "values", "distinct", "total", "mean", "least", "greatest"]
    column: str | None = None
    grid: ClampedGrid | None = None

    def __post_init__(self) -> None:
        if (self.column is None) != (self.kind == "rows") or (self.grid is None) != (
            self.kind not in ("total", "mean")
        ):
            raise InvalidArgument(
                "folded", "must have a column for values, and a snap for sums of them", self.kind
            )
        if (
            self.grid is not None
            and max(self.grid.step.numerator, self.grid.step.denominator) > 2**900
        ):
            raise InvalidArgument(
                "snap", "must have a step whose parts doubles can hold", self.grid
            )

    def range(self, columns: Mapping[str, Range]) -> Range:
        """What is known of it. How many rows a unit has is not, so a count has no upper bound
        and a total none until it is clamped.
        """
        if self.column is None or self.kind in ("values", "distinct"):
            return Range("integer", Fraction(0), step=Fraction(1), nullable=False)
        known = columns[self.column]
        if self.kind in ("least", "greatest"):
            return known.with_changes(nullable=True)
        if self.kind == "total":
            assert self.grid is not None
            low, high = (
                Fraction(0) if sure else None for sure in (self.grid.low >= 0, self.grid.high <= 0)
            )
            return Range(known.type, low, high, self.grid.step)
        return Range("real", known.low, known.high)


@dataclass(frozen=True, slots=True)
class UnitAggregation(_SingleSource):
    """One row for each unit and combination of the ``keys``: them, and the ``outputs``. It
    depends on the rows of that unit alone.
    """

    source: RelationNode
    keys: tuple[str, ...]
    outputs: tuple[tuple[str, UnitStatistic], ...]

    def __post_init__(self) -> None:
        names = [*self.keys, *(name for name, _ in self.outputs)]
        if len(set(names)) != len(names):
            raise InvalidArgument(
                "outputs", "must have different names, and not those of keys", names
            )
        if self.source.unit in (None, "row") or _find_population_join(self.source):
            raise InvalidArgument(
                "source",
                "must be about units with an id, who met nobody: there is nothing to fold"
                " otherwise",
            )
        known = self.source.columns
        used = {
            *self.keys,
            *(folded.column for _, folded in self.outputs if folded.column is not None),
        }
        if not used <= set(known):
            raise InvalidArgument(
                "outputs",
                "must be of columns of the source, like the keys",
                sorted(used - set(known)),
            )
        for name, folded in self.outputs:
            if folded.grid is not None and known[str(folded.column)].type not in (
                "integer",
                "real",
            ):
                raise InvalidArgument("outputs", "must add up numbers", name)
            whole_steps = folded.grid is None or (
                folded.grid.step.denominator == 1 and folded.grid.step <= 2**62
            )
            if (
                folded.kind == "total"
                and known[str(folded.column)].type == "integer"
                and not whole_steps
            ):
                raise InvalidArgument(
                    "outputs", "must add up whole numbers in whole steps, of at most 2^62", name
                )
            if folded.kind in ("least", "greatest") and known[str(folded.column)].type not in (
                "integer",
                "real",
                "date",
            ):
                raise InvalidArgument("outputs", "must compare numbers or dates", name)

    @property
    def columns(self) -> Mapping[str, Range]:
        """The keys as they are, then the outputs."""
        known = self.source.columns
        return {
            **{key: known[key] for key in self.keys},
            **{name: folded.range(known) for name, folded in self.outputs},
        }


RelationNode = Table | Filter | Project | Join | Union | UnitAggregation
AnyMeasure = Measure | OrderStatistic | Contingency


@dataclass(frozen=True, slots=True)
class Bound:
    """What counts of each unit: at most ``max_groups`` groups (combinations of the ``keys``), in
    each at most ``max_rows`` rows' worth.

    Kept are the groups that come first by (rank of the unit and the group, group): a total order
    within the unit.
    """

    source: RelationNode
    keys: tuple[str, ...]
    max_groups: int
    max_rows: int

    def __post_init__(self) -> None:
        for name in ("max_groups", "max_rows"):
            object.__setattr__(self, name, parse_whole(getattr(self, name), name))
        if len(set(self.keys)) != len(self.keys) or not set(self.keys) <= set(self.columns):
            raise InvalidArgument("keys", "must be different columns of the source", self.keys)
        if self.source.unit is None:
            raise InvalidArgument("source", "must be about somebody: a public table needs no bound")
        if self.source.unit == "row" and (self.max_groups, self.max_rows) != (1, 1):
            raise InvalidArgument(
                "max_groups",
                "must be 1, like max_rows, where every row is a unit of its own",
                self.max_groups,
            )
        if self.source.unit == "row" and _can_multiply_rows(self.source):
            raise Unbounded(
                "A row that is a unit of its own may meet several rows of the public table: join on"
                " columns that are unique there."
            )
        if self.source.unit == "row" and len(
            set(units := [one.table for one in list_schemas(self.source) if one.unit])
        ) < len(units):
            raise Unbounded(
                "A row that is a unit of its own would count several times: read its table once."
            )

    @property
    def columns(self) -> Mapping[str, Range]:
        """As those of the source."""
        return self.source.columns


@dataclass(frozen=True, slots=True)
class Group:
    """The bounded rows by their ``keys``. With ``domain``, a tuple of values a key, exactly those
    groups, empty ones as well, and rows of other groups are dropped *before* ``Bound`` picks;
    without, the groups there are."""

    source: Bound
    domain: tuple[tuple[Value, ...], ...] | None = ()

    def __post_init__(self) -> None:
        if self.domain is not None and len(self.domain) != len(self.source.keys):
            raise InvalidArgument("domain", "must list the values of every key, or be None")
        if any(
            not values or None in values or len(set(values)) != len(values)
            for values in self.domain or ()
        ):
            raise InvalidArgument(
                "domain", "must list different values for every key, at least one, and not NULL"
            )

    @property
    def keys(self) -> tuple[str, ...]:
        """The key columns."""
        return self.source.keys

    @property
    def cells(self) -> int | None:
        """How many groups there are; None when only the data know."""
        return None if self.domain is None else math.prod(map(len, self.domain))


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The whole numbers that a question needs: the measures of every group."""

    source: Group
    measures: tuple[AnyMeasure, ...]

    def __post_init__(self) -> None:
        if not self.measures or len(set(self.measures)) != len(self.measures):
            raise InvalidArgument("measures", "must be different, and at least one")
        known = self.bound.columns
        if any(isinstance(measure, Contingency) for measure in self.measures) and (
            len(self.measures),
            self.source.domain,
        ) != (1, ()):
            raise InvalidArgument(
                "measures", "must be combinations alone, of all rows: make the keys attributes"
            )
        for measure in self.measures:
            if not set(measure.columns) <= set(known):
                raise InvalidArgument(
                    "measures", "must be of columns of the source", measure.columns
                )
            if (
                isinstance(measure, Measure | Contingency)
                and measure.resolution > 1
                and self.bound.source.unit == "row"
            ):
                raise InvalidArgument(
                    "measures",
                    "must count whole steps where every row is a unit: none is scaled",
                    measure.resolution,
                )
            if (
                isinstance(measure, Contingency)
                and measure.resolution > 1
                and measure.resolution * self.bound.max_rows > WORD_LIMIT
            ):
                raise InvalidArgument(
                    "measures",
                    "must have parts of which no unit has more than 2^62",
                    measure.resolution,
                )
            if (measure.grid or isinstance(measure, Contingency)) and not {
                known[c].type for c in measure.columns
            } <= _MEASURABLE_TYPES[type(measure)]:
                raise InvalidArgument(
                    "measures",
                    "must be of numbers, whole ones where they are codes",
                    measure.columns,
                )
        plain = all(
            isinstance(measure, Measure) and measure.kind != "distinct" and not measure.sum_bounds
            for measure in self.measures
        )
        # that a unit has with one it met
        groups = (
            0
            if self.population_join is None
            else min(self.population_join[0].max_references, self.source.cells or 0)
        )
        if self.population_join is not None and (
            self.source.domain is None or not plain or self.bound.max_groups < groups
        ):
            raise InvalidArgument(
                "measures",
                "must be counts, sums and moments of all declared groups where two populations"
                " meet",
            )

    @property
    def bound(self) -> Bound:
        """The caps."""
        return self.source.source

    @property
    def population_join(self) -> tuple[SecondPopulation, list[bool]] | None:
        """How two populations meet, and for each key whether which of the others it is decides
        it; None where the plan is about one.
        """
        return _find_population_join(self.bound.source, self.bound.keys)

    def reach(self, unit: Unit) -> UnitReach:
        """How far one unit reaches in this plan; where it meets others, how far one of its bonds
        does.
        """
        if (unit.owner == "row") != (self.bound.source.unit == "row"):
            raise InvalidArgument(
                "unit", "must be the one that the tables of the plan declare", unit.owner
            )
        groups = self.bound.max_groups if self.population_join is None else 1
        return UnitReach(
            groups, self.bound.max_rows, self.source.cells, unit.relation == "change-one"
        )

    def sensitivity(self, unit: Unit) -> tuple[Sensitivity, ...]:
        """How far one unit moves each measure, all groups together. Never looks at data."""
        reach = self.reach(unit)
        bonds = 1 if self.population_join is None else self.population_join[0].max_references
        return tuple(
            measure.sensitivity(reach).group(bonds * unit.group) for measure in self.measures
        )

    def second_population_sensitivity(self, unit: Unit) -> tuple[Sensitivity, ...]:
        """How far one of the others moves each measure. A key that is made of what it adds has
        one value, any other all that there are.
        """
        if self.population_join is None or unit.owner == "row":
            raise InvalidArgument(
                "unit",
                "must be that of others with ids, whom the units of this plan meet",
                unit.owner,
            )
        others, decided = self.population_join
        groups = math.prod(
            1 if one else len(values)
            for one, values in zip(decided, self.source.domain or (), strict=True)
        )
        reach = UnitReach(groups, others.max_rows, self.source.cells, unit.relation == "change-one")
        return tuple(
            measure.second_population_sensitivity(reach).group(unit.group)
            for measure in self.measures
            if isinstance(measure, Measure)
        )


# Dates are chosen by their ordinal, and never added up. Codes are whole numbers.
_MEASURABLE_TYPES: Final = {
    Measure: {"integer", "real"},
    OrderStatistic: {"integer", "real", "date"},
    Contingency: {"integer"},
}

Node = RelationNode | Bound | Group | Aggregate


def _find_population_join(
    rows: RelationNode, keys: tuple[str, ...] = ()
) -> tuple[SecondPopulation, list[bool]] | None:
    """Each key must have one value in each bond: it is made of what tells bonds apart, and of
    what the others add.
    """
    made = [{key} for key in keys]
    while isinstance(rows, Filter | Project):
        outputs = (
            dict(rows.outputs)
            if isinstance(rows, Project)
            else {name: ColumnRef(name) for name in rows.columns}
        )
        made = [{name for one in names for name in find_columns(outputs[one])} for names in made]
        rows = rows.source
    if not isinstance(rows, Join) or rows.second_population is None:
        return None
    theirs = {rows.second_population.id_column, *(name for name, _ in rows.added_columns)}
    if not all(names <= theirs.union(rows.second_population.other_columns) for names in made):
        raise InvalidArgument(
            "keys",
            "must be made of what tells the bonds of a unit apart, and of what the others add",
            keys,
        )
    return rows.second_population, [names <= theirs for names in made]


def _can_multiply_rows(rows: RelationNode) -> bool:
    if isinstance(rows, Table):
        return False
    if isinstance(rows, Union):
        return any(_can_multiply_rows(source) for source in rows.sources)
    return (isinstance(rows, Join) and rows.max_matches != 1) or _can_multiply_rows(rows.source)


def list_schemas(rows: RelationNode) -> list[Schema]:
    """All that are read, as often as they are; first the one that hands on its unit."""
    if isinstance(rows, Table):
        return [rows.schema]
    below = (
        rows.sources
        if isinstance(rows, Union)
        else (rows.source, rows.other)
        if isinstance(rows, Join)
        else (rows.source,)
    )
    return [schema for source in below for schema in list_schemas(source)]
