"""UNION ALL of subqueries about the same population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.nodes import Project, RelationNode, Union
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.values import Type
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["build_union"]


def build_union(
    text: SourceText, branches: Sequence[tuple[exp.Expr, Scope]], word: str = "UNION ALL"
) -> Scope:
    """Build the union of branches: columns match by position and are named as in the first.

    ``word`` is the operation as written.
    """
    first = branches[0][1]
    for node, scope in branches:
        _check_branch(text, node, scope, first, word)
    _check_repeated_rows(text, branches)
    types = [
        _find_common_type(text, [(node, scope.columns[i]) for node, scope in branches], word)
        for i in range(len(first.columns))
    ]
    rows = Union(tuple(_project_branch(scope, first, types) for _, scope in branches))
    known = rows.columns
    columns = tuple(
        (
            replace(
                column,
                range=known[column.plan_column],
                owner=column.owner
                if len({scope.columns[i].owner for _, scope in branches}) == 1
                else None,
                origin=None,
                size=1,
                work=1,
            )
            if column.plan_column
            else column
        )
        for i, column in enumerate(first.columns)
    )
    tables = tuple(dict(table for _, scope in branches for table in scope.tables).items())
    source_count, work = (
        sum(scope.source_count for _, scope in branches),
        sum(scope.work for _, scope in branches),
    )
    capping = frozenset(name for _, scope in branches for name in scope.capping_table_names)
    return Scope(
        text, rows, columns, first.sources, tables, None, source_count, work, capping_tables=capping
    ).check_limits()


def _check_branch(text: SourceText, node: exp.Expr, scope: Scope, first: Scope, word: str) -> None:
    pairs = list(zip(scope.columns, first.columns, strict=False))
    units = [rows.unit == "row" for rows in (scope.rows, first.rows)]
    for is_wrong, problem, fix in (
        (
            len(scope.columns) != len(first.columns),
            f"The branches of {word} have different numbers of columns",
            "Select the same columns in each branch.",
        ),
        (
            not scope.tables,
            f"{word} cannot combine public and protected tables",
            "Write JOIN … ON a.x = b.x.",
        ),
        (
            scope.population != first.population or units[0] != units[1],
            f"The branches of {word} are about different populations",
            "Use tables of one population.",
        ),
        (
            any(
                mine.owner != theirs.owner
                for mine, theirs in pairs
                if mine.is_privacy_id or theirs.is_privacy_id
            ),
            f"The privacy id is in different positions in the branches of {word}",
            "Select it in the same position in each branch.",
        ),
    ):
        if is_wrong:
            raise text.refusal(Unsupported, problem, node, fix)


def _check_repeated_rows(text: SourceText, branches: Sequence[tuple[exp.Expr, Scope]]) -> None:
    """Refuse a table twice if its rows are units: a repeated row would count as two units."""
    seen: set[str] = set()
    for node, scope in branches:
        names = {name for name, _ in scope.tables}
        if scope.rows.unit == "row" and names & seen:
            problem = (
                f"The rows of {min(names & seen)} would be counted twice, but every row"
                " is its own unit"
            )
            _refuse(text, node, problem, "Write one SELECT, with OR between the conditions.")
        seen |= names


def _find_common_type(
    text: SourceText, columns: Sequence[tuple[exp.Expr, ColumnReference]], word: str
) -> Type:
    types = {column.range.type for _, column in columns if column.range.values != ()}
    if len(types) > 1 and types != {"integer", "real"} and not columns[0][1].is_privacy_id:
        _refuse(
            text,
            columns[-1][0],
            f"{columns[0][1].name} is {' and '.join(sorted(types))} in the branches of {word}",
            "Select values of one type.",
        )
    return "real" if "real" in types else next(iter(types), columns[0][1].range.type)


def _project_branch(scope: Scope, first: Scope, types: Sequence[Type]) -> RelationNode:
    outputs: list[tuple[str, Expression]] = []
    for mine, called, type_ in zip(scope.columns, first.columns, types, strict=True):
        if mine.plan_column:
            read: Expression = (
                Constant(None, type_) if mine.range.values == () else ColumnRef(mine.plan_column)
            )
            outputs.append(
                (
                    called.plan_column,
                    (
                        Call("to real", (read,))
                        if type_ == "real" and mine.range.type == "integer"
                        else read
                    ),
                )
            )
    return Project(scope.rows, tuple(outputs) or (("one", Constant(1, "integer")),))


def _refuse(text: SourceText, node: exp.Expr, problem: str, fix: str) -> NoReturn:
    raise text.refusal(Unsupported, problem, node, fix)
