"""GROUP BY: columns and expressions, outputs by alias or position, or ALL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Final

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.expressions import Expression, evaluate, reads, typed
from hedgerow.plan.values import Value
from hedgerow.sql.names import alias_of
from hedgerow.sql.readers import RowReader, functions, only
from hedgerow.sql.scope import Scope
from hedgerow.sql.text import Text
from hedgerow.sql.typed import Typed

__all__ = ["Grouped", "domain_of", "functions", "meant", "position", "read_groups"]

MAX_KEYS: Final = 20
_EVALUATIONS: Final = 50_000  # nodes of expressions, to find the values of one key


@dataclass(frozen=True, slots=True)
class Grouped:
    """A key: its expression, its text, and its values where they are declared."""

    value: Typed
    text: str
    domain: tuple[Value, ...] | None


def read_groups(scope: Scope, group: exp.Expr | None, items: Sequence[exp.Expr]) -> list[Grouped]:
    """The keys, each once."""
    if group is None:
        return []
    reader = RowReader(scope, "GROUP BY")
    found: dict[Expression, Grouped] = {}
    for node in meant(scope, group, items):
        if _is_unit(scope, node):
            reader.refuse(node, "A group for every person would show each of them", "Group by something that many people share.")
        value = reader.read(node)
        _check(scope, reader, node, value)
        domain = domain_of(scope, value)
        if domain == ():
            reader.refuse(node, "This key is always NULL", "Group by a column.")
        found.setdefault(value.expression, Grouped(value, scope.text.cut(node), domain))
    if len(found) > MAX_KEYS:
        raise scope.text.refusal(Unsupported, f"This has more than {MAX_KEYS} keys", group, "Group by fewer columns.")
    return list(found.values())


def meant(scope: Scope, group: exp.Expr, items: Sequence[exp.Expr]) -> list[exp.Expr]:
    """What GROUP BY names: positions, aliases and ALL written out."""
    only(scope.text, group, "expressions", "all")
    if group.args.get("all"):
        return [bare(item) for item in items if _is_key(item)]
    return [_meant(scope, node, items) for node in group.expressions]


def _is_unit(scope: Scope, node: exp.Expr) -> bool:
    inner = node.unnest()
    found = scope.find(inner) if type(inner) is exp.Column and isinstance(inner.this, exp.Identifier) else None
    return found is not None and found.is_unit


def position(text: Text, node: exp.Literal, items: Sequence[exp.Expr]) -> exp.Expr:
    """The output at a position, counted from 1."""
    written = str(node.this)
    if not written.isdecimal() or len(written) > 9 or not 1 <= int(written) <= len(items):
        raise text.refusal(Unsupported, f"There is no output {written[:20]}", node, f"The outputs are 1 to {len(items)}.")
    return bare(items[int(written) - 1])


def bare(item: exp.Expr) -> exp.Expr:
    """An output without its alias."""
    inner: exp.Expr = item.this if isinstance(item, exp.Alias) else item
    return inner


def _meant(scope: Scope, node: exp.Expr, items: Sequence[exp.Expr]) -> exp.Expr:
    """A column comes before an output of the same name."""
    if isinstance(node, exp.Literal) and not node.is_string:
        return position(scope.text, node, items)
    if isinstance(node, exp.Column) and "table" not in node.args and scope.find(node) is None:
        named = (bare(item) for item in items if (alias_of(item) or "").casefold() == node.name.casefold())
        return next(named, node)
    return node


def _is_key(item: exp.Expr) -> bool:
    return item.find(exp.Column) is not None and not any(_is_result(part) for part in item.walk())


def _is_result(part: exp.Expr) -> bool:
    return isinstance(part, exp.AggFunc) or (isinstance(part, exp.Anonymous) and str(part.this).upper().startswith("DP_INTERVAL"))


def _check(scope: Scope, reader: RowReader, node: exp.Expr, value: Typed) -> None:
    names = set(reads(value.expression))
    if not names:
        reader.refuse(node, "This key is the same for all rows", "Group by a column.")
    if value.type == "real":
        text = scope.text.cut(node)
        reader.refuse(node, "Real numbers make too many groups", f"Group by whole numbers, such as GROUP BY FLOOR({text} / 10).")


def domain_of(scope: Scope, value: Typed) -> tuple[Value, ...] | None:
    """The values of a key: computed from those of its columns, where these are few; else what its range tells.

    FLOOR(age / 10) * 10 has a dozen values, though its range only says "whole numbers from 0 to 110".
    """
    limit = scope.domain_limit
    names = sorted(set(reads(value.expression)))
    columns = [scope.ranges[name].domain(limit) for name in names]
    known = [(*values, None) for values in columns if values is not None]
    # The logarithm may differ in its last bit between machines.
    if len(known) < len(names) or prod(map(len, known)) * value.size > _EVALUATIONS or "ln" in functions(value.expression):
        return value.range.domain(limit)
    expression = typed(value.expression, scope.ranges)
    found = {evaluate(expression, dict(zip(names, row, strict=True))) for row in product(*known)} - {None}
    return tuple(sorted(found)) if len(found) <= limit else None  # type: ignore[type-var]
