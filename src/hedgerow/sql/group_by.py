"""GROUP BY: columns, expressions, aliases, positions, and ALL."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hedgerow.errors import Unbounded, Unsupported
from hedgerow.plan.scalar.expressions import Expression, find_columns
from hedgerow.plan.values import Value
from hedgerow.sql.binder.output_names import find_alias
from hedgerow.sql.binder.row_expressions import RowBinder, check_args, find_functions
from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.predicates.domain_narrowing import (
    find_listed_values,
    list_possible_values,
    narrow_domain,
)
from hedgerow.sql.real_keys import RealKey, find_real_key
from hedgerow.sql.relations.public_outer_joins import check_extended_key
from hedgerow.sql.syntax.quoting import quote_name
from hedgerow.sql.syntax.source_text import SourceText

__all__ = [
    "KeyExpression",
    "bind_keys",
    "compute_domain",
    "expand_group_by",
    "find_functions",
    "resolve_position",
    "strip_alias",
]

MAX_KEYS: Final = 20


@dataclass(frozen=True, slots=True)
class KeyExpression:
    """A key of GROUP BY: its expression, its text, and its values if they are known."""

    value: TypedExpression
    text: str
    domain: tuple[Value, ...] | None
    real: RealKey | None = None  # where the value is the number of its steps


def bind_keys(
    scope: Scope, group: exp.Expr | None, items: Sequence[exp.Expr]
) -> list[KeyExpression]:
    """Bind the distinct keys of GROUP BY."""
    if group is None:
        return []
    binder = RowBinder(scope, "GROUP BY")
    found: dict[Expression, KeyExpression] = {}
    nodes = expand_group_by(scope, group, items)
    bare = {_find_name(scope, node) for node in nodes} - {None}
    for node in nodes:
        column = scope.find_bare_column(node)
        if column is not None and column.is_privacy_id:
            binder.refuse(
                node,
                f"{column.name} is {column.role}. Grouping by it would show each unit on its own",
                _suggest_shared_key(scope, [part.name for part in scope.list_id_parts(column)]),
            )
        if column is None and _is_determined(scope, binder, node, bare):
            continue
        value = binder.bind(node)
        if not set(find_columns(value.expression)):
            continue  # a constant: all rows are in its group
        check_extended_key(scope, node, value)
        real = find_real_key(binder, node, value) if value.type == "real" else None
        value = value if real is None else real.steps
        _check_key(binder, node, value)
        domain = compute_domain(scope, value)
        if domain == ():
            binder.refuse(node, "This GROUP BY key is always NULL", "Group by a column.")
        if domain is None and value.type != "real":
            domain = find_listed_values(scope.rows, value.expression, scope.domain_limit)
        domain = domain and _narrow_key_domain(scope, binder, node, value, domain)
        found.setdefault(
            value.expression, KeyExpression(value, scope.text.format_node(node), domain, real)
        )
    if len(found) > MAX_KEYS:
        raise scope.text.refusal(
            Unsupported, f"GROUP BY has more than {MAX_KEYS} keys", group, "Group by fewer columns."
        )
    return list(found.values())


def _find_name(scope: Scope, node: exp.Expr) -> str | None:
    column = scope.find_bare_column(node)
    return None if column is None else column.plan_column


def _is_determined(
    scope: Scope, binder: RowBinder, node: exp.Expr, bare: Collection[str | None]
) -> bool:
    """Return whether columns that are keys themselves determine a key: it is one value in each of
    their groups, and is computed from them. It needs no bounds then."""
    columns = list(node.find_all(exp.Column))
    if not columns or not all(_find_name(scope, column) in bare for column in columns):
        return False
    with suppress(Unbounded):
        binder.bind(node)
    return True


def _suggest_shared_key(scope: Scope, id_names: Sequence[str]) -> str:
    """Return the advice to group by other columns, or to aggregate per unit first."""
    advice = "Group by a column that many units share"
    tables = [name for name, _ in scope.tables]
    if len(tables) != 1 or [name for _, name in scope.sources] != tables:
        return f"{advice}."
    name = ", ".join(map(quote_name, id_names))
    rows = f"(SELECT {name}, COUNT(*) AS n FROM {quote_name(tables[0])} GROUP BY {name}) AS t"
    return f"{advice}, or aggregate per unit first: SELECT AVG(LEAST(n, 20)) FROM {rows}."


def expand_group_by(scope: Scope, group: exp.Expr, items: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Return the expressions of GROUP BY, with positions, aliases and ALL resolved."""
    check_args(scope.text, group, "expressions", "all")
    if group.args.get("all"):
        return [strip_alias(item) for item in items if _is_key(item)]
    return [_resolve_item(scope, node, items) for node in group.expressions]


