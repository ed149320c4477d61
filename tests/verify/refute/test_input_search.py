from __future__ import annotations

import math
from fractions import Fraction
from itertools import islice

import pytest

from hedgerow.verify.language.program import Program
from hedgerow.verify.refute.input_search import (
    EPSILONS,
    InputPair,
    evaluate_claim,
    evaluate_unit,
    evaluate_width,
    has_epsilon_parameter,
    iterate_input_pairs,
    lengthen_lists,
    shift_levels,
)
from hedgerow.verify.refute.neighbours import are_neighbours
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import BitWord
from verify.refute.programs import gallery, given, one

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


def test_words_and_truths_move_only_as_secrets() -> None:
    found = [
        (pair.first["m"], pair.second["m"]) for pair in iterate_input_pairs(GALLERY["one_time_pad"])
    ]
    assert found == [(BitWord(512, 0), BitWord(512, value)) for value in (2**512 - 1, 1, 2**511)]
    both = {
        (pair.second["m"], pair.second["n"])
        for pair in iterate_input_pairs(GALLERY["bad_pad_key_twice"])
    }
    assert (BitWord(512, 2**512 - 1), BitWord(512, 0)) in both
    assert (BitWord(512, 2**512 - 1), BitWord(512, 2**512 - 1)) in both
    truths = one(
        "return q[0]", "q: private[list[bool]]", '@mechanism(epsilon="1", neighbours="secret")\n'
    )
    assert {pair.second["q"] for pair in iterate_input_pairs(truths, (2,))} == {
        (True, True),
        (True, False),
    }


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


@pytest.mark.parametrize(
    ("a", "told"),
    [("1/4", "may be negative"), ("1", "divides by 0"), ("3", "not positive")],
)
def test_where_nothing_is_claimed_nothing_can_be_broken(a: str, told: str) -> None:
    program = one(
        "return x",
        "x: private[bool], a: public[float]",
        '@mechanism(epsilon="ln(a / (1 - a))", neighbours="secret")\n',
    )
    assert evaluate_claim(program, given(a="1/2")) == (0, 0)
    with pytest.raises(OutOfScope, match=told):
        evaluate_claim(program, given(a=a))


def test_claims_and_their_unit() -> None:
    arguments = given(q=[0, 0], size=2, eps="1/2")
    assert evaluate_claim(GALLERY["dummy_sum"], arguments) == (1, 0)
    assert evaluate_unit(GALLERY["dummy_sum"], arguments) == Fraction(1, 2)
    assert has_epsilon_parameter(GALLERY["dummy_sum"])
    assert not has_epsilon_parameter(GALLERY["bad_classical_gaussian"])
    assert evaluate_unit(GALLERY["bad_classical_gaussian"], given(x=0)) == 1
    # ln((1 - p) / p)
    assert evaluate_unit(
        GALLERY["response_that_lies_with"], given(p=Fraction(1, 4))
    ) == pytest.approx(math.log(3))
    assert evaluate_claim(GALLERY["bad_classical_gaussian"], given(x=0)) == (
        10,
        Fraction(1, 100_000),
    )
    budget = one(
        "return x",
        "x: private[float], budget: public[float]",
        '@mechanism(epsilon="2*budget", neighbours="one")\n',
    )
    assert {pair.first["budget"] for pair in iterate_input_pairs(budget, (1,), EPSILONS[1])} == {
        EPSILONS[1]
    }


def test_a_word_has_bits() -> None:
    m, _ = GALLERY["one_time_pad_any_length"].parameters
    assert evaluate_width(m, given(n=3)) == 3
    for wrong in (0, "1/2", 10**9):
        with pytest.raises(OutOfScope, match="without bits"):
            evaluate_width(m, given(n=wrong))
    wide = one(
        "return m", "m: private[bits[1000000]]", '@mechanism(epsilon="0", neighbours="secret")\n'
    )
    assert not list(iterate_input_pairs(wide))


def test_whole_noise_is_tried_on_what_is_not_whole() -> None:
    apart = [
        (pair.first["x"], pair.second["x"])
        for pair in iterate_input_pairs(GALLERY["bad_geometric_of_reals"])
    ]
    assert apart[:2] == [(0, Fraction(1, 2)), (0, Fraction(1, 3))]
    assert all(
        isinstance(pair.second["x"], Fraction) and pair.second["x"].denominator == 1
        for pair in iterate_input_pairs(GALLERY["geometric_mechanism"])
    )
