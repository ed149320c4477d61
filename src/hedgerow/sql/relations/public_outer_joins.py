"""LEFT JOIN from a public table, and RIGHT JOIN to one.

    SELECT n.region, SUM(c.balance) FROM nations n LEFT JOIN customers c ON … GROUP BY n.region

SQL keeps a nation without customers, with NULL in all columns of customers: an unmatched row, which
belongs to no unit. Where keys read the public table only, and every aggregate ignores such a row,
the numbers are those of the inner join, which is what is built; the keys are those of the public
table, and all groups are returned. A question that could see the row is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.canonical_expressions import simplify
from hedgerow.plan.scalar.expressions import (
    ColumnRef,
    Constant,
    Expression,
    find_columns,
    substitute_columns,
)
from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.aggregates.arguments import bind_argument, find_privacy_id
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.relations.join_columns import add_presence
from hedgerow.sql.relations.join_conditions import JoinConditions, JoinInput
from hedgerow.sql.syntax.operator_chains import split_chain

__all__ = [
    "OuterJoins",
    "check_extended_aggregate",
    "check_extended_condition",
    "check_extended_key",
    "find_extended_aliases",
    "read_outer_joins",
]

IN_ON: Final = "in on"  # marks a condition that unmatched rows need not meet
_INNER_FIX: Final = "Write JOIN, which leaves these rows out"


@dataclass(frozen=True, slots=True)
class OuterJoins:
    """The sources of FROM with inner and LEFT joins only, in an order in which these can be built.

    ``extended`` are the sources whose columns are NULL in the rows that SQL would add.
    """

    inputs: Sequence[JoinInput]
    extended: frozenset[str] = frozenset()


def read_outer_joins(parts: Sequence[JoinInput]) -> OuterJoins:
    """Turn RIGHT JOIN into LEFT JOIN, and LEFT JOIN from public tables into JOIN."""
    inputs, extended = list(parts), frozenset[str]()
    for place, part in enumerate(parts):
        before = parts[:place]
        side = None if part.join is None else part.join.args.get("side")
        if part.is_semijoin or side not in ("LEFT", "RIGHT"):
            continue
        is_public, are_public = not part.scope.tables, not any(one.scope.tables for one in before)
        if (side == "LEFT" and are_public and not is_public) or (
            side == "RIGHT" and is_public and not are_public
        ):
            rows = range(place, place + 1) if side == "LEFT" else range(place)
            extended |= {parts[i].alias for i in rows}
            inputs[place] = _change_side(part, None)
            for i in rows:
                scope = add_presence(inputs[i].scope, may_be_missing=False)
                inputs[i] = replace(inputs[i], scope=scope)
            if side == "RIGHT" and place == 1:  # USING reads the public column
                first = replace(inputs[0], join=inputs[1].join)
                inputs[:2] = [replace(inputs[1], join=None), first]
        elif side == "RIGHT" and place == 1:
            swapped = replace(parts[0], join=part.join)
            inputs[:2] = [replace(part, join=None), _change_side(swapped, "LEFT")]
    return OuterJoins(inputs, extended)


def find_extended_aliases(extended: frozenset[str], read: JoinConditions) -> frozenset[str]:
    """Add the later LEFT JOINs whose rows are NULL where those of an extended source are."""
    found = set(extended)
    for place, part in enumerate(read.inputs):
        ends = (
            condition.find_ends(place)
            for condition in read.conditions
            if condition.left_join == place
        )
        if part.is_left_join and any(end and read.inputs[end[1]].alias in found for end in ends):
            found.add(part.alias)
    return frozenset(found)


def _change_side(part: JoinInput, side: str | None) -> JoinInput:
    assert part.join is not None
    join = part.join.copy()
    join.set("side", side)
    on = join.args.get("on")
    for condition in () if side is not None or on is None else split_chain(on):
        condition.meta[IN_ON] = True
    return replace(part, join=join)


def check_extended_key(scope: Scope, node: exp.Expr, value: TypedExpression) -> None:
    """Refuse a key that reads a column which is NULL in an unmatched row."""
    if not _list_extended_columns(scope).isdisjoint(find_columns(value.expression)):
        _refuse(
            scope,
            node,
            "This key is NULL for public rows without a match",
            f"Group by columns of the public table. {_INNER_FIX}.",
        )


def check_extended_condition(scope: Scope, node: exp.Expr, value: TypedExpression) -> None:
    """Refuse a condition that may hold for an unmatched row because its columns are NULL."""
    extended = _list_extended_columns(scope)
    if node.meta.get(IN_ON) or extended.isdisjoint(find_columns(value.expression)):
        return
    left = _read_as_null(scope, value.expression, extended)
    if not isinstance(left, Constant) or left.value is True:
        _refuse(
            scope,
            node,
            "This condition may hold for public rows without a match, which belong to nobody",
            f"{_INNER_FIX}, or test columns of the public table only.",
        )


def check_extended_aggregate(binder: RowBinder, asked: AggregateSyntax) -> None:
    """Refuse an aggregate that an unmatched row would change."""
    scope, extended = binder.scope, _list_extended_columns(binder.scope)
    if not scope.extended_aliases or find_privacy_id(binder, asked) is not None:
        return
    values = [binder.bind(node) for node in asked.arguments]
    if asked.arguments:
        values.append(bind_argument(binder, asked))
    ignored = (None, 0) if asked.function == "SUM" else (None,)
    for value in values:
        left = _read_as_null(scope, value.expression, extended)
        if isinstance(left, Constant) and left.value in ignored and left.value is not False:
            return
    alias = min(scope.extended_aliases)
    _refuse(
        scope,
        asked.node,
        f"{asked.name} would count public rows without a match, which belong to nobody",
        f"{_INNER_FIX}, or aggregate a column of {alias}, as in COUNT({alias}.x).",
    )


def _list_extended_columns(scope: Scope) -> frozenset[str]:
    return frozenset(
        column.plan_column
        for column in scope.columns
        if column.alias in scope.extended_aliases and column.plan_column
    )


def _read_as_null(scope: Scope, expression: Expression, names: Iterable[str]) -> Expression:
    """Return an expression with NULL in the place of these columns."""
    known = scope.rows.columns
    nothing = {name: Constant(None, known[name].type) for name in names}
    return simplify(
        substitute_columns(
            expression, {name: nothing.get(name) or ColumnRef(name) for name in known}
        ),
        known,
    )


def _refuse(scope: Scope, node: exp.Expr, problem: str, fix: str) -> NoReturn:
    raise scope.text.refusal(Unsupported, problem, node, fix)
