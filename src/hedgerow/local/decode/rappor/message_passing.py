"""Many candidates against few noisy cells: approximate message passing, and how far its numbers can
be trusted.

Model
    The rate of a cell is the sum of the shares of the values that set it, plus a background that is
    even on average (values that are not among the candidates), plus an error. Candidates hash at
    random, so that columns of the design look like independent noise to each other.

Fit
    Each round estimates every candidate on its own from what the others leave (``estimate`` = its
    share now + what its cells still hold), each cell pulling as
    ``hedgerow.local.decode.rappor.robust_residuals`` has it, and then shrinks the estimates:
    posterior means under a prior on shares >= 0 that is itself fitted to them. What is left is
    corrected for having been fitted (Onsager's term: without it candidates would see their own
    shadow). Once it settles, an estimate is unbiased for its candidate and normal with the variance
    that was estimated. The sum of the terms over the cells, the **strain**, says how many numbers
    were in effect fitted for each cell.

Crossing
    That is a statement about large designs. In 16 cohorts or fewer, under much strain, or where the
    rounds do not settle, shares are instead fitted on all cohorts but some, and the estimates are
    taken from those left out, whose bits the fit has never seen. That costs some power and is
    honest whatever the fit did.

Source
    Donoho, Maleki, Montanari (PNAS 2009); Bayati and Montanari (2011) for the law of the estimates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hedgerow.local.decode.rappor.design_matrix import Candidates, DesignMatrix
from hedgerow.local.decode.rappor.robust_residuals import ResidualCap
from hedgerow.local.decode.rappor.shrinkage_prior import ShrinkagePrior
from hedgerow.numeric.vectorised import Floats, Integers, Mask

__all__ = [
    "Evidence",
    "MessagePassingFit",
    "cross_fit",
    "fit_leaving_out",
    "fit_shares",
    "fit_without",
    "gather_evidence",
]

_ROUNDS = (12, 40)  # the first pass only finds out how much stays unexplained
_DAMPING = 0.3  # of the last round, so that rounds do not swing
# mean square by which cells still move, in units of their variance: no more rounds are needed
_CONVERGED_CHANGE = 1e-4
# the same where rounds run out: single shares may still move, but no other candidate notices
_ACCEPTED_CHANGE = 1e-2
# rounds before the law of what is left is learnt: at first it is mostly what will be fitted
_WARMUP_ROUNDS = 6
# rounds that fit the prior and that law; later ones keep them, so that they can settle
_LEARNING_ROUNDS = 16
_NEGLIGIBLE_SHARE = 0.01  # standard errors: a smaller share is 0
_SCREENING_CANDIDATES = 4_000  # beyond, rounds look at promising candidates only
_PROMISING_SCORE = 1.0  # standard errors
_SCREENING_ROUNDS = (0, 2, 6)  # rounds that look at all of them
# candidates, and cells of theirs, that move while one is left out
_MAX_ACTIVE, _MAX_MATRIX_CELLS = 2_000, 1 << 22
_MAX_STACKED = 1 << 15  # candidates of all fits that run at once
MAX_PARAMETERS_PER_CELL = 0.25
FOLDS = 16


@dataclass(frozen=True, slots=True, eq=False)
class MessagePassingFit:
    """Shrunken shares; what is left in each cell with the variance of that, coins and the error of
    the fit; how cells pull; the prior of shares, and the weights of cells. ``strain`` says how many
    numbers were fitted for each cell."""

    shares: Floats
    residuals: Floats
    noise_variances: Floats
    residual_cap: ResidualCap
    prior: ShrinkagePrior
    weights: Floats
    parameters_per_cell: float
    converged: bool


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Of every candidate its score and how much its cells say; an unbiased estimate of its share is
    the one over the other. Of every cell what is left, with the variance of that, its pull, and how
    much it says. ``fitted[fold[cohort]]`` are the shares that were taken out of a cohort; ``whole``
    is the fit to all of them, unless cohorts were judged by fits that had not seen them."""

    scores: Floats
    information: Floats
    residuals: Floats
    noise_variances: Floats
    residual_cap: ResidualCap
    influence: Floats
    cell_information: Floats
    fitted_shares: Floats
    fold: Integers
    full_fit: MessagePassingFit | None = None

    @property
    def shares(self) -> Floats:
        """The estimates."""
        return self.scores / self.information

    @property
    def is_cross_fitted(self) -> bool:
        """Whether cohorts were judged by fits that had not seen them."""
        return self.full_fit is None


def gather_evidence(rates: Floats, variances: Floats, candidates: Candidates) -> Evidence:
    """Evidence about all candidates, from rates and variances of all cells."""
    whole = fit_shares(rates, variances, candidates) if candidates.cohorts > FOLDS else None
    if whole is None or not whole.converged or whole.parameters_per_cell > MAX_PARAMETERS_PER_CELL:
        return cross_fit(rates, variances, candidates)
    together = np.zeros(candidates.cohorts, dtype=np.int64)
    return replace(
        _score_candidates(
            candidates,
            whole.residuals,
            whole.noise_variances,
            whole.residual_cap,
            whole.shares[None, :],
            together,
        ),
        full_fit=whole,
    )


