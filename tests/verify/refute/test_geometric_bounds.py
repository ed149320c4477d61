from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hedgerow.verify.refute.geometric_bounds import bound_geometric_region
from hedgerow.verify.refute.interval_arithmetic import compute_sqrt
from hedgerow.verify.refute.out_of_scope import OutOfScope

ONE, MINUS = Fraction(1), Fraction(-1)


def chance(scale: float, k: int) -> float:
    a = math.exp(-1 / scale)
    return (1 - a) / (1 + a) * a ** abs(k)


def test_tails_have_their_closed_form() -> None:
    found = bound_geometric_region({0: Fraction(2)}, {((0, ONE),): (Fraction(3), None)})
    a = math.exp(-0.5)
    assert float(found.low) == pytest.approx(a**3 / (1 + a), rel=1e-14)
    assert 0 < found.high - found.low < Fraction(1, 10**40)
    assert bound_geometric_region({0: Fraction(1)}, {}).high <= 1


def test_two_variables_agree_with_the_double_sum() -> None:
    found = bound_geometric_region(
        {0: Fraction(2), 1: Fraction(1)},
        {((0, ONE), (1, MINUS)): (Fraction(-1), Fraction(2)), ((1, ONE),): (None, Fraction(3))},
    )
    expected = sum(
        chance(2, x) * chance(1, y)
        for x in range(-90, 91)
        for y in range(-60, 4)
        if -1 <= x - y <= 2
    )
    assert float(found.low) == pytest.approx(expected, rel=1e-12)


def test_equality_of_whole_noise_has_positive_probability() -> None:
    found = bound_geometric_region(
        {0: Fraction(1), 1: Fraction(1)}, {((0, ONE), (1, MINUS)): (Fraction(0), Fraction(0))}
    )
    assert float(found.low) == pytest.approx(
        sum(chance(1, x) ** 2 for x in range(-60, 61)), rel=1e-12
    )
    circle = {
        ((0, ONE), (1, MINUS)): (Fraction(0), Fraction(0)),
        ((1, ONE), (2, MINUS)): (Fraction(0), None),
        ((0, ONE), (2, MINUS)): (ONE, None),
    }
    assert bound_geometric_region(dict.fromkeys(range(3), Fraction(1)), circle).low > 0
    empty = {
        ((0, ONE), (1, MINUS)): (Fraction(0), None),
        ((1, ONE), (2, MINUS)): (ONE, None),
        ((0, ONE), (2, MINUS)): (None, Fraction(0)),
    }
    assert bound_geometric_region(dict.fromkeys(range(3), Fraction(1)), empty).high == 0


def test_irrational_scales_are_enclosed() -> None:
    found = bound_geometric_region(
        {0: compute_sqrt(Fraction(2))}, {((0, ONE),): (Fraction(0), Fraction(0))}
    )
    assert float(found.low) == pytest.approx(chance(math.sqrt(2), 0), rel=1e-14)
    assert found.low < found.high


def test_limits() -> None:
    with pytest.raises(OutOfScope, match="too wide"):
        bound_geometric_region({0: Fraction(10**6)}, {((0, ONE),): (Fraction(0), None)})
    with pytest.raises(OutOfScope, match="factors"):
        bound_geometric_region(
            {0: ONE, 1: ONE}, {((0, ONE), (1, Fraction(2))): (Fraction(0), None)}
        )
