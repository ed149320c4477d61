from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant

from hedgerow.batch_composition import (
    BatchNoise,
    FixedBatch,
    advanced_composition,
    optimal_composition,
)
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.numeric.rounding import log_up
from hedgerow.privacy import Loss, compute_laplace_rho, convert_rho_to_epsilon

BAD = [0, -1, float("nan"), math.inf, 1e400, True, np.True_, "1", None]


# --- privacy loss distributions
# ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("noise", "count", "epsilon"),
    [
        (BatchNoise("gaussian", Fraction(50)), 1000, 2.9216),
        (BatchNoise("gaussian", Fraction(50)), 10_000, 10.997),
        (BatchNoise("laplace", Fraction(100)), 1000, 1.3629),
        (BatchNoise("laplace", Fraction(100)), 10_000, 4.8763),
    ],
)
def test_the_figures_that_others_reach(noise: BatchNoise, count: int, epsilon: float) -> None:
    digits = 3 if epsilon > 10 else 4
    assert round(FixedBatch(((noise, count),)).epsilon_at(1e-6), digits) == epsilon


def test_equal_to_the_accountant_of_dp_accounting() -> None:
    accountant = PLDAccountant()
    accountant.compose(dp_event.GaussianDpEvent(5.0), 7)
    accountant.compose(dp_event.LaplaceDpEvent(10.0), 3)
    accountant.compose(dp_event.DiscreteLaplaceDpEvent(0.125, 2), 4)
    batch = FixedBatch(
        (
            (BatchNoise("gaussian", 5), 7),
            (BatchNoise("laplace", 10), 3),
            (BatchNoise("discrete-laplace", 8, 2), 4),
        )
    )  # type: ignore[arg-type]
    assert batch.epsilon_at(1e-6) == accountant.get_epsilon(1e-6)
    assert batch.delta_at(1.5) == accountant.get_delta(1.5)


def test_discrete_laplace_on_counts_is_the_optimal_composition_of_its_epsilon() -> None:
    batch = FixedBatch(((BatchNoise("discrete-laplace", Fraction(100)), 1000),))
    assert batch.epsilon_at(1e-6) == pytest.approx(
        float(optimal_composition(0.01, 1000, 1e-6)), rel=1e-6
    )


def test_a_batch_is_never_dearer_than_the_ledger() -> None:
    gaussian = FixedBatch(((BatchNoise("discrete-gaussian", Fraction(50)), 1000),)).epsilon_at(1e-6)
    assert gaussian < convert_rho_to_epsilon(1000 * Fraction(1, 2 * 50**2), 1e-6)
    laplace = FixedBatch(
        ((BatchNoise("discrete-laplace", Fraction(100), Fraction(3)), 1000),)
    ).epsilon_at(1e-6)
    assert laplace < convert_rho_to_epsilon(1000 * compute_laplace_rho(Fraction(1, 100), 3), 1e-6)


def test_only_the_ratio_of_scale_and_sensitivity_counts() -> None:
    one = FixedBatch(((BatchNoise("laplace", Fraction(4)), 5),)).epsilon_at(1e-6)
    assert FixedBatch(((BatchNoise("laplace", Fraction(12), Fraction(3)), 5),)).epsilon_at(
        1e-6
    ) == pytest.approx(one)
    assert FixedBatch(((BatchNoise("gaussian", Fraction(3), Fraction(1, 2)), 5),)).delta_at(
        1
    ) == pytest.approx(FixedBatch(((BatchNoise("gaussian", Fraction(6)), 5),)).delta_at(1))


def test_without_dp_accounting_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.privacy_loss_distribution", None)
    with pytest.raises(Unsupported, match=r"pip install 'hedgerow\[accounting\]'"):
        FixedBatch(((BatchNoise("gaussian", Fraction(50)), 1),)).epsilon_at(1e-6)


def test_the_import_is_lazy() -> None:
    code = (
        "import sys, hedgerow.batch_composition; print(any(name.startswith('dp_accounting') for"
        " name in sys.modules))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "False\n"
    )


