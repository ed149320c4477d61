"""An audit without samples, where the distribution is known: a lower bound on delta at an epsilon.

**Statement.** Let the outputs of ``mechanism`` be the points of its grid, with the probabilities of
``log_prob``. If ``audit_distribution`` returns delta d at epsilon e for two neighbouring answers,
then no (e, d')-guarantee with d' < d holds.

**Proof.** For every event E, P(E) - exp(e) P'(E) <= d' is required. E is the set of those outputs
in a window at which P exceeds exp(e) P', so the difference is a sum of positive terms, and a window
only leaves terms out. Probabilities are accurate to twelve digits; each is moved against us by a
part of 10^10, which far exceeds that and the rounding of the sum.

An audit from samples cannot do this where delta is small: to see that the classical Gaussian loses
2.3e-5 at epsilon 10, and not the claimed 1e-5, it must know a probability of 2e-9 to within a half.
That takes some 10^10 runs, whatever the event.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Protocol

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_epsilon, parse_exact

__all__ = ["KnownDistributionAudit", "audit_distribution"]

_SLACK: Final = 1e-10
_TAIL: Final = 1e-18  # beyond the window, on both sides together
_MAX_OUTPUTS: Final = 20_000_000


class GridMechanism(Protocol):
    """A mechanism whose noise lies on a grid."""

    @property
    def grid(self) -> Fraction: ...

    def log_prob(self, noisy: Any, exact: Any) -> Any: ...

    def error(self, beta: Number) -> Any: ...


@dataclass(frozen=True, slots=True)
class KnownDistributionAudit:
    """The ``delta`` that a mechanism loses at least at ``epsilon``, the answer on which the event
    is likelier, and the event: all outputs from ``low`` to ``high`` where the loss is larger.
    """

    epsilon: Fraction
    delta: float
    likelier_on: Any
    low: float
    high: float

    def refutes(self, delta: Number) -> bool:
        """Return whether this audit shows that the mechanism is not (epsilon, delta)-DP."""
        return self.delta > float(parse_exact(delta, "delta"))


def audit_distribution(
    mechanism: GridMechanism, one: Number, other: Number, epsilon: Number
) -> KnownDistributionAudit:
    """Compute a lower bound on the delta of ``mechanism`` at ``epsilon``, from its probabilities on
    two neighbouring answers."""
    given = parse_epsilon(epsilon)
    outputs = _list_outputs(mechanism, one, other)
    first, second = (np.asarray(mechanism.log_prob(outputs, exact)) for exact in (one, other))
    found = [
        _sum_excess(outputs, likely, rare, given, answer)
        for likely, rare, answer in ((first, second, one), (second, first, other))
    ]
    return max(found, key=lambda audit: audit.delta)


def _list_outputs(mechanism: GridMechanism, one: Number, other: Number) -> Any:
    """List the points of the grid that are not too far from both answers."""
    ends = sorted((float(one), float(other)))
    radius, step = float(mechanism.error(_TAIL)), float(mechanism.grid)
    first, last = (
        round((end + way * radius) / step) for end, way in zip(ends, (-1, 1), strict=True)
    )
    if last - first > _MAX_OUTPUTS:
        raise InvalidArgument(
            "mechanism", f"must have at most {_MAX_OUTPUTS:,} likely outputs", last - first
        )
    # A grid of whole numbers takes integers.
    return np.arange(first, last + 1) * (int(step) if step.is_integer() else step)


def _sum_excess(
    outputs: Any, likely: Any, rare: Any, epsilon: Fraction, answer: Number
) -> KnownDistributionAudit:
    bound = np.exp(np.minimum(rare + float(epsilon), 700.0))
    excess = np.exp(likely) * (1 - _SLACK) - bound * (1 + _SLACK)
    event = np.flatnonzero(excess > 0)
    ends = outputs[event[[0, -1]]] if event.size else np.full(2, np.nan)
    total = float(excess[event].sum()) * (1 - _SLACK)
    return KnownDistributionAudit(epsilon, total, answer, float(ends[0]), float(ends[1]))
