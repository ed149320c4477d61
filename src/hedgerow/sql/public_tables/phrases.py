"""Fragments of SQL in words of ours, and the one writer of them for an engine.

A fragment is a tree whose leaves are words of a closed list, numbered names and tables, numbers,
and text. Text alone comes from the analyst, and ``escape_text`` writes it. No other word can be
written, wherever it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.sql.syntax.quoting import quote_name

__all__ = [
    "WORDS",
    "Fragment",
    "NameTable",
    "NumberLiteral",
    "NumberedName",
    "NumberedTable",
    "TextLiteral",
    "escape_text",
    "write_fragment",
]

_SIGNS: Final = (
    "(",
    ")",
    ",",
    ".",
    "*",
    "+",
    "-",
    "/",
    "//",
    "%",
    "||",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
)
_CLAUSES: Final = (
    *("SELECT", "DISTINCT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "OFFSET"),
    *("WITH", "RECURSIVE", "AS", "MATERIALIZED", "NOT MATERIALIZED", "UNION", "ALL", "BY NAME"),
    *("EXCLUDE", "REPLACE", "RENAME", "DESC", "NULLS FIRST", "FILTER", "QUALIFY"),
    *("ROLLUP", "CUBE", "GROUPING SETS", "ANY"),
    *("INTERSECT", "EXCEPT", "OVER", "PARTITION BY", "ROWS", "RANGE", "CURRENT ROW"),
    *("UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING", "PRECEDING", "FOLLOWING"),
)
_JOINS: Final = (
    *("JOIN", "ON", "USING", "LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "SEMI", "ANTI"),
    *("NATURAL", "ASOF", "POSITIONAL"),
)
_VALUES: Final = (
    *("EXISTS", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"),
    *("AND", "OR", "NOT", "IS", "IN", "BETWEEN", "LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE"),
    *(
        "NULL",
        "TRUE",
        "FALSE",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
        "CAST",
        "TRY_CAST",
        "EXTRACT",
    ),
)
_TYPES: Final = (
    "BOOLEAN",
    "INTEGER",
    "BIGINT",
    "DOUBLE",
    "FLOAT",
    "TEXT",
    "DATE",
    "DECIMAL",
    "TIMESTAMP",
)
_FUNCTIONS: Final = (
    *("count", "sum", "avg", "min", "max", "median", "quantile", "quantile_cont", "mode"),
    *("var_pop", "variance", "stddev_pop", "stddev", "stddev_samp", "corr", "covar_pop"),
    *("covar_samp",),
    *("round", "floor", "ceil", "abs", "sqrt", "ln", "least", "greatest", "coalesce", "nullif"),
    *("lower", "upper", "trim", "ltrim", "rtrim", "length", "substring", "concat"),
    *("year", "month", "day", "hash", "power", "exp", "log", "sign", "pi"),
    *("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"),
    *("first_value", "last_value", "nth_value", "any_value", "first", "bool_and", "bool_or"),
    *("count_if", "skewness", "kurtosis", "arg_max", "arg_min", "string_agg", "grouping"),
    *("regr_slope", "regr_intercept", "trunc", "left", "right", "replace", "reverse"),
    *("starts_with", "contains", "strpos", "lpad", "rpad", "quarter", "dayname", "monthname"),
    *("cbrt", "degrees", "radians", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "last_day", "week", "epoch"),
    *("split_part", "concat_ws", "strftime", "mad", "geomean", "product", "entropy", "sem"),
    *("date_trunc", "to_days", "to_weeks", "to_months", "to_years"),
)
_PARTS: Final = (
    *("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFWEEK", "ISODOW", "DAYOFYEAR", "ISOYEAR"),
    *("DECADE", "CENTURY", "MILLENNIUM", "ERA", "EPOCH", "HOUR", "MINUTE", "SECOND"),
)
WORDS: Final = frozenset((*_SIGNS, *_CLAUSES, *_JOINS, *_VALUES, *_TYPES, *_FUNCTIONS, *_PARTS))
_INVALID_CHARACTERS: Final = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class NumberedName:
    """A column, an alias or a table of the question; ``NameTable`` has its spelling."""

    number: int


@dataclass(frozen=True, slots=True)
class NumberedTable:
    """A public table, by its position among the tables of the question."""

    number: int


@dataclass(frozen=True, slots=True)
class TextLiteral:
    """A text constant."""

    value: str


@dataclass(frozen=True, slots=True)
class NumberLiteral:
    """``digits`` with a point before the last ``places``; with a power of ten it is a double."""

    digits: int
    places: int | None = None
    power: int | None = None


Fragment = str | NumberedName | NumberedTable | TextLiteral | NumberLiteral | tuple["Fragment", ...]


@dataclass(slots=True)
class NameTable:
    """The number of each name.

    Case is ignored and different names have different numbers, so the numbered question means the
    same. Tables and columns are numbered apart: the name of a table used as a column would mean its
    whole row. ``prefix`` starts every written name and occurs nowhere in the question.
    """

    prefix: str = "name"
    _numbers: dict[tuple[str, bool], int] = field(default_factory=dict)
    _spellings: list[str] = field(default_factory=list)

    def number_name(self, name: str, *, table: bool = False) -> NumberedName:
        """Return the number of a name, a new one if it has none."""
        found = self._numbers.setdefault((name.casefold(), table), len(self._spellings))
        if found == len(self._spellings):
            self._spellings.append(name)
        return NumberedName(found)

    def set_spelling(self, name: str) -> None:
        """Set the spelling in which a column is shown."""
        self._spellings[self.number_name(name).number] = name

    def write_name(self, name: NumberedName) -> str:
        """Return a name as the engine knows it, without quotes."""
        return f"{self.prefix} {name.number}"

    def restore_names(self, message: str) -> str:
        """Return a message of an engine with the names put back in."""
        found = re.compile(rf'"{self.prefix} ([0-9]+)"|\b{self.prefix} ([0-9]+)')
        return found.sub(self._restore_name, message)

    def _restore_name(self, found: re.Match[str]) -> str:
        bare, number = found[1] is None, int(found[1] or found[2])
        if number >= len(self._spellings):
            return found[0]
        return self._spellings[number] if bare else quote_name(self._spellings[number])

    def list_outputs(self, columns: Iterable[str]) -> list[str]:
        """Return unique names for the columns of an answer."""
        taken: dict[str, str] = {}
        for column in columns:
            name = wanted = self.restore_names(column)
            count = 0
            while name.casefold() in taken:
                count += 1
                name = f"{wanted}_{count}"
            taken[name.casefold()] = name
        return list(taken.values())


def escape_text(value: str) -> str:
    """Return text in single quotes, with quotes doubled: nothing else has a meaning there."""
    if _INVALID_CHARACTERS.search(value):
        raise InvalidArgument("text", "must be Unicode without NUL and unpaired surrogates")
    return "'" + value.replace("'", "''") + "'"


def write_fragment(phrase: Fragment, names: NameTable) -> str:
    """Return a fragment as SQL, with a space between any two leaves."""
    return " ".join(_list_tokens(phrase, names))


def _list_tokens(phrase: Fragment, names: NameTable) -> Iterator[str]:
    waiting: list[Fragment] = [phrase]
    while waiting:
        leaf = waiting.pop()
        if isinstance(leaf, tuple):
            waiting += reversed(leaf)
        elif isinstance(leaf, TextLiteral):
            yield escape_text(leaf.value)
        elif isinstance(leaf, NumberLiteral):
            yield _format_number(leaf)
        elif isinstance(leaf, NumberedName):
            yield f'"{names.write_name(leaf)}"'
        elif isinstance(leaf, NumberedTable):
            yield f'"public {leaf.number:d}"'
        elif leaf in WORDS:
            yield leaf
        else:
            raise InvalidArgument("word", "must be one of WORDS")


def _format_number(number: NumberLiteral) -> str:
    places = number.places or 0
    text = f"{number.digits:0{places + 1}d}"
    if number.places is not None:
        text = f"{text[: len(text) - places]}.{text[len(text) - places :]}"
    return text if number.power is None else f"{text}e{number.power:d}"
