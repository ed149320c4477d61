"""A plan as SQL statements that cannot fail on any data.

    rows -> one line for each (unit, group): how many rows, the sums -> the groups that count -> cut
    to ``max_rows`` -> added up by group

Where a join allows it, its two sides are worked on one by one, and only then is there a line for
each unit and group (``split_join``). What is not added up has a statement of its own: different
values, the samples of picks, and combinations. All of them read the same rows and keep the same
groups of each unit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.contingency import compile_contingency
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.eager_aggregation import JoinSides, split_join
from hedgerow.engines.compile.expressions import estimate_size
from hedgerow.engines.compile.group_keys import KeyedRelation, build_domain_filter, encode_keys
from hedgerow.engines.compile.ordered_values import OrderedValueQuery
from hedgerow.engines.compile.relations import (
    MAX_PLACE,
    SECOND_UNIT_COLUMN,
    UNIT_COLUMN,
    CompiledRelation,
    RelationCompiler,
    StoredTable,
    alias_partner,
    build_same_unit,
    iter_expressions,
    merge_names,
)
from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    case_when,
    cast_to_type,
    column,
    integer_literal,
    order_by,
    select,
)
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.compile.sums import SumCompiler
from hedgerow.engines.process.statement import MAX_ARRAY_SUMS
from hedgerow.engines.result_cells import CompiledPlan, Statement
from hedgerow.errors import Unsupported
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Filter, Join, RelationNode, Table, Union
from hedgerow.plan.order_statistics import OrderStatistic

__all__ = ["StoredTable", "compile_plan", "make_cached_compiler"]

_MAX_SQL_SIZE: Final = 20_000
_MAX_SPLIT_ROWS: Final = 2**17  # (2^17)^2 rows with values up to 2^26 have sums within 61 bits
_MULTIPLICITY: Final = "m"
_UNIT_ROWS: Final = "once"

NamedExpressions = Sequence[tuple[str, exp.Expr]]


def compile_plan(
    plan: Aggregate, shelves: Mapping[str, StoredTable], dialect: Dialect
) -> CompiledPlan:
    """The statements of a plan over these tables. Unsupported where they would grow beyond all
    measure.
    """
    if sum(map(estimate_size, iter_expressions(plan.bound.source))) > _MAX_SQL_SIZE:
        raise Unsupported(
            "This question nests SQRT, LN, %, NULLIF, LEAST or GREATEST too deeply: ask for its"
            " parts."
        )
    units = plan.bound.source.unit != "row"
    compiler = RelationCompiler(
        shelves, dialect, units, with_second_units=plan.population_join is not None
    )
    text_ids = units and compiler.find_id_type(plan.bound.source) == "text"
    summed = tuple(
        measure
        for measure in plan.measures
        if isinstance(measure, Measure) and measure.kind != "distinct"
    )
    others = {}
    for place, measure in enumerate(plan.measures):
        if isinstance(measure, Contingency):
            found = compiler.compile(plan.bound.source, measure.columns)
            others[place] = compile_contingency(plan, measure, found, dialect, text_ids=text_ids)
        elif isinstance(measure, OrderStatistic) or measure.kind == "distinct":
            found = compiler.compile(
                plan.bound.source, merge_names(plan.bound.keys, measure.columns)
            )
            others[place] = _compile_ordered_values(
                plan,
                OrderedValueQuery(
                    plan,
                    measure,
                    found,
                    dialect,
                    build_domain_filter(plan, found),
                    text_ids=text_ids,
                ),
                dialect,
            )
    # which groups there are has to come from somewhere
    if not summed and plan.source.domain is None:
        summed = (Measure("units"),)
    if not summed:
        return CompiledPlan(None, others)
    # Beside other statements the rows come as they come there, so that all rank the groups of a
    # unit alike.
    sides = None if others else _find_join_sides(plan, summed)
    if sides is not None:
        return CompiledPlan(
            _compile_split_sums(plan, summed, sides, compiler, text_ids=text_ids), others
        )
    return CompiledPlan(_compile_sums(plan, summed, compiler, text_ids=text_ids), others)


def _compile_ordered_values(
    plan: Aggregate, samples: OrderedValueQuery, dialect: Dialect
) -> Statement:
    known = plan.bound.columns
    keys = [known[key].type for key in plan.bound.keys]
    sql = render_sql(samples.build_query(), dialect)
    return Statement(sql, (*keys, *samples.extra_keys), samples.wide, samples.tally)


def _compile_sums(
    plan: Aggregate, measures: tuple[Measure, ...], compiler: RelationCompiler, *, text_ids: bool
) -> Statement:
    bound, dialect = plan.bound, compiler.dialect
    found = compiler.compile(
        bound.source,
        merge_names(bound.keys, (name for measure in measures for name in measure.columns)),
    )
    sums = SumCompiler(measures, bound.max_rows, found.columns, bound.source, dialect)
    if compiler.with_units:
        rows = encode_keys(plan, found, dialect)
        ids, keys = (
            [UNIT_COLUMN, SECOND_UNIT_COLUMN] if compiler.with_second_units else [UNIT_COLUMN],
            rows.name_keys(plan),
        )
        pairs = select(
            [*((name, column(name)) for name in ids), *keys, *sums.build_unit_sums()],
            rows.relation.query,
            rows.conditions,
        )
        pairs = pairs.group_by(*map(column, ids), *(value.copy() for _, value in keys), copy=False)
        final = (
            _aggregate_second_population(plan, pairs, sums, rows)
            if compiler.with_second_units
            else _aggregate_units(plan, pairs, sums, rows, dialect, text_ids=text_ids)
        )
    else:
        final = _aggregate_rows(plan, found, sums)
    return _build_statement(plan, final, sums, dialect)


def _build_statement(
    plan: Aggregate, final: exp.Select, sums: SumCompiler, dialect: Dialect, *, apart: bool = False
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
    # An array has places for everybody, however few a question is about, and for pairs of people
    # and groups it would have too many.
    by_unit = (
        (apart or not keys)
        and _covers_all_units(plan.bound.source)
        and len(list(final.find_all(exp.AggFunc))) <= MAX_ARRAY_SUMS
    )
    sql = render_sql(final, dialect)
    return Statement(sql, tuple(known[key].type for key in keys), sums.wide, by_unit=by_unit)


def _covers_all_units(rows: RelationNode) -> bool:
    """Whether there are units, and no condition leaves any row out."""
    if isinstance(rows, Table | Filter):
        return isinstance(rows, Table) and rows.unit != "row"
    if isinstance(rows, Union):
        return all(map(_covers_all_units, rows.sources))
    return _covers_all_units(rows.source) and (
        not isinstance(rows, Join) or rows.other.unit is None or _covers_all_units(rows.other)
    )


def _find_join_sides(plan: Aggregate, measures: Sequence[Measure]) -> JoinSides | None:
    """The two sides of a join, where what is added up on one of them can be multiplied
    afterwards without leaving 64 bits (``_build_multiplicity``).
    """
    if (
        plan.population_join is not None
        or plan.bound.max_rows > _MAX_SPLIT_ROWS
        or any(measure.sum_bounds is not None for measure in measures)
    ):
        return None
    return split_join(
        plan.bound.source,
        plan.bound.keys,
        [name for measure in measures for name in measure.columns],
    )


def _compile_split_sums(
    plan: Aggregate,
    measures: tuple[Measure, ...],
    sides: JoinSides,
    compiler: RelationCompiler,
    *,
    text_ids: bool,
) -> Statement:
    """The sums of each unit on one side, its first groups on the other, and then both together."""
    bound, dialect = plan.bound, compiler.dialect
    here = compiler.compile(
        sides.summed, merge_names([], (name for measure in measures for name in measure.columns))
    )
    sums = SumCompiler(measures, bound.max_rows, here.columns, bound.source, dialect)
    parts = sums.build_unit_sums()
    each = select([(UNIT_COLUMN, column(UNIT_COLUMN)), *parts], here.query).group_by(
        column(UNIT_COLUMN), copy=False
    )
    there = compiler.compile(sides.grouped, bound.keys)
    rows = encode_keys(plan, there, dialect)
    keys = rows.name_keys(plan)
    groups, once = _select_groups(plan, rows, dialect, text_ids=text_ids)
    outputs = [(name, column(name, "s")) for name in (UNIT_COLUMN, *(name for name, _ in keys))]
    times = _build_multiplicity(bound.max_rows)
    products = [(name, binary(column(name, "p"), exp.Mul, times.copy())) for name, _ in parts]
    pairs = select([*outputs, *products], groups).join(
        alias_partner(each), on=build_same_unit(), join_type="inner", copy=False
    )
    final = _aggregate_by_key(plan, rows, _cast_wide_to_text(sums.total_units(), sums.wide), pairs)
    if once is not None:
        final = final.with_(
            exp.to_identifier(_UNIT_ROWS, quoted=True), once, materialized=True, copy=False
        )
    return _build_statement(plan, final, sums, dialect, apart=True)


def _select_groups(
    plan: Aggregate, found: KeyedRelation, dialect: Dialect, *, text_ids: bool
) -> tuple[exp.Select, exp.Select | None]:
    """Of each unit the groups that count, and how many of these rows each of them has; with what it
    needs to know beforehand, if anything.

    Most often the groups come from a table with a row for each unit. Who has one row has one group,
    and that is known without a sort.
    """
    keys = [column(f"k{i}") for i in range(len(plan.bound.keys))]
    named = [(UNIT_COLUMN, column(UNIT_COLUMN)), *((key.name, key) for key in keys)]
    rows = select(
        [(UNIT_COLUMN, column(UNIT_COLUMN)), *found.name_keys(plan)],
        found.relation.query,
        found.conditions,
    )
    if not _needs_group_bound(plan):
        return _count_group_rows(rows, named), None
    times, once = column(_MULTIPLICITY), exp.Table(this=exp.to_identifier(_UNIT_ROWS, quoted=True))
    each = select(
        [
            named[0],
            *((key.name, exp.Min(this=key)) for key in keys),
            (_MULTIPLICITY, exp.Count(this=exp.Star())),
        ],
        rows.copy(),
    )
    each = each.group_by(column(UNIT_COLUMN), copy=False)
    lone = select(
        [(name, value.copy()) for name, value in [*named, (_MULTIPLICITY, times)]],
        once,
        [binary(times.copy(), exp.EQ, integer_literal(1))],
    )
    others = select(
        [(UNIT_COLUMN, column(UNIT_COLUMN))],
        once.copy(),
        [binary(times.copy(), exp.GT, integer_literal(1))],
    )
    several = rows.where(
        exp.In(this=column(UNIT_COLUMN), query=exp.Subquery(this=others)), copy=False
    )
    first = _keep_first_groups(
        _count_group_rows(several, named),
        keys,
        plan.bound.max_groups,
        found,
        dialect,
        text_ids=text_ids,
    )
    both = exp.Subquery(
        this=exp.Union(this=lone, expression=first, distinct=False),
        alias=exp.TableAlias(this=exp.to_identifier("s", quoted=True)),
    )
    return (
        select([(name, value.copy()) for name, value in [*named, (_MULTIPLICITY, times)]], both),
        each,
    )


def _count_group_rows(rows: exp.Select, named: NamedExpressions) -> exp.Select:
    counted = select(
        [
            *((name, value.copy()) for name, value in named),
            (_MULTIPLICITY, exp.Count(this=exp.Star())),
        ],
        rows,
    )
    return counted.group_by(*(value.copy() for _, value in named), copy=False)


def _needs_group_bound(plan: Aggregate) -> bool:
    """Whether a unit can be in more groups than count."""
    cells = plan.source.cells
    return bool(plan.bound.keys) and (cells is None or cells > plan.bound.max_groups)


def _build_multiplicity(most: int) -> exp.Expr:
    """How often the sums of a unit with n rows (of which ``most`` count) are put in, where a group
    has m rows of it on the other side.

    Of n m rows, if more than ``most``, what counts is trunc(s m * most / (n m)) = trunc(s * most /
    n), the same for every m with n m > most. So a large m may be cut: to 1 where n > most, and to
    most + 1 elsewhere. What is multiplied so stays small.
    """
    many = binary(column("n", "p"), exp.GT, integer_literal(most))
    return case_when(
        (many, integer_literal(1)),
        otherwise=call_function("least", column(_MULTIPLICITY, "s"), integer_literal(most + 1)),
    )


def make_cached_compiler(
    shelves: Mapping[str, StoredTable], dialect: Dialect
) -> Callable[[Aggregate], CompiledPlan]:
    """``compile_plan`` for these tables, which remembers the last few plans: what was prepared
    is not compiled again to be run.
    """

    @functools.lru_cache(maxsize=16)
    def compiled(plan: Aggregate) -> CompiledPlan:
        try:
            return compile_plan(plan, shelves, dialect)
        except RecursionError:  # how deep is too deep depends on who asks
            raise Unsupported("This question is nested too deeply: ask for its parts.") from None

    return compiled


def _aggregate_rows(plan: Aggregate, found: CompiledRelation, sums: SumCompiler) -> exp.Select:
    """Every row is a unit of its own, in one group: there is nothing to bound. Rows are compared
    once, so codes would not pay.
    """
    keys = [(f"k{i}", found.columns[key]) for i, key in enumerate(plan.bound.keys)]
    final = select(
        [
            *((name, key.copy()) for name, key in keys),
            *_cast_wide_to_text(sums.total_rows(), sums.wide),
        ],
        found.query,
        build_domain_filter(plan, found),
    )
    return final.group_by(*(key.copy() for _, key in keys), copy=False) if keys else final


def _aggregate_units(
    plan: Aggregate,
    pairs: exp.Select,
    sums: SumCompiler,
    rows: KeyedRelation,
    dialect: Dialect,
    *,
    text_ids: bool,
) -> exp.Select:
    """From a line for each unit and group to one for each group."""
    keys = [column(f"k{i}") for i in range(len(plan.bound.keys))]
    if _needs_group_bound(plan):
        pairs = _keep_first_groups(
            pairs, keys, plan.bound.max_groups, rows, dialect, text_ids=text_ids
        )
    return _aggregate_by_key(plan, rows, _cast_wide_to_text(sums.total_units(), sums.wide), pairs)


def _aggregate_by_key(
    plan: Aggregate, rows: KeyedRelation, numbers: NamedExpressions, pairs: exp.Select
) -> exp.Select:
    """The numbers of every group, under the value of its key."""
    keys = [column(f"k{i}") for i in range(len(plan.bound.keys))]
    final = select([*((key.name, rows.decode_key(key)) for key in keys), *numbers], pairs)
    return final.group_by(*keys, copy=False) if keys else final


def _aggregate_second_population(
    plan: Aggregate, pairs: exp.Select, sums: SumCompiler, rows: KeyedRelation
) -> exp.Select:
    """From a line for each unit, one of the others and group, over what that one got there in all,
    to one for each group. A unit has one group in each of its bonds, which were counted before it
    met anybody: there are no groups to pick here."""
    keys = [(f"k{i}", column(f"k{i}")) for i in range(len(plan.bound.keys))]
    assert plan.population_join is not None
    got = select(
        [(SECOND_UNIT_COLUMN, column(SECOND_UNIT_COLUMN)), *keys, *sums.total_units()], pairs
    )
    got = got.group_by(column(SECOND_UNIT_COLUMN), *(key.copy() for _, key in keys), copy=False)
    return _aggregate_by_key(
        plan,
        rows,
        _cast_wide_to_text(
            sums.total_second_units(plan.population_join.population.max_rows), sums.wide
        ),
        got,
    )


def _cast_wide_to_text(numbers: NamedExpressions, wide: Sequence[bool]) -> NamedExpressions:
    """Wide numbers are told as text: not every way out of an engine has more than 64 bits."""
    return [
        (name, cast_to_type(value, "text") if long else value)
        for (name, value), long in zip(numbers, wide, strict=True)
    ]


def _keep_first_groups(
    pairs: exp.Select,
    keys: Sequence[exp.Expr],
    most: int,
    rows: KeyedRelation,
    dialect: Dialect,
    *,
    text_ids: bool,
) -> exp.Select:
    """The groups of each unit that come first by (rank, group). The group itself settles ties,
    so never one more than ``most``.
    """
    # Two things to order by are also what keeps DuckDB from rewriting this into something twice as
    # slow; and text is partitioned faster by its hash first.
    rank = dialect.build_rank([column(UNIT_COLUMN), *(rows.decode_key(key) for key in keys)])
    unit = (
        [dialect.build_rank([column(UNIT_COLUMN)]), column(UNIT_COLUMN)]
        if text_ids
        else [column(UNIT_COLUMN)]
    )
    place = exp.Window(this=exp.RowNumber(), partition_by=unit, order=order_by([rank, *keys]))
    outputs = [(output.alias, column(output.alias)) for output in pairs.expressions]
    numbered = select([*outputs, ("place", place)], pairs)
    return select(
        [(name, value.copy()) for name, value in outputs],
        numbered,
        [binary(column("place"), exp.LTE, integer_literal(min(most, MAX_PLACE)))],
    )
