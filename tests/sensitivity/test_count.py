"""The count; test_neighbour_moves covers filters."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms import InverseSensitivity, Laplace
from hedgerow.privacy.sensitivity import LocalSensitivity
from hedgerow.sensitivity.count import Count
from hedgerow.sensitivity.sample import SortedSample

from .helpers_brute_force import add_remove


def test_a_private_count_moves_by_one() -> None:
    world, count = add_remove(2, 6), Count("add-remove")
    local, counts = world.local(len), np.array([len(x) for x in world.sets])
    for i in np.flatnonzero(world.sizes < 6):
        x = world.sets[i]
        assert count.value(x) == len(x)
        assert count.local_sensitivity(x) == local[i] == count.smooth_sensitivity(x, 0.1) == 1
        assert count.inverse_lengths(x, range(7)).tolist() == [
            world.nearest(counts == z)[i] for z in range(7)
        ]


def test_a_public_number_never_moves() -> None:
    count = Count("change-one")
    for rows in ([], [7, 7], np.array([7, 8, 9]), SortedSample.from_values([7], lower=0, upper=9)):
        assert count.value(rows) == len(rows)
        assert count.local_sensitivity(rows) == count.smooth_sensitivity(rows, 1) == 0
        assert count.inverse_lengths(rows, [len(rows)]).tolist() == [0]
        with pytest.raises(
            InvalidArgument,
            match=(
                r"^candidates must be the number of rows, which is public under change-one without"
                r" a filter"
            ),
        ):
            count.inverse_lengths(rows, [len(rows) + 1])


def test_lengths_feed_the_inverse_sensitivity_mechanism() -> None:
    lengths = Count("change-one", filtered=True).inverse_lengths([3, 1, 4], range(10))
    assert {InverseSensitivity.calibrate(epsilon=60).sample(lengths) for _ in range(20)} == {3}


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^candidates must be 0 or more"):
        Count("add-remove").inverse_lengths([1], [0, -1])
    with pytest.raises(InvalidArgument, match=r"^beta must be"):
        Count("add-remove").smooth_sensitivity([1], 0)
    assert isinstance(Count("add-remove").local_sensitivity([]), LocalSensitivity)
    with pytest.raises(Refused, match="local sensitivity"):
        Laplace.calibrate(sensitivity=Count("add-remove").local_sensitivity([1]), epsilon=1)
