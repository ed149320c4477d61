"""What engines write differently. A new engine starts with a row of this table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from sqlglot import exp

from hedgerow.engines.terms import as_type, between, call, cast, constant, either, test, text, whole
from hedgerow.plan.dates import STARTS

__all__ = ["DUCKDB", "Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """``name`` is sqlglot's. ``wide`` holds sums beyond 64 bits. ``rank`` gives the order in which the groups of a unit are kept, ``cut``
    divides whole numbers towards zero, ``ordinal`` numbers days from 1 on 1 January of the year 1, ``spells`` tests text against a regular
    expression, ``piece`` gives a part of what it matched, ``later`` moves a day by a number of days or months, ``coded`` gives text that is
    one of a sorted list, or NULL, in a form that is compared faster and that becomes the text again when it is cast."""

    name: str
    wide: str
    rank: Callable[[Sequence[exp.Expr]], exp.Expr]
    cut: Callable[[exp.Expr, exp.Expr], exp.Expr]
    is_nan: Callable[[exp.Expr], exp.Expr]
    ordinal: Callable[[exp.Expr], exp.Expr]
    spells: Callable[[exp.Expr, str], exp.Expr]
    piece: Callable[[exp.Expr, str, int], exp.Expr]
    parts: Mapping[str, Callable[[exp.Expr], exp.Expr]]
    starts: Mapping[str, Callable[[exp.Expr], exp.Expr]]
    later: Mapping[str, Callable[[exp.Expr, exp.Expr], exp.Expr]]
    coded: Callable[[exp.Expr, Sequence[str]], exp.Expr]


def _named(function: str) -> Callable[[exp.Expr], exp.Expr]:
    return lambda day: call(function, day)


def _truncated(unit: str) -> Callable[[exp.Expr], exp.Expr]:
    return lambda day: as_type(call("date_trunc", text(unit), day), "date")


_FIRST, _LAST = constant(date.min, "date"), constant(date.max, "date")


def _ordinal(day: exp.Expr) -> exp.Expr:
    return test(test(day, exp.Sub, _FIRST.copy()), exp.Add, whole(1))


def _days_later(day: exp.Expr, count: exp.Expr) -> exp.Expr:
    far = between(count, whole(-date.max.toordinal()), whole(date.max.toordinal()))
    ordinal = between(test(_ordinal(day), exp.Add, far), whole(1), whole(date.max.toordinal()))
    return as_type(test(_FIRST.copy(), exp.Add, cast(test(ordinal, exp.Sub, whole(1)), "INT")), "date")


def _months_later(day: exp.Expr, count: exp.Expr) -> exp.Expr:
    months = cast(between(count, whole(-120_000), whole(120_000)), "INT")
    return between(as_type(test(day, exp.Add, call("to_months", months)), "date"), _FIRST.copy(), _LAST.copy())


def _enumerated(value: exp.Expr, words: Sequence[str]) -> exp.Expr:
    return exp.TryCast(this=value, to=exp.DataType(this=exp.DType.ENUM, expressions=[text(word) for word in words]))


def _rank(values: Sequence[exp.Expr]) -> exp.Expr:
    """The hash of the hash: the engine's hash of several values is the exclusive or of something per value, so that of a person's groups
    some would come first for everybody. Half of it: rows are sorted a quarter faster by 32 bits, and the group itself settles ties."""
    mixed = call("hash", call("hash", *values))
    return cast(exp.Paren(this=exp.BitwiseRightShift(this=mixed, expression=exp.Literal.number(32))), "UINT")


DUCKDB: Final = Dialect(
    name="duckdb",
    wide="INT128",
    rank=_rank,
    cut=lambda a, b: test(a, exp.IntDiv, b),
    # Not isnan: a Parquet file leaves NaN out of the least and greatest values that it tells, and going by these the engine takes isnan
    # for false, unasked.
    is_nan=lambda value: exp.Paren(this=exp.Not(this=either([call("isfinite", value), call("isinf", value.copy())]))),
    ordinal=_ordinal,
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
    starts={name: _truncated(name.removeprefix("start of ")) for name in STARTS},
    later={"add days": _days_later, "add months": _months_later},
    coded=_enumerated,
)
