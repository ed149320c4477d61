"""Runs of the sparse vector technique: the sums of the laws against exact fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import SparseVector
from hedgerow.verify.laws.case import LawBroken, LawCase, make_case
from hedgerow.verify.laws.neighbours.sparse_vector import compute_run_distribution, list_verdicts
from hedgerow.verify.laws.neighbours.worst_case import build_neighbour_set, list_worst_neighbours
from mechanisms import helpers_exact_distributions as exactly

TWO, THREE = Fraction(2), Fraction(3)


def case_of(mechanism: Any, sensitivity: int = 1) -> LawCase:
    return make_case(mechanism, sensitivity, 10_000, None)


@pytest.mark.parametrize("cutoff", [1, 2, 10])
@pytest.mark.parametrize("answers", [(0, 0, 0), (3, -2, 1, 0), (9, 9), (-20, 15, 0)], ids=str)
def test_the_sum_is_exact(cutoff: int, answers: tuple[int, ...]) -> None:
    expected = exactly.run(answers, exactly.q_of(TWO), exactly.q_of(THREE), cutoff)
    assert set(list_verdicts(len(answers), cutoff)) == set(expected)
    found = compute_run_distribution(case_of(SparseVector(TWO, THREE, cutoff)), answers)
    for said, log in zip(list_verdicts(len(answers), cutoff), found.log, strict=True):
        assert np.exp(log) == pytest.approx(float(expected[said]), rel=1e-9)


class Coin(SparseVector):
    """States the law of a coin for every answer."""

    def log_prob(self, said: tuple[bool, ...], answers: list[int], threshold: int) -> float:
        assert (len(answers), threshold) == (3, 0)
        return -len(said) * float(np.log(2))


def test_a_mechanism_may_state_its_own_law() -> None:
    found = compute_run_distribution(case_of(Coin(TWO, THREE, 1)), (5, 5, 5))
    assert np.exp(found.log) == pytest.approx([1 / 8, 1 / 8, 1 / 4, 1 / 2])


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("sensitivity", [1, 4])
def test_every_answer_moves_by_at_most_the_sensitivity(monotone: bool, sensitivity: int) -> None:
    for item in list_worst_neighbours(case_of(SparseVector(TWO, THREE, 2, monotone), sensitivity)):
        one, other = (
            eval(part.split("]")[0] + "]")
            for part in ("[" + x for x in item.description.split("[")[1:])
        )
        moves = {b - a for a, b in zip(one, other, strict=True)}
        assert max(map(abs, moves)) == sensitivity
        assert not monotone or min(moves) >= 0 or max(moves) <= 0


def test_outputs() -> None:
    place = build_neighbour_set(case_of(SparseVector(TWO, THREE, 1))).uses[0]
    assert place.encode(iter([False, True])) != place.encode(iter([True]))
    for output in ([True, False], [False], [1], [None, None, None, None], [False] * 5):
        with pytest.raises(LawBroken, match="outputs lie on the grid"):
            place.encode(iter(output))
