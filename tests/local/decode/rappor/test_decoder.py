from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from depth import many
from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.rappor.bit_rates import BitRates
from hedgerow.local.decode.rappor.decoder import (
    decode_candidates,
    fit_constrained,
    project_to_capped_simplex,
    solve_least_squares,
)
from hedgerow.local.decode.rappor.design_matrix import Candidates
from local.settings import SETTINGS, SHAPES, draw, recall, reference, surest

HALF = Fraction(1, 2)


def mistakes(
    name: str, shape: str, seed: int, swap: bool = False
) -> tuple[float, bool, int, float]:
    """(false share of those detected by fdr, any false by fwer, true ones by fdr, share of
    intervals that hold).
    """
    case = draw(SETTINGS[name], shape, seed, swap)
    found, there = decode_candidates(case.rates, case.candidates), case.truth > 0
    by_share, by_any = found.rank_detected("fdr"), found.rank_detected("fwer")
    low, high = found.intervals(0.95)
    holds = float(((low <= case.truth) & (case.truth <= high)).mean())
    return (
        1 - float(there[by_share].mean()) if by_share.size else 0.0,
        not there[by_any].all(),
        int(there[by_share].sum()),
        holds,
    )


@pytest.mark.long
def test_false_positives_stay_at_the_stated_level_in_all_settings() -> None:
    """Settings with a fixed seed each; tests/slow has many."""
    dealt = [(name, seed, shape) for name in SETTINGS for seed, shape in enumerate(SHAPES)]
    runs = [mistakes(name, shape, seed) for name, seed, shape in dealt[:: max(1, 5 // many(1))]]
    false, some, _, holds = (np.array(column, dtype=float) for column in zip(*runs, strict=True))
    assert false.mean() <= 0.05
    # of at most 45: more has a chance of less than 1 in 100 even if each has 0.05
    assert some.sum() <= 6
    assert holds.mean() >= 0.94


@pytest.mark.parametrize("swap", [False, True])
def test_frequent_values_are_found_whichever_of_p_and_q_is_larger(swap: bool) -> None:
    false, some, found, holds = mistakes("typical", "zipf1", 11, swap)
    assert found >= 15
    assert false <= 0.1
    assert not some
    assert holds > 0.85


def test_little_data_detect_next_to_nothing() -> None:
    assert sum(mistakes("little data", "uniform", seed)[2] for seed in range(3)) <= 1


@pytest.mark.long
def test_recall_at_equal_false_positives_is_no_lower_than_the_reference() -> None:
    """Over all of these settings together, however the reference is ranked; tests/slow compares
    setting by setting.
    """
    gains = np.zeros(2, dtype=int)
    for name, shape in zip(("loose", "over x2", "demo"), SHAPES[1:4], strict=True):
        case = draw(SETTINGS[name], shape, 3)
        there, others = case.truth > 0, reference(case, 3)
        found = surest(decode_candidates(case.rates, case.candidates))
        # what google/rappor's rule lets through
        allowed = int((~there & (others[0] > 2)).sum())
        gains += [recall(found, there, allowed) - recall(other, there, allowed) for other in others]
    assert (gains >= 0).all()


def test_constrained_fit_keeps_its_constraints_and_agrees() -> None:
    case = draw(SETTINGS["sharp"], "zipf1.5", 2)
    found = decode_candidates(case.rates, case.candidates)
    codes = found.rank_detected()
    fitted = fit_constrained(case.rates, case.candidates, codes)
    assert fitted.codes.tolist() == codes.tolist()
    assert (fitted.counts >= 0).all()
    assert fitted.counts.sum() / case.rates.n + fitted.background <= 1 + 1e-9
    assert np.abs(fitted.counts - case.truth[codes]).max() < 6 * found.standard_errors[codes].max()


def test_a_bit_that_nobody_sets_caps_a_share() -> None:
    bits = np.zeros((1, 4, 1), dtype=int)
    # the last cohort shows that nobody holds it
    counts = np.array([[9000, 1000], [9000, 1000], [9000, 1000], [1000, 9000]])
    rates = BitRates.of(counts, np.full(4, 10_000), Fraction(1, 10), Fraction(9, 10))
    fitted = fit_constrained(rates, Candidates.of(bits, 2), np.array([0]))
    assert fitted.counts[0] / rates.n < 0.03


def test_constrained_fit_of_nothing() -> None:
    case = draw(SETTINGS["little data"], "uniform", 1)
    fitted = fit_constrained(case.rates, case.candidates, np.zeros(0, dtype=np.int64))
    assert (fitted.codes.size, fitted.counts.size, fitted.background) == (0, 0, 0.0)


def test_every_value_its_own_bit() -> None:
    """Basic RAPPOR: counts are those of the bits, without a background."""
    counts = np.array([[700, 400, 250, 250], [1400, 800, 500, 500]])
    rates = BitRates.of(counts, np.array([1000, 2000]), Fraction(1, 4), Fraction(3, 4))
    own = np.repeat(np.arange(4)[:, None, None], 2, axis=1)
    found = decode_candidates(rates, Candidates.of(own, 4))
    np.testing.assert_allclose(found.counts, [2700, 900, 0, 0], atol=1e-9)
    assert found.rank_detected("fwer").tolist() == [0, 1]


def test_cohorts_without_reports_and_no_reports_at_all() -> None:
    bits = np.random.default_rng(1).integers(0, 8, (30, 4, 2))
    candidates = Candidates.of(bits, 8)
    counts = np.zeros((4, 8), dtype=np.int64)
    nothing = decode_candidates(
        BitRates.of(counts, np.zeros(4, dtype=int), HALF, Fraction(3, 4)), candidates
    )
    assert nothing.p_values.tolist() == [1.0] * 30
    assert not nothing.rank_detected().size
    counts[1:, :] = 5000
    some = decode_candidates(
        BitRates.of(counts, np.array([0, 10_000, 10_000, 10_000]), HALF, Fraction(3, 4)), candidates
    )
    assert not some.rank_detected().size
    assert (
        decode_candidates(
            BitRates.of(counts, np.full(4, 10_000), HALF, Fraction(3, 4)),
            candidates.take(np.zeros(0, dtype=int)),
        ).counts.size
        == 0
    )


def test_candidates_of_another_design() -> None:
    rates = BitRates.of(np.zeros((4, 8), dtype=int), np.full(4, 10), HALF, Fraction(3, 4))
    for shape, size in (((1, 3, 2), 8), ((1, 4, 2), 9)):
        with pytest.raises(InvalidArgument, match="cohorts and bits of the reports"):
            decode_candidates(rates, Candidates.of(np.zeros(shape, dtype=int), size))
    with pytest.raises(InvalidArgument, match="at least 2 bits"):
        decode_candidates(
            BitRates.of(np.zeros((1, 1), dtype=int), np.array([9]), HALF, Fraction(3, 4)),
            Candidates.of(np.zeros((1, 1, 1), dtype=int), 1),
        )


@pytest.mark.parametrize("seed", range(8))
def test_meets_the_conditions_of_an_optimum(seed: int) -> None:
    """Karush, Kuhn and Tucker: where a share can move both ways the slope is one number, that of
    the total; at 0 more, at a cap less.
    """
    rng = np.random.default_rng(seed)
    design = rng.normal(size=(40, 6)) + 0.5
    target = design @ np.array([0.6, 0.5, -0.2, 0.0, 0.1, 0.3]) * (
        0.5 if seed % 2 else 1.0
    ) + 0.05 * rng.normal(size=40)
    caps = np.array([0.4, 1.0, 1.0, 1.0, 1.0, 0.2])
    gram, pull = design.T @ design, design.T @ target
    found = solve_least_squares(gram, pull, caps)
    assert (found >= 0).all()
    assert (found <= caps).all()
    assert found.sum() <= 1 + 1e-12
    slope = pull - gram @ found  # what the loss gains from a little more of each
    free = (found > 1e-9) & (found < caps - 1e-9)
    price = float(slope[free].mean())
    np.testing.assert_allclose(slope[free], price, atol=1e-6)
    assert (slope[found <= 1e-9] <= price + 1e-6).all()
    assert (slope[found >= caps - 1e-9] >= price - 1e-6).all()
    assert price > 1e-3 if found.sum() > 1 - 1e-9 else abs(price) < 1e-6


def test_projection() -> None:
    caps = np.array([0.5, 1.0, 1.0])
    np.testing.assert_allclose(
        project_to_capped_simplex(np.array([0.2, -0.3, 0.1]), caps), [0.2, 0.0, 0.1]
    )
    np.testing.assert_allclose(
        project_to_capped_simplex(np.array([2.0, 0.7, 0.1]), caps), [0.5, 0.5, 0.0], atol=1e-12
    )


def test_nothing_to_fit() -> None:
    assert solve_least_squares(np.zeros((0, 0)), np.zeros(0), np.zeros(0)).size == 0
