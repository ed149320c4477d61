"""Numbers in PostgreSQL, where arithmetic and casts raise errors that are values elsewhere.

Each guard stands in the argument of what could fail, since the optimizer may evaluate it anywhere.
docs/decisions/0022 has the proofs.
"""

from __future__ import annotations

from datetime import date
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.sql_builders import (
    all_of,
    binary,
    call_function,
    case_when,
    cast,
    cast_to_type,
    clamp,
    constant,
    null_literal,
    real_literal,
    text_literal,
)
from hedgerow.plan.values import Type

__all__ = [
    "TINY_REAL",
    "cast_or_null",
    "cast_to_int",
    "divide",
    "divide_by_nonzero",
    "divide_reals",
    "multiply_reals",
    "read_stored",
    "read_stored_id",
    "round_real",
]

TINY_REAL: Final = 2.0**-500  # factors nearer to 0 count as 0
_HUGE_REAL: Final = 2.0**1000  # quotients beyond are infinite
_BELOW_HALF: Final = 0.5 - 2.0**-54  # the largest double below a half
_INT64_ENDS: Final = (-(2**63), 2**63 - 1)
_LAST_INT64_DOUBLE: Final = 2.0**63 - 1024
_DECIMAL_ENDS: Final = "1e300"  # decimals beyond are clamped, those within 1e-300 of 0 are 0
_FIRST_DAY, _LAST_DAY = constant(date.min, "date"), constant(date.max, "date")


def cast_to_int(value: exp.Expr) -> exp.Expr:
    """Cast to 32 bits, as places in text and parts of intervals are."""
    return cast(value, "INT")


def _negate(condition: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Paren(this=condition))


def _is_null(value: exp.Expr) -> exp.Expr:
    return exp.Is(this=exp.Paren(this=value), expression=exp.Null())


def _is_at_least_tiny(value: exp.Expr) -> exp.Expr:
    return binary(call_function("abs", value.copy()), exp.GTE, real_literal(TINY_REAL))


def divide(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Divide integers, towards zero, or reals."""
    # typed: sqlglot would cast integers to doubles to mean a division of reals
    return exp.Paren(this=exp.Div(this=a, expression=b, typed=True))


def _is_plain_constant(value: exp.Expr) -> bool:
    """Return whether a value is a constant whose size needs no guard."""
    if not isinstance(value, exp.Cast) or not isinstance(value.this, exp.Literal):
        return False
    return TINY_REAL <= abs(float(value.this.this)) < float("inf")


def multiply_reals(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Multiply reals; a factor that is nearly 0 counts as 0."""
    guarded = [term for term in (a, b) if not _is_plain_constant(term)]
    product = binary(a, exp.Mul, b)
    if not guarded:
        return product
    return case_when(
        (all_of([_is_at_least_tiny(term) for term in guarded]), product),
        (all_of([_negate(_is_null(term.copy())) for term in guarded]), real_literal(0.0)),
    )


def divide_reals(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Divide reals; NULL where the divisor is nearly 0, and infinite beyond 2^1000."""
    size, divisor = call_function("abs", a.copy()), call_function("abs", b.copy())
    is_far = binary(
        binary(
            call_function("least", divisor.copy(), real_literal(1.0)),
            exp.Mul,
            real_literal(_HUGE_REAL),
        ),
        exp.LT,
        size.copy(),
    )
    is_negative = exp.NEQ(
        this=binary(a.copy(), exp.LT, real_literal(0.0)),
        expression=binary(b.copy(), exp.LT, real_literal(0.0)),
    )
    infinite = case_when(
        (is_negative, real_literal(float("-inf"))), otherwise=real_literal(float("inf"))
    )
    is_nothing = all_of(
        [binary(size, exp.LT, real_literal(TINY_REAL)), _negate(_is_null(b.copy()))]
    )
    return case_when(
        (binary(divisor, exp.LT, real_literal(TINY_REAL)), null_literal("real")),
        (is_nothing, real_literal(0.0)),
        (is_far, infinite),
        otherwise=divide(a, b),
    )


def divide_by_nonzero(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Divide reals by a constant that is not 0, or by a number of at least 1."""
    if _is_plain_constant(b) and abs(float(b.this.this)) <= 1:
        return divide(a, b)  # no double becomes smaller
    return case_when(
        (_is_at_least_tiny(a), divide(a, b)),
        (_negate(_is_null(a.copy())), real_literal(0.0)),
    )


def round_real(value: exp.Expr) -> exp.Expr:
    """Round half away from zero; ROUND would round halves to even.

    Adding a half to the largest double below a half would give 1. Adding that double itself is
    right everywhere: where the sum is rounded up to the next whole number, the value was a half
    below it or nearer.
    """
    half = case_when(
        (binary(value.copy(), exp.LT, real_literal(0.0)), real_literal(-_BELOW_HALF)),
        otherwise=real_literal(_BELOW_HALF),
    )
    return call_function("trunc", binary(value, exp.Add, half))


def cast_or_null(value: exp.Expr, from_: Type, to: Type, is_wide: bool) -> exp.Expr:
    """Cast a value to another type; NULL where it does not fit."""
    if from_ == "boolean" and to in ("integer", "real"):
        return cast_to_type(cast_to_int(value), to)
    if to == "boolean" and from_ in ("integer", "real"):
        return binary(value, exp.NEQ, cast_to_int(exp.Literal.number(0)))
    if to == "integer" and from_ == "real" and not is_wide:
        return _cast_where_between(
            value, real_literal(-(2.0**63)), real_literal(_LAST_INT64_DOUBLE)
        )
    if to == "integer" and from_ in ("integer", "real") and is_wide:
        return _cast_where_between(value, *(_decimal(str(end)) for end in _INT64_ENDS))
    return cast_to_type(value, to)


def _cast_where_between(value: exp.Expr, low: exp.Expr, high: exp.Expr) -> exp.Expr:
    inside = exp.Between(this=value.copy(), low=low, high=high)
    return cast_to_type(case_when((inside, value)), "integer")


def _decimal(number: str) -> exp.Expr:
    return cast(exp.Literal.string(number), "DECIMAL")


def _is_not_a_decimal(value: exp.Expr) -> exp.Expr:
    return binary(value.copy(), exp.EQ, _decimal("NaN"))


def read_stored(value: exp.Expr, type_: Type, is_wide: bool) -> exp.Expr:
    """Read a stored column as a value that no later cast fails on."""
    if type_ == "text":
        return cast_to_type(value, "text")
    if type_ == "date":  # PostgreSQL has dates that no timestamp holds
        return clamp(value, _FIRST_DAY.copy(), _LAST_DAY.copy())
    if type_ == "timestamp" and is_wide:
        return call_function("timezone", text_literal("UTC"), value)
    if type_ in ("integer", "real") and is_wide:
        low, high = _decimal("-" + _DECIMAL_ENDS), _decimal(_DECIMAL_ENDS)
        size = call_function("abs", value.copy())
        return clamp(
            value,
            low,
            high,
            (_is_not_a_decimal(value), exp.Null()),
            (binary(size, exp.LT, _decimal("1e-300")), _decimal("0")),
        )
    return value


def read_stored_id(value: exp.Expr, type_: Type, is_wide: bool) -> exp.Expr:
    """Read a stored unit id, which must stay as it is."""
    if type_ == "text":
        return cast_to_type(value, "text")
    if is_wide:
        return case_when((_negate(_is_not_a_decimal(value)), value))
    return value
