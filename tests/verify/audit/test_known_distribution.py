from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy.stats import norm

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.verify.audit import audit_distribution

GRID = Fraction(1, 1024)
CLASSICAL = math.sqrt(2 * math.log(1.25e5)) / 10  # of the textbook, for (10, 1e-5)


def true_delta(scale: float, epsilon: float) -> float:
    """Of continuous noise, sensitivity 1 (Balle and Wang 2018)."""
    return float(
        norm.cdf(0.5 / scale - epsilon * scale)
        - math.exp(epsilon) * norm.cdf(-0.5 / scale - epsilon * scale)
    )


def test_the_classical_gaussian_is_refuted_at_epsilon_10() -> None:
    found = audit_distribution(Gaussian(CLASSICAL, GRID), 0, 1, 10)
    assert found.refutes(1e-5)
    assert found.delta == pytest.approx(true_delta(CLASSICAL, 10), rel=0.02)
    assert 2.2e-5 < found.delta < 2.4e-5


@pytest.mark.parametrize(("epsilon", "delta"), [(10, 1e-5), (1, 1e-6), (0.1, 1e-9)])
def test_calibrated_noise_is_not_refuted_but_hardly(epsilon: float, delta: float) -> None:
    mechanism = Gaussian.calibrate(sensitivity=1, epsilon=epsilon, delta=delta, grid=GRID)
    found = audit_distribution(mechanism, 3, 4, epsilon)
    assert not found.refutes(delta)
    assert found.delta > 0.97 * delta


def test_laplace_noise_has_no_delta_at_its_epsilon_and_some_below() -> None:
    mechanism = Laplace.calibrate(sensitivity=1, epsilon=1)
    assert audit_distribution(mechanism, 0, 1, 1).delta == 0
    below = audit_distribution(mechanism, 0, 1, Fraction(9, 10))
    # P(x <= 0) on 0 is e/(1+e), and on 1 it is 1/(1+e)
    assert below.delta == pytest.approx((math.e - math.exp(0.9)) / (1 + math.e), rel=1e-6)
    edge = below.high if below.likelier_on == 0 else below.low
    assert edge == below.likelier_on  # the half-line that ends at the likelier answer


def test_noise_over_too_many_outputs() -> None:
    with pytest.raises(InvalidArgument, match="at most 20,000,000 likely outputs"):
        audit_distribution(Gaussian(10**7), 0, 1, 1)
