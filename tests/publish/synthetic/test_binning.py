from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.privacy.unit import RELATIONS
from hedgerow.publish.synthetic.binning import (
    bin_codes,
    build_bin_sums,
    build_indicator,
    choose_bin_count,
    sum_bins,
)
from hedgerow.release.linear_queries import QueryBlock


def test_few_codes_stay_alone() -> None:
    assert bin_codes(np.array([5.0, 0.0, 9.0]), 3, ordered=True).tolist() == [0, 1, 2]


def test_neighbours_share_a_group_where_codes_are_ordered() -> None:
    counts = np.array([10.0, 10.0, 1.0, 1.0, 8.0, 10.0])
    assert bin_codes(counts, 4, ordered=True).tolist() == [0, 1, 2, 2, 2, 3]


def test_equally_common_codes_do_elsewhere_and_the_commonest_is_alone() -> None:
    counts = np.array([1.0, 50.0, 2.0, 1.0, 30.0])
    assert bin_codes(counts, 3, ordered=False).tolist() == [2, 0, 2, 2, 1]


@pytest.mark.parametrize("counts", [np.zeros(6), np.full(6, -3.0)])
def test_without_counts_groups_are_even(counts: np.ndarray) -> None:
    assert bin_codes(counts, 3, ordered=True).tolist() == [0, 0, 1, 1, 2, 2]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.floats(-10, 1e6), min_size=1, max_size=60), st.integers(2, 20), st.booleans())
def test_groups_are_numbered_without_gaps_and_few(
    counts: list[float], most: int, ordered: bool
) -> None:
    groups = bin_codes(np.array(counts), most, ordered=ordered)
    assert sorted(set(groups.tolist())) == list(range(int(groups.max()) + 1))
    assert int(groups.max()) < most
    assert not ordered or (np.diff(groups) >= 0).all()


def test_a_group_is_measured_like_one_cell() -> None:
    groups = np.array([0, 2, 1, 0, 2])
    assert build_indicator(groups).tolist() == [[1, 0, 0, 1, 0], [0, 0, 1, 0, 0], [0, 1, 0, 0, 1]]
    assert sum_bins([1, 2, 3, 4, 5], groups).tolist() == [5, 3, 7]
    for relation in RELATIONS:
        moved = QueryBlock(((0, build_bin_sums(groups)),)).sensitivity(1, relation)
        assert moved.l2_squared == (1 if relation == "add-remove" else 2)


def test_more_rows_or_less_noise_make_more_groups_within_limits() -> None:
    assert choose_bin_count(48_842, 40) == 17
    assert choose_bin_count(48_842, 5) > choose_bin_count(48_842, 40) > choose_bin_count(5_000, 40)
    assert choose_bin_count(-30, 40) == choose_bin_count(0, 0) == 2
    assert choose_bin_count(1e12, 1e-3) == 64
