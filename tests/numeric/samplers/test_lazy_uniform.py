"""Refined uniforms: nested intervals, consistent bits, no end before the decision is certain."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.numeric.samplers import lazy_uniform as lazy
from hedgerow.numeric.samplers.lazy_uniform import (
    FIRST_BITS,
    LazyUniform,
    refine_floor,
    refine_until_decided,
)
from numeric.helpers_chosen_bits import HIGH, LOW, continue_with, ln, uniform

rounding = Fraction(1, 10**65)  # of the reference, which has 70 digits
words = st.integers(min_value=0, max_value=(1 << 63) - 1)


def test_the_first_bits_are_those_of_the_fast_path() -> None:
    assert FIRST_BITS == 63
    assert LazyUniform(5).bits == 63
    assert LazyUniform(5, 64).bits == 64


@pytest.mark.parametrize("more", [LOW, 12345, HIGH])
@given(word=words)
def test_intervals_are_nested_and_close_in_on_the_same_uniform(word: int, more: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        continue_with(patch, more)
        u, exact = LazyUniform(word), uniform(word, more)
        low, high = u.bounds()
        for _ in range(3):
            assert low <= exact <= high
            assert high - low == Fraction(1, 1 << u.bits)
            u.refine()
            nearer = u.bounds()
            assert low <= nearer[0] < nearer[1] <= high
            low, high = nearer
        e_low, e_high = u.exponential_bounds()
        assert e_low - rounding <= -ln(exact) <= e_high + rounding
        assert e_high - e_low < Fraction(1, 10**15)


def test_refinement_appends_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    continue_with(monkeypatch, 7)
    u = LazyUniform(3)
    u.refine()
    assert (u.numerator, u.bits) == ((3 << 64) + 7, 127)


def test_zero_is_refined_until_it_is_excluded(monkeypatch: pytest.MonkeyPatch) -> None:
    left = [0, 0, 1]
    monkeypatch.setattr(lazy, "draw_integer", lambda bits: left.pop(0))
    u = LazyUniform(0)
    assert u.bounds() == (Fraction(1, 1 << 255), Fraction(2, 1 << 255))
    assert not left


def test_one_is_an_end_like_any_other() -> None:
    low, high = LazyUniform((1 << 63) - 1).exponential_bounds()
    assert low == 0 < high < Fraction(1, 1 << 62)


def test_precision_grows_with_the_bits() -> None:
    u = LazyUniform(1 << 62)
    widths = []
    for _ in range(4):
        low, high = u.exponential_bounds()
        widths.append(high - low)
        assert high - low < Fraction(3, 1 << u.bits)
        u.refine()
    assert widths == sorted(widths, reverse=True)


def test_refinement_repeats_until_decided() -> None:
    u, v = LazyUniform(1), LazyUniform(2, 64)
    answers = [None, None, "yes"]
    assert refine_until_decided(lambda: answers.pop(0), u, v) == "yes"
    assert (u.bits, v.bits) == (63 + 128, 64 + 128)


def test_a_certain_decision_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy, "draw_integer", lambda bits: pytest.fail("no bit was needed"))
    u = LazyUniform(1 << 60)
    assert refine_until_decided(lambda: False, u) is False
    assert refine_floor(lambda: (Fraction(5, 2), Fraction(29, 10)), u) == 2


def test_a_floor_needs_both_ends_on_one_side() -> None:
    u = LazyUniform(1)
    ends = [
        (Fraction(-1, 2), Fraction(1, 2)),
        (Fraction(19, 10), Fraction(2)),
        (Fraction(-1, 2), Fraction(-1, 4)),
    ]
    assert refine_floor(lambda: ends.pop(0), u) == -1
    assert u.bits == 63 + 128


def test_refined_bits_come_from_the_pool() -> None:
    drawn = set()
    for _ in range(50):
        u = LazyUniform(1)
        u.refine()
        drawn.add(u.numerator - (1 << 64))
    assert len(drawn) == 50
    assert all(0 <= bits < 1 << 64 for bits in drawn)