def resolve_position(text: SourceText, node: exp.Literal, items: Sequence[exp.Expr]) -> exp.Expr:
    """Return the output at a position, counted from 1."""
    written = str(node.this)
    if not written.isdecimal() or len(written) > 9 or not 1 <= int(written) <= len(items):
        raise text.refusal(
            Unsupported,
            f"There is no output column {written[:20]}",
            node,
            f"Write a position from 1 to {len(items)}.",
        )
    return strip_alias(items[int(written) - 1])


def strip_alias(item: exp.Expr) -> exp.Expr:
    """Return an output without its alias."""
    inner: exp.Expr = item.this if isinstance(item, exp.Alias) else item
    return inner


def _resolve_item(scope: Scope, node: exp.Expr, items: Sequence[exp.Expr]) -> exp.Expr:
    """Resolve a position, a column or an alias; as in SQL, a column comes before an alias."""
    if isinstance(node, exp.Literal) and not node.is_string:
        return resolve_position(scope.text, node, items)
    if not isinstance(node, exp.Column) or "table" in node.args or scope.find_column(node):
        return node
    named = [item for item in items if (find_alias(item) or "").casefold() == node.name.casefold()]
    return strip_alias(named[0]) if named else node


def _is_key(item: exp.Expr) -> bool:
    return item.find(exp.Column) is not None and not any(map(_is_result, item.walk()))


def _is_result(part: exp.Expr) -> bool:
    return isinstance(part, exp.AggFunc) or (
        isinstance(part, exp.Anonymous) and str(part.this).upper().startswith("DP_INTERVAL")
    )


def _check_key(binder: RowBinder, node: exp.Expr, value: TypedExpression) -> None:
    if value.type == "real":
        text = binder.text.format_node(node)
        alone = (
            f"({text})"
            if isinstance(node, exp.Binary | exp.Unary) and not isinstance(node, exp.Paren)
            else text
        )
        is_quotient = isinstance(node.unnest(), exp.Div)
        whole = f"FLOOR({text})" if is_quotient else f"FLOOR({alone} / 10)"
        decimals = "" if is_quotient else f"; or by decimals: GROUP BY ROUND({text}, 2)"
        binder.refuse(
            node,
            "Cannot group by real numbers: nearly every value would be a group of its own",
            f"Group by whole numbers: GROUP BY {whole}{decimals}.",
        )


def _narrow_key_domain(
    scope: Scope,
    binder: RowBinder,
    node: exp.Expr,
    value: TypedExpression,
    domain: tuple[Value, ...],
) -> tuple[Value, ...]:
    """Return the values of a key that WHERE leaves: other groups are empty whatever the data."""
    kept = narrow_domain(scope.rows, value.expression, domain, scope.domain_limit)
    if not kept and any(entry.auto_bounds for _, entry in scope.tables):
        return domain  # placeholders for bounds that are not found yet exclude nothing
    if not kept:
        binder.refuse(
            node,
            "WHERE excludes every declared value of this key",
            "Use values that the policy declares.",
        )
    return kept


def compute_domain(scope: Scope, value: TypedExpression) -> tuple[Value, ...] | None:
    """Return the values of a key, from the values of its columns if these are few, or its range.

    FLOOR(age / 10) * 10 has a dozen values, though its range is all whole numbers from 0 to 110.
    """
    found = list_possible_values(value.expression, scope.ranges, scope.domain_limit)
    if found is None:
        return value.range.domain(scope.domain_limit)
    return (
        tuple(sorted(found)) if len(found) <= scope.domain_limit else None  # type: ignore[type-var]
    )
