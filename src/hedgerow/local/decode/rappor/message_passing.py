"""Approximate message passing: the shares of many candidates, estimated from few noisy cells.

Model
    The rate of a cell is the sum of the shares of the values that set it, plus a background that is
    even on average (values that are not among the candidates), plus an error. Candidates hash at
    random, so each column of the design looks like independent noise to the others.

Fit
    Each round estimates every candidate on its own from the residuals of the others: its current
    share plus the residuals of its cells, where a cell's **influence** is its capped residual
    (``hedgerow.local.decode.rappor.robust_residuals``). It then shrinks the estimates to their
    posterior means under a prior on shares >= 0, which is itself fitted to the estimates. Onsager's
    term corrects the residuals for having been fitted; without it a candidate's own share would
    come back to it through its cells. After convergence an estimate is unbiased for its candidate
    and normal with the estimated variance. The mean correction over the cells,
    ``parameters_per_cell``, is the effective number of parameters fitted for each cell.

Cross-fitting
    The statement about convergence is about large designs. With 16 cohorts or fewer, with too many
    parameters per cell, or without convergence, shares are instead fitted on all cohorts but some,
    and estimated from the cohorts left out, whose bits the fit has never seen. This costs some
    power, and is valid for any fit.

Source
    Donoho, Maleki, Montanari (PNAS 2009); Bayati and Montanari (2011) for the distribution of the
    estimates.
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

_ROUNDS = (12, 40)  # the first pass only measures the unexplained variance
_DAMPING = 0.3  # weight of the previous round, against oscillation
# mean squared change of cells, in units of their variance, at which rounds stop
_CONVERGED_CHANGE = 1e-4
# the same at the last round: single shares may still move, without effect on other candidates
_ACCEPTED_CHANGE = 1e-2
# rounds before the residual cap is learnt: early residuals are mostly shares not yet fitted
_WARMUP_ROUNDS = 6
# rounds that fit the prior and the cap; later rounds keep them, so that shares converge
_LEARNING_ROUNDS = 16
_NEGLIGIBLE_SHARE = 0.01  # standard errors: a smaller share is 0
_SCREENING_CANDIDATES = 4_000  # with more, most rounds use promising candidates only
_PROMISING_SCORE = 1.0  # standard errors
_SCREENING_ROUNDS = (0, 2, 6)  # rounds that use all candidates
# candidates, and matrix cells, that are refitted while one is left out
_MAX_ACTIVE, _MAX_MATRIX_CELLS = 2_000, 1 << 22
_MAX_STACKED = 1 << 15  # candidates of all fits that run at once
MAX_PARAMETERS_PER_CELL = 0.25
FOLDS = 16


@dataclass(frozen=True, slots=True, eq=False)
class MessagePassingFit:
    """One fit: shrunken shares, residuals of the cells with their variances (randomisation plus
    error of the fit), the residual cap, the prior of shares, the weights of the cells, and the
    effective number of parameters per cell.
    """

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
    """Scores and information of candidates and cells. A candidate's score divided by its
    information is an unbiased estimate of its share. ``fitted_shares[fold[cohort]]`` are the shares
    subtracted from a cohort; ``full_fit`` is the fit to all cohorts, or None after cross-fitting.
    """

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
        """Unbiased estimates of the shares."""
        return self.scores / self.information

    @property
    def is_cross_fitted(self) -> bool:
        """True if each cohort was scored by a fit that had not seen it."""
        return self.full_fit is None


def gather_evidence(rates: Floats, variances: Floats, candidates: Candidates) -> Evidence:
    """Compute the evidence about all candidates from the rates and variances of all cells."""
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
    """Fit the shares of all candidates together."""
    first = _MessagePassing(rates, variances, candidates).run(_ROUNDS[0])
    unexplained = max(0.0, float(np.mean(first.residuals**2) - np.mean(variances)))
    return _MessagePassing(rates, variances + unexplained, candidates, variances).run(_ROUNDS[1])


def fit_without(
    rates: Floats, variances: Floats, candidates: Candidates, code: int
) -> tuple[Floats, float]:
    """Return the influence of the cells in a fit without this candidate, and its score there, so
    that no fit has explained its cells.
    """
    others = candidates.take(np.delete(np.arange(len(candidates)), code))
    residuals = _MessagePassing(rates, variances, others).run(_ROUNDS[0]).residuals
    influence = residuals / (variances + max(0.0, float(np.mean(residuals**2 - variances))))
    influence -= influence.mean()
    return influence, float(candidates.take(np.array([code])).sum_cells(influence)[0])


def fit_leaving_out(
    rates: Floats,
    variances: Floats,
    candidates: Candidates,
    whole: MessagePassingFit,
    codes: Integers,
) -> tuple[Floats, Floats]:
    """Return, for each of many candidates, the influence of the cells in a fit without it and its
    score there.

    The residual cap and the prior are taken from ``whole``. If there are very many candidates,
    those with the smallest shares keep the shares of ``whole``.
    """
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
    influence, some = (
        np.empty((codes.size, candidates.cell_count)),
        max(1, _MAX_STACKED // active.size),
    )
    for start in range(0, codes.size, some):
        part = slice(start, start + some)
        one = begun.run(_ROUNDS[0], active == codes[part, None])
        influence[part] = whole.residual_cap.compute_influence(one.residuals, one.noise_variances)[
            0
        ]
    padded = np.pad(influence, ((0, 0), (0, 1)))
    return influence, np.take_along_axis(padded, candidates.cell_indices[codes], axis=1).sum(axis=1)


def cross_fit(
    rates: Floats, variances: Floats, candidates: Candidates, folds: int = FOLDS
) -> Evidence:
    """Compute the evidence with each cohort scored by a fit that has not seen it; a single cohort
    is scored without a fit.
    """
    bits, fold = candidates.bits, np.arange(candidates.cohorts) % min(folds, candidates.cohorts)
    residuals, shares = rates.copy(), np.zeros((int(fold.max()) + 1, len(candidates)))
    for number in range(len(shares)):
        part, rest = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        own, others = _list_cells(part, bits), _list_cells(rest, bits)
        if rest.size:
            shares[number] = fit_shares(
                rates[others], variances[others], candidates.select_cohorts(rest)
            ).shares
        residuals[own] -= candidates.select_cohorts(part).spread_shares(shares[number])
        residuals[own] -= np.average(residuals[own], weights=1 / variances[own])
    noise = variances + max(0.0, float(np.mean(residuals**2 - variances)))
    return _score_candidates(
        candidates, residuals, noise, ResidualCap.uncapped(residuals, noise), shares, fold
    )


def _score_candidates(
    candidates: Candidates,
    residuals: Floats,
    noise: Floats,
    residual_cap: ResidualCap,
    shares: Floats,
    fold: Integers,
) -> Evidence:
    """Score candidates by the influence of their cells, plus the shares that were subtracted for
    them.
    """
    influence, cell_information = residual_cap.compute_influence(residuals, noise)
    scores, information = candidates.sum_cells(influence), np.zeros(len(candidates))
    for number in range(len(shares)):
        part = np.flatnonzero(fold == number)
        amount = _compute_information(
            candidates.select_cohorts(part) if len(shares) > 1 else candidates,
            cell_information[_list_cells(part, candidates.bits)],
        )
        scores += amount * shares[number]
        information += amount
    return Evidence(
        scores,
        information,
        residuals,
        noise,
        residual_cap,
        influence,
        cell_information,
        shares,
        fold,
    )


def _list_cells(cohorts: Integers, bits: int) -> Integers:
    return (cohorts[:, None] * bits + np.arange(bits)).ravel()


def _compute_information(candidates: Candidates | DesignMatrix, weights: Floats) -> Floats:
    """Return each candidate's information after removing the background; it is always positive."""
    seen = candidates.sum_cells(weights)
    return np.asarray(np.maximum(seen - seen**2 / weights.sum(), 1e-12 * weights.sum()))


