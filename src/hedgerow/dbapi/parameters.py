"""Parameters of a PEP 249 question, written into its text as SQL literals."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal

from hedgerow import errors
from hedgerow.dbapi.errors import DataError, ProgrammingError

__all__ = ["bind_parameters", "format_literal"]


def bind_parameters(operation: str, parameters: Sequence[object]) -> str:
    """Replace each ``?`` of a question by a literal, except inside text, a name or a comment."""
    if isinstance(parameters, str | bytes | Mapping) or not isinstance(parameters, Sequence):
        raise ProgrammingError(
            "Parameters must be a list or a tuple, with one for each ? of the question."
        )
    if not isinstance(operation, str):
        raise errors.InvalidArgument("operation", "must be text", operation)
    places = _find_placeholders(operation)
    if len(places) != len(parameters):
        raise ProgrammingError(
            f"The question has {len(places)} placeholders (?), but {len(parameters)} parameters"
            " were given. Give one for each."
        )
    pieces, done = [], 0
    for place, value in zip(places, parameters, strict=True):
        # The blanks keep a literal apart from its neighbours: x -? with -1 would be a comment.
        pieces += [operation[done:place], f" {format_literal(value)} "]
        done = place + 1
    return "".join([*pieces, operation[done:]])


def _find_placeholders(operation: str) -> list[int]:
    """Return the positions of the placeholders; none in text that is not SQL, which the database
    will refuse."""
    from sqlglot.dialects.duckdb import DuckDB
    from sqlglot.errors import SqlglotError
    from sqlglot.tokenizer_core import TokenType

    from hedgerow.sql.syntax.source_text import MAX_BYTES

    if "?" not in operation or len(operation) > MAX_BYTES:
        return []
    try:
        tokens = DuckDB().tokenize(operation)
        # After EXPLAIN the tokenizer takes the rest for text, so tokenize it again without EXPLAIN.
        if tokens and tokens[0].token_type == TokenType.COMMAND:
            end = tokens[0].end + 1
            tokens = DuckDB().tokenize(" " * end + operation[end:])
    except (SqlglotError, ValueError):
        return []
    # Tokens for ? and for ?::
    return [
        token.start
        for token in tokens
        if token.token_type in (TokenType.PLACEHOLDER, TokenType.QDCOLON)
    ]


def format_literal(value: object) -> str:
    """Format a value as a SQL literal; raise DataError for a value without one."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + str(value).replace("'", "''") + "'"
    if isinstance(value, date) and not isinstance(value, datetime):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, numbers.Integral):
        return _parenthesise_negative(str(int(value)))
    if isinstance(value, Decimal) and value.is_finite():
        return _parenthesise_negative(f"{value:f}")
    if (
        isinstance(value, numbers.Real)
        and not isinstance(value, numbers.Rational)
        and math.isfinite(value)
    ):
        return _parenthesise_negative(repr(float(value)))
    raise DataError(
        "A parameter must be a finite number, text, a date, True, False or None. Convert other"
        " values to one of these."
    )


def _parenthesise_negative(number: str) -> str:
    return f"({number})" if number.startswith("-") else number
