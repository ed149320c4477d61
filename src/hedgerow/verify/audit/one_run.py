"""The one-run audit: a lower bound on epsilon from a single release with many cells.

| symbol | meaning |
|---|---|
| q | e^epsilon / (1 + e^epsilon) |
| r | the number of guesses, ``present + absent`` |
| v | the number of correct guesses |
| B | a binomial variable with r trials of probability q |

**Statement.** ``cells`` canaries (one unit each) are included or left out by independent fair
coins; the mechanism runs once; the auditor guesses that the ``present`` canaries with the highest
scores are in and the ``absent`` canaries with the lowest scores are out, and abstains on the rest.
If the mechanism is (epsilon, delta)-DP under adding or removing one canary, then

    Pr[at least v correct] <= Pr[B >= v] + 2 delta cells * max_{i=1..v} Pr[v - i <= B < v] / i.

The returned epsilon is the largest for which this bound is at most 1 - confidence; the true epsilon
is below it with probability at most 1 - confidence.

**Proof.** Steinke, Nasr, Jagielski (NeurIPS 2023), theorems 5.1 and 5.2. For delta = 0 in short:
given the output and the coins of cells 1..i-1, the posterior odds of coin i are within e^±epsilon
(the two data sets differ in canary i alone), so that each guess is correct with probability at most
q regardless of the previous ones, and the number of correct guesses is dominated by B. The number
of guesses is an argument, fixed before the run; scores, and with them the guesses, may use the
whole output.

**Limits.** The relation is adding or removing one canary. A mechanism whose guarantee is about
changing one row may lose half as much here as its claim allows. Canaries that interfere (a shared
total, a clipped norm) make the bound loose, never wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, expit, gammaln, xlog1py, xlogy

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.bits import draw_words
from hedgerow.numeric.exact_number import parse_exact
from hedgerow.verify.audit.confidence import parse_confidence, parse_delta, parse_integer

__all__ = ["OneRunAudit", "audit_one_run", "p_value"]

_MAX_EPSILON = 60.0  # more than any number of cells can show
_EPSILON_TOLERANCE = 1e-6


@dataclass(frozen=True)
class OneRunAudit:
    """The result of a one-run audit: ``correct`` of ``guesses`` were right on ``cells`` canaries,
    which certifies ``epsilon``.
    """

    epsilon: float
    delta: float
    confidence: float
    cells: int
    guesses: int
    correct: int

    def refutes(self, epsilon: float) -> bool:
        """Return whether this audit shows, at its confidence, that the mechanism is not (epsilon,
        delta)-DP.
        """
        return self.epsilon > parse_exact(epsilon, "epsilon")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        return {
            name: getattr(self, name)
            for name in ("epsilon", "delta", "confidence", "cells", "guesses", "correct")
        }

    def __str__(self) -> str:
        found = f"epsilon >= {self.epsilon:.4f}" if self.epsilon > 0 else "no loss found"
        return (
            f"{found} at delta {self.delta:g}, confidence {self.confidence:.4g}, under adding or"
            f" removing one canary\n  one run  {self.correct:,} of {self.guesses:,} guesses right"
            f" ({self.correct / self.guesses:.2%}), {self.cells:,} canaries\nAn audit shows a loss,"
            " never its absence."
        )


def audit_one_run(
    mechanism: Callable[[NDArray[np.int64]], ArrayLike],
    cells: int = 10_000,
    present: int | None = None,
    absent: int | None = None,
    confidence: float = 0.95,
    delta: float = 0.0,
) -> OneRunAudit:
    """Certify a lower bound on epsilon from one run of ``mechanism`` on ``cells`` canaries.

    ``mechanism(included)`` gets an array of 0 and 1, one per canary, runs once on the data set that
    contains the canaries marked 1, and returns one score per canary: higher where it seems present.
    For a histogram with one canary in each cell these are the noisy counts. ``present`` and
    ``absent`` are the numbers of canaries guessed in and out (a quarter each by default); choose
    them before the run.
    """
    cells = parse_integer(cells, "cells", 2)
    present = cells // 4 if present is None else parse_integer(present, "present", 0)
    absent = cells // 4 if absent is None else parse_integer(absent, "absent", 0)
    if not 1 <= present + absent <= cells:
        raise InvalidArgument(
            "present + absent", f"must lie between 1 and the {cells} cells", present + absent
        )
    error, slack = parse_confidence(confidence), parse_delta(delta)
    included = (draw_words(cells) & np.uint64(1)).astype(np.int64)
    scores = np.asarray(mechanism(included.copy()), dtype=np.float64)
    if scores.shape != (cells,) or np.isnan(scores).any():
        raise InvalidArgument(
            "mechanism", f"must return one score for each of the {cells} canaries, without NaN"
        )
    order = np.argsort(scores, kind="stable")
    in_top, in_bottom = included[order[cells - present :]].sum(), included[order[:absent]].sum()
    guesses, correct = present + absent, int(in_top) + absent - int(in_bottom)
    epsilon = _find_epsilon(cells, guesses, correct, slack, error)
    return OneRunAudit(epsilon, slack, float(confidence), cells, guesses, correct)


def p_value(cells: int, guesses: int, correct: int, epsilon: float, delta: float = 0.0) -> float:
    """Return a bound on the probability of at least ``correct`` correct guesses under (epsilon,
    delta)-DP; it grows with epsilon and delta.
    """
    q = float(expit(epsilon))
    tail = float(betainc(correct, guesses - correct + 1, q)) if correct else 1.0
    if not delta or not correct:
        return min(tail, 1.0)
    below = np.arange(correct - 1, -1, -1, dtype=np.float64)
    log_choose = gammaln(guesses + 1) - gammaln(below + 1) - gammaln(guesses - below + 1)
    masses = np.cumsum(np.exp(log_choose + xlogy(below, q) + xlog1py(guesses - below, -q)))
    worst = float((masses / np.arange(1, correct + 1)).max())
    return min(tail + 2 * delta * cells * worst, 1.0)


def _find_epsilon(cells: int, guesses: int, correct: int, delta: float, error: float) -> float:
    """Return the largest epsilon whose p-value is at most ``error``, rounded down; 0 if there is
    none.
    """
    if p_value(cells, guesses, correct, 0.0, delta) > error:
        return 0.0
    low, high = 0.0, _MAX_EPSILON
    while high - low > _EPSILON_TOLERANCE:
        middle = (low + high) / 2
        if p_value(cells, guesses, correct, middle, delta) <= error:
            low = middle
        else:
            high = middle
    return low
