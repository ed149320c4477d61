from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hedgerow.local.decode.rappor import message_passing
from hedgerow.local.decode.rappor.design_matrix import Candidates
from hedgerow.local.decode.rappor.message_passing import (
    MAX_PARAMETERS_PER_CELL,
    Evidence,
    cross_fit,
    fit_leaving_out,
    fit_shares,
    fit_without,
    gather_evidence,
)
from local.settings import SETTINGS, Setting, draw


def flat(name: str, shape: str, seed: int) -> tuple[np.ndarray, np.ndarray, Candidates, np.ndarray]:
    case = draw(SETTINGS[name], shape, seed)
    return (
        case.rates.rates.ravel(),
        case.rates.variances.ravel(),
        case.candidates,
        case.truth / case.rates.n,
    )


@pytest.mark.parametrize("judge", [gather_evidence, cross_fit])
def test_estimates_are_unbiased(judge: Callable[..., Evidence]) -> None:
    scaled = []
    for seed in range(2):
        rates, variances, candidates, truth = flat("over x2", "zipf1", seed)
        found = judge(rates, variances, candidates, **({"folds": 4} if judge is cross_fit else {}))
        scaled.append((found.shares - truth) * np.sqrt(found.information))
    every = np.concatenate(scaled)  # 580 numbers, nearly independent
    assert abs(every.mean()) < 0.2
    assert 0.9 < every.std() < 1.1


def test_rounds_settle_and_leave_only_noise() -> None:
    rates, variances, candidates, truth = flat("sharp", "zipf1.5", 1)
    found = fit_shares(rates, variances, candidates)
    assert found.converged
    assert 0 < found.parameters_per_cell < MAX_PARAMETERS_PER_CELL
    assert np.mean(found.residuals**2 / found.noise_variances) == pytest.approx(1.0, abs=0.15)
    assert found.shares[0] == pytest.approx(truth[0], rel=0.05)
    assert (found.shares >= 0).all()


def test_strain_leads_to_crossing() -> None:
    case = draw(Setting(8, 20, "demo", 1.0, True), "uniform", 1)
    rates, variances = case.rates.rates.ravel(), case.rates.variances.ravel()
    assert (
        fit_shares(rates, variances, case.candidates).parameters_per_cell > MAX_PARAMETERS_PER_CELL
    )
    assert gather_evidence(rates, variances, case.candidates).is_cross_fitted
    rates, variances, candidates, _ = flat("demo", "zipf1", 1)
    assert not gather_evidence(rates, variances, candidates).is_cross_fitted


def test_few_cohorts_lead_to_crossing() -> None:
    case = draw(Setting(8, 16, "eps_1_1", 0.0, False, n=1000, values=5), "uniform", 1)
    rates, variances = case.rates.rates.ravel(), case.rates.variances.ravel()
    assert (
        fit_shares(rates, variances, case.candidates).parameters_per_cell < MAX_PARAMETERS_PER_CELL
    )
    assert gather_evidence(rates, variances, case.candidates).is_cross_fitted


def test_a_candidate_that_is_not_listed_leaves_what_it_holds() -> None:
    """Check that the bits of the candidate left out do not move the residuals without it."""
    case = draw(Setting(8, 8, "demo", 1.0, False, values=10), "zipf1", 1)
    rates, variances = case.rates.rates.ravel(), case.rates.variances.ravel()
    pulls, score = fit_without(rates, variances, case.candidates, 0)
    assert score == pytest.approx(float(case.candidates.sum_cells(pulls)[0]))
    assert score > 5 * np.sqrt(16 * np.mean(pulls**2))
    moved = case.bits.copy()
    moved[0] = (moved[0] + 1) % 8
    np.testing.assert_array_equal(
        fit_without(rates, variances, Candidates.of(moved, 8), 0)[0], pulls
    )


def scaled(pulls: np.ndarray, scores: np.ndarray | float) -> np.ndarray:
    """Return scores in about standard deviations: a candidate sets a quarter of the cells."""
    return np.asarray(scores) / np.sqrt(np.sum(pulls**2, axis=-1) / 4)


def test_many_are_left_out_at_once_each_of_a_fit_of_its_own() -> None:
    rates, variances, candidates, _ = flat("over x2", "zipf1", 2)
    codes = np.array([0, 12, 60, 200])
    pulls, scores = fit_leaving_out(
        rates, variances, candidates, fit_shares(rates, variances, candidates), codes
    )
    for place, code in enumerate(codes.tolist()):
        assert scores[place] == pytest.approx(float(candidates.sum_cells(pulls[place])[code]))
        alone = scaled(*fit_without(rates, variances, candidates, code))
        assert scaled(pulls[place], scores[place]) == pytest.approx(alone, rel=0.03, abs=0.15)
    listed = candidates.sum_cells(fit_shares(rates, variances, candidates).residuals / variances)
    assert scores[0] > 3 * listed[0]  # what it holds is left for it to explain


