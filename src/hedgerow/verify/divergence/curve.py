"""The exact privacy curve of two finite distributions: delta as a function of epsilon, and back.

Order the outcomes r by their privacy loss ln(p/q), p = one(r), q = other(r). The best event at
epsilon is {loss > epsilon}, so

    delta(epsilon) = P - e^epsilon Q,   P = one{loss > epsilon},  Q = other{loss > epsilon},

which changes its form only at a loss. Between two losses P and Q are constant rationals, and
delta(epsilon) = d is solved by e^epsilon = (P - d)/Q: the smallest epsilon at a given delta is
exactly the logarithm of a rational. It is infinite if outcomes that other cannot produce have a
probability above d.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

from hedgerow.numeric.exact_number import Number
from hedgerow.verify.divergence.distance import Distance, Side, epsilon_distance
from hedgerow.verify.divergence.distribution import Distribution, Probabilities
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from hedgerow.verify.divergence.exponential_sum import parse_probability

__all__ = ["Curve", "CurvePiece", "loss_distribution", "max_divergence", "privacy_curve"]


@dataclass(frozen=True)
class CurvePiece:
    """The one-sided delta, likely - e^epsilon rare, on start <= epsilon <= stop."""

    start: Epsilon
    stop: Epsilon | float
    likely: Fraction
    rare: Fraction


@dataclass(frozen=True)
class Curve:
    """The larger delta of both directions as a function of epsilon >= 0."""

    one: Distribution
    other: Distribution
    pieces: dict[Side, tuple[CurvePiece, ...]]

    @property
    def breakpoints(self) -> tuple[Epsilon, ...]:
        """The finite positive privacy losses, at which either direction changes its form."""
        return tuple(
            sorted(
                {piece.start for side in self.pieces.values() for piece in side if piece.start > 0}
            )
        )

    def delta_at(self, epsilon: Epsilon | Number) -> Distance:
        """Return the smallest delta at ``epsilon``, with the event that attains it."""
        return epsilon_distance(self.one, self.other, epsilon)

    def epsilon_at(self, delta: Number, side: Side | None = None) -> Epsilon | float:
        """Return the exact smallest epsilon at ``delta``, of one direction if ``side`` is given, or
        ``math.inf`` if there is none.
        """
        allowed = parse_probability(delta, "delta")
        return max(
            _solve_epsilon(pieces, allowed)
            for name, pieces in self.pieces.items()
            if side in (None, name)
        )


def privacy_curve(one: Probabilities, other: Probabilities) -> Curve:
    """Build the privacy curve of two distributions."""
    first, second = Distribution.of(one, "one"), Distribution.of(other, "other")
    return Curve(
        first, second, {"one": _build_pieces(first, second), "other": _build_pieces(second, first)}
    )


def loss_distribution(one: Probabilities, other: Probabilities) -> dict[Epsilon | float, Fraction]:
    """Return the distribution of the privacy loss ln(one(r)/other(r)) for r drawn from ``one``, the
    smallest loss first.

    The loss is ``math.inf`` at outcomes that ``other`` cannot produce.
    """
    first, second = Distribution.of(one, "one"), Distribution.of(other, "other")
    return {loss: likely for loss, likely, _ in reversed(_group_by_loss(first, second))}


def max_divergence(one: Probabilities, other: Probabilities) -> Epsilon | float:
    """Return the largest privacy loss ln(one(r)/other(r)), or ``math.inf`` if ``other`` cannot
    produce some outcome of ``one``.
    """
    return _group_by_loss(Distribution.of(one, "one"), Distribution.of(other, "other"))[0][0]


def _group_by_loss(
    first: Distribution, second: Distribution
) -> list[tuple[Epsilon | float, Fraction, Fraction]]:
    """Return (loss, its probability under first, under second), the largest loss first, sorted as
    rational ratios.
    """
    likely: defaultdict[Fraction | float, Fraction] = defaultdict(Fraction)
    rare: defaultdict[Fraction | float, Fraction] = defaultdict(Fraction)
    for outcome, p in first.atoms.items():
        q = second.at(outcome)
        ratio = p / q if q else math.inf
        likely[ratio] += p
        rare[ratio] += q
    return [
        (ln(x) if isinstance(x, Fraction) else x, likely[x], rare[x])
        for x in sorted(likely, reverse=True)
    ]


def _build_pieces(first: Distribution, second: Distribution) -> tuple[CurvePiece, ...]:
    """Build the pieces from the right: below each positive loss its outcomes join the event."""
    pieces: list[CurvePiece] = []
    likely = rare = Fraction(0)
    stop: Epsilon | float = math.inf
    for loss, more, less in [*_group_by_loss(first, second), (Epsilon(), Fraction(0), Fraction(0))]:
        if isinstance(loss, Epsilon) and stop > 0:
            pieces.append(CurvePiece(max(loss, Epsilon()), stop, likely, rare))
            stop = pieces[-1].start
        likely, rare = likely + more, rare + less
    return tuple(reversed(pieces))


def _solve_epsilon(pieces: tuple[CurvePiece, ...], delta: Fraction) -> Epsilon | float:
    """Solve delta(epsilon) = delta on the first piece that ends at ``delta`` or below, since
    delta(epsilon) decreases continuously.
    """
    for piece in pieces:
        if piece.likely - piece.start.ratio * piece.rare <= delta:
            return piece.start
        if (
            isinstance(piece.stop, Epsilon)
            and piece.likely - piece.stop.ratio * piece.rare <= delta
        ):
            return ln((piece.likely - delta) / piece.rare)
    return math.inf
