"""Sizes: what arithmetic makes of numbers stays within what it makes of their sizes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.verify.language.interpreter.lazy_draws import draw_exponential
from hedgerow.verify.language.interpreter.lazy_reals import (
    LazyNumber,
    LazyReal,
    MixedConstants,
    apply_function,
    divide,
    multiply,
)
from hedgerow.verify.language.interpreter.lazy_reals import add as sum_of
from hedgerow.verify.language.interpreter.number_sizes import (
    MAX_BITS,
    MAX_DEGREE,
    MAX_FLOOR_BITS,
    MAX_TERMS,
    SizeBound,
    TooLarge,
    bound_floor,
    bound_integer,
    bound_product,
    bound_quotient,
    bound_sum,
    measure_exact,
)

NUMBERS = st.fractions(-(10**30), 10**30, max_denominator=10**20)


def within(value: LazyNumber, size: SizeBound) -> bool:
    rational = isinstance(value, Fraction)
    real = LazyReal({(): value.numerator}, value.denominator, None) if rational else value
    assert isinstance(real, LazyReal)
    return (
        (size.denominator * size.extra_denominator) >= real.denominator
        and all(
            abs(Fraction(number, real.denominator)) <= size.max_coefficient
            for number in real.terms.values()
        )
        and len(real.terms.keys() - {()}) <= size.terms
        and max(map(len, real.terms)) <= size.degree
    )


@given(a=NUMBERS, b=NUMBERS, c=NUMBERS)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_arithmetic_stays_within(a: Fraction, b: Fraction, c: Fraction) -> None:
    x, y, root = draw_exponential(), draw_exponential(), apply_function("sqrt", Fraction(2, 3))
    one = sum_of(multiply(a, x), sum_of(multiply(b, root), c))
    other = sum_of(multiply(c, y), multiply(a, multiply(x, root)))
    noise = SizeBound(terms=1, degree=1)
    large = bound_sum(
        bound_product(measure_exact(a), noise),
        bound_sum(bound_product(measure_exact(b), measure_exact(root)), measure_exact(c)),
    )
    small = bound_sum(
        bound_product(measure_exact(c), noise),
        bound_product(measure_exact(a), bound_product(noise, measure_exact(root))),
    )
    assert within(one, large)
    assert within(other, small)
    assert within(sum_of(one, other), bound_sum(large, small))
    assert within(multiply(one, other), bound_product(large, small))
    assert within(multiply(one, one), bound_product(large, large))
    assert within(divide(one, c), bound_quotient(large, measure_exact(c)))
    assert within(divide(one, root), bound_quotient(large, measure_exact(root)))
    # a number of this size, and no more is known
    hidden = SizeBound(max(1, abs(c.numerator)), c.denominator)
    assert within(divide(one, c), bound_quotient(large, hidden))


def test_what_is_too_large_is_none() -> None:
    limits = (
        SizeBound(1 << MAX_BITS),
        SizeBound(denominator=1 << MAX_BITS),
        SizeBound(denominator=1 << MAX_BITS // 2, extra_denominator=1 << MAX_BITS // 2),
        SizeBound(terms=MAX_TERMS + 1),
        SizeBound(degree=MAX_DEGREE + 1),
    )
    for size in limits:
        with pytest.raises(TooLarge):
            size.check()
    with pytest.raises(TooLarge):
        bound_floor(SizeBound(1 << MAX_FLOOR_BITS, terms=1, degree=1))
    assert bound_floor(SizeBound(1 << MAX_FLOOR_BITS)) == SizeBound(1 << MAX_FLOOR_BITS)
    assert bound_integer(MAX_BITS - 1).check().max_coefficient == 1 << MAX_BITS - 1
    with pytest.raises(MixedConstants):
        bound_sum(
            measure_exact(apply_function("ln", Fraction(2))),
            measure_exact(apply_function("exp", Fraction(2))),
        ).check()


def test_joining_forgets_what_differs() -> None:
    one, other = measure_exact(Fraction(7, 3)), measure_exact(Fraction(-11, 2))
    joined = one.join(other)
    assert (joined.max_coefficient, joined.denominator, joined.exact) == (6, 6, None)
    assert one.join(one) == one
    assert one.shape == measure_exact(Fraction(7, 3)).shape != other.shape
