"""The arithmetic behind the laws about claims, against definitions."""

from __future__ import annotations

from fractions import Fraction
from math import exp, sinh

import numpy as np
import pytest

from hedgerow.mechanisms import Exponential, Gaussian, Laplace
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.laws import claims
from hedgerow.verify.laws.case import LawCase, make_case
from hedgerow.verify.laws.neighbours.worst_case import list_worst_neighbours

ONE = Fraction(1)


def case_of(mechanism: object, sensitivity: object = 1) -> LawCase:
    return make_case(mechanism, sensitivity, 10_000, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("order", [1.0, 1.5, 2.0, 8.0, 32.0])
def test_renyi_of_gaussian_noise(order: float) -> None:
    # order * k^2 / 2 sigma^2 for whole (order - 1) k, less in between
    pair = list_worst_neighbours(case_of(Gaussian(Fraction(2)), 2))[0].cells[0][0]
    assert claims._renyi_divergence(pair, order) == pytest.approx(order / 2, rel=1e-9)


def test_relative_entropy_of_laplace_noise() -> None:
    for s, t in ((1, 1), (3, 2), (7, 10)):
        a = 1 / t
        pair = list_worst_neighbours(case_of(Laplace(Fraction(t)), s))[0].cells[0][0]
        assert claims._renyi_divergence(pair, 1.0) == pytest.approx(
            a * s - (1 - exp(-a * s)) * a / sinh(a), rel=1e-9
        )


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
def test_the_delta_of_two_cells(epsilon: float) -> None:
    sigma = 2.0
    z = np.arange(-60, 61)
    p = np.exp(-(z**2) / (2 * sigma**2))
    p /= p.sum()
    q = np.roll(p, 1)
    true = np.maximum(np.outer(p, p) - exp(epsilon) * np.outer(q, q), 0).sum()
    found = next(
        item
        for item in list_worst_neighbours(case_of(Gaussian(Fraction(2)), Sensitivity.each(2, 1)))
        if item.cells[0][1] == 2
    )
    losses, masses = claims._loss_distribution(found)
    lower = float(np.sum(masses * -np.expm1(np.minimum(epsilon - losses, 0))))
    assert 0.999 * true <= lower <= true * (1 + 1e-9)


def test_laws_without_a_claim_are_not_checked() -> None:
    gauss, pure = case_of(Gaussian(ONE)), case_of(Exponential(ONE))
    assert claims.epsilon_covers_neighbours(gauss).figures == "no pure epsilon is claimed"
    assert claims.delta_covers_neighbours(pure).figures == "no delta is claimed"
    assert "reaches 100.0% of" in claims.delta_covers_neighbours(gauss).figures
    assert "reaches 100.0% of 2" in claims.epsilon_covers_neighbours(pure).figures


def test_no_rho_no_check() -> None:
    from hedgerow.privacy.loss import Loss

    class Unknown(Gaussian):
        def loss(self, sensitivity: object) -> Loss:  # type: ignore[override]
            return Loss(float("inf"))

    case = case_of(Unknown(ONE))
    assert claims.rho_covers_neighbours(case).figures == "no rho is claimed"


def test_composition_that_does_not_add_up() -> None:
    from hedgerow.privacy.loss import Loss
    from hedgerow.verify.laws.case import LawBroken

    class Rebate(Loss):
        def __rmul__(self, count: int) -> Loss:
            return Loss(count * Fraction(self.epsilon) / 2)

    class Cheap(Laplace):
        def loss(self, sensitivity: object) -> Loss:  # type: ignore[override]
            return Rebate(super().loss(sensitivity).epsilon)  # type: ignore[arg-type]

    with pytest.raises(LawBroken, match="losses add up"):
        claims.losses_add_up(case_of(Cheap(ONE)))
