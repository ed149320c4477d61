"""Sliding and dilation, measured: the constants hold, are as large as can be, and larger ones are caught."""

from __future__ import annotations

from fractions import Fraction
from math import nan

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.smooth_sensitivity import SmoothSensitivity
from hedgerow.verify.admissible import Step, dilation, sliding

CASES = [
    ("power", None, 2),
    ("power", None, 3),
    ("power", None, Fraction(3, 2)),
    ("laplace", 1e-6, 2),
    ("gaussian", 1e-6, 2),
    ("gaussian", 0.01, 2),
]


def made(
    noise: str, delta: float | None, gamma: Fraction | int, epsilon: float = 1, dimension: int = 1, classical: bool = False
) -> SmoothSensitivity:
    return SmoothSensitivity.calibrate(
        epsilon=epsilon, delta=delta, bound=1, noise=noise, gamma=gamma, dimension=dimension, classical=classical
    )


@pytest.mark.parametrize(("noise", "delta", "gamma"), CASES)
@pytest.mark.parametrize("epsilon", [0.1, 1, 8])
@pytest.mark.parametrize("dimension", [1, 4])
def test_both_properties_hold(noise: str, delta: float | None, gamma: int, epsilon: float, dimension: int) -> None:
    mechanism = made(noise, delta, gamma, epsilon, dimension)
    for step in (sliding(mechanism), dilation(mechanism)):
        assert step, str(step)


@pytest.mark.parametrize(("noise", "delta", "gamma"), CASES)
@pytest.mark.parametrize("epsilon", [0.1, 1, 8])
def test_the_published_constants_hold_too(noise: str, delta: float | None, gamma: int, epsilon: float) -> None:
    mechanism = made(noise, delta, gamma, epsilon, classical=True)
    for step in (sliding(mechanism), dilation(mechanism)):
        assert step, str(step)


@pytest.mark.parametrize(("noise", "delta", "gamma"), CASES)
def test_a_little_more_is_caught(noise: str, delta: float | None, gamma: int) -> None:
    mechanism = made(noise, delta, gamma, 0.1)
    assert not sliding(mechanism, mechanism.alpha * Fraction(102, 100))
    # Where dilation is held back by the pure direction alone (d beta = epsilon/2) it has room left: go to twice as far.
    more = Fraction(102, 100) if mechanism.beta < Fraction(49, 1000) or noise == "power" else 2
    assert not dilation(mechanism, mechanism.beta * more)


def test_noise_for_one_dimension_is_not_enough_for_ten() -> None:
    for noise, delta in (("power", None), ("laplace", 1e-6), ("gaussian", 1e-6)):
        one, ten = made(noise, delta, 2), made(noise, delta, 2, dimension=10)
        assert not dilation(ten, one.beta)


def test_the_laplace_constant_without_the_two_fails_at_epsilon_8() -> None:
    mechanism = made("laplace", 0.01, 2, 8)
    step = dilation(mechanism, 4 / 4.605170185988091)  # epsilon / 2 ln(1/delta)
    assert not step
    assert step.worst == pytest.approx(0.0172, abs=1e-4)
    assert dilation(mechanism, 4 / 5.298317366548036)  # epsilon / 2 ln(2/delta)


def test_what_a_step_says() -> None:
    assert str(Step("sliding", 0.25, 0.5)) == "sliding holds: 0.25 found, 0.5 allowed"
    assert str(Step("dilation", 0.75, 0.5)) == "dilation fails: 0.75 found, 0.5 allowed"


def test_bad_distances() -> None:
    mechanism = made("power", None, 2)
    for value in (0, -1, nan, "1", True):
        for use, name in ((sliding, "alpha"), (dilation, "beta")):
            with pytest.raises(InvalidArgument) as refusal:
                use(mechanism, value)  # type: ignore[arg-type]
            assert refusal.value.argument == name
