"""Draws of continuous noise: consistent enclosures and the right distribution."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from math import floor

import pytest

from hedgerow.numeric.samplers.lazy_uniform import LazyUniform, RationalInterval
from hedgerow.verify.language.interpreter import lazy_draws
from hedgerow.verify.language.interpreter.lazy_draws import (
    draw_coin,
    draw_exponential,
    draw_normal,
    draw_uniform,
)
from hedgerow.verify.language.interpreter.lazy_reals import (
    Atom,
    LazyNumber,
    evaluate_step,
)
from verify.language.interpreter.farness import ALARM, N, farthest


def make_exponential(first_bits: int) -> Atom:
    uniform = LazyUniform(first_bits)
    enclosure = lazy_draws._enclose_draw(uniform.exponential_bounds, uniform)
    return lazy_draws._EnclosedNumber(enclosure)


def test_a_draw_keeps_what_was_decided_about_it() -> None:
    for atom in (make_exponential(2**62 + k) for k in range(20)):
        coarse, fine = atom.enclose(32), atom.enclose(512)
        assert coarse[0] <= fine[0] <= fine[1] <= coarse[1]
        assert atom.integer_bounds(32)[0] <= fine[1] * 2**32
        assert atom.integer_bounds(32) == atom.integer_bounds(32)


def test_a_draw_far_out_takes_more_bits() -> None:
    # about 63 ln 2: the first 63 bits of the uniform leave a unit of it open
    rare = make_exponential(1)
    low, high = rare.integer_bounds(32)
    assert 42 << 32 < low <= high < 44 << 32
    assert high - low <= 2


def laws() -> list[tuple[str, Callable[[], LazyNumber], Callable[[float], float]]]:
    def scaled(bits: int) -> RationalInterval:
        return Fraction(2) - Fraction(1, 1 << bits), Fraction(2) + Fraction(1, 1 << bits)

    return [
        ("exponential", draw_exponential, lambda x: 1 - math.exp(-x)),
        ("uniform", draw_uniform, lambda x: x),
        ("normal", draw_normal, lambda x: (1 + math.erf(x / math.sqrt(2))) / 2),
        (
            "exponential of scale 2",
            lambda: draw_exponential(scaled),
            lambda x: 1 - math.exp(-x / 2),
        ),
        (
            "normal of scale 2",
            lambda: draw_normal(scaled),
            lambda x: (1 + math.erf(x / math.sqrt(8))) / 2,
        ),
    ]


@pytest.mark.parametrize(("name", "draw", "law"), laws())
def test_draws_follow_their_distribution(
    name: str, draw: Callable[[], LazyNumber], law: Callable[[float], float]
) -> None:
    drawn = [evaluate_step(draw(), lambda value: floor(value * 2**40)) / 2.0**40 for _ in range(N)]
    assert farthest(drawn, law) < ALARM
    # another scale is seen: it is more than 2 ALARM off
    assert farthest([4 * x for x in drawn], law) > ALARM


def test_a_coin_of_a_chance_that_is_known_by_intervals() -> None:
    def chance(bits: int) -> RationalInterval:
        return Fraction(1, 4) - Fraction(1, 1 << bits), Fraction(1, 4)

    assert abs(sum(draw_coin(chance) for _ in range(N)) / N - 0.25) < ALARM
    assert all(draw_coin(lambda bits: (Fraction(1), 1 + Fraction(1, 1 << bits))) for _ in range(10))


def test_the_bound_of_the_normal_is_on_the_safe_side() -> None:
    assert Fraction(lazy_draws._NORMAL_BOUND) ** 2 >= Fraction("0.7357588823428847")
