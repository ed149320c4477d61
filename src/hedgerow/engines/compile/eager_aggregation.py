"""Eager aggregation: one side of a join is summed before the other side is joined.

| symbol | meaning |
|---|---|
| n, s | a unit's rows on the summed side, and the sum of their values |
| m | the unit's rows in one group on the grouped side |
| c | the rows of a unit that count in a group (``max_rows``) |

Where rows join all rows of the same unit, and on nothing else, a unit has every pair of a row here
and a row there. If all summed columns come from one side and all keys from the other, the unit has
n m joined rows in the group, whose values sum to s m. So each side is aggregated on its own, and
only one line for each unit is joined.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.compiled_relation import (
    UNIT_COLUMN,
    alias_partner,
    build_same_unit,
    merge_names,
)
from hedgerow.engines.compile.group_keys import KeyedRelation, encode_keys, needs_group_bound
from hedgerow.engines.compile.relations import RelationCompiler
from hedgerow.engines.compile.sql_builders import (
    NamedExpressions,
    binary,
    build_extreme,
    call_function,
    case_when,
    column,
    integer_literal,
    select,
)
from hedgerow.engines.compile.sums import SumCompiler
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Filter, Join, Project, RelationNode
from hedgerow.plan.scalar.expressions import ColumnRef, find_columns

__all__ = ["JoinSides", "compile_split_sums", "find_join_sides", "split_join"]

_MAX_SPLIT_ROWS: Final = 2**17  # (2^17)^2 rows with values up to 2^26 have sums within 61 bits
_MULTIPLICITY: Final = "m"
_UNIT_ROWS: Final = "once"


@dataclass(frozen=True, slots=True)
class JoinSides:
    """The side of a join with the summed columns, and the side with the group keys."""

    summed: RelationNode
    grouped: RelationNode


def split_join(
    rows: RelationNode, keys: Collection[str], columns: Collection[str]
) -> JoinSides | None:
    """Split a join, with the filters and projections above it, into its two sides.

    None where a condition compares the sides, or keys and summed columns share a side.
    """
    layers: list[Filter | Project] = []
    while isinstance(rows, Filter | Project):
        layers.append(rows)
        rows = rows.source
    if not isinstance(rows, Join) or not _is_unit_cross_join(rows):
        return None
    sides: list[RelationNode] = [
        rows.source,
        Project(rows.other, tuple((name, ColumnRef(there)) for name, there in rows.added_columns)),
    ]
    names = [set(rows.source.columns), {name for name, _ in rows.added_columns}]
    for layer in reversed(layers):
        if isinstance(layer, Filter):
            used = set(find_columns(layer.condition))
            side = next((side for side in (0, 1) if used <= names[side]), None)
            if side is None:
                return None
            sides[side] = Filter(sides[side], layer.condition)
            continue
        for side in (0, 1):
            outputs = tuple(
                (name, value)
                for name, value in layer.outputs
                if set(find_columns(value)) <= names[side]
            )
            sides[side] = Project(sides[side], outputs)
            names[side] = {name for name, _ in outputs}
    for here, there in ((0, 1), (1, 0)):
        if set(columns) <= names[here] and set(keys) <= names[there]:
            return JoinSides(sides[here], sides[there])
    return None


def _is_unit_cross_join(join: Join) -> bool:
    return (
        join.other.unit is not None
        and not join.on
        and not join.keeps_unmatched
        and join.max_matches is None
        and join.second_population is None
    )


def find_join_sides(plan: Aggregate, measures: Sequence[Measure]) -> JoinSides | None:
    """Split the join of a plan, where multiplying the sums of a side stays within 64 bits."""
    if (
        plan.population_join is not None
        or plan.bound.max_rows > _MAX_SPLIT_ROWS
        or any(measure.sum_bounds is not None for measure in measures)
    ):
        return None
    summed = [name for measure in measures for name in measure.columns]
    return split_join(plan.bound.source, plan.bound.keys, summed)


def compile_split_sums(
    plan: Aggregate,
    measures: tuple[Measure, ...],
    sides: JoinSides,
    compiler: RelationCompiler,
    *,
    text_ids: bool,
) -> tuple[exp.Select, SumCompiler]:
    """Compile the sums of each unit on one side, its first groups on the other, and their join."""
    bound = plan.bound
    here = compiler.compile(
        sides.summed, merge_names([], (name for measure in measures for name in measure.columns))
    )
    sums = SumCompiler(measures, bound.max_rows, here.columns, bound.source, compiler.dialect)
    parts = sums.build_unit_sums()
    unit_sums = select([(UNIT_COLUMN, column(UNIT_COLUMN)), *parts], here.query).group_by(
        column(UNIT_COLUMN), copy=False
    )
    rows = encode_keys(plan, compiler.compile(sides.grouped, bound.keys), compiler.dialect)
    groups, unit_rows = _select_groups(rows, text_ids=text_ids)
    names = [UNIT_COLUMN, *(name for name, _ in rows.name_keys())]
    times = _build_multiplicity(bound.max_rows)
    products = [(name, binary(column(name, "p"), exp.Mul, times.copy())) for name, _ in parts]
    pairs = select([*((name, column(name, "s")) for name in names), *products], groups).join(
        alias_partner(unit_sums), on=build_same_unit(), join_type="inner", copy=False
    )
    final = rows.aggregate_by_key(sums.total_units(), pairs)
    if unit_rows is not None:
        name = exp.to_identifier(_UNIT_ROWS, quoted=True)
        final = final.with_(name, unit_rows, materialized=True, copy=False)
    return final, sums


def _select_groups(found: KeyedRelation, *, text_ids: bool) -> tuple[exp.Select, exp.Select | None]:
    """Select the groups of each unit that count, with its number of rows in each.

    The second result is a query that has to run first, if any. The groups most often come from a
    table with one row for each unit, and a unit with one row is in one group: no sort is needed.
    """
    plan = found.plan
    keys = [column(f"k{i}") for i in range(len(plan.bound.keys))]
    types = [plan.bound.columns[key].type for key in plan.bound.keys]
    named = [(UNIT_COLUMN, column(UNIT_COLUMN)), *((key.name, key) for key in keys)]
    rows = select(
        [(UNIT_COLUMN, column(UNIT_COLUMN)), *found.name_keys()],
        found.relation.query,
        found.conditions,
    )
    if not needs_group_bound(plan):
        return _count_group_rows(rows, named), None
    times, once = column(_MULTIPLICITY), exp.Table(this=exp.to_identifier(_UNIT_ROWS, quoted=True))
    unit_rows = select(
        [
            named[0],
            *(
                (key.name, build_extreme(key, type_))
                for key, type_ in zip(keys, types, strict=True)
            ),
            (_MULTIPLICITY, exp.Count(this=exp.Star())),
        ],
        rows.copy(),
    )
    unit_rows = unit_rows.group_by(column(UNIT_COLUMN), copy=False)
    counted = [*named, (_MULTIPLICITY, times)]
    single = select(
        [(name, value.copy()) for name, value in counted],
        once,
        [binary(times.copy(), exp.EQ, integer_literal(1))],
    )
    several_ids = select(
        [(UNIT_COLUMN, column(UNIT_COLUMN))],
        once.copy(),
        [binary(times.copy(), exp.GT, integer_literal(1))],
    )
    several = rows.where(
        exp.In(this=column(UNIT_COLUMN), query=exp.Subquery(this=several_ids)), copy=False
    )
    first = found.keep_first_groups(_count_group_rows(several, named), text_ids=text_ids)
    both = exp.Subquery(
        this=exp.Union(this=single, expression=first, distinct=False),
        alias=exp.TableAlias(this=exp.to_identifier("s", quoted=True)),
    )
    return select([(name, value.copy()) for name, value in counted], both), unit_rows


def _count_group_rows(rows: exp.Select, named: NamedExpressions) -> exp.Select:
    count = (_MULTIPLICITY, exp.Count(this=exp.Star()))
    counted = select([*((name, value.copy()) for name, value in named), count], rows)
    return counted.group_by(*(value.copy() for _, value in named), copy=False)


def _build_multiplicity(max_rows: int) -> exp.Expr:
    """Build the factor for a unit's sums: its rows m in the group, cut so that products stay small.

    With more than c joined rows, the unit contributes trunc(s m c / (n m)) = trunc(s c / n): the
    same for every m with n m > c. So m may be cut to 1 where n > c, and to c + 1 elsewhere.
    """
    above = binary(column("n", "p"), exp.GT, integer_literal(max_rows))
    return case_when(
        (above, integer_literal(1)),
        otherwise=call_function("least", column(_MULTIPLICITY, "s"), integer_literal(max_rows + 1)),
    )