@pytest.mark.parametrize("value", BAD)
def test_invalid_noise_is_refused(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^kind must be one of"):
        BatchNoise(value, Fraction(1))  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^scale must be"):
        BatchNoise("laplace", value)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^sensitivity must be"):
        BatchNoise("laplace", Fraction(1), value)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^count must be"):
        FixedBatch(((BatchNoise("laplace", Fraction(1)), value),))  # type: ignore[arg-type]


def test_discrete_noise_moves_by_whole_steps() -> None:
    with pytest.raises(InvalidArgument, match="whole number for discrete noise"):
        BatchNoise("discrete-gaussian", Fraction(1), Fraction(1, 2))


@pytest.mark.parametrize(
    "parts",
    [
        (),
        [BatchNoise("laplace", Fraction(1))],
        [(BatchNoise("laplace", Fraction(1)),)],
        [("laplace", 1)],
    ],
)
def test_bad_parts(parts: tuple[tuple[BatchNoise, int], ...]) -> None:
    with pytest.raises(InvalidArgument, match=r"^parts must be"):
        FixedBatch(parts)


def test_bad_targets() -> None:
    batch = FixedBatch(((BatchNoise("laplace", Fraction(1)), 1),))
    for value in (*BAD, 1):
        with pytest.raises(InvalidArgument, match=r"^delta must"):
            batch.epsilon_at(value)  # type: ignore[arg-type]
    for value in (-1, math.nan, math.inf, True, "1", None):
        with pytest.raises(InvalidArgument, match=r"^epsilon must be"):
            batch.delta_at(value)  # type: ignore[arg-type]


# --- theorems about one fixed epsilon
# ---------------------------------------------------------------------------------------------


def hockey_stick(ratio: Fraction, count: int, goal: Fraction, leak: Fraction) -> Fraction:
    """The delta at e^E = goal of ``count`` randomised responses at e^eps = ratio, each leaking
    its world with probability ``leak``.
    """
    total = Fraction(0)
    for answers in product((True, False), repeat=count):
        p = math.prod((ratio if yes else Fraction(1)) / (1 + ratio) for yes in answers)
        q = math.prod((Fraction(1) if yes else ratio) / (1 + ratio) for yes in answers)
        total += max(Fraction(0), p - goal * q)
    return 1 - (1 - leak) ** count * (1 - total)


@pytest.mark.parametrize("leak", [Fraction(0), Fraction(1, 1000)])
@pytest.mark.parametrize("count", [1, 2, 3, 6])
@pytest.mark.parametrize("ratio", [Fraction(11, 10), Fraction(2)])
def test_the_optimal_composition_is_exact(ratio: Fraction, count: int, leak: Fraction) -> None:
    for tenths in range(10):
        goal = ratio ** (count - 1) * (1 + (ratio - 1) * tenths / 10)
        delta = hockey_stick(ratio, count, goal, leak)
        epsilon = optimal_composition(log_up(ratio), count, delta, step_delta=leak)
        assert (
            -1e-25 < float(epsilon - log_up(goal)) < 1e-15
            if goal > 1
            else epsilon < Fraction(1, 10**20)
        )


@pytest.mark.parametrize(("count", "peer"), [(1000, 1.3655), (10_000, 4.8855)])
def test_the_optimal_composition_others_reach(count: int, peer: float) -> None:
    epsilon = float(optimal_composition(0.01, count, 1e-6))
    assert epsilon == pytest.approx(peer, abs=1e-4)
    assert (
        epsilon
        < (count * Loss(0.01)).epsilon_at(1e-6)
        < advanced_composition(0.01, count, 1e-6)
        < count * Fraction(1, 100)
    )


def test_a_large_delta_hides_everything() -> None:
    assert optimal_composition(0.1, 2, 0.9) == 0


def test_the_classical_bound() -> None:
    eps, k, d = 0.01, 1000, 1e-6 - 1000 * 1e-10
    expected = eps * math.sqrt(2 * k * math.log(1 / d)) + k * eps * math.expm1(eps)
    assert float(advanced_composition(eps, k, 1e-6, step_delta=1e-10)) == pytest.approx(
        expected, rel=1e-12
    )
    assert advanced_composition(0.5, 2, 1e-6) == 1
    assert advanced_composition(2, 1000, 1e-6) == 2000


@pytest.mark.parametrize("theorem", [advanced_composition, optimal_composition])
def test_bad_terms(theorem: object) -> None:
    call = theorem
    assert callable(call)
    for value in BAD:
        with pytest.raises(InvalidArgument, match=r"^epsilon must be"):
            call(value, 1, 0.1)
        with pytest.raises(InvalidArgument, match=r"^count must be"):
            call(1, value, 0.1)
        with pytest.raises(InvalidArgument, match=r"^delta must"):
            call(1, 1, value)
    for value in (-1, 1, math.nan, True, "1", None):
        with pytest.raises(InvalidArgument, match=r"^step_delta must be"):
            call(1, 1, 0.1, step_delta=value)
    with pytest.raises(InvalidArgument, match=r"^delta must be above"):
        call(1, 100, 0.1, step_delta=0.01)
