from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.privacy import (
    compute_pure_rho,
    convert_rho_to_delta,
    convert_rho_to_epsilon,
    find_largest_rho,
)

rhos = st.fractions(min_value=Fraction(1, 10**6), max_value=50, max_denominator=10**6)
epsilons = st.fractions(min_value=Fraction(1, 1000), max_value=50, max_denominator=1000)
deltas = st.integers(2, 90).map(lambda k: Fraction(1, 10**k)) | st.fractions(
    min_value=Fraction(1, 10**4), max_value=Fraction(1, 2)
)

BAD = [-1, float("nan"), -float("inf"), True, np.True_, "1", None]


@pytest.mark.parametrize(
    ("rho", "epsilon"),
    [
        (1000 * Fraction(1, 2 * 50**2), 3.1311),
        (10_000 * Fraction(1, 2 * 50**2), 11.689),
        (1000 * compute_pure_rho(0.01), 1.4716),
        (10_000 * compute_pure_rho(0.01), 5.2215),
    ],
)
def test_at_least_as_tight_as_the_best_peer(rho: Fraction, epsilon: float) -> None:
    digits = 3 if epsilon > 10 else 4
    assert round(float(convert_rho_to_epsilon(rho, 1e-6)), digits) <= epsilon


def test_a_known_budget_is_reproduced() -> None:
    assert round(float(find_largest_rho(3, 1e-7)), 4) == 0.1573


@given(rhos, deltas)
def test_no_order_on_a_grid_does_better(rho: Fraction, delta: Fraction) -> None:
    r, log_delta = float(rho), math.log(delta.numerator) - math.log(delta.denominator)
    grid = [1 + math.exp(v / 20) for v in range(-200, 400)]
    best = min(r * a + (-log_delta - math.log(a)) / (a - 1) + math.log1p(-1 / a) for a in grid)
    assert float(convert_rho_to_epsilon(rho, delta)) <= max(0.0, best) + 1e-9


@given(epsilons, deltas)
def test_find_largest_rho_is_the_inverse_on_the_safe_side(
    epsilon: Fraction, delta: Fraction
) -> None:
    rho = find_largest_rho(epsilon, delta)
    back = convert_rho_to_epsilon(rho, delta)
    # The two searches may stop at neighbouring orders, which costs less than 10^-20.
    assert (
        epsilon * (1 - Fraction(1, 10**9)) - Fraction(1, 10**9)
        <= back
        <= epsilon + Fraction(1, 10**20)
    )


@given(rhos, deltas)
def test_delta_conversion_inverts_epsilon_conversion(rho: Fraction, delta: Fraction) -> None:
    epsilon = convert_rho_to_epsilon(rho, delta)
    if epsilon > 0:
        assert (
            delta * (1 - Fraction(1, 10**9))
            <= convert_rho_to_delta(rho, epsilon)
            <= delta * (1 + Fraction(1, 10**9))
        )


@given(rhos, st.fractions(min_value=0, max_value=20))
def test_gaussian_noise_of_this_rho_keeps_the_epsilon(rho: Fraction, epsilon: Fraction) -> None:
    # Gaussian noise of sigma on a move of 1 has rho = 1/(2 sigma^2) and a delta in closed form
    # (Balle and Wang 2018).
    m, e = math.sqrt(2 * float(rho)), float(epsilon)

    def tail(x: float) -> float:
        return math.erfc(x / math.sqrt(2)) / 2

    true = tail(e / m - m / 2) - math.exp(e) * tail(e / m + m / 2)
    assert true <= float(convert_rho_to_delta(rho, epsilon)) * (1 + 1e-9) + 1e-15


