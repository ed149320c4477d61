"""Probabilities of intervals against direct sums and known values; cells are a partition."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hedgerow.verify.language.program import Noise
from hedgerow.verify.validation.noise_boxes import NoiseBox, draw_whole_box

F = Fraction
CONTINUOUS = (
    draw_whole_box(Noise.LAPLACE, (F(3, 2),)),
    draw_whole_box(Noise.EXPONENTIAL, (F(2),)),
    draw_whole_box(Noise.GAUSSIAN, (F(1, 2),)),
    draw_whole_box(Noise.UNIFORM, (F(-1), F(4))),
)
GEOMETRIC = draw_whole_box(Noise.GEOMETRIC, (F(3),))


@pytest.mark.parametrize("box", [*CONTINUOUS, GEOMETRIC], ids=lambda one: str(one.noise))
@pytest.mark.parametrize("count", [4, 31])
def test_cells_are_a_partition(box: NoiseBox, count: int) -> None:
    cells = box.cut_into_cells(count)
    assert len(cells) >= 4
    assert sum(one.probability for one in cells) == pytest.approx(1, abs=1e-12)
    assert all(one.is_cell for one in cells)
    ordered = sorted(cells, key=lambda one: one.low)
    assert [one.low for one in ordered[1:]] == [
        one.high + (1 if box.is_integer else 0) for one in ordered[:-1]
    ]


@pytest.mark.parametrize("box", CONTINUOUS, ids=lambda one: str(one.noise))
def test_a_cut_divides_the_probability(box: NoiseBox) -> None:
    low, high = box.cut_at(F(1, 3))
    assert (low.high, high.low) == (F(1, 3), F(1, 3))
    assert low.probability + high.probability == pytest.approx(1, abs=1e-12)
    assert low == box.keep_below(F(1, 3))
    assert high == box.keep_above(F(1, 3))


def test_known_probabilities() -> None:
    laplace = CONTINUOUS[0]
    above = laplace.keep_above(F(3))
    assert above is not None
    assert above.probability == pytest.approx(math.exp(-2) / 2, rel=1e-14)
    around = NoiseBox(Noise.GAUSSIAN, F(1), F(-1), F(2))
    assert around.probability == pytest.approx(0.8185946141203637, rel=1e-13)
    far = NoiseBox(Noise.LAPLACE, F(1), F(50), F(51))
    assert far.probability == pytest.approx(math.exp(-50) * (1 - math.exp(-1)) / 2, rel=1e-13)


def test_integers_are_counted_once() -> None:
    def weigh(low: int, high: int) -> float:
        return NoiseBox(Noise.GEOMETRIC, F(3), F(low), F(high)).probability

    share = (1 - math.exp(-1 / 3)) / (1 + math.exp(-1 / 3))
    for low, high in ((-4, 2), (1, 5), (-3, -3), (0, 0), (7, 9)):
        expected = sum(share * math.exp(-abs(k) / 3) for k in range(low, high + 1))
        assert weigh(low, high) == pytest.approx(expected, rel=1e-12)
    below, at, above = GEOMETRIC.cut_at(F(2))
    assert [(below.high, at.low, at.high, above.low)] == [(1, 2, 2, 3)]
    below, above = GEOMETRIC.cut_at(F(5, 2))
    assert (below.high, above.low) == (2, 3)
    assert GEOMETRIC.keep_below(F(5, 2)) == below
    assert GEOMETRIC.keep_above(F(5, 2)) == above
    assert below.keep_above(F(9)) is None
