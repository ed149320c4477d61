"""Detection of WHERE conditions that no row can meet, by the statement and the policy alone.

Of the outermost SELECT such a condition is raised as ``UnsatisfiableCondition``: its answer is
known without any data. In a subquery it is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Final

from sqlglot import exp

from hedgerow.errors import Refused, Unsupported
from hedgerow.plan.scalar.expressions import (
    ColumnRef,
    Expression,
    evaluate,
    find_columns,
    insert_casts,
)
from hedgerow.plan.values import Range, build_date
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.catalog import find_closest_name
from hedgerow.sql.predicates.contradictions import find_contradiction, find_undeclared_value
from hedgerow.sql.predicates.domain_narrowing import split_conjuncts
from hedgerow.sql.syntax.operator_chains import split_chain
from hedgerow.sql.syntax.quoting import quote_name, quote_text

__all__ = ["NEVER_TRUE", "UnsatisfiableCondition", "drop_condition", "refuse_unsatisfiable"]

NEVER_TRUE: Final = "This condition is never true, so the answer would be noise alone"

_MAX_LISTED_VALUES = 10


class UnsatisfiableCondition(Unsupported):
    """The WHERE of the outermost SELECT is never true."""


def drop_condition(select: exp.Select) -> exp.Select:
    """Return a SELECT without its WHERE, but for the columns that it joins on: FROM a, b WHERE
    a.id = b.id."""
    where, found = select.args.get("where"), select.copy()
    joins = [] if where is None else list(filter(_compares_columns, split_chain(where.this)))
    condition = reduce(_join_conditions, (join.copy() for join in joins)) if joins else None
    found.set("where", None if condition is None else exp.Where(this=condition))
    return found


def _compares_columns(node: exp.Expr) -> bool:
    inner = node.unnest()
    return type(inner) is exp.EQ and {type(inner.this), type(inner.expression)} == {exp.Column}


def _join_conditions(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return exp.And(this=left, expression=right)


def refuse_unsatisfiable(
    scope: Scope,
    conditions: tuple[TypedExpression, ...],
    where: exp.Expr | None,
    kind: type[Refused],
) -> None:
    """Refuse a WHERE that is never true by an error of this kind, and underline the part that is
    wrong; refuse a listed value that is none of the declared ones."""
    if where is None:
        return
    ranges = _collect_declared_ranges(scope)
    if any(
        _is_never_true(part)
        for condition in conditions
        for part in split_conjuncts(condition.expression)
    ):
        node = _find_condition(scope, where.this, lambda part: _is_never_true(part) or None)
        fix = (
            "Leave it out. To see the columns and the cost, write EXPLAIN PRIVACY"
            " before the SELECT: it is free."
        )
        raise scope.text.refusal(kind, NEVER_TRUE, node, fix)
    for condition in conditions:
        found = find_contradiction(condition.expression, ranges)
        if found is not None:
            raise _build_contradiction_error(
                kind,
                scope,
                _find_condition(scope, where.this, lambda part: find_contradiction(part, ranges)),
                *found,
            )
    for condition in conditions:
        undeclared = find_undeclared_value(condition.expression, ranges)
        if undeclared is not None and not _is_public(scope, undeclared[0]):
            raise _build_undeclared_value_error(
                scope,
                _find_condition(
                    scope, where.this, lambda part: find_undeclared_value(part, ranges)
                ),
                *undeclared,
            )


def _is_public(scope: Scope, subject: Expression) -> bool:
    """Return whether a column is one of a public table, whose values nobody has declared."""
    visible = scope.find_plan_column(subject.column) if isinstance(subject, ColumnRef) else None
    origin = None if visible is None else visible.origin
    return origin is not None and origin[0] not in dict(scope.tables)


def _collect_declared_ranges(scope: Scope) -> dict[str, Range]:
    """Return the declared ranges. Bounds that auto_bounds finds rule nothing out."""
    open_ = any(entry.auto_bounds for _, entry in scope.tables)
    return {
        name: (
            known.with_changes(low=None, high=None, values=None)
            if open_ and known.type in ("integer", "real")
            else known
        )
        for name, known in scope.ranges.items()
    }


def _is_never_true(condition: Expression) -> bool:
    """Return whether a condition is constant and not true, as in WHERE 1 = 0."""
    return (
        not set(find_columns(condition)) and evaluate(insert_casts(condition, {}), {}) is not True
    )


def _find_condition(
    scope: Scope, node: exp.Expr, wrong: Callable[[Expression], object]
) -> exp.Expr:
    """Return the first condition that is wrong by itself, or else the whole. Each is bound once."""
    for part in split_chain(node):
        try:
            verdict = wrong(RowBinder(scope).bind(part).expression)
        except Refused:  # a join condition, which reads ids
            continue
        if verdict is not None:
            return part
    return node


def _build_contradiction_error(
    kind: type[Refused], scope: Scope, node: exp.Expr, subject: Expression, known: Range | None
) -> Refused:
    inner, name = node.unnest(), _format_subject(scope, node, subject)
    if known is None:
        return scope.text.refusal(
            kind,
            f"This is never true: the lower bound of {name} is above the upper bound",
            node,
            "Write the smaller value first: BETWEEN 18 AND 65.",
        )
    if known.values:
        written = [
            str(literal.this) for literal in inner.find_all(exp.Literal) if literal.is_string
        ]
        close = (
            find_closest_name(written[0], map(str, known.values))
            if written and known.type == "text"
            else None
        )
        fix = (
            f"Did you mean {quote_text(close)}?"
            if close
            else "Use values that the policy declares."
        )
        return scope.text.refusal(
            kind,
            f"This is never true: {name} is one of {_format_values(known)}",
            node,
            fix,
        )
    if known.low is None and known.high is None:
        return scope.text.refusal(
            kind,
            f"This is never true: {name} is a whole number",
            node,
            "Use whole numbers, or a range.",
        )
    ends = [
        _format_end(end, known) for end in dict.fromkeys((known.low, known.high)) if end is not None
    ]
    relation = (
        "always" if known.low == known.high else "at least" if known.high is None else "at most"
    )
    problem = (
        f"lies between {ends[0]} and {ends[1]}" if len(ends) == 2 else f"is {relation} {ends[0]}"
    )
    return scope.text.refusal(
        kind, f"This is never true: {name} {problem}", node, "Use values in that range."
    )


def _build_undeclared_value_error(
    scope: Scope, node: exp.Expr, subject: Expression, known: Range, word: str
) -> Refused:
    """Return the refusal of one undeclared value in a list, which would otherwise go unnoticed."""
    close = find_closest_name(word, map(str, known.values or ()))
    fix = f"Did you mean {quote_text(close)}? Otherwise leave it out." if close else "Leave it out."
    problem = (
        f"{_format_subject(scope, node, subject)} is never {quote_text(word)}: it is one of"
        f" {_format_values(known)}"
    )
    return scope.text.refusal(Unsupported, problem, node, fix)


def _format_subject(scope: Scope, node: exp.Expr, subject: Expression) -> str:
    inner = node.unnest()
    visible = scope.find_plan_column(subject.column) if isinstance(subject, ColumnRef) else None
    first = next(
        (
            side
            for side in (inner.this, inner.args.get("expression"))
            if side is not None and side.find(exp.Column)
        ),
        inner,
    )
    return quote_name(visible.name) if visible is not None else scope.text.format_node(first)


def _format_values(known: Range) -> str:
    values = known.values or ()
    return ", ".join(map(str, values[:_MAX_LISTED_VALUES])) + (
        ", …" if len(values) > _MAX_LISTED_VALUES else ""
    )


def _format_end(end: Fraction, known: Range) -> str:
    if known.type in ("date", "timestamp"):
        return str(build_date(int(end), known.type))
    return str(int(end)) if end.denominator == 1 else f"{float(end):g}"
