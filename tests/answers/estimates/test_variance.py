"""Variances, covariances and correlations from moments: exact without noise, covering with it,
NULL where noise drowned them.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.answers.estimates.estimate import estimate_aggregate
from hedgerow.answers.estimates.variance import VarianceEstimate
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.sql.question import AggregateCall, AggregateFunction

SNAP, OTHER = ClampedGrid(Fraction(1, 2), -10, 90), ClampedGrid(Fraction(3), 0, 40)
NONE = Laplace(Fraction(1, 1000))
GENERATOR = np.random.default_rng(7)
X = GENERATOR.integers(-10, 91, 400)
Y = np.clip(X // 3 + GENERATOR.integers(0, 12, 400), 0, 40)


def basis(values: Any, snap: ClampedGrid, degree: int) -> list[Any]:
    y, w = np.asarray(values, dtype=object) - snap.low, snap.high - snap.low
    return [math.comb(degree, k) * y**k * (w - y) ** (degree - k) for k in range(degree, -1, -1)]


def found(
    function: AggregateFunction, x: Any, y: Any | None, degree: int, law: Any = NONE, draws: int = 1
) -> Any:
    measure = Measure(
        "moments", "v0", SNAP, degree=degree, second=None if y is None else ("v1", OTHER)
    )
    columns = basis(x, SNAP, degree)
    if y is not None:
        columns = [a * b for a, b in itertools.product(columns, basis(y, OTHER, degree))]
    numbers = [[law.sample(int(column.sum())) for _ in range(draws)] for column in columns]
    return estimate_aggregate(AggregateCall("a0", function, measure, "real", "…"), numbers, law)


CASES: list[tuple[AggregateFunction, bool, int, Any]] = [
    ("VAR_POP", False, 2, lambda x, _: np.var(x)),
    ("VAR_SAMP", False, 2, lambda x, _: np.var(x, ddof=1)),
    ("STDDEV_POP", False, 2, lambda x, _: np.std(x)),
    ("STDDEV_SAMP", False, 2, lambda x, _: np.std(x, ddof=1)),
    ("VAR_SAMP", False, 4, lambda x, _: np.var(x, ddof=1)),
    ("COVAR_POP", True, 1, lambda x, y: np.cov(x, y, ddof=0)[0, 1]),
    ("COVAR_SAMP", True, 1, lambda x, y: np.cov(x, y)[0, 1]),
    ("CORR", True, 2, lambda x, y: np.corrcoef(x, y)[0, 1]),
]


@pytest.mark.parametrize(("function", "two", "degree", "truth"), CASES)
def test_without_noise_estimates_equal_numpy(
    function: AggregateFunction, two: bool, degree: int, truth: Any
) -> None:
    for x, y in ((X, Y), (X, 40 - Y)):
        true = float(truth(x / 2, y * 3))
        made = found(function, x, y if two else None, degree)
        assert made.values == [pytest.approx(true)]
        ((low, high),) = made.intervals(0.95)
        assert low - 1e-6 * abs(true) <= true <= high + 1e-6 * abs(true)
        assert high - low < 1e-3 * abs(true)


@pytest.mark.parametrize("law", [Laplace, Gaussian])
@pytest.mark.parametrize(("function", "two", "degree", "truth"), CASES)
def test_intervals_cover(
    function: AggregateFunction, two: bool, degree: int, truth: Any, law: Any
) -> None:
    """300 draws at 80 %: fewer than 195 hits would be a deviation of more than six standard
    errors.
    """
    scale = Fraction(2 * 100**degree * (40**degree if two else 1))
    made = found(function, X, Y if two else None, degree, law(scale), 300)
    true = float(truth(X / 2, Y * 3))
    assert sum(low <= true <= high for low, high in made.intervals(Fraction(8, 10))) > 195
    assert (
        sum(
            low <= value <= high
            for value, (low, high) in zip(made.values, made.intervals(0.99), strict=True)
        )
        == 300
    )


def test_a_value_drowned_by_noise_is_null() -> None:
    law = Laplace(Fraction(10**9))
    spread = VarianceEstimate(
        [[5, -9], [3, 1], [0, -2]], law, SNAP, 100**2, is_sample=False, is_root=False
    )
    assert spread.values[1] is None
    (_, high), _ = spread.intervals(0.95)  # type: ignore[misc]
    assert high == pytest.approx(0.25 * 50**2)
    one = VarianceEstimate([[100**2], [0], [0]], NONE, SNAP, 100**2, is_sample=True, is_root=False)
    assert one.values == [None]
    assert one.intervals(0.95) == [None]
    for function in ("COVAR_SAMP", "CORR"):
        rows = 1 if function == "COVAR_SAMP" else 2
        few = found(function, X[:1], Y[:1], rows)  # type: ignore[arg-type]
        assert few.values == [None]
        assert few.intervals(0.95) in ([None], [(-1.0, 1.0)])
    nothing = found("COVAR_POP", X[:0], Y[:0], 1)
    assert nothing.values == [None]
    ((low, high),) = nothing.intervals(0.95)
    assert low < 0 < high
