"""Text -> Question. The text itself goes no further than here: what a rule does not read does not exist."""

from __future__ import annotations

import re

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError
from sqlglot.parsers.duckdb import DuckDBParser

from hedgerow.errors import Refused, Unsupported
from hedgerow.plan.nodes import Rows
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.heading import Heading, read_heading
from hedgerow.sql.question import Question
from hedgerow.sql.quoting import quoted
from hedgerow.sql.readers import only
from hedgerow.sql.rule import Refusal
from hedgerow.sql.rules import BY_NODE
from hedgerow.sql.rules.statements import ONE
from hedgerow.sql.selection import Selection
from hedgerow.sql.slips import bare_name, no_sql
from hedgerow.sql.subqueries import Sources
from hedgerow.sql.text import Span, Text

__all__ = ["parse", "read_rows", "statement_of"]


class _Parser(DuckDBParser):
    """Statements that the parser keeps as loose text, it also writes into the log: inside brackets too. Here they are no SQL."""

    def _warn_unsupported(self) -> None:
        self.raise_error("This statement is not read")


def parse(text: str, catalog: Catalog) -> Question:
    """What the text asks of these tables. Refused (Unsupported, Unbounded) with the piece underlined where it cannot be answered."""
    try:
        heading = read_heading(text)
        try:
            return Selection(heading, _select(heading, catalog), catalog).question()
        except RecursionError:
            what, instead = "This question is nested too deeply", "Write it flatter, or ask for its parts."
            raise heading.text.refusal(Unsupported, what, None, instead) from None
    except Unsupported as error:
        raise _bare(text, catalog) or error from None


def _bare(text: str, catalog: Catalog) -> Refused | None:
    """The refusal of a name like Height (cm) without its quotes, which reads as something else, and is refused as that."""
    bare = bare_name(text, (name for name in _names(catalog) if re.search(r"\W", name)))
    if bare is None:
        return None
    what, instead = "A name with a blank or a sign in it takes double quotes", f"Write {quoted(bare[0])}."
    return Text(text, ()).refusal(Unsupported, what, bare[1], instead)


def _names(catalog: Catalog) -> list[str]:
    return [*catalog.tables, *(column.name for entry in catalog.tables.values() for column in entry.columns)]


def read_rows(catalog: Catalog, table: str, where: str | None = None) -> Rows:
    """The rows of a protected table for which a condition holds, written as after WHERE."""
    name = table.replace('"', '""')
    heading = read_heading(f'SELECT COUNT(*) FROM "{name}"' + ("" if where is None else f" WHERE {where}"))
    select = _select(heading, catalog)
    only(heading.text, select, "expressions", "from_", "where")
    return Sources(heading.text, catalog).read(select).rows


def _select(heading: Heading, catalog: Catalog) -> exp.Select:
    statement = statement_of(heading, catalog)
    if type(statement) is exp.Select:
        return statement
    if isinstance(statement, exp.Subquery):
        raise heading.text.refusal(Unsupported, "The question stands in brackets", None, "Leave them out.")
    rule = BY_NODE.get(type(statement)) if statement is not None else None
    what, instead = (rule.what, rule.instead) if isinstance(rule, Refusal) else ("This is no question", ONE)
    first = heading.body[0]
    where = heading.text.word(type(statement).__name__.upper()) or (first.start, first.end + 1)
    raise heading.text.refusal(Unsupported, what, where, instead)


def statement_of(heading: Heading, catalog: Catalog) -> exp.Expr | None:
    """The tree of the text, as the parser has it: nothing in it is vouched for. The catalogue helps with names that take quotes."""
    try:
        parser = _Parser(error_level=ErrorLevel.IMMEDIATE, dialect=DuckDB())
        return parser.parse(list(heading.body), heading.text.text)[0]
    except ParseError as error:
        raise no_sql(heading.text, heading.body, _place(heading.text, error), _names(catalog)) from None
    except RecursionError:
        raise
    except Exception:
        # The parser was not written for hostile text; whatever it trips over is no question.
        raise heading.text.refusal(Unsupported, "This does not read as SQL", None, ONE) from None


def _place(text: Text, error: ParseError) -> Span | None:
    line, column = error.errors[0].get("line"), error.errors[0].get("col")
    return next(((token.start, token.end + 1) for token in text.tokens if (token.line, token.col) == (line, column)), None)
