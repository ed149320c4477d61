"""Correlations and regressions from moments: exact without noise, covering with it, NULL or the
whole range where noise drowned them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from answers.estimates.test_variance import NONE, X, Y, found
from hedgerow.answers.estimates.regression import RegressionEstimate
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.sql.question import AggregateFunction

# The first column is y, the second x: so X is y here.
TRUE_Y, TRUE_X = X / 2, Y * 3
SLOPE = np.cov(TRUE_Y, TRUE_X, ddof=0)[0, 1] / np.var(TRUE_X)
CASES: list[tuple[AggregateFunction, float]] = [
    ("CORR", np.corrcoef(TRUE_Y, TRUE_X)[0, 1]),
    ("REGR_SLOPE", SLOPE),
    ("REGR_INTERCEPT", TRUE_Y.mean() - SLOPE * TRUE_X.mean()),
    ("REGR_R2", np.corrcoef(TRUE_Y, TRUE_X)[0, 1] ** 2),
    ("REGR_AVGX", TRUE_X.mean()),
    ("REGR_AVGY", TRUE_Y.mean()),
    ("REGR_SXX", len(X) * np.var(TRUE_X)),
    ("REGR_SYY", len(X) * np.var(TRUE_Y)),
    ("REGR_SXY", len(X) * np.cov(TRUE_Y, TRUE_X, ddof=0)[0, 1]),
]


@pytest.mark.parametrize(("function", "truth"), CASES)
def test_without_noise_estimates_equal_numpy(function: AggregateFunction, truth: float) -> None:
    made = found(function, X, Y, 2)
    assert made.values == [pytest.approx(truth)]
    ((low, high),) = made.intervals(0.95)
    assert low - 1e-6 * abs(truth) <= truth <= high + 1e-6 * abs(truth)
    assert high - low < 2e-3 * abs(truth)


@pytest.mark.parametrize("law", [Laplace, Gaussian])
@pytest.mark.parametrize(("function", "truth"), CASES)
def test_intervals_cover(function: AggregateFunction, truth: float, law: Any) -> None:
    """300 draws at 80 %: fewer than 195 hits would be a deviation of more than six standard
    errors.
    """
    made = found(function, X, Y, 2, law(Fraction(2 * 100**2 * 40**2)), 300)
    pairs = [pair or (-np.inf, np.inf) for pair in made.intervals(Fraction(8, 10))]
    assert sum(low <= truth <= high for low, high in pairs) > 195
    values = [value for value in made.values if value is not None]
    assert abs(np.median(values) / truth - 1) < 0.1


def test_correlations_are_known_well_where_rows_are_many() -> None:
    made = found("CORR", X, Y, 2, Laplace(Fraction(100**2 * 40**2, 10)))
    ((low, high),) = made.intervals(0.95)
    assert 0.9 < low < made.values[0] < high <= 1
    opposite = found("CORR", X, 40 - Y, 2, Laplace(Fraction(100**2 * 40**2, 10)))
    assert opposite.values[0] == pytest.approx(-made.values[0], abs=0.02)


def test_a_column_that_does_not_vary_has_no_line() -> None:
    same = np.full_like(Y, 7)
    for function in ("REGR_SLOPE", "REGR_INTERCEPT", "REGR_R2", "CORR"):
        assert found(function, X, same, 2).values == [None]  # type: ignore[arg-type]
    for function, wide in (("REGR_SLOPE", None), ("CORR", (-1.0, 1.0)), ("REGR_R2", (0.0, 1.0))):
        assert found(function, X, same, 2).intervals(0.95) == [wide]  # type: ignore[arg-type]
    assert found("REGR_R2", np.full_like(X, 3), Y, 2).values == [1.0]
    assert found("REGR_SLOPE", np.full_like(X, 3), Y, 2).values == [pytest.approx(0)]
    assert found("CORR", np.full_like(X, 3), Y, 2).values == [None]


def test_no_rows_have_no_regression() -> None:
    for function in ("REGR_SLOPE", "REGR_AVGX", "REGR_SXX", "CORR"):
        made = found(function, X[:0], Y[:0], 2)  # type: ignore[arg-type]
        assert made.values == [None]
        assert made.intervals(0.95) == [(-1.0, 1.0) if function == "CORR" else None]
    drowned = found("REGR_SLOPE", X, Y, 2, Laplace(Fraction(10**11)))
    assert isinstance(drowned, RegressionEstimate)
    assert drowned.intervals(0.95) == [None]
    assert found("REGR_SXX", X, Y, 2, NONE).values[0] > 0
