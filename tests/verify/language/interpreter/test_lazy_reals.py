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
from hedgerow.numeric.samplers.lazy_uniform import RationalInterval
from hedgerow.verify.language.interpreter.lazy_draws import (
    draw_exponential,
    draw_uniform,
)
from hedgerow.verify.language.interpreter.lazy_reals import (
    Atom,
    LazyNumber,
    LazyReal,
    MixedConstants,
    add,
    apply_function,
    divide,
    evaluate_step,
    is_below,
    multiply,
    sign,
)

ZERO, ONE = Fraction(0), Fraction(1)
RATIONALS = st.fractions(-50, 50, max_denominator=40)


class Known(Atom):
    """A rational in disguise: intervals of a number that is known, so that what is made of it
    can be compared.
    """

    def __init__(self, value: Fraction) -> None:
        super().__init__()
        self.value = value

    def enclose(self, bits: int) -> RationalInterval:
        low = Fraction(floor(self.value * (1 << bits)), 1 << bits)
        return low, low + Fraction(1, 1 << bits)


def known(value: Fraction | int) -> LazyReal:
    return LazyReal({(Known(Fraction(value)),): 1}, 1, None)


def minus(one: LazyNumber, other: LazyNumber) -> LazyNumber:
    return add(one, multiply(Fraction(-1), other))


def holds(value: LazyNumber, exact: Fraction) -> bool:
    if isinstance(value, Fraction):
        return value == exact
    ends = [value.enclose(bits) for bits in (32, 256, 64)]
    return all(low <= exact <= high for low, high in ends) and ends[1][1] - ends[1][0] < Fraction(
        1, 1 << 200
    )


@given(a=RATIONALS, b=RATIONALS, c=RATIONALS)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_arithmetic_holds_the_exact_value(a: Fraction, b: Fraction, c: Fraction) -> None:
    x, y = known(a), known(b)
    assert holds(add(add(c, multiply(c, x)), multiply(Fraction(-2), y)), c + c * a - 2 * b)
    assert holds(multiply(x, y), a * b)
    assert holds(multiply(x, c), a * c)
    assert holds(multiply(add(ONE, x), multiply(y, add(y, c))), (1 + a) * b * (b + c))
    if c:
        assert holds(divide(x, c), a / c)


@given(a=RATIONALS)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_decisions_are_those_of_the_exact_value(a: Fraction) -> None:
    offset = Fraction(1, 1 << 3000)
    x = known(a + offset)
    assert sign(x) == ((a + offset > 0) - (a + offset < 0))
    assert evaluate_step(x, floor) == floor(a + offset)
    assert is_below(a, x)
    assert not is_below(x, a)
    assert is_below(x, a + 2 * offset)


def test_what_cancels_is_a_rational() -> None:
    x, y, big = draw_exponential(), draw_exponential(), Fraction(10**98)
    there: LazyNumber = x
    for _ in range(7):
        there = divide(there, big)
    for _ in range(7):
        there = multiply(there, big)
    assert isinstance(there, LazyReal)
    assert (there.terms, there.denominator) == (x.terms, 1)
    assert minus(there, x) == 0
    assert minus(add(x, y), add(y, x)) == 0
    assert minus(multiply(add(x, y), minus(x, y)), minus(multiply(x, x), multiply(y, y))) == 0
    assert not is_below(x, there)
    assert evaluate_step(add(Fraction(3), minus(x, there)), floor) == 3


def test_a_tiny_rest_beside_a_whole_number_is_seen() -> None:
    """What a runner with a fixed number of bits takes for the whole number itself."""
    x = multiply(Fraction(1, 10**5000), draw_exponential())
    assert evaluate_step(add(Fraction(7), x), floor) == 7
    assert evaluate_step(minus(Fraction(7), x), floor) == 6
    assert is_below(Fraction(7), add(Fraction(7), x))
    late = minus(multiply(Fraction(10**500), draw_uniform()), ONE)
    rest = minus(late, Fraction(evaluate_step(late, floor)))
    assert 0 <= evaluate_step(rest, lambda value: floor(value * 2**20)) < 2**20


