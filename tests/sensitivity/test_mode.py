"""The mode against every data set over three candidates and one value outside the domain."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.sensitivity.mode import Mode, ValueCounts

from .helpers_brute_force import RELATIONS, Values, World, add_remove, change_one

CANDIDATES, OUTSIDE, LARGEST = 3, 3, 8

tallies = st.lists(st.integers(0, 12), min_size=1, max_size=7)


def worlds(neighbours: str) -> list[World]:
    return (
        [add_remove(CANDIDATES + 1, LARGEST)]
        if neighbours == "add-remove"
        else [change_one(CANDIDATES + 1, n) for n in range(1, 7)]
    )


def tally(x: Values) -> ValueCounts:
    return ValueCounts.from_values(list(x), range(CANDIDATES))


def winner(x: Values) -> int:
    """Return the first of the most frequent candidates."""
    return max(range(CANDIDATES), key=lambda z: (x.count(z), -z))


def of(counts: list[int], outside: int = 0) -> ValueCounts:
    return ValueCounts(np.array(counts), sum(counts) + outside)


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_every_small_data_set_matches_brute_force(neighbours: str) -> None:
    mode = Mode(neighbours)
    for world in worlds(neighbours):
        winners = np.array([winner(x) for x in world.sets])
        to = np.array([world.nearest(winners == z) for z in range(CANDIDATES)])
        for i in np.flatnonzero(world.sizes <= (4 if neighbours == "add-remove" else 6)):
            found = tally(world.sets[i])
            others = int(np.delete(to[:, i], winners[i]).min())
            assert mode.value(found) == winners[i]
            assert mode.inverse_lengths(found).tolist() == to[:, i].tolist()
            assert mode.distance(found) == others
            assert mode.local_sensitivity(found) == (others == 1)


@pytest.mark.parametrize(
    ("counts", "add", "change"),
    [
        ([5, 2, 2], 4, 2),  # the second must pass the first: 3 and 1 for the tie
        ([2, 5, 2], 3, 2),  # the first need only draw level
        ([5, 5, 0], 1, 1),
        ([9, 2], 8, 4),
        ([2, 9], 7, 4),
        ([1, 0], 2, 1),
    ],
)
def test_distance_by_hand(counts: list[int], add: int, change: int) -> None:
    assert Mode("add-remove").distance(of(counts)) == add
    assert Mode("change-one").distance(of(counts)) == change


@pytest.mark.parametrize(
    ("counts", "add", "change"),
    [
        ([5, 2, 2], [0, 4, 4], [0, 2, 2]),
        ([2, 5, 2], [3, 0, 4], [2, 0, 2]),
        # both leaders must come down to 2 while the last comes up to 3
        ([4, 4, 0], [0, 1, 5], [0, 1, 4]),
        ([6, 6, 6], [0, 1, 1], [0, 1, 1]),
    ],
)
def test_lengths_by_hand(counts: list[int], add: list[int], change: list[int]) -> None:
    assert Mode("add-remove").inverse_lengths(of(counts)).tolist() == add
    assert Mode("change-one").inverse_lengths(of(counts)).tolist() == change


def slow_length(counts: list[int], outside: int, z: int) -> int:
    """Take rows from the candidate most in the way, the earlier of two, then from outside."""
    left, k = list(counts), 0
    while any(left[i] + (i < z) > left[z] for i in range(len(left)) if i != z):
        most = max((i for i in range(len(left)) if i != z), key=lambda i: left[i] + (i < z))
        if left[most] > 0:
            left[most] -= 1
        else:
            outside -= 1
            assert outside >= 0
        left[z] += 1
        k += 1
    return k


@given(tallies, st.integers(0, 3))
def test_lengths_one_row_at_a_time(counts: list[int], outside: int) -> None:
    if sum(counts) + outside:
        found = Mode("change-one").inverse_lengths(of(counts, outside)).tolist()
        assert found == [slow_length(counts, outside, z) for z in range(len(counts))]


@given(tallies, st.integers(0, 6), st.integers(0, 6), st.sampled_from(RELATIONS))
def test_distances_of_neighbours_differ_by_at_most_one(
    counts: list[int], source: int, target: int, neighbours: str
) -> None:
    """Lengths and distances move by at most 1; between different winners both distances are 1."""
    source, target = source % len(counts), target % len(counts)
    other = list(counts)
    other[target] += 1
    if neighbours == "change-one":
        if counts[source] == 0:
            return
        other[source] -= 1
    mode, x, y = Mode(neighbours), of(counts), of(other)
    assert np.abs(mode.inverse_lengths(x) - mode.inverse_lengths(y)).max() <= 1
    if len(counts) > 1:
        assert abs(mode.distance(x) - mode.distance(y)) <= 1
    if mode.value(x) != mode.value(y):
        assert mode.distance(x) == mode.distance(y) == mode.local_sensitivity(x) == 1


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_only_the_winner_of_many_candidates_has_length_0(neighbours: str) -> None:
    counts = np.random.default_rng(0).poisson(3, 20_000)
    found = Mode(neighbours).inverse_lengths(ValueCounts(counts, int(counts.sum())))
    assert found.min() == found[counts.argmax()] == 0
    assert np.flatnonzero(found == 0).tolist() == [counts.argmax()]


def test_a_single_candidate_never_falls() -> None:
    for neighbours in RELATIONS:
        assert Mode(neighbours).distance(of([3])) == inf
        assert Mode(neighbours).local_sensitivity(of([3])) == 0
        assert Mode(neighbours).inverse_lengths(of([3])).tolist() == [0]


def test_without_rows_the_first_candidate_wins() -> None:
    empty = ValueCounts.from_values([], "abc")
    # under a filter that nothing is left is private
    for mode in (Mode("add-remove"), Mode("change-one")):
        assert mode.value(empty) == 0
        assert mode.distance(empty) == mode.local_sensitivity(empty) == 1
        assert mode.inverse_lengths(empty).tolist() == [0, 1, 1]


def test_values_are_counted() -> None:
    domain = ["north", "south", "west"]
    found = ValueCounts.from_values(["south", "south", "north", "east", None, float("nan")], domain)
    assert (found.counts.tolist(), found.rows) == ([1, 2, 0], 6)
    assert ValueCounts.from_values(np.array([3, 1, 3]), [1, 2, 3]).counts.tolist() == [1, 0, 2]
    assert ValueCounts.from_values({"south": 9}, domain).counts.tolist() == [0, 1, 0]
    assert "1" not in repr(found)


@pytest.mark.parametrize("domain", [[], ["a", "b", "a"], [1, 1.0], [float("nan")]])
def test_bad_domain_is_refused(domain: list[Any]) -> None:
    with pytest.raises(
        InvalidArgument,
        match=r"^domain must list at least one value, without repetition or NaN; got",
    ):
        ValueCounts.from_values(["a"], domain)


@pytest.mark.parametrize("values", [7, None, [[7], [8]], np.array([[7], [8]]), np.array(7)])
def test_bad_values_are_refused_without_showing_them(values: Any) -> None:
    with pytest.raises(
        InvalidArgument,
        match=r"^values must be a list or a one-dimensional array of plain values\.$",
    ):
        ValueCounts.from_values(values, [7, 8])


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^neighbours must be"):
        Mode("row")
    with pytest.raises(Refused, match="local sensitivity"):
        Sensitivity.of(Mode("add-remove").local_sensitivity(of([1, 1])))