@pytest.mark.parametrize(
    ("rho", "delta"), [(0.2, 1e-6), (2, 1e-6), (0.05, 1e-6), (0.01, 1e-9), (0.1573, 1e-7)]
)
def test_no_better_bound_follows_from_rho_alone(rho: float, delta: float) -> None:
    epsilon = float(convert_rho_to_epsilon(rho, delta))
    low, high = 1.0, 1e6
    for _ in range(200):
        alpha = (low + high) / 2
        low, high = (
            (alpha, high)
            if (2 * alpha - 1) * rho + math.log1p(-1 / alpha) < epsilon
            else (low, alpha)
        )
    r = math.exp((2 * alpha - 1) * rho)
    p = math.expm1(alpha * (alpha - 1) * rho) / r ** (alpha - 1)
    q = p / r
    for order in (1 + math.exp(v / 10) for v in range(-100, 80)):
        allowed = math.expm1(min(700.0, order * (order - 1) * rho))
        for a, b in ((p, q), (q, p)):
            shown = math.exp(min(700.0, order * math.log(a) + (1 - order) * math.log(b)))
            hidden = math.expm1(order * math.log1p(-a) + (1 - order) * math.log1p(-b))
            assert shown + hidden <= allowed * (1 + 1e-9)
    assert p - math.exp(epsilon) * q == pytest.approx(delta, rel=1e-3)


@given(rhos, rhos, deltas)
def test_epsilon_grows_with_rho_and_falls_with_delta(
    a: Fraction, b: Fraction, delta: Fraction
) -> None:
    hair = Fraction(1, 10**20)
    assert (
        convert_rho_to_epsilon(min(a, b), delta) <= convert_rho_to_epsilon(max(a, b), delta) + hair
    )
    assert convert_rho_to_epsilon(a, delta) <= convert_rho_to_epsilon(a, delta / 2) + hair


def test_zero_and_infinite_rho_convert() -> None:
    assert convert_rho_to_epsilon(0, 1e-6) == 0
    assert convert_rho_to_epsilon(math.inf, 1e-6) == math.inf
    assert convert_rho_to_delta(0, 1) == 0
    assert convert_rho_to_delta(math.inf, 1) == 1
    assert 0.999 < convert_rho_to_delta(10, 1) < 1
    assert convert_rho_to_delta(1000, 1) == 1
    assert convert_rho_to_delta(1, 0) < 1
    # A rho so small that delta alone hides it.
    assert convert_rho_to_epsilon(1e-20, 0.5) == 0
    assert find_largest_rho(1e-12, 1e-100) < Fraction(1, 10**26)


@pytest.mark.parametrize(
    "rho", [Fraction(1, 10**500), 1e-320, Fraction(10) ** 400, Fraction(10) ** 700]
)
@pytest.mark.parametrize(
    "delta",
    [
        Fraction(1, 2),
        Fraction(1, 3),
        Fraction(1, 10**100),
        Fraction(1, 10**400),
        1 - Fraction(1, 10**20),
    ],
)
def test_extremes_end_and_stay_on_the_safe_side(rho: Fraction, delta: Fraction) -> None:
    number = Fraction(str(rho))
    epsilon = convert_rho_to_epsilon(rho, delta)
    assert isinstance(epsilon, Fraction)
    assert epsilon.denominator <= 10**30
    assert 0 <= convert_rho_to_delta(rho, number) <= 1
    assert 0 <= find_largest_rho(number, delta) < max(number, 1)
    if number > 1:
        assert epsilon > number


@pytest.mark.parametrize("value", BAD)
def test_bad_values_are_refused(value: object) -> None:
    for call in (
        lambda: convert_rho_to_epsilon(value, 0.1),
        lambda: convert_rho_to_delta(value, 1),
    ):  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match=r"^rho must be"):
            call()
    for call in (lambda: find_largest_rho(value, 0.1), lambda: convert_rho_to_delta(1, value)):  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match=r"^epsilon must be"):
            call()


@pytest.mark.parametrize("value", [*BAD, 0, 1, 1.5, float("inf"), 1e400])
def test_bad_delta_is_refused(value: object) -> None:
    for call in (convert_rho_to_epsilon, find_largest_rho):
        with pytest.raises(InvalidArgument, match=r"^delta must"):
            call(1, value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [float("inf"), 1e400])
def test_an_infinite_epsilon_is_refused(value: float) -> None:
    with pytest.raises(InvalidArgument, match="epsilon must be finite; got inf"):
        find_largest_rho(value, 0.1)
    with pytest.raises(InvalidArgument, match="epsilon must be finite; got inf"):
        convert_rho_to_delta(1, value)
