"""Many candidates against few noisy cells: approximate message passing, and how far its numbers can be trusted.

Model
    The rate of a cell is the sum of the shares of the values that set it, plus a background that is even on average (values that are not
    among the candidates), plus an error. Candidates hash at random, so that columns of the design look like independent noise to each
    other.

Fit
    Each round estimates every candidate on its own from what the others leave (``estimate`` = its share now + what its cells still hold),
    each cell pulling as ``hedgerow.local.unlisted`` has it, and then shrinks the estimates: posterior means under a prior on shares >= 0
    that is itself fitted to them. What is left is corrected for having been fitted (Onsager's term: without it candidates would see their
    own shadow). Once it settles, an estimate is unbiased for its candidate and normal with the variance that was estimated. The sum of the
    terms over the cells, the **strain**, says how many numbers were in effect fitted for each cell.

Crossing
    That is a statement about large designs. In 16 cohorts or fewer, under much strain, or where the rounds do not settle, shares are
    instead fitted on all cohorts but some, and the estimates are taken from those left out, whose bits the fit has never seen. That costs
    some power and is honest whatever the fit did.

Source
    Donoho, Maleki, Montanari (PNAS 2009); Bayati and Montanari (2011) for the law of the estimates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hedgerow.local.candidates import Candidates, Design
from hedgerow.local.shrinkage import Prior
from hedgerow.local.unlisted import Unlisted
from hedgerow.numeric.chunk import Floats, Integers, Mask

__all__ = ["Evidence", "Fit", "cross", "fit", "gather", "left_out", "without"]

_ROUNDS = (12, 40)  # the first pass only finds out how much stays unexplained
_KEEP = 0.3  # of the last round, so that rounds do not swing
_SETTLED = 1e-4  # mean square by which cells still move, in units of their variance: no more rounds are needed
_CALM = 1e-2  # the same where rounds run out: single shares may still move, but no other candidate notices
_WARM = 6  # rounds before the law of what is left is learnt: at first it is mostly what will be fitted
_LEARNING = 16  # rounds that fit the prior and that law; later ones keep them, so that they can settle
_NEGLIGIBLE = 0.01  # standard errors: a smaller share is 0
_MANY = 4_000  # beyond, rounds look at promising candidates only
_PROMISING = 1.0  # standard errors
_LOOKS = (0, 2, 6)  # rounds that look at all of them
_ACTIVE, _MATRIX = 2_000, 1 << 22  # candidates, and cells of theirs, that move while one is left out
_STACKED = 1 << 15  # candidates of all fits that run at once
STRAIN = 0.25
FOLDS = 16


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Shrunken shares; what is left in each cell with the variance of that, coins and the error of the fit; how cells pull; the prior of
    shares, and the weights of cells. ``strain`` says how many numbers were fitted for each cell."""

    shares: Floats
    left: Floats
    noise: Floats
    law: Unlisted
    prior: Prior
    weights: Floats
    strain: float
    settled: bool


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Of every candidate its score and how much its cells say; an unbiased estimate of its share is the one over the other. Of every cell
    what is left, with the variance of that, its pull, and how much it says. ``fitted[fold[cohort]]`` are the shares that were taken out of
    a cohort; ``whole`` is the fit to all of them, unless cohorts were judged by fits that had not seen them."""

    scores: Floats
    information: Floats
    left: Floats
    noise: Floats
    law: Unlisted
    pulls: Floats
    says: Floats
    fitted: Floats
    fold: Integers
    whole: Fit | None = None

    @property
    def shares(self) -> Floats:
        """The estimates."""
        return self.scores / self.information

    @property
    def crossed(self) -> bool:
        """Whether cohorts were judged by fits that had not seen them."""
        return self.whole is None


def gather(rates: Floats, variances: Floats, candidates: Candidates) -> Evidence:
    """Evidence about all candidates, from rates and variances of all cells."""
    whole = fit(rates, variances, candidates) if candidates.cohorts > FOLDS else None
    if whole is None or not whole.settled or whole.strain > STRAIN:
        return cross(rates, variances, candidates)
    together = np.zeros(candidates.cohorts, dtype=np.int64)
    return replace(_weighed(candidates, whole.left, whole.noise, whole.law, whole.shares[None, :], together), whole=whole)


def fit(rates: Floats, variances: Floats, candidates: Candidates) -> Fit:
    """Shares of all candidates together."""
    first = _Pass(rates, variances, candidates).run(_ROUNDS[0])
    unexplained = max(0.0, float(np.mean(first.left**2) - np.mean(variances)))
    return _Pass(rates, variances + unexplained, candidates, variances).run(_ROUNDS[1])


def without(rates: Floats, variances: Floats, candidates: Candidates, code: int) -> tuple[Floats, float]:
    """Pulls of cells where this candidate is not listed, and its score there: all that it has is then left for it to explain."""
    others = candidates.take(np.delete(np.arange(len(candidates)), code))
    left = _Pass(rates, variances, others).run(_ROUNDS[0]).left
    pulls = left / (variances + max(0.0, float(np.mean(left**2 - variances))))
    pulls -= pulls.mean()
    return pulls, float(candidates.take(np.array([code])).sums(pulls)[0])


def left_out(rates: Floats, variances: Floats, candidates: Candidates, whole: Fit, codes: Integers) -> tuple[Floats, Floats]:
    """The same of many candidates, a row of pulls and a score for each: cells pull by the law of ``whole``, and shares shrink by its prior.
    Of very many candidates those with the least shares keep what that fit gave them."""
    largest = np.argsort(-whole.shares, kind="stable")[: min(_ACTIVE, _MATRIX // candidates.cells)]
    active = np.union1d(largest, codes)
    rest = whole.shares.copy()
    rest[active] = 0.0
    design = candidates.take(active).design()
    begun = _Pass(rates - candidates.spread(rest), 1 / whole.weights, design, variances, whole)
    pulls, some = np.empty((codes.size, candidates.cells)), max(1, _STACKED // active.size)
    for start in range(0, codes.size, some):
        part = slice(start, start + some)
        one = begun.run(_ROUNDS[0], active == codes[part, None])
        pulls[part] = whole.law.pulls(one.left, one.noise)[0]
    padded = np.pad(pulls, ((0, 0), (0, 1)))
    return pulls, np.take_along_axis(padded, candidates.places[codes], axis=1).sum(axis=1)


def cross(rates: Floats, variances: Floats, candidates: Candidates, folds: int = FOLDS) -> Evidence:
    """The same, each cohort judged by a fit that has not seen it; with a single cohort by no fit at all."""
    bits, fold = candidates.bits, np.arange(candidates.cohorts) % min(folds, candidates.cohorts)
    left, shares = rates.copy(), np.zeros((int(fold.max()) + 1, len(candidates)))
    for number in range(len(shares)):
        part, rest = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        own, others = _cells(part, bits), _cells(rest, bits)
        if rest.size:
            shares[number] = fit(rates[others], variances[others], candidates.only(rest)).shares
        left[own] -= candidates.only(part).spread(shares[number])
        left[own] -= np.average(left[own], weights=1 / variances[own])
    noise = variances + max(0.0, float(np.mean(left**2 - variances)))
    return _weighed(candidates, left, noise, Unlisted.plain(left, noise), shares, fold)


def _weighed(candidates: Candidates, left: Floats, noise: Floats, law: Unlisted, shares: Floats, fold: Integers) -> Evidence:
    """Scores: the pulls of a candidate's cells, and what was taken out of them for it."""
    pulls, says = law.pulls(left, noise)
    scores, information = candidates.sums(pulls), np.zeros(len(candidates))
    for number in range(len(shares)):
        part = np.flatnonzero(fold == number)
        amount = _information(candidates.only(part) if len(shares) > 1 else candidates, says[_cells(part, candidates.bits)])
        scores += amount * shares[number]
        information += amount
    return Evidence(scores, information, left, noise, law, pulls, says, shares, fold)


