"""Sliding and dilation, measured: the constants hold, are as large as can be, and larger ones
are caught.
"""

from __future__ import annotations

from fractions import Fraction
from math import nan

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.data_dependent.smooth_sensitivity import SmoothSensitivity
from hedgerow.verify.laws.noise_admissibility import (
    AdmissibilityCheck,
    check_dilation,
    check_joint_move,
    check_sliding,
)

CASES = [
    ("power", None, 2),
    ("power", None, 3),
    ("power", None, Fraction(3, 2)),
    ("laplace", 1e-6, 2),
    ("gaussian", 1e-6, 2),
    ("gaussian", 0.01, 2),
]


def made(
    noise: str,
    delta: float | None,
    gamma: Fraction | int,
    epsilon: float = 1,
    dimension: int = 1,
    classical: bool = False,
) -> SmoothSensitivity:
    return SmoothSensitivity.calibrate(
        epsilon=epsilon,
        delta=delta,
        bound=1,
        noise=noise,
        gamma=gamma,
        dimension=dimension,
        classical=classical,
    )


@pytest.mark.parametrize(("noise", "delta", "gamma"), CASES)
@pytest.mark.parametrize("epsilon", [0.1, 1, 8])
@pytest.mark.parametrize("dimension", [1, 4])
def test_both_properties_hold(
    noise: str, delta: float | None, gamma: int, epsilon: float, dimension: int
) -> None:
    mechanism = made(noise, delta, gamma, epsilon, dimension)
    for step in (check_sliding(mechanism), check_dilation(mechanism)):
        assert step, str(step)


@pytest.mark.parametrize(("noise", "delta", "gamma"), CASES)
@pytest.mark.parametrize("epsilon", [0.1, 1, 8])
def test_the_published_constants_hold_too(
    noise: str, delta: float | None, gamma: int, epsilon: float
) -> None:
    mechanism = made(noise, delta, gamma, epsilon, classical=True)
    for step in (check_sliding(mechanism), check_dilation(mechanism)):
        assert step, str(step)


@pytest.mark.parametrize(("noise", "delta", "gamma"), CASES)
@pytest.mark.parametrize("epsilon", [0.1, 8])
def test_one_number_has_the_joint_property_and_nothing_is_left(
    noise: str, delta: float | None, gamma: int, epsilon: float
) -> None:
    found = check_joint_move(made(noise, delta, gamma, epsilon))
    assert found, str(found)
    assert found.worst_found > 0.999 * found.allowed
    if epsilon < 8 or noise == "power":
        assert check_joint_move(made(noise, delta, gamma, epsilon, classical=True))


@pytest.mark.parametrize(("noise", "delta", "gamma"), CASES)
def test_a_little_more_is_caught(noise: str, delta: float | None, gamma: int) -> None:
    mechanism, more = made(noise, delta, gamma, 0.1), Fraction(102, 100)
    assert not check_joint_move(mechanism, alpha=mechanism.alpha * more)
    assert not check_joint_move(mechanism, beta=mechanism.beta * more)
    several = made(noise, delta, gamma, 0.1, 2)
    assert not check_sliding(several, several.alpha * more)
    # Where dilation is held back by the pure direction alone (d beta = epsilon/2) it has room left:
    # go to twice as far.
    assert not check_dilation(
        several,
        several.beta * (more if several.beta < Fraction(24, 1000) or noise == "power" else 2),
    )


def test_the_constants_of_two_steps_added_up_are_too_much() -> None:
    """A planted mistake: each step may take all of epsilon alone, and so both were given it."""
    for gamma in (2, 3):
        mechanism = made("power", None, gamma, 1)
        slope = Fraction(1) if gamma == 2 else Fraction(63, 100)
        found = check_joint_move(mechanism, alpha=slope, beta=Fraction(1, max(1, gamma - 1)))
        assert not found
        assert found.worst_found > 1.1


def test_noise_for_one_dimension_is_not_enough_for_ten() -> None:
    for noise, delta in (("power", None), ("laplace", 1e-6), ("gaussian", 1e-6)):
        one, ten = made(noise, delta, 2), made(noise, delta, 2, dimension=10)
        assert not check_dilation(ten, one.beta)


def test_the_laplace_constant_without_the_two_fails_at_epsilon_8() -> None:
    mechanism = made("laplace", 0.01, 2, 8, classical=True)
    step = check_dilation(mechanism, 4 / 4.605170185988091)  # epsilon / 2 ln(1/delta)
    assert not step
    assert step.worst_found == pytest.approx(0.0172, abs=1e-4)
    assert check_dilation(mechanism, 4 / 5.298317366548036)  # epsilon / 2 ln(2/delta)


def test_a_step_describes_its_call() -> None:
    assert str(AdmissibilityCheck("sliding", 0.25, 0.5)) == "sliding holds: 0.25 found, 0.5 allowed"
    assert (
        str(AdmissibilityCheck("dilation", 0.75, 0.5)) == "dilation fails: 0.75 found, 0.5 allowed"
    )


def test_bad_distances() -> None:
    mechanism = made("power", None, 2)
    for value in (0, -1, nan, "1", True):
        for use, name in ((check_sliding, "alpha"), (check_dilation, "beta")):
            with pytest.raises(InvalidArgument) as refusal:
                use(mechanism, value)  # type: ignore[arg-type]
            assert refusal.value.argument == name
            with pytest.raises(InvalidArgument) as refusal:
                check_joint_move(mechanism, **{name: value})  # type: ignore[arg-type]
            assert refusal.value.argument == name
    with pytest.raises(InvalidArgument, match="must answer with one number"):
        check_joint_move(made("power", None, 2, dimension=2))
