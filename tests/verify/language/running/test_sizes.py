"""Sizes: what arithmetic makes of numbers stays within what it makes of their sizes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.verify.language.running.reals import (
    Mixed,
    Real,
    Value,
    drawn_exponential,
    function,
    product,
    quotient,
)
from hedgerow.verify.language.running.reals import added as sum_of
from hedgerow.verify.language.running.sizes import (
    DEGREE,
    FLOOR,
    HEIGHT,
    TERMS,
    Size,
    TooLarge,
    added,
    divided,
    exactly,
    floored,
    times,
    whole,
)

NUMBERS = st.fractions(-(10**30), 10**30, max_denominator=10**20)


def within(value: Value, size: Size) -> bool:
    rational = isinstance(value, Fraction)
    real = Real({(): value.numerator}, value.denominator, None) if rational else value
    assert isinstance(real, Real)
    return (
        (size.unit * size.loose) >= real.unit
        and all(abs(Fraction(number, real.unit)) <= size.most for number in real.terms.values())
        and len(real.terms.keys() - {()}) <= size.terms
        and max(map(len, real.terms)) <= size.degree
    )


@given(a=NUMBERS, b=NUMBERS, c=NUMBERS)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_arithmetic_stays_within(a: Fraction, b: Fraction, c: Fraction) -> None:
    x, y, root = drawn_exponential(), drawn_exponential(), function("sqrt", Fraction(2, 3))
    one = sum_of(product(a, x), sum_of(product(b, root), c))
    other = sum_of(product(c, y), product(a, product(x, root)))
    noise = Size(terms=1, degree=1)
    large = added(times(exactly(a), noise), added(times(exactly(b), exactly(root)), exactly(c)))
    small = added(times(exactly(c), noise), times(exactly(a), times(noise, exactly(root))))
    assert within(one, large)
    assert within(other, small)
    assert within(sum_of(one, other), added(large, small))
    assert within(product(one, other), times(large, small))
    assert within(product(one, one), times(large, large))
    assert within(quotient(one, c), divided(large, exactly(c)))
    assert within(quotient(one, root), divided(large, exactly(root)))
    hidden = Size(max(1, abs(c.numerator)), c.denominator)  # a number of this size, and no more is known
    assert within(quotient(one, c), divided(large, hidden))


def test_what_is_too_large_is_none() -> None:
    limits = (
        Size(1 << HEIGHT),
        Size(unit=1 << HEIGHT),
        Size(unit=1 << HEIGHT // 2, loose=1 << HEIGHT // 2),
        Size(terms=TERMS + 1),
        Size(degree=DEGREE + 1),
    )
    for size in limits:
        with pytest.raises(TooLarge):
            size.checked()
    with pytest.raises(TooLarge):
        floored(Size(1 << FLOOR, terms=1, degree=1))
    assert floored(Size(1 << FLOOR)) == Size(1 << FLOOR)
    assert whole(HEIGHT - 1).checked().most == 1 << HEIGHT - 1
    with pytest.raises(Mixed):
        added(exactly(function("ln", Fraction(2))), exactly(function("exp", Fraction(2)))).checked()


def test_joining_forgets_what_differs() -> None:
    one, other = exactly(Fraction(7, 3)), exactly(Fraction(-11, 2))
    joined = one.joined(other)
    assert (joined.most, joined.unit, joined.exact) == (6, 6, None)
    assert one.joined(one) == one
    assert one.shape == exactly(Fraction(7, 3)).shape != other.shape
