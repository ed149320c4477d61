"""How sure it is that a candidate is there at all: p-values and standard errors from the evidence of message passing.

P-values
    The score of a candidate is judged by the law of an absent one (``hedgerow.local.hash_law``), given what the *other* candidates leave:
    the share that was fitted for it is put back into its cells first, and the law is as much wider. So it is not taken for present because
    a fit of itself explained what is there. Given what others leave, absent candidates have bits independent of each other, and so are
    their p-values: what Benjamini and Hochberg ask for.

    With many cells one candidate hardly moves the fit of the others. With up to 2,048 of them it does, by a twentieth of a standard error,
    and with up to 16 bits for each much more: left alone, that makes chances in the far tail too small by a third or more. So there whoever
    may be detected and is not beyond doubt is judged once more, by a fit to the others in which it is not listed; and where cohorts were
    crossed, whoever is noticed, unless there are more than four candidates for each cell. Its bits are then independent of all that is
    left, whatever that fit is worth, and the chance that it is wrongly detected is what the p-value says. (Where cohorts were not crossed
    the prior of that fit and its law of pulls, a dozen numbers, are still from all candidates: there is time for many fits at once then.)

Standard errors
    The width of the law. It has the covariance between the bits of a report in it, because it is measured and not put together from
    cells. Of the spread of clients over cohorts the candidate's own part is taken off: it averages out, as the estimate is about the
    clients who reported.
"""

from __future__ import annotations

import numpy as np

from hedgerow.local.candidates import Candidates
from hedgerow.local.hash_law import HashLaw
from hedgerow.local.message_passing import Evidence, left_out, without
from hedgerow.numeric.chunk import Floats, Integers

__all__ = ["p_values", "standard_errors"]

_FEW, _CELLS = 16, 2048  # bits of a candidate, and cells, that are few
_CROWDED = 4  # candidates for each cell: with more of them the others explain whatever one that is left out holds
_NOTICED, _LISTED = 0.02, 2000  # a chance; candidates of whom there is time to look at all that it notices
_LOOSEST, _SURE = 0.1, 1e-9  # the level at which somebody may look for values; a chance that no second look makes large
_LEAST = 0.2  # of the variance stays when a candidate's own part is taken off


def law(found: Evidence, variances: Floats, candidates: Candidates) -> HashLaw:
    """That of an absent candidate which was not fitted."""
    distinct = candidates.distinct
    return HashLaw.of(found.pulls.reshape(candidates.cohorts, candidates.bits), distinct, _coins(found, variances, candidates, distinct))


def _coins(found: Evidence, variances: Floats, candidates: Candidates, distinct: Floats) -> float:
    """The variance that the coins alone give the score of an absent candidate: pulls that spread less were fitted too well."""
    counts = np.arange(distinct.size)
    return float(distinct @ (counts * (candidates.bits - counts))) / candidates.bits**2 * float(found.says**2 @ variances)


def p_values(found: Evidence, rates: Floats, variances: Floats, candidates: Candidates) -> Floats:
    """How likely an absent candidate would score as much; ``rates`` and ``variances`` of all cells are those that were fitted."""
    base = law(found, variances, candidates)
    scaled = (found.scores - base.mean) / max(base.variance, 1e-300) ** 0.5
    fitted = np.flatnonzero((scaled > 0) & (found.fitted > 0).any(axis=0))
    for part in candidates.parts(fitted.size):
        codes = fitted[part]
        scaled[codes] = _put_back(found, candidates.take(codes), codes, base)
    chances = base.upper_tail(base.mean + scaled * base.variance**0.5)
    doubtful = _doubtful(chances, found, candidates)
    if doubtful.size:
        again = _unlisted(found, rates, variances, candidates, doubtful)
        # What a crossed fit says has noise of its own, and the second look is the better one. Else both say nearly the same.
        chances[doubtful] = again if found.crossed else np.maximum(chances[doubtful], again)
    return chances


def _doubtful(chances: Floats, found: Evidence, candidates: Candidates) -> Integers:
    """Who is judged once more: where cohorts were crossed whoever is noticed, else whoever may be detected and is not beyond doubt."""
    few, crowded = candidates.places.shape[1] <= _FEW, len(candidates) > _CROWDED * candidates.cells
    if not few and (candidates.cells > _CELLS or (found.crossed and crowded)):
        return np.zeros(0, dtype=np.int64)
    level = _LOOSEST * np.arange(1, chances.size + 1) / chances.size
    passed = np.flatnonzero(np.sort(chances) <= level)
    may_be = chances <= (level[passed[-1]] if passed.size else 0.0)
    if found.crossed:
        return np.flatnonzero(may_be if len(candidates) > _LISTED else chances < _NOTICED)
    return np.flatnonzero(may_be & (chances > _SURE))


def _unlisted(found: Evidence, rates: Floats, variances: Floats, candidates: Candidates, codes: Integers) -> Floats:
    """How likely an absent candidate would score as much as these do in fits to the others."""
    distinct, shape = candidates.distinct, (candidates.cohorts, candidates.bits)
    if found.whole is None:
        judged = [without(rates, variances, candidates, code) for code in codes.tolist()]
        return np.array([HashLaw.of(pulls.reshape(shape), distinct).upper_tail(np.array([score]))[0] for pulls, score in judged])
    rows, scores = left_out(rates, variances, candidates, found.whole, codes)
    laws = [HashLaw.of(pulls.reshape(shape), distinct) for pulls in rows]
    scaled = np.array([(score - law.mean) / max(law.variance, 1e-300) ** 0.5 for score, law in zip(scores, laws, strict=True)])
    # Laws differ in width, and hardly in form, which is dear to compute: that of whoever looks most like an absent one.
    form = laws[int(np.argmin(scaled))]
    return form.upper_tail(form.mean + scaled * form.variance**0.5)


def _put_back(found: Evidence, candidates: Candidates, codes: Integers, base: HashLaw) -> Floats:
    """Scores over the width of their law, once each candidate's own share is in its cells again."""
    places = candidates.places
    real = places < candidates.cells
    cells = np.minimum(places, candidates.cells - 1)
    shares = found.fitted[found.fold[cells // candidates.bits], codes[:, None]]
    old = found.pulls[cells]
    new = np.where(real, found.law.raised(found.left[cells], shares, found.noise[cells], old), 0.0)
    old = np.where(real, old, 0.0)
    gained = (new - old).sum(axis=1)
    scores = new.sum(axis=1) - gained * real.sum(axis=1) / candidates.cells
    bits, counts = candidates.bits, np.arange(base.distinct.size)
    each = float(base.distinct @ (counts * (bits - counts))) / (bits - 1) / bits
    middle = np.repeat(base.pulls.mean(axis=1), bits)[cells]
    wider = each * (((new - middle) ** 2 - (old - middle) ** 2) * real).sum(axis=1) - each * gained**2 / candidates.cells
    return np.asarray((scores - base.mean) / np.sqrt(np.maximum(base.variance + wider, base.variance)))


def standard_errors(found: Evidence, variances: Floats, candidates: Candidates, sizes: Floats) -> Floats:
    """Of the estimated shares; ``sizes`` has the reports of each cohort."""
    base = law(found, variances, candidates)
    variance = base.variance * found.information / float(np.mean(found.information))
    share = np.clip(found.shares, 0.0, 1.0)
    own = share * (1 - share) * candidates.sums(found.says**2 / np.repeat(sizes, candidates.bits))
    return np.asarray(np.sqrt(np.maximum(variance - own, _LEAST * variance)) / found.information)
