"""Column reads: the SQL from a stored value to a value of the declared type, or NULL.

``reference.column_casts`` defines the meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.sql_builders import (
    all_of,
    any_of,
    binary,
    call_function,
    case_when,
    cast,
    cast_to_type,
    clamp,
    column,
    constant,
    integer_literal,
    is_one_of,
    real_literal,
    text_literal,
)
from hedgerow.errors import Unsupported
from hedgerow.plan.scalar.timestamps import TIME_UNITS
from hedgerow.plan.schema import Column
from hedgerow.plan.values import DAY, FIRST_NUMBERS, LAST_NUMBERS, Type, build_date

__all__ = [
    "CASTABLE_TYPES",
    "WHITE_SPACE",
    "StoredColumn",
    "compile_parse",
    "compile_read",
    "is_clamped_integer",
]

# Declared type -> the stored types that it can be read from.
CASTABLE_TYPES: Final[Mapping[Type, tuple[Type, ...]]] = {
    "boolean": ("boolean", "integer", "real"),
    "integer": ("integer", "real", "boolean"),
    "real": ("real", "integer", "boolean"),
    "text": ("text", "integer", "boolean"),
    "date": ("date", "timestamp"),
    "timestamp": ("timestamp", "date"),
}

_DECIMAL_PATTERN: Final = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)"
_EXPONENT_PATTERN: Final = r"[eE][+-]?[0-9]{1,9}"
# the sign, the digits before and after the point, the power of ten
_SCIENTIFIC_PATTERN: Final = r"([+-]?)([0-9]*)\.?([0-9]*)[eE]([+-]?[0-9]+)"
_POSITIVE_INFINITY: Final = ("inf", "+inf", "infinity", "+infinity")
_NEGATIVE_INFINITY: Final = ("-inf", "-infinity")
_INFINITY_WORDS: Final = (*_POSITIVE_INFINITY, *_NEGATIVE_INFINITY)
_DATE_PATTERN: Final = r"([0-9]{1,9})-([0-9]{1,2})-([0-9]{1,2})([ T][0-9:.]+(Z|[+-][0-9:]+)?)?"
# hour, minute, second and its fraction, behind a date; the fraction is cut off at microseconds
_TIMESTAMP_PATTERN: Final = (
    r"[0-9]{1,9}-[0-9]{1,2}-[0-9]{1,2}"
    r"(?:[ T]([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?Z?)?"
)
# up to here doubles are exact to a thousandth, also those that DuckDB makes of decimals
_MAX_DOUBLE_BOUND: Final = 2**40
_INT64_LIMIT: Final = 2.0**63
_TRUE_WORDS: Final = ("true", "t", "yes", "y", "1")
_FALSE_WORDS: Final = ("false", "f", "no", "n", "0")
WHITE_SPACE: Final = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())

CaseBranch = tuple[exp.Expr, exp.Expr]  # a condition, and the value where it holds


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column in the engine: its name and type there.

    ``is_wide``: its integers may need more than 64 bits, or its timestamps have nanoseconds and a
    zone, which is cast off in two steps. ``exact_type``: of an id, the engine's own
    type, if ids of other types do not compare with it exactly. ``parts`` are the columns of a
    composite id with their declarations (plan/composite_ids.py), whose types are its exact type.
    """

    name: str
    type: Type
    is_wide: bool = False
    exact_type: str = ""
    parts: tuple[tuple[StoredColumn, Column], ...] = ()


def compile_read(declared: Column, stored: StoredColumn, dialect: Dialect) -> exp.Expr:
    """Compile the read of a stored column as its declared type."""
    raw = dialect.read_stored(column(stored.name), stored.type, stored.is_wide)
    value = _cast_to_declared(raw, stored, declared.type, dialect)
    missing = _list_nan_branches(raw, stored.type, dialect)
    if declared.type in FIRST_NUMBERS:
        value = clamp(value, *_build_calendar(declared.type))
        if declared.granularity != "day":
            value = dialect.date_truncations[f"start of {declared.granularity}"](value)
    if declared.values is not None:
        is_listed = is_one_of(value, declared.values, declared.type)
        return case_when(*missing, (is_listed, value.copy()))
    if (
        declared.low is not None
        and declared.high is not None
        and declared.type in ("integer", "real", *FIRST_NUMBERS)
    ):
        ends = _build_bounds(declared, declared.low, declared.high)
        if declared.type != "integer" or not (stored.is_wide or stored.type == "real"):
            # Nearly all values lie between the bounds, so that is tested first. But NaN comes
            # before: Parquet statistics leave NaN out, and where they lie between the bounds the
            # engine skips this test.
            inside = exp.Between(this=value.copy(), low=ends[0].copy(), high=ends[1].copy())
            return case_when(*missing, (inside, value), otherwise=clamp(value.copy(), *ends))
        if max(abs(declared.low), abs(declared.high)) <= _MAX_DOUBLE_BOUND:
            return _clamp_as_double(raw, value, declared, ends, missing)
        size = dialect.total_cast(raw, stored.type, "real", stored.is_wide)
        far = _clamp_beyond_int64(size, *ends, *missing)
        return call_function("coalesce", clamp(value, *ends, *missing), far)
    return case_when(*missing, otherwise=value) if missing else value


