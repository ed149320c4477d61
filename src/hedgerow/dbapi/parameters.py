"""Parameters of a PEP 249 question, written into its text as SQL literals."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal

from hedgerow import errors
from hedgerow.dbapi.errors import DataError, ProgrammingError

__all__ = ["Parameters", "bind_parameters", "format_literal"]

Parameters = Sequence[object] | Mapping[str, object]

_POSITIONAL = re.compile(r"\?")
_NAMED = re.compile(r":([A-Za-z_]\w*)|%\((\w+)\)s\b")


def bind_parameters(operation: str, parameters: Parameters) -> str:
    """Replace each ``?`` of a question by a literal, or each ``:name`` and ``%(name)s`` if the
    parameters have names, except inside text, a name or a comment."""
    if isinstance(parameters, str | bytes) or not isinstance(parameters, Sequence | Mapping):
        raise ProgrammingError(
            "Parameters must be a list or a tuple, with one for each ? of the question, or a dict"
            " with one for each :name or %(name)s."
        )
    if not isinstance(operation, str):
        raise errors.InvalidArgument("operation", "must be text", operation)
    if isinstance(parameters, Mapping):
        places = _find_placeholders(operation, _NAMED)
        names = [place[1] or place[2] for place in places]
        _check_names(set(names), set(parameters))
        values = [parameters[name] for name in names]
    else:
        places, values = _find_placeholders(operation, _POSITIONAL), list(parameters)
    if len(places) != len(values):
        raise ProgrammingError(
            f"The question has {len(places)} placeholders (?), but {len(values)} parameters"
            " were given. Give one for each."
        )
    pieces, done = [], 0
    for place, value in zip(places, values, strict=True):
        # The blanks keep a literal apart from its neighbours: x -? with -1 would be a comment.
        pieces += [operation[done : place.start()], f" {format_literal(value)} "]
        done = place.end()
    return "".join([*pieces, operation[done:]])


def _check_names(wanted: set[str], given: set[str]) -> None:
    if missing := sorted(wanted - given):
        raise ProgrammingError(f"Parameters have no value for {', '.join(missing)}. Add one each.")
    if unused := sorted(map(str, given - wanted)):
        raise ProgrammingError(
            f"The question has no placeholder for {', '.join(unused)}: write :name or %(name)s, or"
            " ? with a list or a tuple."
        )


def _find_placeholders(operation: str, form: re.Pattern[str]) -> list[re.Match[str]]:
    """Return the placeholders of one form; none in text that is not SQL, which the database will
    refuse."""
    from sqlglot.dialects.duckdb import DuckDB
    from sqlglot.errors import SqlglotError
    from sqlglot.tokenizer_core import TokenType

    from hedgerow.sql.syntax.source_text import MAX_BYTES

    if form.search(operation) is None or len(operation) > MAX_BYTES:
        return []
    try:
        tokens = DuckDB().tokenize(operation)
        # After EXPLAIN the tokenizer takes the rest for text, so tokenize it again without EXPLAIN.
        if tokens and tokens[0].token_type == TokenType.COMMAND:
            end = tokens[0].end + 1
            tokens = DuckDB().tokenize(" " * end + operation[end:])
    except (SqlglotError, ValueError):
        return []
    # The token of ?:: begins with a placeholder too; that of a cast (::) does not.
    starts = (TokenType.PLACEHOLDER, TokenType.QDCOLON, TokenType.COLON, TokenType.MOD)
    found = (form.match(operation, token.start) for token in tokens if token.token_type in starts)
    return [place for place in found if place is not None]


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
