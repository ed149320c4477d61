"""The compiler from a plan to SQL statements that cannot fail on any data.

    rows -> one line for each (unit, group): row count and sums -> the unit's first groups
         -> bounded to ``max_rows`` -> summed by group

Where a join allows it, each of its sides is aggregated first (``eager_aggregation``). Distinct
counts, order statistics and contingency tables have a statement of their own. All statements read
the same rows and keep the same groups of each unit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.compiled_relation import (
    SECOND_UNIT_COLUMN,
    UNIT_COLUMN,
    CompiledRelation,
    merge_names,
)
from hedgerow.engines.compile.contingency import compile_contingency
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.eager_aggregation import compile_split_sums, find_join_sides
from hedgerow.engines.compile.expressions import estimate_size
from hedgerow.engines.compile.group_keys import (
    KeyedRelation,
    build_domain_filter,
    encode_keys,
    needs_group_bound,
)
from hedgerow.engines.compile.ordered_values import OrderedValueQuery
from hedgerow.engines.compile.relations import RelationCompiler, iter_expressions
from hedgerow.engines.compile.sql_builders import binary, column, integer_literal, order_by, select
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.compile.stored_tables import StoredTable
from hedgerow.engines.compile.sums import SumCompiler
from hedgerow.engines.result_cells import CompiledPlan
from hedgerow.engines.statement import MAX_ARRAY_SUMS, Statement
from hedgerow.errors import Unsupported
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Filter, Join, RelationNode, Table, Union
from hedgerow.plan.order_statistics import OrderStatistic

__all__ = ["compile_plan", "make_cached_compiler"]

_MAX_SQL_SIZE: Final = 20_000


def compile_plan(
    plan: Aggregate, stored_tables: Mapping[str, StoredTable], dialect: Dialect
) -> CompiledPlan:
    """Compile a plan over stored tables; refuse one whose statements would grow too large."""
    if sum(map(estimate_size, iter_expressions(plan.bound.source))) > _MAX_SQL_SIZE:
        raise Unsupported(
            "This query nests SQRT, LN, %, NULLIF, LEAST or GREATEST too deeply. Split it into"
            " smaller queries."
        )
    units = plan.bound.source.unit != "row"
    compiler = RelationCompiler(
        stored_tables, dialect, units, with_second_units=plan.population_join is not None
    )
    text_ids = units and compiler.find_id_type(plan.bound.source) == "text"
    summed = tuple(
        measure
        for measure in plan.measures
        if isinstance(measure, Measure) and measure.kind != "distinct"
    )
    by_measure = {}
    for place, measure in enumerate(plan.measures):
        if isinstance(measure, Contingency):
            found = compiler.compile(plan.bound.source, measure.columns)
            by_measure[place] = compile_contingency(
                plan, measure, found, dialect, text_ids=text_ids
            )
        elif isinstance(measure, OrderStatistic) or measure.kind == "distinct":
            by_measure[place] = _compile_ordered_values(plan, measure, compiler, text_ids=text_ids)
    # Without a domain, a statement of sums has to find out which groups there are.
    if not summed and plan.source.domain is None:
        summed = (Measure("units"),)
    if not summed:
        return CompiledPlan(None, by_measure)
    # With other statements the join is not split: all must keep the same groups of a unit.
    sides = None if by_measure else find_join_sides(plan, summed)
    if sides is not None:
        final, sums = compile_split_sums(plan, summed, sides, compiler, text_ids=text_ids)
    else:
        final, sums = _compile_sums(plan, summed, compiler, text_ids=text_ids)
    return CompiledPlan(
        _build_statement(plan, final, sums, dialect, is_split=sides is not None), by_measure
    )


def _compile_ordered_values(
    plan: Aggregate,
    measure: Measure | OrderStatistic,
    compiler: RelationCompiler,
    *,
    text_ids: bool,
) -> Statement:
    names = merge_names(plan.bound.keys, measure.columns)
    found = compiler.compile(plan.bound.source, names)
    where, dialect = build_domain_filter(plan, found), compiler.dialect
    query = OrderedValueQuery(plan, measure, found, dialect, where, text_ids=text_ids)
    keys = [plan.bound.columns[key].type for key in plan.bound.keys]
    sql = render_sql(query.build_query(), dialect)
    return Statement(sql, (*keys, *query.extra_keys), query.wide, query.tally)


def _compile_sums(
    plan: Aggregate, measures: tuple[Measure, ...], compiler: RelationCompiler, *, text_ids: bool
) -> tuple[exp.Select, SumCompiler]:
    bound, dialect = plan.bound, compiler.dialect
    found = compiler.compile(
        bound.source,
        merge_names(bound.keys, (name for measure in measures for name in measure.columns)),
    )
    sums = SumCompiler(measures, bound.max_rows, found.columns, bound.source, dialect)
    if not compiler.with_units:
        return _aggregate_rows(plan, found, sums), sums
    rows = encode_keys(plan, found, dialect)
    ids = [UNIT_COLUMN, *([SECOND_UNIT_COLUMN] if compiler.with_second_units else [])]
    keys = rows.name_keys()
    pairs = select(
        [*((name, column(name)) for name in ids), *keys, *sums.build_unit_sums()],
        rows.relation.query,
        rows.conditions,
    )
    pairs = pairs.group_by(*map(column, ids), *(value.copy() for _, value in keys), copy=False)
    if compiler.with_second_units:
        return _aggregate_second_population(rows, pairs, sums), sums
    if needs_group_bound(plan):
        pairs = rows.keep_first_groups(pairs, text_ids=text_ids)
    return rows.aggregate_by_key(sums.total_units(), pairs), sums


def _build_statement(
    plan: Aggregate, final: exp.Select, sums: SumCompiler, dialect: Dialect, *, is_split: bool
) -> Statement:
    keys, known = plan.bound.keys, plan.bound.columns
    if keys:
        final = final.order_by(
            *order_by([column(f"k{i}") for i in range(len(keys))]).expressions, copy=False
        )
    elif plan.source.domain is None:
        final = final.having(
            binary(exp.Count(this=exp.Star()), exp.GT, integer_literal(0)), copy=False
        )
    # An array has a slot for every unit: too many for a query about few, or for pairs of units and
    # groups.
    by_unit = (
        (is_split or not keys)
        and _covers_all_units(plan.bound.source)
        and len(list(final.find_all(exp.AggFunc))) <= MAX_ARRAY_SUMS
    )
    sql = render_sql(final, dialect)
    return Statement(sql, tuple(known[key].type for key in keys), sums.wide, by_unit=by_unit)


def _covers_all_units(rows: RelationNode) -> bool:
    if isinstance(rows, Table | Filter):
        return isinstance(rows, Table) and rows.unit != "row"
    if isinstance(rows, Union):
        return all(map(_covers_all_units, rows.sources))
    if rows.unit == "row":
        return False
    return _covers_all_units(rows.source) and (
        not isinstance(rows, Join) or rows.other.unit is None or _covers_all_units(rows.other)
    )


def make_cached_compiler(
    stored_tables: Mapping[str, StoredTable], dialect: Dialect
) -> Callable[[Aggregate], CompiledPlan]:
    """Return ``compile_plan`` for these tables, with a cache: a plan is prepared, then run."""

    @functools.lru_cache(maxsize=16)
    def compile_cached(plan: Aggregate) -> CompiledPlan:
        try:
            return compile_plan(plan, stored_tables, dialect)
        except RecursionError:  # the depth that fits depends on the caller's stack
            raise Unsupported(
                "This query is nested too deeply. Split it into smaller queries."
            ) from None

    return compile_cached


def _aggregate_rows(plan: Aggregate, found: CompiledRelation, sums: SumCompiler) -> exp.Select:
    """Aggregate rows that are units of their own: there is nothing to bound.

    Each row is compared once, so encoding the keys would not pay.
    """
    keys = [(f"k{i}", found.columns[key]) for i, key in enumerate(plan.bound.keys)]
    final = select(
        [*((name, key.copy()) for name, key in keys), *sums.total_rows()],
        found.query,
        build_domain_filter(plan, found),
    )
    return final.group_by(*(key.copy() for _, key in keys), copy=False) if keys else final


def _aggregate_second_population(
    rows: KeyedRelation, pairs: exp.Select, sums: SumCompiler
) -> exp.Select:
    """Aggregate lines of (unit, second unit, group) first by (second unit, group), then by group.

    A unit has one group in each of its references, which were bounded before the join: there are no
    groups to bound here.
    """
    plan = rows.plan
    keys = [(f"k{i}", column(f"k{i}")) for i in range(len(plan.bound.keys))]
    assert plan.population_join is not None
    received = select(
        [
            (SECOND_UNIT_COLUMN, column(SECOND_UNIT_COLUMN)),
            *keys,
            *sums.total_units(as_text=False),
        ],
        pairs,
    )
    received = received.group_by(
        column(SECOND_UNIT_COLUMN), *(key.copy() for _, key in keys), copy=False
    )
    max_rows = plan.population_join.population.max_rows
    return rows.aggregate_by_key(sums.total_second_units(max_rows), received)
