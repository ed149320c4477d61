"""The exact rho of Gaussian noise."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hedgerow.privacy.zcdp_conversion import find_largest_rho
from hedgerow.verify.prove.checker import check
from hedgerow.verify.prove.rules.gaussian_bounds import (
    compute_largest_rho,
    find_largest_gaussian_rho,
)
from verify.prove.proving import certificate, program


def exact_delta(sigma: float, epsilon: float) -> float:
    """Compute the delta of noise with this deviation on values that are 1 apart."""

    def tail(x: float) -> float:
        return math.erfc(x / math.sqrt(2)) / 2

    return tail(epsilon * sigma - 1 / (2 * sigma)) - math.exp(epsilon) * tail(
        epsilon * sigma + 1 / (2 * sigma)
    )


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [("1", "1/100000"), ("1/2", "1/1000000"), ("10", "1/100000"), ("4", "0.1")],
)
def test_the_largest_rho_is_that_of_one_draw(epsilon: str, delta: str) -> None:
    rho = find_largest_gaussian_rho(Fraction(epsilon), Fraction(delta))
    sigma = 1 / math.sqrt(2 * rho)
    assert exact_delta(sigma, float(Fraction(epsilon))) == pytest.approx(
        float(Fraction(delta)), rel=1e-6
    )
    assert rho > find_largest_rho(Fraction(epsilon), Fraction(delta))


def gaussian(*deviations: str) -> str:
    draws = ", ".join(f"x + gaussian({one})" for one in deviations)
    return f"""
@mechanism(epsilon=1, delta=1e-5, neighbours="one")
def noisy(x: private[float]):
    return {draws}
"""


@pytest.mark.parametrize(
    ("deviations", "proved"),
    [
        (("3.75",), True),
        (("3.731",), True),
        (("3.7306",), False),  # exact: 3.73063
        (("5.28", "5.28"), True),
        (("5.27", "5.27"), False),
    ],
)
def test_gaussian_noise_is_proved_up_to_its_exact_delta(
    deviations: tuple[str, ...], proved: bool
) -> None:
    about = program(gaussian(*deviations))
    proof = certificate(about, ("-(x@2 - x@1)",) * len(deviations), mode="zcdp")
    assert (check(about, proof) is None) is proved


def test_other_noise_beside_it_is_counted_in_zcdp() -> None:
    about = program(gaussian("9").replace("return x", "output(x + laplace(9))\n    return x"))
    assert compute_largest_rho(about, Fraction(1), Fraction(1, 10**5)) == find_largest_rho(
        Fraction(1), Fraction(1, 10**5)
    )
