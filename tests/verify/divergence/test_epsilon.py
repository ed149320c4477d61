from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from hedgerow.errors import InvalidArgument
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from verify.divergence.distributions import epsilons


def test_logarithms_add_and_multiply_exactly() -> None:
    assert ln(3) + ln(3) == 2 * ln(3) == ln(9)
    assert ln(2) + Fraction(1, 2) == Epsilon(Fraction(1, 2), Fraction(2))
    assert 0 * ln(7) == 0
    assert ln(1) == 0
    assert ln(3).exp == 3
    assert ln(0.1) == ln(Fraction(1, 10))


def test_order_between_logarithms_and_plain_numbers() -> None:
    assert 1.0986122886681098 > ln(3) > 1.0986122886681096
    assert ln(2) < Epsilon(Fraction(1)) < ln(3)
    assert ln(Fraction(1, 2)) < 0 < ln(2) < math.inf
    assert ln(2) > -math.inf
    assert not ln(2) > math.inf
    assert max(ln(2), math.inf) == math.inf
    assert ln(2) != math.inf
    assert ln(2) != "ln(2)"
    assert Epsilon() <= 0.0


def test_two_numbers_that_agree_to_thirty_digits_are_distinguished() -> None:
    close = ln(3).bounds(80)
    assert close[0] < ln(3) < close[1]
    assert close[1] - close[0] < Fraction(1, 10**70)
    # A double needs more than the usual digits where 40 of them cancel.
    assert 0 < float(ln(3) + Epsilon(-close[0])) < 1e-70


@given(epsilons(), epsilons())
def test_addition_keeps_the_order_and_floats_follow(a: Epsilon, b: Epsilon) -> None:
    assert a <= a + b
    assert (a < b) == (a + b < b + b)
    assert math.isclose(float(a + b), float(a) + float(b), abs_tol=1e-15)
    low, high = a.bounds()
    assert low <= a <= high
    assert (a == b) == (hash(a) == hash(b))


def test_as_a_key() -> None:
    assert {Epsilon(): "nothing"}[Epsilon()] == {ln(1): "nothing"}[Epsilon()] == "nothing"
    assert {Epsilon(Fraction(1, 2)): 1}[Fraction(1, 2)] == 1  # type: ignore[index]


def test_words() -> None:
    assert [repr(e) for e in (ln(3), Epsilon(Fraction(1, 2)), ln(3) + Fraction(1, 2))] == [
        "ln(3)",
        "1/2",
        "1/2 + ln(3)",
    ]


@pytest.mark.parametrize(
    "wrong", [-1, 1e-13, 10_001, math.inf, math.nan, "1", True, None, ln(Fraction(1, 2))]
)
def test_invalid_epsilons_are_refused(wrong: object) -> None:
    with pytest.raises(InvalidArgument, match=r"epsilon must .*; got"):
        Epsilon.of(wrong)  # type: ignore[arg-type]


def test_floats_are_read_as_decimals() -> None:
    assert Epsilon.of(0.1) == Epsilon(Fraction(1, 10))
    assert Epsilon.of(0) == Epsilon()
    assert Epsilon.of(ln(3)) is not None


@pytest.mark.parametrize("wrong", [0, -3, math.nan, "3"])
def test_ln_refuses(wrong: object) -> None:
    with pytest.raises(InvalidArgument, match="ratio"):
        ln(wrong)  # type: ignore[arg-type]
