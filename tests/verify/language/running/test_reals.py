"""Exact reals: polynomials in draws, decided with as many bits as it takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.errors import Refused
from hedgerow.numeric.lazy import Interval, Uniform
from hedgerow.verify.language.running import reals
from hedgerow.verify.language.running.reals import (
    Atom,
    Mixed,
    Real,
    Value,
    added,
    below,
    drawn_coin,
    drawn_exponential,
    drawn_normal,
    drawn_uniform,
    function,
    product,
    quotient,
    settled,
    sign,
)
from verify.language.running.farness import ALARM, N, farthest

ZERO, ONE = Fraction(0), Fraction(1)
RATIONALS = st.fractions(-50, 50, max_denominator=40)


class Known(Atom):
    """A rational in disguise: intervals of a number that is known, so that what is made of it can be compared."""

    def __init__(self, value: Fraction) -> None:
        super().__init__()
        self.value = value

    def interval(self, bits: int) -> Interval:
        low = Fraction(floor(self.value * (1 << bits)), 1 << bits)
        return low, low + Fraction(1, 1 << bits)


def known(value: Fraction | int) -> Real:
    return Real({(Known(Fraction(value)),): 1}, 1, None)


def minus(one: Value, other: Value) -> Value:
    return added(one, product(Fraction(-1), other))


def holds(value: Value, exact: Fraction) -> bool:
    if isinstance(value, Fraction):
        return value == exact
    ends = [value.between(bits) for bits in (32, 256, 64)]
    return all(low <= exact <= high for low, high in ends) and ends[1][1] - ends[1][0] < Fraction(1, 1 << 200)


@given(a=RATIONALS, b=RATIONALS, c=RATIONALS)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_arithmetic_holds_the_exact_value(a: Fraction, b: Fraction, c: Fraction) -> None:
    x, y = known(a), known(b)
    assert holds(added(added(c, product(c, x)), product(Fraction(-2), y)), c + c * a - 2 * b)
    assert holds(product(x, y), a * b)
    assert holds(product(x, c), a * c)
    assert holds(product(added(ONE, x), product(y, added(y, c))), (1 + a) * b * (b + c))
    if c:
        assert holds(quotient(x, c), a / c)


@given(a=RATIONALS)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_decisions_are_those_of_the_exact_value(a: Fraction) -> None:
    offset = Fraction(1, 1 << 3000)
    x = known(a + offset)
    assert sign(x) == ((a + offset > 0) - (a + offset < 0))
    assert settled(x, floor) == floor(a + offset)
    assert below(a, x)
    assert not below(x, a)
    assert below(x, a + 2 * offset)


def test_what_cancels_is_a_rational() -> None:
    x, y, big = drawn_exponential(), drawn_exponential(), Fraction(10**98)
    there: Value = x
    for _ in range(7):
        there = quotient(there, big)
    for _ in range(7):
        there = product(there, big)
    assert isinstance(there, Real)
    assert (there.terms, there.unit) == (x.terms, 1)
    assert minus(there, x) == 0
    assert minus(added(x, y), added(y, x)) == 0
    assert minus(product(added(x, y), minus(x, y)), minus(product(x, x), product(y, y))) == 0
    assert not below(x, there)
    assert settled(added(Fraction(3), minus(x, there)), floor) == 3


def test_a_tiny_rest_beside_a_whole_number_is_seen() -> None:
    """What a runner with a fixed number of bits takes for the whole number itself."""
    x = product(Fraction(1, 10**5000), drawn_exponential())
    assert settled(added(Fraction(7), x), floor) == 7
    assert settled(minus(Fraction(7), x), floor) == 6
    assert below(Fraction(7), added(Fraction(7), x))
    late = minus(product(Fraction(10**500), drawn_uniform()), ONE)
    rest = minus(late, Fraction(settled(late, floor)))
    assert 0 <= settled(rest, lambda value: floor(value * 2**20)) < 2**20


def test_a_quotient_by_nothing_is_nothing_and_by_noise_is_refused() -> None:
    x = drawn_exponential()
    assert quotient(ONE, ZERO) == quotient(x, minus(x, x)) == 0
    with pytest.raises(Refused, match="divided by noise"):
        quotient(ONE, x)


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
    value = function(word, Fraction(argument))
    assert isinstance(value, Real)
    low, high = map(float, value.between(64))
    assert low == pytest.approx(expected, rel=1e-12)
    assert high == pytest.approx(expected, rel=1e-12)
    assert minus(value, function(word, Fraction(argument))) == 0


def test_functions_that_are_rational_are_exact() -> None:
    assert function("ln", ONE) == ZERO
    assert function("exp", ZERO) == ONE
    assert function("sqrt", Fraction(9, 4)) == Fraction(3, 2)
    two = function("sqrt", Fraction(2))
    assert product(two, two) == 2
    assert product(added(two, ONE), minus(two, ONE)) == 1
    assert quotient(ONE, added(two, ONE)) != 0
    assert minus(quotient(ONE, added(two, ONE)), minus(two, ONE)) == 0
    assert isinstance(product(two, drawn_exponential()), Real)


def test_functions_of_constants() -> None:
    logarithm = function("ln", Fraction(3))
    assert minus(function("exp", added(product(Fraction(2), logarithm), ONE)), product(Fraction(9), function("exp", ONE))) == 0
    root = function("sqrt", product(Fraction(2), logarithm))
    assert float(settled(root, lambda value: floor(value * 10**6))) == math.floor(10**6 * math.sqrt(2 * math.log(3)))
    inverse = quotient(ONE, minus(logarithm, ONE))
    assert isinstance(inverse, Real)
    assert float(inverse.between(64)[0]) == pytest.approx(1 / (math.log(3) - 1))
    near = quotient(ONE, minus(logarithm, Fraction(1098612288668109691395, 10**21)))  # so close to 0 that 64 bits do not tell the side
    assert isinstance(near, Real)
    assert abs(float(near.between(16)[0])) > 10**20


@pytest.mark.parametrize(
    ("attempt", "told"),
    [
        (lambda: function("ln", ZERO), "logarithm"),
        (lambda: function("sqrt", Fraction(-1)), "square root"),
        (lambda: function("exp", Fraction(10**5)), "10,000"),
        (lambda: function("ln", drawn_exponential()), "taken of noise"),
    ],
)
def test_what_has_no_value_is_refused(attempt: Callable[[], Value], told: str) -> None:
    with pytest.raises(Refused, match=told):
        attempt()


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: minus(function("ln", Fraction(6)), added(function("ln", Fraction(2)), function("ln", Fraction(3)))),
        lambda: product(function("exp", ONE), function("sqrt", Fraction(2))),
        lambda: function("ln", function("exp", ONE)),
        lambda: function("exp", function("sqrt", Fraction(2))),
        lambda: function("exp", product(Fraction(1, 2), function("ln", Fraction(4)))),
        lambda: function("sqrt", added(ONE, function("sqrt", Fraction(2)))),
    ],
)
def test_two_irrational_constants_do_not_go_together(attempt: Callable[[], Value]) -> None:
    """ln 6 - ln 2 - ln 3 is 0, and no number of bits says so."""
    with pytest.raises(Mixed):
        attempt()


def test_a_draw_keeps_what_was_decided_about_it() -> None:
    for atom in (reals._Exponential(Uniform(2**62 + k)) for k in range(20)):
        coarse, fine = atom.interval(32), atom.interval(512)
        assert coarse[0] <= fine[0] <= fine[1] <= coarse[1]
        assert atom.ends(32)[0] <= fine[1] * 2**32
        assert atom.ends(32) == atom.ends(32)


def test_a_draw_far_out_takes_more_bits() -> None:
    rare = reals._Exponential(Uniform(1))  # about 63 ln 2: the first 63 bits of the uniform leave a unit of it open
    low, high = rare.ends(32)
    assert 42 << 32 < low <= high < 44 << 32
    assert high - low <= 2


def test_a_long_sum() -> None:
    total: Value = ZERO
    drawn = drawn_exponential()
    for _ in range(3000):
        total = added(ONE, added(total, drawn))
    assert below(Fraction(3000), total)
    assert minus(total, product(Fraction(3000), drawn)) == 3000


def laws() -> list[tuple[str, Callable[[], Value], Callable[[float], float]]]:
    def scaled(bits: int) -> Interval:
        return Fraction(2) - Fraction(1, 1 << bits), Fraction(2) + Fraction(1, 1 << bits)

    return [
        ("exponential", drawn_exponential, lambda x: 1 - math.exp(-x)),
        ("uniform", drawn_uniform, lambda x: x),
        ("normal", drawn_normal, lambda x: (1 + math.erf(x / math.sqrt(2))) / 2),
        ("exponential of scale 2", lambda: drawn_exponential(scaled), lambda x: 1 - math.exp(-x / 2)),
        ("normal of scale 2", lambda: drawn_normal(scaled), lambda x: (1 + math.erf(x / math.sqrt(8))) / 2),
    ]


@pytest.mark.parametrize(("name", "draw", "law"), laws())
def test_draws_have_their_law(name: str, draw: Callable[[], Value], law: Callable[[float], float]) -> None:
    drawn = [settled(draw(), lambda value: floor(value * 2**40)) / 2.0**40 for _ in range(N)]
    assert farthest(drawn, law) < ALARM
    assert farthest([4 * x for x in drawn], law) > ALARM  # another scale is seen: it is more than 2 ALARM off


def test_a_coin_of_a_chance_that_is_known_by_intervals() -> None:
    def chance(bits: int) -> Interval:
        return Fraction(1, 4) - Fraction(1, 1 << bits), Fraction(1, 4)

    assert abs(sum(drawn_coin(chance) for _ in range(N)) / N - 0.25) < ALARM
    assert all(drawn_coin(lambda bits: (ONE, ONE + Fraction(1, 1 << bits))) for _ in range(10))


def test_the_bound_of_the_normal_is_on_the_safe_side() -> None:
    assert Fraction(reals._NORMAL) ** 2 >= Fraction("0.7357588823428847")
