"""UNION, INTERSECT and EXCEPT of subqueries about the same population, with the privacy id.

Each row is marked with its side, and all equal rows of one unit become one, with the least and the
greatest of its marks: both sides have a row of A INTERSECT B, and only A has one of A EXCEPT B.
NULL equals NULL here, as in GROUP BY.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import NoReturn

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.canonical_text import encode_relation
from hedgerow.plan.nodes import Filter, Project, UnitAggregation, UnitStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.catalog import has_whole_id
from hedgerow.sql.relations.union_all import build_union
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["build_set_operation"]

_MARK = "\0side"  # no column of a question has this name


def build_set_operation(
    text: SourceText, node: exp.SetOperation, left: Scope, right: Scope
) -> Scope:
    """Build UNION, INTERSECT or EXCEPT of the rows of each unit."""
    word = type(node).__name__.upper()
    if not node.args.get("distinct"):
        _check_distinct_rows(text, node, word, left, right)
    if "row" in (left.rows.unit, right.rows.unit):
        _refuse(
            text,
            node,
            f"Every row of this table is its own unit, so {word} has nothing to compare",
            "Put both conditions into one WHERE.",
        )
    marks = [0, 1]
    if isinstance(node, exp.Intersect) and _encode(left) > _encode(right):
        marks = [1, 0]  # A INTERSECT B and B INTERSECT A are one question
    sides = [_mark_rows(scope, mark) for scope, mark in zip((left, right), marks, strict=True)]
    both = build_union(text, [(node.this, sides[0]), (node.expression, sides[1])], word)
    *columns, mark = both.columns
    if not has_whole_id(column.owner for column in columns):
        _refuse(
            text,
            node,
            f"{word} without the privacy id compares rows of different units",
            f"Select the privacy id in each branch: SELECT id, … {word} SELECT id, ….",
        )
    keys = tuple(dict.fromkeys(column.plan_column for column in columns if column.plan_column))
    ends = (
        ("least", UnitStatistic("least", mark.plan_column)),
        (
            "greatest",
            UnitStatistic("greatest", mark.plan_column),
        ),
    )
    rows = UnitAggregation(both.rows, keys, ends)
    known = rows.columns
    found = replace(
        both,
        rows=_keep_rows(node, rows),
        columns=tuple(
            replace(column, range=known[column.plan_column]) if column.plan_column else column
            for column in columns
        ),
        key_within_unit=frozenset(keys),
        source_count=both.source_count + 1,
    )
    return found.check_limits()


def _keep_rows(node: exp.SetOperation, rows: UnitAggregation) -> Filter | UnitAggregation:
    """Keep the rows that both sides have, or the left side alone; UNION keeps all."""
    left: Expression = Call("=", (ColumnRef("least"), Constant(0, "integer")))
    right: Expression = Call("=", (ColumnRef("greatest"), Constant(1, "integer")))
    if isinstance(node, exp.Intersect):
        return Filter(rows, Call("and", (left, right)))
    return Filter(rows, Call("not", (right,))) if isinstance(node, exp.Except) else rows


def _mark_rows(scope: Scope, side: int) -> Scope:
    """Add the side of rows as their last column."""
    mark, kept = Constant(side, "integer"), [(name, ColumnRef(name)) for name in scope.rows.columns]
    columns = [column for column in scope.columns if not column.is_merged]
    marked = ColumnReference("", _MARK, _MARK, mark.range)
    rows = Project(scope.rows, (*kept, (_MARK, mark)))
    return replace(scope, rows=rows, columns=(*columns, marked))


def _encode(scope: Scope) -> str:
    return json.dumps(encode_relation(scope.rows))


def _check_distinct_rows(
    text: SourceText, node: exp.SetOperation, word: str, left: Scope, right: Scope
) -> None:
    """Refuse ALL unless it changes nothing: one side, of EXCEPT the left one, has no row twice."""
    if _has_distinct_rows(left) or (isinstance(node, exp.Intersect) and _has_distinct_rows(right)):
        return
    _refuse(
        text,
        node,
        f"{word} ALL counts how often a row occurs, which is not supported",
        f"Write {word}, or select DISTINCT rows with the privacy id on the left.",
    )


def _has_distinct_rows(scope: Scope) -> bool:
    key, shown = scope.key_within_unit, {column.plan_column for column in scope.columns}
    return key is not None and key <= shown


def _refuse(text: SourceText, node: exp.Expr, problem: str, fix: str) -> NoReturn:
    raise text.refusal(Unsupported, problem, node, fix)