class _MessagePassing:
    """One run of message passing, or many at once, one per row. ``coins`` are the variances of
    randomisation, given if the residual cap is to be learnt; ``known`` is a fit whose prior and
    residual cap are reused.
    """

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
        # the first round that keeps prior and cap
        self._first_fixed_round = _LEARNING_ROUNDS if known is None else 0

    def run(self, rounds: int, absent: Mask | None = None) -> MessagePassingFit:
        """Run at most ``rounds`` rounds; ``absent[row, candidate]`` marks candidates left out of a
        fit.
        """
        shares = np.zeros(len(self._candidates) if absent is None else absent.shape)
        residuals, error, per_cell, converged = self._target, np.zeros(1), np.zeros(1), False
        some, chosen = self._candidates, np.arange(len(self._candidates))
        for turn in range(rounds):
            influence, cell_information, scale = self._compute_influence(residuals, error, turn)
            information = self._information_shares * cell_information.sum(axis=-1, keepdims=True)
            if (
                isinstance(self._candidates, Candidates)
                and len(self._candidates) > _SCREENING_CANDIDATES
                and turn in _SCREENING_ROUNDS
            ):
                chosen = self._select_promising(shares, influence, information, scale)
                some = self._candidates.take(chosen)
            errors = np.sqrt(scale / information[..., chosen])
            estimate = shares[..., chosen] + some.sum_cells(influence) / information[..., chosen]
            if turn < self._first_fixed_round:
                self._prior = self._prior.fit(estimate, errors, len(self._candidates) - chosen.size)
            if absent is None:
                mean, variance = self._prior.shrink(estimate, errors)
            else:
                mean, variance = self._prior.shrink_by_table(estimate, float(errors.mean()))
                mean[absent] = variance[absent] = 0.0
            per_cell = np.minimum(
                np.sum(variance / errors**2, axis=-1, keepdims=True) / self._target.size, 0.95
            )
            error = per_cell / np.mean(cell_information, axis=-1, keepdims=True)
            keep = _DAMPING if turn > 1 else 0.0
            fresh = (1 - keep) * mean + keep * shares[..., chosen]
            fresh[fresh < _NEGLIGIBLE_SHARE * errors] = 0.0
            shares = np.zeros_like(shares)
            shares[..., chosen] = fresh
            after = self._centre(self._target - some.spread_shares(fresh) + error * influence)
            change = (1 - keep) ** 2 * float(
                np.mean(cell_information * (after - residuals) ** 2, axis=-1).max()
            )
            residuals, converged = (1 - keep) * after + keep * residuals, change < _ACCEPTED_CHANGE
            if change < _CONVERGED_CHANGE and (
                self._coin_variances is None or turn > _WARMUP_ROUNDS
            ):
                break
        noise = (
            1 / self._weights if self._coin_variances is None else self._coin_variances
        ) + error
        return MessagePassingFit(
            shares,
            residuals,
            noise,
            self._residual_cap or ResidualCap.uncapped(residuals, noise),
            self._prior,
            self._weights,
            float(per_cell.max()),
            converged,
        )

    def _compute_influence(
        self, residuals: Floats, error: Floats, turn: int
    ) -> tuple[Floats, Floats, Floats]:
        """Return the influence and the information of the cells, and the variance of the influence
        relative to the information, at least 1.
        """
        if self._coin_variances is None or turn < _WARMUP_ROUNDS:
            cell_information = self._weights / np.maximum(
                1.0, np.mean(self._weights * residuals**2, axis=-1, keepdims=True)
            )
            return cell_information * residuals, cell_information, np.ones(1)
        if self._residual_cap is None or turn < self._first_fixed_round:
            self._residual_cap = ResidualCap.learn(residuals, self._coin_variances + error)
        influence, cell_information = self._residual_cap.compute_influence(
            residuals, self._coin_variances + error
        )
        scale = np.mean(influence**2, axis=-1, keepdims=True) / np.mean(
            cell_information, axis=-1, keepdims=True
        )
        return influence, cell_information, np.maximum(1.0, scale)

    def _select_promising(
        self, shares: Floats, influence: Floats, information: Floats, scale: Floats
    ) -> Integers:
        score = self._candidates.sum_cells(influence) + information * shares
        return np.flatnonzero(
            (score > _PROMISING_SCORE * np.sqrt(scale * information)) | (shares > 0)
        )

    def _centre(self, numbers: Floats) -> Floats:
        return np.asarray(numbers - (numbers @ self._weights)[..., None] / self._weights.sum())