def _build_calendar(type_: Type) -> tuple[exp.Expr, exp.Expr]:
    """Build the first and the last date or timestamp that there is."""
    first, last = (build_date(ends[type_], type_) for ends in (FIRST_NUMBERS, LAST_NUMBERS))
    return constant(first, type_), constant(last, type_)


def _clamp_as_double(
    raw: exp.Expr,
    value: exp.Expr,
    declared: Column,
    ends: tuple[exp.Expr, exp.Expr],
    missing: list[CaseBranch],
) -> exp.Expr:
    """Clamp by comparing doubles before the cast, so that integers beyond 64 bits are clamped too.

    A double lies on the same side of a bound as the number it approximates; otherwise the number is
    less than a half away from the bound, and rounds to it.
    """
    assert declared.low is not None
    assert declared.high is not None
    size = cast_to_type(raw.copy(), "real")
    below = binary(size, exp.LT, real_literal(float(declared.low)))
    above = binary(size.copy(), exp.GT, real_literal(float(declared.high)))
    return case_when(*missing, (below, ends[0]), (above, ends[1]), otherwise=value)


def _clamp_beyond_int64(
    size: exp.Expr, low: exp.Expr, high: exp.Expr, *before: CaseBranch
) -> exp.Expr:
    """Compile the nearest bound for numbers beyond 64 bits, and NULL for all others.

    ``size`` is the number as a double, which is beyond 64 bits as well, however it was rounded.
    """
    ends = ((exp.GTE, _INT64_LIMIT, high), (exp.LTE, -_INT64_LIMIT, low))
    return case_when(
        *((condition.copy(), value.copy()) for condition, value in before),
        *((binary(size.copy(), sign, real_literal(end)), to.copy()) for sign, end, to in ends),
    )


def _list_nan_branches(raw: exp.Expr, stored: Type, dialect: Dialect) -> list[CaseBranch]:
    """List the CASE branch that turns NaN into NULL, if the stored type can hold NaN."""
    if stored != "real":
        return []
    return [(dialect.is_nan(cast_to_type(raw.copy(), "real")), exp.Null())]


def _cast_to_declared(
    raw: exp.Expr, stored: StoredColumn, declared: Type, dialect: Dialect
) -> exp.Expr:
    if stored.type == "real" and declared == "integer":
        # Rounded before the cast, which would round halves to even. Decimals round as decimals.
        rounded = call_function("round", raw) if stored.is_wide else dialect.round_real(raw)
        return dialect.total_cast(rounded, "real", "integer", stored.is_wide)
    if stored.type == "real" and declared == "boolean":
        return binary(cast_to_type(raw, "real"), exp.NEQ, real_literal(0.0))
    return dialect.total_cast(raw, stored.type, declared, stored.is_wide)


def _build_bounds(declared: Column, low: Fraction, high: Fraction) -> tuple[exp.Expr, exp.Expr]:
    if declared.type == "real":
        return real_literal(float(low)), real_literal(float(high))
    if declared.type in FIRST_NUMBERS:
        first, last = (build_date(int(end), declared.type) for end in (low, high))
        return constant(first, declared.type), constant(last, declared.type)
    if int(low) >= 2**63 or int(high) < -(2**63):
        raise Unsupported(
            f"The bounds of {declared.name} do not fit into 64 bits. Declare bounds between -2^63"
            " and 2^63 - 1."
        )
    return integer_literal(max(int(low), -(2**63))), integer_literal(min(int(high), 2**63 - 1))


def is_clamped_integer(declared: Column) -> bool:
    """Return whether integers of the column are clamped to bounds, also those beyond 64 bits."""
    return declared.type == "integer" and declared.values is None and declared.low is not None


def compile_parse(
    raw: exp.Expr, type_: Type, dialect: Dialect, *, clamp_wide: bool = False
) -> exp.Expr:
    """Compile the value that a text spells in the type, or NULL where it spells none.

    With ``clamp_wide``, integers beyond 64 bits become the nearest 64-bit integer, for bounds to
    clamp them further.
    """
    if type_ == "text":
        return raw
    if type_ == "boolean":
        word = call_function("lower", raw)
        return case_when(
            (_is_one_word(word, _TRUE_WORDS), exp.true()),
            (_is_one_word(word.copy(), _FALSE_WORDS), exp.false()),
        )
    trimmed = call_function("trim", raw, text_literal(WHITE_SPACE))
    if type_ == "date":
        return _parse_date(trimmed, dialect)
    if type_ == "timestamp":
        return _parse_timestamp(trimmed, dialect)
    infinite = _is_one_word(call_function("lower", trimmed.copy()), _INFINITY_WORDS)
    if type_ == "real":
        spelled = any_of(
            [dialect.full_match(trimmed, f"{_DECIMAL_PATTERN}({_EXPONENT_PATTERN})?"), infinite]
        )
        return cast_to_type(case_when((spelled, trimmed.copy())), "real", total=True)
    branches = [
        (
            dialect.full_match(trimmed, _DECIMAL_PATTERN),
            cast_to_type(trimmed.copy(), "integer", total=True),
        ),
        (
            dialect.full_match(trimmed.copy(), _DECIMAL_PATTERN + _EXPONENT_PATTERN),
            cast_to_type(_expand_exponent(trimmed, dialect), "integer", total=True),
        ),
    ]
    if not clamp_wide:
        return case_when(*branches)
    ends = integer_literal(-(2**63)), integer_literal(2**63 - 1)
    far = _clamp_beyond_int64(cast_to_type(trimmed, "real", total=True), *ends)
    return case_when(
        *((spelled, call_function("coalesce", number, far.copy())) for spelled, number in branches),
        (infinite, far),
    )


