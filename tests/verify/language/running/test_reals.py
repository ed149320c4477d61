"""Lazy reals: intervals hold the value, decisions are exact, draws have their law."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.errors import Refused
from hedgerow.numeric.lazy import Uniform
from hedgerow.verify.language.running import reals
from hedgerow.verify.language.running.reals import (
    Real,
    Value,
    below,
    exponential,
    function,
    linear,
    normal,
    product,
    quotient,
    rounded_down,
    sign,
    uniform,
)
from verify.language.running.farness import ALARM, N, farthest

ZERO, ONE = Fraction(0), Fraction(1)
RATIONALS = st.fractions(-50, 50, max_denominator=40)


class Known(Real):
    """A rational in disguise: intervals of a number that is known, so that what is made of it can be compared."""

    def __init__(self, value: Fraction) -> None:
        super().__init__()
        self.value = value

    def interval(self, bits: int) -> tuple[int, int]:
        return floor(self.value * (1 << bits)), floor(self.value * (1 << bits)) + 1


def holds(value: Value, exact: Fraction) -> bool:
    if isinstance(value, Fraction):
        return value == exact
    for bits in (32, 256, 64):
        low, high = value.bounds(bits)
        if not low <= exact * (1 << bits) <= high:
            return False
    low, high = value.bounds(256)
    return Fraction(high - low, 1 << 256) < Fraction(1, 1 << 200)


@given(a=RATIONALS, b=RATIONALS, c=RATIONALS)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_arithmetic_holds_the_exact_value(a: Fraction, b: Fraction, c: Fraction) -> None:
    x, y = Known(a), Known(b)
    assert holds(linear(c, (c, x), (Fraction(-2), y)), c + c * a - 2 * b)
    assert holds(product(x, y), a * b)
    assert holds(product(x, c), a * c)
    assert holds(product(linear(ONE, (ONE, x)), product(y, y)), (1 + a) * b * b)
    if b:
        assert holds(quotient(x, y), a / b)
        assert holds(quotient(a, y), a / b)
        assert holds(quotient(x, b), a / b)


@given(a=RATIONALS)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_decisions_are_those_of_the_exact_value(a: Fraction) -> None:
    offset = Fraction(1, 1 << 300)
    x = Known(a + offset)
    assert sign(x) == ((a + offset > 0) - (a + offset < 0))
    assert rounded_down(x) == floor(a + offset)
    assert below(a, x)
    assert not below(x, a)
    assert below(x, a + 2 * offset)


@pytest.mark.parametrize(
    ("word", "argument", "expected"),
    [
        ("ln", 2, math.log(2)),
        ("exp", 1, math.e),
        ("sqrt", 2, math.sqrt(2)),
        ("ln", Fraction(1, 7), -math.log(7)),
        ("exp", -3, math.exp(-3)),
    ],
)
def test_functions(word: str, argument: Fraction | int, expected: float) -> None:
    for given_ in (Fraction(argument), Known(Fraction(argument))):
        value = function(word, given_)
        assert isinstance(value, Real)
        low, high = (end / 2.0**64 for end in value.bounds(64))
        assert low == pytest.approx(expected, rel=1e-12)
        assert high == pytest.approx(expected, rel=1e-12)


def test_functions_that_are_rational_are_exact() -> None:
    assert function("ln", ONE) == ZERO
    assert function("exp", ZERO) == ONE
    assert function("sqrt", Fraction(9, 4)) == Fraction(3, 2)
    assert isinstance(function("sqrt", Fraction(8, 9)), Real)


@pytest.mark.parametrize(
    ("attempt", "told"),
    [
        (lambda: function("ln", ZERO), "logarithm"),
        (lambda: function("ln", Known(Fraction(-1))), "logarithm"),
        (lambda: function("sqrt", Fraction(-1)), "square root"),
        (lambda: function("exp", Fraction(10**5)), "10,000"),
    ],
)
def test_what_has_no_value_is_refused(attempt: Callable[[], Value], told: str) -> None:
    with pytest.raises(Refused, match=told):
        attempt()


def test_what_cancels_is_seen() -> None:
    x, y = exponential(), exponential()
    same = linear(ZERO, (Fraction(2), x), (Fraction(-1), linear(Fraction(3), (ONE, x), (ONE, y))), (Fraction(-1), x), (ONE, y))
    assert sign(same) == -1
    assert sign(linear(Fraction(3), (ONE, same))) == 0
    assert rounded_down(linear(Fraction(3), (ONE, x), (Fraction(-1), x))) == 3
    assert not below(x, x)


def test_nothing_fails_where_there_is_no_quotient() -> None:
    x = exponential()
    assert quotient(ONE, ZERO) == quotient(x, linear(ZERO, (ONE, x), (Fraction(-1), x))) == 0


def test_what_is_the_same_without_being_seen_counts_as_the_same() -> None:
    x, y = exponential(), exponential()
    tie = linear(ZERO, (ONE, product(x, y)), (Fraction(-1), product(y, x)))
    assert sign(tie) == 0
    assert rounded_down(tie) == 0
    assert rounded_down(linear(Fraction(-3), (ONE, tie))) == -3


def test_a_draw_keeps_what_was_decided_about_it() -> None:
    for _ in range(20):
        x = exponential()
        coarse, fine = x.bounds(32), x.bounds(512)
        assert coarse[0] << 480 <= fine[0] <= fine[1] <= coarse[1] << 480
        assert x.bounds(32)[0] <= fine[1] >> 480


def test_a_draw_far_out_takes_more_bits() -> None:
    rare = reals._Exponential(Uniform(1))  # about 63 ln 2: the first 63 bits of the uniform leave a unit of it open
    low, high = rare.bounds(32)
    assert 42 << 32 < low <= high < 44 << 32
    assert high - low <= 2


def test_a_long_sum_is_no_deep_recursion() -> None:
    total: Value = ZERO
    drawn = exponential()
    for _ in range(3000):
        total = linear(ONE, (ONE, total), (ONE, drawn))
    assert isinstance(total, Real)
    assert below(Fraction(3000), total)
    assert sign(linear(ZERO, (ONE, total), (Fraction(-3000), drawn))) > 0
    assert sign(linear(Fraction(-3000), (ONE, total), (Fraction(-3000), drawn))) == 0


def laws() -> list[tuple[str, Callable[[], Real], Callable[[float], float]]]:
    return [
        ("exponential", exponential, lambda x: 1 - math.exp(-x)),
        ("uniform", uniform, lambda x: x),
        ("normal", normal, lambda x: (1 + math.erf(x / math.sqrt(2))) / 2),
    ]


@pytest.mark.parametrize(("name", "draw", "law"), laws())
def test_draws_have_their_law(name: str, draw: Callable[[], Real], law: Callable[[float], float]) -> None:
    drawn = [draw().bounds(64)[0] / 2.0**64 for _ in range(N)]
    assert farthest(drawn, law) < ALARM
    assert farthest([4 * x for x in drawn], law) > ALARM  # another scale is seen: it is more than 2 ALARM off


def test_the_bound_of_the_normal_is_on_the_safe_side() -> None:
    assert Fraction(reals._NORMAL) ** 2 >= Fraction("0.7357588823428847")
