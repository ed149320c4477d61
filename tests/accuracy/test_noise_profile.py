"""The law of one answer: its radius covers, and is hardly larger than the smallest."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accuracy.test_noise_sum import beyond, masses
from hedgerow.accuracy.noise_profile import (
    NoiseProfile,
    build_profiles,
    compute_equal_radii,
    compute_profile_radii,
    compute_sum_radii,
)
from hedgerow.accuracy.noise_sum import find_sum_radius
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.publish.strategies.strategy import AdditiveNoise

LAWS: tuple[AdditiveNoise, ...] = (
    Laplace(Fraction(1, 2)),
    Laplace(Fraction(4)),
    Gaussian(Fraction(1, 3)),
    Gaussian(Fraction(3, 2)),
    Gaussian(Fraction(7)),
)


@pytest.mark.parametrize("beta", [0.3, 0.05, 1e-3, 1e-6])
@pytest.mark.parametrize("weights", [(1, 2), (3, 1), (5, 3, 1), (7, 5, 4, 3, 2, 1, 1)], ids=str)
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_radius_covers_and_is_close_to_the_smallest(
    law: AdditiveNoise, weights: tuple[int, ...], beta: float
) -> None:
    profile = NoiseProfile.from_parts([(law, float(weight), 1) for weight in weights])
    mass, radius = masses(law, 1, weights), profile.radius(beta)
    assert profile.variance == pytest.approx(
        compute_noise_variance(law) * sum(weight**2 for weight in weights)
    )
    assert beyond(mass, radius) <= beta
    smallest = next(k for k in range(len(mass)) if beyond(mass, k) <= beta)
    assert radius <= smallest + 0.05 * np.sqrt(profile.variance)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(st.integers(1, 6), st.sampled_from([1, 3, 8]), st.integers(1, 3)),
        min_size=2,
        max_size=4,
    ),
    st.booleans(),
)
def test_different_scales_weights_and_numbers_of_draws(
    parts: list[tuple[int, int, int]], gaussian: bool
) -> None:
    kind = Gaussian if gaussian else Laplace
    mass = np.ones(1)
    for weight, scale, many in parts:
        for _ in range(many):
            mass = np.convolve(mass, masses(kind(Fraction(scale)), 1, (weight,)))
    profile = NoiseProfile.from_parts(
        [(kind(Fraction(scale)), float(-weight), many) for weight, scale, many in parts]
    )
    radius = profile.radius(0.05)
    assert beyond(mass, radius) <= 0.05
    assert beyond(mass, radius - 1 - 0.05 * np.sqrt(profile.variance)) > 0.05


def test_incommensurable_weights_are_covered() -> None:
    law = Laplace(Fraction(1))
    noise = law.sample(np.zeros((200_000, 3), dtype=np.int64)) @ np.array([1.0, np.sqrt(2), np.pi])
    radius = NoiseProfile.from_parts(
        [(law, 1.0, 1), (law, float(np.sqrt(2)), 1), (law, float(np.pi), 1)]
    ).radius(0.05)
    outside = (np.abs(noise) > radius).mean()
    assert abs(outside - 0.05) < 6.2 * np.sqrt(0.05 * 0.95 / 200_000) + 0.003


def test_like_parts_are_put_together() -> None:
    law = Laplace(Fraction(3))
    profile = NoiseProfile.from_parts(
        [(law, 0.1, 1), (law, -0.1 - 1e-17, 2), (law, 0.0, 7), (law, 0.3, 0)]
    )
    assert [(found, many) for found, _, many in profile.parts] == [(law, 3)]
    assert profile.radius(0.05) == pytest.approx(0.1 * find_sum_radius(law, 3, 0.05))


def test_no_noise_has_no_radius() -> None:
    assert NoiseProfile.from_parts([]).radius(0.05) == 0
    tiny = Gaussian(Fraction(1, 1000))
    assert NoiseProfile.from_parts([(tiny, 1.0, 1), (tiny, 2.0, 1)]).radius(0.05) == 0


def test_noise_that_is_seldom_there() -> None:
    """A draw of scale 1/5 is not 0 once in 130,000: its tails lie hundreds of deviations out."""
    law = Gaussian(Fraction(1, 5))
    profile = NoiseProfile.from_parts([(law, 1.0, 1), (law, 2.0, 1)])
    assert [profile.radius(beta) for beta in (0.05, 1e-5, 1e-7)] == pytest.approx(
        [0, 1, 2], abs=0.01
    )


def test_levels_too_small_for_a_transform_get_the_bound() -> None:
    law = Gaussian(Fraction(5))
    profile = NoiseProfile.from_parts([(law, 1.0, 1), (law, 2.0, 1)])
    assert profile.radius(1e-9) == pytest.approx(6.11 * np.sqrt(125) + 2, rel=0.01)


def test_profiles_of_rows_of_weights() -> None:
    one, two = Laplace(Fraction(1)), Laplace(Fraction(2))
    found = build_profiles(np.array([[1.0, -1.0, 0.5], [0.0, 2.0, 0.0]]), [one, two], [2, 1])
    assert found == [NoiseProfile(((one, 1.0, 2), (two, 0.5, 1))), NoiseProfile(((one, 2.0, 1),))]
    told = compute_profile_radii(found, 0.05)
    assert told is not None
    assert told.tolist() == [found[0].radius(0.05), found[1].radius(0.05)]


def test_too_much_work_is_left_alone() -> None:
    law = Laplace(Fraction(1))
    wide = NoiseProfile.from_parts([(law, float(weight), 1) for weight in range(1, 7001)])
    assert compute_profile_radii([wide], 0.05) is None


def test_sums_of_kinds_have_the_radii_of_their_laws() -> None:
    law, beta = Laplace(Fraction(2)), 0.05
    kinds = [
        NoiseProfile.from_parts([(law, 1.0, 1)]),
        NoiseProfile.from_parts([(law, 2.0, 1), (law, 1.0, 2)]),
    ]
    counts = np.array([[1, 0], [0, 1], [2, 1], [0, 3]])
    told = compute_sum_radii(kinds, counts, beta)
    assert told is not None
    for (ones, twos), radius in zip(counts.tolist(), told.tolist(), strict=True):
        mass = masses(law, 1, (1,) * (ones + 2 * twos) + (2,) * twos)
        assert beyond(mass, radius) <= beta
        variance = compute_noise_variance(law) * (ones + 6 * twos)
        assert beyond(mass, radius - 1 - 0.05 * np.sqrt(variance)) > beta


def test_a_weight_five_per_cent_too_small_is_caught() -> None:
    law = Laplace(Fraction(40))
    wrong = compute_sum_radii(
        [NoiseProfile.from_parts([(law, 0.95 * weight, 1) for weight in (1, 2)])],
        np.array([[1]]),
        0.05,
    )
    assert wrong is not None
    assert beyond(masses(law, 1, (1, 2)), wrong[0]) > 0.05


def test_sums_that_are_too_many_too_rare_or_nothing_are_left_alone() -> None:
    law = Laplace(Fraction(1))
    kinds = [NoiseProfile.from_parts([(law, 1.0, 1), (law, 0.5, 2)])]
    assert compute_sum_radii(kinds, np.ones((4097, 1), dtype=np.int64), 0.05) is None
    assert compute_sum_radii(kinds, np.ones((1, 1), dtype=np.int64), 1e-9) is None
    assert compute_sum_radii(kinds, np.zeros((1, 1), dtype=np.int64), 0.05) is None


def test_waves_that_die_out_leave_the_tails_as_they_are() -> None:
    """The characteristic function of wide Gaussian noise is 0 in doubles, far out."""
    law = Gaussian(Fraction(100))
    told = compute_sum_radii(
        [NoiseProfile.from_parts([(law, 1.0, 1), (law, 0.5, 4)])], np.array([[1]]), 0.05
    )
    assert told is not None
    assert told[0] == pytest.approx(1.96 * 100 * np.sqrt(2), rel=0.02)


def test_equal_draws_have_the_smallest_radius() -> None:
    law = Laplace(Fraction(3))
    assert compute_equal_radii(law, np.array([3, 1, 3]), 0.05).tolist() == [
        find_sum_radius(law, many, 0.05) for many in (3, 1, 3)
    ]
    assert compute_equal_radii(law, np.array([64]), 0.05).tolist() == [
        find_sum_radius(law, 64, 0.05)
    ]


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="beta"):
        NoiseProfile.from_parts([]).radius(0)
