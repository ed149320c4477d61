"""Settings like those of google/rappor's regression test, drawn exactly but without going through
single reports; and a plain reference.

Given how many clients of a cohort have a bit, the number that report it is a sum of two binomials,
independent of the other bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import nnls

from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.decode.rappor.bit_rates import BitRates, compute_report_probabilities
from hedgerow.local.decode.rappor.design_matrix import Candidates

SHAPES = ("uniform", "exponential", "gauss", "zipf1", "zipf1.5")
# f, p, q
PRIVACY = {
    "eps_1_1": (0.45, 0.39, 0.61),
    "eps_1_5": (0.0, 0.225, 0.775),
    "chrome": (0.5, 0.25, 0.75),
    "demo": (0.2, 0.1, 0.9),
}


@dataclass(frozen=True)
class Setting:
    """``extra``: candidates that nobody holds, for each value; ``missing``: of ``every`` so many
    values the last is not a candidate.
    """

    k: int
    m: int
    privacy: str
    extra: float
    missing: bool
    n: int = 10**6
    values: int = 100
    hashes: int = 2
    every: int = 10


SETTINGS = {
    "typical": Setting(8, 128, "eps_1_1", 0.2, True),
    "sharp": Setting(8, 128, "eps_1_1", 0.0, False),
    "loose": Setting(8, 128, "eps_1_5", 0.2, True),
    "over x2": Setting(8, 128, "eps_1_1", 2.0, True),
    "over x10": Setting(8, 128, "eps_1_1", 10.0, True),
    "demo": Setting(16, 64, "demo", 0.1, True),
    "few cells": Setting(8, 16, "chrome", 1.0, True),
    "long": Setting(128, 128, "chrome", 1.0, True),
    "little data": Setting(8, 128, "eps_1_1", 2.0, True, n=1000),
}


@dataclass(frozen=True, eq=False)
class Case:
    rates: BitRates
    bits: np.ndarray
    truth: np.ndarray
    candidates: Candidates


def shares(shape: str, values: int) -> np.ndarray:
    i = np.arange(1, values + 1)
    weights = {
        "uniform": np.ones(values),
        "exponential": np.exp(-5 * i / values),
        "gauss": np.exp(-0.5 * ((i - values / 2) / (values / 6)) ** 2),
        "zipf1": 1 / i,
        "zipf1.5": i**-1.5,
    }[shape]
    return weights / weights.sum()


def draw(setting: Setting, shape: str, seed: int, swap: bool = False) -> Case:
    """Counts and candidates; ``swap`` exchanges p and q."""
    rng, extra = np.random.default_rng(seed), int(setting.values * setting.extra)
    f, p, q = (Fraction(str(number)) for number in PRIVACY[setting.privacy])
    clear, set_ = (
        compute_report_probabilities(f, q, p) if swap else compute_report_probabilities(f, p, q)
    )
    bits = rng.integers(0, setting.k, (setting.values + extra, setting.m, setting.hashes))
    sizes = rng.multinomial(setting.n, np.full(setting.m, 1 / setting.m))
    counts, held = (
        np.zeros((setting.m, setting.k), dtype=np.int64),
        np.zeros(setting.values + extra, dtype=np.int64),
    )
    for cohort in range(setting.m):
        holders = rng.multinomial(sizes[cohort], shares(shape, setting.values))
        held[: setting.values] += holders
        filters = np.zeros((setting.values, setting.k), dtype=np.int64)
        np.put_along_axis(filters, bits[: setting.values, cohort], 1, axis=1)
        have = holders @ filters
        counts[cohort] = rng.binomial(have, float(set_)) + rng.binomial(
            sizes[cohort] - have, float(clear)
        )
    kept = np.arange(setting.values + extra)
    if setting.missing:
        kept = kept[(kept >= setting.values) | (kept % setting.every != setting.every - 1)]
    return Case(
        BitRates.of(counts, sizes, clear, set_),
        bits[kept],
        held[kept],
        Candidates.of(bits[kept], setting.k),
    )


def reference(case: Case, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of candidates, in two ways. As google/rappor gives them: five fits to noised rates,
    each a lasso of non-negative shares where candidates are many, then least squares of
    non-negative shares with a total of at most 1; the mean over the standard deviation of the fits.
    And the fit to the rates as they are, over the standard errors of least squares: five fits tell
    their spread badly, and this ranks better."""
    rng, (count, m, _) = np.random.default_rng(seed), case.bits.shape
    k = case.rates.rates.shape[1]
    design = np.zeros((count, m, k))
    np.put_along_axis(design, case.bits, 1.0, axis=2)
    design, rates, errors = (
        design.reshape(count, -1).T,
        case.rates.rates.ravel(),
        np.sqrt(case.rates.variances.ravel()),
    )
    few, fits = count <= 0.8 * rates.size, []
    for turn in range(5):
        noised, scale = (
            (rates + rng.normal(size=rates.size) * errors, errors * 2**0.5)
            if turn
            else (rates, errors)
        )
        chosen = np.arange(count) if few else np.flatnonzero(_lasso(design, noised) > 1e-9)
        fits.append(np.zeros(count))
        fits[-1][chosen] = _least_squares(design[:, chosen] / scale[:, None], noised / scale)
    fitted = np.arange(count) if few else np.flatnonzero(fits[0] > 1e-9)
    weighted, plain = design[:, fitted] / errors[:, None], np.zeros(count)
    plain[fitted] = fits[0][fitted] / np.sqrt(np.diag(np.linalg.pinv(weighted.T @ weighted)))
    return np.mean(fits, axis=0) / (np.std(fits, axis=0, ddof=1) + 1e-6), plain


def _least_squares(design: np.ndarray, target: np.ndarray) -> np.ndarray:
    heavy = 1e4 * np.abs(design).max()
    slack = np.zeros((design.shape[0] + 1, design.shape[1] + 1))
    slack[:-1, :-1], slack[-1] = design, heavy
    return nnls(slack, np.append(target, heavy), maxiter=20 * design.shape[1] + 1000)[0][:-1]


def _lasso(design: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The last fit of a path of 25 penalties down to a hundredth of the first, of at most 500
    candidates and 80 % of the cells.
    """
    centred, aim = design - design.mean(axis=0), target - target.mean()
    gram, pull = centred.T @ centred, centred.T @ aim
    step, here, last = 1 / np.linalg.eigvalsh(gram)[-1], np.zeros(pull.size), np.zeros(pull.size)
    for penalty in pull.max() * np.geomspace(1, 0.01, 25)[1:]:
        ahead, speed = here.copy(), 1.0
        for _ in range(150):
            after, faster = (
                np.maximum(ahead - step * (gram @ ahead - pull + penalty), 0),
                (1 + (1 + 4 * speed**2) ** 0.5) / 2,
            )
            ahead, here, speed = after + (speed - 1) / faster * (after - here), after, faster
        if (here > 1e-9).sum() > min(500, 0.8 * target.size):
            break
        last = here.copy()
    return last


def surest(found: Estimates) -> np.ndarray:
    """Scores of candidates as the decoder judges them, by their p-values: those whose estimates
    are below 0 are ranked as well.
    """
    return -np.log(np.maximum(found.p_values, 1e-300))


def recall(scores: np.ndarray, there: np.ndarray, mistakes: int) -> int:
    """How many of those that are there come before one mistake more than allowed."""
    order = np.argsort(-scores, kind="stable")
    return int((there[order] & (np.cumsum(~there[order]) <= mistakes) & (scores[order] > 0)).sum())
