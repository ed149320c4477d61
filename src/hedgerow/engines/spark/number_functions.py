"""Numbers in Spark, whose DIV wraps around and whose casts stop at the ends, where others raise an
error or give NULL.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    case_when,
    cast,
    cast_to_type,
    real_literal,
)
from hedgerow.plan.values import Type

__all__ = [
    "cast_or_null",
    "divide_integers",
    "divide_reals",
    "divide_typed",
    "divide_wide_integers",
    "keep_within_int64",
    "make_whole",
    "round_bounded",
    "round_real",
    "widen",
]

_BELOW_HALF: Final = 0.5 - 2.0**-54  # the largest double below a half
_LAST_INT64_DOUBLE: Final = 2.0**63 - 1024


def divide_typed(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Divide numbers by the slash of Spark."""
    # typed: sqlglot would cast integers to doubles to mean a division of reals
    return exp.Paren(this=exp.Div(this=a, expression=b, typed=True))


def divide_integers(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Divide 64-bit integers, towards zero."""
    return binary(a, exp.IntDiv, b)


def widen(value: exp.Expr) -> exp.Expr:
    """Cast an integer to 38 digits."""
    return cast(value, "DECIMAL")


def divide_wide_integers(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Divide wide integers, towards zero.

    DIV of a decimal wraps around in silence where the quotient exceeds 64 bits. The slash keeps 32
    digits before the point, which no sum of one unit exceeds (2^98), and divides without a rest.
    """
    whole = binary(a, exp.Sub, binary(a.copy(), exp.Mod, b))
    return widen(divide_typed(whole, b.copy()))


def divide_reals(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Divide reals; NULL where the divisor is 0, which would raise an error."""
    return divide_typed(a, exp.Nullif(this=b, expression=real_literal(0.0)))


def keep_within_int64(value: exp.Expr) -> exp.Expr:
    """Keep reals that fit 64 bits; casts take 2^63 for the largest integer."""
    low, high = real_literal(-(2.0**63)), real_literal(_LAST_INT64_DOUBLE)
    return case_when((exp.Between(this=value.copy(), low=low, high=high), value))


def round_bounded(value: exp.Expr) -> exp.Expr:
    """Round half away from zero to an integer; the value fits 64 bits.

    ROUND would do the same through decimals, three times as slowly. The sum with the largest double
    below a half is right everywhere: where it is rounded up to the next whole number, the value was
    a half below it or nearer. The cast cuts towards zero.
    """
    half = case_when(
        (binary(value.copy(), exp.LT, real_literal(0.0)), real_literal(-_BELOW_HALF)),
        otherwise=real_literal(_BELOW_HALF),
    )
    return cast_to_type(binary(value, exp.Add, half), "integer")


def round_real(value: exp.Expr) -> exp.Expr:
    """Round half away from zero to an integer; NULL where it does not fit 64 bits."""
    return round_bounded(keep_within_int64(value))


def cast_or_null(value: exp.Expr, from_: Type, to: Type, is_wide: bool) -> exp.Expr:
    """Cast a value to another type; NULL where it does not fit."""
    if from_ == to == "text":
        return value
    if from_ == "real" and to == "integer" and not is_wide:
        # what was rounded already is an integer, which is cast without a loss
        return cast_to_type(value, "integer", total=True)
    if from_ == "text" or (to == "integer" and is_wide):
        return cast_to_type(value, to, total=True)
    if to == "boolean" and from_ in ("integer", "real"):
        return binary(value, exp.NEQ, cast(exp.Literal.number(0), "INT"))
    if from_ == "boolean" and to in ("integer", "real"):
        return cast_to_type(cast(value, "INT"), to)
    return cast_to_type(value, to)


def make_whole(function: str, value: exp.Expr) -> exp.Expr:
    """Call FLOOR or CEIL, which end at the ends of 64 bits, where the result fits these."""
    return call_function(function, keep_within_int64(value))
