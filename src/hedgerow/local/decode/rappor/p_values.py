"""How sure it is that a candidate is there at all: p-values and standard errors from the evidence
of message passing.

P-values
    The score of a candidate is judged by the law of an absent one
    (``hedgerow.local.decode.rappor.null_distribution``), given what the *other* candidates leave:
    the share that was fitted for it is put back into its cells first, and the law is as much wider.
    So it is not taken for present because a fit of itself explained what is there. Given what
    others leave, absent candidates have bits independent of each other, and so are their p-values:
    what Benjamini and Hochberg ask for.

    With many cells one candidate hardly moves the fit of the others. With up to 2,048 of them it
    does, by a twentieth of a standard error, and with up to 16 bits for each much more: left alone,
    that makes chances in the far tail too small by a third or more. So there whoever may be
    detected and is not beyond doubt is judged once more, by a fit to the others in which it is not
    listed; and where cohorts were crossed, whoever is noticed, unless there are more than four
    candidates for each cell. Its bits are then independent of all that is left, whatever that fit
    is worth, and the chance that it is wrongly detected is what the p-value says. (Where cohorts
    were not crossed the prior of that fit and its law of pulls, a dozen numbers, are still from all
    candidates: there is time for many fits at once then.)

Standard errors
    The width of the law. It has the covariance between the bits of a report in it, because it is
    measured and not put together from cells. Of the spread of clients over cohorts the candidate's
    own part is taken off: it averages out, as the estimate is about the clients who reported.
"""

from __future__ import annotations

import numpy as np

from hedgerow.local.decode.rappor.design_matrix import Candidates
from hedgerow.local.decode.rappor.message_passing import Evidence, fit_leaving_out, fit_without
from hedgerow.local.decode.rappor.null_distribution import NullDistribution
from hedgerow.numeric.vectorised import Floats, Integers

__all__ = ["compute_p_values", "compute_standard_errors"]

_FEW_BITS, _FEW_CELLS = 16, 2048  # bits of a candidate, and cells, that are few
# candidates for each cell: with more of them the others explain whatever one that is left out holds
_CROWDED_RATIO = 4
# a chance; candidates of whom there is time to look at all that it notices
_NOTICED_P_VALUE, _MAX_NOTICED_CANDIDATES = 0.02, 2000
# the level at which somebody may look for values; a chance that no second look makes large
_LOOSEST_LEVEL, _CERTAIN_P_VALUE = 0.1, 1e-9
_MIN_VARIANCE_SHARE = 0.2  # of the variance stays when a candidate's own part is taken off


def build_null_distribution(
    found: Evidence, variances: Floats, candidates: Candidates
) -> NullDistribution:
    """That of an absent candidate which was not fitted."""
    distinct = candidates.distinct_bit_shares
    return NullDistribution.of(
        found.influence.reshape(candidates.cohorts, candidates.bits),
        distinct,
        _compute_coin_variance(found, variances, candidates, distinct),
    )


def _compute_coin_variance(
    found: Evidence, variances: Floats, candidates: Candidates, distinct: Floats
) -> float:
    """The variance that the coins alone give the score of an absent candidate: pulls that spread
    less were fitted too well.
    """
    counts = np.arange(distinct.size)
    return (
        float(distinct @ (counts * (candidates.bits - counts)))
        / candidates.bits**2
        * float(found.cell_information**2 @ variances)
    )


def compute_p_values(
    found: Evidence, rates: Floats, variances: Floats, candidates: Candidates
) -> Floats:
    """How likely an absent candidate would score as much; ``rates`` and ``variances`` of all
    cells are those that were fitted.
    """
    base = build_null_distribution(found, variances, candidates)
    scaled = (found.scores - base.mean) / max(base.variance, 1e-300) ** 0.5
    fitted = np.flatnonzero((scaled > 0) & (found.fitted_shares > 0).any(axis=0))
    for part in candidates.iterate_slices(fitted.size):
        codes = fitted[part]
        scaled[codes] = _score_with_own_share(found, candidates.take(codes), codes, base)
    chances = base.upper_tail(base.mean + scaled * base.variance**0.5)
    doubtful = _select_borderline(chances, found, candidates)
    if doubtful.size:
        again = _refit_p_values(found, rates, variances, candidates, doubtful)
        # What a crossed fit says has noise of its own, and the second look is the better one. Else
        # both say nearly the same.
        chances[doubtful] = again if found.is_cross_fitted else np.maximum(chances[doubtful], again)
    return chances


def _select_borderline(chances: Floats, found: Evidence, candidates: Candidates) -> Integers:
    """Who is judged once more: where cohorts were crossed whoever is noticed, else whoever may
    be detected and is not beyond doubt.
    """
    few, crowded = (
        candidates.cell_indices.shape[1] <= _FEW_BITS,
        len(candidates) > _CROWDED_RATIO * candidates.cell_count,
    )
    if not few and (candidates.cell_count > _FEW_CELLS or (found.is_cross_fitted and crowded)):
        return np.zeros(0, dtype=np.int64)
    level = _LOOSEST_LEVEL * np.arange(1, chances.size + 1) / chances.size
    passed = np.flatnonzero(np.sort(chances) <= level)
    may_be = chances <= (level[passed[-1]] if passed.size else 0.0)
    if found.is_cross_fitted:
        return np.flatnonzero(
            may_be if len(candidates) > _MAX_NOTICED_CANDIDATES else chances < _NOTICED_P_VALUE
        )
    return np.flatnonzero(may_be & (chances > _CERTAIN_P_VALUE))


def _refit_p_values(
    found: Evidence, rates: Floats, variances: Floats, candidates: Candidates, codes: Integers
) -> Floats:
    """How likely an absent candidate would score as much as these do in fits to the others."""
    distinct, shape = candidates.distinct_bit_shares, (candidates.cohorts, candidates.bits)
    if found.full_fit is None:
        judged = [fit_without(rates, variances, candidates, code) for code in codes.tolist()]
        return np.array(
            [
                NullDistribution.of(pulls.reshape(shape), distinct).upper_tail(np.array([score]))[0]
                for pulls, score in judged
            ]
        )
    rows, scores = fit_leaving_out(rates, variances, candidates, found.full_fit, codes)
    laws = [NullDistribution.of(pulls.reshape(shape), distinct) for pulls in rows]
    scaled = np.array(
        [
            (score - law.mean) / max(law.variance, 1e-300) ** 0.5
            for score, law in zip(scores, laws, strict=True)
        ]
    )
    # Laws differ in width, and hardly in form, which is dear to compute: that of whoever looks most
    # like an absent one.
    form = laws[int(np.argmin(scaled))]
    return form.upper_tail(form.mean + scaled * form.variance**0.5)


def _score_with_own_share(
    found: Evidence, candidates: Candidates, codes: Integers, base: NullDistribution
) -> Floats:
    """Scores over the width of their law, once each candidate's own share is in its cells again."""
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
    """Of the estimated shares; ``sizes`` has the reports of each cohort."""
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
