from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.rounding import exp_down, exp_up
from hedgerow.verify.divergence.exponential_sum import (
    ExponentialSum,
    parse_probability,
    sum_fractions,
)

E = ExponentialSum(((Fraction(1), Fraction(1)),))
small = st.sampled_from([Fraction(n, 2) for n in range(-4, 5)])
amounts = st.lists(st.tuples(small, small), max_size=3).map(
    lambda terms: ExponentialSum(tuple(terms))
)


def test_terms_are_collected_into_one_form() -> None:
    scattered = ExponentialSum(
        ((Fraction(1), Fraction(2)), (Fraction(0), Fraction(5)), (Fraction(1), Fraction(-2)))
    )
    assert scattered.terms == ((0, 5),)
    assert scattered == 5
    assert scattered.rational == 5
    assert E - E == 0
    assert (E - E).rational == 0


def test_exponentials_multiply_by_adding_exponents() -> None:
    inverse = ExponentialSum(((Fraction(-1), Fraction(1)),))
    assert E * inverse == 1
    assert (E + 1) * (E - 1) == E * E - 1
    assert E.rational is None


@given(amounts, amounts, amounts)
def test_ring(a: ExponentialSum, b: ExponentialSum, c: ExponentialSum) -> None:
    assert a * (b + c) == a * b + a * c
    assert (a + b) - b == a
    assert a * b == b * a


@given(amounts, amounts)
def test_order_is_that_of_the_bounds(a: ExponentialSum, b: ExponentialSum) -> None:
    (low, high), (lower, _) = a.bounds(120), b.bounds(120)
    assert (a < b) == (high < lower)
    assert (a == b) == (a.terms == b.terms) == (not a < b and not b < a)
    assert low <= high
    assert math.isclose(
        float(a), sum(float(c) * math.exp(x) for x, c in a.terms), rel_tol=1e-9, abs_tol=1e-12
    )


@pytest.mark.parametrize("digits", [10, 40, 100, 300])
def test_a_comparison_takes_the_digits_it_needs(digits: int) -> None:
    below, above = exp_down(Fraction(1), digits), exp_up(Fraction(1), digits)
    assert below < E < above
    assert (E - below).sign() == 1
    assert (E - above).sign() == -1
    assert float(E - below) > 0


def test_floats_are_the_nearest_and_mean_the_decimals_they_show() -> None:
    assert float(E) == math.e
    assert float(ExponentialSum()) == 0.0
    assert ExponentialSum.of(0.1) == Fraction(1, 10)
    assert 1 + E * Fraction(1, 10) == 0.1 * E + 1
    assert 3 - E > 0.28
    assert repr(Fraction(3, 4) - Fraction(1, 4) * E) == "3/4 - 1/4 e^(1)"
    assert repr(ExponentialSum()) == "0"


def test_text_and_nan_are_unequal_and_nan_has_no_order() -> None:
    assert E != "e"
    assert math.nan != E
    with pytest.raises(InvalidArgument, match="number must be finite"):
        assert math.nan > E


@pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan, "0", True, None])
def test_chance_refuses(wrong: object) -> None:
    with pytest.raises(InvalidArgument, match="delta"):
        parse_probability(wrong, "delta")


def test_chance_and_total() -> None:
    assert parse_probability(0, "delta") == 0
    assert parse_probability(1.0, "delta") == 1
    assert sum_fractions([]) == 0
    assert isinstance(sum_fractions([]), Fraction)
