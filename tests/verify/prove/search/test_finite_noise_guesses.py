"""Guesses for regions of coins."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import Truth, format_expression
from hedgerow.verify.prove.checker import normalise_program
from hedgerow.verify.prove.search.finite_noise_guesses import (
    guess_certificates,
    is_decisive,
    list_rates,
)
from verify.prove.proving import program, shipped


def guessed(name: str) -> list[tuple[str, str]]:
    about = shipped()[name]
    found = guess_certificates(normalise_program(about, "finite"), about)
    return [
        (
            format_expression(one.shifts[0]),
            "" if one.rates[0] is None else format_expression(one.rates[0]),
        )
        for one in found
    ]


def test_when_and_how_much() -> None:
    assert guessed("truth_or_a_coin") == [("x@1 != x@2", "ln(3)"), ("True", "ln(3)")]
    assert ("q@1[i@1] != q@2[i@2]", "eps") in guessed("response_of_each")
    assert guessed("above_threshold") == []


def test_candidate_rates_of_coins_are_listed() -> None:
    about = shipped()["response_of_all"]
    assert [format_expression(one) for one in list_rates(about)] == ["size * eps", "eps", "size"]
    assert [format_expression(one) for one in list_rates(shipped()["response_that_lies_with"])] == [
        "ln((1 - p) / p)",
        "p",
    ]


def test_other_noise_is_left_to_others() -> None:
    text = """
@mechanism(epsilon="eps", neighbours="one")
def f(x: private[float], eps: public[float]):
    output(bernoulli(1 / 2))
    return x + laplace(1 / eps)
"""
    about = program(text)
    assert list(guess_certificates(normalise_program(about, "finite"), about)) == []


@pytest.mark.parametrize(
    ("name", "whole"), [("truth_or_a_coin", True), ("response_of_each", False)]
)
def test_the_law_of_a_whole_program_settles_it(name: str, whole: bool) -> None:
    about = normalise_program(shipped()[name], "finite")
    found = [
        one
        for one in guess_certificates(about, shipped()[name])
        if one.rates[0] == about.claim.epsilon
    ]
    assert [is_decisive(one, about) for one in found] == [
        whole and one.shifts[0] == Truth(True) for one in found
    ]
