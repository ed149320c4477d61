"""Fractions of polynomials."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.algebra import (
    RationalFunction,
    constant_function,
    divide_by_positive,
    infer_positive_symbols,
    polynomial_term,
    symbol_function,
    to_rational_function,
)
from hedgerow.verify.prove.solver import is_entailed, z3
from verify.prove.proving import expression


def read(text: str) -> RationalFunction:
    return to_rational_function(expression(text), {})


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("eps / (2 / eps)", "eps * eps / 2"),
        ("1 / (4 * N / eps)", "eps / (4 * N)"),
        ("(a + b) * (a - b)", "a * a - b * b"),
        ("a / b + c / b", "(a + c) / b"),
        ("a / b + c / d", "(a * d + c * b) / (b * d)"),
        ("-(a - a)", "0"),
        ("ln(1 / x) / eps * eps", "ln(1 / x)"),
        ("0.5 * x", "x / 2"),
    ],
)
def test_equal_ones_have_difference_zero(left: str, right: str) -> None:
    assert (read(left) - read(right)).constant_value == 0


@pytest.mark.parametrize(
    ("left", "right"), [("a", "b"), ("ln(x)", "ln(y)"), ("a * b", "a + b"), ("eps", "2 * eps")]
)
def test_others_have_not(left: str, right: str) -> None:
    assert (read(left) - read(right)).constant_value != 0


def test_numbers() -> None:
    assert read("(3 * a + 3 * b) / (a + b)").constant_value == 3
    assert read("(3 * a + b) / (a + b)").constant_value is None
    assert constant_function(Fraction(2, 3)).constant_value == Fraction(2, 3)
    assert symbol_function("a").constant_value is None
    assert read("a * ln(2)").symbols == {"a", "ln(2)"}


def test_non_rational_expressions_are_refused() -> None:
    with pytest.raises(UnsupportedProgram, match="divided by 0"):
        read("a / (b - b)")
    with pytest.raises(UnsupportedProgram, match="not allowed in a scale or a claim"):
        read("abs(a)")


def test_as_a_term() -> None:
    a, b = z3.Reals("a b")
    assert is_entailed(
        [],
        polynomial_term(read("(a + 2 * b) * a").numerator, {"a": a, "b": b}.__getitem__)
        == a * a + 2 * a * b,
    )
    assert is_entailed([], polynomial_term({}, {}.__getitem__) == 0)


def test_dividing_by_what_is_positive_keeps_the_sign() -> None:
    polynomial = read("eps * a - 2 * eps * eps").numerator
    assert divide_by_positive(polynomial, frozenset({"eps"})) == read("a - 2 * eps").numerator
    assert divide_by_positive(polynomial, frozenset()) == polynomial


def test_the_last_factor_of_a_positive_product_is_positive() -> None:
    eps = frozenset({"eps"})
    assert infer_positive_symbols([read("4 * N / eps")], eps) == {"eps", "N"}
    assert infer_positive_symbols([read("4 * N * M / eps")], eps) == eps
    assert infer_positive_symbols([read("M / eps"), read("N * M / eps")], eps) == {"eps", "M", "N"}
    assert infer_positive_symbols([read("-N / eps")], eps) == eps
    assert infer_positive_symbols([read("(N + 1) / eps")], eps) == eps
    assert infer_positive_symbols([read("N * N / eps")], eps) == eps
