"""The SELECT list of a subquery."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.nodes import Project
from hedgerow.plan.scalar.expressions import ColumnRef, Expression
from hedgerow.sql.binder.output_names import find_alias
from hedgerow.sql.binder.row_expressions import RowBinder, check_args
from hedgerow.sql.binder.rule import find_filled_args
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.binder.typed_expression import TypedExpression

__all__ = [
    "SelectItem",
    "build_projection",
    "expand_select_list",
    "project_items",
    "rename_columns",
]


@dataclass(frozen=True, slots=True)
class SelectItem:
    """An output of a subquery: its node without alias, its name, and the column if it is one."""

    node: exp.Expr
    name: str
    column: ColumnReference | None

    @property
    def is_privacy_id(self) -> bool:
        """True for the privacy id."""
        return self.column is not None and self.column.is_privacy_id

    def bind(self, binder: RowBinder) -> TypedExpression:
        """Bind the output over the rows of a binder."""
        return binder.bind(self.node) if self.column is None else self.column.value


def expand_select_list(scope: Scope, nodes: Sequence[exp.Expr]) -> list[SelectItem]:
    """Return the outputs with * expanded; no other column may take the name of the privacy id."""
    items: list[SelectItem] = []
    for place, node in enumerate(nodes, 1):
        star = _expand_star(scope, node)
        if star is not None:
            items += [SelectItem(node, visible.name, visible) for visible in star]
            continue
        if isinstance(node, exp.Alias):
            check_args(scope.text, node, "this", "alias")
        bare = (node.this if isinstance(node, exp.Alias) else node).unnest()
        visible = (
            scope.find_column(bare)
            if type(bare) is exp.Column and find_filled_args(bare) <= {"this", "table"}
            else None
        )
        name = find_alias(node) or (visible.name if visible is not None else f"column{place}")
        _check_name(scope, node, name, visible)
        items.append(SelectItem(bare, name, visible))
    return items


def rename_columns(scope: Scope, alias: exp.Expr) -> Scope:
    """Rename columns by a table alias: (SELECT …) AS v(a, b). The privacy id stays the id."""
    check_args(scope.text, alias, "this", "columns")
    names = alias.args.get("columns") or []
    if not names:
        return scope
    columns = [visible for visible in scope.columns if not visible.is_merged]
    if len(names) != len(columns):
        raise scope.text.refusal(
            Unsupported,
            f"The alias names {len(names)} columns, but there are {len(columns)}",
            alias,
            "Name each column once.",
        )
    for name, visible in zip(names, columns, strict=True):
        _check_name(scope, name, name.name, visible)
    return replace(
        scope,
        columns=tuple(
            replace(column, name=name.name) for name, column in zip(names, columns, strict=True)
        ),
    )


def _expand_star(scope: Scope, node: exp.Expr) -> list[ColumnReference] | None:
    if type(node) is exp.Star:
        check_args(scope.text, node)
        return [
            visible
            for visible in scope.columns
            if not visible.is_merged and not visible.may_be_missing
        ]
    if type(node) is exp.Column and type(node.this) is exp.Star:
        check_args(scope.text, node, "this", "table")
        check_args(scope.text, node.this)
        scope.check_qualifier(node)
        alias = node.args["table"].name.casefold() if node.args.get("table") is not None else ""
        return [
            visible
            for visible in scope.columns
            if visible.alias.casefold() == alias and not visible.may_be_missing
        ]
    return None


def _check_name(scope: Scope, node: exp.Expr, name: str, visible: ColumnReference | None) -> None:
    """Refuse a name that would hide the privacy id behind another column.

    The id itself may have any name: what makes it the id is its ``owner``, never its name.
    """
    if visible is not None and visible.is_privacy_id:
        RowBinder(scope).check_selectable(node, visible) if visible.may_be_missing else None
        return
    if any(
        name.casefold() == column.name.casefold()
        for column in scope.columns
        if column.is_privacy_id
    ):
        raise scope.text.refusal(
            Unsupported, f"{name[:60]} is the name of the privacy id", node, "Choose another alias."
        )


def project_items(scope: Scope, items: Sequence[SelectItem]) -> Scope:
    """Project a scope to these outputs."""
    binder = RowBinder(scope, "a subquery")
    outputs = [(item, None if item.is_privacy_id else item.bind(binder)) for item in items]
    return build_projection(scope, outputs)


def build_projection(
    scope: Scope, outputs: Sequence[tuple[SelectItem, TypedExpression | None]]
) -> Scope:
    """Build the projection to these outputs.

    None as an expression is the privacy id, which the plan passes on by itself.
    """
    columns: list[ColumnReference] = []
    written: list[tuple[str, Expression]] = []
    kept: dict[str, str] = {}
    work = scope.work
    for item, value in outputs:
        if value is None:
            assert item.column is not None
            columns.append(replace(item.column, alias="", name=item.name, is_merged=False))
            continue
        name = _choose_free_name(item.name, {taken for taken, _ in written})
        written.append((name, value.expression))
        work += value.work
        same = item.column
        if isinstance(value.expression, ColumnRef):
            kept.setdefault(value.expression.column, name)
            same = same or scope.find_plan_column(value.expression.column)
        owner, origin = (None, None) if same is None else (same.owner, same.origin)
        columns.append(
            ColumnReference(
                "", item.name, name, value.range, owner, origin, size=value.size, work=value.work
            )
        )
    rows = Project(scope.rows, tuple(written)) if written else scope.rows
    key = None
    if scope.key_within_unit is not None and (
        not written or all(column in kept for column in scope.key_within_unit)
    ):
        key = frozenset(kept.get(column, column) for column in scope.key_within_unit)
    sources = (("", "the subquery"),)
    return Scope(
        scope.text,
        rows,
        tuple(columns),
        sources,
        scope.tables,
        key,
        scope.source_count,
        work,
        capping_tables=scope.capping_tables,
    )


def _choose_free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
