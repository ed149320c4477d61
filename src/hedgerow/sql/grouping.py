"""GROUP BY: columns and expressions, outputs by alias or position, or ALL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.expressions import Expression, reads
from hedgerow.plan.values import Value
from hedgerow.sql.names import alias_of
from hedgerow.sql.narrowing import left, listed, possible
from hedgerow.sql.quoting import quoted
from hedgerow.sql.readers import RowReader, functions, only
from hedgerow.sql.scope import Scope
from hedgerow.sql.text import Text
from hedgerow.sql.typed import Typed

__all__ = ["Grouped", "domain_of", "functions", "meant", "position", "read_groups"]

MAX_KEYS: Final = 20


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
            reader.refuse(node, "A group for every person would show each of them", _for_each(scope, node))
        value = reader.read(node)
        _check(scope, reader, node, value)
        domain = domain_of(scope, value)
        if domain == ():
            reader.refuse(node, "This key is always NULL", "Group by a column.")
        if domain is None and value.type != "real":
            domain = listed(scope.rows, value.expression, scope.domain_limit)
        domain = domain and _asked_for(scope, reader, node, value, domain)
        found.setdefault(value.expression, Grouped(value, scope.text.cut(node), domain))
    if len(found) > MAX_KEYS:
        raise scope.text.refusal(Unsupported, f"This has more than {MAX_KEYS} keys", group, "Group by fewer columns.")
    return list(found.values())


def _for_each(scope: Scope, node: exp.Expr) -> str:
    """What to ask instead of a row for every person: something about these rows."""
    share = "Group by something that many people share"
    if len(scope.sources) != 1 or len(scope.tables) != 1 or scope.sources[0][1] != scope.tables[0][0]:
        return f"{share}."
    (table, _), name = scope.tables[0], scope.column(node.unnest()).name  # type: ignore[arg-type]
    rows = f"(SELECT {quoted(name)}, COUNT(*) AS n FROM {quoted(table)} GROUP BY {quoted(name)}) AS t"
    return f"{share}; or ask about what each of them has: SELECT AVG(LEAST(n, 20)) FROM {rows}."


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
    """A position, a column or an output. Where a name is that of both, and they differ, it is refused: a wrong guess is paid for."""
    if isinstance(node, exp.Literal) and not node.is_string:
        return position(scope.text, node, items)
    if not isinstance(node, exp.Column) or "table" in node.args:
        return node
    named = [place for place, item in enumerate(items) if (alias_of(item) or "").casefold() == node.name.casefold()]
    column = scope.find(node)
    if column is None:
        return bare(items[named[0]]) if named else node
    for place in named:
        output = bare(items[place]).unnest()
        if _is_key(output) and not (isinstance(output, exp.Column) and scope.find(output) == column):
            what = f"{node.name[:60]} is the name of a column and of another output"
            own = f"write {quoted(column.alias)}.{quoted(column.name)}" if column.alias else "give the output another name"
            instead = f"For the output write GROUP BY {place + 1}; for the column {own}."
            raise scope.text.refusal(Unsupported, what, node, instead)
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
        alone = f"({text})" if isinstance(node, exp.Binary | exp.Unary) and not isinstance(node, exp.Paren) else text
        whole = f"FLOOR({text})" if isinstance(node.unnest(), exp.Div) else f"FLOOR({alone} / 10)"
        reader.refuse(node, "Real numbers make too many groups", f"Group by whole numbers, such as GROUP BY {whole}.")


def _asked_for(scope: Scope, reader: RowReader, node: exp.Expr, value: Typed, domain: tuple[Value, ...]) -> tuple[Value, ...]:
    """The values of a key that WHERE leaves: the other groups are empty whatever the data hold."""
    kept = left(scope.rows, value.expression, domain, scope.domain_limit)
    if not kept and any(entry.auto_bounds for _, entry in scope.tables):
        return domain  # bounds that stand in for what is not found yet rule nothing out
    if not kept:
        reader.refuse(node, "WHERE leaves no value of this key", "Ask for values that the policy declares.")
    return kept


def domain_of(scope: Scope, value: Typed) -> tuple[Value, ...] | None:
    """The values of a key: computed from those of its columns, where these are few; else what its range tells.

    FLOOR(age / 10) * 10 has a dozen values, though its range only says "whole numbers from 0 to 110".
    """
    found = possible(value.expression, scope.ranges, scope.domain_limit)
    if found is None:
        return value.range.domain(scope.domain_limit)
    return tuple(sorted(found)) if len(found) <= scope.domain_limit else None  # type: ignore[type-var]
