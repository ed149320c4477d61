"""Which candidate values were reported through RAPPOR, how many clients hold each, and how sure that is.

Estimates and p-values come from message passing over all candidates (``hedgerow.local.message_passing``). A second, separately labelled
answer is the constrained fit of the detected values: weighted least squares with an even background, shares that are not negative and add
up to at most 1, and each share at most what every bit of the value allows (its rate plus an allowance that holds for all bits at once
except with probability 1/1000). It is biased by its constraints, so intervals are those of the estimates.

What a p-value says
    How likely a candidate that nobody holds would score as much (``hedgerow.local.significance``). It assumes that the bits of such a
    candidate are spread as if drawn at random, independently of everything that was reported: what a hash function is for. It assumes
    nothing about the frequencies, and nothing about values that are missing from the candidates: those count as part of the noise, which is
    measured and not only computed. Where every candidate has a bit of its own there is no hash, and the p-value is the exact one of coins.

Sizes
    Memory is 4 bytes for each candidate, cohort and hash, and about as much again while it runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from hedgerow.errors import InvalidArgument
from hedgerow.local.bit_rates import BitRates
from hedgerow.local.candidates import Candidates
from hedgerow.local.constrained import least_squares
from hedgerow.local.estimates import Estimates
from hedgerow.local.message_passing import gather
from hedgerow.local.significance import p_values, standard_errors
from hedgerow.numeric.chunk import Floats, Integers
from hedgerow.numeric.number import Number

__all__ = ["Fitted", "constrained_fit", "decode", "detect"]

_MOST = 500  # values in the constrained fit
_BROKEN = 1e-3  # how likely any cap is too low


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The constrained fit: ``counts`` of the values with these ``codes``, and the share of clients that is background."""

    codes: Integers
    counts: Floats
    background: float


def decode(rates: BitRates, candidates: Candidates) -> Estimates:
    """Unbiased counts of all candidates with standard errors and p-values. ``candidates`` has all cohorts, with or without reports."""
    seen = _seen(rates, candidates)
    if not len(candidates) or not rates.cohorts.size:
        nothing = np.zeros(len(candidates))
        return Estimates(nothing, np.full(len(candidates), np.inf), rates.n, nothing + 1)
    if seen.one_bit_each:
        return _own_bits(rates, seen)
    flat, variances = rates.rates.ravel(), rates.variances.ravel()
    found = gather(flat, variances, seen)
    errors = standard_errors(found, variances, seen, rates.sizes)
    return Estimates(rates.n * found.shares, rates.n * errors, rates.n, p_values(found, flat, variances, seen))


def detect(estimates: Estimates, control: str = "fdr", level: Number = 0.05) -> Integers:
    """The codes of the candidates that are there, the most frequent first."""
    codes = np.flatnonzero(estimates.detected(control, level))
    return codes[np.argsort(-estimates.counts[codes], kind="stable")]


def constrained_fit(rates: BitRates, candidates: Candidates, codes: Integers) -> Fitted:
    """Least squares of these candidates (the first 500 of them) and a background, with all constraints."""
    chosen = codes[:_MOST]
    seen = _seen(rates, candidates).take(chosen)
    weights, target = 1 / rates.variances.ravel(), rates.rates.ravel()
    if not chosen.size or not target.size:
        return Fitted(chosen, np.zeros(chosen.size), 0.0)
    design = np.zeros((chosen.size + 1, seen.cells + 1))
    np.put_along_axis(design[:-1], seen.places, 1.0, axis=1)
    design[-1] = seen.load
    design = design[:, :-1]
    allowance = -ndtri(_BROKEN / target.size) * np.sqrt(rates.variances.ravel())
    limits = np.append(target + allowance, np.inf)
    caps = np.clip(limits[seen.places].min(axis=1), 0.0, 1.0)
    weighted = design * weights
    shares = least_squares(weighted @ design.T, weighted @ target, np.append(caps, 1.0))
    return Fitted(chosen, rates.n * shares[:-1], float(shares[-1]))


def _own_bits(rates: BitRates, candidates: Candidates) -> Estimates:
    """Every candidate has its bit, and how often that was reported in all cohorts is binomial where nobody holds it."""
    shown = float(rates.clear) + float(rates.set_ - rates.clear) * rates.rates
    reported = np.rint((shown * rates.sizes[:, None]).sum(axis=0)).astype(np.int64)
    bits = candidates.places[:, 0] % candidates.bits
    return Estimates.from_support(reported[bits], rates.n, rates.set_, rates.clear)


def _seen(rates: BitRates, candidates: Candidates) -> Candidates:
    """The candidates in the cohorts that have reports."""
    if rates.rates.shape[1] != candidates.bits or (rates.cohorts >= candidates.cohorts).any():
        raise InvalidArgument("candidates", "must have the cohorts and bits of the reports", (candidates.cohorts, candidates.bits))
    if candidates.bits < 2:
        raise InvalidArgument("candidates", "must have filters of at least 2 bits: one bit alone tells no value from another", 1)
    return candidates if rates.cohorts.size == candidates.cohorts else candidates.only(rates.cohorts)
