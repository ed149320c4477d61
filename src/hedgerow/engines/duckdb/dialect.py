"""The SQL dialect of DuckDB, as the compiler uses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.dialect import MEANINGS, Dialect
from hedgerow.engines.compile.sql_builders import (
    any_of,
    binary,
    call_function,
    cast,
    cast_to_type,
    clamp,
    constant,
    integer_literal,
    real_literal,
    text_literal,
)
from hedgerow.plan.scalar.dates import DATE_TRUNCATIONS
from hedgerow.plan.values import Type, number_date

__all__ = ["DUCKDB"]


def _make_function(function: str) -> Callable[[exp.Expr], exp.Expr]:
    return lambda day: call_function(function, day)


def _make_truncation(unit: str) -> Callable[[exp.Expr], exp.Expr]:
    return lambda day: cast_to_type(call_function("date_trunc", text_literal(unit), day), "date")


_FIRST_DAY, _LAST_DAY = constant(date.min, "date"), constant(date.max, "date")
_EPOCH: Final = number_date(datetime(1970, 1, 1))


def _build_ordinal(day: exp.Expr) -> exp.Expr:
    return binary(binary(day, exp.Sub, _FIRST_DAY.copy()), exp.Add, integer_literal(1))


def _build_timestamp_number(time: exp.Expr) -> exp.Expr:
    return binary(call_function("epoch_us", time), exp.Add, integer_literal(_EPOCH))


def _build_timestamp(number: exp.Expr) -> exp.Expr:
    return call_function("make_timestamp", binary(number, exp.Sub, integer_literal(_EPOCH)))


def _add_days(day: exp.Expr, count: exp.Expr) -> exp.Expr:
    far = clamp(
        count, integer_literal(-date.max.toordinal()), integer_literal(date.max.toordinal())
    )
    ordinal = clamp(
        binary(_build_ordinal(day), exp.Add, far),
        integer_literal(1),
        integer_literal(date.max.toordinal()),
    )
    return cast_to_type(
        binary(
            _FIRST_DAY.copy(), exp.Add, cast(binary(ordinal, exp.Sub, integer_literal(1)), "INT")
        ),
        "date",
    )


def _add_months(day: exp.Expr, count: exp.Expr) -> exp.Expr:
    months = cast(clamp(count, integer_literal(-120_000), integer_literal(120_000)), "INT")
    return clamp(
        cast_to_type(binary(day, exp.Add, call_function("to_months", months)), "date"),
        _FIRST_DAY.copy(),
        _LAST_DAY.copy(),
    )


def _cast_to_enum(value: exp.Expr, words: Sequence[str]) -> exp.Expr:
    return exp.TryCast(
        this=value,
        to=exp.DataType(this=exp.DType.ENUM, expressions=[text_literal(word) for word in words]),
    )


def _build_rank(values: Sequence[exp.Expr]) -> exp.Expr:
    """Build the order in which a unit's groups are kept: half of the hash of the hash.

    DuckDB's hash of several values is the exclusive or of one term for each value, so some groups
    would come first for everybody; hashing again mixes the terms. Rows sort a quarter faster by 32
    bits, and the group itself breaks ties.
    """
    mixed = call_function("hash", call_function("hash", *values))
    return cast(
        exp.Paren(this=exp.BitwiseRightShift(this=mixed, expression=exp.Literal.number(32))), "UINT"
    )


def _read_stored(value: exp.Expr, type_: Type, is_wide: bool) -> exp.Expr:
    is_zoned = type_ == "timestamp" and is_wide
    return cast(value, "TIMESTAMPTZ", total=True) if is_zoned else value


def _read_stored_id(value: exp.Expr, type_: Type, _: bool) -> exp.Expr:
    # Enumerations become their text: two tables may number the same words differently.
    return cast_to_type(value, "text") if type_ == "text" else value


def _divide_integers(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    return binary(a, exp.IntDiv, b)


def _divide(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    return binary(a, exp.Div, b)


DUCKDB: Final = Dialect(
    name="duckdb",
    grammar="duckdb",
    functions=MEANINGS
    | frozenset(
        [
            "date_trunc",
            "day",
            "dayofweek",
            "dayofyear",
            "epoch_us",
            "hash",
            "isfinite",
            "isinf",
            "make_timestamp",
            "month",
            "quarter",
            "regexp_extract",
            "regexp_full_match",
            "to_months",
            "year",
        ]
    ),
    rewrite=lambda tree: tree,
    wide_integer="INT128",
    build_rank=_build_rank,
    truncating_divide=_divide_integers,
    truncating_divide_wide=_divide_integers,
    multiply_reals=lambda a, b: binary(a, exp.Mul, b),
    divide_reals=lambda a, b: _divide(a, exp.Nullif(this=b, expression=real_literal(0.0))),
    divide_by_nonzero=_divide,
    total_cast=lambda value, _, to, __: cast_to_type(value, to, total=True),
    round_real=lambda value: call_function("round", value),
    round_bounded=lambda value: cast_to_type(call_function("round", value), "integer"),
    widen_summand=lambda value: value,
    concatenate=lambda a, b: binary(a, exp.DPipe, b),
    read_stored=_read_stored,
    read_stored_id=_read_stored_id,
    days_between=lambda first, last: binary(last, exp.Sub, first),
    # Not isnan: Parquet statistics leave NaN out, and where they exist DuckDB takes isnan for false
    # without reading the values.
    is_nan=lambda value: exp.Paren(
        this=exp.Not(
            this=any_of([call_function("isfinite", value), call_function("isinf", value.copy())])
        )
    ),
    ordinal=_build_ordinal,
    timestamp_number=_build_timestamp_number,
    build_timestamp=_build_timestamp,
    full_match=lambda value, pattern: call_function(
        "regexp_full_match", value, text_literal(pattern)
    ),
    regex_group=lambda value, pattern, group: call_function(
        "regexp_extract", value, text_literal(pattern), cast(exp.Literal.number(group), "INT")
    ),
    date_parts={
        "year": _make_function("year"),
        "quarter": _make_function("quarter"),
        "month": _make_function("month"),
        "day": _make_function("day"),
        "day of week": _make_function("dayofweek"),
        "day of year": _make_function("dayofyear"),
    },
    date_truncations={
        name: _make_truncation(name.removeprefix("start of ")) for name in DATE_TRUNCATIONS
    },
    date_shifts={"add days": _add_days, "add months": _add_months},
    encode_text=_cast_to_enum,
)
