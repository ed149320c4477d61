"""The exact epsilon-distance of two finite distributions, with the event that attains it.

**Statement.** Delta_eps(one, other) = sup over events E of max(one(E) - e^eps other(E), other(E) -
e^eps one(E), 0). Two distributions are (epsilon, delta)-indistinguishable if and only if it is at
most delta. At epsilon 0 it is the total variation distance. Other names are skewed statistical
distance and, in one direction, hockey-stick divergence.

**Proof.** one(E) - e^eps other(E) is a sum over the outcomes of E. It is largest for E = {r :
one(r) > e^eps other(r)}, which takes exactly the positive terms; if there is none, E is empty and
the sum is 0. The other direction is the same.

**Arithmetic.** Probabilities are rationals, and one(r) > e^eps other(r) is decided exactly
(``exponential_sum``). The value is the ``ExponentialSum`` likely - e^eps rare, which is a fraction
if e^eps is rational, as for ``ln(3)``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number
from hedgerow.verify.divergence.distribution import Distribution, Probabilities
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from hedgerow.verify.divergence.exponential_sum import ExponentialSum

__all__ = [
    "Distance",
    "Side",
    "cumulative_losses",
    "epsilon_distance",
    "format_outcomes",
    "one_sided_distance",
]

Side = Literal["one", "other"]
_MAX_SHOWN_OUTCOMES = 8


@dataclass(frozen=True)
class Distance:
    """An epsilon-distance and the event that attains it, which has probability ``likely`` on the
    side ``direction`` and ``rare`` on the other.
    """

    epsilon: Epsilon
    direction: Side
    event: frozenset[Any]
    likely: Fraction
    rare: Fraction

    @property
    def value(self) -> ExponentialSum:
        """The distance itself, likely - e^epsilon rare; compares exactly with numbers."""
        return self.likely - self.epsilon.exp * self.rare

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        far = f"distance {float(self):.6g} at epsilon {self.epsilon}"
        if not self.event:
            return f"{far}: no event is likelier by more than e^epsilon on either side"
        return (
            f"{far}: {format_outcomes(self.event)} has probability {float(self.likely):.6g} on"
            f" {self.direction}, else {float(self.rare):.6g}"
        )


def epsilon_distance(
    one: Probabilities, other: Probabilities, epsilon: Epsilon | Number
) -> Distance:
    """Return the largest excess of any event in either direction; ``epsilon`` is a number or an
    exact logarithm such as ``ln(3)``.
    """
    there, back = one_sided_distance(one, other, epsilon), one_sided_distance(other, one, epsilon)
    if back.value > there.value:
        return Distance(back.epsilon, "other", back.event, back.likely, back.rare)
    return there


def one_sided_distance(
    one: Probabilities, other: Probabilities, epsilon: Epsilon | Number
) -> Distance:
    """Return the largest one(E) - e^epsilon other(E) of any event E."""
    first, second, ratio = (
        Distribution.of(one, "one"),
        Distribution.of(other, "other"),
        Epsilon.of(epsilon).exp,
    )
    low, high = ratio.bounds()

    def likelier(p: Fraction, q: Fraction) -> bool:
        # The bounds decide nearly every outcome; the rest is decided at growing precision.
        return p > high * q or (p > low * q and p > ratio * q)

    event = frozenset(
        outcome for outcome, weight in first.items() if likelier(weight, second.at(outcome))
    )
    return Distance(
        Epsilon.of(epsilon), "one", event, first.probability(event), second.probability(event)
    )


def cumulative_losses(
    one: Probabilities, other: Probabilities
) -> list[tuple[Any, Epsilon | float]]:
    """Return (t, ln(F_one(t) / F_other(t))) for every outcome t at which a cumulative distribution
    F is positive, in order.

    {output <= t} is an event, so under pure epsilon-DP every value lies within ±epsilon.
    """
    first, second = Distribution.of(one, "one"), Distribution.of(other, "other")
    try:
        outcomes = sorted({*first, *second})
    except TypeError as error:
        raise InvalidArgument("outcomes", "must be in some order, such as numbers") from error
    below = under = Fraction(0)
    losses: list[tuple[Any, Epsilon | float]] = []
    for outcome in outcomes:
        below, under = below + first.at(outcome), under + second.at(outcome)
        if below and under:
            losses.append((outcome, ln(below / under)))
        elif below or under:
            losses.append((outcome, math.inf if below else -math.inf))
    return losses


def format_outcomes(event: Iterable[Any]) -> str:
    """Format the first few outcomes of an event."""
    shown = sorted(map(repr, event))
    return (
        "{"
        + ", ".join(shown[:_MAX_SHOWN_OUTCOMES])
        + (
            f", … {len(shown) - _MAX_SHOWN_OUTCOMES} more"
            if len(shown) > _MAX_SHOWN_OUTCOMES
            else ""
        )
        + "}"
    )
