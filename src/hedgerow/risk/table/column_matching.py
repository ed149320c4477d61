"""Columns of two files that hold the same thing in different ways: text here and numbers there, a
date with a time and one without.

Both are turned into one type, such that what means the same is equal. What cannot be read as that
type is NULL, and agrees with nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.column_casts import compile_parse
from hedgerow.engines.compile.quoting import quote_name
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.duckdb.column_types import map_engine_types
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.plan.values import Type
from hedgerow.risk.table.encoded_tables import TableReader

__all__ = ["compile_common_terms"]

# whole numbers of any file exactly, and reals as people write them
_NUMBER_TYPE: Final = "DECIMAL(38, 9)"
_NUMERIC_TYPES: Final = ("integer", "real")
ColumnTypes = Sequence[tuple[str, str]]


def compile_common_terms(
    opened: TableReader, sides: tuple[ColumnTypes, ColumnTypes], names: Sequence[tuple[str, str]]
) -> tuple[list[str], list[str]]:
    """SQL for the values of each file. ``sides`` are the columns of the two and their types,
    ``names`` how each file calls the columns.
    """
    kinds = [{column.name: column.type for column in map_engine_types(side)} for side in sides]
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
    """Columns of text in both files whose every entry is a number: a file of comma-separated
    values has nothing but text.
    """
    if not texts:
        return set()
    others = [[0] * len(texts), [0] * len(texts)]
    for side in (0, 1):
        tests = [
            f"count(*) FILTER (WHERE {_compile_trimmed_text(pair[side])} IS NOT NULL AND"
            f" {_compile_number(pair[side])} IS NULL)"
            for pair in texts
        ]
        others[side] = [
            int(found[0])
            for found in opened.query_integers(
                f"SELECT {', '.join(tests)} FROM raw{side}", len(texts)
            )
        ]
    return {
        pair for pair, here, there in zip(texts, *others, strict=True) if not here and not there
    }


def _compile_pair(
    pair: tuple[str, str], kinds: tuple[Type | None, Type | None], *, numbers: bool
) -> tuple[str, str]:
    there = set(kinds)
    if numbers or (
        there <= {"text", *_NUMERIC_TYPES} and there & set(_NUMERIC_TYPES) and kinds[0] != kinds[1]
    ):
        return _compile_number(pair[0]), _compile_number(pair[1])
    if "text" in there and there & {"boolean", "date"}:
        return _compile_parsed_text(pair[0], kinds[0], there), _compile_parsed_text(
            pair[1], kinds[1], there
        )
    if kinds[0] == kinds[1] == "date":
        return _compile_date(pair[0]), _compile_date(pair[1])
    if kinds[0] == kinds[1] and kinds[0] in ("boolean", *_NUMERIC_TYPES):
        return quote_name(pair[0]), quote_name(pair[1])
    return _compile_trimmed_text(pair[0]), _compile_trimmed_text(pair[1])


def _compile_parsed_text(name: str, kind: Type | None, there: set[Type | None]) -> str:
    """Text as a date or a truth value, whichever the other file holds."""
    if kind != "text":
        return _compile_date(name) if kind == "date" else quote_name(name)
    wanted: Type = "date" if "date" in there else "boolean"
    raw = exp.column(exp.to_identifier(name, quoted=True))
    read = render_sql(compile_parse(raw, wanted, DUCKDB), DUCKDB)
    return f"CAST({read} AS DATE)" if wanted == "date" else read


def _compile_date(name: str) -> str:
    """A day: files differ in whether they tell the time."""
    return f"CAST({quote_name(name)} AS DATE)"


def _compile_number(name: str) -> str:
    return f"TRY_CAST({_compile_trimmed_text(name)} AS {_NUMBER_TYPE})"


def _compile_trimmed_text(name: str) -> str:
    """As text, without the spaces around it; nothing but spaces is nothing."""
    return f"nullif(trim(CAST({quote_name(name)} AS VARCHAR)), '')"
