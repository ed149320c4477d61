"""The Gaussian mechanism: calibration of discrete noise, and the limits of the classical scale."""

from __future__ import annotations

import traceback
from fractions import Fraction
from math import erfc, exp, inf, log, nan, pi, sqrt

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Gaussian
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.zcdp_conversion import find_largest_rho
from mechanisms import helpers_bad_input as bad
from mechanisms import helpers_precision_attack as attack


def continuous_delta(sigma: float, epsilon: float) -> float:
    """Return the delta of continuous Gaussian noise on answers that move by 1 (Balle and Wang)."""

    def below(x: float) -> float:
        return 0.5 * erfc(-x / sqrt(2))

    return below(1 / (2 * sigma) - epsilon * sigma) - exp(epsilon) * below(
        -1 / (2 * sigma) - epsilon * sigma
    )


def continuous_sigma(epsilon: float, delta: float) -> float:
    low, high = 1e-3, 1e3
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if continuous_delta(middle, epsilon) > delta else (low, middle)
    return high


def discrete(sigma: float) -> tuple[np.ndarray, np.ndarray]:
    z = np.arange(-200, 201)
    p = np.exp(-(z**2) / (2 * sigma**2))
    return z, p / p.sum()


def discrete_delta(sigma: float, epsilon: float, shift: int = 1) -> float:
    """Return the delta of discrete noise, from its definition."""
    _, p = discrete(sigma)
    # what comes in from beyond the window has no weight that counts
    here, moved = p[shift:-shift], p[: -2 * shift]
    return max(
        float(np.maximum(one - exp(epsilon) * other, 0).sum())
        for one, other in ((here, moved), (moved, here))
    )


def test_one_count_at_delta_one_in_a_million() -> None:
    assert continuous_sigma(1, 1e-6) == pytest.approx(4.225, abs=5e-4)
    ours = float(Gaussian.calibrate(sensitivity=1, epsilon=1, delta=1e-6).scale)
    assert 4.225 < ours < 4.24
    assert float(Gaussian.classical(sensitivity=1, epsilon=1, delta=1e-6).scale) == pytest.approx(
        5.30, abs=2e-3
    )


