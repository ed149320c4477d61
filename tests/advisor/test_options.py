"""The formulas of the chooser against what mechanisms do on the reference."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import Any

import numpy as np
import pytest

from hedgerow.advisor import choose
from hedgerow.advisor.options import _compute_mean_magnitude, _compute_mean_rank_error
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.privacy.unit import RELATIONS
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.rank_pieces import build_pieces
from hedgerow.sensitivity.sample import SortedSample


def reference(n: int, steps: int) -> SortedSample:
    """n values spread evenly over the middle half of 0 … steps."""
    places = steps / 4 + (np.arange(n) + 0.5) * steps / (2 * n)
    return SortedSample(np.rint(places).astype(np.int64), 0, steps)


def mean_distance(mechanism: Any, column: SortedSample, truth: int) -> float:
    """Exact, in steps: the sum over pieces."""
    every = build_pieces(column)
    total = 0.0
    for first, size in zip(every.first.tolist(), every.points.tolist(), strict=True):
        chance = exp(mechanism.log_prob(first, column))
        total += chance * float(np.abs(np.arange(first, first + size) - truth).sum())
    return total


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    ("n", "steps", "epsilon", "p"),
    [
        (200, 40_000, 1, 0.5),
        (200, 40_000, 0.1, 0.5),
        (200, 40_000, 0.01, 0.5),
        (200, 40_000, 0.3, 0.2),
        (400, 80, 0.2, 0.5),
    ],
)
def test_the_exponential_mechanism_on_the_reference(
    n: int, steps: int, epsilon: float, p: float, relation: str
) -> None:
    choice = choose(
        "quantile", p=p, lower=0, upper=steps, n=n, neighbours=relation, epsilon=epsilon
    )
    option = next(o for o in choice.options if o.method == "exponential")
    column = reference(n, steps)
    truth = round(steps * (0.25 + p / 2))
    in_ranks = mean_distance(option.mechanism, column, truth) / (steps / (2 * n))
    assert option.expected == pytest.approx(in_ranks, rel=0.15, abs=0.3)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("epsilon", "n"), [(1, 400), (4, 400), (0.3, 3000)])
def test_smooth_sensitivity_on_the_reference(epsilon: float, n: int, relation: str) -> None:
    steps = 1 << 22
    choice = choose(
        "median", lower=0, upper=steps, n=n, neighbours=relation, epsilon=epsilon, delta=1e-6
    )
    column, median = reference(n, steps), Quantile(Fraction(1, 2), relation)
    for option in choice.options:
        if option.method.startswith("smooth"):
            size = (
                float(median.smooth_sensitivity(column, option.mechanism.beta))
                / (steps / (2 * n))
                / float(option.mechanism.alpha)
            )
            # both noises have a mean size of 1
            assert option.expected == pytest.approx(min(size, n), rel=0.15)


def test_smooth_sensitivity_of_a_tied_reference() -> None:
    choice = choose("median", lower=0, upper=80, n=4000, neighbours="change-one", epsilon=0.2)
    option = next(o for o in choice.options if o.method == "smooth, power")
    size = (
        Quantile(Fraction(1, 2), "change-one").smooth_sensitivity(
            reference(4000, 80), option.mechanism.beta
        )
        / option.mechanism.alpha
    )
    assert option.expected == pytest.approx(float(size) * 100, rel=0.1)  # a step is a hundred ranks


@pytest.mark.parametrize("side", ["max", "min"])
def test_extremes_on_the_reference(side: str) -> None:
    n, steps = 500, 50_000
    choice = choose(side, lower=0, upper=steps, n=n, neighbours="add-remove", epsilon=1)
    column = reference(n, steps)
    truth = int(column.values.max() if side == "max" else column.values.min())
    assert choice.best.expected == pytest.approx(
        mean_distance(choice.best.mechanism, column, truth) / (steps / (2 * n)), rel=0.1
    )
    few = choose(side, lower=0, upper=steps, n=10, neighbours="add-remove", epsilon=1)
    assert next(o for o in few.options if o.method == "rank inside").expected == 12.5


def test_propose_test_release_proposes_what_the_reference_passes() -> None:
    n, steps = 4000, 1 << 22
    for relation in RELATIONS:
        choice = choose(
            "median", lower=0, upper=steps, n=n, neighbours=relation, epsilon=1, delta=1e-6
        )
        option = next(o for o in choice.options if o.method == "propose-test-release")
        distance = Quantile(Fraction(1, 2), relation).distance(
            reference(n, steps), int(option.mechanism.bound)
        )
        assert option.mechanism.release_probability(distance) >= 0.9
        assert "spends delta" in option.note
    short = choose(
        "median", lower=0, upper=steps, n=20, neighbours="change-one", epsilon=1, delta=1e-6
    )
    assert next(o for o in short.options if o.method == "propose-test-release").expected == 20


def test_the_mean_from_two_sums() -> None:
    rng, n = np.random.default_rng(1), 10**5
    choice = choose(
        "mean", lower=-20.0, upper=100.0, n=n, neighbours="add-remove", epsilon=1, delta=1e-6
    )
    found = {o.method: o for o in choice.options}
    draws = {
        name: (
            (rng.normal if name.startswith("g") else rng.laplace)(
                0, float(o.mechanism.scale), (2, 10**5)
            )
            / n
        )
        for name, o in found.items()
    }
    errors = {  # with the mean in the middle, 40: the share of both ends is a half
        "laplace, both ends": lambda one, other: (one - other) / 2,
        "gaussian, both ends": lambda one, other: (one - other) / 2,
        "laplace, centred": lambda one, other: one,
        "laplace, plain": lambda one, other: one - 0.4 * other,
    }
    for name, option in found.items():
        assert option.expected == pytest.approx(
            float(np.abs(errors[name](*draws[name])).mean()), rel=0.02
        )
    one, other = draws["laplace, centred"]
    # mean at an end
    assert found["laplace, centred"].worst == pytest.approx(
        float(np.quantile(np.abs(one + other), 0.95)), rel=0.03
    )


def test_noise_sizes() -> None:
    noise = np.abs(Laplace(Fraction(3)).sample(np.zeros(10**5, dtype=np.int64)))
    assert _compute_mean_magnitude(1 / 3) == pytest.approx(noise.mean(), rel=0.03)
    assert _compute_mean_magnitude(1e-9) == pytest.approx(1e9)
    assert _compute_mean_magnitude(5000) == 0


def test_the_spread_of_a_choice_at_its_limits() -> None:
    # any point of the range: n/2 on average
    assert _compute_mean_rank_error(1e-9, 500, 500, 500, 1e-3) == pytest.approx(500, rel=0.01)
    assert _compute_mean_rank_error(1e-9, 5e11, 5e11, 5e11, 1e-3) > 1e8
    assert _compute_mean_rank_error(100, 500, 500, 500, 1e-3) < 1e-30
    assert _compute_mean_rank_error(0.5, 1e6, 1e6, 1e6, 1e-3) == pytest.approx(
        1 / np.sinh(0.5), rel=0.01
    )


def test_mode_in_the_worst_case() -> None:
    for relation, times in (("add-remove", 1), ("change-one", 2)):
        choice = choose(
            "mode", lower=1, upper=50, n=100, neighbours=relation, epsilon=1, delta=1e-6
        )
        for option in choice.options[:3]:
            gaps = np.linspace(0.1, 30, 60)
            losses = [
                gap * (1 - exp(option.mechanism.log_prob(0, [0.0] + [-gap] * 49))) for gap in gaps
            ]
            assert option.expected == pytest.approx(max(losses), rel=0.02)
        by = {o.method: o for o in choice.options}
        assert by["inverse"].expected == pytest.approx(2 * by["exponential"].expected)
        assert f"lead is {times * by['stable'].mechanism.error(0.05)} rows" in by["stable"].note
