from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.verify.refute.interval_arithmetic import compute_sqrt
from hedgerow.verify.refute.normal_bounds import bound_probability, bound_tail


@given(st.fractions(-37, 37, max_denominator=1000))
def test_tails_hold_the_error_function_to_the_last_digit(x: Fraction) -> None:
    held = bound_tail(x)
    assert held.low <= held.high
    assert held.high - held.low <= held.low / 10**50
    assert float(held.low) == pytest.approx(math.erfc(float(x) / math.sqrt(2)) / 2, rel=1e-11)


def test_known_digits() -> None:
    # 1 - Phi(1), as tables of 30 digits have it
    known = Fraction("0.158655253931457051414767454368")
    assert (
        known - Fraction(1, 10**29)
        < bound_tail(Fraction(1)).low
        <= bound_tail(Fraction(1)).high
        < known + Fraction(1, 10**29)
    )


def test_far_out_there_is_an_upper_bound_only() -> None:
    assert bound_tail(Fraction(100)).low == 0
    assert 0 < bound_tail(Fraction(100)).high < Fraction(1, 10**300)


def test_intervals() -> None:
    deviation = compute_sqrt(Fraction(2))
    middle = bound_probability(Fraction(-1), Fraction(1), deviation)
    assert float(middle.low) == pytest.approx(math.erf(0.5), rel=1e-14)
    assert middle.high - middle.low < Fraction(1, 10**40)
    for ends in (
        (None, Fraction(-9)),
        (Fraction(9), None),
        (Fraction(9), Fraction(10)),
        (Fraction(-10), Fraction(-9)),
    ):
        found = bound_probability(*ends, Fraction(1))
        expected = math.erfc(9 / math.sqrt(2)) / 2
        assert float(found.low) == pytest.approx(expected, rel=1e-3), (
            "small probabilities keep their digits on either side"
        )
    assert bound_probability(None, None, Fraction(1)).low == 1
