"""Smooth sensitivity: every exponent that is offered, on dense grids of shifts and stretches."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

import pytest

from hedgerow.numeric.tails.smooth_noise_constants import compute_constants
from numeric.tails.test_smooth_noise_constants import worst_ratio

EXPONENTS = [Fraction(p, q) for p in range(2, 17) for q in range(1, p) if gcd(p, q) == 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "epsilon", [Fraction(1, 1000), Fraction(1, 3), Fraction(2), Fraction(12)], ids=str
)
def test_no_pair_of_laws_exceeds_epsilon_and_some_reach_it(epsilon: Fraction) -> None:
    for gamma in EXPONENTS:
        found = compute_constants("power", epsilon, None, gamma, 1, False)
        alpha, beta, g = float(found.alpha), float(found.beta), float(gamma)
        worst = max(
            worst_ratio(g, share / 4 * alpha, part / 5 * beta)
            for share in range(5)
            for part in range(6)
        )
        assert 0.999 * epsilon < worst <= float(epsilon) * (1 + 1e-9), gamma
        assert max(worst_ratio(g, 1.02 * alpha, part * beta) for part in (0, 1)) > epsilon, gamma
