from __future__ import annotations

import numpy as np
import pytest

from hedgerow.local.decode.rappor import p_values as significance
from hedgerow.local.decode.rappor.design_matrix import Candidates
from hedgerow.local.decode.rappor.message_passing import gather_evidence
from hedgerow.local.decode.rappor.p_values import (
    build_null_distribution,
    compute_p_values,
    compute_standard_errors,
)
from local.settings import Setting, draw


def judged(setting: Setting, shape: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return p-values and a mask of the present candidates."""
    case = draw(setting, shape, seed)
    rates, variances = case.rates.rates.ravel(), case.rates.variances.ravel()
    return (
        compute_p_values(
            gather_evidence(rates, variances, case.candidates), rates, variances, case.candidates
        ),
        case.truth > 0,
    )


@pytest.mark.long
def test_standard_errors_are_the_spread_of_estimates() -> None:
    """A value that four in ten hold, one in twenty, and one that nobody holds, sixty times."""
    scaled = []
    rng = np.random.default_rng(8)
    for _ in range(60):
        bits, n, m, k = rng.integers(0, 16, (30, 24, 2)), 4000, 24, 16
        candidates, truth = (
            Candidates.of(bits, k),
            np.append([0.4, 0.05, 0.0], np.full(27, 0.55 / 27)),
        )
        filters = np.zeros((30, m, k))
        np.put_along_axis(filters, bits, 1.0, axis=2)
        held = np.array([rng.multinomial(n, truth) for _ in range(m)])  # holders in each cohort
        rates = (np.einsum("mv,vmk->mk", held, filters) / n).ravel()
        variances = np.full(m * k, 0.2 / n) + rates * (1 - rates) / n
        found = gather_evidence(
            rates + rng.normal(size=m * k) * (0.2 / n) ** 0.5, variances, candidates
        )
        errors = compute_standard_errors(found, variances, candidates, np.full(m, float(n)))
        scaled.append(((found.shares - held.sum(axis=0) / (m * n)) / errors)[:3])
    spread = np.std(scaled, axis=0)
    # of 60 numbers: a standard error of 0.09
    assert spread == pytest.approx([1.0, 1.0, 1.0], abs=0.3)


@pytest.mark.long
@pytest.mark.parametrize(
    "setting",
    [Setting(8, 4, "chrome", 1.0, True, values=20), Setting(64, 2, "demo", 1.0, True, values=20)],
)
def test_in_few_cohorts_absent_candidates_have_even_p_values(setting: Setting) -> None:
    every = [judged(setting, "zipf1", seed) for seed in range(4)]
    absent = np.concatenate([chances[~there] for chances, there in every])
    assert absent.size >= 80
    assert np.mean(absent < 0.1) < 0.2
    assert absent.min() > 1e-4


def test_a_candidate_that_explains_an_unlisted_value_is_judged_as_if_it_were_not_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One bit in each of four cohorts, without noise to speak of. A value that nobody listed
    shares three of them with a candidate.
    """
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 8, (40, 4, 1))
    hidden = bits[:1].copy()
    hidden[0, 3] = (hidden[0, 3] + 1) % 8
    rates = Candidates.of(hidden, 8).spread_shares(np.array([0.5])) + 0.001 * rng.normal(size=32)
    candidates, variances = Candidates.of(bits, 8), np.full(32, 1e-6)
    found = gather_evidence(rates, variances, candidates)
    chance = compute_p_values(found, rates, variances, candidates)[0]
    # the choices of bits that hit three or four of the value's: 1 + 4 * 7 of 4,096
    assert chance > 29 / 8**4
    monkeypatch.setattr(significance, "_NOTICED_P_VALUE", 0.0)
    assert chance > compute_p_values(found, rates, variances, candidates)[0]


