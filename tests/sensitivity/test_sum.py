"""The sum: local, smooth and inverse sensitivity against all small data sets."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from itertools import combinations_with_replacement
from math import exp

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms import InverseSensitivity, Laplace
from hedgerow.numeric.rounding import exp_down
from hedgerow.sensitivity.sample import SortedSample
from hedgerow.sensitivity.sum import Sum

DOMAINS = [(-1, 2), (0, 3), (1, 3), (-3, -1)]


def data_sets(low: int, high: int, sizes: range) -> list[tuple[int, ...]]:
    return [x for n in sizes for x in combinations_with_replacement(range(low, high + 1), n)]


def neighbours(x: tuple[int, ...], low: int, high: int, relation: str) -> set[tuple[int, ...]]:
    rest = [x[:i] + x[i + 1 :] for i in range(len(x))]
    domain = range(low, high + 1)
    if relation == "change-one":
        return {tuple(sorted((*y, v))) for y in rest for v in domain} - {x}
    return {*rest, *(tuple(sorted((*x, v))) for v in domain)}


def sample(x: tuple[int, ...], low: int, high: int) -> SortedSample:
    return SortedSample(np.array(x, dtype=np.int64), low, high)


@pytest.mark.parametrize("relation", ["change-one", "add-remove"])
@pytest.mark.parametrize(("low", "high"), DOMAINS)
def test_local_and_smooth_sensitivity_match_brute_force(low: int, high: int, relation: str) -> None:
    total = Sum(relation)
    changed = relation == "change-one"
    beta = Fraction(1, 3)
    for x in data_sets(low, high, range(1 if changed else 0, 4)):
        here = sample(x, low, high)
        moves = [abs(sum(x) - sum(y)) for y in neighbours(x, low, high, relation)]
        assert total.value(here) == sum(x)
        assert total.local_sensitivity(here) == max(moves) == total.sensitivity_within(here, 0)
        smooth = total.smooth_sensitivity(here, beta)
        best = max(total.sensitivity_within(here, k) * exp(-float(beta) * k) for k in range(4))
        assert best * (1 - 1e-12) <= smooth <= best * (1 + 1e-12)
        for y in neighbours(x, low, high, relation):
            if y or not changed:
                assert (
                    total.smooth_sensitivity(sample(y, low, high), beta) * exp_down(-beta) <= smooth
                )
                assert total.sensitivity_within(
                    sample(y, low, high), 0
                ) <= total.sensitivity_within(here, 1)


def true_lengths(
    x: tuple[int, ...], low: int, high: int, relation: str, steps: int
) -> dict[int, int]:
    seen, found, queue = {x: 0}, {sum(x): 0}, deque([x])
    while queue:
        here = queue.popleft()
        found.setdefault(sum(here), seen[here])
        if seen[here] < steps:
            for y in neighbours(here, low, high, relation):
                if y not in seen:
                    seen[y] = seen[here] + 1
                    queue.append(y)
    return found


@pytest.mark.parametrize(("low", "high"), DOMAINS)
def test_lengths_under_change_one_are_exact(low: int, high: int) -> None:
    for x in data_sets(low, high, range(1, 5)):
        truth = true_lengths(x, low, high, "change-one", len(x))
        sums = sorted(truth)
        assert sums == list(range(len(x) * low, len(x) * high + 1))
        assert Sum("change-one").inverse_lengths(sample(x, low, high), sums).tolist() == [
            truth[z] for z in sums
        ]


@pytest.mark.parametrize(("low", "high"), DOMAINS)
def test_lengths_under_add_remove_are_no_more_than_the_truth_and_move_by_one(
    low: int, high: int
) -> None:
    total, candidates = Sum("add-remove"), list(range(-8, 13))
    met = 0
    for x in data_sets(low, high, range(4)):
        truth = true_lengths(x, low, high, "add-remove", 3)
        mine = total.inverse_lengths(sample(x, low, high), candidates)
        for z, length in zip(candidates, mine.tolist(), strict=True):
            assert (length == 0) == (z == sum(x))
            if z in truth:
                assert length <= truth[z]
                met += length == truth[z]
        for y in neighbours(x, low, high, "add-remove"):
            there = total.inverse_lengths(sample(y, low, high), candidates)
            reachable = (mine < 10**9) & (there < 10**9)
            assert np.abs(mine - there)[reachable].max(initial=0) <= 1
    assert met > 50


def test_lengths_feed_the_inverse_sensitivity_mechanism() -> None:
    here = SortedSample.from_values([1, 2, 2, 3], lower=0, upper=5)
    sums = np.arange(0, 21)
    lengths = Sum("change-one").inverse_lengths(here, sums)
    chosen = [InverseSensitivity.calibrate(epsilon=50).sample(lengths) for _ in range(20)]
    assert {int(sums[i]) for i in chosen} == {8}


def test_sums_beyond_64_bits() -> None:
    top = 2**53
    here = SortedSample.from_values(
        np.array([top, -top, 3, -4]).repeat([2000, 1, 1, 1]), lower=-top, upper=top
    )
    assert Sum("add-remove").value(here) == 1999 * top - 1
    with pytest.raises(
        InvalidArgument,
        match=r"^grid must be coarser: both bounds must lie within 2\^30 steps of 0",
    ):
        Sum("add-remove").inverse_lengths(here, [0])


@pytest.mark.parametrize("total", [Sum("add-remove"), Sum("change-one", filtered=True)], ids=str)
def test_lengths_of_the_farthest_candidates_do_not_overflow(total: Sum) -> None:
    here = SortedSample.from_values([2**30, -5, 1], lower=-(2**30), upper=2**30)
    far = total.inverse_lengths(here, [2**63 - 1, -(2**63), 2**62, 2**30 - 4])
    assert np.abs(far[:3] - 2**31).max() <= 1  # as if they were 2^61 steps away
    assert far[3] == 0
    assert far.min() >= 0


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="neighbours"):
        Sum("any")
    with pytest.raises(
        InvalidArgument, match=r"^values must not be empty under change-one without a filter"
    ):
        Sum("change-one").local_sensitivity(sample((), 0, 3))
    with pytest.raises(InvalidArgument, match=r"^candidates must lie between"):
        Sum("change-one").inverse_lengths(sample((1, 2), 0, 3), [7])
    with pytest.raises(Refused, match="local sensitivity"):
        Laplace.calibrate(
            sensitivity=Sum("change-one").local_sensitivity(sample((1, 2), 0, 3)), epsilon=1
        )
