from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.verify.divergence.exponential_sum import ExponentialSum
from hedgerow.verify.language.program import Noise
from hedgerow.verify.refute.integrals import Ends, integrate_region
from hedgerow.verify.refute.out_of_scope import OutOfScope

Laws = dict[int, tuple[Noise, tuple[Fraction, ...]]]
ONE, MINUS = Fraction(1), Fraction(-1)


def laplace(*scales: int | Fraction) -> Laws:
    return {place: (Noise.LAPLACE, (Fraction(scale),)) for place, scale in enumerate(scales)}


def less(x: int, y: int, by: int | Fraction = 0) -> dict[tuple[tuple[int, Fraction], ...], Ends]:
    """x - y <= by."""
    if x < y:
        return {((x, ONE), (y, MINUS)): (None, Fraction(by))}
    return {((y, ONE), (x, MINUS)): (Fraction(-by), None)}


def test_closed_forms_by_hand() -> None:
    assert integrate_region(laplace(1), {((0, ONE),): (Fraction(2), None)}) == ExponentialSum(
        ((Fraction(-2), Fraction(1, 2)),)
    )
    assert integrate_region(laplace(1, 1), less(0, 1)) == Fraction(1, 2)
    # P(X - Y <= 1) for two standard Laplace variables: 1 - (2 + 1) e^-1 / 4
    assert integrate_region(laplace(1, 1), less(0, 1, 1)) == ExponentialSum(
        ((Fraction(0), ONE), (Fraction(-1), Fraction(-3, 4)))
    )
    # different scales a, b: P(X - Y > t) = (a^2 e^(-t/a) - b^2 e^(-t/b)) / (2 (a^2 - b^2))
    expected = ExponentialSum(((Fraction(-3, 2), Fraction(4, 6)), (Fraction(-3), Fraction(-1, 6))))
    assert (
        integrate_region(laplace(2, 1), {((0, ONE), (1, MINUS)): (Fraction(3), None)}) == expected
    )


def test_orders_are_equally_likely() -> None:
    chain = less(0, 1) | less(1, 2) | less(2, 3)
    assert integrate_region(laplace(1, 1, 1, 1), chain) == Fraction(1, 24)
    closed = chain | less(0, 2) | less(1, 3) | less(0, 3)
    assert integrate_region(laplace(1, 1, 1, 1), closed) == Fraction(1, 24), (
        "what others imply closes no circle"
    )
    assert integrate_region(laplace(1, 1, 1), less(0, 1) | less(1, 2) | less(2, 0)) == 0, (
        "and a contradiction has no probability"
    )


def test_sums_factors_and_one_sided_noise() -> None:
    # two exponentials of scale 1: P(X + Y <= 2) = 1 - 3 e^-2
    exponential: Laws = dict.fromkeys((0, 1), (Noise.EXPONENTIAL, (ONE,)))
    assert integrate_region(
        exponential, {((0, ONE), (1, ONE)): (None, Fraction(2))}
    ) == ExponentialSum(((Fraction(0), ONE), (Fraction(-2), Fraction(-3))))
    # P(X <= 2 Y + 1) = 1 - e^-1/3
    twice = integrate_region(exponential, {((0, ONE), (1, Fraction(-2))): (None, ONE)})
    assert twice == ExponentialSum(((Fraction(0), ONE), (Fraction(-1), Fraction(-1, 3))))
    uniform: Laws = {place: (Noise.UNIFORM, (Fraction(-1), Fraction(3))) for place in (0, 1)}
    assert integrate_region(uniform, {((0, ONE), (1, MINUS)): (Fraction(1), None)}) == Fraction(
        9, 32
    )


def test_three_at_once_and_circles_are_given_up() -> None:
    with pytest.raises(OutOfScope, match="three noise variables"):
        integrate_region(laplace(1, 1, 1), {((0, ONE), (1, ONE), (2, ONE)): (None, ONE)})
    circle = {
        ((0, ONE), (1, ONE)): (None, ONE),
        ((1, ONE), (2, ONE)): (None, ONE),
        ((0, ONE), (2, ONE)): (None, ONE),
    }
    with pytest.raises(OutOfScope, match="cycle"):
        integrate_region(laplace(1, 1, 1), circle)
    with pytest.raises(OutOfScope, match="gaussian"):
        integrate_region({0: (Noise.GAUSSIAN, (ONE,))}, {((0, ONE),): (None, ONE)})


def _by_grid(
    laws: Mapping[int, tuple[Noise, tuple[Fraction, ...]]], leaves: list[tuple[int, bool]]
) -> float:
    """A threshold 0 with leaves above or below it, by a fine sum over the threshold."""
    z, step = np.linspace(-200, 200, 400_001, retstep=True)
    scale = float(laws[0][1][0])
    density = np.exp(-np.abs(z) / scale) / (2 * scale)
    for place, (shift, above) in enumerate(leaves, start=1):
        b = float(laws[place][1][0])
        t = (z - shift) / b
        below = np.where(t < 0, np.exp(np.minimum(t, 0)) / 2, 1 - np.exp(-np.maximum(t, 0)) / 2)
        density = density * (1 - below if above else below)
    return float(density.sum() * step)


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.integers(-4, 4), st.booleans(), st.integers(1, 6)), min_size=1, max_size=4
    ),
    st.integers(1, 4),
)
def test_thresholds_agree_with_a_fine_sum(leaves: list[tuple[int, bool, int]], scale: int) -> None:
    laws = laplace(scale, *(b for _, _, b in leaves))
    region: dict[tuple[tuple[int, Fraction], ...], Ends] = {}
    for place, (shift, above, _) in enumerate(leaves, start=1):  # shift + leaf >= threshold, or <
        region[((0, ONE), (place, MINUS))] = (
            (None, Fraction(shift)) if above else (Fraction(shift), None)
        )
    exact = float(integrate_region(laws, region))
    assert exact == pytest.approx(
        _by_grid(laws, [(shift, above) for shift, above, _ in leaves]), rel=1e-5, abs=1e-9
    )
    assert 0 < exact < 1 or math.isclose(exact, 1)
