from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hedgerow.verify.refute.piecewise_exponential import Mass, PiecewiseExponential

HALF = Fraction(1, 2)
LAPLACE = PiecewiseExponential(((None, 0, {(0, 1, 0): HALF}), (0, None, {(0, -1, 0): HALF})), 1)
RAMP = PiecewiseExponential(((0, 2, {(1, 0, 0): Fraction(1)}),), 1)


def value(mass: Mass, rate: int = 1) -> float:
    return sum(float(c) * math.exp(a / rate) for a, c in mass.items())


def at(function: PiecewiseExponential, x: float) -> float:
    for low, high, term in function.pieces:
        if (low is None or low <= x) and (high is None or x <= high):
            return sum(
                float(c) * x**k * math.exp((r * x + a) / function.rate)
                for (k, r, a), c in term.items()
            )
    return 0.0


def test_integrals_in_closed_form() -> None:
    assert LAPLACE.integrate() == {0: Fraction(1)}
    assert LAPLACE.restrict(0, None).integrate() == {0: HALF}
    assert value(LAPLACE.restrict(-1, 2).integrate()) == pytest.approx(
        1 - math.exp(-1) / 2 - math.exp(-2) / 2
    )
    assert RAMP.integrate() == {0: Fraction(2)}
    assert value(RAMP.multiply(LAPLACE).integrate()) == pytest.approx((1 - 3 * math.exp(-2)) / 2), (
        "integral of x e^-x / 2 from 0 to 2"
    )
    assert LAPLACE.restrict(3, 3).integrate() == {}


def test_products_are_taken_piece_by_piece() -> None:
    both = LAPLACE.multiply(RAMP)
    assert [(low, high) for low, high, _ in both.pieces] == [(0, 2)]
    assert at(both, 1.5) == pytest.approx(0.75 * math.exp(-1.5))
    far = PiecewiseExponential(((5, 6, {(0, 0, 0): Fraction(1)}),), 1)
    assert RAMP.multiply(far).pieces == ()


@pytest.mark.parametrize(("low", "high"), [(None, 1), (-1, None), (-1, 2), (None, None)])
@pytest.mark.parametrize("v", [-2.5, -0.5, 0.25, 3.0])
def test_windows_are_integrals_over_what_is_left(
    low: int | None, high: int | None, v: float
) -> None:
    """low <= v - x <= high is v - high <= x <= v - low."""

    def below(x: float) -> float:
        return math.exp(x) / 2 if x < 0 else 1 - math.exp(-x) / 2

    expected = (1 if low is None else below(v - low)) - (0 if high is None else below(v - high))
    assert at(LAPLACE.integrate_window(low, high), v) == pytest.approx(expected)


@pytest.mark.parametrize("v", [-1.0, 0.5, 1.5, 2.5, 4.0])
def test_windows_of_functions_with_gaps(v: float) -> None:
    steps = PiecewiseExponential(
        ((0, 1, {(0, 0, 0): Fraction(1)}), (2, 3, {(0, 0, 0): Fraction(1)})), 1
    )
    covered = sum(max(0.0, min(v, right) - left) for left, right in ((0, 1), (2, 3)))
    assert at(steps.integrate_window(0, None), v) == pytest.approx(covered)


def test_a_window_of_a_polynomial_times_an_exponential() -> None:
    function = RAMP.multiply(LAPLACE).integrate_window(1, None)
    for v, end in ((0.5, 0.0), (2.0, 1.0), (9.0, 2.0)):
        assert at(function, v) == pytest.approx((1 - (1 + end) * math.exp(-end)) / 2)


def test_an_integral_that_does_not_converge_is_an_error() -> None:
    with pytest.raises(ArithmeticError, match="converge"):
        PiecewiseExponential(((0, None, {(0, 0, 0): Fraction(1)}),), 1).integrate()
