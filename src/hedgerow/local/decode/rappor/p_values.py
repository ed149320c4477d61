"""P-values and standard errors of RAPPOR candidates, from the evidence of message passing.

P-values
    The score of a candidate is compared with the null distribution
    (``hedgerow.local.decode.rappor.null_distribution``), given the residuals of the *other*
    candidates: the share that was fitted for it is first added back to its cells, and the
    distribution is widened accordingly. So a candidate is not detected because its own fit
    explained its cells. Given the residuals of the others, the bits of absent candidates are
    independent of each other, and so are their p-values, as Benjamini and Hochberg require.

    With many cells one candidate hardly moves the fit of the others. With up to 2,048 cells it
    moves it by a twentieth of a standard error, and with up to 16 bits per candidate by much more:
    uncorrected, this makes p-values in the far tail too small by a third or more. In those cases
    every borderline candidate (possibly detected, but not certain) is scored once more, in a fit
    that leaves it out. After cross-fitting this applies to every candidate with a small p-value,
    unless there are more than four candidates per cell. The candidate's bits are then independent
    of all residuals, for any quality of that fit, and the probability of a false detection is the
    p-value. (Without cross-fitting the prior and the residual cap of that fit, a dozen numbers,
    still come from all candidates; this makes many simultaneous fits affordable.)

Standard errors
    The standard deviation of the null distribution. It includes the covariance between the bits of
    a report, because it is measured and not composed from cells. The candidate's own part of the
    variation of clients over cohorts is subtracted: it averages out, because the estimate is about
    the clients who reported.
"""

from __future__ import annotations

import numpy as np

from hedgerow.local.decode.rappor.design_matrix import Candidates
from hedgerow.local.decode.rappor.message_passing import Evidence, fit_leaving_out, fit_without
from hedgerow.local.decode.rappor.null_distribution import NullDistribution
from hedgerow.numeric.vectorised import Floats, Integers

__all__ = ["compute_p_values", "compute_standard_errors"]

_FEW_BITS, _FEW_CELLS = 16, 2048  # bits of a candidate, and cells, that are few
# candidates per cell: with more, the others explain the cells of the one left out
_CROWDED_RATIO = 4
# a p-value that is scored again, and the largest number of candidates for which there is time
_NOTICED_P_VALUE, _MAX_NOTICED_CANDIDATES = 0.02, 2000
# the loosest level of detection, and a p-value that no second score makes large
_LOOSEST_LEVEL, _CERTAIN_P_VALUE = 0.1, 1e-9
_MIN_VARIANCE_SHARE = 0.2  # of the variance, kept after subtracting a candidate's own part


def build_null_distribution(
    found: Evidence, variances: Floats, candidates: Candidates
) -> NullDistribution:
    """Build the null distribution of a candidate that was not fitted."""
    distinct = candidates.distinct_bit_shares
    counts = np.arange(distinct.size)
    # the variance from randomisation alone: influence that spreads less was overfitted
    coin_variance = (
        float(distinct @ (counts * (candidates.bits - counts)))
        / candidates.bits**2
        * float(found.cell_information**2 @ variances)
    )
    return NullDistribution.of(
        found.influence.reshape(candidates.cohorts, candidates.bits), distinct, coin_variance
    )


def compute_p_values(
    found: Evidence, rates: Floats, variances: Floats, candidates: Candidates
) -> Floats:
    """Return the probabilities that an absent candidate scores as much; ``rates`` and ``variances``
    are the fitted ones of all cells.
    """
    base = build_null_distribution(found, variances, candidates)
    scaled = (found.scores - base.mean) / max(base.variance, 1e-300) ** 0.5
    fitted = np.flatnonzero((scaled > 0) & (found.fitted_shares > 0).any(axis=0))
    for part in candidates.iterate_slices(fitted.size):
        codes = fitted[part]
        scaled[codes] = _score_with_own_share(found, candidates.take(codes), codes, base)
    p_values = base.upper_tail(base.mean + scaled * base.variance**0.5)
    borderline = _select_borderline(p_values, found, candidates)
    if borderline.size:
        again = _refit_p_values(found, rates, variances, candidates, borderline)
        # Cross-fitted p-values are noisier, so the second one replaces them. Otherwise both are
        # nearly equal, and the larger one is safe.
        p_values[borderline] = (
            again if found.is_cross_fitted else np.maximum(p_values[borderline], again)
        )
    return p_values


