"""Marginals as sums of rests."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.publish.strategies.residual_basis import MarginalWorkload, centre_table, list_subsets

ONE = Fraction(1)


def test_subsets_come_smallest_first() -> None:
    assert list(list_subsets((1, 4))) == [(), (1,), (4,), (1, 4)]


def test_all_marginals_of_up_to_two_attributes() -> None:
    marginals = MarginalWorkload.all_up_to((2, 3, 5), 2)
    assert [places for places, _ in marginals.wanted] == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    assert [marginals.count_cells(places) for places, _ in marginals.wanted] == [2, 3, 5, 6, 10, 15]
    assert marginals.shape((0, 2)) == (2, 5)
    assert list(marginals.importances()) == [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    assert [places for places, _ in MarginalWorkload.all_up_to((2, 3), 1, least=0).wanted] == [
        (),
        (0,),
        (1,),
    ]


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 2**32))
def test_a_table_is_the_sum_of_its_rests(sizes: list[int], word: int) -> None:
    counts = np.random.default_rng(word).integers(0, 100, sizes)
    places = tuple(range(len(sizes)))
    marginals = MarginalWorkload(
        tuple(sizes), tuple((chosen, ONE) for chosen in list_subsets(places))
    )
    rests = {
        part: (
            centre_table(counts.sum(axis=tuple(set(places) - set(part)))).reshape(
                marginals.shape(part)
            )
        )
        for part in marginals.list_parts(places)
    }
    start = 0
    together = marginals.concatenate_tables(rests)
    for chosen, _ in marginals.wanted:
        exact = counts.sum(axis=tuple(set(places) - set(chosen)))
        assert marginals.build_table(chosen, rests) == pytest.approx(exact, abs=1e-9)
        assert together[start : start + marginals.count_cells(chosen)] == pytest.approx(
            exact.ravel(), abs=1e-9
        )
        start += marginals.count_cells(chosen)
    assert start == len(together)


def test_the_error_is_the_weighted_sum_of_all_variances() -> None:
    marginals = MarginalWorkload(
        (2, 3, 4), (((0, 1), Fraction(3)), ((1, 2), ONE), ((), Fraction(1, 2)))
    )
    spreads = {part: 1.0 + index for index, part in enumerate(marginals.importances())}
    weights = marginals.repeat_per_cell([3.0, 1.0, 0.5])
    assert marginals.weighted_error(spreads) == pytest.approx(
        float(marginals.variances(spreads) @ weights)
    )
    assert len(weights) == 6 + 12 + 1


def test_the_covariance_of_a_rebuilt_table_has_the_variance_that_is_said() -> None:
    """Independent rests with the covariance s^2 (product of P), put together by brute force."""
    sizes, spreads = (2, 3), {(): 5.0, (0,): 2.0, (1,): 3.0, (0, 1): 0.7}
    marginals = MarginalWorkload(sizes, (((0, 1), ONE),))
    total = np.zeros((6, 6))
    for part in marginals.list_parts((0, 1)):
        one = np.ones((1, 1))
        for place, size in enumerate(sizes):
            flat = np.ones((size, size)) / size**2
            one = np.kron(one, np.eye(size) - flat * size if place in part else flat)
        total += spreads[part] * one
    assert np.diag(total) == pytest.approx(marginals.variances(spreads))


def test_an_attribute_of_one_code_adds_nothing() -> None:
    marginals = MarginalWorkload((1, 3), (((0, 1), ONE), ((0,), ONE)))
    assert list(marginals.importances()) == [(), (1,)]
    assert marginals.build_table((0,), {(): np.array(7.0)}).tolist() == [7.0]


@pytest.mark.parametrize(
    ("sizes", "wanted", "match"),
    [
        ((2,), (), "at least one"),
        ((2,), (((0,), ONE), ((0,), ONE)), "distinct sets"),
        ((2, 2), (((1, 0), ONE),), "ascending"),
        ((2,), (((1,), ONE),), "positions of attributes"),
        ((2,), (((0, 0), ONE),), "ascending"),
        ((0,), (((0,), ONE),), "sizes"),
        ((2,), (((0,), Fraction(0)),), "weight"),
    ],
)
def test_repeated_unordered_or_unknown_sets_are_refused(
    sizes: tuple[int, ...], wanted: tuple[tuple[tuple[int, ...], Fraction], ...], match: str
) -> None:
    with pytest.raises(InvalidArgument, match=match):
        MarginalWorkload(sizes, wanted)


def test_too_many_ways_and_too_many_parts() -> None:
    with pytest.raises(InvalidArgument, match="ways"):
        MarginalWorkload.all_up_to((2, 2), 3)
    with pytest.raises(Refused, match="fewer ways or fewer columns"):
        MarginalWorkload((2,) * 21, ((tuple(range(21)), ONE),))


def test_sets_of_a_hundred_attributes() -> None:
    marginals = MarginalWorkload.all_up_to((10,) * 100, 2, least=2)
    assert len(marginals.wanted) == 4950
    assert len(marginals.importances()) == 1 + 100 + 4950
    assert sum(marginals.count_cells(p) for p, _ in marginals.wanted) == 495_000
    assert set(marginals.importances()) == {
        p for n in range(3) for p in itertools.combinations(range(100), n)
    }
