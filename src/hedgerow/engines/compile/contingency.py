"""Combinations of codes: how often each is there.

rows -> their codes packed into words, NULL where one is none -> counted by unit and words, k,
beside how many rows the unit has, c -> F k m/c cut to whole parts, F k where c <= m -> added up by
words

Nothing overflows whatever the data are: sums beyond 2^62, which no table has whose units are as few
as declared, are clamped there, and that moves them no farther than before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.relations import UNIT_COLUMN, CompiledRelation
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
from hedgerow.engines.result_cells import Statement
from hedgerow.plan.contingency import WORD_LIMIT, Contingency, group_into_words
from hedgerow.plan.contribution_limits import MAX_TABLE_ROWS
from hedgerow.plan.nodes import Aggregate

__all__ = ["compile_contingency"]

_PACKED: Final = "packed"
_COUNT, _UNIT_ROWS, _PARTS = "k", "c", "parts"


def compile_contingency(
    plan: Aggregate,
    cross: Contingency,
    found: CompiledRelation,
    dialect: Dialect,
    *,
    text_ids: bool,
) -> Statement:
    """The statement of a table of combinations: a column for each word and the counts, sorted by
    the words.
    """
    units = plan.bound.source.unit != "row"
    codes = [_build_code(found.columns[name], size) for name, size in cross.attributes]
    words = [
        (f"w{i}", _pack_word(codes, cross.sizes, places))
        for i, places in enumerate(group_into_words(cross.sizes))
    ]
    names = [name for name, _ in words]
    there: list[exp.Expr] = [
        exp.Not(this=exp.Is(this=column(name), expression=exp.Null())) for name in names
    ]
    unit = [(UNIT_COLUMN, column(UNIT_COLUMN))] if units else []
    rows = select(
        [*unit, *((name, column(name)) for name in names)],
        exp.Table(this=exp.to_identifier(_PACKED, quoted=True)),
        there,
    )
    counts: exp.Expr = exp.Count(this=exp.Star())
    if units and (cross.resolution > 1 or plan.bound.max_rows < MAX_TABLE_ROWS):
        rows = _compile_parts(
            rows, names, cross.resolution, plan.bound.max_rows, dialect, text_ids=text_ids
        )
        total = call_function(
            "least",
            cast(exp.Sum(this=column(_PARTS)), dialect.wide_integer),
            cast(integer_literal(WORD_LIMIT), dialect.wide_integer),
        )
        counts = cast(total, "BIGINT")
    by = [column(name) for name in names]
    counted = select([*((name, column(name)) for name in names), ("n", counts)], rows)
    final = counted.group_by(*by, copy=False).order_by(*order_by(by).expressions, copy=False)
    # Kept, or the words would be computed twice: once to see which are there, and once to have
    # them.
    kept = exp.to_identifier(_PACKED, quoted=True)
    final = final.with_(kept, select([*unit, *words], found.query), materialized=True, copy=False)
    return Statement(render_sql(final, dialect), (), (False,) * (len(names) + 1))


def _build_code(value: exp.Expr, size: int) -> exp.Expr:
    """NULL where it is none: what is packed never exceeds 2^62, in whichever order an engine
    filters and computes.
    """
    inside = exp.Between(this=value.copy(), low=integer_literal(0), high=integer_literal(size - 1))
    return case_when((inside, value.copy()))


def _pack_word(codes: Sequence[exp.Expr], sizes: Sequence[int], places: Sequence[int]) -> exp.Expr:
    """The word of these places; NULL where one of them is."""
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
    """By halves, so that many terms do not make a deep tree."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return binary(_sum_balanced(terms[:half]), exp.Add, _sum_balanced(terms[half:]))


def _compile_parts(
    rows: exp.Select,
    names: Sequence[str],
    fine: int,
    most: int,
    dialect: Dialect,
    *,
    text_ids: bool,
) -> exp.Select:
    """Compile the parts that each unit puts into each combination, where they are any."""
    words = [(name, column(name)) for name in names]
    each = select(
        [(UNIT_COLUMN, column(UNIT_COLUMN)), *words, (_COUNT, exp.Count(this=exp.Star()))], rows
    )
    each = each.group_by(column(UNIT_COLUMN), *(column(name) for name in names), copy=False)
    # text is partitioned faster by its hash first
    unit = (
        [dialect.build_rank([column(UNIT_COLUMN)]), column(UNIT_COLUMN)]
        if text_ids
        else [column(UNIT_COLUMN)]
    )
    whose = exp.Window(this=exp.Sum(this=column(_COUNT)), partition_by=unit)
    beside = select([*words, (_COUNT, column(_COUNT)), (_UNIT_ROWS, cast(whose, "BIGINT"))], each)
    scaled = select([*words, (_PARTS, _scale_count(fine, most, dialect))], beside)
    return select(
        [*words, (_PARTS, column(_PARTS))],
        scaled,
        [binary(column(_PARTS), exp.GT, integer_literal(0))],
    )


def _scale_count(fine: int, most: int, dialect: Dialect) -> exp.Expr:
    """Compile F k m/c, cut. F m is at most 2^62 and k at most c: 64 bits hold the product but
    for units with absurdly many rows.
    """
    many, rows, times = column(_COUNT), column(_UNIT_ROWS), fine * most
    narrow = dialect.truncating_divide(
        binary(many.copy(), exp.Mul, integer_literal(times)), rows.copy()
    )
    wide = dialect.truncating_divide(
        binary(
            cast(many.copy(), dialect.wide_integer),
            exp.Mul,
            cast(integer_literal(times), dialect.wide_integer),
        ),
        rows.copy(),
    )
    return case_when(
        (
            binary(rows.copy(), exp.LTE, integer_literal(most)),
            binary(many, exp.Mul, integer_literal(fine)),
        ),
        (binary(rows, exp.LTE, integer_literal(WORD_LIMIT // times)), narrow),
        otherwise=cast(wide, "BIGINT"),
    )
