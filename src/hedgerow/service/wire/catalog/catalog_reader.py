"""Questions about the catalogue and the server: free, exact, from the policy alone.

Here, too, are questions about protected tables that have no row whatever the data, such as
``SELECT true FROM visits WHERE 1 <> 1 LIMIT 0``: tools ask them to see whether they may read.
"""

from __future__ import annotations

import logging
import re
from typing import Final

from sqlglot import exp, parse
from sqlglot.errors import ErrorLevel, SqlglotError

from hedgerow.database.uncharged.system_query import SYSTEM_SCHEMA
from hedgerow.service.accounts.records import Caller
from hedgerow.service.query_service import QueryService
from hedgerow.service.wire.catalog.catalog_database import (
    CatalogDatabase,
    CatalogFailure,
    open_catalog,
)
from hedgerow.service.wire.catalog.empty_questions import has_no_rows
from hedgerow.service.wire.catalog.expression_writer import UnsupportedCatalogSyntax
from hedgerow.service.wire.catalog.from_items import find_relation
from hedgerow.service.wire.catalog.output_names import name_output
from hedgerow.service.wire.catalog.published_tables import (
    PUBLIC_SCHEMA,
    PublishedTable,
    list_published_tables,
)
from hedgerow.service.wire.catalog.query_writer import QueryWriter
from hedgerow.service.wire.catalog.relations import PG_CATALOG
from hedgerow.service.wire.catalog.result_types import find_oid
from hedgerow.service.wire.catalog.session_facts import SessionFacts
from hedgerow.service.wire.command_failure import CommandFailed
from hedgerow.service.wire.results import WireColumn, WireResult
from hedgerow.service.wire.session_settings import SessionSettings
from hedgerow.service.wire.statement_text import write_for_parser
from hedgerow.service.wire.values import OIDS

__all__ = ["CatalogReader"]

_MAX_LENGTH: Final = 50_000  # characters
_START: Final = re.compile(r"[\s(]*(SELECT|WITH|VALUES|TABLE)\b", re.IGNORECASE)
_CATALOG_MARKS: Final = re.compile(r"\bpg_|\binformation_schema\b", re.IGNORECASE)
_EMPTY_MARKS: Final = re.compile(
    r"\b(LIMIT|FIRST)\s+0\b|\bFALSE\b|\d\s*(=|<>|!=)\s*\d", re.IGNORECASE
)
_CATALOGUES: Final = (PG_CATALOG, "information_schema")
_UNANSWERED: Final = (
    "This question about the catalogue uses SQL that is not supported here, so it is answered as if"
    " there were no rows."
)
# The parser warns of what it does not know; clients get an error instead.
logging.getLogger("sqlglot").setLevel(logging.ERROR)


class CatalogReader:
    """The catalogue as one session sees it."""

    def __init__(self, service: QueryService, caller: Caller, settings: SessionSettings) -> None:
        self._service, self._caller, self._settings = service, caller, settings
        self._facts = SessionFacts(service.name, caller.name, settings.find)
        self._opened: tuple[str, CatalogDatabase] | None = None
        self._tables: tuple[PublishedTable, ...] = ()

    def answer(self, sql: str, *, runs: bool = True) -> WireResult | None:
        """Answer a question about the catalogue or the server; None for any other.

        Without ``runs`` its columns are wanted, and nothing is changed.
        """
        if len(sql) > _MAX_LENGTH or not _START.match(sql):
            return None
        database = self._open_database()
        is_likely = self.is_about_catalog(sql) or _EMPTY_MARKS.search(sql)
        if not is_likely and _names_table(sql, database):
            return None
        try:
            trees = parse(
                write_for_parser(sql), dialect="postgres", error_level=ErrorLevel.IMMEDIATE
            )
        except (SqlglotError, RecursionError):
            return None
        tree = trees[0] if len(trees) == 1 else None
        if not isinstance(tree, exp.Query) or not self._is_answerable(tree, database):
            return None
        change = self._settings.change if runs else None
        return self._run(tree, QueryWriter(database, self._facts, change))

    @staticmethod
    def is_about_catalog(sql: str) -> bool:
        """Return whether a statement may be about the catalogue, by its words."""
        return _CATALOG_MARKS.search(sql) is not None

    def list_tables(self) -> tuple[PublishedTable, ...]:
        """Return the tables that the caller may ask about."""
        self._open_database()
        return self._tables

    def _open_database(self) -> CatalogDatabase:
        """Return the catalogue of the accepted policy."""
        digest = self._service.policy_digest
        if self._opened is None or self._opened[0] != digest:
            self._tables = list_published_tables(self._service, self._caller)
            self._opened = digest, open_catalog(self._service.name, self._tables)
        return self._opened[1]

    def _is_answerable(self, tree: exp.Query, database: CatalogDatabase) -> bool:
        """Return whether a question is about the catalogue; refuse one that is only half so."""
        places = {_find_place(table, database) for table in _list_tables(tree)}
        if places <= {*_CATALOGUES}:
            return True
        if has_no_rows(tree) and None not in places:
            return True
        if places & {*_CATALOGUES} and places & {PUBLIC_SCHEMA, SYSTEM_SCHEMA}:
            raise CommandFailed(
                "0A000", "Catalogue and tables cannot be read in one question. Ask two questions."
            )
        return False

    def _run(self, tree: exp.Query, writer: QueryWriter) -> WireResult:
        try:
            sql = writer.write_query(tree)
            found = writer.database.run(sql)
        except RecursionError:
            raise CommandFailed("54001", "The statement is nested too deeply.") from None
        except UnsupportedCatalogSyntax:
            return _build_empty_result(tree)
        except CatalogFailure as failure:
            if failure.sqlstate is not None:
                raise CommandFailed(failure.sqlstate, str(failure)) from None
            return _build_empty_result(tree)
        columns = [
            WireColumn(name, find_oid(type_))
            for name, type_ in zip(found.names, found.types, strict=True)
        ]
        return WireResult(f"SELECT {len(found.rows)}", columns, found.rows, (), True)


def _names_table(sql: str, database: CatalogDatabase) -> bool:
    """Return whether the text holds the name of a table, and so is likely no catalogue question."""
    text = sql.casefold()
    return any(
        relation.name.casefold() in text
        for relation in database.relations.values()
        if relation.schema == PUBLIC_SCHEMA
    )


def _list_tables(tree: exp.Query) -> list[exp.Table]:
    """Return the tables that are no named subqueries and no functions."""
    named = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    return [
        table
        for table in tree.find_all(exp.Table)
        if isinstance(table.this, exp.Identifier)
        and (table.text("db") or table.name.casefold() not in named)
    ]


def _find_place(table: exp.Table, database: CatalogDatabase) -> str | None:
    """Return the schema that a table is found in; None if there is no such table."""
    relation = find_relation(database.relations, table)
    if relation is not None:
        return relation.schema
    schema = table.text("db").lower()
    return schema if schema in _CATALOGUES else None


def _name_quietly(node: exp.Expr) -> str:
    """Return the name of an output, also of one with a misplaced sign as its alias."""
    try:
        return name_output(node)
    except UnsupportedCatalogSyntax:
        return "?column?"


def _build_empty_result(tree: exp.Query) -> WireResult:
    columns = [WireColumn(_name_quietly(node), OIDS["text"]) for node in tree.selects]
    return WireResult("SELECT 0", columns, [], (_UNANSWERED,), True)
