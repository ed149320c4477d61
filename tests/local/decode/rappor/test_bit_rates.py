from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.rappor.bit_rates import BitRates, compute_report_probabilities

HALF = Fraction(1, 2)


def test_effective_probabilities_of_the_paper() -> None:
    assert compute_report_probabilities(HALF, HALF, Fraction(3, 4)) == (
        Fraction(9, 16),
        Fraction(11, 16),
    )
    # p may exceed q
    assert compute_report_probabilities(HALF, Fraction(3, 4), HALF) == (
        Fraction(11, 16),
        Fraction(9, 16),
    )


@pytest.mark.parametrize(
    ("clear", "set_"), [(Fraction(1, 4), Fraction(3, 4)), (Fraction(3, 4), Fraction(1, 4))]
)
def test_rates_invert_the_expectation(clear: Fraction, set_: Fraction) -> None:
    truth = np.array([[0.0, 0.5], [1.0, 0.25]])
    shown = float(clear) + float(set_ - clear) * truth
    rates = BitRates.of((1000 * shown).astype(np.int64), np.array([1000, 1000]), clear, set_)
    np.testing.assert_allclose(rates.rates, truth, atol=1e-12)
    np.testing.assert_allclose(rates.variances, shown * (1 - shown) / (1000 * 0.25), atol=1e-12)
    assert rates.n == 2000


def test_variance_is_that_of_draws() -> None:
    rng, clear, set_ = np.random.default_rng(1), Fraction(2, 10), Fraction(7, 10)
    counts = rng.binomial(300, 0.7, (4000, 1)) + rng.binomial(700, 0.2, (4000, 1))
    rates = BitRates.of(counts, np.full(4000, 1000), clear, set_)
    # The clients are the same every time here: a variance that also counts their choice is a little
    # larger.
    assert 0.75 < rates.rates.var() / rates.variances.mean() < 1.0


def test_cohorts_without_reports_are_left_out() -> None:
    rates = BitRates.of(
        np.array([[1, 2], [0, 0], [3, 4]]), np.array([5, 0, 6]), Fraction(0), Fraction(99, 100)
    )
    assert rates.cohorts.tolist() == [0, 2]
    assert (rates.variances > 0).all()


@pytest.mark.parametrize(
    ("bits", "sizes", "says"),
    [
        (np.zeros(3, dtype=int), np.zeros(3, dtype=int), "a row for each cohort"),
        (np.zeros((3, 2)), np.zeros(3, dtype=int), "a row for each cohort"),
        (np.zeros((3, 2), dtype=int), np.zeros(2, dtype=int), "a row for each cohort"),
        (np.array([[-1]]), np.array([3]), "between 0 and the reports"),
        (np.array([[4]]), np.array([3]), "between 0 and the reports"),
    ],
)
def test_wrong_counts(bits: np.ndarray, sizes: np.ndarray, says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        BitRates.of(bits, sizes, Fraction(1, 4), HALF)


def test_nothing_said() -> None:
    with pytest.raises(InvalidArgument, match="carry no information"):
        BitRates.of(np.array([[1]]), np.array([3]), HALF, HALF)