def test_the_bits_of_the_one_left_out_do_not_move_what_is_left() -> None:
    case = draw(Setting(8, 32, "chrome", 1.0, True, values=20), "zipf1", 1)
    rates, variances = case.rates.rates.ravel(), case.rates.variances.ravel()
    whole, moved = fit_shares(rates, variances, case.candidates), case.bits.copy()
    moved[3] = (moved[3] + 1) % 8
    before, after = (
        fit_leaving_out(rates, variances, told, whole, np.array([3]))[0]
        for told in (case.candidates, Candidates.of(moved, 8))
    )
    np.testing.assert_allclose(after, before, atol=1e-4 * np.abs(before).max())
    listed = fit_shares(rates, variances, Candidates.of(moved, 8)).residuals - whole.residuals
    assert np.abs(listed).max() > 0.05 * np.abs(whole.residuals).max()


def test_leaving_out_a_candidate_refits_only_the_largest_of_very_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rates, variances, candidates, _ = flat("over x10", "zipf1", 2)
    codes, whole = np.array([5, 30, 700]), fit_shares(rates, variances, candidates)
    every = scaled(*fit_leaving_out(rates, variances, candidates, whole, codes))
    monkeypatch.setattr(message_passing, "_MAX_ACTIVE", 100)
    some = scaled(*fit_leaving_out(rates, variances, candidates, whole, codes))
    assert (some != every).any()
    np.testing.assert_allclose(some, every, rtol=0.05, atol=0.05)
    monkeypatch.setattr(message_passing, "_MAX_STACKED", 1)  # one after the other
    np.testing.assert_allclose(
        scaled(*fit_leaving_out(rates, variances, candidates, whole, codes)),
        some,
        rtol=0.01,
        atol=0.01,
    )


def test_rounds_that_do_not_settle_lead_to_crossing(monkeypatch: pytest.MonkeyPatch) -> None:
    rates, variances, candidates, _ = flat("typical", "zipf1", 1)
    assert not gather_evidence(rates, variances, candidates).is_cross_fitted
    monkeypatch.setattr(message_passing, "_ROUNDS", (1, 2))
    assert gather_evidence(rates, variances, candidates).is_cross_fitted


def test_crossing_never_sees_the_cohorts_it_judges() -> None:
    """Check that reports of a fold change its residuals and the fits of other folds, but not its
    own fit.
    """
    rates, variances, candidates, _ = flat("few cells", "zipf1", 2)
    part, rest = np.array([3]), np.delete(np.arange(16), 3)
    changed = rates.reshape(16, 8).copy()
    changed[part] += 1.0
    kept = (
        changed[rest].ravel(),
        variances.reshape(16, 8)[rest].ravel(),
        candidates.select_cohorts(rest),
    )
    np.testing.assert_array_equal(
        fit_shares(*kept).shares, fit_shares(rates.reshape(16, 8)[rest].ravel(), *kept[1:]).shares
    )


def test_a_single_cohort_is_judged_without_a_fit() -> None:
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 64, (20, 1, 2))
    candidates = Candidates.of(bits, 64)
    rates = candidates.spread_shares(np.append(0.5, np.zeros(19))) + 0.01 * rng.normal(size=64)
    found = gather_evidence(rates, np.full(64, 1e-4), candidates)
    assert not found.fitted_shares.any()
    assert np.argmax(found.shares) == 0
    assert found.shares[0] == pytest.approx(0.5, abs=0.05)


def test_looking_at_promising_candidates_only_changes_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rates, variances, candidates, truth = flat("over x10", "zipf1.5", 4)
    whole = gather_evidence(rates, variances, candidates)
    monkeypatch.setattr(message_passing, "_SCREENING_CANDIDATES", 100)
    some = gather_evidence(rates, variances, candidates)
    scaled = (some.shares - whole.shares) * np.sqrt(whole.information)
    assert np.sqrt(np.mean(scaled**2)) < 0.3
    assert 0.9 < ((some.shares - truth) * np.sqrt(some.information)).std() < 1.1


def test_nobody_promising(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_passing, "_SCREENING_CANDIDATES", 0)
    candidates = Candidates.of(np.random.default_rng(1).integers(0, 8, (5, 4, 2)), 8)
    found = gather_evidence(np.full(32, 0.2), np.full(32, 1e-3), candidates)
    np.testing.assert_allclose(found.shares, 0.0, atol=1e-12)


def test_a_frequent_value_that_is_missing_costs_little() -> None:
    """Raise one cell in 64 by 0.4, which dominates the noise: quiet cells must still be a hundred
    times as precise.
    """
    rng = np.random.default_rng(5)
    bits = rng.integers(0, 128, (400, 64, 2))
    truth = np.append(np.full(20, 0.002), np.zeros(379))
    hidden = Candidates.of(bits[:1], 128).spread_shares(np.array([0.4])) + Candidates.of(
        bits[1:], 128
    ).spread_shares(truth)
    found = gather_evidence(
        hidden + 0.001 * rng.normal(size=hidden.size),
        np.full(hidden.size, 1e-6),
        Candidates.of(bits[1:], 128),
    )
    scaled = (found.shares - truth) * np.sqrt(found.information)
    assert scaled.std() == pytest.approx(1.0, abs=0.15)
    plain = 0.4 * np.sqrt(1 / 64 / (2 * 64))  # the standard error of an average over all cells
    assert (1 / np.sqrt(found.information)).max() < plain / 20
