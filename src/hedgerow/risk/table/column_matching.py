"""Common terms for columns that two files store differently: text and numbers, dates and times.

Both are cast to one type, so that equal meanings are equal values. A value that cannot be cast is
NULL, and matches nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.column_casts import compile_parse
from hedgerow.engines.compile.quoting import quote_name
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.tables.registry import map_engine_types
from hedgerow.plan.values import Type
from hedgerow.risk.table.encoded_tables import TableReader, compile_trimmed_text

__all__ = ["compile_common_terms"]

# holds whole numbers exactly, and reals as people write them
_NUMBER_TYPE: Final = "DECIMAL(38, 9)"
_NUMERIC_TYPES: Final = ("integer", "real")
ColumnTypes = Sequence[tuple[str, str]]


def compile_common_terms(
    opened: TableReader, sides: tuple[ColumnTypes, ColumnTypes], names: Sequence[tuple[str, str]]
) -> tuple[list[str], list[str]]:
    """Compile the SQL terms for the matched columns of each of two files.

    ``sides`` are the columns of the two files with their types, ``names`` the matched names.
    """
    # Files differ in whether they store the time of a day.
    kinds: list[dict[str, Type | None]] = [
        {
            column.name: "date" if column.type == "timestamp" else column.type
            for column in map_engine_types(side)
        }
        for side in sides
    ]
    texts = [
        pair
        for pair in names
        if all(kind[name] == "text" for kind, name in zip(kinds, pair, strict=True))
    ]
    spelled = _find_numeric_text(opened, texts)
    terms = [
        _compile_pair(pair, (kinds[0][pair[0]], kinds[1][pair[1]]), numbers=pair in spelled)
        for pair in names
    ]
    return [each[0] for each in terms], [each[1] for each in terms]


def _find_numeric_text(
    opened: TableReader, texts: Sequence[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Return the text columns whose every entry, in both files, is a number.

    A CSV file has nothing but text.
    """
    if not texts:
        return set()
    other_counts = []
    for side in (0, 1):
        tests = [
            f"count(*) FILTER (WHERE {compile_trimmed_text(quote_name(pair[side]))} IS NOT NULL AND"
            f" {_compile_number(pair[side])} IS NULL)"
            for pair in texts
        ]
        sql = f"SELECT {', '.join(tests)} FROM raw{side}"
        other_counts.append([int(count[0]) for count in opened.query_integers(sql, len(texts))])
    return {
        pair
        for pair, here, there in zip(texts, *other_counts, strict=True)
        if not here and not there
    }


def _compile_pair(
    pair: tuple[str, str], kinds: tuple[Type | None, Type | None], *, numbers: bool
) -> tuple[str, str]:
    first, second = pair
    types = set(kinds)
    mixed = len(types) == 2 and types <= {"text", *_NUMERIC_TYPES}
    if numbers or mixed:
        return _compile_number(first), _compile_number(second)
    if "text" in types and types & {"boolean", "date"}:
        return (
            _compile_parsed_text(first, kinds[0], types),
            _compile_parsed_text(second, kinds[1], types),
        )
    if types == {"date"}:
        return _compile_date(first), _compile_date(second)
    if len(types) == 1 and kinds[0] in ("boolean", *_NUMERIC_TYPES):
        return quote_name(first), quote_name(second)
    return compile_trimmed_text(quote_name(first)), compile_trimmed_text(quote_name(second))


def _compile_parsed_text(name: str, kind: Type | None, types: set[Type | None]) -> str:
    """Parse text as a date or a truth value, whichever the other file holds."""
    if kind != "text":
        return _compile_date(name) if kind == "date" else quote_name(name)
    wanted: Type = "date" if "date" in types else "boolean"
    raw = exp.column(exp.to_identifier(name, quoted=True))
    parsed = render_sql(compile_parse(raw, wanted, DUCKDB), DUCKDB)
    return f"CAST({parsed} AS DATE)" if wanted == "date" else parsed


def _compile_date(name: str) -> str:
    """Cast to a day: files differ in whether they store the time."""
    return f"CAST({quote_name(name)} AS DATE)"


def _compile_number(name: str) -> str:
    return f"TRY_CAST({compile_trimmed_text(quote_name(name))} AS {_NUMBER_TYPE})"
