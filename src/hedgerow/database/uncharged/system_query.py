"""Questions about the system tables. They read no data, and nothing is charged.

    hedgerow.budget         the total, spent and remaining budget of each population
    hedgerow.quotas         the quota of the analyst; all quotas for the custodian
    hedgerow.ledger         the entries of the analyst; all entries for the custodian
    hedgerow.tables         the tables, their privacy units and contribution bounds
    hedgerow.columns        their columns with declared bounds and values, without hidden ones
    hedgerow.column_values  every declared value, one row each

No engine sees the text of such a question. It is read by the rules of all questions, and this
module evaluates a small part of SQL: columns or COUNT(*), WHERE with comparisons, ORDER BY, LIMIT
and OFFSET.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.tokenizer_core import TokenType

from hedgerow.database.query.pricing import QueryContext
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.database.uncharged.system_tables import (
    SYSTEM_TABLES,
    SystemRow,
    list_system_rows,
)
from hedgerow.errors import InvalidArgument, Refused, Unsupported
from hedgerow.plan.scalar.expressions import evaluate
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.binder.row_expressions import RowBinder, check_args
from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.catalog import Catalog, TableEntry, find_closest_name
from hedgerow.sql.question import QueryOptions
from hedgerow.sql.relations.table_scan import scan_table
from hedgerow.sql.syntax.privacy_clause import TokenisedQuery, tokenise_query
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["SYSTEM_SCHEMA", "answer_system_query", "is_system_query"]

SYSTEM_SCHEMA: Final = "hedgerow"
_SYSTEM_CATALOG: Final = Catalog(
    {
        name: TableEntry(
            Schema(name, tuple(Column(column, type_) for column, type_ in columns.items()), None)
        )
        for name, columns in SYSTEM_TABLES.items()
    }
)
_ALLOWED_NODES: Final = (
    *(
        exp.Column,
        exp.Identifier,
        exp.Literal,
        exp.Boolean,
        exp.Null,
        exp.Paren,
        exp.Neg,
        exp.And,
        exp.Or,
        exp.Not,
    ),
    *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Like, exp.Between, exp.Is),
)
_EXAMPLE_FIX: Final = (
    f"Write SELECT * FROM {SYSTEM_SCHEMA}.budget WHERE … ORDER BY … LIMIT …, and process the rows"
    " yourself."
)


def is_system_query(sql: str) -> bool:
    """Return whether a question reads a system table: outside all brackets, FROM or JOIN is
    followed by the schema and a dot."""
    if not isinstance(sql, str) or SYSTEM_SCHEMA not in sql.casefold():
        return False
    try:
        body = tokenise_query(sql).body
    # Reading it as a question will report the error.
    except (Refused, InvalidArgument):
        return False
    depth = 0
    for word, name, dot in zip(body, body[1:], body[2:], strict=False):
        depth += (word.token_type == TokenType.L_PAREN) - (word.token_type == TokenType.R_PAREN)
        starts = depth == 0 and word.token_type in (TokenType.FROM, TokenType.JOIN)
        if (
            starts
            and name.token_type != TokenType.STRING
            and name.text.casefold() == SYSTEM_SCHEMA
            and dot.token_type == TokenType.DOT
        ):
            return True
    return False


def answer_system_query(sql: str, database: QueryContext, analyst: str | None) -> ExactTable:
    """Answer a question about a system table; ``analyst`` None is the custodian, who sees every
    ledger entry and every quota."""
    heading = tokenise_query(sql)
    text = heading.text
    if heading.explain or heading.options != QueryOptions():
        raise text.refusal(
            Unsupported,
            "System tables cost nothing",
            None,
            "Ask without EXPLAIN PRIVACY and without OPTIONS.",
        )
    select = _parse_select(heading)
    if select.args.get("joins"):
        raise text.refusal(
            Unsupported,
            "A system table cannot be joined",
            select.args["from_"],
            _EXAMPLE_FIX,
        )
    check_args(text, select, "expressions", "from_", "where", "order", "limit", "offset")
    scope = _build_scope(text, select)
    ((_, table),) = scope.sources
    kept = list(_filter_rows(scope, select, list(list_system_rows(table, database, analyst))))
    chosen = _read_outputs(scope, select)
    if chosen is None:
        return ExactTable({_name_count(select): "integer"}, [{_name_count(select): len(kept)}])
    for column, descending, nulls_first in reversed(list(_read_order(scope, select, chosen))):
        known: list[Any] = sorted(
            (row for row in kept if row[column] is not None),
            key=lambda row: row[column],
            reverse=descending,
        )
        unknown = [row for row in kept if row[column] is None]
        kept = unknown + known if nulls_first else known + unknown
    start = _read_row_count(text, select, "offset") or 0
    limit = _read_row_count(text, select, "limit")
    kept = kept[start : None if limit is None else start + limit]
    types = {name: SYSTEM_TABLES[table][column] for name, column in chosen.items()}
    return ExactTable(
        types, [{name: row[column] for name, column in chosen.items()} for row in kept]
    )


def _parse_select(heading: TokenisedQuery) -> exp.Select:
    try:
        found = (
            DuckDB()
            .parser(error_level=ErrorLevel.IMMEDIATE)
            .parse(list(heading.body), heading.text.sql)[0]
        )
    except Exception:  # the parser was not written for hostile text
        raise heading.text.refusal(
            Unsupported, "This is not valid SQL", None, _EXAMPLE_FIX
        ) from None
    if type(found) is not exp.Select:
        raise heading.text.refusal(
            Unsupported, "System tables take a single SELECT", None, _EXAMPLE_FIX
        )
    return found


def _build_scope(text: SourceText, select: exp.Select) -> Scope:
    table = select.args["from_"].this
    if (
        not isinstance(table, exp.Table)
        or table.args.get("catalog") is not None
        or table.text("db").casefold() != SYSTEM_SCHEMA
    ):
        raise text.refusal(
            Unsupported, "A system table must be the only table", select.args["from_"], _EXAMPLE_FIX
        )
    check_args(text, table, "this", "db", "alias")
    if _SYSTEM_CATALOG.find_table(table.name) is None:
        close = find_closest_name(table.name, SYSTEM_TABLES)
        instead = (
            f"Did you mean {SYSTEM_SCHEMA}.{close}?"
            if close
            else f"Use {', '.join(f'{SYSTEM_SCHEMA}.{name}' for name in SYSTEM_TABLES)}."
        )
        raise text.refusal(
            Unsupported, f"There is no system table {table.name[:60]}", table, instead
        )
    return scan_table(text, table, _SYSTEM_CATALOG)


def _read_outputs(scope: Scope, select: exp.Select) -> dict[str, str] | None:
    """Return the column that each output shows; None for COUNT(*)."""
    if len(select.expressions) == 1 and _is_count(select.expressions[0].unalias()):
        return None
    found: dict[str, str] = {}
    for item in select.expressions:
        node = item.unalias().unnest()
        if isinstance(node, exp.Star) or (
            isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
        ):
            if _has_modifiers(node):
                _refuse(scope, node, "* takes no EXCEPT or REPLACE here")
            new = {visible.name: visible.name for visible in scope.columns}
        elif isinstance(node, exp.Column):
            name = scope.resolve_column(node).name
            new = {item.alias if isinstance(item, exp.Alias) else name: name}
        else:
            _refuse(scope, node, "System tables show columns unchanged, without expressions")
        taken = next((name for name in new if name in found), None)
        if taken is not None:
            _refuse(scope, item, f"{taken} is selected twice")
        found |= new
    return found


def _has_modifiers(node: exp.Expr) -> bool:
    """Return whether a star has EXCEPT, REPLACE or the like."""
    star = node.this if isinstance(node, exp.Column) else node
    return any(star.args.values())


def _is_count(node: exp.Expr) -> bool:
    return (
        isinstance(node, exp.Count)
        and isinstance(node.this, exp.Star)
        and not _has_modifiers(node.this)
        and not node.expressions
    )


def _name_count(select: exp.Select) -> str:
    return select.expressions[0].alias or "count"


def _filter_rows(scope: Scope, select: exp.Select, rows: list[SystemRow]) -> Iterator[SystemRow]:
    where = select.args.get("where")
    if where is None:
        yield from rows
        return
    for node in where.this.walk():
        if not isinstance(node, _ALLOWED_NODES):
            _refuse(
                scope,
                node,
                "Conditions on system tables are limited to comparisons, AND, OR, NOT, IN, LIKE,"
                " BETWEEN and IS NULL",
            )
    condition = RowBinder(scope).bind(where.this)
    if condition.type != "boolean":
        _refuse(scope, where.this, f"WHERE needs a condition, but this is {condition.type}")
    for row in rows:
        if evaluate(condition.expression, row) is True:
            yield row


def _read_order(
    scope: Scope, select: exp.Select, chosen: Mapping[str, str]
) -> Iterator[tuple[str, bool, bool]]:
    """Yield column, descending and nulls first for each sort key; an output name shadows a column
    of the table."""
    order = select.args.get("order")
    for item in [] if order is None else order.expressions:
        check_args(scope.text, item, "this", "desc", "nulls_first")
        node = item.this.unnest()
        outputs = {name.casefold(): column for name, column in chosen.items()}
        if not isinstance(node, exp.Column):
            _refuse(scope, item, "System tables are sorted by columns only")
        column = outputs.get(node.name.casefold()) if "table" not in node.args else None
        yield (
            column or scope.resolve_column(node).name,
            bool(item.args.get("desc")),
            bool(item.args.get("nulls_first")),
        )


def _read_row_count(text: SourceText, select: exp.Select, name: str) -> int | None:
    clause = select.args.get(name)
    if clause is None:
        return None
    written = clause.args.get("expression")
    if (
        not isinstance(written, exp.Literal)
        or written.is_string
        or not written.this.isdecimal()
        or len(written.this) > 9
    ):
        raise text.refusal(
            Unsupported,
            f"{name.upper()} needs a number of rows as a literal",
            clause,
            f"Write {name.upper()} 10.",
        )
    return int(written.this)


def _refuse(scope: Scope, node: exp.Expr, what: str) -> NoReturn:
    raise scope.text.refusal(Unsupported, what, node, _EXAMPLE_FIX)
