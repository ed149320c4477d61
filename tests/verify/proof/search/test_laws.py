"""What is guessed for stretches of coins."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import Truth, written
from hedgerow.verify.proof.checker import understood
from hedgerow.verify.proof.search.laws import guesses, settles, worths
from verify.proof.proving import program, shipped


def guessed(name: str) -> list[tuple[str, str]]:
    about = shipped()[name]
    found = guesses(understood(about, "finite"), about)
    return [(written(one.shifts[0]), "" if one.rates[0] is None else written(one.rates[0])) for one in found]


def test_when_and_how_much() -> None:
    assert guessed("truth_or_a_coin") == [("x@1 != x@2", "ln(3)"), ("True", "ln(3)")]
    assert ("q@1[i@1] != q@2[i@2]", "eps") in guessed("response_of_each")
    assert guessed("above_threshold") == []


def test_what_coins_may_be_worth() -> None:
    about = shipped()["response_of_all"]
    assert [written(one) for one in worths(about)] == ["size * eps", "eps", "size"]
    assert [written(one) for one in worths(shipped()["response_that_lies_with"])] == ["ln((1 - p) / p)", "p"]


def test_other_noise_is_left_to_others() -> None:
    text = """
@mechanism(epsilon="eps", neighbours="one")
def f(x: private[float], eps: public[float]):
    output(bernoulli(1 / 2))
    return x + laplace(1 / eps)
"""
    about = program(text)
    assert list(guesses(understood(about, "finite"), about)) == []


@pytest.mark.parametrize(("name", "whole"), [("truth_or_a_coin", True), ("response_of_each", False)])
def test_the_law_of_a_whole_program_settles_it(name: str, whole: bool) -> None:
    about = understood(shipped()[name], "finite")
    found = [one for one in guesses(about, shipped()[name]) if one.rates[0] == about.claim.epsilon]
    assert [settles(one, about) for one in found] == [whole and one.shifts[0] == Truth(True) for one in found]
