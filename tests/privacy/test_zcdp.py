from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.privacy import Sensitivity, compute_laplace_rho, compute_pure_rho

STEP = Fraction(1, 10**30)
CASES = [(eps, s) for eps in ("0.001", "0.1", "0.5", "1", "2", "4", "20") for s in (1, 2, 5, 100)]
ORDERS = [
    Decimal(x) for x in ("1.000001", "1.01", "1.1", "1.5", "2", "3", "8", "32", "200", "5000")
]


def masses(rate: Decimal, s: int) -> list[tuple[Decimal, Decimal]]:
    """Return discrete Laplace noise and its shift by s, outcome by outcome.

    The two tails, where the ratio is constant, are one outcome each.
    """
    q = (-rate).exp()
    inner = [((1 - q) / (1 + q) * q**x, (1 - q) / (1 + q) * q ** (s - x)) for x in range(1, s)]
    return [(1 / (1 + q), q**s / (1 + q)), *inner, (q**s / (1 + q), 1 / (1 + q))]


@pytest.mark.long
@pytest.mark.parametrize(("eps", "s"), CASES)
def test_rho_of_discrete_laplace_is_its_divergence_and_the_supremum_over_all_orders(
    eps: str, s: int
) -> None:
    with localcontext() as context:
        context.prec = 70
        rate = Decimal(eps) / s
        pairs = masses(rate, s)
        assert abs(sum(p for p, _ in pairs) - 1) < Decimal("1e-60")
        divergence = sum(p * (p / q).ln() for p, q in pairs)
        rho = compute_laplace_rho(Fraction(eps) / s, s)
        exact = Fraction(divergence)
        assert -Fraction(1, 10**55) < rho - exact <= 2 * STEP
        slopes = [
            sum(p**order * q ** (1 - order) for p, q in pairs).ln() / (order - 1) / order
            for order in ORDERS
        ]
    # An order of 1 + 10^-6 is within 10^-4 of the limit; every other one is below it, and they
    # fall.
    assert float(slopes[0]) == pytest.approx(float(rho), rel=1e-4)
    assert all(Fraction(slope) <= rho for slope in slopes)
    assert slopes == sorted(slopes, reverse=True)


@pytest.mark.parametrize(("eps", "s"), [(0.1, 2), (1.0, 3), (1.0, 8), (4.0, 5), (4.0, 12)])
def test_the_polynomial_of_the_proof_has_its_zeros_on_the_unit_circle(eps: float, s: int) -> None:
    big = 1 / (1 - math.exp(-eps / s))
    zeros = np.roots([big, *[1.0] * (s - 1), big])
    assert len(zeros) == s
    assert np.allclose(np.abs(zeros), 1)


def test_one_step_is_randomised_response() -> None:
    for eps in (Fraction(1, 1000), Fraction(1, 10), Fraction(1), Fraction(7, 2)):
        assert abs(compute_laplace_rho(eps, 1) - compute_pure_rho(eps)) <= STEP
        assert float(compute_pure_rho(eps)) == pytest.approx(
            float(eps) * math.tanh(float(eps) / 2), rel=1e-14
        )


@pytest.mark.parametrize(("eps", "factor"), [(0.1, 1.033), (0.5, 1.150), (1, 1.256), (2, 1.342)])
def test_the_continuous_constant_would_undercharge(eps: float, factor: float) -> None:
    continuous = eps + math.exp(-eps) - 1
    assert float(compute_laplace_rho(eps, 1)) / continuous == pytest.approx(factor, abs=6e-4)
    fine = Fraction(str(eps)) / 10**9
    assert float(compute_laplace_rho(fine, 10**9)) == pytest.approx(continuous, rel=1e-12)


weights = st.lists(st.floats(0.01, 1), min_size=4, max_size=4).map(lambda w: np.array(w) / sum(w))


@given(weights, weights)
def test_no_pure_mechanism_costs_more(p: np.ndarray, q: np.ndarray) -> None:
    bound = float(compute_pure_rho(float(np.abs(np.log(p / q)).max())))
    assert float(np.sum(p * np.log(p / q))) <= bound + 1e-12
    for order in (1.1, 2.0, 5.0, 30.0):
        assert (
            math.log(float(np.sum(p**order * q ** (1 - order)))) / (order - 1) / order
            <= bound + 1e-12
        )


@given(
    st.fractions(min_value=Fraction(1, 50), max_value=3, max_denominator=50),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(1, 16),
)
def test_vectors_are_charged_at_their_worst_move(
    rate: Fraction, l0: int, linf: int, l1: int
) -> None:
    l1 = min(max(l1, linf), l0 * linf)
    shifts = [v for v in product(range(linf + 1), repeat=l0) if 0 < sum(v) <= l1]
    worst = max(sum(compute_laplace_rho(rate, s) for s in v if s) for v in shifts)
    squares = max(sum(s * s for s in v) for v in shifts)
    rho = compute_laplace_rho(
        rate, Sensitivity(l0, Fraction(linf), Fraction(l1), Fraction(squares))
    )
    assert abs(rho - worst) <= l0 * STEP


def test_many_small_moves_cost_less_than_one_large() -> None:
    fine = Fraction(1, 10**9)
    assert float(compute_laplace_rho(fine, Sensitivity.each(10, 10**8))) == pytest.approx(
        0.048, abs=5e-4
    )
    assert float(compute_laplace_rho(fine, 10**9)) == pytest.approx(0.368, abs=5e-4)


@given(
    st.fractions(min_value=0, max_value=300, max_denominator=10**6),
    st.fractions(min_value=0, max_value=300, max_denominator=10**6),
)
def test_rho_of_pure_grows_and_composes_for_less(a: Fraction, b: Fraction) -> None:
    assert compute_pure_rho(a) <= compute_pure_rho(a + b)
    assert compute_pure_rho(a) + compute_pure_rho(b) <= compute_pure_rho(a + b) + 2 * STEP
    assert compute_pure_rho(a) <= min(a, a * a / 2) + STEP


def test_extremes_stay_exact_and_short() -> None:
    assert compute_pure_rho(0) == 0
    assert compute_pure_rho(Fraction(1, 10**20)) == STEP
    assert compute_pure_rho(10**400) == 10**400
    assert compute_laplace_rho(1000, 3) == 3000
    assert compute_laplace_rho(Fraction(1, 10**24), 10**24) - Fraction(math.exp(-1)) < Fraction(
        1, 10**15
    )
    assert compute_laplace_rho(Fraction(1, 10**24), Fraction(10**30)) <= 10**6
    # Between 2 and 3 whole steps, the charge is between theirs.
    assert (
        compute_laplace_rho(1, 2)
        < compute_laplace_rho(1, Fraction(5, 2))
        < compute_laplace_rho(1, 3)
    )


@pytest.mark.parametrize(
    "value", [-1, float("nan"), float("inf"), -float("inf"), 1e400, True, np.True_, "1", None]
)
def test_bad_values_are_refused(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^epsilon must be"):
        compute_pure_rho(value)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^rate must be"):
        compute_laplace_rho(value, 1)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^sensitivity must be"):
        compute_laplace_rho(1, value)  # type: ignore[arg-type]


def test_zero_is_no_rate_and_no_move() -> None:
    with pytest.raises(InvalidArgument, match=r"^rate must be above 0"):
        compute_laplace_rho(0, 1)
    with pytest.raises(InvalidArgument, match=r"^sensitivity must be above 0"):
        compute_laplace_rho(1, 0)
