"""The mean of a public number of rows; test_neighbour_moves covers private numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms import InverseSensitivity, Laplace, SmoothSensitivity
from hedgerow.numeric.rounding import exp_down
from hedgerow.sensitivity.mean import Mean
from hedgerow.sensitivity.sample import SortedSample

from .helpers_brute_force import change_one, sample


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_mean_of_a_public_number_of_rows_scales_the_sum(n: int) -> None:
    world, mean = change_one(4, n), Mean("change-one")
    local, beta = world.local(lambda x: Fraction(sum(x), n)), Fraction(1, 4)
    means = np.array([sum(x) for x in world.sets])
    smooth = [mean.smooth_sensitivity(sample(x, 3), beta) for x in world.sets]
    for i, x in enumerate(world.sets):
        here = sample(x, 3)
        assert mean.value(here) == Fraction(sum(x), n)
        assert float(mean.local_sensitivity(here)) == pytest.approx(local[i])
        assert mean.sensitivity_within(here, 0) == mean.local_sensitivity(here) <= smooth[i]
        assert mean.sensitivity_within(here, 1) == Fraction(3, n)
        assert mean.inverse_lengths(here, range(4)).tolist() == [
            world.nearest(means == z * n)[i] for z in range(4)
        ]
    assert all(smooth[i] * exp_down(-beta) <= smooth[j] for i, j in world.pairs.tolist())


def test_a_million_rows_move_a_mean_little() -> None:
    x = SortedSample.from_values(np.arange(10**6) % 1000, lower=0, upper=1000)
    for relation in (Mean("add-remove"), Mean("change-one", filtered=True)):
        assert (
            relation.smooth_sensitivity(x, Fraction(1, 1000))
            == relation.sensitivity_within(x, 0)
            == Fraction(1000, 10**6)
        )
        assert float(relation.smooth_sensitivity(x, Fraction(1, 2**20))) == pytest.approx(
            1000 * np.exp(-(10**6) / 2**20), rel=1e-4
        )
        assert (
            relation.smooth_sensitivity(
                SortedSample.from_values(x.values[:1000], lower=0, upper=1000), Fraction(1, 2**20)
            )
            > 998
        )
        assert relation.sensitivity_within(x, 10**6) == 1000
        assert relation.sensitivity_within(x, 10**7) == 1000


def test_the_smooth_bound_of_a_mean_scales_noise() -> None:
    x, mean = SortedSample.from_values([1, 2, 3] * 100, lower=0, upper=10), Mean("add-remove")
    mechanism = SmoothSensitivity.calibrate(epsilon=5, bound=10, gamma=3, grid=2**-10)
    assert mean.smooth_sensitivity(x, mechanism.beta) == Fraction(10, 300)
    assert isinstance(
        mechanism.sample(float(mean.value(x)), mean.smooth_sensitivity(x, mechanism.beta)), float
    )


def test_lengths_feed_the_inverse_sensitivity_mechanism() -> None:
    x = SortedSample.from_values([2, 4, 6] * 20, lower=0, upper=9)
    for relation in (Mean("add-remove"), Mean("change-one"), Mean("change-one", filtered=True)):
        lengths = relation.inverse_lengths(x, range(10))
        assert lengths.tolist().index(0) == 4
        assert {InverseSensitivity.calibrate(epsilon=60).sample(lengths) for _ in range(20)} == {4}


def test_the_mean_of_no_rows_is_the_lower_bound() -> None:
    empty = SortedSample.from_values([], lower=-2, upper=5)
    for relation in (Mean("add-remove"), Mean("change-one", filtered=True)):
        assert relation.value(empty) == -2
        assert (
            relation.local_sensitivity(empty)
            == relation.sensitivity_within(empty, 3)
            == relation.smooth_sensitivity(empty, 1)
            == 7
        )
        assert relation.inverse_lengths(empty, [-2, 0, 5]).tolist() == [0, 0, 0]
    public = Mean("change-one")
    for ask in (
        public.value,
        public.local_sensitivity,
        lambda x: public.sensitivity_within(x, 0),
        lambda x: public.smooth_sensitivity(x, 1),
        lambda x: public.inverse_lengths(x, [0]),
    ):
        with pytest.raises(
            InvalidArgument, match=r"^values must not be empty under change-one without a filter"
        ):
            ask(empty)


def test_invalid_arguments_are_refused() -> None:
    for candidates in ([-1], [3, 4]):
        with pytest.raises(InvalidArgument, match=r"^candidates must lie between the bounds"):
            Mean("add-remove").inverse_lengths(sample((1, 2), 3), candidates)
    with pytest.raises(Refused, match="local sensitivity"):
        Laplace.calibrate(
            sensitivity=Mean("add-remove").local_sensitivity(sample((1, 2), 3)), epsilon=1
        )
