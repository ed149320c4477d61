"""The Laplace mechanism: known values, calibration, error, edges and refusals."""

from __future__ import annotations

import traceback
from decimal import Decimal
from fractions import Fraction
from math import exp, inf, log, nan, tanh

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Laplace
from hedgerow.privacy.sensitivity import Sensitivity
from mechanisms import helpers_bad_input as bad
from mechanisms import helpers_precision_attack as attack

STACKED = Sensitivity(3, 2, 5, 9)


def outside(scale: float, k: int) -> float:
    """Return Pr[|Z| > k] of discrete Laplace noise, from its definition."""
    return 2 * exp(-(k + 1) / scale) / (1 + exp(-1 / scale))


def test_a_count_at_epsilon_a_half() -> None:
    mechanism = Laplace.calibrate(sensitivity=1, epsilon=0.5)
    loss = mechanism.loss(1)
    assert mechanism.scale == 2
    assert loss.epsilon == Fraction(1, 2)
    assert float(loss.rho) == pytest.approx(0.5 * tanh(0.25), rel=1e-12)
    # what the continuous constant would undercharge
    assert float(loss.rho) / (0.5 + exp(-0.5) - 1) == pytest.approx(1.150, abs=5e-4)


def test_ten_tenths_are_one() -> None:
    loss = Laplace.calibrate(sensitivity=1, epsilon=0.1).loss(1)
    assert (10 * loss).epsilon == 1


@given(
    st.fractions(Fraction(1, 100), 20),
    st.sampled_from([1, 3, STACKED, Sensitivity.each(4, 2)]),
    st.sampled_from([None, 2**-10, 4]),
)
def test_calibration_spends_exactly_the_epsilon(
    epsilon: Fraction, sensitivity: int | Sensitivity, grid: float | None
) -> None:
    mechanism = Laplace.calibrate(sensitivity=sensitivity, epsilon=epsilon, grid=grid)
    assert mechanism.loss(sensitivity).epsilon == epsilon


@pytest.mark.parametrize("rho", [1e-12, 1e-3, 0.1, 1, 50, 10_000], ids=str)
@pytest.mark.parametrize("sensitivity", [1, 7, STACKED, 0.3], ids=str)
def test_calibration_to_rho_comes_close_and_never_over(
    rho: float, sensitivity: float | Sensitivity
) -> None:
    found = Laplace.calibrate(sensitivity=sensitivity, rho=rho).loss(sensitivity).rho
    assert found <= Fraction(str(rho))
    assert float(found) == pytest.approx(rho, rel=1e-9)


def test_cells_are_charged_together() -> None:
    mechanism = Laplace(Fraction(12))
    assert mechanism.loss(Sensitivity.each(3, 2)).epsilon == Fraction(6, 12)
    assert mechanism.loss(STACKED).epsilon == Fraction(5, 12)
    # sum h(2) + h(2) + h(1) is far below h of all five steps in one cell
    assert mechanism.loss(STACKED).rho < mechanism.loss(Sensitivity.of(5)).rho


def test_reals_cost_the_step_that_snapping_adds() -> None:
    mechanism = Laplace(Fraction(1), Fraction(1, 4))
    assert mechanism.loss(1).epsilon == 1
    assert mechanism.loss(0.9).epsilon == 1
    assert mechanism.loss(1.1).epsilon == Fraction(5, 4)


def test_log_prob_matches_the_closed_form() -> None:
    mechanism = Laplace(Fraction(1))
    assert mechanism.log_prob(5, 5) == pytest.approx(log(tanh(0.5)), rel=1e-15)
    assert mechanism.log_prob(np.array([5, 7, 2]), 5) == pytest.approx(
        log(tanh(0.5)) - np.array([0, 2, 3])
    )
    assert mechanism.log_prob(2**60 + 3, 2**60) == pytest.approx(log(tanh(0.5)) - 3)
    assert mechanism.log_prob(10**30 + 1, 10**30) == pytest.approx(log(tanh(0.5)) - 1)
    assert Laplace(Fraction(1), Fraction(1, 4)).log_prob([0.5, 0.0], [0.0, 0.0]) == pytest.approx(
        log(tanh(0.125)) - np.array([0.5, 0])
    )


def test_error_at_scales_where_the_continuous_formula_fails() -> None:
    assert log(20) == pytest.approx(3.0, abs=0.01)  # the continuous radius at scale 1, just below 3
    assert outside(1, 2) == pytest.approx(0.073, abs=5e-4)
    assert Laplace(Fraction(1)).error(0.05) == 3
    assert outside(2, 5) == pytest.approx(0.062, abs=5e-4)
    assert Laplace(Fraction(2)).error(0.05) == 6


@pytest.mark.parametrize("scale", [0.01, 0.3, 1, 7.5, 1000, 10**12], ids=str)
@pytest.mark.parametrize("beta", [0.9, 0.5, 0.05, 1e-9, 1e-60], ids=str)
def test_error_is_the_smallest_radius_that_covers(scale: float, beta: float) -> None:
    radius = Laplace(scale).error(beta)
    assert outside(scale, radius) <= beta * (1 + 1e-9)
    assert radius == 0 or outside(scale, radius - 1) > beta * (1 - 1e-9)


def test_error_of_reals_has_room_for_snapping() -> None:
    assert Laplace(Fraction(1), Fraction(1, 1024)).error(0.05) == pytest.approx(
        (Laplace(Fraction(1024)).error(0.05) + 0.5) / 1024
    )


