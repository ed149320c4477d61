"""Uniform integers: the same bits give the same outcome, without bias."""

from __future__ import annotations

import numpy as np
import pytest

import goodness
from goodness import ALARM, FAR
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.samplers import uniform_sampler as uniform
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from numeric.helpers_chosen_bits import giving

N = 200_000
TOP = (1 << 64) - 1


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


def test_words_at_or_above_the_bound_are_drawn_again_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    step = 1 << 61  # the leading three bits count
    monkeypatch.setattr(
        uniform,
        "draw_words",
        giving(
            [0, 4 * step, 5 * step, 7 * step, TOP, step],
            [6 * step, 2 * step, 5 * step - 1],
            [3 * step],
        ),
    )
    assert uniform_integers(5, 6).tolist() == [0, 4, 3, 2, 4, 1]


@pytest.mark.parametrize("bound", [0, -1, (1 << 63) + 1])
def test_bounds_out_of_range_are_refused(bound: int) -> None:
    with pytest.raises(InvalidArgument, match=rf"bound must lie between 1 and 2\^63; got {bound}"):
        uniform_integers(bound, 1)


def test_draws_are_independent() -> None:
    assert abs(goodness.serial_correlation(uniform_integers(1000, N), 1)) < FAR
