"""Many candidates against few noisy cells: approximate message passing, and how far its numbers can be trusted.

Model
    The rate of a cell is the sum of the shares of the values that set it, plus a background that is even on average (values that are not
    among the candidates), plus an error. Candidates hash at random, so that columns of the design look like independent noise to each
    other.

Fit
    Each round estimates every candidate on its own from what the others leave (``estimate`` = its share now + what its cells still hold),
    with one common variance for noise and for all that is not explained, and then shrinks the estimates: posterior means under a prior on
    shares >= 0 that is itself fitted to them. What is left is corrected for having been fitted (Onsager's term: without it candidates would
    see their own shadow). Once it settles, an estimate is unbiased for its candidate and normal with the variance that was estimated.
    The sum of the terms over the cells, the **strain**, says how many numbers were in effect fitted for each cell.

Crossing
    That is a statement about large designs. Under much strain, or where the rounds do not settle, shares are instead fitted on all cohorts
    but some and the estimates are taken from those left out, whose bits the fit has never seen. That costs some power and is honest
    whatever the fit did.

Source
    Donoho, Maleki, Montanari (PNAS 2009); Bayati and Montanari (2011) for the law of the estimates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.local.candidates import Candidates
from hedgerow.numeric.chunk import Floats, Integers

__all__ = ["Evidence", "Fit", "cross", "fit", "gather"]

_ROUNDS = (12, 40)  # the first pass only finds out how much stays unexplained
_KEEP = 0.3  # of the last round, so that rounds do not swing
_SETTLED = 1e-4  # mean square by which cells still move, in units of their variance: no more rounds are needed
_CALM = 1e-2  # the same where rounds run out: single shares may still move, but no other candidate notices
_POINTS = 14  # bumps of the prior beside the one at 0, which has no width
_WIDTH = 0.25  # of a bump, for its place
_LEARNING = 12  # rounds that fit the prior; later ones keep it, so that they can settle
_NEGLIGIBLE = 0.01  # standard errors: a smaller share is 0
_MANY = 20_000  # beyond, rounds look at promising candidates only
_PROMISING = 1.0  # standard errors
_LOOKS = (0, 2, 6)  # rounds that look at all of them
STRAIN = 0.25
FOLDS = 16


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Shrunken shares; what is left in each cell; the weights of cells; how much each candidate's cells say about it."""

    shares: Floats
    left: Floats
    weights: Floats
    information: Floats
    strain: float
    settled: bool


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """An unbiased estimate of every share, its standard error, and the skewness of an absent candidate's estimate."""

    shares: Floats
    errors: Floats
    skewness: float
    crossed: bool


def gather(rates: Floats, variances: Floats, candidates: Candidates) -> Evidence:
    """Estimates of all shares, from rates and variances of all cells."""
    whole = fit(rates, variances, candidates)
    if not whole.settled or whole.strain > STRAIN:
        return cross(rates, variances, candidates)
    score = candidates.sums(whole.weights * whole.left) + whole.information * whole.shares
    return _evidence(score, whole.information, whole.weights, whole.left, candidates.load, crossed=False)


def fit(rates: Floats, variances: Floats, candidates: Candidates) -> Fit:
    """Shares of all candidates together."""
    unexplained = 0.0
    for rounds in _ROUNDS:
        found = _Pass(rates, variances + unexplained, candidates).run(rounds)
        unexplained = max(0.0, float(np.mean(found.left**2) - np.mean(variances)))
    return found


def cross(rates: Floats, variances: Floats, candidates: Candidates, folds: int = FOLDS) -> Evidence:
    """The same, each cohort judged by a fit that has not seen it; with a single cohort by no fit at all."""
    bits, fold = candidates.bits, np.arange(candidates.cohorts) % min(folds, candidates.cohorts)
    parts = [np.flatnonzero(fold == number) for number in range(int(fold.max()) + 1)]
    left, shares = rates.copy(), []
    for part in parts:
        own, rest = _cells(part, bits), np.flatnonzero(~np.isin(np.arange(candidates.cohorts), part))
        seen = _cells(rest, bits)
        shares.append(fit(rates[seen], variances[seen], candidates.only(rest)).shares if rest.size else np.zeros(len(candidates)))
        left[own] -= candidates.only(part).spread(shares[-1])
    unexplained = 0.0
    for _ in range(3):
        weights, centred = 1 / (variances + unexplained), left.copy()
        for part in parts:
            own = _cells(part, bits)
            centred[own] -= np.average(left[own], weights=weights[own])
        unexplained = max(0.0, float(np.mean(centred**2) - np.mean(variances)))
    score, information = np.zeros(len(candidates)), np.zeros(len(candidates))
    for part, fitted in zip(parts, shares, strict=True):
        own, there = _cells(part, bits), candidates.only(part)
        amount = _information(there, weights[own])
        score += there.sums(weights[own] * centred[own]) + amount * fitted
        information += amount
    return _evidence(score, information, weights, centred, candidates.load, crossed=True)


def _cells(cohorts: Integers, bits: int) -> Integers:
    return (cohorts[:, None] * bits + np.arange(bits)).ravel()


