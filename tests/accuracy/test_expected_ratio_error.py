"""What explain says about the error of means and variances is what comes out, at the rows and
means there are.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from database.clinic import exactly
from hedgerow.accuracy.expected_ratio_error import ExpectedRatioError
from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.answers.estimates.estimate import estimate_aggregate
from hedgerow.charts.number_text import format_size
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.sql.question import AggregateCall, AggregateFunction

SNAP, OTHER = ClampedGrid(Fraction(1, 2), -100, 900), ClampedGrid(Fraction(3), 0, 50)
DRAWS = 20_000
GENERATOR = np.random.default_rng(11)
X = np.clip(GENERATOR.normal(150, 200, 3000).round(), -100, 900).astype(int)  # in steps
Y = np.clip(X // 30 + GENERATOR.integers(0, 20, 3000), 0, 50)


def called(function: AggregateFunction, degree: int = 1, *, two: bool = False) -> AggregateCall:
    measure = Measure("moments", "v0", SNAP, degree=degree, second=("v1", OTHER) if two else None)
    return AggregateCall("a0", function, measure, "real", "…")


def basis(values: Any, snap: ClampedGrid, degree: int) -> list[Any]:
    y, w = values - snap.low, snap.high - snap.low
    return [y, w - y] if degree == 1 else [y * y, 2 * y * (w - y), (w - y) * (w - y)]


def measured(call: AggregateCall, law: Any, truth: float) -> tuple[float, float]:
    """The mean error over many draws, and its standard error."""
    degree = call.measure.degree  # type: ignore[union-attr]
    columns = basis(X, SNAP, degree)
    if len(call.measure.columns) == 2:
        columns = [a * b for a in columns for b in basis(Y, OTHER, degree)]
    numbers = [
        (int(column.sum()) + law.sample(np.zeros(DRAWS, dtype=np.int64))).tolist()
        for column in columns
    ]
    off = np.abs(np.array(estimate_aggregate(call, numbers, law).values, dtype=float) - truth)
    return float(off.mean()), float(off.std() / math.sqrt(DRAWS))


CASES: list[tuple[AggregateFunction, int, bool, float]] = [
    ("AVG", 1, False, X.mean() / 2),
    ("AVG", 2, False, X.mean() / 2),
    ("VAR_POP", 2, False, (X / 2).var()),
    ("VAR_SAMP", 2, False, (X / 2).var(ddof=1)),
    ("STDDEV_POP", 2, False, (X / 2).std()),
    ("COVAR_POP", 1, True, np.cov(X / 2, Y * 3.0, ddof=0)[0, 1]),
]


@pytest.mark.parametrize("law", [Laplace, Gaussian])
@pytest.mark.parametrize(("function", "degree", "two", "truth"), CASES)
def test_the_error_is_the_expected_one(
    function: AggregateFunction, degree: int, two: bool, truth: float, law: Any
) -> None:
    """Six standard errors of 20,000 draws, and 0.3 % for what a ratio is not linear."""
    call = called(function, degree, two=two)
    noise = law(Fraction(2 * 1000**degree * (50 if two else 1)))
    found, error = measured(call, noise, truth)
    told = ExpectedRatioError(call, noise).at(
        len(X), X.mean() / 2, None if function == "AVG" else truth, Y.mean() * 3 if two else None
    )
    assert abs(found - told) <= 6 * error + 0.003 * told
    if function != "STDDEV_POP":
        assert told <= ExpectedRatioError(call, noise).most / len(X)


def test_the_worst_is_at_the_bounds() -> None:
    """Over a grid of all means and variances that can be."""
    law = Laplace(Fraction(1000))
    mean, square, both = (
        ExpectedRatioError(called("AVG"), law),
        ExpectedRatioError(called("VAR_POP", 2), law),
        ExpectedRatioError(called("COVAR_POP", two=True), law),
    )
    assert mean.at(1, -50) == pytest.approx(mean.most)
    assert mean.at(1, 200) == pytest.approx(mean.middle)
    assert mean.middle == pytest.approx(0.75 * mean.most, rel=1e-3)
    assert square.middle == square.most
    for m in np.linspace(0, 1, 9):
        assert mean.at(1, -50 + 500 * m) <= mean.most * 1.001
        for share in (0, 0.3, 1):
            assert square.at(1, -50 + 500 * m, share * m * (1 - m) * 500**2) <= square.most * 1.001
            for other in (0, 0.4, 1):
                high = min(m, other) - m * other
                assert (
                    both.at(1, -50 + 500 * m, share * high * 500 * 150, 150 * other)
                    <= both.most * 1.001
                )


def test_a_constant_that_noise_cannot_move_is_not_off() -> None:
    law = WeightedNoise(((Laplace(Fraction(10)), Fraction(1)),))
    assert ExpectedRatioError(called("COVAR_POP", two=True), law).at(5, -50, 0, 0) > 0
    lone = ExpectedRatioError(called("AVG"), law)
    assert lone._compute_expected([Fraction(0)] * 2) == 0


def test_missing_or_superfluous_means_are_refused() -> None:
    law = Laplace(Fraction(10))
    with pytest.raises(InvalidArgument, match="all but AVG"):
        ExpectedRatioError(called("AVG"), law).at(5, 1.0, 2.0)
    with pytest.raises(InvalidArgument, match="all but AVG"):
        ExpectedRatioError(called("VAR_POP", 2), law).at(5, 1.0)
    with pytest.raises(InvalidArgument, match="other mean"):
        ExpectedRatioError(called("COVAR_POP", two=True), law).at(5, 1.0, 2.0)
    with pytest.raises(InvalidArgument, match="number"):
        ExpectedRatioError(called("AVG"), law).at(5, math.nan)


def test_expected_errors_are_described_in_words() -> None:
    with exactly(epsilon=3) as db:
        mean, spread, deviation, corr = db.explain(
            "SELECT AVG(age), VAR_POP(cost), STDDEV(cost), CORR(age, cost) FROM data", epsilon=1
        ).lines
        assert mean.per_row is not None
        assert "for a mean in the middle" in mean.note
        assert (
            f"about {format_size(mean.per_row.most)}/n ({format_size(mean.per_row.middle)}/n"
            in mean.note
        )
        assert "95 %" in mean.note
        assert spread.per_row is not None
        assert "middle" not in spread.note
        assert deviation.note.startswith("its square")
        assert corr.per_row is None
