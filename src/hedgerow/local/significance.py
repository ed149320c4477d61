"""How sure it is that a candidate is there at all: p-values and standard errors from the evidence of message passing.

P-values
    The score of a candidate is judged by the law of an absent one (``hedgerow.local.hash_law``), given what the *other* candidates leave:
    the share that was fitted for it is put back into its cells first, and the law is as much wider. So it is not taken for present because
    a fit of itself explained what is there. Given what others leave, absent candidates have bits independent of each other, and so are
    their p-values: what Benjamini and Hochberg ask for.

    With many cells one candidate hardly moves the fit of the others. With up to 2,048 of them it does, by a tenth of a standard error, and
    with up to 16 bits for each much more. There everyone who may be detected and is not beyond doubt (of at most 2,000 candidates) is
    judged once more, by a fit to the others in which it is not listed. Its bits are then independent of all that is left, whatever that fit
    is worth, and the chance that it is wrongly detected is what the p-value says. Without it, measured in 1,024 cells with ten absent
    candidates for each that is there, even one false detection happened in 25 of 300 collections instead of 15.

Standard errors
    The width of the law. It has the covariance between the bits of a report in it, because it is measured and not put together from
    cells. Of the spread of clients over cohorts the candidate's own part is taken off: it averages out, as the estimate is about the
    clients who reported.
"""

from __future__ import annotations

import numpy as np

from hedgerow.local.candidates import Candidates
from hedgerow.local.hash_law import HashLaw
from hedgerow.local.message_passing import Evidence, without
from hedgerow.numeric.chunk import Floats, Integers

__all__ = ["p_values", "standard_errors"]

_FEW, _LISTED = 16, 2000  # bits of a candidate, and candidates
_NOTICED = 0.02
_CELLS = 2048
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
    for code in _doubtful(chances, found, candidates):
        pulls, score = without(rates, variances, candidates, int(code))
        alone = HashLaw.of(pulls.reshape(base.pulls.shape), base.distinct)
        chances[code] = max(chances[code], float(alone.upper_tail(np.array([score]))[0]))
    return chances


def _doubtful(chances: Floats, found: Evidence, candidates: Candidates) -> Integers:
    """Who is judged once more: with few bits whoever is noticed, with few cells whoever may be detected and is not beyond doubt. Chances
    only grow by it, so that who is not detected at the loosest level now would not be later."""
    if len(candidates) > _LISTED:
        return np.zeros(0, dtype=np.int64)
    if candidates.places.shape[1] <= _FEW:
        return np.flatnonzero(chances < _NOTICED)
    if candidates.cells > _CELLS or found.crossed:
        return np.zeros(0, dtype=np.int64)
    level = _LOOSEST * np.arange(1, chances.size + 1) / chances.size
    passed = np.flatnonzero(np.sort(chances) <= level)
    return np.flatnonzero((chances > _SURE) & (chances <= (level[passed[-1]] if passed.size else 0.0)))


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
