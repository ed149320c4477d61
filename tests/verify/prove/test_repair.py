"""Advice: the claim that can be proved instead, and the noise to scale."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import pytest

from hedgerow.verify.language.program import Program, format_expression
from hedgerow.verify.prove import repair
from hedgerow.verify.prove.certificate import Certificate, Failure
from hedgerow.verify.prove.checker import check
from hedgerow.verify.prove.prover import prove
from hedgerow.verify.prove.repair import can_prove_ratio, find_smallest_multiple
from verify.prove.proving import program, shipped

LAPLACE = """
@mechanism(epsilon="{claim}", neighbours="one")
def one(x: private[float], eps: public[float]):
    output(x + laplace({first} / eps))
    output(x + laplace({second} / eps))
"""


@pytest.mark.parametrize(
    ("claim", "first", "second", "multiple"),
    [
        ("eps", "2", "2", "1"),
        ("eps", "3", "3", "2/3"),
        ("2*eps", "1", "4", "5/4"),
        ("eps", "1", "1", "2"),
        ("eps", "1/2", "1", "3"),
    ],
)
def test_the_smallest_epsilon(claim: str, first: str, second: str, multiple: str) -> None:
    found = find_smallest_multiple(program(LAPLACE.format(claim=claim, first=first, second=second)))
    assert found is not None
    assert found.multiple == Fraction(multiple)
    assert check(found.program, found.certificate) is None


def test_nothing_is_small_enough_where_nothing_hides_it() -> None:
    assert find_smallest_multiple(shipped()["bad_smart_sum"]) is None
    assert find_smallest_multiple(shipped()["one_time_pad"]) is None


def test_says_what_it_costs_instead_and_what_to_scale() -> None:
    failure = prove(shipped()["bad_partial_sum"])
    assert isinstance(failure, Failure)
    assert failure.epsilon_upper == 2
    assert failure.reason.endswith(f"; scale the noise of line {failure.place.line} by 2")


@pytest.mark.long
def test_says_when_the_noise_must_grow_with_the_list() -> None:
    failure = prove(shipped()["bad_dummy_sum"])
    assert isinstance(failure, Failure)
    assert failure.epsilon_upper is None
    assert failure.reason.endswith("by size")


def test_gives_no_advice_where_noise_does_not_help() -> None:
    failure = prove(shipped()["bad_sum_without_noise"])
    assert isinstance(failure, Failure)
    assert failure.epsilon_upper is None
    assert "scale" not in failure.reason


@pytest.mark.parametrize(("least", "claims"), [(0.0, ["eps", "15/16 * eps"]), (0.99, ["eps"])])
def test_nothing_is_tried_below_what_a_witness_has_shown(
    least: float, claims: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def attempt(about: Program, *rest: Any) -> Certificate | Failure:
        tried.append(format_expression(about.claim.epsilon))
        return real(about, *rest)

    real = repair.find_certificate
    monkeypatch.setattr(repair, "find_certificate", attempt)
    found = find_smallest_multiple(shipped()["laplace_mechanism"], least=least)
    assert found is not None
    assert found.multiple == 1
    assert tried == claims


def test_coins_are_charged_what_is_claimed_then() -> None:
    half = """
@mechanism(epsilon="eps", neighbours="one")
def half(x: private[bool], eps: public[float]):
    if bernoulli(exp(eps / 2) / (1 + exp(eps / 2))):
        output(x)
    else:
        output(not x)
"""
    found = find_smallest_multiple(program(half))
    assert found is not None
    assert found.multiple == Fraction(1, 2)


def test_the_smallest_provable_ratio_is_exact() -> None:
    about = shipped()["truth_or_a_coin"]
    assert can_prove_ratio(about, Fraction(3), time.process_time() + 60)
    assert not can_prove_ratio(about, Fraction(299, 100), time.process_time() + 60)
    assert not can_prove_ratio(
        shipped()["laplace_mechanism"], Fraction(10), time.process_time() + 60
    )
