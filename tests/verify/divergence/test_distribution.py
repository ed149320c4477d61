from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from hedgerow.errors import InvalidArgument
from hedgerow.verify.divergence.distribution import Distribution
from verify.divergence.distributions import few, laws

COIN = {"heads": 0.5, "tails": 0.5}


def test_numbers_are_read_as_written() -> None:
    law = Distribution({"a": 0.1, "b": Decimal("0.2"), "c": Fraction(7, 10), "d": 0})
    assert law == {"a": Fraction(1, 10), "b": Fraction(1, 5), "c": Fraction(7, 10), "d": 0}
    assert law.atoms == {"a": Fraction(1, 10), "b": Fraction(1, 5), "c": Fraction(7, 10)}
    assert law.at("nowhere") == 0
    assert len(law) == 4
    assert "d" in law
    assert "nowhere" not in law
    assert repr(Distribution(COIN)) == "Distribution({'heads': 1/2, 'tails': 1/2})"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "not empty"),
        ([0.5, 0.5], "must be a mapping"),
        ({"a": -0.5, "b": 1.5}, "must not be negative at outcome 'a'; got -0.5"),
        ({"a": 0.5, "b": 0.4}, "must sum to exactly 1 .*; got 0.9"),
        ({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}, "write thirds as Fraction"),
        ({"a": math.nan}, "must be finite"),
        ({"a": math.inf}, "must be finite"),
        ({"a": "1"}, "must be a number"),
        ({"a": True}, "must be a number"),
        ({math.nan: 1}, "NaN does not"),
    ],
)
def test_bad_laws_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message) as caught:
        Distribution(wrong, argument="one")
    assert caught.value.argument == "one"


def test_a_partial_law_says_so() -> None:
    law = Distribution({"done": 0.75}, partial=True)
    assert law.mass == Fraction(3, 4)
    for wrong in ({"done": 1.25}, {"done": 0}):
        with pytest.raises(InvalidArgument, match="at most 1"):
            Distribution(wrong, partial=True)
    assert law.push(lambda _: "more").mass == Fraction(3, 4)


def test_proportional() -> None:
    assert Distribution.proportional({z: Fraction(1, 3) ** abs(z) for z in (-1, 0, 1)}) == {
        -1: 0.2,
        0: 0.6,
        1: 0.2,
    } | {
        -1: Fraction(1, 5),
        0: Fraction(3, 5),
        1: Fraction(1, 5),
    }
    for wrong in ({"a": 0}, {"a": -1}, {}):
        with pytest.raises(InvalidArgument, match="weights"):
            Distribution.proportional(wrong)


def test_probability_of_an_event() -> None:
    law = Distribution({0: 0.1, 1: 0.2, 2: 0.7})
    assert law.probability([0, 2, 2, "nowhere"]) == Fraction(4, 5)
    assert law.probability(lambda z: z >= 1) == Fraction(9, 10)
    assert law.probability([]) == 0


def test_push_takes_functions_and_mappings() -> None:
    law = Distribution({0: 0.1, 1: 0.2, 2: 0.7})
    assert law.push(lambda z: z % 2) == {0: Fraction(4, 5), 1: Fraction(1, 5)}
    assert law.push({0: "low", 1: {"low": 0.5, "high": 0.5}, 2: "high"}) == {
        "low": Fraction(1, 5),
        "high": Fraction(4, 5),
    }


def test_then_and_product() -> None:
    law = Distribution(COIN)
    assert law.then(lambda side: side == "heads") == {
        ("heads", True): Fraction(1, 2),
        ("tails", False): Fraction(1, 2),
    }
    assert law.product({0: 0.25, 1: 0.75})["heads", 1] == Fraction(3, 8)


@few
@given(laws(), laws())
def test_the_product_has_its_factors_as_marginals(one: Distribution, other: Distribution) -> None:
    both = one.product(other)
    assert both.mass == 1
    assert both.push(lambda pair: pair[0]) == one.atoms
    assert {
        b: weight for b, weight in both.push(lambda pair: pair[1]).items() if weight
    } == other.atoms


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ({"heads": 1}, "missing one; got 'tails'"),
        (lambda _: [1], "hashable"),
        (lambda _: {0: 0.5}, "sum to exactly 1"),
        (7, "must be a mapping or a function"),
    ],
)
def test_bad_kernels_are_refused(kernel: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message) as caught:
        Distribution(COIN).push(kernel)
    assert caught.value.argument == "kernel"