def _cells(cohorts: Integers, bits: int) -> Integers:
    return (cohorts[:, None] * bits + np.arange(bits)).ravel()


def _information(candidates: Candidates | Design, weights: Floats) -> Floats:
    """What the cells of a candidate say about it once the background is taken out; never quite 0."""
    seen = candidates.sums(weights)
    return np.asarray(np.maximum(seen - seen**2 / weights.sum(), 1e-12 * weights.sum()))


class _Pass:
    """One run of message passing, or many at once, a row for each. ``coins``: the variances of the coins, where the law of what is left is
    to be learnt; ``known``: a fit whose prior and law are taken over."""

    def __init__(
        self, rates: Floats, variances: Floats, candidates: Candidates | Design, coins: Floats | None = None, known: Fit | None = None
    ) -> None:
        self._all, self._weights, self._coins = candidates, 1 / variances, coins
        self._part = _information(candidates, self._weights) / self._weights.sum()
        self._target = self._centred(rates)
        self._prior = Prior.flat() if known is None else known.prior
        self._law = None if known is None else known.law
        self._last = _LEARNING if known is None else 0  # the first round that learns nothing more

    def run(self, rounds: int, absent: Mask | None = None) -> Fit:
        """``absent[row, candidate]``: who is not listed in which of many fits."""
        shares = np.zeros(len(self._all) if absent is None else absent.shape)
        left, error, strain, settled = self._target, np.zeros(1), np.zeros(1), False
        some, chosen = self._all, np.arange(len(self._all))
        for turn in range(rounds):
            pulls, says, scale = self._judge(left, error, turn)
            information = self._part * says.sum(axis=-1, keepdims=True)
            if isinstance(self._all, Candidates) and len(self._all) > _MANY and turn in _LOOKS:
                chosen = self._promising(shares, pulls, information, scale)
                some = self._all.take(chosen)
            errors = np.sqrt(scale / information[..., chosen])
            estimate = shares[..., chosen] + some.sums(pulls) / information[..., chosen]
            if turn < self._last:
                self._prior = self._prior.learn(estimate, errors, len(self._all) - chosen.size)
            if absent is None:
                mean, variance = self._prior.shrink(estimate, errors)
            else:
                mean, variance = self._prior.shrink_alike(estimate, float(errors.mean()))
                mean[absent] = variance[absent] = 0.0
            strain = np.minimum(np.sum(variance / errors**2, axis=-1, keepdims=True) / self._target.size, 0.95)
            error = strain / np.mean(says, axis=-1, keepdims=True)
            keep = _KEEP if turn > 1 else 0.0
            fresh = (1 - keep) * mean + keep * shares[..., chosen]
            fresh[fresh < _NEGLIGIBLE * errors] = 0.0
            shares = np.zeros_like(shares)
            shares[..., chosen] = fresh
            after = self._centred(self._target - some.spread(fresh) + error * pulls)
            moved = (1 - keep) ** 2 * float(np.mean(says * (after - left) ** 2, axis=-1).max())
            left, settled = (1 - keep) * after + keep * left, moved < _CALM
            if moved < _SETTLED and (self._coins is None or turn > _WARM):
                break
        noise = (1 / self._weights if self._coins is None else self._coins) + error
        return Fit(shares, left, noise, self._law or Unlisted.plain(left, noise), self._prior, self._weights, float(strain.max()), settled)

    def _judge(self, left: Floats, error: Floats, turn: int) -> tuple[Floats, Floats, Floats]:
        """Pulls, what cells say, and the variance of a pull in units of the latter, at least 1."""
        if self._coins is None or turn < _WARM:
            says = self._weights / np.maximum(1.0, np.mean(self._weights * left**2, axis=-1, keepdims=True))
            return says * left, says, np.ones(1)
        if self._law is None or turn < self._last:
            self._law = Unlisted.learn(left, self._coins + error)
        pulls, says = self._law.pulls(left, self._coins + error)
        scale = np.mean(pulls**2, axis=-1, keepdims=True) / np.mean(says, axis=-1, keepdims=True)
        return pulls, says, np.maximum(1.0, scale)

    def _promising(self, shares: Floats, pulls: Floats, information: Floats, scale: Floats) -> Integers:
        score = self._all.sums(pulls) + information * shares
        return np.flatnonzero((score > _PROMISING * np.sqrt(scale * information)) | (shares > 0))

    def _centred(self, numbers: Floats) -> Floats:
        return np.asarray(numbers - (numbers @ self._weights)[..., None] / self._weights.sum())