@pytest.mark.parametrize(
    ("epsilon", "delta", "ratio"), [(1, 1e-5, 1.035), (3, 1e-6, 1.38), (10, 1e-7, 3.6)]
)
def test_the_continuous_scale_is_too_small_for_discrete_noise(
    epsilon: float, delta: float, ratio: float
) -> None:
    sigma = continuous_sigma(epsilon, delta)
    assert discrete_delta(sigma, epsilon) / delta == pytest.approx(ratio, rel=0.02)
    assert Gaussian(Fraction(sigma)).delta(epsilon, 1) > delta
    ours = float(Gaussian.calibrate(sensitivity=1, epsilon=epsilon, delta=delta).scale)
    # From about epsilon 5 on the discrete delta is not monotone in sigma: at 10 a narrower noise is
    # private where a wider one is not.
    assert (ours > sigma) == (epsilon < 10)
    assert discrete_delta(ours, epsilon) <= delta


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1, 3, 10])
@pytest.mark.parametrize("delta", [0.1, 1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("move", [1, 3])
def test_calibration_is_enough_and_hardly_more(epsilon: float, delta: float, move: int) -> None:
    mechanism = Gaussian.calibrate(sensitivity=move, epsilon=epsilon, delta=delta)
    sigma = float(mechanism.scale)
    assert mechanism.delta(epsilon, move) <= delta
    if sigma < 15:
        assert discrete_delta(sigma, epsilon, move) <= delta
        assert discrete_delta(sigma * (1 - 1e-6), epsilon, move) > delta * (1 - 1e-4)


@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
def test_delta_is_the_exact_sum(epsilon: float) -> None:
    for sigma in (0.4, 1, 4.2):
        found = Gaussian(Fraction(str(sigma))).delta(epsilon, 2)
        true = discrete_delta(sigma, epsilon, 2)
        assert true <= found <= true * (1 + 1e-6) + 1e-15


def test_rho_matches_the_formula() -> None:
    mechanism = Gaussian.calibrate(sensitivity=Sensitivity.each(3, 2), rho=Fraction(1, 8))
    assert float(mechanism.scale) == pytest.approx(sqrt(12 / 0.25), rel=1e-12)
    loss = mechanism.loss(Sensitivity.each(3, 2))
    assert loss.rho <= Fraction(1, 8)
    assert float(loss.rho) == pytest.approx(1 / 8, rel=1e-12)
    assert loss.epsilon == inf
    assert Gaussian.calibrate(sensitivity=1, rho=Fraction(1, 2)).scale == 1


@pytest.mark.parametrize(("cells", "more"), [(2, 1.008), (4, 1.005), (20, 1.0012), (100, 1.0003)])
def test_several_cells_are_priced_together(cells: int, more: float) -> None:
    """Hardly more noise than continuous noise needs, and far less than rho alone would need."""
    move = Sensitivity.each(cells, 1)
    mechanism = Gaussian.calibrate(sensitivity=move, epsilon=1, delta=1e-6)
    loss = mechanism.loss(move, 1)
    assert (loss.epsilon, loss.rho) == (1, mechanism.loss(move).rho)
    assert 1e-6 * (1 - 1e-9) < loss.delta <= Fraction(1, 10**6)
    assert mechanism.delta(1, move) <= 1e-6
    assert loss.rho > find_largest_rho(1, 1e-6) * Fraction(11, 10)
    assert 1 < float(mechanism.scale) / (continuous_sigma(1, 1e-6) * sqrt(cells)) < more


def test_the_classical_scale_is_refused_above_epsilon_one() -> None:
    assert Gaussian.classical(sensitivity=1, epsilon=1, delta=1e-5).scale > 0
    for epsilon in (1.0001, 5, 10):
        with pytest.raises(InvalidArgument, match="at most 1") as refusal:
            Gaussian.classical(sensitivity=1, epsilon=epsilon, delta=1e-5)
        assert refusal.value.argument == "epsilon"
        assert str(epsilon) in str(refusal.value)


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1])
@pytest.mark.parametrize("delta", [0.4, 1e-2, 1e-6, 1e-30])
def test_the_classical_scale_keeps_epsilon_and_delta(epsilon: float, delta: float) -> None:
    mechanism = Gaussian.classical(sensitivity=1, epsilon=epsilon, delta=delta)
    assert mechanism.delta(epsilon, 1) <= delta
    assert float(mechanism.scale) >= sqrt(2 * log(1.25 / delta)) / epsilon * (1 - 1e-12)
    several = Gaussian.classical(sensitivity=Sensitivity.each(3, 1), epsilon=epsilon, delta=delta)
    assert several.delta(epsilon, Sensitivity.each(3, 1)) <= delta


def test_log_prob_matches_the_closed_form() -> None:
    z, p = discrete(1.3)
    assert np.exp(Gaussian(1.3).log_prob(z, 0)) == pytest.approx(p, rel=1e-12, abs=1e-300)
    assert Gaussian(Fraction(100)).log_prob(7, 7) == pytest.approx(-log(100 * sqrt(2 * pi)))
    assert Gaussian(Fraction(1)).log_prob(10**30 + 1, 10**30) == Gaussian(Fraction(1)).log_prob(
        1, 0
    )


@pytest.mark.parametrize("sigma", [0.05, 0.3, 1, 7.5, 60])
@pytest.mark.parametrize("beta", [0.9, 0.5, 0.05, 1e-9])
def test_error_is_the_smallest_radius_that_covers(sigma: float, beta: float) -> None:
    z = np.arange(-3000, 3001)
    p = np.exp(-((z / sigma) ** 2) / 2)
    p /= p.sum()
    radius = Gaussian(sigma).error(beta)
    assert p[np.abs(z) > radius].sum() <= beta
    assert radius == 0 or p[np.abs(z) > radius - 1].sum() > beta * (1 - 1e-8)


def test_error_of_wide_noise() -> None:
    assert Gaussian(Fraction(10**6)).error(0.05) == pytest.approx(1.959964e6, rel=1e-6)


@pytest.mark.parametrize("grid", [2**-30, None], ids=["2^-30", "default"])
def test_the_precision_attack_finds_nothing(grid: float | None) -> None:
    mechanism = Gaussian.calibrate(sensitivity=1.5, epsilon=1, delta=1e-6, grid=grid)
    assert attack.precision(mechanism, 200_000, delta=1e-6) <= 1