def test_error_takes_levels_beyond_doubles() -> None:
    assert Laplace(Fraction(1)).error(Fraction(1, 10**400)) == 921


@pytest.mark.parametrize(
    "value", [42, -7, 0, 10**30, np.int64(5), np.uint8(5), Decimal(5)], ids=bad.name
)
def test_a_number_gives_a_number(value: int) -> None:
    noisy = Laplace(Fraction(1)).sample(value)
    assert type(noisy) is int
    assert abs(noisy - int(value)) <= 60


def test_an_array_gives_an_array() -> None:
    for data in ([1, 2, 3], (1, 2, 3), np.array([[1, 2, 3]]), np.arange(3, dtype=np.int16)):
        noisy = Laplace(Fraction(1)).sample(data)
        assert noisy.dtype == np.int64
        assert noisy.shape == np.shape(data)
        assert np.abs(noisy - np.asarray(data)).max() <= 60


def test_reals_come_back_on_the_grid() -> None:
    mechanism = Laplace.calibrate(sensitivity=0.5, epsilon=1, grid=2**-30)
    one, many = mechanism.sample(0.1), mechanism.sample(np.full(100, 0.1))
    assert type(one) is float
    assert (many * 2**30 == np.floor(many * 2**30)).all()
    assert one * 2**30 == int(one * 2**30)
    assert np.isfinite(Laplace(Fraction(1), Fraction(1, 2)).sample(10**400))


def test_far_numbers_are_clamped_not_wrapped() -> None:
    noisy = Laplace(Fraction(1)).sample(np.array([2**63 - 1, -(2**63)]))
    assert np.abs(noisy - np.array([2**62, -(2**62)])).max() <= 60


def test_mean_and_variance_match() -> None:
    n, q = 200_000, exp(-1 / 3)
    noise = Laplace(Fraction(3)).sample(np.zeros(n, dtype=np.int64))
    variance = 2 * q / (1 - q) ** 2
    assert abs(noise.mean()) < 7 * (variance / n) ** 0.5
    assert noise.var() == pytest.approx(variance, rel=7 * (5 / n) ** 0.5)


@pytest.mark.parametrize("grid", [2**-30, None], ids=["2^-30", "default"])
def test_the_precision_attack_finds_nothing(grid: float | None) -> None:
    mechanism = Laplace.calibrate(sensitivity=1.5, epsilon=1, grid=grid)
    assert attack.precision(mechanism, 200_000) <= 1


@pytest.mark.parametrize("epsilon", bad.EPSILONS, ids=bad.name)
@pytest.mark.parametrize("name", ["epsilon", "rho"])
@pytest.mark.usefixtures("dry")
def test_bad_epsilon_is_refused(epsilon: object, name: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Laplace.calibrate(sensitivity=1, **{name: epsilon})  # type: ignore[arg-type]
    assert refusal.value.argument == (name if epsilon is not None else "epsilon")
    assert bad.shown(epsilon) in str(refusal.value)


@pytest.mark.parametrize("sensitivity", bad.SENSITIVITIES, ids=bad.name)
def test_bad_sensitivity_is_refused(sensitivity: object) -> None:
    for use in (lambda s: Laplace.calibrate(sensitivity=s, epsilon=1), Laplace(Fraction(1)).loss):
        with pytest.raises(InvalidArgument) as refusal:
            use(sensitivity)
        assert refusal.value.argument == "sensitivity"
        assert bad.shown(sensitivity) in str(refusal.value)


def test_missing_sensitivity_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^sensitivity must be given"):
        Laplace.calibrate(epsilon=1)  # type: ignore[call-arg]


def test_exactly_one_of_epsilon_and_rho_is_required() -> None:
    for both in ({}, {"epsilon": 1, "rho": 1}):
        with pytest.raises(InvalidArgument, match="epsilon or rho"):
            Laplace.calibrate(sensitivity=1, **both)


@pytest.mark.parametrize(
    "scale", [*bad.SENSITIVITIES, 1e-13, 10**13, 10**400, Fraction(1, 10**400)], ids=bad.name
)
def test_bad_scale_is_refused(scale: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Laplace(scale)  # type: ignore[arg-type]
    assert refusal.value.argument == "scale"


def test_a_sensitivity_too_large_for_its_grid_is_refused_with_a_hint() -> None:
    with pytest.raises(InvalidArgument, match="grid"):
        Laplace.calibrate(sensitivity=10**13, epsilon=1)


@pytest.mark.parametrize("beta", bad.LEVELS, ids=bad.name)
def test_bad_beta_is_refused(beta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Laplace(Fraction(1)).error(beta)  # type: ignore[arg-type]
    assert refusal.value.argument == "beta"


@pytest.mark.parametrize(
    "data",
    [*bad.ARRAYS.values(), nan, inf, None, f"x{bad.SECRET}", True, np.True_],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.parametrize("grid", [Fraction(1), Fraction(1, 4)], ids=str)
@pytest.mark.usefixtures("dry")
def test_bad_data_are_refused_before_anything_is_drawn(data: object, grid: Fraction) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Laplace(Fraction(1), grid).sample(data)
    assert refusal.value.argument == "exact"
    assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.usefixtures("dry")
def test_the_dry_fixture_fails_on_any_draw() -> None:
    for data in (1, [1]):
        with pytest.raises(AssertionError, match="draw"):
            Laplace(Fraction(1)).sample(data)
