from __future__ import annotations

from fractions import Fraction
from itertools import islice

import pytest

from hedgerow.verify.language.program import Program
from hedgerow.verify.refute.input_search import (
    EPSILONS,
    InputPair,
    iterate_input_pairs,
    shift_levels,
)
from hedgerow.verify.refute.longer_lists import lengthen_lists
from hedgerow.verify.refute.neighbours import are_neighbours
from verify.refute.programs import gallery, one

GALLERY = gallery()
RELATIONS = (
    '"one"',
    '"all"',
    '"increasing"',
    '"decreasing"',
    '"row"',
    '"secret"',
    '("l1", 3)',
    '("group", 2)',
)


def program(relation: str) -> Program:
    parameters = (
        "q: private[list], p: private[list], x: private[int], b: private[bool], t: public[list],"
        " eps: public[float]"
    )
    return one("return eps", parameters, f'@mechanism(epsilon="eps", neighbours={relation})\n')


@pytest.mark.parametrize("relation", RELATIONS)
def test_all_candidates_are_neighbours_and_differ(relation: str) -> None:
    private = program(relation)
    found = list(islice(iterate_input_pairs(private, (1, 2, 3)), 60))
    assert found
    for pair in found:
        assert are_neighbours(private, pair.first, pair.second)
        assert pair.first != pair.second
        assert (pair.flipped is None) is (relation in ('"increasing"', '"decreasing"'))
        for close in islice(shift_levels(private, pair), 10):
            assert are_neighbours(private, close.first, close.second)
        for long in lengthen_lists(private, pair):
            assert are_neighbours(private, long.first, long.second)


def test_flipped_pairs_are_neighbours_too() -> None:
    for pair in islice(iterate_input_pairs(GALLERY["above_threshold"]), 20):
        assert pair.flipped == InputPair(pair.second, pair.first)


def test_the_classical_patterns_are_among_the_first() -> None:
    found = {
        (pair.first["q"], pair.second["q"])
        for pair in islice(iterate_input_pairs(GALLERY["noisy_max"], (3,)), 40)
    }
    zero = (Fraction(0),) * 3
    for move in ((1, 1, 1), (-1, -1, -1), (1, -1, -1), (-1, 1, 1), (1, 1, -1), (-1, -1, 1)):
        assert (zero, tuple(map(Fraction, move))) in found
    crossing = tuple(map(Fraction, (1, 1, 0)))
    assert any(one == crossing for one, _ in found)


def test_public_parameters_fit_the_lists() -> None:
    for pair in islice(iterate_input_pairs(GALLERY["adaptive_above_threshold"]), 30):
        assert pair.first["size"] == len(pair.first["q"])  # type: ignore[arg-type]
        assert pair.first["eps"] == 1
        assert pair.first["N"] >= 1  # type: ignore[operator]
    named = one(
        "i = 0\nwhile i < many:\n    output(q[i] + laplace(1 / eps))\n    i += 1",
        "q: private[list], many: public[int], eps: public[float]",
    )
    assert all(
        pair.first["many"] == len(pair.first["q"])
        for pair in islice(iterate_input_pairs(named), 10)
    )  # type: ignore[arg-type]


def test_under_row_a_public_size_says_nothing_about_lists() -> None:
    assert not list(iterate_input_pairs(GALLERY["unclear_dummy_sum"]))
    assert list(islice(iterate_input_pairs(GALLERY["clamped_sum"]), 1))


def test_longer_lists_stay_neighbours_and_end() -> None:
    step = next(iter(iterate_input_pairs(GALLERY["above_threshold"], (2,))))
    first, last = lengthen_lists(GALLERY["above_threshold"], step)
    assert first.first["size"] == last.first["size"] == 3
    assert first.first["q"] == (step.first["q"][0], *step.first["q"])  # type: ignore[index,misc]
    for _ in range(20):
        following = list(lengthen_lists(GALLERY["above_threshold"], step))
        if not following:
            break
        step = following[0]
    assert len(step.first["q"]) == 8  # type: ignore[arg-type]
    assert not list(
        lengthen_lists(
            GALLERY["laplace_mechanism"],
            next(iter(iterate_input_pairs(GALLERY["laplace_mechanism"]))),
        )
    )


def test_the_epsilon_parameter_takes_the_given_value() -> None:
    budget = one(
        "return x",
        "x: private[float], budget: public[float]",
        '@mechanism(epsilon="2*budget", neighbours="one")\n',
    )
    assert {pair.first["budget"] for pair in iterate_input_pairs(budget, (1,), EPSILONS[1])} == {
        EPSILONS[1]
    }
