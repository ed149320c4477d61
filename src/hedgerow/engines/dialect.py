"""What engines write differently. A new engine starts with a row of this table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hedgerow.engines.terms import as_type, call, cast, test, text

__all__ = ["DUCKDB", "Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """``name`` is sqlglot's. ``wide`` holds sums beyond 64 bits. ``rank`` gives the order in which the groups of a unit are kept, ``cut``
    divides whole numbers towards zero, ``spells`` tests text against a regular expression, ``piece`` gives a part of what it matched."""

    name: str
    wide: str
    rank: Callable[[Sequence[exp.Expr]], exp.Expr]
    cut: Callable[[exp.Expr, exp.Expr], exp.Expr]
    is_nan: Callable[[exp.Expr], exp.Expr]
    spells: Callable[[exp.Expr, str], exp.Expr]
    piece: Callable[[exp.Expr, str, int], exp.Expr]
    parts: Mapping[str, Callable[[exp.Expr], exp.Expr]]
    starts: Mapping[str, Callable[[exp.Expr], exp.Expr]]


def _named(function: str) -> Callable[[exp.Expr], exp.Expr]:
    return lambda day: call(function, day)


def _truncated(unit: str) -> Callable[[exp.Expr], exp.Expr]:
    return lambda day: as_type(call("date_trunc", text(unit), day), "date")


DUCKDB: Final = Dialect(
    name="duckdb",
    wide="INT128",
    rank=lambda values: call("hash", *values),
    cut=lambda a, b: test(a, exp.IntDiv, b),
    is_nan=lambda value: call("isnan", value),
    spells=lambda value, pattern: call("regexp_full_match", value, text(pattern)),
    piece=lambda value, pattern, group: call("regexp_extract", value, text(pattern), cast(exp.Literal.number(group), "INT")),
    parts={
        "year": _named("year"),
        "quarter": _named("quarter"),
        "month": _named("month"),
        "day": _named("day"),
        "day of week": _named("dayofweek"),
        "day of year": _named("dayofyear"),
    },
    starts={name: _truncated(name.removeprefix("start of ")) for name in ("start of year", "start of quarter", "start of month")},
)
