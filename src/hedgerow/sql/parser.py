"""The entry point of the SQL reader: text to question. The text goes no further than here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar, Final

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError
from sqlglot.parsers.duckdb import DuckDBParser

from hedgerow.errors import Refused, Unsupported
from hedgerow.plan.nodes import RelationNode
from hedgerow.sql.binder.row_expressions import check_args
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.predicates.unsatisfiable import drop_condition
from hedgerow.sql.question import Question
from hedgerow.sql.relations.decorrelation import join_correlated_subqueries
from hedgerow.sql.relations.from_clause import FromBinder
from hedgerow.sql.relations.unnest import expand_unnest
from hedgerow.sql.rules import find_refusal
from hedgerow.sql.rules.dates import is_clock
from hedgerow.sql.rules.statements import SELECT_FORM
from hedgerow.sql.select import build_question
from hedgerow.sql.syntax.function_synonyms import replace_synonyms
from hedgerow.sql.syntax.privacy_clause import TokenisedQuery, tokenise_query
from hedgerow.sql.syntax.quoting import quote_name
from hedgerow.sql.syntax.source_text import SourceText, Span
from hedgerow.sql.syntax.syntax_hints import build_syntax_error, find_unquoted_name

__all__ = ["parse_question", "parse_rows", "parse_statement", "parse_without_condition"]


_DEFAULT_SCHEMAS: Final = ("main", "public")


class _StrictParser(DuckDBParser):
    """A parser that rejects statements which sqlglot would keep as raw text and log.

    DECODE is Oracle's, with any number of values.
    """

    FUNCTIONS: ClassVar = {
        name: build for name, build in DuckDBParser.FUNCTIONS.items() if name != "DECODE"
    }

    def _warn_unsupported(self) -> None:
        self.raise_error("unsupported statement")


def parse_question(text: str, catalog: Catalog) -> Question:
    """Parse a question about the tables of a catalog; refuse what cannot be answered."""
    try:
        heading = tokenise_query(text)
        try:
            select = _parse_select(heading, catalog)
            question = build_question(heading, select, catalog)
            _check_presents(heading.text, select, [catalog.tables[t] for t in question.tables])
            return question
        except RecursionError:
            problem, fix = (
                "This question is nested too deeply",
                "Simplify it, or ask for its parts separately.",
            )
            raise heading.text.refusal(Unsupported, problem, None, fix) from None
    except Unsupported as error:
        raise _build_unquoted_name_error(text, catalog) or error from None


def _check_presents(text: SourceText, select: exp.Select, tables: Iterable[TableEntry]) -> None:
    """Refuse CURRENT_DATE where subqueries read tables with different presents."""
    clock = next((node for node in select.walk() if is_clock(node)), None)
    if clock is not None and len({table.as_of for table in tables} - {None}) > 1:
        problem = "The tables of this question have different presents (as_of)"
        fix = "Write a fixed date, such as DATE '2026-01-31'."
        raise text.refusal(Unsupported, problem, clock, fix)


def parse_without_condition(text: str, catalog: Catalog) -> Question:
    """Parse a question as if its outermost SELECT had no WHERE, which is never true."""
    heading = tokenise_query(text)
    return build_question(heading, drop_condition(_parse_select(heading, catalog)), catalog)


def _build_unquoted_name_error(text: str, catalog: Catalog) -> Refused | None:
    """Return the refusal of an unquoted name such as Height (cm), which parses as a call."""
    bare = find_unquoted_name(
        text, (name for name in _list_names(catalog) if re.search(r"\W", name))
    )
    if bare is None:
        return None
    problem, fix = (
        "Names with spaces or special characters need double quotes",
        f"Write {quote_name(bare[0])}.",
    )
    return SourceText(text, ()).refusal(Unsupported, problem, bare[1], fix)


def _list_names(catalog: Catalog) -> list[str]:
    return [
        *catalog.tables,
        *(column.name for entry in catalog.tables.values() for column in entry.columns),
    ]


def parse_rows(catalog: Catalog, table: str, where: str | None = None) -> RelationNode:
    """Parse the rows of a protected table that meet a condition, written as after WHERE."""
    name = table.replace('"', '""')
    heading = tokenise_query(
        f'SELECT COUNT(*) FROM "{name}"' + ("" if where is None else f" WHERE {where}")
    )
    select = _parse_select(heading, catalog)
    check_args(heading.text, select, "expressions", "from_", "where")
    return FromBinder(heading.text, catalog).bind_from(select).rows


def _parse_select(heading: TokenisedQuery, catalog: Catalog) -> exp.Select:
    statement = parse_statement(heading, catalog)
    if type(statement) is exp.Select:
        return statement
    if isinstance(statement, exp.Subquery):
        raise heading.text.refusal(
            Unsupported, "The SELECT is in parentheses", None, "Leave them out."
        )
    problem, fix = find_refusal(statement, "This is not a SELECT statement", SELECT_FORM)
    first = heading.body[0]
    where = heading.text.find_word(type(statement).__name__.upper()) or (first.start, first.end + 1)
    raise heading.text.refusal(Unsupported, problem, where, fix)


def parse_statement(heading: TokenisedQuery, catalog: Catalog) -> exp.Expr | None:
    """Parse tokens into a syntax tree, which is untrusted.

    The catalog is for hints about names that need quotes.
    """
    try:
        parser = _StrictParser(error_level=ErrorLevel.IMMEDIATE, dialect=DuckDB())
        tree = parser.parse(list(heading.body), heading.text.sql)[0]
        tree = tree and replace_synonyms(_strip_schemas(tree, catalog))
    except ParseError as error:
        raise build_syntax_error(
            heading.text, heading.body, _find_error_span(heading.text, error), _list_names(catalog)
        ) from None
    except RecursionError:
        raise
    except Exception:
        # sqlglot was not written for hostile text: any error in it is a syntax error here.
        raise heading.text.refusal(Unsupported, "Syntax error", None, SELECT_FORM) from None
    if tree is None:
        return None
    return join_correlated_subqueries(catalog, expand_unnest(heading.text, catalog, tree))


def _strip_schemas(tree: exp.Expr, catalog: Catalog) -> exp.Expr:
    """Take the schema off tables and columns where it names the database, or is the default one."""
    known = {*_DEFAULT_SCHEMAS, catalog.database.casefold()}
    for node in tree.find_all(exp.Table, exp.Column):
        if node.args.get("catalog") is None and node.text("db").casefold() in known:
            node.set("db", None)
    return tree


def _find_error_span(text: SourceText, error: ParseError) -> Span | None:
    line, column = error.errors[0].get("line"), error.errors[0].get("col")
    return next(
        (
            (token.start, token.end + 1)
            for token in text.tokens
            if (token.line, token.col) == (line, column)
        ),
        None,
    )