def _select_borderline(p_values: Floats, found: Evidence, candidates: Candidates) -> Integers:
    """Select the candidates to score once more: small p-values after cross-fitting, otherwise
    candidates that may be detected but are not certain.
    """
    few, crowded = (
        candidates.cell_indices.shape[1] <= _FEW_BITS,
        len(candidates) > _CROWDED_RATIO * candidates.cell_count,
    )
    if not few and (candidates.cell_count > _FEW_CELLS or (found.is_cross_fitted and crowded)):
        return np.zeros(0, dtype=np.int64)
    level = _LOOSEST_LEVEL * np.arange(1, p_values.size + 1) / p_values.size
    passed = np.flatnonzero(np.sort(p_values) <= level)
    may_be = p_values <= (level[passed[-1]] if passed.size else 0.0)
    if found.is_cross_fitted:
        return np.flatnonzero(
            may_be if len(candidates) > _MAX_NOTICED_CANDIDATES else p_values < _NOTICED_P_VALUE
        )
    return np.flatnonzero(may_be & (p_values > _CERTAIN_P_VALUE))


def _refit_p_values(
    found: Evidence, rates: Floats, variances: Floats, candidates: Candidates, codes: Integers
) -> Floats:
    """Return the p-values of these candidates in fits that leave each of them out."""
    distinct, shape = candidates.distinct_bit_shares, (candidates.cohorts, candidates.bits)
    if found.full_fit is None:
        judged = [fit_without(rates, variances, candidates, code) for code in codes.tolist()]
        return np.array(
            [
                NullDistribution.of(influence.reshape(shape), distinct).upper_tail(
                    np.array([score])
                )[0]
                for influence, score in judged
            ]
        )
    rows, scores = fit_leaving_out(rates, variances, candidates, found.full_fit, codes)
    nulls = [NullDistribution.of(influence.reshape(shape), distinct) for influence in rows]
    scaled = np.array(
        [
            (score - null.mean) / max(null.variance, 1e-300) ** 0.5
            for score, null in zip(scores, nulls, strict=True)
        ]
    )
    # The distributions differ in width but hardly in shape, which is expensive to compute: use the
    # shape of the candidate that looks most like an absent one.
    shape_source = nulls[int(np.argmin(scaled))]
    return shape_source.upper_tail(shape_source.mean + scaled * shape_source.variance**0.5)


def _score_with_own_share(
    found: Evidence, candidates: Candidates, codes: Integers, base: NullDistribution
) -> Floats:
    """Return standardised scores after adding each candidate's own share back to its cells."""
    places = candidates.cell_indices
    real = places < candidates.cell_count
    cells = np.minimum(places, candidates.cell_count - 1)
    shares = found.fitted_shares[found.fold[cells // candidates.bits], codes[:, None]]
    old = found.influence[cells]
    new = np.where(
        real,
        found.residual_cap.raise_influence(
            found.residuals[cells], shares, found.noise_variances[cells], old
        ),
        0.0,
    )
    old = np.where(real, old, 0.0)
    gained = (new - old).sum(axis=1)
    scores = new.sum(axis=1) - gained * real.sum(axis=1) / candidates.cell_count
    bits, counts = candidates.bits, np.arange(base.distinct_bit_shares.size)
    each = float(base.distinct_bit_shares @ (counts * (bits - counts))) / (bits - 1) / bits
    middle = np.repeat(base.influence.mean(axis=1), bits)[cells]
    wider = (
        each * (((new - middle) ** 2 - (old - middle) ** 2) * real).sum(axis=1)
        - each * gained**2 / candidates.cell_count
    )
    return np.asarray(
        (scores - base.mean) / np.sqrt(np.maximum(base.variance + wider, base.variance))
    )


def compute_standard_errors(
    found: Evidence, variances: Floats, candidates: Candidates, sizes: Floats
) -> Floats:
    """Return the standard errors of the estimated shares; ``sizes`` has the number of reports of
    each cohort.
    """
    base = build_null_distribution(found, variances, candidates)
    variance = base.variance * found.information / float(np.mean(found.information))
    share = np.clip(found.shares, 0.0, 1.0)
    own = (
        share
        * (1 - share)
        * candidates.sum_cells(found.cell_information**2 / np.repeat(sizes, candidates.bits))
    )
    return np.asarray(
        np.sqrt(np.maximum(variance - own, _MIN_VARIANCE_SHARE * variance)) / found.information
    )
