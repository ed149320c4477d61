"""The RAPPOR decoder: detected candidate values with estimated counts and p-values.

Estimates and p-values come from message passing over all candidates
(``hedgerow.local.decode.rappor.message_passing``). The constrained fit of the detected values is a
second, separately labelled answer: weighted least squares with an even background, where shares are
not negative and add up to at most 1. Each share is also at most the rate of every bit of its value,
plus an allowance that holds for all bits at once except with probability 1/1000. The constraints
bias the fit, so the intervals belong to the estimates only. Its solver uses accelerated projected
gradients on the normal equations, and restarts whenever a step goes uphill. Each step ends with the
exact projection onto the constraints, so the answer satisfies them exactly after any number of
steps.

Meaning of a p-value
    The probability that a candidate held by no client scores as much
    (``hedgerow.local.decode.rappor.p_values``). It assumes that the bits of such a candidate are
    spread as if drawn at random, independently of all reports, which is the purpose of a hash
    function. It assumes nothing about frequencies or about values missing from the candidates:
    missing values are part of the noise, which is measured as well as computed. If every candidate
    has a bit of its own there is no hash, and the p-value is the exact binomial one.

Memory
    4 bytes for each candidate, cohort and hash, and about as much again while decoding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.decode.rappor.bit_rates import BitRates
from hedgerow.local.decode.rappor.design_matrix import Candidates
from hedgerow.local.decode.rappor.message_passing import gather_evidence
from hedgerow.local.decode.rappor.p_values import compute_p_values, compute_standard_errors
from hedgerow.numeric.vectorised import Floats, Integers

__all__ = [
    "ConstrainedFit",
    "decode_candidates",
    "fit_constrained",
    "project_to_capped_simplex",
    "solve_least_squares",
]

_MAX_FITTED_VALUES = 500  # values in the constrained fit
_ALLOWANCE_FAILURE = 1e-3  # probability that any cap is too low
_MAX_STEPS = 5000  # of the constrained fit
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class ConstrainedFit:
    """The constrained fit: ``counts`` of the values with these ``codes``, and the share of clients
    in the background.
    """

    codes: Integers
    counts: Floats
    background: float


def decode_candidates(rates: BitRates, candidates: Candidates) -> Estimates:
    """Return unbiased counts of all candidates with standard errors and p-values; ``candidates``
    covers all cohorts, with or without reports.
    """
    seen = _select_reporting_cohorts(rates, candidates)
    if not len(candidates) or not rates.cohorts.size:
        nothing = np.zeros(len(candidates))
        return Estimates(nothing, np.full(len(candidates), np.inf), rates.n, nothing + 1)
    if seen.has_one_bit_each:
        return _estimate_own_bits(rates, seen)
    flat, variances = rates.rates.ravel(), rates.variances.ravel()
    found = gather_evidence(flat, variances, seen)
    errors = compute_standard_errors(found, variances, seen, rates.sizes)
    return Estimates(
        rates.n * found.shares,
        rates.n * errors,
        rates.n,
        compute_p_values(found, flat, variances, seen),
    )


def fit_constrained(rates: BitRates, candidates: Candidates, codes: Integers) -> ConstrainedFit:
    """Fit the first 500 of these candidates and a background by least squares under all
    constraints.
    """
    chosen = codes[:_MAX_FITTED_VALUES]
    seen = _select_reporting_cohorts(rates, candidates).take(chosen)
    weights, target = 1 / rates.variances.ravel(), rates.rates.ravel()
    if not chosen.size or not target.size:
        return ConstrainedFit(chosen, np.zeros(chosen.size), 0.0)
    design = np.zeros((chosen.size + 1, seen.cell_count + 1))
    np.put_along_axis(design[:-1], seen.cell_indices, 1.0, axis=1)
    design[-1] = seen.load
    design = design[:, :-1]
    allowance = -ndtri(_ALLOWANCE_FAILURE / target.size) * np.sqrt(rates.variances.ravel())
    limits = np.append(target + allowance, np.inf)
    caps = np.clip(limits[seen.cell_indices].min(axis=1), 0.0, 1.0)
    weighted = design * weights
    shares = solve_least_squares(weighted @ design.T, weighted @ target, np.append(caps, 1.0))
    return ConstrainedFit(chosen, rates.n * shares[:-1], float(shares[-1]))


def project_to_capped_simplex(point: Floats, caps: Floats, total: float = 1.0) -> Floats:
    """Return the nearest point with 0 <= x <= caps and a sum of at most ``total``: subtract one
    number everywhere and clip.
    """
    inside = np.clip(point, 0.0, caps)
    if inside.sum() <= total:
        return inside
    low, high = 0.0, float(point.max())
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if np.clip(point - middle, 0.0, caps).sum() > total else (low, middle)
        )
    return np.clip(point - high, 0.0, caps)


def solve_least_squares(gram: Floats, target: Floats, caps: Floats) -> Floats:
    """Minimise x'Gx/2 - t'x under the constraints, with G = ``gram`` and t = ``target``."""
    if not target.size:
        return np.zeros(0)
    step = 1 / max(float(np.linalg.eigvalsh(gram)[-1]), 1e-300)
    here = ahead = project_to_capped_simplex(np.zeros(target.size), caps)
    speed = 1.0
    for _ in range(_MAX_STEPS):
        after = project_to_capped_simplex(ahead - step * (gram @ ahead - target), caps)
        moved = after - here
        if (ahead - after) @ moved > 0:  # uphill: restart
            speed = 1.0
        faster = (1 + np.sqrt(1 + 4 * speed * speed)) / 2
        ahead = after + (speed - 1) / faster * moved
        here, speed = after, faster
        if np.abs(moved).max() < _TOLERANCE * max(float(here.max()), 1e-6):
            break
    return here


def _estimate_own_bits(rates: BitRates, candidates: Candidates) -> Estimates:
    """Estimate counts if every candidate has its own bit: an absent candidate's reports are then
    binomial over all cohorts.
    """
    shown = (
        float(rates.clear_probability)
        + float(rates.set_probability - rates.clear_probability) * rates.rates
    )
    reported = np.rint((shown * rates.sizes[:, None]).sum(axis=0)).astype(np.int64)
    bits = candidates.cell_indices[:, 0] % candidates.bits
    return Estimates.from_support(
        reported[bits], rates.n, rates.set_probability, rates.clear_probability
    )


def _select_reporting_cohorts(rates: BitRates, candidates: Candidates) -> Candidates:
    """Return the candidates restricted to the cohorts that have reports."""
    if rates.rates.shape[1] != candidates.bits or (rates.cohorts >= candidates.cohorts).any():
        raise InvalidArgument(
            "candidates",
            "must have the cohorts and bits of the reports",
            (candidates.cohorts, candidates.bits),
        )
    if candidates.bits < 2:
        raise InvalidArgument(
            "candidates",
            "must have filters of at least 2 bits: one bit alone tells no value from another",
            1,
        )
    return (
        candidates
        if rates.cohorts.size == candidates.cohorts
        else candidates.select_cohorts(rates.cohorts)
    )
