"""Prices between exact rationals."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hedgerow.errors import Refused
from hedgerow.verify.language.claim_bounds import bound_expression, can_bound
from hedgerow.verify.language.program import Apply, Expression, Name, Number

EPS, N = Name("eps"), Name("N")
VALUES = {"eps": Fraction(1, 2), "N": 3}


def number(value: Fraction | int) -> Number:
    return Number(Fraction(value))


def of(operator: str, *arguments: Expression) -> Apply:
    return Apply(operator, arguments)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (EPS, Fraction(1, 2)),
        (of("*", number(2), EPS), 1),
        (of("/", EPS, N), Fraction(1, 6)),
        (of("-", EPS, N), Fraction(-5, 2)),
        (of("+", EPS, of("negate", N)), Fraction(-5, 2)),
        (of("abs", of("-", EPS, N)), Fraction(5, 2)),
        (of("min", EPS, N), Fraction(1, 2)),
        (of("max", EPS, N), 3),
        (of("floor", of("/", N, number(2))), 1),
        (of("sqrt", number(9)), 3),
    ],
)
def test_rational_prices_are_exact(expression: Expression, value: Fraction) -> None:
    assert bound_expression(expression, VALUES) == (value, value)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (of("ln", N), math.log(3)),
        (of("exp", EPS), math.exp(0.5)),
        (of("sqrt", number(2)), math.sqrt(2)),
        (of("/", number(1), of("-", of("ln", number(2)), number(1))), 1 / (math.log(2) - 1)),
        (
            of("*", of("negate", of("sqrt", number(2))), of("ln", number(5))),
            -math.sqrt(2) * math.log(5),
        ),
        (of("abs", of("negate", of("ln", N))), math.log(3)),
    ],
)
def test_others_are_enclosed(expression: Expression, value: float) -> None:
    low, high = bound_expression(expression, VALUES)
    assert low < high
    assert high - low < Fraction(1, 10**20)
    assert float(low) == pytest.approx(value)
    assert low <= Fraction(value) + Fraction(1, 10**14)
    assert high >= Fraction(value) - Fraction(1, 10**14)


def test_an_interval_around_nothing_has_the_absolute_value_nothing() -> None:
    low, high = bound_expression(of("abs", of("-", of("ln", N), of("ln", N))), VALUES)
    assert low == 0 <= high


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        (of("/", EPS, of("-", N, number(3))), "divides by 0"),
        (of("ln", of("-", EPS, N)), "logarithm of a number that is not positive"),
        (of("sqrt", of("-", EPS, N)), "root of a negative number"),
        (of("exp", number(10**7)), "exceeds e.1000000"),
        (Name("M"), "M cannot be evaluated"),
        (of("%", N, number(2)), "cannot be evaluated"),
    ],
)
def test_what_has_no_price(expression: Expression, told: str) -> None:
    with pytest.raises(Refused, match=told):
        bound_expression(expression, VALUES)


def test_what_can_be_enclosed() -> None:
    assert can_bound(Apply("ln", (Apply("+", (EPS, number(1))),)))
    assert not can_bound(Apply("if", (Apply("<", (EPS, number(1))), EPS, number(1))))
