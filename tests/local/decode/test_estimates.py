"""Estimates: intervals, error control, and counts cleaned afterwards."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.special import ndtr

from goodness import FAR
from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.estimates import (
    Estimates,
    base_cut,
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    norm_sub,
)
from hedgerow.local.protocols import KAry, Projective


def test_p_values_are_exact_binomial_tails() -> None:
    n, q = 20, Fraction(1, 5)
    hits = np.array([0, 1, 4, 9, 20])
    found = Estimates.from_support(hits, n, Fraction(3, 5), q).p_values
    exact = [
        float(sum(comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(h, n + 1))) for h in hits
    ]
    assert found == pytest.approx(exact, rel=1e-12)
    # where a 0 is the evidence
    mirrored = Estimates.from_support(n - hits, n, Fraction(2, 5), 1 - q).p_values
    assert mirrored == pytest.approx(exact, rel=1e-12)


def test_counts_and_errors_from_support() -> None:
    found = Estimates.from_support(np.array([30, 10]), 40, Fraction(3, 4), Fraction(1, 4))
    assert found.counts.tolist() == [40.0, 0.0]
    assert found.shares.tolist() == [1.0, 0.0]
    assert found.standard_errors == pytest.approx([(40 * 3 / 16) ** 0.5 / 0.5] * 2)


def test_without_a_law_the_normal_one_is_used() -> None:
    found = Estimates(np.array([2.0, 0.0, 1.0, -1.0]), np.array([1.0, 1.0, 0.0, 0.0]), 10)
    assert found.p_values.tolist() == [float(ndtr(-2)), 0.5, 0.0, 1.0]


def test_nobody_reported() -> None:
    found = Estimates.from_support(np.zeros(3, dtype=np.int64), 0, Fraction(3, 4), Fraction(1, 4))
    assert found.p_values.tolist() == [1, 1, 1]
    assert found.shares.tolist() == [0, 0, 0]
    assert not found.detect().any()
    assert norm_sub(found).counts.tolist() == [0, 0, 0]


def test_intervals() -> None:
    found = Estimates(np.array([10.0, 0.0]), np.array([1.0, 2.0]), 100)
    low, high = found.intervals(0.95)
    assert low == pytest.approx([10 - 1.959964, -3.919928], rel=1e-6)
    assert high == pytest.approx([10 + 1.959964, 3.919928], rel=1e-6)
    assert found.intervals(0.95, together=True)[1] == pytest.approx(
        [10 + 2.241403, 2 * 2.241403], rel=1e-6
    )
    with pytest.raises(InvalidArgument, match="confidence"):
        found.intervals(1)


def test_intervals_cover() -> None:
    scheme, n, rounds = KAry(50, 20000), 5_000, 200
    values = np.arange(n) % 50
    covered = 0
    for _ in range(rounds):
        low, high = scheme.estimate(scheme.aggregate(scheme.encode(values))).intervals(0.9)
        covered += int(((low <= 100) & (high >= 100)).sum())
    total = rounds * 50
    # The normal law, not an exact one: 1 % of room beside the noise of the test itself.
    assert abs(covered / total - 0.9) < 0.01 + FAR * (0.09 / total) ** 0.5


def test_bonferroni() -> None:
    assert bonferroni([0.01, 0.0126, 0.0124, 0.9], 0.05).tolist() == [True, False, True, False]
    assert bonferroni([], 0.05).size == 0


def test_benjamini_hochberg_takes_the_last_that_passes() -> None:
    # At 0.05 of five: limits 0.01, 0.02, 0.03, 0.04, 0.05. The third misses its own, and passes
    # with the fourth.
    assert benjamini_hochberg([0.04, 0.5, 0.035, 0.005, 0.02], 0.05).tolist() == [
        True,
        False,
        True,
        True,
        True,
    ]
    assert benjamini_hochberg([0.02, 0.5, 0.6], 0.05).tolist() == [False, False, False]
    assert benjamini_hochberg([], 0.05).size == 0


def test_benjamini_yekutieli_divides_the_level_by_a_harmonic_sum() -> None:
    p = [0.001, 0.004, 0.02, 0.5, 0.9]
    assert (
        benjamini_yekutieli(p, 0.05).tolist()
        == benjamini_hochberg(p, 0.05 / (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5)).tolist()
    )
    assert benjamini_yekutieli(p, 0.05).tolist() == [True, True, False, False, False]
    assert benjamini_hochberg(p, 0.05).tolist() == [True, True, True, False, False]
    assert benjamini_yekutieli([], 0.05).size == 0


def test_benjamini_hochberg_finds_all_that_bonferroni_does() -> None:
    p = np.linspace(0, 1, 200) ** 4
    strict, loose = bonferroni(p, 0.1), benjamini_hochberg(p, 0.1)
    assert (strict <= loose).all()
    assert strict.sum() < loose.sum()


@pytest.mark.long
def test_error_control_holds_over_many_collections() -> None:
    scheme, n, level, rounds = Projective.calibrate(domain=300, epsilon=1), 20_000, 0.2, 400
    # a few values only; codes from 10 on are absent
    values = np.where(np.arange(n) % 5 < 2, np.arange(n) % 10, np.arange(n) % 2)
    absent = np.bincount(values, minlength=300) == 0
    families, shares = 0, 0.0
    for _ in range(rounds):
        found = scheme.estimate(scheme.aggregate(scheme.encode(values)))
        families += bool((found.detect("fwer", level) & absent).any())
        rejected = found.detect("fdr", level)
        shares += float((rejected & absent).sum() / max(1, rejected.sum()))
    room = FAR * (0.16 / rounds) ** 0.5
    assert families / rounds < level + room
    assert families > 0  # the test is not idle: at this level something absent does turn up
    assert shares / rounds < level + room


def test_norm_sub_is_the_nearest_vector_of_counts() -> None:
    found = Estimates(np.array([60.0, 50.0, -20.0, 5.0]), np.ones(4), 100)
    cleaned = norm_sub(found)
    assert cleaned.method == "norm-sub"
    assert cleaned.counts == pytest.approx([55, 45, 0, 0])
    too_few = norm_sub(Estimates(np.array([10.0, -5.0]), np.ones(2), 100))
    assert too_few.counts == pytest.approx([57.5, 42.5])
    assert norm_sub(Estimates(np.array([]), np.array([]), 5)).counts.size == 0


def test_base_cut_keeps_values_detected_family_wise() -> None:
    found = Estimates(np.array([10.0, 1.0, -3.0]), np.ones(3), 100)
    assert (base_cut(found).method, base_cut(found).counts.tolist()) == (
        "base-cut",
        [10.0, 0.0, 0.0],
    )
    assert found.counts.tolist() == [10.0, 1.0, -3.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Estimates(np.zeros(2), np.zeros(3), 5), "one for each count"),
        (lambda: Estimates(np.zeros((2, 2)), np.zeros((2, 2)), 5), "one for each count"),
        (lambda: Estimates(np.zeros(2), np.zeros(2), 5, np.zeros(1)), "one for each count"),
        (lambda: Estimates(np.zeros(1), np.array([-1.0]), 5), "at least 0"),
        (lambda: Estimates(np.zeros(1), np.array([np.nan]), 5), "at least 0"),
        (lambda: Estimates(np.zeros(1), np.zeros(1), -5), "n must"),
        (
            lambda: Estimates(np.zeros(1), np.zeros(1), 5).detect("holm"),
            "control must be one of fwer, fdr",
        ),
        (lambda: bonferroni([2.0]), "between 0 and 1"),
        (lambda: benjamini_hochberg([np.nan]), "between 0 and 1"),
        (lambda: bonferroni([0.5], 0), "level"),
    ],
)
def test_bad_input(make: object, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        make()  # type: ignore[operator]
