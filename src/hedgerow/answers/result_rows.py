"""The clauses of a question that see results only: HAVING, ORDER BY, LIMIT and the SELECT list."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from hedgerow.plan.scalar.expressions import Expression, evaluate
from hedgerow.plan.values import Value
from hedgerow.sql.question import Question, SortKey

__all__ = ["ResultRow", "arrange_rows", "compute_outputs", "evaluate_row"]


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A row before the SELECT list: its index in the release, and its keys and aggregates."""

    index: int
    values: Mapping[str, Any]


def arrange_rows(question: Question, rows: Sequence[ResultRow]) -> list[ResultRow]:
    """Return the rows that HAVING, LIMIT and OFFSET leave, in the order of ORDER BY."""
    kept = list(rows)
    if question.having is not None:
        kept = [row for row in kept if evaluate_row(question.having, row) is True]
    for order in reversed(question.order):
        kept = _sort_rows(kept, order)
    end = None if question.limit is None else question.offset + question.limit
    return kept[question.offset : end]


def compute_outputs(question: Question, row: ResultRow) -> dict[str, Value]:
    """Compute the SELECT list of a row."""
    return {output.name: evaluate_row(output.expression, row) for output in question.outputs}


def evaluate_row(expression: Expression, row: ResultRow) -> Value:
    """Evaluate an expression of noisy values; NULL where it leaves the range of doubles."""
    try:
        value = evaluate(expression, row.values)
    except (OverflowError, ValueError):  # ValueError: the integer part of NaN
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _sort_rows(rows: list[ResultRow], order: SortKey) -> list[ResultRow]:
    """Sort rows by one expression; equal rows keep the order of their keys."""
    valued = [(evaluate_row(order.expression, row), row) for row in rows]
    known: list[Any] = [pair for pair in valued if pair[0] is not None]
    known.sort(key=itemgetter(0), reverse=order.descending)  # stable both ways
    unknown = [row for value, row in valued if value is None]
    ranked = [row for _, row in known]
    return ranked + unknown if order.nulls_last else unknown + ranked