def fit_shares(rates: Floats, variances: Floats, candidates: Candidates) -> MessagePassingFit:
    """Shares of all candidates together."""
    first = _MessagePassing(rates, variances, candidates).run(_ROUNDS[0])
    unexplained = max(0.0, float(np.mean(first.residuals**2) - np.mean(variances)))
    return _MessagePassing(rates, variances + unexplained, candidates, variances).run(_ROUNDS[1])


def fit_without(
    rates: Floats, variances: Floats, candidates: Candidates, code: int
) -> tuple[Floats, float]:
    """Pulls of cells where this candidate is not listed, and its score there: all that it has is
    then left for it to explain.
    """
    others = candidates.take(np.delete(np.arange(len(candidates)), code))
    left = _MessagePassing(rates, variances, others).run(_ROUNDS[0]).residuals
    pulls = left / (variances + max(0.0, float(np.mean(left**2 - variances))))
    pulls -= pulls.mean()
    return pulls, float(candidates.take(np.array([code])).sum_cells(pulls)[0])


def fit_leaving_out(
    rates: Floats,
    variances: Floats,
    candidates: Candidates,
    whole: MessagePassingFit,
    codes: Integers,
) -> tuple[Floats, Floats]:
    """The same of many candidates, a row of pulls and a score for each: cells pull by the law of
    ``whole``, and shares shrink by its prior. Of very many candidates those with the least shares
    keep what that fit gave them."""
    largest = np.argsort(-whole.shares, kind="stable")[
        : min(_MAX_ACTIVE, _MAX_MATRIX_CELLS // candidates.cell_count)
    ]
    active = np.union1d(largest, codes)
    rest = whole.shares.copy()
    rest[active] = 0.0
    design = candidates.take(active).build_matrix()
    begun = _MessagePassing(
        rates - candidates.spread_shares(rest), 1 / whole.weights, design, variances, whole
    )
    pulls, some = np.empty((codes.size, candidates.cell_count)), max(1, _MAX_STACKED // active.size)
    for start in range(0, codes.size, some):
        part = slice(start, start + some)
        one = begun.run(_ROUNDS[0], active == codes[part, None])
        pulls[part] = whole.residual_cap.compute_influence(one.residuals, one.noise_variances)[0]
    padded = np.pad(pulls, ((0, 0), (0, 1)))
    return pulls, np.take_along_axis(padded, candidates.cell_indices[codes], axis=1).sum(axis=1)


def cross_fit(
    rates: Floats, variances: Floats, candidates: Candidates, folds: int = FOLDS
) -> Evidence:
    """The same, each cohort judged by a fit that has not seen it; with a single cohort by no fit
    at all.
    """
    bits, fold = candidates.bits, np.arange(candidates.cohorts) % min(folds, candidates.cohorts)
    left, shares = rates.copy(), np.zeros((int(fold.max()) + 1, len(candidates)))
    for number in range(len(shares)):
        part, rest = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        own, others = _list_cells(part, bits), _list_cells(rest, bits)
        if rest.size:
            shares[number] = fit_shares(
                rates[others], variances[others], candidates.select_cohorts(rest)
            ).shares
        left[own] -= candidates.select_cohorts(part).spread_shares(shares[number])
        left[own] -= np.average(left[own], weights=1 / variances[own])
    noise = variances + max(0.0, float(np.mean(left**2 - variances)))
    return _score_candidates(
        candidates, left, noise, ResidualCap.uncapped(left, noise), shares, fold
    )


def _score_candidates(
    candidates: Candidates,
    left: Floats,
    noise: Floats,
    law: ResidualCap,
    shares: Floats,
    fold: Integers,
) -> Evidence:
    """Scores: the pulls of a candidate's cells, and what was taken out of them for it."""
    pulls, says = law.compute_influence(left, noise)
    scores, information = candidates.sum_cells(pulls), np.zeros(len(candidates))
    for number in range(len(shares)):
        part = np.flatnonzero(fold == number)
        amount = _compute_information(
            candidates.select_cohorts(part) if len(shares) > 1 else candidates,
            says[_list_cells(part, candidates.bits)],
        )
        scores += amount * shares[number]
        information += amount
    return Evidence(scores, information, left, noise, law, pulls, says, shares, fold)


def _list_cells(cohorts: Integers, bits: int) -> Integers:
    return (cohorts[:, None] * bits + np.arange(bits)).ravel()


def _compute_information(candidates: Candidates | DesignMatrix, weights: Floats) -> Floats:
    """What the cells of a candidate say about it once the background is taken out; never quite
    0.
    """
    seen = candidates.sum_cells(weights)
    return np.asarray(np.maximum(seen - seen**2 / weights.sum(), 1e-12 * weights.sum()))


class _MessagePassing:
    """One run of message passing, or many at once, a row for each. ``coins``: the variances of the
    coins, where the law of what is left is to be learnt; ``known``: a fit whose prior and law are
    taken over."""

    def __init__(
        self,
        rates: Floats,
        variances: Floats,
        candidates: Candidates | DesignMatrix,
        coins: Floats | None = None,
        known: MessagePassingFit | None = None,
    ) -> None:
        self._candidates, self._weights, self._coin_variances = candidates, 1 / variances, coins
        self._information_shares = (
            _compute_information(candidates, self._weights) / self._weights.sum()
        )
        self._target = self._centre(rates)
        self._prior = ShrinkagePrior.initial() if known is None else known.prior
        self._residual_cap = None if known is None else known.residual_cap
        # the first round that learns nothing more
        self._first_fixed_round = _LEARNING_ROUNDS if known is None else 0

    def run(self, rounds: int, absent: Mask | None = None) -> MessagePassingFit:
        """``absent[row, candidate]``: who is not listed in which of many fits."""
        shares = np.zeros(len(self._candidates) if absent is None else absent.shape)
        left, error, strain, settled = self._target, np.zeros(1), np.zeros(1), False
        some, chosen = self._candidates, np.arange(len(self._candidates))
        for turn in range(rounds):
            pulls, says, scale = self._compute_influence(left, error, turn)
            information = self._information_shares * says.sum(axis=-1, keepdims=True)
            if (
                isinstance(self._candidates, Candidates)
                and len(self._candidates) > _SCREENING_CANDIDATES
                and turn in _SCREENING_ROUNDS
            ):
                chosen = self._select_promising(shares, pulls, information, scale)
                some = self._candidates.take(chosen)
            errors = np.sqrt(scale / information[..., chosen])
            estimate = shares[..., chosen] + some.sum_cells(pulls) / information[..., chosen]
            if turn < self._first_fixed_round:
                self._prior = self._prior.fit(estimate, errors, len(self._candidates) - chosen.size)
            if absent is None:
                mean, variance = self._prior.shrink(estimate, errors)
            else:
                mean, variance = self._prior.shrink_by_table(estimate, float(errors.mean()))
                mean[absent] = variance[absent] = 0.0
            strain = np.minimum(
                np.sum(variance / errors**2, axis=-1, keepdims=True) / self._target.size, 0.95
            )
            error = strain / np.mean(says, axis=-1, keepdims=True)
            keep = _DAMPING if turn > 1 else 0.0
            fresh = (1 - keep) * mean + keep * shares[..., chosen]
            fresh[fresh < _NEGLIGIBLE_SHARE * errors] = 0.0
            shares = np.zeros_like(shares)
            shares[..., chosen] = fresh
            after = self._centre(self._target - some.spread_shares(fresh) + error * pulls)
            moved = (1 - keep) ** 2 * float(np.mean(says * (after - left) ** 2, axis=-1).max())
            left, settled = (1 - keep) * after + keep * left, moved < _ACCEPTED_CHANGE
            if moved < _CONVERGED_CHANGE and (
                self._coin_variances is None or turn > _WARMUP_ROUNDS
            ):
                break
        noise = (
            1 / self._weights if self._coin_variances is None else self._coin_variances
        ) + error
        return MessagePassingFit(
            shares,
            left,
            noise,
            self._residual_cap or ResidualCap.uncapped(left, noise),
            self._prior,
            self._weights,
            float(strain.max()),
            settled,
        )

    def _compute_influence(
        self, left: Floats, error: Floats, turn: int
    ) -> tuple[Floats, Floats, Floats]:
        """Pulls, what cells say, and the variance of a pull in units of the latter, at least 1."""
        if self._coin_variances is None or turn < _WARMUP_ROUNDS:
            says = self._weights / np.maximum(
                1.0, np.mean(self._weights * left**2, axis=-1, keepdims=True)
            )
            return says * left, says, np.ones(1)
        if self._residual_cap is None or turn < self._first_fixed_round:
            self._residual_cap = ResidualCap.learn(left, self._coin_variances + error)
        pulls, says = self._residual_cap.compute_influence(left, self._coin_variances + error)
        scale = np.mean(pulls**2, axis=-1, keepdims=True) / np.mean(says, axis=-1, keepdims=True)
        return pulls, says, np.maximum(1.0, scale)

    def _select_promising(
        self, shares: Floats, pulls: Floats, information: Floats, scale: Floats
    ) -> Integers:
        score = self._candidates.sum_cells(pulls) + information * shares
        return np.flatnonzero(
            (score > _PROMISING_SCORE * np.sqrt(scale * information)) | (shares > 0)
        )

    def _centre(self, numbers: Floats) -> Floats:
        return np.asarray(numbers - (numbers @ self._weights)[..., None] / self._weights.sum())
