from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.verify.divergence.curve import max_divergence
from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from hedgerow.verify.divergence.renyi import DivergenceInterval, renyi_divergence
from verify.divergence.distributions import few, laws, response

TRUE, FALSE = response(Fraction(1, 2), 0), response(Fraction(1, 2), 1)
TINY = Fraction(1, 10**25)
orders = st.sampled_from(
    [
        Fraction(1, 3),
        Fraction(1, 2),
        Fraction(1),
        Fraction(3, 2),
        Fraction(2),
        Fraction(7),
        Fraction(100),
    ]
)


def test_closed_forms_for_randomised_response() -> None:
    """3/4 against 1/4: order 2 is ln(9/4 + 1/12), order 1/2 is -ln(3/4), order 1 is (ln 3)/2,
    infinity is ln 3.
    """
    for order, doubled in (
        (2, 2 * ln(Fraction(7, 3))),
        (0.5, 2 * ln(Fraction(4, 3))),
        (1, ln(3)),
        (math.inf, 2 * ln(3)),
    ):
        low, high = renyi_divergence(TRUE, FALSE, order)
        assert 2 * low <= doubled <= 2 * high
        assert high - low < TINY


def test_large_orders_go_towards_the_largest_loss() -> None:
    low, high = renyi_divergence(TRUE, FALSE, 10**6)
    assert high < ln(3)
    assert low > Fraction(10986, 10**4)
    # The exact power and e^(a ln x) meet where one gives way to the other.
    below, above = (
        renyi_divergence(TRUE, FALSE, 64),
        renyi_divergence(TRUE, FALSE, Fraction(64 * 10**20 + 1, 10**20)),
    )
    assert abs(below.low - above.low) < Fraction(1, 10**18)
    assert below.high < above.high


@few
@given(laws(), laws(), orders, orders)
def test_intervals_hold_the_value_and_grow_with_the_order(
    one: Distribution, other: Distribution, a: Fraction, b: Fraction
) -> None:
    low, high = renyi_divergence(one, other, a)
    assert 0 <= low <= high
    if a <= b:
        assert low <= renyi_divergence(one, other, b).high
    largest = max_divergence(one, other)
    assert low <= (largest.bounds()[1] if isinstance(largest, Epsilon) else largest)
    assert math.isclose(float(low), naive(one, other, float(a)), rel_tol=1e-7, abs_tol=1e-9)
    assert low == high == math.inf or high - low < TINY


def naive(one: Distribution, other: Distribution, a: float) -> float:
    pairs = [(float(p), float(other.at(z))) for z, p in one.atoms.items()]
    if all(q == 0 for _, q in pairs) or (a >= 1 and any(q == 0 for _, q in pairs)):
        return math.inf
    if a == 1:
        return sum(p * math.log(p / q) for p, q in pairs)
    return math.log(sum(p**a * q ** (1 - a) for p, q in pairs if q)) / (a - 1)


@few
@given(laws(), laws(), orders)
def test_adds_up_over_independent_draws(
    one: Distribution, other: Distribution, order: Fraction
) -> None:
    low, high = renyi_divergence(one, other, order)
    both = renyi_divergence(one.product(one), other.product(other), order)
    assert both.low <= 2 * high
    assert both.high >= 2 * low


def test_edges() -> None:
    assert renyi_divergence(TRUE, TRUE, 3) == DivergenceInterval(Fraction(0), Fraction(0))
    assert renyi_divergence({"a": 1}, {"b": 1}, 0.5) == (math.inf, math.inf)
    assert renyi_divergence({"a": 0.5, "b": 0.5}, {"b": 1}, math.inf) == (math.inf, math.inf)
    assert renyi_divergence({"a": 0.5, "b": 0.5}, {"b": 1}, 1) == (math.inf, math.inf)
    low, high = renyi_divergence({"a": 0.5, "b": 0.5}, {"b": 1}, 0.5)
    assert low <= ln(2) <= high


@pytest.mark.parametrize("wrong", [0, -1, 10**7, math.nan, "2", True])
def test_bad_order(wrong: float) -> None:
    with pytest.raises(InvalidArgument, match="order"):
        renyi_divergence(TRUE, FALSE, wrong)


def test_a_partial_law_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="one must sum to exactly 1"):
        renyi_divergence(Distribution({0: 0.5}, partial=True), {0: 1}, 2)
