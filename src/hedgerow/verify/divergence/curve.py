"""The privacy curve of two finite distributions: delta as a function of epsilon, and back, both
exact.

Order the outcomes by their privacy loss ln(p/q), p = one(r), q = other(r). The best event at
epsilon is {loss > epsilon}, so

    delta(epsilon) = P - e^epsilon Q,   P = one{loss > epsilon},  Q = other{loss > epsilon},

which changes form only where epsilon passes a loss. Between two losses P and Q are constant
rationals, and delta(epsilon) = d is solved by e^epsilon = (P - d)/Q: the smallest epsilon at a
given delta is exactly the logarithm of a rational. It is infinite when outcomes that other cannot
produce have a probability above d.
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
    """On start <= epsilon <= stop the one-sided delta is likely - e^epsilon rare."""

    start: Epsilon
    stop: Epsilon | float
    likely: Fraction
    rare: Fraction


@dataclass(frozen=True)
class Curve:
    """delta as a function of epsilon >= 0 for two laws, the larger of both directions. Made by
    ``privacy_curve``.
    """

    one: Distribution
    other: Distribution
    pieces: dict[Side, tuple[CurvePiece, ...]]

    @property
    def breakpoints(self) -> tuple[Epsilon, ...]:
        """The epsilons above 0 at which either direction changes its form: the finite positive
        privacy losses.
        """
        return tuple(
            sorted(
                {piece.start for side in self.pieces.values() for piece in side if piece.start > 0}
            )
        )

    def delta_at(self, epsilon: Epsilon | Number) -> Distance:
        """The smallest delta at ``epsilon``, with the event that shows it."""
        return epsilon_distance(self.one, self.other, epsilon)

    def epsilon_at(self, delta: Number, side: Side | None = None) -> Epsilon | float:
        """The smallest epsilon at ``delta``, exactly; ``math.inf`` where there is none.
        ``side``: in one direction only.
        """
        allowed = parse_probability(delta, "delta")
        return max(
            _solve_epsilon(pieces, allowed)
            for name, pieces in self.pieces.items()
            if side in (None, name)
        )


def privacy_curve(one: Probabilities, other: Probabilities) -> Curve:
    """The privacy curve of two laws."""
    first, second = Distribution.of(one, "one"), Distribution.of(other, "other")
    return Curve(
        first, second, {"one": _build_pieces(first, second), "other": _build_pieces(second, first)}
    )


def loss_distribution(one: Probabilities, other: Probabilities) -> dict[Epsilon | float, Fraction]:
    """The privacy loss ln(one(r)/other(r)) of an outcome r drawn from ``one``: loss -> probability,
    the smallest loss first.

    ``math.inf`` is the loss at outcomes that ``other`` cannot produce.
    """
    first, second = Distribution.of(one, "one"), Distribution.of(other, "other")
    return {loss: likely for loss, likely, _ in reversed(_group_by_loss(first, second))}


def max_divergence(one: Probabilities, other: Probabilities) -> Epsilon | float:
    """The largest privacy loss ln(one(r)/other(r)); ``math.inf`` where ``other`` cannot produce
    what ``one`` can.
    """
    return _group_by_loss(Distribution.of(one, "one"), Distribution.of(other, "other"))[0][0]


def _group_by_loss(
    first: Distribution, second: Distribution
) -> list[tuple[Epsilon | float, Fraction, Fraction]]:
    """(loss, its probability under first, under second), the largest loss first. Rationals are
    sorted, never logarithms.
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
    """From the right: below each loss its outcomes join the event. Losses of 0 and less never
    do, as epsilon starts at 0.
    """
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
    """delta(epsilon) falls continuously: the first piece that ends at ``delta`` or below holds
    the answer.
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
