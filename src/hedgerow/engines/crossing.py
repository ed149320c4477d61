"""Combinations of codes: how often each is there.

rows -> their codes packed into words, NULL where one is none -> counted by unit and words, k, beside how many rows the unit has, c
-> F k m/c cut to whole parts, F k where c <= m -> added up by words

Nothing overflows whatever the data are: sums beyond 2^62, which no table has whose units are as few as declared, are clamped there, and
that moves them no farther than before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.decode import Statement
from hedgerow.engines.dialect import Dialect
from hedgerow.engines.rows import UNIT, Selected
from hedgerow.engines.terms import call, cast, column, ordered, select, test, when, whole
from hedgerow.engines.writing import write
from hedgerow.plan.contributions import MOST_ROWS
from hedgerow.plan.crossing import WORD, Cross, words_of
from hedgerow.plan.nodes import Aggregate

__all__ = ["crossed"]

_PACKED: Final = "packed"
_MANY, _ALL, _PARTS = "k", "c", "parts"


def crossed(plan: Aggregate, cross: Cross, found: Selected, dialect: Dialect, *, text_ids: bool) -> Statement:
    """The statement of a table of combinations: a column for each word and the counts, sorted by the words."""
    units = plan.bound.source.unit != "row"
    codes = [_code(found.names[name], size) for name, size in cross.attributes]
    words = [(f"w{i}", _packed(codes, cross.sizes, places)) for i, places in enumerate(words_of(cross.sizes))]
    names = [name for name, _ in words]
    there: list[exp.Expr] = [exp.Not(this=exp.Is(this=column(name), expression=exp.Null())) for name in names]
    unit = [(UNIT, column(UNIT))] if units else []
    rows = select([*unit, *((name, column(name)) for name in names)], exp.Table(this=exp.to_identifier(_PACKED, quoted=True)), there)
    counts: exp.Expr = exp.Count(this=exp.Star())
    if units and (cross.fine > 1 or plan.bound.max_rows < MOST_ROWS):
        rows = _in_parts(rows, names, cross.fine, plan.bound.max_rows, dialect, text_ids=text_ids)
        total = call("least", cast(exp.Sum(this=column(_PARTS)), dialect.wide), cast(whole(WORD), dialect.wide))
        counts = cast(total, "BIGINT")
    by = [column(name) for name in names]
    counted = select([*((name, column(name)) for name in names), ("n", counts)], rows)
    final = counted.group_by(*by, copy=False).order_by(*ordered(by).expressions, copy=False)
    # Kept, or the words would be computed twice: once to see which are there, and once to have them.
    kept = exp.to_identifier(_PACKED, quoted=True)
    final = final.with_(kept, select([*unit, *words], found.sql), materialized=True, copy=False)
    return Statement(write(final, dialect), (), (False,) * (len(names) + 1))


def _code(value: exp.Expr, size: int) -> exp.Expr:
    """NULL where it is none: what is packed never exceeds 2^62, in whichever order an engine filters and computes."""
    inside = exp.Between(this=value.copy(), low=whole(0), high=whole(size - 1))
    return when((inside, value.copy()))


def _packed(codes: Sequence[exp.Expr], sizes: Sequence[int], places: Sequence[int]) -> exp.Expr:
    """The word of these places; NULL where one of them is."""
    terms = [test(codes[at], exp.Mul, whole(math.prod(sizes[lower] for lower in places[i + 1 :]))) for i, at in enumerate(places)]
    return _sum(terms)


def _sum(terms: Sequence[exp.Expr]) -> exp.Expr:
    """By halves, so that many terms do not make a deep tree."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return test(_sum(terms[:half]), exp.Add, _sum(terms[half:]))


def _in_parts(rows: exp.Select, names: Sequence[str], fine: int, most: int, dialect: Dialect, *, text_ids: bool) -> exp.Select:
    """Compile the parts that each unit puts into each combination, where they are any."""
    words = [(name, column(name)) for name in names]
    each = select([(UNIT, column(UNIT)), *words, (_MANY, exp.Count(this=exp.Star()))], rows)
    each = each.group_by(column(UNIT), *(column(name) for name in names), copy=False)
    unit = [dialect.rank([column(UNIT)]), column(UNIT)] if text_ids else [column(UNIT)]  # text is partitioned faster by its hash first
    whose = exp.Window(this=exp.Sum(this=column(_MANY)), partition_by=unit)
    beside = select([*words, (_MANY, column(_MANY)), (_ALL, cast(whose, "BIGINT"))], each)
    scaled = select([*words, (_PARTS, _scaled(fine, most, dialect))], beside)
    return select([*words, (_PARTS, column(_PARTS))], scaled, [test(column(_PARTS), exp.GT, whole(0))])


def _scaled(fine: int, most: int, dialect: Dialect) -> exp.Expr:
    """Compile F k m/c, cut. F m is at most 2^62 and k at most c: 64 bits hold the product but for units with absurdly many rows."""
    many, rows, times = column(_MANY), column(_ALL), fine * most
    narrow = dialect.cut(test(many.copy(), exp.Mul, whole(times)), rows.copy())
    wide = dialect.cut(test(cast(many.copy(), dialect.wide), exp.Mul, cast(whole(times), dialect.wide)), rows.copy())
    return when(
        (test(rows.copy(), exp.LTE, whole(most)), test(many, exp.Mul, whole(fine))),
        (test(rows, exp.LTE, whole(WORD // times)), narrow),
        otherwise=cast(wide, "BIGINT"),
    )
