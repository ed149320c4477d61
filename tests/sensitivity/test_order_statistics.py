"""Order statistics against every small data set, against n^2 windows on longer data, and their
laws.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.rounding import exp_down
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.sensitivity import order_statistics as order
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample
from sensitivity.helpers_jumps import (
    BETAS,
    HALF,
    LARGEST,
    POINTS,
    UPPER,
    columns,
    inside,
    million,
    neighbour,
    parts,
    relations,
    shapes,
    worlds,
)

from .helpers_brute_force import (
    PARTS,
    RELATIONS,
    quantile,
    sample,
    smooth_median,
)

# --- every data set of a tiny domain


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("p", PARTS)
def test_value_and_local_sensitivity_match_brute_force(p: Fraction, neighbours: str) -> None:
    f, q = quantile(p, POINTS), Quantile(p, neighbours)
    for world in worlds(neighbours):
        local = world.local(f)
        for i in inside(world, neighbours, 0):
            x = sample(world.sets[i], UPPER)
            assert q.value(x) == f(world.sets[i])
            assert q.local_sensitivity(x) == local[i]


@pytest.mark.long
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("p", PARTS)
def test_sensitivity_within_a_distance_matches_brute_force(p: Fraction, neighbours: str) -> None:
    q = Quantile(p, neighbours)
    tight = p == HALF or neighbours == "change-one"
    for world in worlds(neighbours):
        local = world.local(quantile(p, POINTS))
        for k in range(6):
            truth = world.within(local, k)
            for i in inside(world, neighbours, k):
                claimed = q.sensitivity_within(sample(world.sets[i], UPPER), k)
                assert claimed == truth[i] if tight else claimed >= truth[i]


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_distance_of_the_median(neighbours: str) -> None:
    """D is the distance to the nearest data set whose local sensitivity exceeds the bound."""
    q = Quantile(HALF, neighbours)
    for world in worlds(neighbours):
        local = world.local(quantile(HALF, POINTS))
        local[world.sizes == LARGEST] = (
            0 if neighbours == "add-remove" else local[world.sizes == LARGEST]
        )
        for bound in (-1, 0, 1, 2):
            truth = world.nearest(local > bound)
            for i in np.flatnonzero(world.sizes <= LARGEST // 2):
                assert q.distance(sample(world.sets[i], UPPER), bound) == truth[i]


@pytest.mark.long
@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("p", PARTS)
def test_smooth_sensitivity_has_its_two_properties(
    p: Fraction, neighbours: str, beta: Fraction
) -> None:
    """S >= LS, and S(x) <= e^beta S(y) for all neighbours, in exact numbers."""
    q, growth = Quantile(p, neighbours), exp_down(beta)
    for world in worlds(neighbours):
        small = {int(i) for i in np.flatnonzero(world.sizes <= 5)}
        smooth = {i: q.smooth_sensitivity(sample(world.sets[i], UPPER), beta) for i in small}
        local = world.local(quantile(p, POINTS))
        assert all(smooth[i] >= Fraction(local[i]) for i in small)
        pairs = [(i, j) for i, j in world.pairs.tolist() if i in small and j in small]
        assert pairs or world.sizes[0] == 0
        assert all(smooth[i] <= growth * smooth[j] for i, j in pairs)


@pytest.mark.long
@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("p", PARTS)
def test_smooth_sensitivity_is_the_largest_discounted_local_one(
    p: Fraction, neighbours: str, beta: Fraction
) -> None:
    q = Quantile(p, neighbours)
    tight = p == HALF or neighbours == "change-one"
    for world in worlds(neighbours):
        local = world.local(quantile(p, POINTS))
        truth = np.max(
            [world.within(local, k) * np.exp(-float(beta) * k) for k in range(6)], axis=0
        )
        # at distance n the whole width is reached
        for i in np.flatnonzero(world.sizes <= (LARGEST - 1) // 2):
            found = float(q.smooth_sensitivity(sample(world.sets[i], UPPER), beta))
            assert found >= truth[i]
            assert found <= truth[i] * (1 + 1e-6) or not tight


# --- golden formulas


@given(st.lists(st.integers(0, 100), min_size=2, max_size=9))
def test_local_sensitivity_of_the_extremes(values: list[int]) -> None:
    x, n = sorted(values), len(values)
    of = sample(x, 100)
    assert Quantile(Fraction(1), "change-one").local_sensitivity(of) == max(
        100 - x[n - 1], x[n - 1] - x[n - 2]
    )
    assert Quantile(Fraction(0), "change-one").local_sensitivity(of) == max(x[0], x[1] - x[0])


@given(st.lists(st.integers(0, 100), min_size=3, max_size=9).filter(lambda x: len(x) % 2 == 1))
def test_local_sensitivity_of_the_odd_median(values: list[int]) -> None:
    x, m = sorted(values), len(values) // 2
    assert Quantile(HALF, "change-one").local_sensitivity(sample(x, 100)) == max(
        x[m + 1] - x[m], x[m] - x[m - 1]
    )


def test_local_sensitivity_jumps_between_neighbours() -> None:
    q = Quantile(HALF, "change-one")
    assert q.local_sensitivity(sample([0, 0, 0, 0, 10**9], 10**9)) == 0
    assert q.local_sensitivity(sample([0, 0, 0, 10**9, 10**9], 10**9)) == 10**9
    assert q.smooth_sensitivity(sample([0, 0, 0, 0, 10**9], 10**9), 1) == pytest.approx(
        10**9 / np.e
    )
    with pytest.raises(
        Refused, match=r"^Noise scaled to local sensitivity is not private: .* Use smooth"
    ):
        Sensitivity.of(q.local_sensitivity(sample([0, 0, 0, 10**9, 10**9], 10**9)))


# --- longer data against n^2 windows


@pytest.mark.parametrize("name", shapes(1))
@pytest.mark.parametrize("beta", [1e-6, 3e-3, 0.1, 3.0])
@pytest.mark.parametrize("p", [HALF, Fraction(9, 10)])
def test_the_widest_window_matches_brute_force(name: str, beta: float, p: Fraction) -> None:
    values = shapes(451)[name]
    q = Quantile(p, "change-one")
    expected = smooth_median(values.tolist(), q.rank(451), 10**9, beta)
    assert q.smooth_sensitivity(sample(values.tolist(), 10**9), beta) == pytest.approx(
        expected, rel=1e-7, abs=0
    )


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=60),
    st.sampled_from([1e-6, 0.01, 0.1, 1.0]),
    parts,
)
def test_the_widest_window_is_found_with_the_smallest_blocks(
    values: list[int], beta: float, p: Fraction
) -> None:
    q = Quantile(p, "change-one")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "_MAX_PAIRS_AT_ONCE", 1)
        found = q.smooth_sensitivity(sample(values, 30), beta)
    assert found == pytest.approx(
        smooth_median(values, q.rank(len(values)), 30, beta), rel=1e-7, abs=0
    )


@pytest.mark.long
@pytest.mark.parametrize("name", shapes(1))
@pytest.mark.parametrize("beta", [1e-6, 1e-3, 0.02, 3.0])
@pytest.mark.parametrize("p", [HALF, Fraction(1, 3), Fraction(0)])
def test_smooth_sensitivity_looks_between_the_marks(name: str, beta: float, p: Fraction) -> None:
    """Under add-remove, with several strides of k: the same as an evaluation at every k."""
    x, q = (
        SortedSample.from_values(shapes(4000)[name], lower=0, upper=10**9),
        Quantile(p, "add-remove"),
    )
    k = np.arange(4001)
    floor = 10**9 * np.exp(-beta * min(4000, np.ceil(100 / beta)))
    expected = max(floor, float((q._compute_widths(x, k) * np.exp(-beta * k)).max()))
    assert q.smooth_sensitivity(x, beta) == pytest.approx(expected, rel=1e-7, abs=0)


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_a_single_jump_in_the_data_is_found(neighbours: str) -> None:
    """Low values up to some rank, then high ones: A jumps from 0 to the whole width at one k.

    No such k is missed.
    """
    n, q, seen = 4001, Quantile(HALF, neighbours), set()
    for rank in (2002, *range(2255, 2260), *range(2510, 2516), *range(3020, 3030), 3999, 4001):
        x = sample(np.where(np.arange(1, n + 1) < rank, 0, 10).tolist(), 10)
        k = q.distance(x, 0)
        assert q.smooth_sensitivity(x, 1e-3) == pytest.approx(
            10 * np.exp(-1e-3 * k), rel=1e-7, abs=0
        )
        seen.add(k)
    assert seen >= {1023, 1025}


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_large_values_do_not_drown_small_gaps(neighbours: str) -> None:
    top = 2**53
    x = SortedSample.from_values(np.arange(top - 300, top - 100), lower=-top, upper=top)
    near = SortedSample.from_values(np.arange(200), lower=-100, upper=2**30)
    q = Quantile(HALF, neighbours)
    assert q.local_sensitivity(x) == q.local_sensitivity(near) == 1
    assert q.smooth_sensitivity(x, 1) == q.smooth_sensitivity(near, 1)


@pytest.mark.long
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("beta", [0.1, 1e-3, 2**-24])
@pytest.mark.parametrize("name", ["constant", "spiked", "uniform", "heavy-tailed"])
def test_smooth_sensitivity_of_a_million_values_is_within_its_bounds(
    name: str, beta: float, neighbours: str
) -> None:
    x, q = million(name), Quantile(HALF, neighbours)
    smooth = q.smooth_sensitivity(x, beta)
    assert smooth >= max(
        q.sensitivity_within(x, k) * Fraction(float(np.exp(-beta * k)))
        for k in (0, 10, 1000, 10**5)
    )
    assert smooth <= 10**9 * (1 + Fraction(1, 2**37))


# --- laws


@given(columns, parts, relations, st.integers(0, 20), st.integers(0, 20))
def test_distance_grows_with_the_bound(
    x: list[int], p: Fraction, neighbours: str, one: int, other: int
) -> None:
    q, of = Quantile(p, neighbours), sample(x, 20)
    assert q.distance(of, min(one, other)) <= q.distance(of, max(one, other))


@given(columns, parts, relations, st.integers(-1, 25))
def test_distance_at_its_ends(x: list[int], p: Fraction, neighbours: str, bound: int) -> None:
    """It is 0 below the local sensitivity, and infinite from the global one on.

    In between it is the first k with A(x, k) > bound.
    """
    q, of = Quantile(p, neighbours), sample(x, 20)
    found = q.distance(of, bound)
    assert found == 0 or bound >= q.local_sensitivity(of)
    assert (found == inf) == (bound >= 20)
    if found < inf:
        assert q.sensitivity_within(of, int(found)) > bound
        assert found == 0 or q.sensitivity_within(of, int(found) - 1) <= bound


@given(columns, parts, relations, st.integers(0, 19), st.integers(0, 99), st.integers(0, 20))
def test_distances_of_neighbours_differ_by_at_most_one(
    x: list[int], p: Fraction, neighbours: str, bound: int, at: int, z: int
) -> None:
    q, one, other = (
        Quantile(p, neighbours),
        sample(x, 20),
        sample(neighbour(x, neighbours, at, z), 20),
    )
    assert abs(q.distance(one, bound) - q.distance(other, bound)) <= 1


@given(
    columns,
    st.fractions(0, 1, max_denominator=9),
    relations,
    st.integers(0, 15),
    st.integers(0, 99),
    st.integers(0, 20),
)
def test_a_neighbour_sees_as_much_one_step_farther(
    x: list[int], p: Fraction, neighbours: str, k: int, at: int, z: int
) -> None:
    """A(x, k) <= A(y, k+1), which is all that smooth sensitivity and the distance need."""
    q, one, other = (
        Quantile(p, neighbours),
        sample(x, 20),
        sample(neighbour(x, neighbours, at, z), 20),
    )
    assert (
        q.local_sensitivity(one)
        <= q.sensitivity_within(one, k)
        <= q.sensitivity_within(other, k + 1)
    )


@given(
    columns,
    parts,
    relations,
    st.sampled_from([2**-24, 1e-3, 0.2, 1.5, 100]),
    st.integers(0, 99),
    st.integers(0, 20),
)
def test_smooth_between_neighbours(
    x: list[int], p: Fraction, neighbours: str, beta: float, at: int, z: int
) -> None:
    q, one, other = (
        Quantile(p, neighbours),
        sample(x, 20),
        sample(neighbour(x, neighbours, at, z), 20),
    )
    growth = exp_down(Fraction(str(beta)))
    assert (
        q.local_sensitivity(one)
        <= q.smooth_sensitivity(one, beta)
        <= growth * q.smooth_sensitivity(other, beta)
    )
    assert q.smooth_sensitivity(other, beta) <= growth * q.smooth_sensitivity(one, beta)


# --- edges


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("p", PARTS)
def test_empty_data_are_answered(p: Fraction, neighbours: str) -> None:
    """Under either relation: under a filter it is private that no row is left."""
    q, empty = Quantile(p, neighbours), sample([], 7)
    assert q.value(empty) == (0 if p else 7)
    assert (
        q.local_sensitivity(empty)
        == q.sensitivity_within(empty, 0)
        == q.sensitivity_within(empty, 5)
        == 7
    )
    assert q.distance(empty, 6) == 0
    assert q.distance(empty, 7) == inf
    assert q.smooth_sensitivity(empty, 1) == 7 * (1 + Fraction(1, 2**38))


def test_ranks_are_rounded_up() -> None:
    assert [Quantile(HALF, "change-one").rank(n) for n in (0, 1, 2, 3, 4, 5)] == [1, 1, 1, 2, 2, 3]
    assert [Quantile(Fraction(0), "change-one").rank(n) for n in (0, 1, 5)] == [1, 1, 1]
    assert [Quantile(Fraction(1), "change-one").rank(n) for n in (0, 1, 5)] == [1, 1, 5]


def test_p_is_exact() -> None:
    assert Quantile(0.1, "change-one") == Quantile(  # type: ignore[arg-type]
        Fraction(1, 10), "change-one"
    )


@pytest.mark.parametrize("p", [-1, 1.1, Fraction(1, 10**6 + 1), "1", None, True, inf])
def test_bad_p_is_refused(p: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^p must be"):
        Quantile(p, "change-one")  # type: ignore[arg-type]


@pytest.mark.parametrize("neighbours", ["row", "", None, 1, "Change-One"])
def test_bad_relation_is_refused(neighbours: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^neighbours must be 'add-remove' or 'change-one'"):
        Quantile(HALF, neighbours)  # type: ignore[arg-type]
