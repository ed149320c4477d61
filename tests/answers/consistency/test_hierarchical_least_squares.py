"""Least squares over totals and parts: against a dense solution, against exact laws, and by
draws.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.accuracy.noise_variance import compute_variance
from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.accuracy.weighted_sum import compute_radius
from hedgerow.answers.consistency.hierarchical_least_squares import (
    HierarchyLevel,
    make_consistent,
    round_consistently,
)
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Gaussian, Laplace

ONE = Fraction(1)


def hierarchy(fans: list[int], laws: list[Any], numbers: list[list[int]]) -> list[HierarchyLevel]:
    """Parts lie beside each other, under one total."""
    parents: list[list[int]] = [
        [],
        *(
            [place // fan for place in range(len(at))]
            for fan, at in zip(fans, numbers[1:], strict=True)
        ),
    ]
    levels = zip(numbers, laws, parents, strict=True)
    return [
        HierarchyLevel(
            list(map(Fraction, at)),
            law if isinstance(law, WeightedNoise) else WeightedNoise(((law, ONE),)),
            above,
        )
        for at, law, above in levels
    ]


def dense(levels: list[HierarchyLevel]) -> tuple[Any, Any]:
    """Values and variances of weighted least squares, by matrices."""
    leaves = len(levels[-1].numbers)
    rows, weights, told = [], [], []
    for level in levels:
        wide = leaves // len(level.numbers)
        for place, number in enumerate(level.numbers):
            rows.append(
                [float(place * wide <= leaf < (place + 1) * wide) for leaf in range(leaves)]
            )
            weights.append(1 / compute_variance(level.noise))
            told.append(float(number))
    matrix, weight = np.array(rows), np.array(weights)
    inverse = np.linalg.inv(matrix.T @ (weight[:, None] * matrix))
    return matrix @ inverse @ matrix.T @ (weight * np.array(told)), np.diag(
        matrix @ inverse @ matrix.T
    )


LAWS = st.builds(
    lambda kind, scale: kind(Fraction(scale, 4)),
    st.sampled_from([Laplace, Gaussian]),
    st.integers(2, 200),
)


@st.composite
def hierarchies(draw: st.DrawFn) -> list[HierarchyLevel]:
    fans = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    sizes = [math.prod(fans[:place]) for place in range(len(fans) + 1)]
    numbers = [
        draw(st.lists(st.integers(-(10**6), 10**6), min_size=size, max_size=size)) for size in sizes
    ]
    return hierarchy(fans, [draw(LAWS) for _ in sizes], numbers)


@given(hierarchies())
@settings(derandomize=True, max_examples=60, deadline=None)
def test_consistent_values_are_the_least_squares_solution(levels: list[HierarchyLevel]) -> None:
    made = make_consistent(levels)
    values, variances = dense(levels)
    assert [float(number) for level in made for number in level.numbers] == pytest.approx(
        values.tolist(), rel=1e-6, abs=1e-3
    )
    assert [
        compute_variance(level.noise) for level in made for _ in level.numbers
    ] == pytest.approx(variances.tolist(), rel=1e-8)
    for before, after in zip(levels, made, strict=True):
        assert compute_variance(after.noise) <= compute_variance(before.noise) * (1 + 1e-12)


@given(hierarchies(), st.sampled_from([ONE, Fraction(1, 100), Fraction(1, 3)]))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_doubles_add_up_to_the_last_bit(levels: list[HierarchyLevel], unit: Fraction) -> None:
    made = make_consistent(levels)
    shown = round_consistently(made, unit)
    for level, values, above in zip(made[1:], shown[1:], shown, strict=False):
        for place, total in enumerate(above):
            parts = [
                value
                for value, parent in zip(values, level.parents, strict=True)
                if parent == place
            ]
            assert sum(parts) == sum(reversed(parts)) == total
    fine = min(compute_variance(level.noise) for level in made) ** 0.5 * float(unit) / 2**16
    for level, values in zip(made, shown, strict=True):
        assert all(
            abs(value - float(number * unit)) <= fine * (1 + 1e-6)
            for value, number in zip(values, level.numbers, strict=True)
        )


@given(hierarchies(), st.sampled_from([ONE, Fraction(3)]))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_whole_numbers_add_up(levels: list[HierarchyLevel], unit: Fraction) -> None:
    made = make_consistent(levels)
    shown = round_consistently(made, unit, whole=True)
    for level, values, above in zip(made[1:], shown[1:], shown, strict=False):
        for place, total in enumerate(above):
            assert (
                sum(
                    value
                    for value, parent in zip(values, level.parents, strict=True)
                    if parent == place
                )
                == total
            )
    for level, values in zip(made, shown, strict=True):
        assert all(
            type(value) is int and abs(value - number * unit) < 1
            for value, number in zip(values, level.numbers, strict=True)
        )


def test_a_total_and_two_parts_by_hand() -> None:
    """Variances v, v, v: the total counts 2/3 against its parts 1/3, and they share what is
    lacking.
    """
    made = make_consistent(hierarchy([2], [Laplace(Fraction(50))] * 2, [[120], [30, 60]]))
    assert [[float(number) for number in level.numbers] for level in made] == [
        pytest.approx([110]),
        pytest.approx([40, 70]),
    ]
    old = compute_variance(WeightedNoise(((Laplace(Fraction(50)), ONE),)))
    assert [compute_variance(level.noise) / old for level in made] == pytest.approx([2 / 3, 2 / 3])
    assert old == pytest.approx(2 * 50**2, rel=1e-3)


def test_exact_numbers_stay() -> None:
    quiet, loud = Laplace(Fraction(1, 1000)), Laplace(Fraction(40))
    made = make_consistent(hierarchy([2], [quiet, loud], [[100], [30, 60]]))
    assert list(map(float, made[0].numbers)) == [100]
    assert list(map(float, made[1].numbers)) == [35, 65]
    still = make_consistent(hierarchy([2], [quiet, quiet], [[100], [40, 60]]))
    assert [list(map(float, level.numbers)) for level in still] == [[100], [40, 60]]
    assert round_consistently(still) == [[100.0], [40.0, 60.0]]
    nothing = make_consistent(hierarchy([2], [quiet, quiet], [[0], [0, 0]]))
    assert round_consistently(nothing) == [[0.0], [0.0, 0.0]]


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(1), Fraction(7, 4), Fraction(3)])
@pytest.mark.parametrize("kind", [Laplace, Gaussian])
def test_variances_match_the_noise_distribution(kind: Any, scale: Fraction) -> None:
    law = kind(scale)
    each = [(k, math.exp(law.log_prob(k, 0))) for k in range(-80, 81)]
    assert compute_variance(WeightedNoise(((law, Fraction(1, 2)),))) == pytest.approx(
        sum(k * k * p for k, p in each) / 4, rel=1e-6
    )


@pytest.mark.parametrize("numbers", [[[1], [1, 2, 3]], [[1, 2], [1, 2, 3, 4, 5]]])
def test_parts_are_equally_many(numbers: list[list[int]]) -> None:
    with pytest.raises(InvalidArgument, match="equally many parts"):
        make_consistent(hierarchy([2], [Laplace(ONE)] * 2, numbers))
    with pytest.raises(InvalidArgument, match="equally many parts"):
        make_consistent(
            [
                HierarchyLevel([ONE], WeightedNoise(((Laplace(ONE), ONE),))),
                HierarchyLevel([ONE, ONE], WeightedNoise(((Laplace(ONE), ONE),)), [0]),
            ]
        )


@pytest.mark.parametrize("kind", [Laplace, Gaussian])
def test_intervals_cover_exactly(kind: Any) -> None:
    """A total and two parts: the law of the sum, convolved on the grid of its weights, leaves
    the radius with at most beta.
    """
    for scales in ((1, 1), (1, 3), (4, 2)):
        made = make_consistent(
            hierarchy([2], [kind(Fraction(scale)) for scale in scales], [[0], [0, 0]])
        )
        for level in made:
            law = WeightedNoise(
                tuple((one, Fraction(round(share * 60), 60)) for one, share in level.noise.terms)
            )
            tails = convolved(law, 60)
            for beta in (Fraction(1, 3), Fraction(1, 20), Fraction(1, 1000)):
                assert tails(compute_radius(law, (ONE,), beta)) <= beta


def convolved(law: WeightedNoise, grid: int) -> Any:
    """Pr[|sum| > r], by convolution of the chances of each noise in steps of 1/grid."""
    wide, chances = 60, np.ones(1)
    for one, share in law.terms:
        each, step = np.zeros(2 * wide * int(share * grid) + 1), int(share * grid)
        each[::step] = [math.exp(one.log_prob(k, 0)) for k in range(-wide, wide + 1)]
        chances = np.convolve(chances, each)
    where = np.abs(np.arange(len(chances)) - len(chances) // 2)
    return lambda far: float(chances[where > math.floor(far * grid)].sum()) - 1e-12


@pytest.mark.parametrize("kind", [Laplace, Gaussian])
def test_draws_have_the_stated_variance_and_coverage(kind: Any) -> None:
    """20,000 hierarchies of 1, 3 and 6 numbers. The variance of a mean square is (kurtosis -
    1)/20,000 <= 5/20,000 of it, so seven standard errors are 11 %; more than 1,220 of 20,000
    outside at 5 % would be seven as well."""
    fans, laws, runs = [3, 2], [kind(Fraction(20)), kind(Fraction(12)), kind(Fraction(16))], 20_000
    drawn = [
        np.array(law.sample(np.zeros(runs * size, dtype=np.int64))).reshape(runs, size)
        for law, size in zip(laws, (1, 3, 6), strict=True)
    ]
    first = [[[int(number) for number in at[run]] for at in drawn] for run in range(runs)]
    laws_after = [level.noise for level in make_consistent(hierarchy(fans, laws, first[0]))]
    # The map is linear: found on unit vectors, it is applied to all draws at once.
    width = [1, 3, 6]
    units = np.eye(10, dtype=int).tolist()
    images = np.array(
        [
            [
                float(number)
                for level in make_consistent(hierarchy(fans, laws, _split(unit, width)))
                for number in level.numbers
            ]
            for unit in units
        ]
    )
    after = np.split(np.hstack(drawn) @ images, [1, 4], axis=1)
    for law, column, alone, before in zip(laws_after, after, laws, drawn, strict=True):
        for numbers in column.T:
            assert np.mean(np.square(numbers)) == pytest.approx(compute_variance(law), rel=0.11)
            assert (
                np.abs(numbers) > float(compute_radius(law, (ONE,), Fraction(1, 20)))
            ).sum() < 1220
        assert np.mean(np.square(column)) < np.mean(np.square(before))
        assert compute_radius(law, (ONE,), Fraction(1, 20)) < alone.error(Fraction(1, 20))


def _split(numbers: list[int], widths: list[int]) -> list[list[int]]:
    ends = np.cumsum([0, *widths]).tolist()
    return [numbers[start:end] for start, end in pairwise(ends)]


def test_thousands_of_parts_have_an_interval() -> None:
    numbers = [[0], [0] * 5000]
    total, parts = make_consistent(hierarchy([5000], [Laplace(Fraction(30))] * 2, numbers))
    assert len(parts.noise.terms) == 5001
    alone = Laplace(Fraction(30)).error(Fraction(1, 20))
    assert alone * 0.99 < compute_radius(total.noise, (ONE,), Fraction(1, 20)) < alone + 2
    assert alone * 0.99 < compute_radius(parts.noise, (ONE,), Fraction(1, 20)) < alone + 2
