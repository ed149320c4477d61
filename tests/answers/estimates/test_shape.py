"""Skewness and kurtosis from moments: exact without noise, covering with it, NULL where they are
not known."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from answers.estimates.test_variance import X, found
from hedgerow.answers.estimates.shape import ShapeEstimate, _bound_fourth, _bound_third
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.sql.question import AggregateFunction

TILTED = np.minimum(X**2 // 90, 90)


def compute_truth(function: str, values: Any) -> float:
    x, n = np.asarray(values, dtype=float) / 2, len(values)
    m2, m3, m4 = (float(((x - x.mean()) ** power).mean()) for power in (2, 3, 4))
    if function == "SKEWNESS":
        return (n * (n - 1)) ** 0.5 / (n - 2) * m3 / m2**1.5
    if function == "KURTOSIS_POP":
        return m4 / m2**2 - 3
    return (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * m4 / m2**2 - 3 * (n - 1))


CASES: list[tuple[AggregateFunction, int]] = [
    ("SKEWNESS", 3),
    ("SKEWNESS", 4),
    ("KURTOSIS", 4),
    ("KURTOSIS_POP", 4),
]


@pytest.mark.parametrize(("function", "degree"), CASES)
def test_without_noise_estimates_equal_the_definition(
    function: AggregateFunction, degree: int
) -> None:
    truth = compute_truth(function, TILTED)
    made = found(function, TILTED, None, degree)
    assert isinstance(made, ShapeEstimate)
    assert made.values == [pytest.approx(truth)]
    ((low, high),) = made.intervals(0.95)
    assert low <= truth <= high
    assert high - low < 1e-2


@pytest.mark.parametrize("law", [Laplace, Gaussian])
@pytest.mark.parametrize(("function", "degree"), CASES)
def test_intervals_cover(function: AggregateFunction, degree: int, law: Any) -> None:
    """300 draws at 80 %: fewer than 195 hits would be a deviation of more than six standard
    errors.
    """
    truth = compute_truth(function, TILTED)
    made = found(function, TILTED, None, degree, law(Fraction(100**degree, 2)), 300)
    pairs = made.intervals(Fraction(8, 10))
    assert sum(pair is not None for pair in pairs) > 200
    assert (
        sum(low <= truth <= high for low, high in filter(None, pairs))
        > 195 * sum(pair is not None for pair in pairs) / 300
    )


def test_few_or_equal_rows_have_no_shape() -> None:
    for function, degree, rows in (("SKEWNESS", 3, 2), ("KURTOSIS", 4, 3), ("KURTOSIS_POP", 4, 0)):
        few = found(function, np.arange(rows), None, degree)  # type: ignore[arg-type]
        assert few.values == [None]
        assert few.intervals(0.95) == [None]
        same = found(function, np.full(50, 7), None, degree)  # type: ignore[arg-type]
        assert same.values == [None]
    drowned = found("KURTOSIS", X, None, 4, Laplace(Fraction(10**10)))
    assert drowned.intervals(0.95) == [None]


def test_the_moments_of_a_box_are_found_among_its_points() -> None:
    """Against a fine grid of points in random boxes."""
    generator = np.random.default_rng(3)
    for _ in range(60):
        lows = generator.uniform(0, 0.9, 4)
        box = [
            (low, low + wide) for low, wide in zip(lows, generator.uniform(0, 0.1, 4), strict=True)
        ]
        points = [np.linspace(*pair, 7) for pair in box]
        thirds = [e3 - 3 * e1 * e2 + 2 * e1**3 for e1, e2, e3 in itertools.product(*points[:3])]
        fourths = [
            e4 - 4 * e1 * e3 + 6 * e1**2 * e2 - 3 * e1**4
            for e1, e2, e3, e4 in itertools.product(*points)
        ]
        for values, (low, high) in (
            (thirds, _bound_third(box)),
            (fourths, _bound_fourth(box)),
        ):
            assert low <= min(values) + 1e-12
            assert high >= max(values) - 1e-12
            assert high - low <= (max(values) - min(values)) * 1.05 + 1e-9
