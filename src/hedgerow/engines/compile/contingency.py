"""Contingency tables as SQL: the number of rows with each combination of codes.

| symbol | meaning |
|---|---|
| k | a unit's rows with one combination |
| c | all rows of the unit |
| m | the rows of a unit that count (``max_rows``) |
| F | the resolution: a row counts as F parts |

    rows -> codes packed into words, NULL where a code is missing -> counted by (unit, words): k
         -> F k m/c truncated to whole parts, F k where c <= m -> summed by words

Nothing overflows, whatever the data are: sums beyond 2^62, which no table within its declared
number of units has, are clamped there, and clamping only lowers the sensitivity.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.compiled_relation import (
    UNIT_COLUMN,
    CompiledRelation,
    build_unit_partition,
)
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    case_when,
    cast,
    column,
    integer_literal,
    order_by,
    select,
)
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.statement import Statement
from hedgerow.plan.contingency import WORD_LIMIT, Contingency, group_into_words
from hedgerow.plan.contribution_limits import MAX_TABLE_ROWS
from hedgerow.plan.nodes import Aggregate

__all__ = ["compile_contingency"]

_PACKED: Final = "packed"
_COUNT, _UNIT_ROWS, _PARTS = "k", "c", "parts"


def compile_contingency(
    plan: Aggregate,
    contingency: Contingency,
    found: CompiledRelation,
    dialect: Dialect,
    *,
    text_ids: bool,
) -> Statement:
    """Compile the statement of a contingency table: its words and counts, sorted by the words."""
    has_units = plan.bound.source.unit != "row"
    codes = [_build_code(found.columns[name], size) for name, size in contingency.attributes]
    words = [
        (f"w{i}", _pack_word(codes, contingency.sizes, places))
        for i, places in enumerate(group_into_words(contingency.sizes))
    ]
    names = [name for name, _ in words]
    is_combination: list[exp.Expr] = [
        exp.Not(this=exp.Is(this=column(name), expression=exp.Null())) for name in names
    ]
    unit = [(UNIT_COLUMN, column(UNIT_COLUMN))] if has_units else []
    rows = select(
        [*unit, *((name, column(name)) for name in names)],
        exp.Table(this=exp.to_identifier(_PACKED, quoted=True)),
        is_combination,
    )
    counts: exp.Expr = exp.Count(this=exp.Star())
    if has_units and (contingency.resolution > 1 or plan.bound.max_rows < MAX_TABLE_ROWS):
        rows = _compile_parts(
            rows, names, contingency.resolution, plan.bound.max_rows, dialect, text_ids=text_ids
        )
        total = call_function(
            "least",
            cast(exp.Sum(this=dialect.widen_summand(column(_PARTS))), dialect.wide_integer),
            cast(integer_literal(WORD_LIMIT), dialect.wide_integer),
        )
        counts = cast(total, "BIGINT")
    by = [column(name) for name in names]
    counted = select([*((name, column(name)) for name in names), ("n", counts)], rows)
    final = counted.group_by(*by, copy=False).order_by(*order_by(by).expressions, copy=False)
    # Materialized, or the words would be computed twice: for the filter, and for the groups.
    packed = exp.to_identifier(_PACKED, quoted=True)
    final = final.with_(packed, select([*unit, *words], found.query), materialized=True, copy=False)
    return Statement(render_sql(final, dialect), (), (False,) * (len(names) + 1))


def _build_code(value: exp.Expr, size: int) -> exp.Expr:
    """Build a code that is NULL outside its range.

    So a packed word never exceeds 2^62, in whichever order the engine filters and computes.
    """
    inside = exp.Between(this=value.copy(), low=integer_literal(0), high=integer_literal(size - 1))
    return case_when((inside, value.copy()))


def _pack_word(codes: Sequence[exp.Expr], sizes: Sequence[int], places: Sequence[int]) -> exp.Expr:
    terms = [
        binary(
            codes[at],
            exp.Mul,
            integer_literal(math.prod(sizes[lower] for lower in places[i + 1 :])),
        )
        for i, at in enumerate(places)
    ]
    return _sum_balanced(terms)


def _sum_balanced(terms: Sequence[exp.Expr]) -> exp.Expr:
    """Sum terms in a balanced tree, so that many terms do not nest deeply."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return binary(_sum_balanced(terms[:half]), exp.Add, _sum_balanced(terms[half:]))


def _compile_parts(
    rows: exp.Select,
    names: Sequence[str],
    resolution: int,
    max_rows: int,
    dialect: Dialect,
    *,
    text_ids: bool,
) -> exp.Select:
    words = [(name, column(name)) for name in names]
    each = select(
        [(UNIT_COLUMN, column(UNIT_COLUMN)), *words, (_COUNT, exp.Count(this=exp.Star()))], rows
    )
    each = each.group_by(column(UNIT_COLUMN), *(column(name) for name in names), copy=False)
    unit_rows = exp.Window(
        this=exp.Sum(this=column(_COUNT)),
        partition_by=build_unit_partition(dialect, text_ids=text_ids),
    )
    counted = select(
        [*words, (_COUNT, column(_COUNT)), (_UNIT_ROWS, cast(unit_rows, "BIGINT"))], each
    )
    scaled = select([*words, (_PARTS, _scale_count(resolution, max_rows, dialect))], counted)
    return select(
        [*words, (_PARTS, column(_PARTS))],
        scaled,
        [binary(column(_PARTS), exp.GT, integer_literal(0))],
    )


def _scale_count(resolution: int, max_rows: int, dialect: Dialect) -> exp.Expr:
    """Compile F k m/c, truncated.

    F m is at most 2^62 and k at most c, so 64 bits hold the product except for units with absurdly
    many rows.
    """
    count, rows, times = column(_COUNT), column(_UNIT_ROWS), resolution * max_rows
    narrow = dialect.truncating_divide(
        binary(count.copy(), exp.Mul, integer_literal(times)), rows.copy()
    )
    wide = dialect.truncating_divide_wide(
        binary(
            cast(count.copy(), dialect.wide_integer),
            exp.Mul,
            cast(integer_literal(times), dialect.wide_integer),
        ),
        rows.copy(),
    )
    return case_when(
        (
            binary(rows.copy(), exp.LTE, integer_literal(max_rows)),
            binary(count, exp.Mul, integer_literal(resolution)),
        ),
        (binary(rows, exp.LTE, integer_literal(WORD_LIMIT // times)), narrow),
        otherwise=cast(wide, "BIGINT"),
    )
