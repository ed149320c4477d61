"""The SELECT list of a subquery: which columns its rows have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.expressions import Expression, Read
from hedgerow.plan.nodes import Project
from hedgerow.sql.names import alias_of
from hedgerow.sql.readers import RowReader, only
from hedgerow.sql.rule import filled
from hedgerow.sql.scope import Scope, Visible
from hedgerow.sql.typed import Typed

__all__ = ["Item", "expanded", "projected", "renamed", "shaped"]

_UNDER_ITS_NAME = "Select it as it is, under its own name."


@dataclass(frozen=True, slots=True)
class Item:
    """An output of a subquery: its node without the alias, its name, and the column that it is, if it is one."""

    node: exp.Expr
    name: str
    visible: Visible | None


def expanded(scope: Scope, nodes: Sequence[exp.Expr]) -> list[Item]:
    """The outputs, with * written out. An id keeps its name, and nothing else takes it."""
    items: list[Item] = []
    for place, node in enumerate(nodes, 1):
        star = _star(scope, node)
        if star is not None:
            items += [Item(node, visible.name, visible) for visible in star]
            continue
        if isinstance(node, exp.Alias):
            only(scope.text, node, "this", "alias")
        bare = (node.this if isinstance(node, exp.Alias) else node).unnest()
        visible = scope.find(bare) if type(bare) is exp.Column and filled(bare) <= {"this", "table"} else None
        name = alias_of(node) or (visible.name if visible is not None else f"column{place}")
        _check_name(scope, node, name, visible)
        items.append(Item(bare, name, visible))
    return items


def renamed(scope: Scope, alias: exp.Expr) -> Scope:
    """With the names that stand behind the alias: (SELECT …) AS v(a, b). The id keeps its own."""
    only(scope.text, alias, "this", "columns")
    names = alias.args.get("columns") or []
    if not names:
        return scope
    columns = [visible for visible in scope.columns if not visible.merged]
    if len(names) != len(columns):
        what = f"There are {len(columns)} columns here, and {len(names)} names"
        raise scope.text.refusal(Unsupported, what, alias, "Name each column once.")
    for name, visible in zip(names, columns, strict=True):
        _check_name(scope, name, name.name, visible)
    return replace(scope, columns=tuple(replace(one, name=name.name) for name, one in zip(names, columns, strict=True)))


def _star(scope: Scope, node: exp.Expr) -> list[Visible] | None:
    """The columns that * or t.* stands for; None where this is something else."""
    if type(node) is exp.Star:
        only(scope.text, node)
        return [visible for visible in scope.columns if not visible.merged and not visible.lost]
    if type(node) is exp.Column and type(node.this) is exp.Star:
        only(scope.text, node, "this", "table")
        only(scope.text, node.this)
        scope.check_table(node)
        alias = node.args["table"].name.casefold() if node.args.get("table") is not None else ""
        return [visible for visible in scope.columns if visible.alias.casefold() == alias and not visible.lost]
    return None


def _check_name(scope: Scope, node: exp.Expr, name: str, visible: Visible | None) -> None:
    if visible is not None and visible.is_unit:
        RowReader(scope).shown(node, visible) if visible.lost else None
        if name.casefold() != visible.name.casefold():
            what = f"{visible.name} says whose rows these are, and cannot be renamed"
            raise scope.text.refusal(Unsupported, what, node, _UNDER_ITS_NAME)
        return
    if any(name.casefold() == one.name.casefold() for one in scope.columns if one.is_unit):
        what = f"{name[:60]} is the name of the column that says whose rows these are"
        raise scope.text.refusal(Unsupported, what, node, "Choose another alias.")


def projected(scope: Scope, items: Sequence[Item]) -> Scope:
    """The same rows with these columns."""
    reader = RowReader(scope, "a subquery")
    outputs = [(item, None if item.visible is not None and item.visible.is_unit else _value(reader, item)) for item in items]
    return shaped(scope, outputs)


def _value(reader: RowReader, item: Item) -> Typed:
    return reader.read(item.node) if item.visible is None else item.visible.value


def shaped(scope: Scope, outputs: Sequence[tuple[Item, Typed | None]]) -> Scope:
    """Rows with these columns; None is the id, which the plan hands on by itself."""
    columns: list[Visible] = []
    written: list[tuple[str, Expression]] = []
    kept: dict[str, str] = {}
    work = scope.work
    for item, value in outputs:
        if value is None:
            assert item.visible is not None
            columns.append(replace(item.visible, alias="", merged=False))
            continue
        name = _free(item.name, {taken for taken, _ in written})
        written.append((name, value.expression))
        work += value.work
        same = item.visible
        if isinstance(value.expression, Read):
            kept.setdefault(value.expression.column, name)
            same = same or scope.by_column(value.expression.column)
        whose, origin = (None, None) if same is None else (same.whose, same.origin)
        columns.append(Visible("", item.name, name, value.range, whose, origin, size=value.size, work=value.work))
    rows = Project(scope.rows, tuple(written)) if written else scope.rows
    once = None
    if scope.once is not None and (not written or all(column in kept for column in scope.once)):
        once = frozenset(kept.get(column, column) for column in scope.once)
    sources = (("", "the subquery"),)
    return Scope(scope.text, rows, tuple(columns), sources, scope.tables, once, scope.leaves, work, capping=scope.capping)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
