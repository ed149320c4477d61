"""Every statistic under a filter, on every small data set with a value for "fails the filter"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.rounding import exp_down
from hedgerow.numeric.vectorised import Integers
from hedgerow.sensitivity.count import Count
from hedgerow.sensitivity.mean import Mean
from hedgerow.sensitivity.mode import Mode, ValueCounts
from hedgerow.sensitivity.neighbour_moves import NeighbourMoves
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.rank_pieces import (
    build_pieces,
    compute_inverse_lengths,
    compute_rank_errors,
)
from hedgerow.sensitivity.sample import SortedSample
from hedgerow.sensitivity.sum import Sum

from .helpers_brute_force import PARTS, RELATIONS, Values, World, quantile

POINTS = 4
FAILS = POINTS  # a row of this value fails the filter
BETAS = [Fraction(1, 50), Fraction(1, 2), Fraction(3)]
SHIFTS = [0, -1, 1, -3, -5]  # from where the points start: the sum cares for the sign
ROWS, MORE = 5, 7  # the number of rows under change-one, and the largest under add-remove


@cache
def world(neighbours: str, rows: int = ROWS) -> World:
    sizes = [rows] if neighbours == "change-one" else list(range(MORE + 1))
    return World(POINTS + 1, sizes, neighbours)


def inside(neighbours: str, k: int = 0, at: World | None = None) -> Integers:
    """Return the sets for which the brute-force results are right within distance k."""
    here = at or world(neighbours)
    return (
        np.arange(len(here.sets))
        if neighbours == "change-one"
        else np.flatnonzero(here.sizes + k < min(MORE, 6))
    )


def kept(x: Values) -> Values:
    return tuple(v for v in x if v != FAILS)


def sample(x: Values, shift: int = 0) -> SortedSample:
    return SortedSample(np.array(kept(x), dtype=np.int64) + shift, shift, shift + POINTS - 1)


def mean(shift: int) -> Callable[[Values], Fraction]:
    return lambda x: Fraction(sum(kept(x)), len(kept(x))) + shift if kept(x) else Fraction(shift)


def total(shift: int) -> Callable[[Values], int]:
    return lambda x: sum(kept(x)) + shift * len(kept(x))


def is_smooth(smooth: dict[int, Fraction], local: Any, pairs: Any, beta: Fraction) -> None:
    """Check both conditions of smoothness, in exact numbers."""
    shrunk = exp_down(-beta)
    assert all(float(smooth[i]) * (1 + 1e-12) >= local[i] for i in smooth)
    found = [(i, j) for i, j in pairs.tolist() if i in smooth and j in smooth]
    assert len(found) > 100
    assert all(smooth[i] * shrunk <= smooth[j] for i, j in found)


def lengths_are_sound(
    found: dict[int, list[int]], truth: dict[int, list[int]], pairs: Any
) -> float:
    """Check that lengths never exceed the true ones, and differ by at most 1 between neighbours.

    Return the share of exact ones, where the true length is known.
    """
    met = [
        mine == true
        for i in found
        for mine, true in zip(found[i], truth[i], strict=True)
        if true < 10**6
    ]
    for i in found:
        assert all(mine <= true for mine, true in zip(found[i], truth[i], strict=True))
    moves = [
        np.abs(np.subtract(found[i], found[j])).max()
        for i, j in pairs.tolist()
        if i in found and j in found
    ]
    assert max(moves) == 1
    return sum(met) / len(met)


# --- order statistics


@pytest.mark.long
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("p", PARTS, ids=str)
def test_quantiles_match_brute_force(p: Fraction, neighbours: str) -> None:
    """Exact under change-one, as without a filter; unchanged under add-remove."""
    here, q = world(neighbours), Quantile(p, neighbours)
    local = here.local(lambda x: quantile(p, POINTS)(kept(x)))
    for i in inside(neighbours):
        assert q.local_sensitivity(sample(here.sets[i])) == local[i]
    for k in range(4):
        truth = here.within(local, k)
        for i in inside(neighbours, k):
            claimed = q.sensitivity_within(sample(here.sets[i]), k)
            assert claimed == truth[i] if neighbours == "change-one" else claimed >= truth[i]
    for beta in BETAS:
        is_smooth(
            {int(i): q.smooth_sensitivity(sample(here.sets[i]), beta) for i in inside(neighbours)},
            local,
            here.pairs,
            beta,
        )


@pytest.mark.parametrize("bound", [0, 1, 2])
def test_distance_of_a_quantile(bound: int) -> None:
    here, q = world("change-one"), Quantile(Fraction(1, 2), "change-one")
    truth = here.nearest(here.local(lambda x: quantile(q.p, POINTS)(kept(x))) > bound)
    assert [q.distance(sample(x), bound) for x in here.sets] == truth.tolist()


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("p", PARTS, ids=str)
def test_lengths_of_a_quantile(p: Fraction, neighbours: str) -> None:
    here, q = world(neighbours), Quantile(p, neighbours)
    answers = np.array([quantile(p, POINTS)(kept(x)) if kept(x) else -1 for x in here.sets])
    truth = np.array([here.nearest(answers == z) for z in range(POINTS)])
    found, off = {}, {}
    for i in inside(neighbours, 2):
        parts = build_pieces(sample(here.sets[i]))
        found[int(i)] = np.repeat(compute_inverse_lengths(q, parts), parts.points).tolist()
        off[int(i)] = np.repeat(compute_rank_errors(q, parts)[0], parts.points)
        assert found[int(i)] == truth[:, i].tolist()
        most = compute_rank_errors(q, parts)[1]
    moves = [np.abs(off[i] - off[j]).max() for i, j in here.pairs.tolist() if i in off and j in off]
    assert 1 <= max(moves) <= most


@pytest.mark.long
@given(
    st.lists(st.integers(0, 20), max_size=14),
    st.sampled_from([*PARTS, Fraction(1, 3)]),
    st.integers(0, 20),
    st.integers(0, 15),
)
def test_a_value_that_comes_under_change_one(x: list[int], p: Fraction, z: int, k: int) -> None:
    """The conditions of smooth sensitivity, propose-test-release and inverse sensitivity hold."""
    q, one, other = (
        Quantile(p, "change-one"),
        SortedSample.from_values(x, lower=0, upper=20),
        SortedSample.from_values([*x, z], lower=0, upper=20),
    )
    for a, b in ((one, other), (other, one)):
        assert (
            abs(q.value(a) - q.value(b))
            <= q.local_sensitivity(a)
            <= q.sensitivity_within(a, k)
            <= q.sensitivity_within(b, k + 1)
        )
        assert q.distance(a, k) <= q.distance(b, k) + 1
        for beta in (Fraction(1, 1000), Fraction(1, 3), Fraction(3)):
            assert q.smooth_sensitivity(a, beta) * exp_down(-beta) <= q.smooth_sensitivity(b, beta)
    here, there = (
        np.repeat(compute_inverse_lengths(q, parts), parts.points)
        for parts in (build_pieces(one), build_pieces(other))
    )
    assert np.abs(here - there).max() <= 1


# --- mode


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_the_mode_matches_brute_force(rows: int) -> None:
    """The number of rows after the filter serves as well as that of all rows."""
    here, mode = world("change-one", rows), Mode("change-one")
    winners = np.array([max(range(POINTS), key=lambda z, x=x: (x.count(z), -z)) for x in here.sets])
    to = np.array([here.nearest(winners == z) for z in range(POINTS)])
    for i, x in enumerate(here.sets):
        tally = ValueCounts.from_values(list(kept(x)), range(POINTS))
        others = np.delete(to[:, i], winners[i]).min()
        assert mode.value(tally) == winners[i]
        assert mode.inverse_lengths(tally).tolist() == to[:, i].tolist()
        assert mode.distance(tally) == others
        assert mode.local_sensitivity(tally) == (others == 1)


# --- count, sum, mean


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_the_count_matches_brute_force(neighbours: str) -> None:
    here, count = world(neighbours), Count(neighbours, filtered=True)
    local = here.local(lambda x: len(kept(x)))
    counts = np.array([len(kept(x)) for x in here.sets])
    truth = {z: here.nearest(counts == z) for z in range(ROWS)}
    for i in inside(neighbours, 3):
        x = kept(here.sets[i])
        assert count.value(x) == len(x)
        assert count.local_sensitivity(x) == local[i] == 1 == count.smooth_sensitivity(x, 1)
        assert count.inverse_lengths(x, range(ROWS)).tolist() == [truth[z][i] for z in range(ROWS)]


@pytest.mark.long
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("shift", SHIFTS)
def test_the_sum_matches_brute_force(shift: int, neighbours: str) -> None:
    here, of = world(neighbours), Sum(neighbours, filtered=True)
    local = here.local(total(shift))
    for i in inside(neighbours):
        x = sample(here.sets[i], shift)
        assert of.value(x) == total(shift)(here.sets[i])
        if neighbours == "add-remove" or FAILS in here.sets[i]:
            assert of.local_sensitivity(x) == local[i]
        assert local[i] <= of.local_sensitivity(x) <= 2 * local[i]
    for k in range(3):
        truth = here.within(local, k)
        for i in inside(neighbours, k):
            assert of.sensitivity_within(sample(here.sets[i], shift), k) >= truth[i]
    for beta in BETAS:
        is_smooth(
            {
                int(i): of.smooth_sensitivity(sample(here.sets[i], shift), beta)
                for i in inside(neighbours)
            },
            local,
            here.pairs,
            beta,
        )


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("shift", SHIFTS)
def test_lengths_of_a_sum(shift: int, neighbours: str) -> None:
    here, of = world(neighbours), Sum(neighbours, filtered=True)
    sums = np.array([total(shift)(x) for x in here.sets])
    candidates = list(range(min(0, shift) * ROWS, max(0, shift + POINTS - 1) * ROWS + 1))
    truth = np.array([here.nearest(sums == z) for z in candidates])
    found = {
        int(i): of.inverse_lengths(sample(here.sets[i], shift), candidates).tolist()
        for i in inside(neighbours, 1)
    }
    assert all(
        (found[i][n] == 0) == (sums[i] == z) for i in found for n, z in enumerate(candidates)
    )
    assert lengths_are_sound(found, {i: truth[:, i].tolist() for i in found}, here.pairs) > 0.5
    # 0 lies between the bounds; exact while enough rows fail
    if neighbours == "change-one" and shift in (0, -1, -3):
        exact = [
            (found[i][n], truth[n, i])
            for i in found
            for n in range(len(candidates))
            if found[i][n] <= here.sets[i].count(FAILS)
        ]
        assert len(exact) > 300
        assert all(mine == true for mine, true in exact)


@pytest.mark.long
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("shift", [0, -2])
def test_the_mean_matches_brute_force(shift: int, neighbours: str) -> None:
    here, of = world(neighbours), Mean(neighbours, filtered=True)
    local = here.local(mean(shift))
    for i in inside(neighbours):
        x = sample(here.sets[i], shift)
        assert of.value(x) == mean(shift)(here.sets[i])
        if neighbours == "add-remove" or FAILS in here.sets[i]:
            assert float(of.local_sensitivity(x)) == pytest.approx(local[i])
        assert float(of.local_sensitivity(x)) >= local[i] - 1e-12
        assert (
            of.local_sensitivity(x)
            <= of.sensitivity_within(x, 0)
            <= of.local_sensitivity(x) * 2 * (len(x) + 1) / max(len(x), 1)
        )
    for k in range(4):
        truth = here.within(local, k)
        for i in inside(neighbours, k):
            assert float(of.sensitivity_within(sample(here.sets[i], shift), k)) >= truth[i] - 1e-12
    for beta in BETAS:
        smooth = {
            int(i): of.smooth_sensitivity(sample(here.sets[i], shift), beta)
            for i in inside(neighbours)
        }
        is_smooth(smooth, local, here.pairs, beta)
        for i, s in smooth.items():
            best = max(
                of.sensitivity_within(sample(here.sets[i]), k)
                * Fraction(float(np.exp(-float(beta) * k)))
                for k in range(10)
            )
            assert float(s) == pytest.approx(float(best), rel=1e-9)


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_lengths_of_a_mean(neighbours: str) -> None:
    here, of = world(neighbours), Mean(neighbours, filtered=True)
    means = np.array([float(mean(-1)(x)) if kept(x) else 10**9 for x in here.sets])
    candidates = [-1, 0, 1, 2]
    truth = np.array([here.nearest(means == z) for z in candidates])
    found = {
        int(i): of.inverse_lengths(sample(here.sets[i], -1), candidates).tolist()
        for i in inside(neighbours, 1)
    }
    for i in found:
        assert all(
            (length == 0) == (means[i] == z or not kept(here.sets[i]))
            for z, length in zip(candidates, found[i], strict=True)
        )
    assert lengths_are_sound(found, {i: truth[:, i].tolist() for i in found}, here.pairs) > 0.6


# --- edges


def test_moves_depend_on_relation_and_filter() -> None:
    told = {
        (name, filtered): (
            NeighbourMoves(name, filtered).can_change,
            NeighbourMoves(name, filtered).can_come_and_go,
        )
        for name in RELATIONS
        for filtered in (0 > 1, 1 > 0)
    }
    assert told == {
        ("add-remove", False): (False, True),
        ("add-remove", True): (False, True),
        ("change-one", False): (True, False),
        ("change-one", True): (True, True),
    }
    assert not NeighbourMoves("change-one").filtered
    assert Count("change-one") == Count("change-one", False) != Sum("change-one")
    with pytest.raises(FrozenInstanceError):
        Count("change-one").filtered = True  # type: ignore[misc]


def test_an_empty_sample_is_refused_only_if_its_size_is_public() -> None:
    empty = SortedSample.from_values([], lower=0, upper=3)
    with pytest.raises(
        InvalidArgument,
        match=(
            r"^values must not be empty under change-one without a filter, where their number is"
            r" public"
        ),
    ):
        NeighbourMoves("change-one").check_sample(empty)
    for relation in (
        NeighbourMoves("change-one", True),
        NeighbourMoves("add-remove"),
        NeighbourMoves("add-remove", True),
    ):
        relation.check_sample(empty)


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^neighbours must be"):
        NeighbourMoves("row")
    for filtered in (None, 1, "yes"):
        with pytest.raises(InvalidArgument, match=r"^filtered must be True or False; got"):
            NeighbourMoves("change-one", filtered)  # type: ignore[arg-type]
