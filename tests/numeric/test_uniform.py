"""Uniform integers and coins: same bits same outcome, and fair."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import goodness
from goodness import ALARM, FAR
from hedgerow.errors import InvalidArgument
from hedgerow.numeric import uniform
from hedgerow.numeric.uniform import bernoulli, uniform_integers
from numeric.feeding import HIGH, LOW, continue_with

N = 200_000
TOP = (1 << 64) - 1


def giving(*columns: list[int]) -> Callable[[int], np.ndarray]:
    left = list(columns)
    return lambda count: np.array(left.pop(0), dtype=np.uint64)


@pytest.mark.parametrize("bound", [2, 3, 5, 10, 1000, 1 << 10])
def test_every_integer_comes_equally_often(bound: int) -> None:
    drawn = uniform_integers(bound, N)
    counts = np.bincount(drawn, minlength=bound)
    assert counts.size == bound
    assert goodness.chi_square(counts, np.full(bound, 1 / bound)) > ALARM
    lopsided = np.full(bound, 1.0)
    lopsided[: bound // 2] *= 1.25
    assert goodness.chi_square(counts, lopsided / lopsided.sum()) < ALARM


@pytest.mark.parametrize("bound", [3 << 61, (1 << 62) + 1, (1 << 63) - 1, 1 << 63])
def test_large_bounds_fill_their_range(bound: int) -> None:
    drawn = uniform_integers(bound, 30_000)
    assert drawn.min() >= 0
    assert int(drawn.max()) < bound
    parts = (drawn.astype(object) * 16 // bound).astype(int)
    assert goodness.chi_square(np.bincount(parts, minlength=16), np.full(16, 1 / 16)) > ALARM


def test_one_integer_leaves_no_choice() -> None:
    assert not uniform_integers(1, 1000).any()
    assert uniform_integers(5, 0).size == 0


def test_words_at_or_above_the_bound_are_drawn_again_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    step = 1 << 61  # the leading three bits count
    monkeypatch.setattr(
        uniform, "words", giving([0, 4 * step, 5 * step, 7 * step, TOP, step], [6 * step, 2 * step, 5 * step - 1], [3 * step])
    )
    assert uniform_integers(5, 6).tolist() == [0, 4, 3, 2, 4, 1]


@pytest.mark.parametrize("bound", [0, -1, (1 << 63) + 1])
def test_bounds_out_of_range_are_refused(bound: int) -> None:
    with pytest.raises(InvalidArgument, match=rf"bound must lie between 1 and 2\^63; got {bound}"):
        uniform_integers(bound, 1)


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(1, 2), Fraction(999, 1000), Fraction(1, 10**6), Fraction(2, 7)], ids=str)
def test_coins_have_the_probability_stated(p: Fraction) -> None:
    size = 10**6
    spread = (size * float(p) * float(1 - p)) ** 0.5
    heads = int(bernoulli(p, size).sum())
    if spread > 10:
        assert abs(heads - size * p) < FAR * spread
    else:
        assert heads < 25  # Poisson with mean 1


def test_certain_coins() -> None:
    assert bernoulli(Fraction(1), 1000).all()
    assert not bernoulli(Fraction(0), 1000).any()


@pytest.mark.parametrize("more", [LOW, HIGH])
@pytest.mark.parametrize(
    "p", [Fraction(1, 3), Fraction(2, 3), Fraction(1, 2), Fraction(TOP, 1 << 64), Fraction(1, 10**30), Fraction(5, 1 << 64)], ids=str
)
def test_coins_fall_the_same_way_for_the_same_bits(monkeypatch: pytest.MonkeyPatch, p: Fraction, more: int) -> None:
    threshold = int(p * (1 << 64))
    drawn = sorted({0, 1, TOP, TOP - 1, *(min(max(threshold + step, 0), TOP) for step in (-2, -1, 0, 1, 2))})
    monkeypatch.setattr(uniform, "words", giving(drawn))
    continue_with(monkeypatch, more)
    exact = [(word + Fraction(more, TOP)) / (1 << 64) for word in drawn]
    assert bernoulli(p, len(drawn)).tolist() == [u < p for u in exact]


def test_a_coin_on_the_edge_is_continued_until_it_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    third = (1 << 64) // 3  # the bits of 1/3 repeat, so that continuing with them never decides
    left = [third, third, 0]
    monkeypatch.setattr(uniform, "words", giving([third]))
    monkeypatch.setattr("hedgerow.numeric.lazy.integer", lambda bits: left.pop(0))
    assert bernoulli(Fraction(1, 3), 1).tolist() == [True]
    assert not left


@pytest.mark.parametrize("p", [Fraction(-1, 2), Fraction(3, 2)])
def test_probabilities_out_of_range_are_refused(p: Fraction) -> None:
    with pytest.raises(InvalidArgument, match="p must lie between 0 and 1; got "):
        bernoulli(p, 1)


def test_draws_are_independent() -> None:
    assert abs(goodness.serial_correlation(uniform_integers(1000, N), 1)) < FAR
    assert abs(goodness.serial_correlation(bernoulli(Fraction(1, 3), N).astype(np.int64), 1)) < FAR
