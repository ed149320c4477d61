"""The diagnosis of a question about public tables that the engine refuses. It runs on empty tables
with the same columns, so no message can come from data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from hedgerow.engines.compile.sql_builders import null_literal
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.session_protocol import EngineLimits
from hedgerow.engines.duckdb.tables.registry import map_engine_types
from hedgerow.errors import Refused, Unsupported
from hedgerow.plan.values import Type
from hedgerow.sql.catalog import Catalog, TableEntry, find_closest_name
from hedgerow.sql.public_tables import phrases
from hedgerow.sql.public_tables.phrases import NameTable
from hedgerow.sql.public_tables.statement import PublicQuery
from hedgerow.sql.syntax.quoting import quote_name
from hedgerow.sql.syntax.source_text import SourceText

if TYPE_CHECKING:
    from hedgerow.engines.duckdb.session import DuckDBSession

__all__ = ["find_output_types", "refuse_invalid_query"]

_LIMITS: Final = EngineLimits(threads=1, memory=2**28)
_UNKNOWN_COLUMN: Final = re.compile(
    r'(?:Referenced column|does not have a column named|Column) "(.+?)"(?: (?:not found|does not'
    r" exist).*|$)"
)
_UNGROUPED_COLUMN: Final = re.compile(r'column "(.+?)" must appear in the GROUP BY')
_AMBIGUOUS_COLUMN: Final = re.compile(r'Ambiguous reference to column name "(.+?)"')
_WRONG_TYPES: Final = re.compile(
    r"No function matches the given name and argument types '(.+?)\((.*)\)'"
)
_TYPE_WORDS: Final = {
    "VARCHAR": "text",
    "BIGINT": "whole numbers",
    "INTEGER": "whole numbers",
    "DOUBLE": "numbers",
    "BOOLEAN": "booleans",
}


def refuse_invalid_query(asked: PublicQuery, catalog: Catalog) -> None:
    """Refuse a question that the engine cannot prepare."""
    tables = {name: catalog.tables[name] for name in asked.tables}
    with _open_empty_session(asked, tables) as session:
        problem = session.find_query_error(phrases.write_fragment(asked.fragment, asked.names))
    if problem is not None:
        raise _translate_error(problem, asked, tables)


def find_output_types(asked: PublicQuery, catalog: Catalog) -> list[Type]:
    """Return the types of the columns of a question that the engine can prepare."""
    tables = {name: catalog.tables[name] for name in asked.tables}
    with _open_empty_session(asked, tables) as session:
        sql = phrases.write_fragment(asked.fragment, asked.names)
        found = map_engine_types(session.store_query("described", sql).columns)
    return [column.type or "text" for column in found]


@contextmanager
def _open_empty_session(
    asked: PublicQuery, tables: Mapping[str, TableEntry]
) -> Iterator[DuckDBSession]:
    """Open an engine in which the tables of a question have no rows."""
    # Loaded here only: otherwise just the child process needs the engine.
    from hedgerow.engines.duckdb.session import DuckDBSession

    session = DuckDBSession([], _LIMITS)
    try:
        for number, entry in enumerate(tables.values()):
            session.store_query(
                f"public {number}", render_sql(_build_empty_table(entry, asked.names), DUCKDB)
            )
        yield session
    finally:
        session.close()


def _build_empty_table(entry: TableEntry, names: NameTable) -> exp.Select:
    """Build a SELECT without rows that has the columns of a table."""
    outputs = [
        (names.write_name(names.number_name(column.name)), null_literal(column.type))
        for column in entry.columns
    ]
    named = [exp.alias_(value, name, quoted=True, copy=False) for name, value in outputs]
    return exp.Select(expressions=named).limit(0)


def _translate_error(problem: str, asked: PublicQuery, tables: Mapping[str, TableEntry]) -> Refused:
    """Translate an error of the engine into a refusal with a fix."""
    text, tree, show = asked.text, asked.tree, asked.names.restore_names
    if found := _UNKNOWN_COLUMN.search(problem):
        return _build_unknown_column_refusal(show(found[1]), text, tree, tables)
    if found := _UNGROUPED_COLUMN.search(problem):
        known = show(found[1])
        name = quote_name(known)
        instead = f"Add {name} to GROUP BY, or write MIN({name})."
        return text.refusal(
            Unsupported,
            f"{name} is neither in GROUP BY nor inside an aggregate",
            _find_column_node(tree, known),
            instead,
        )
    if found := _AMBIGUOUS_COLUMN.search(problem):
        known = show(found[1])
        instead = "Write the table name and a dot before it."
        return text.refusal(
            Unsupported,
            f"{quote_name(known)} is ambiguous: several columns have this name",
            _find_column_node(tree, known),
            instead,
        )
    if found := _WRONG_TYPES.search(problem):
        types = " and ".join(
            _TYPE_WORDS.get(word.strip(), word.strip().removesuffix("_LITERAL").lower())
            for word in found[2].split(",")
        )
        instead = (
            "Columns of a CSV file are text unless the policy declares a type. Write CAST(x AS"
            " DOUBLE)."
        )
        return text.refusal(
            Unsupported, f"{found[1].upper()} does not accept {types}", None, instead
        )
    return text.refusal(
        Unsupported, show(problem).rstrip(".!"), None, "Change that, and ask again."
    )


def _build_unknown_column_refusal(
    name: str, text: SourceText, tree: exp.Expr, tables: Mapping[str, TableEntry]
) -> Refused:
    names = dict.fromkeys(column.name for entry in tables.values() for column in entry.columns)
    subject = f"{' and '.join(tables)} {'has' if len(tables) == 1 else 'have'}"
    # A subquery may define further names.
    if tree.find(exp.CTE, exp.Subquery, exp.Union) is not None:
        subject = "The FROM clause has"
        names |= dict.fromkeys(alias.alias for alias in tree.find_all(exp.Alias))
    close = find_closest_name(name, list(names))
    instead = f"The columns are {', '.join(map(quote_name, names))}."
    if close:
        instead = f"Did you mean {quote_name(close)}?"
    return text.refusal(
        Unsupported, f"{subject} no column {name}", _find_column_node(tree, name), instead
    )


def _find_column_node(tree: exp.Expr, name: str) -> exp.Expr | None:
    return next(
        (
            node
            for node in tree.find_all(exp.Column, exp.Identifier)
            if node.name.casefold() == name.casefold()
        ),
        None,
    )