def _expand_exponent(trimmed: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Write a number without its exponent, up to the first decimal, which decides the rounding.

    DuckDB's own cast of such text to an integer fails on more digits than 64 bits hold, and rounds
    by the wrong digit where 19 are left.
    """
    sign, before, after, power = (
        dialect.regex_group(trimmed.copy(), _SCIENTIFIC_PATTERN, group) for group in (1, 2, 3, 4)
    )
    # A zero in front for numbers below a tenth; enough behind to take any number but 0 beyond 64
    # bits.
    digits = call_function("concat", text_literal("0"), before, after, text_literal("0" * 20))
    place = binary(
        binary(call_function("length", before.copy()), exp.Add, integer_literal(1)),
        exp.Add,
        cast_to_type(power, "integer", total=True),
    )
    # the position of the decimal point, at least 0
    place = case_when(
        (binary(place, exp.LT, integer_literal(0)), integer_literal(0)), otherwise=place.copy()
    )
    decimal = call_function(
        "substr", digits, binary(place, exp.Add, integer_literal(1)), integer_literal(1)
    )
    return call_function(
        "concat",
        sign,
        text_literal("0"),
        call_function("left", digits.copy(), place.copy()),
        text_literal("."),
        decimal,
    )


def _parse_date(trimmed: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Parse a date; years outside 1 to 9999 become the nearest date that exists.

    Day and month of such a year are checked in a leap year.
    """
    year = cast(dialect.regex_group(trimmed, _DATE_PATTERN, 1), "BIGINT", total=True)
    inside = exp.Between(this=year, low=integer_literal(1), high=integer_literal(9999))
    tried = cast_to_type(case_when((inside, year.copy()), otherwise=integer_literal(9996)), "text")
    pieces = [
        call_function("lpad", tried, cast(exp.Literal.number(4), "INT"), text_literal("0")),
        *(dialect.regex_group(trimmed.copy(), _DATE_PATTERN, group) for group in (2, 3)),
    ]
    day = cast_to_type(call_function("concat_ws", text_literal("-"), *pieces), "date", total=True)
    is_date = all_of(
        [
            dialect.full_match(trimmed.copy(), _DATE_PATTERN),
            exp.Not(this=exp.Is(this=day, expression=exp.Null())),
        ]
    )
    lower = call_function("lower", trimmed.copy())
    return case_when(
        (_is_one_word(lower, _POSITIVE_INFINITY), constant(date.max, "date")),
        (_is_one_word(lower.copy(), _NEGATIVE_INFINITY), constant(date.min, "date")),
        (exp.Not(this=exp.Paren(this=is_date)), exp.Null()),
        (binary(year.copy(), exp.LT, integer_literal(1)), constant(date.min, "date")),
        (binary(year.copy(), exp.GT, integer_literal(9999)), constant(date.max, "date")),
        otherwise=day.copy(),
    )


def _parse_timestamp(trimmed: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Parse a date and a time of day; without a time it is midnight, and with a zone other than Z
    it is NULL.
    """
    pieces = [dialect.regex_group(trimmed.copy(), _TIMESTAMP_PATTERN, group) for group in (1, 2, 3)]
    fraction = dialect.regex_group(trimmed.copy(), _TIMESTAMP_PATTERN, 4)
    six = cast(exp.Literal.number(6), "INT")
    pieces.append(
        call_function("rpad", call_function("left", fraction, six), six.copy(), text_literal("0"))
    )
    number = binary(dialect.ordinal(_parse_date(trimmed, dialect)), exp.Mul, integer_literal(DAY))
    for piece, size in zip(pieces, (*reversed(TIME_UNITS.values()), 1), strict=True):
        count = call_function("coalesce", cast(piece, "BIGINT", total=True), integer_literal(0))
        number = binary(number, exp.Add, binary(count, exp.Mul, integer_literal(size)))
    first, last = _build_calendar("timestamp")
    lower = call_function("lower", trimmed.copy())
    return case_when(
        (_is_one_word(lower, _POSITIVE_INFINITY), last),
        (_is_one_word(lower.copy(), _NEGATIVE_INFINITY), first),
        (
            dialect.full_match(trimmed.copy(), _TIMESTAMP_PATTERN),
            dialect.build_timestamp(number),
        ),
    )


def _is_one_word(value: exp.Expr, words: tuple[str, ...] | list[str]) -> exp.Expr:
    return exp.Paren(this=exp.In(this=value, expressions=[text_literal(word) for word in words]))
