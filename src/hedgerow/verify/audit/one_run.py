"""The one-run audit: a lower bound on epsilon from a single release with many cells.

**Statement.** ``cells`` canaries (one person each) are put in or left out by independent fair
coins; the mechanism runs once; the auditor guesses ``present`` canaries in and ``absent`` canaries
out, those with the highest and with the lowest scores, and abstains on the rest. If the mechanism
is (epsilon, delta)-DP under adding or removing one canary, then with q = e^epsilon / (1 +
e^epsilon), r = present + absent guesses, and B binomial with r trials of q,

    Pr[at least v right] <= Pr[B >= v] + 2 delta cells * max over i = 1..v of Pr[v - i <= B < v] /
    i.

The returned epsilon is the largest for which that chance is at most 1 - confidence; the true one is
below it with probability at most 1 - confidence.

**Proof.** Steinke, Nasr, Jagielski (NeurIPS 2023), theorems 5.1 and 5.2. For delta = 0 in short:
given the output and the coins of cells 1..i-1, the posterior odds of coin i are within e^±epsilon
(the two data sets differ in canary i alone), so each guess is right with probability at most q
whatever came before, and the number of right guesses is dominated by B. The number of guesses is an
argument, fixed before the run; scores, and with them the guesses, may use the whole output.

**Edges.** The relation is add-or-remove of one canary. A mechanism whose guarantee speaks of
changing one row may lose half as much as its claim allows here. Canaries that interfere (a shared
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
from hedgerow.verify.audit.confidence import parse_confidence, parse_delta, parse_whole

__all__ = ["OneRunAudit", "audit_one_run", "p_value"]

_MAX_EPSILON = 60.0  # e^60 is beyond what any number of cells can show
_EPSILON_TOLERANCE = 1e-6


@dataclass(frozen=True)
class OneRunAudit:
    """What a one-run audit found: ``correct`` of ``guesses`` were right on ``cells`` canaries,
    which certifies ``epsilon``.
    """

    epsilon: float
    delta: float
    confidence: float
    cells: int
    guesses: int
    correct: int

    def refutes(self, epsilon: float) -> bool:
        """Whether this audit shows that the mechanism is not (epsilon, delta)-DP, at its
        confidence.
        """
        return self.epsilon > parse_exact(epsilon, "epsilon")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
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
    """A certified lower bound on epsilon from one run of ``mechanism`` on ``cells`` canaries.

    ``mechanism(included)`` gets an array of 0 and 1, one per canary, runs once on the data set that
    holds the canaries marked 1, and returns one score per canary: higher where it looks present.
    For a histogram with one canary in each cell these are the noisy counts. ``present`` and
    ``absent`` are how many canaries are guessed in and out (a quarter each by default); choose them
    before the run.
    """
    cells = parse_whole(cells, "cells", 2)
    present = cells // 4 if present is None else parse_whole(present, "present", 0)
    absent = cells // 4 if absent is None else parse_whole(absent, "absent", 0)
    if not 1 <= present + absent <= cells:
        raise InvalidArgument(
            "present + absent", f"must lie between 1 and the {cells} cells", present + absent
        )
    error, slack = parse_confidence(confidence), parse_delta(delta)
    included = (draw_words(cells) & np.uint64(1)).astype(np.int64)
    scores = np.asarray(mechanism(included.copy()), dtype=np.float64)
    if scores.shape != (cells,) or np.isnan(scores).any():
        raise InvalidArgument(
            "mechanism", f"must return one score for each of the {cells} canaries, none of them NaN"
        )
    order = np.argsort(scores, kind="stable")
    correct = (
        int(included[order[cells - present :]].sum()) + absent - int(included[order[:absent]].sum())
    )
    guesses = present + absent
    return OneRunAudit(
        _find_epsilon(cells, guesses, correct, slack, error),
        slack,
        float(confidence),
        cells,
        guesses,
        correct,
    )


def p_value(cells: int, guesses: int, correct: int, epsilon: float, delta: float = 0.0) -> float:
    """A bound on the chance of at least ``correct`` right guesses under (epsilon, delta)-DP;
    grows with epsilon and delta.
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
    """The largest epsilon whose p-value is at most ``error``, rounded down; 0 when there is
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