def test_with_few_cells_borderline_candidates_are_refitted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Check that p-values only grow, and only for borderline candidates."""
    setting = Setting(8, 64, "chrome", 2.0, True, values=25, n=100_000)
    twice, _ = judged(setting, "zipf1", 3)
    monkeypatch.setattr(significance, "_FEW_CELLS", 8 * 64 - 1)
    once, _ = judged(setting, "zipf1", 3)
    changed = np.flatnonzero(twice != once)
    assert changed.size
    assert (twice >= once).all()
    assert (once[changed] > 1e-9).all()
    assert (once[changed] <= 0.1 * (once <= once[changed].max()).sum() / once.size).all()


def test_with_few_bits_and_very_many_candidates_only_whoever_may_be_detected_is_judged_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    setting = Setting(8, 4, "chrome", 10.0, True, values=20)
    every, _ = judged(setting, "zipf1", 2)
    monkeypatch.setattr(significance, "_NOTICED_P_VALUE", 0.0)
    once, _ = judged(setting, "zipf1", 2)
    monkeypatch.setattr(significance, "_MAX_NOTICED_CANDIDATES", 10)
    some, _ = judged(setting, "zipf1", 2)
    changed = np.flatnonzero(some != once)
    assert 0 < changed.size < (every != once).sum()
    np.testing.assert_array_equal(some[changed], every[changed])
    assert (once[changed] <= 0.1 * (once <= once[changed].max()).sum() / once.size).all()


@pytest.mark.long
@pytest.mark.parametrize("cohorts", [16, 9])
def test_after_cross_fitting_small_p_values_are_refitted(
    cohorts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that about as many present candidates are found as by cross-fitting, at the stated
    false positive rate.
    """
    setting, every = Setting(8, cohorts, "chrome", 1.0, True), []
    for seed, shape in enumerate(("exponential", "gauss", "zipf1")):
        case = draw(setting, shape, seed)
        rates, variances = case.rates.rates.ravel(), case.rates.variances.ravel()
        found, both = gather_evidence(rates, variances, case.candidates), []
        for noticed in (0.0, 0.02):
            monkeypatch.setattr(significance, "_NOTICED_P_VALUE", noticed)
            both.append(compute_p_values(found, rates, variances, case.candidates))
        every.append(np.array([*both, case.truth > 0]))
    once, twice, held = np.hstack(every)
    there, limit = held > 0, 1e-3
    np.testing.assert_array_equal(twice[once >= 0.02], once[once >= 0.02])
    assert (twice != once).sum() > 20
    assert (twice[there] < limit).sum() > 0.9 * (once[there] < limit).sum()
    assert (twice[~there] < limit).sum() <= 2  # of 300: a third of one is due


def test_where_candidates_crowd_the_crossed_fits_have_the_last_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    setting = Setting(4, 9, "chrome", 8.0, False, values=20)
    once, _ = judged(setting, "zipf1", 1)
    monkeypatch.setattr(significance, "_CROWDED_RATIO", 5)
    assert (judged(setting, "zipf1", 1)[0] != once).any()
    monkeypatch.setattr(significance, "_NOTICED_P_VALUE", 0.0)
    np.testing.assert_array_equal(judged(setting, "zipf1", 1)[0], once)


def test_a_law_is_never_narrower_than_the_coins() -> None:
    case = draw(Setting(8, 32, "chrome", 1.0, True), "zipf1", 1)
    rates, variances = case.rates.rates.ravel(), case.rates.variances.ravel()
    found = gather_evidence(rates, variances, case.candidates)
    assert (
        build_null_distribution(found, 100 * variances, case.candidates).variance
        > 2 * build_null_distribution(found, variances, case.candidates).variance
    )


def test_a_single_candidate() -> None:
    bits = np.random.default_rng(2).integers(0, 16, (1, 8, 1))
    candidates = Candidates.of(bits, 16)
    rates, variances = candidates.spread_shares(np.array([0.5])), np.full(128, 1e-4)
    found = gather_evidence(rates, variances, candidates)
    assert compute_p_values(found, rates, variances, candidates)[0] < 1e-6