def test_a_quotient_by_nothing_is_nothing_and_by_noise_is_refused() -> None:
    x = draw_exponential()
    assert divide(ONE, ZERO) == divide(x, minus(x, x)) == 0
    with pytest.raises(Refused, match="divided by noise"):
        divide(ONE, x)


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
    value = apply_function(word, Fraction(argument))
    assert isinstance(value, LazyReal)
    low, high = map(float, value.enclose(64))
    assert low == pytest.approx(expected, rel=1e-12)
    assert high == pytest.approx(expected, rel=1e-12)
    assert minus(value, apply_function(word, Fraction(argument))) == 0


def test_functions_that_are_rational_are_exact() -> None:
    assert apply_function("ln", ONE) == ZERO
    assert apply_function("exp", ZERO) == ONE
    assert apply_function("sqrt", Fraction(9, 4)) == Fraction(3, 2)
    two = apply_function("sqrt", Fraction(2))
    assert multiply(two, two) == 2
    assert multiply(add(two, ONE), minus(two, ONE)) == 1
    assert divide(ONE, add(two, ONE)) != 0
    assert minus(divide(ONE, add(two, ONE)), minus(two, ONE)) == 0
    assert isinstance(multiply(two, draw_exponential()), LazyReal)


def test_functions_of_constants() -> None:
    logarithm = apply_function("ln", Fraction(3))
    assert (
        minus(
            apply_function("exp", add(multiply(Fraction(2), logarithm), ONE)),
            multiply(Fraction(9), apply_function("exp", ONE)),
        )
        == 0
    )
    root = apply_function("sqrt", multiply(Fraction(2), logarithm))
    assert float(evaluate_step(root, lambda value: floor(value * 10**6))) == math.floor(
        10**6 * math.sqrt(2 * math.log(3))
    )
    inverse = divide(ONE, minus(logarithm, ONE))
    assert isinstance(inverse, LazyReal)
    assert float(inverse.enclose(64)[0]) == pytest.approx(1 / (math.log(3) - 1))
    # so close to 0 that 64 bits do not tell the side
    near = divide(ONE, minus(logarithm, Fraction(1098612288668109691395, 10**21)))
    assert isinstance(near, LazyReal)
    assert abs(float(near.enclose(16)[0])) > 10**20


@pytest.mark.parametrize(
    ("attempt", "told"),
    [
        (lambda: apply_function("ln", ZERO), "ln is applied to a number that is not above 0"),
        (lambda: apply_function("sqrt", Fraction(-1)), "sqrt is applied to a negative number"),
        (lambda: apply_function("exp", Fraction(10**5)), "10,000"),
        (lambda: apply_function("ln", draw_exponential()), "applied to noise"),
    ],
)
def test_what_has_no_value_is_refused(attempt: Callable[[], LazyNumber], told: str) -> None:
    with pytest.raises(Refused, match=told):
        attempt()


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: minus(
            apply_function("ln", Fraction(6)),
            add(apply_function("ln", Fraction(2)), apply_function("ln", Fraction(3))),
        ),
        lambda: multiply(apply_function("exp", ONE), apply_function("sqrt", Fraction(2))),
        lambda: apply_function("ln", apply_function("exp", ONE)),
        lambda: apply_function("exp", apply_function("sqrt", Fraction(2))),
        lambda: apply_function("exp", multiply(Fraction(1, 2), apply_function("ln", Fraction(4)))),
        lambda: apply_function("sqrt", add(ONE, apply_function("sqrt", Fraction(2)))),
    ],
)
def test_two_irrational_constants_do_not_go_together(attempt: Callable[[], LazyNumber]) -> None:
    """ln 6 - ln 2 - ln 3 is 0, and no number of bits says so."""
    with pytest.raises(MixedConstants):
        attempt()


def test_a_long_sum() -> None:
    total: LazyNumber = ZERO
    drawn = draw_exponential()
    for _ in range(3000):
        total = add(ONE, add(total, drawn))
    assert is_below(Fraction(3000), total)
    assert minus(total, multiply(Fraction(3000), drawn)) == 3000