def _information(candidates: Candidates, weights: Floats) -> Floats:
    """What the cells of a candidate say about it once the background is taken out; never quite 0."""
    seen = candidates.sums(weights)
    return np.asarray(np.maximum(seen - seen**2 / weights.sum(), 1e-12 * weights.sum()))


def _evidence(score: Floats, information: Floats, weights: Floats, left: Floats, load: float, *, crossed: bool) -> Evidence:
    # Never less than the noise that is known to be there; and as it is an estimate, its own standard error is added.
    scale = max(1.0, float(np.mean(weights * left**2))) * (1 + np.sqrt(2 / left.size))
    pull = weights * left
    size = float(np.sum(pull**2)) ** 1.5
    spread = np.sqrt(load * (1 - load)) if 0 < load < 1 else np.inf
    # An absent candidate sums the pull of cells that it hits at random; rare large pulls make that lean to one side.
    skewness = float((1 - 2 * load) / spread * np.sum(pull**3) / size) if size else 0.0
    return Evidence(score / information, np.sqrt(scale / information), skewness, crossed)


class _Pass:
    """One run of message passing with fixed weights."""

    def __init__(self, rates: Floats, variances: Floats, candidates: Candidates) -> None:
        self._all, self._weights = candidates, 1 / variances
        self._information = _information(candidates, self._weights)
        self._mean = candidates.sums(self._weights) / self._weights.sum()
        self._target = self._centred(rates)
        self._prior, self._points = np.append(0.5, np.full(_POINTS, 0.5 / _POINTS)), np.zeros(_POINTS + 1)

    def run(self, rounds: int) -> Fit:
        shares, left, strain, settled = np.zeros(len(self._all)), self._target, 0.0, False
        some, chosen = self._all, np.arange(len(self._all))
        for turn in range(rounds):
            scale = max(1.0, float(np.mean(self._weights * left**2)))
            if len(self._all) > _MANY and turn in _LOOKS:
                chosen = self._promising(shares, left, scale)
                some = self._all.take(chosen)
            errors = np.sqrt(scale / self._information[chosen])
            estimate = shares[chosen] + some.sums(self._weights * left) / self._information[chosen]
            if turn < _LEARNING:
                self._learn(estimate, errors)
            mean, variance = self._shrink(estimate, errors)
            strain = min(float(np.sum(variance / errors**2)) / left.size, 0.95)
            keep = _KEEP if turn > 1 else 0.0
            fresh = (1 - keep) * mean + keep * shares[chosen]
            fresh[fresh < _NEGLIGIBLE * errors] = 0.0
            shares = np.zeros(len(self._all))
            shares[chosen] = fresh
            after = self._centred(self._target - some.spread(fresh) + fresh @ self._mean[chosen] + strain * left)
            moved = (1 - keep) ** 2 * float(np.mean(self._weights * (after - left) ** 2)) / scale
            left, settled = (1 - keep) * after + keep * left, moved < _CALM
            if moved < _SETTLED:
                break
        return Fit(shares, left, self._weights, self._information, strain, settled)

    def _promising(self, shares: Floats, left: Floats, scale: float) -> Integers:
        score = self._all.sums(self._weights * left) + self._information * shares
        return np.flatnonzero((score > _PROMISING * np.sqrt(scale * self._information)) | (shares > 0))

    def _centred(self, numbers: Floats) -> Floats:
        return np.asarray(numbers - (self._weights @ numbers) / self._weights.sum())

    def _learn(self, estimate: Floats, errors: Floats) -> None:
        """Fit the prior on shares; candidates that were not looked at count as absent."""
        if not estimate.size:
            return
        typical, absent = float(np.median(errors)), len(self._all) - estimate.size
        self._points = np.append(0.0, np.geomspace(0.5 * typical, max(float(estimate.max()), 3 * typical), _POINTS))
        likelihood = self._likelihood(estimate, errors**2)
        for _ in range(3):
            posterior = likelihood * self._prior
            weight = (posterior / posterior.sum(axis=1, keepdims=True)).sum(axis=0)
            weight[0] += absent
            # Every bump keeps the weight of a twentieth of a candidate: else few of them are left, and shares jump between those.
            self._prior = (weight + 1 / _POINTS) / (weight + 1 / _POINTS).sum()

    def _shrink(self, estimate: Floats, errors: Floats) -> tuple[Floats, Floats]:
        """Posterior mean and variance of each share."""
        posterior = self._likelihood(estimate, errors**2) * self._prior
        posterior /= posterior.sum(axis=1, keepdims=True)
        # Within a bump the posterior is normal: between its centre and the estimate, as their variances say.
        noise, width = errors[:, None] ** 2, (_WIDTH * self._points) ** 2
        pull = width / (noise + width)
        centre = self._points + pull * (estimate[:, None] - self._points)
        mean = (posterior * centre).sum(axis=1)
        variance = (posterior * (pull * noise + centre**2)).sum(axis=1) - mean**2
        return mean, np.maximum(variance, 0.0)

    def _likelihood(self, estimate: Floats, noise: Floats) -> Floats:
        """Of each bump of the prior, up to a factor."""
        spread = noise[:, None] + (_WIDTH * self._points) ** 2
        exponent = -0.5 * ((estimate[:, None] - self._points) ** 2 / spread + np.log(spread))
        return np.asarray(np.exp(exponent - exponent.max(axis=1, keepdims=True)))