def test_numbers_and_arrays_keep_their_shape() -> None:
    mechanism = Gaussian(Fraction(1))
    assert type(mechanism.sample(42)) is int
    noisy = mechanism.sample(np.arange(6).reshape(2, 3))
    assert noisy.shape == (2, 3)
    assert np.abs(noisy - np.arange(6).reshape(2, 3)).max() < 40
    real = Gaussian(Fraction(1), Fraction(1, 2**30))
    assert type(real.sample(0.1)) is float
    many = real.sample([0.1, 0.2])
    assert (many * 2**30 == np.floor(many * 2**30)).all()


def test_the_variance_matches() -> None:
    n = 200_000
    noise = Gaussian(Fraction(3)).sample(np.zeros(n, dtype=np.int64))
    assert abs(noise.mean()) < 7 * 3 / sqrt(n)
    assert noise.var() == pytest.approx(9, rel=7 * sqrt(2 / n))


@pytest.mark.parametrize("epsilon", [x for x in bad.EPSILONS if x is not None], ids=bad.name)
@pytest.mark.usefixtures("dry")
def test_bad_epsilon_is_refused(epsilon: object) -> None:
    for use, name in (
        (lambda e: Gaussian.calibrate(sensitivity=1, epsilon=e, delta=1e-6), "epsilon"),
        (lambda e: Gaussian.classical(sensitivity=1, epsilon=e, delta=1e-6), "epsilon"),
        (lambda e: Gaussian.calibrate(sensitivity=1, rho=e), "rho"),
        (lambda e: Gaussian(Fraction(1)).delta(e, 1), "epsilon"),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use(epsilon)
        assert refusal.value.argument == name
        assert bad.shown(epsilon) in str(refusal.value)


@pytest.mark.parametrize("delta", [x for x in bad.DELTAS if x is not None], ids=bad.name)
@pytest.mark.usefixtures("dry")
def test_bad_delta_is_refused(delta: object) -> None:
    for use in (Gaussian.calibrate, Gaussian.classical):
        with pytest.raises(InvalidArgument) as refusal:
            use(sensitivity=1, epsilon=1, delta=delta)
        assert refusal.value.argument == "delta"
        assert bad.shown(delta) in str(refusal.value)


@pytest.mark.parametrize("sensitivity", bad.SENSITIVITIES, ids=bad.name)
def test_bad_sensitivity_is_refused(sensitivity: object) -> None:
    for use in (
        lambda s: Gaussian.calibrate(sensitivity=s, rho=1),
        lambda s: Gaussian.classical(sensitivity=s, epsilon=1, delta=1e-6),
        lambda s: Gaussian(Fraction(1)).delta(1, s),
        Gaussian(Fraction(1)).loss,
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use(sensitivity)
        assert refusal.value.argument == "sensitivity"


def test_missing_sensitivity_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^sensitivity must be given"):
        Gaussian.calibrate(rho=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"epsilon": 1},
        {"delta": 1e-6},
        {"rho": 1, "epsilon": 1},
        {"rho": 1, "delta": 1e-6},
        {"rho": 1, "epsilon": 1, "delta": 1e-6},
    ],
    ids=str,
)
def test_rho_or_epsilon_with_delta_is_required(given: dict[str, float]) -> None:
    with pytest.raises(
        InvalidArgument, match="rho must be given, or else epsilon together with delta"
    ):
        Gaussian.calibrate(sensitivity=1, **given)


@pytest.mark.parametrize("scale", [*bad.SENSITIVITIES, 1e-13, 10**13, 10**400], ids=bad.name)
def test_bad_scale_is_refused(scale: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Gaussian(scale)  # type: ignore[arg-type]
    assert refusal.value.argument == "scale"


def test_noise_too_wide_or_too_narrow_for_the_sampler() -> None:
    with pytest.raises(InvalidArgument, match="grid steps"):
        Gaussian.calibrate(sensitivity=1, epsilon=1e-12, delta=1e-100)
    assert float(Gaussian.calibrate(sensitivity=1, epsilon=10_000, delta=0.999).scale) > 0
    # More than enough: the search does not go on for ever.
    assert float(Gaussian.calibrate(sensitivity=1, epsilon=10_000, delta=1e-100).scale) > 0


@pytest.mark.parametrize("beta", [*bad.LEVELS, Fraction(1, 10**400)], ids=bad.name)
def test_bad_beta_is_refused(beta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Gaussian(Fraction(1)).error(beta)  # type: ignore[arg-type]
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
        Gaussian(Fraction(1), grid).sample(data)
    assert refusal.value.argument == "exact"
    assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))
