"""The nodes of a plan.

    Aggregate(Group(Bound( … Project(Filter(Table)) … )))

The relation nodes (``relations``, exported here too) describe rows. ``Bound`` comes last before
``Group``: it keeps at most ``max_groups`` groups of each unit, and in each of those at most
``max_rows`` rows' worth. Its order within a unit depends on that unit's own rows only. Nothing
stands between it and the sums, so nothing can merge or multiply rows after it.

The id of the unit is not a column of the question: every node below ``Bound`` hands it on
untouched, and rows without one are dropped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hedgerow.errors import InvalidArgument, Unbounded
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.plan.contingency import WORD_LIMIT, Contingency
from hedgerow.plan.measures import Measure, Truncation, UnitReach
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.relations import (
    Filter,
    Join,
    PopulationJoin,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
    UnitStatistic,
    find_owner_join,
    find_population_join,
    list_inputs,
    list_schemas,
)
from hedgerow.plan.values import Range, Value
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit

__all__ = [
    "Aggregate",
    "AnyMeasure",
    "Bound",
    "Filter",
    "Group",
    "Join",
    "Node",
    "Project",
    "RelationNode",
    "Table",
    "Union",
    "UnitAggregation",
    "UnitStatistic",
    "list_schemas",
]

AnyMeasure = Measure | OrderStatistic | Contingency


@dataclass(frozen=True, slots=True)
class Bound:
    """The contribution bounds: at most ``max_groups`` groups (combinations of the ``keys``) of each
    unit, and at most ``max_rows`` rows' worth in each.

    The groups that come first by (rank of the unit and the group, group) are kept, a total order
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
            raise InvalidArgument("source", "must have units: a public table needs no bounds")
        if self.source.unit != "row":
            return
        if (self.max_groups, self.max_rows) != (1, 1):
            raise InvalidArgument(
                "max_groups", "must be 1, like max_rows, if every row is a unit", self.max_groups
            )
        join = find_owner_join(self.source)
        for rows in (self.source,) if join is None else list_inputs(join):
            tables = [schema.table for schema in list_schemas(rows) if schema.unit]
            if rows.unit == "row" and _can_multiply_rows(rows):
                raise Unbounded(
                    "Every row is a unit here, and one may match several rows of the public table."
                    " Join on columns that are unique there."
                )
            if rows.unit == "row" and len(set(tables)) < len(tables):
                raise Unbounded(
                    "Every row is a unit here, and would count several times. Read its table once."
                )

    @property
    def columns(self) -> Mapping[str, Range]:
        """The columns of the source."""
        return self.source.columns


