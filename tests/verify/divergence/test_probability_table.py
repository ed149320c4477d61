from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.privacy.unit import Unit
from hedgerow.verify.divergence.distance import epsilon_distance
from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from hedgerow.verify.divergence.probability_table import is_private, least_epsilon
from verify.divergence.distributions import clamped_laplace, deltas, epsilons, few, laws, response

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
SURVEY = {0: response(HALF, 0), 1: response(HALF, 1)}
COUNTS = {
    rows: clamped_laplace(THIRD, sum(row[0] for row in rows), -2, 5)
    for n in range(4)
    for rows in product([(0,), (1,)], repeat=n)
}


def test_randomised_response() -> None:
    verdict = is_private(SURVEY, ln(3), 0, [(0, 1)])
    assert verdict
    assert verdict.private
    assert verdict.excess == 0
    assert (
        str(verdict)
        == "private: (ln(3), 0)-DP on 1 pair of neighbours; furthest apart are 0 and 1, by 0"
    )


def test_the_witness_of_a_broken_claim() -> None:
    verdict = is_private(SURVEY, ln(2), 0.1, [(1, 0)])
    assert not verdict
    assert (verdict.one, verdict.other) == (1, 0)
    assert verdict.excess == Fraction(3, 20)
    assert (verdict.distance.event, verdict.distance.direction) == (frozenset({1}), "one")
    assert (verdict.distance.likely, verdict.distance.rare) == (Fraction(3, 4), Fraction(1, 4))
    message = (
        "not private: (ln(2), 1/10)-DP on 1 pair of neighbours; {1} has probability 0.75 on 1 and"
        " 0.25 on 0, 0.15 too much"
    )
    assert str(verdict) == message


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_a_noisy_count_of_every_small_data_set(relation: Any) -> None:
    unit = Unit(relation)
    assert is_private(COUNTS, ln(3), 0, unit)
    assert least_epsilon(COUNTS, 0, unit) == ln(3)
    assert not is_private(COUNTS, ln(Fraction(299, 100)), 0, unit)
    assert least_epsilon(COUNTS, 0, Unit(relation, group=2)) == ln(9)


def test_a_noisy_count_of_ones_and_twos_is_caught_with_the_pair() -> None:
    """Sensitivity is 2 under add-remove, and the table was made for 1."""
    table = {
        rows: clamped_laplace(THIRD, sum(row[0] for row in rows), -2, 6)
        for n in range(3)
        for rows in product([(1,), (2,)], repeat=n)
    }
    verdict = is_private(table, ln(3), 0, Unit("add-remove"))
    assert not verdict
    one = sum(r[0] for r in verdict.one)  # type: ignore[attr-defined]
    other = sum(r[0] for r in verdict.other)  # type: ignore[attr-defined]
    assert abs(one - other) == 2
    assert is_private(table, ln(3), 0, Unit("change-one"))


def test_one_wrong_pair_among_many_is_the_witness_in_either_direction() -> None:
    table = {n: {"low": HALF, "high": HALF} for n in range(5)} | {
        3: {"low": Fraction(4, 10), "high": Fraction(6, 10)}
    }
    verdict = is_private(table, 0, 0, lambda a, b: b == a + 1)
    assert {verdict.one, verdict.other} in ({2, 3}, {3, 4})
    assert verdict.pair_count == 4
    assert verdict.excess == Fraction(1, 10)
    assert is_private(table, 0, 0, lambda a, b: a == b + 1) == verdict
    assert is_private(table, 0, 0, [(0, 1), (1, 2)])


def test_no_epsilon_is_enough() -> None:
    table = {
        name: {name: Fraction(1, 1000), "nothing": Fraction(999, 1000)} for name in ("ill", "well")
    }
    assert least_epsilon(table, 0, [("ill", "well")]) == math.inf
    assert least_epsilon(table, 0.001, [("ill", "well")]) == 0
    assert not is_private(table, 10_000, 0.00099, [("ill", "well")])
    assert is_private(table, 0, 0.001, [("ill", "well")])


@few
@given(st.lists(laws(), min_size=2, max_size=4), epsilons(), deltas())
def test_private_means_every_pair_is(
    drawn: list[Distribution], epsilon: Epsilon, delta: Fraction
) -> None:
    table = dict(enumerate(drawn))
    pairs = [(a, b) for a in table for b in table if a < b]
    distances = {
        pair: epsilon_distance(table[pair[0]], table[pair[1]], epsilon).value for pair in pairs
    }
    verdict = is_private(table, epsilon, delta, lambda a, b: a != b)
    assert bool(verdict) == all(value <= delta for value in distances.values())
    assert (
        distances[verdict.one, verdict.other] == max(distances.values()) == verdict.distance.value
    )  # type: ignore[index]
    assert bool(verdict) == (least_epsilon(table, delta, pairs) <= epsilon)


@pytest.mark.parametrize(
    ("table", "neighbours", "message"),
    [
        ({}, [(0, 1)], "table must be a mapping"),
        ([1, 2], [(0, 1)], "table must be a mapping"),
        ({0: {"a": 0.5}, 1: {"a": 1}}, [(0, 1)], r"table\[0\] must sum to exactly 1"),
        ({0: {"a": 1}, 1: {}}, [(0, 1)], r"table\[1\] must be a mapping"),
        (SURVEY, [(0, 2)], "neighbours must name data sets of the table only; got 2"),
        (SURVEY, [0, 1], "neighbours must be pairs"),
        (SURVEY, [], "neighbours must relate at least one pair"),
        (SURVEY, lambda a, b: False, "neighbours must relate at least one pair"),
        (SURVEY, 1, "neighbours must be a Unit"),
    ],
)
def test_bad_input(table: Any, neighbours: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        is_private(table, 1, 0, neighbours)
    with pytest.raises(InvalidArgument, match=message):
        least_epsilon(table, 0, neighbours)


@pytest.mark.parametrize(
    ("epsilon", "delta", "argument"), [(-1, 0, "epsilon"), (1, -1, "delta"), (1, math.nan, "delta")]
)
def test_bad_claims(epsilon: float, delta: float, argument: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        is_private(SURVEY, epsilon, delta, [(0, 1)])
    assert caught.value.argument == argument
