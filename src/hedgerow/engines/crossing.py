"""Combinations of codes: how often each is there.

rows -> their codes packed into words, NULL where one is none -> of each unit the rows that come first by (rank, words) -> counted by words
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.decode import Statement
from hedgerow.engines.dialect import Dialect
from hedgerow.engines.rows import UNIT, Selected
from hedgerow.engines.terms import column, ordered, select, test, when, whole
from hedgerow.engines.writing import write
from hedgerow.plan.contributions import MOST_ROWS
from hedgerow.plan.crossing import Cross, words_of
from hedgerow.plan.nodes import Aggregate

__all__ = ["crossed"]

_PACKED: Final = "packed"


def crossed(plan: Aggregate, cross: Cross, found: Selected, dialect: Dialect, *, text_ids: bool) -> Statement:
    """The statement of a table of combinations: a column for each word and the counts, sorted by the words."""
    units = plan.bound.source.unit != "row"
    codes = [_code(found.names[name], size) for name, size in cross.attributes]
    words = [(f"w{i}", _packed(codes, cross.sizes, places)) for i, places in enumerate(words_of(cross.sizes))]
    names = [name for name, _ in words]
    there: list[exp.Expr] = [exp.Not(this=exp.Is(this=column(name), expression=exp.Null())) for name in names]
    unit = [(UNIT, column(UNIT))] if units else []
    rows = select([*unit, *((name, column(name)) for name in names)], exp.Table(this=exp.to_identifier(_PACKED, quoted=True)), there)
    if units and plan.bound.max_rows < MOST_ROWS:
        rows = _first(rows, names, plan.bound.max_rows, dialect, text_ids=text_ids)
    by = [column(name) for name in names]
    counted = select([*((name, column(name)) for name in names), ("n", exp.Count(this=exp.Star()))], rows)
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


def _first(rows: exp.Select, names: Sequence[str], most: int, dialect: Dialect, *, text_ids: bool) -> exp.Select:
    """The rows of each unit that come first. Equal ones are interchangeable, so it never matters which of them a tie lets through."""
    by = [column(name) for name in names]
    rank = dialect.rank([column(UNIT), *(word.copy() for word in by)])
    unit = [dialect.rank([column(UNIT)]), column(UNIT)] if text_ids else [column(UNIT)]  # text is partitioned faster by its hash first
    place = exp.Window(this=exp.RowNumber(), partition_by=unit, order=ordered([rank, *by]))
    numbered = select([*((name, column(name)) for name in names), ("place", place)], rows)
    return select([(name, column(name)) for name in names], numbered, [test(column("place"), exp.LTE, whole(most))])