@dataclass(frozen=True, slots=True)
class Group:
    """The bounded rows, grouped by their ``keys``.

    With a ``domain``, a tuple of values for each key, exactly these groups come out, including
    empty ones, and rows of other groups are dropped *before* ``Bound`` chooses. Without one, the
    groups that occur come out.
    """

    source: Bound
    domain: tuple[tuple[Value, ...], ...] | None = ()

    def __post_init__(self) -> None:
        lists = self.domain or ()
        if self.domain is not None and len(lists) != len(self.source.keys):
            raise InvalidArgument("domain", "must list the values of every key, or be None")
        if any(not values or None in values or len(set(values)) != len(values) for values in lists):
            raise InvalidArgument(
                "domain", "must list different values for every key, at least one, and not NULL"
            )

    @property
    def keys(self) -> tuple[str, ...]:
        """The key columns."""
        return self.source.keys

    @property
    def cells(self) -> int | None:
        """The number of groups; None if it depends on the data."""
        return None if self.domain is None else math.prod(map(len, self.domain))


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The whole numbers that a question needs: the measures of every group."""

    source: Group
    measures: tuple[AnyMeasure, ...]

    def __post_init__(self) -> None:
        if not self.measures or len(set(self.measures)) != len(self.measures):
            raise InvalidArgument("measures", "must be different, and at least one")
        for measure in self.measures:
            self._check_measure(measure)
        if any(isinstance(measure, Contingency) for measure in self.measures) and (
            len(self.measures),
            self.source.domain,
        ) != (1, ()):
            raise InvalidArgument(
                "measures",
                "must have a contingency table alone, and without keys: make the keys attributes",
            )
        join, cells = self.population_join, self.source.cells
        refused = ("distinct",) if self.truncations is None else ("distinct", "units")
        plain = all(
            isinstance(measure, Measure) and measure.kind not in refused and not measure.sum_bounds
            for measure in self.measures
        )
        if find_owner_join(self.bound.source) is not None and (
            cells is None
            or not plain
            or (join and self.bound.max_groups < min(join.population.max_references, cells))
        ):
            raise InvalidArgument(
                "measures",
                "must be counts, sums and moments of all declared groups where rows belong to two"
                " units",
            )

    def _check_measure(self, measure: AnyMeasure) -> None:
        known = self.bound.columns
        if not set(measure.columns) <= set(known):
            raise InvalidArgument("measures", "must be of columns of the source", measure.columns)
        resolution = 1 if isinstance(measure, OrderStatistic) else measure.resolution
        if resolution > 1 and self.bound.source.unit == "row":
            raise InvalidArgument(
                "measures",
                "must count whole steps if every row is a unit, since none is scaled",
                resolution,
            )
        if (
            isinstance(measure, Contingency)
            and resolution > 1
            and resolution * self.bound.max_rows > WORD_LIMIT
        ):
            raise InvalidArgument(
                "measures", "must have at most 2^62 parts for each unit", resolution
            )
        types = {known[column].type for column in measure.columns}
        if (measure.grid or isinstance(measure, Contingency)) and not types <= _MEASURABLE_TYPES[
            type(measure)
        ]:
            raise InvalidArgument(
                "measures",
                "must be of numbers, and of integers where they are codes",
                measure.columns,
            )

    @property
    def bound(self) -> Bound:
        """The contribution bounds."""
        return self.source.source

    @property
    def population_join(self) -> PopulationJoin | None:
        """The join of two populations, or None if the plan is about one."""
        return find_population_join(self.bound.source, self.bound.keys)

    @property
    def truncations(self) -> tuple[Truncation, Truncation] | None:
        """The caps on both sides of a join across units, or None if no such rows are joined."""
        return getattr(find_owner_join(self.bound.source), "truncations", None)

    def reach(self, unit: Unit) -> UnitReach:
        """Return the reach of one unit in this plan; with two populations, that of one of its
        references; where units are joined, that of a row in whose place another one comes.
        """
        source = (find_owner_join(self.bound.source) or self.bound).source
        if (unit.owner == "row") != (source.unit == "row"):
            raise InvalidArgument(
                "unit", "must be the unit that the tables of the plan declare", unit.owner
            )
        groups = self.bound.max_groups if self.population_join is None else 1
        return UnitReach(
            groups,
            self.bound.max_rows,
            self.source.cells,
            self.truncations is not None or unit.relation == "change-one",
        )

    def sensitivity(self, unit: Unit) -> tuple[Sensitivity, ...]:
        """Return how far one unit moves each measure, all groups together, without data."""
        reach, join = self.reach(unit), self.population_join
        times = unit.group * (1 if join is None else join.population.max_references)
        if self.truncations is not None:
            # docs/decisions/0018: each of its rows on one side meets at most max_rows_per_key rows
            # of the other, and each pair that leaves is replaced by at most one other pair
            (ours, theirs), steps = self.truncations, 1 + (unit.relation == "change-one")
            times *= steps * (
                ours.max_rows_per_unit * theirs.max_rows_per_key
                + theirs.max_rows_per_unit * ours.max_rows_per_key
            )
        return tuple(measure.sensitivity(reach).group(times) for measure in self.measures)

    def second_population_sensitivity(self, unit: Unit) -> tuple[Sensitivity, ...]:
        """Return how far one unit of the second population moves each measure.

        A key that this unit determines has one value; any other key may have all of its values.
        """
        join = self.population_join
        if join is None or unit.owner == "row":
            raise InvalidArgument(
                "unit", "must have ids, and the plan must join a second population", unit.owner
            )
        groups = math.prod(
            1 if determined else len(values)
            for determined, values in zip(
                join.determined_keys, self.source.domain or (), strict=True
            )
        )
        reach = UnitReach(
            groups, join.population.max_rows, self.source.cells, unit.relation == "change-one"
        )
        return tuple(
            measure.second_population_sensitivity(reach).group(unit.group)
            for measure in self.measures
            if isinstance(measure, Measure)
        )


# Dates are selected by their ordinal, and never summed. Codes are integers.
_MEASURABLE_TYPES: Final = {
    Measure: {"integer", "real"},
    OrderStatistic: {"integer", "real", "date"},
    Contingency: {"integer"},
}

Node = RelationNode | Bound | Group | Aggregate


def _can_multiply_rows(rows: RelationNode) -> bool:
    if isinstance(rows, Table):
        return False
    if isinstance(rows, Union):
        return any(_can_multiply_rows(source) for source in rows.sources)
    return (isinstance(rows, Join) and rows.max_matches != 1) or _can_multiply_rows(rows.source)
