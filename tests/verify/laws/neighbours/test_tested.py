"""Releases and publications: the laws of their small worlds, against exact sums."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import Laplace, ProposeTestRelease, StabilityHistogram, Stable
from hedgerow.verify.laws.case import LawBroken, LawCase, make_case
from hedgerow.verify.laws.neighbours.additive import compute_noise_distribution
from hedgerow.verify.laws.neighbours.tested import compute_key_distribution, gate_distribution
from hedgerow.verify.laws.neighbours.worst_case import build_neighbour_set, list_worst_neighbours
from mechanisms import helpers_exact_distributions as exactly

ONE = Fraction(1)
Q = exactly.q_of(ONE)


def case_of(mechanism: Any, units: int = 1) -> LawCase:
    return make_case(mechanism, units, 10_000, None)


def test_a_gate_before_noise() -> None:
    law = gate_distribution(0.25, compute_noise_distribution(case_of(Laplace(ONE))))
    assert np.exp(law.log).sum() == pytest.approx(1)
    assert np.exp(law.log[0]) == pytest.approx(0.75)
    assert np.exp(law.log[law.steps == 2]) == pytest.approx(0.25 * float(exactly.at(Q, 2)))
    assert gate_distribution(1.0, compute_noise_distribution(case_of(Laplace(ONE)))).log[0] == -2000


@pytest.mark.parametrize("units", [1, 3])
def test_stable_answers_differ_only_where_both_are_near_the_middle(units: int) -> None:
    mechanism = Stable.calibrate(epsilon=1, delta=1e-3, group=units)
    seen = set()
    found = list_worst_neighbours(case_of(mechanism, units))
    for item in found[: len(found) // 2]:
        one, other = (int(word) for word in item.description.split() if word.isdigit())
        pair = item.cells[0][0]
        same = np.array_equal(pair.first.log > -2000, pair.second.log > -2000)
        assert abs(one - other) <= units if same else one + other <= units + 1
        assert np.exp(pair.first.log[0]) == pytest.approx(1 - mechanism.release_probability(one))
        seen.add(same)
    assert seen == {True, False}


def test_the_answers_of_a_test_lie_within_the_bound_unless_both_distances_are_small() -> None:
    mechanism = ProposeTestRelease.calibrate(bound=2, epsilon=1, delta=1e-2)
    for item in list_worst_neighbours(case_of(mechanism)):
        one, other, apart = (
            float(word.rstrip(",")) for word in item.description.split() if word[0].isdigit()
        )
        assert abs(one - other) <= 1
        assert apart <= 2 or one == other == 0


def test_noisy_counts_by_their_probability_of_being_published() -> None:
    mechanism = StabilityHistogram(ONE, 5, "add-remove")
    law = compute_key_distribution(mechanism, 4, 8)
    expected = [
        1 - exactly.at_least(Q, 1),
        *(exactly.at(Q, y - 4) for y in (5, 6, 7)),
        exactly.at_least(Q, 4),
    ]
    assert np.exp(law.log) == pytest.approx([float(p) for p in expected])
    assert np.exp(compute_key_distribution(mechanism, 0, 7).log) == pytest.approx([1, 0, 0, 0])


@pytest.mark.parametrize("neighbours_", ["add-remove", "change-one"])
def test_keys_move_by_what_a_unit_has(neighbours_: str) -> None:
    case = case_of(StabilityHistogram(Fraction(4), 9, neighbours_, 2, 3), 2)
    for item in list_worst_neighbours(case):
        assert sum(count for _, count in item.cells) <= 2 * 2 * (
            2 if neighbours_ == "change-one" else 1
        )
    alone = [item for item in list_worst_neighbours(case) if "only" in item.description]
    assert {item.description.split(" in ")[0] for item in alone} == {
        "4 key(s) of 3",
        "2 key(s) of 6",
    }


def test_outputs_of_gates() -> None:
    stable = build_neighbour_set(case_of(Stable(ONE, 5))).uses[0]
    assert [stable.encode(x) for x in (None, "a", "b")] == [0, 1, 2]
    release = build_neighbour_set(
        case_of(ProposeTestRelease(ONE, Laplace(ONE, Fraction(1, 4)), ONE, 5))
    ).uses[0]
    assert release.distribution is not None
    assert release.encode(None) == release.distribution.steps[0]
    assert release.encode(0.75) == 3
    histogram = build_neighbour_set(case_of(StabilityHistogram(ONE, 5, "add-remove"))).uses[0]
    assert histogram.encode({}) == 0
    assert (
        len(
            {
                histogram.encode(x)
                for x in ({}, {"a": 5}, {"b": 5}, {"a": 5, "b": 5}, {"a": 6}, {"b": 6})
            }
        )
        == 6
    )
    assert histogram.encode({"a": 100}) == histogram.encode({"a": 10**9})
    wrong = [
        (stable, "c"),
        (release, 0.1),
        (release, 1),
        (histogram, None),
        (histogram, {"c": 5}),
        (histogram, {"a": 4}),
    ]
    wrong += [(histogram, {"b": 5, "a": 5}), (histogram, {"a": 5.0})]
    for place, output in wrong:
        with pytest.raises(LawBroken, match="outputs lie on the grid"):
            place.encode(output)


def test_an_infinite_distance_is_always_released() -> None:
    mechanism = ProposeTestRelease(ONE, Laplace(ONE), ONE, 5)
    last = build_neighbour_set(case_of(mechanism)).uses[-1]
    assert last.description == f"distance {inf}"
    assert last.distribution is not None
    assert np.exp(last.distribution.log).sum() == pytest.approx(1)
    assert (
        last.distribution.steps.tolist()
        == compute_noise_distribution(case_of(Laplace(ONE))).steps.tolist()
    )
