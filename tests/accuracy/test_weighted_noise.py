"""Averages of several answers to one question."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hedgerow.accuracy.weighted_noise import WeightedNoise, average_releases, select_comparable
from hedgerow.accuracy.weighted_sum import compute_mean_error, compute_radii, compute_radius
from hedgerow.mechanisms import Gaussian, Laplace

FINE, COARSE = Laplace(Fraction(10)), Laplace(Fraction(30))


def test_answers_with_less_noise_get_larger_weights() -> None:
    numbers, law, _ = average_releases([[[100, 10]], [[200, 20]]], [FINE, COARSE])
    # 9 to 1
    assert [[float(number) for number in column] for column in numbers] == [
        pytest.approx([110, 11], rel=1e-5)
    ]
    assert isinstance(law, WeightedNoise)
    assert [one for one, _ in law.terms] == [FINE, COARSE]
    assert sum(share for _, share in law.terms) == 1
    assert average_releases([[[100]]], [FINE]) == ([[100]], FINE, 1)


@pytest.mark.parametrize("kind", [Laplace, Gaussian])
def test_an_average_is_better_than_its_best_part_and_covers(kind: Any) -> None:
    """100,000 draws at 5 %: more than 5,450 outside would be six and a half standard errors."""
    laws = [kind(Fraction(40)), kind(Fraction(50)), kind(Fraction(200))]
    drawn = [[law.sample(np.zeros(100_000, dtype=np.int64)).tolist()] for law in laws]
    (numbers,), law, _ = average_releases(drawn, laws)
    off = np.abs(np.array(numbers, dtype=float))
    far = compute_radius(law, (Fraction(1),), Fraction(1, 20))
    assert 4000 < (off > float(far)).sum() < 5450
    assert far < laws[0].error(Fraction(1, 20))
    assert compute_mean_error(law, (Fraction(1),)) == pytest.approx(off.mean(), rel=0.03)
    assert compute_mean_error(law, (Fraction(1),)) < compute_mean_error(laws[0], (Fraction(1),))


def test_only_the_same_groups_are_averaged() -> None:
    def release(keys: object, threshold: object) -> Any:
        return SimpleNamespace(keys=keys, noise=SimpleNamespace(threshold=threshold))

    same, other, selected = (
        release((("a",),), None),
        release((("b",),), None),
        release((("a",),), 7),
    )
    assert select_comparable([same, same]) == [same, same]
    assert select_comparable([same, other]) == [same]
    assert select_comparable([selected, selected]) == [selected]


def test_parts_of_different_fineness_are_averaged_in_the_finest() -> None:
    """A step has 4 parts in one release and 64 in the other: 100 steps and 100.5, with equal
    noise in steps, and what each may lack.
    """
    coarse, fine = (
        WeightedNoise(((Laplace(Fraction(40)), Fraction(1)),), Fraction(8)),
        WeightedNoise(((Laplace(Fraction(640)), Fraction(1)),), Fraction(32)),
    )
    (numbers,), law, factor = average_releases([[[400]], [[6432]]], [coarse, fine], [4, 64])
    assert factor == 64
    assert isinstance(law, WeightedNoise)
    assert numbers == [Fraction(6416)]
    assert law.bias == Fraction(1, 2) * 16 * 8 + Fraction(1, 2) * 32
    assert [share for _, share in law.terms] == [8, Fraction(1, 2)]


def test_truncation_is_part_of_every_radius() -> None:
    law, weights = Laplace(Fraction(40)), (Fraction(1), Fraction(-1, 2))
    cut = WeightedNoise(((law, Fraction(1)),), Fraction(7))
    assert compute_radius(cut, weights, Fraction(1, 20)) == compute_radius(
        law, weights, Fraction(1, 20)
    ) + 7 * Fraction(3, 2)
    rows = np.array([[1.0, -0.5], [0.0, 2.0]])
    more = compute_radii(cut, rows, 0.05) - compute_radii(law, rows, 0.05)
    assert more == pytest.approx([10.5, 14])
    assert (more >= [10.5, 14]).all()
