"""Coins: the same bits give the same outcome, with the stated probability."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import goodness
from goodness import FAR
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.samplers import bernoulli_sampler as coins
from hedgerow.numeric.samplers.bernoulli_sampler import bernoulli
from numeric.helpers_chosen_bits import HIGH, LOW, continue_with, giving

N = 200_000
TOP = (1 << 64) - 1


@pytest.mark.parametrize(
    "p",
    [Fraction(1, 3), Fraction(1, 2), Fraction(999, 1000), Fraction(1, 10**6), Fraction(2, 7)],
    ids=str,
)
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
    "p",
    [
        Fraction(1, 3),
        Fraction(2, 3),
        Fraction(1, 2),
        Fraction(TOP, 1 << 64),
        Fraction(1, 10**30),
        Fraction(5, 1 << 64),
    ],
    ids=str,
)
def test_coins_fall_the_same_way_for_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, p: Fraction, more: int
) -> None:
    threshold = int(p * (1 << 64))
    drawn = sorted(
        {0, 1, TOP, TOP - 1, *(min(max(threshold + step, 0), TOP) for step in (-2, -1, 0, 1, 2))}
    )
    monkeypatch.setattr(coins, "draw_words", giving(drawn))
    continue_with(monkeypatch, more)
    exact = [(word + Fraction(more, TOP)) / (1 << 64) for word in drawn]
    assert bernoulli(p, len(drawn)).tolist() == [u < p for u in exact]


def test_a_coin_on_the_boundary_is_refined_until_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    third = (1 << 64) // 3  # the bits of 1/3 repeat, so that continuing with them never decides
    left = [third, third, 0]
    monkeypatch.setattr(coins, "draw_words", giving([third]))
    monkeypatch.setattr(
        "hedgerow.numeric.samplers.lazy_uniform.draw_integer", lambda bits: left.pop(0)
    )
    assert bernoulli(Fraction(1, 3), 1).tolist() == [True]
    assert not left


@pytest.mark.parametrize("p", [Fraction(-1, 2), Fraction(3, 2)])
def test_probabilities_out_of_range_are_refused(p: Fraction) -> None:
    with pytest.raises(InvalidArgument, match="p must lie between 0 and 1; got "):
        bernoulli(p, 1)


def test_coins_are_independent() -> None:
    assert abs(goodness.serial_correlation(bernoulli(Fraction(1, 3), N).astype(np.int64), 1)) < FAR
