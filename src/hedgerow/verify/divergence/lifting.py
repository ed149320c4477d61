"""Approximate liftings: the analogue of a coupling for (epsilon, delta), with two joint
distributions in place of one.

    one, other   two finite distributions
    R, R(A)      a relation on outcomes, and all outcomes related to some outcome of A
    left, right  the witnesses: two distributions on pairs of outcomes
    STAR         a dummy outcome that may replace either outcome of a pair

**Definition** (the *-lifting of Barthe, Espitau, Hsu, Sato and Strub, 2017). ``one`` and ``other``
are related by the (epsilon, delta) lifting of R if there are ``left`` and ``right`` with

    first marginal of left = one,  second marginal of right = other,  pairs without STAR in R,
    left(E) <= e^epsilon right(E) + delta for every set E of pairs.

A single coupling is not enough: one joint distribution has both marginals at once, which leaves no
room for a factor between them.

**Statement.** The lifting exists if and only if one(A) <= e^epsilon other(R(A)) + delta for every
set A of outcomes.

**Proof.** Let each a supply one(a), each b accept up to e^epsilon other(b), and send mass along R.
As in ``coupling``, the minimum cut is the mass of one minus the largest one(A) - e^epsilon
other(R(A)). If the latter is at most delta, a flow f(a, b) sends all mass but delta. Put

    left(a, b) = f(a, b),              left(a, STAR) = the supply of a that was not sent,
    right(a, b) = e^-epsilon f(a, b),  right(STAR, b) = e^-epsilon times the capacity left at b.

The marginals are as required, and left exceeds e^epsilon right only on pairs (a, STAR), by at most
delta in total. Conversely, let E be the pairs whose first outcome is in A: one(A) = left(E) <=
e^epsilon right(E) + delta. The second marginal of right is other, so right has no mass on pairs
(a, STAR), and its mass on the rest of E lies inside R. Hence right(E) <= other(R(A)).

**Arithmetic.** If e^epsilon is irrational, the flow is computed for a rational t slightly below it,
at growing precision. Witnesses at t are witnesses at epsilon; a cut at t is tested against
e^epsilon itself. One of the two succeeds in the end: the largest one(A) - t other(R(A)) is
piecewise linear in t with rational corners only, so there is no corner between some t and
e^epsilon, and from there on the cut at t is also the best at epsilon.

The lifting has a direction. Two distributions are (epsilon, delta)-indistinguishable if and only if
they are lifted over equality in both directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Final

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.rounding import exp_down
from hedgerow.verify.divergence.coupling import (
    MassTransport,
    OutcomePairs,
    OutcomeRelation,
    Violation,
    compute_marginal,
    list_related_pairs,
    transport_mass,
)
from hedgerow.verify.divergence.distribution import Distribution, Probabilities
from hedgerow.verify.divergence.epsilon import Epsilon
from hedgerow.verify.divergence.exponential_sum import parse_probability, sum_fractions

__all__ = ["STAR", "Lifting", "Star", "lifting"]

_FIRST_DIGITS = 12


class Star(Enum):
    """The type of the dummy outcome."""

    STAR = "*"

    def __repr__(self) -> str:
        return "STAR"


STAR: Final = Star.STAR


@dataclass(frozen=True)
class Lifting:
    """The two witnesses of a lifting, checked when it is built.

    ``ratio`` is a rational, at most e^epsilon, such that left exceeds ratio times right by at most
    delta.
    """

    one: Distribution
    other: Distribution
    relation: OutcomePairs
    epsilon: Epsilon
    delta: Fraction
    ratio: Fraction
    left: Distribution
    right: Distribution

    def __post_init__(self) -> None:
        if (
            compute_marginal(self.left, 0) != self.one.atoms
            or compute_marginal(self.right, 1) != self.other.atoms
        ):
            raise InvalidArgument(
                "witnesses",
                "must have one as the first marginal of left and other as the second of right",
            )
        for witness in (self.left, self.right):
            if not all(pair in self.relation for pair in witness.atoms if STAR not in pair):
                raise InvalidArgument("witnesses", "must lie inside the relation")
        if self.ratio > self.epsilon.exp or self.distance > self.delta:
            raise InvalidArgument("witnesses", "must be within (epsilon, delta) of each other")

    @property
    def distance(self) -> Fraction:
        """The largest left(E) - ratio right(E) of any set E of pairs."""
        return sum_fractions(
            max(weight - self.ratio * self.right.at(pair), Fraction(0))
            for pair, weight in self.left.items()
        )


def lifting(
    one: Probabilities,
    other: Probabilities,
    relation: OutcomeRelation,
    epsilon: Epsilon | Number,
    delta: Number = 0,
) -> Lifting | Violation:
    """Return the witnesses of the (epsilon, delta) lifting of ``relation``, or a set A with
    one(A) > e^epsilon other(R(A)) + delta.
    """
    first, second = Distribution.of(one, "one"), Distribution.of(other, "other")
    least, allowed = Epsilon.of(epsilon), parse_probability(delta, "delta")
    if STAR in first or STAR in second:
        raise InvalidArgument("outcomes", "must not be STAR, which is reserved for the lifting")
    pairs = list_related_pairs(relation, first, second)
    digits = _FIRST_DIGITS
    while True:
        ratio = _round_down_exp(least, digits)
        shipment = transport_mass(first, second, pairs, ratio)
        if first.mass - shipment.mass <= allowed:
            return Lifting(
                first,
                second,
                pairs,
                least,
                allowed,
                ratio,
                *_build_witnesses(first, second, shipment, ratio),
            )
        image = {b for a, b in pairs if a in shipment.limiting_event}
        if (
            first.probability(shipment.limiting_event)
            > least.exp * second.probability(image) + allowed
        ):
            return Violation(first, second, pairs, shipment.limiting_event, least, allowed)
        digits *= 2


def _round_down_exp(epsilon: Epsilon, digits: int) -> Fraction:
    """Round e^epsilon down to a rational, exactly if it is rational."""
    return (
        epsilon.ratio * exp_down(epsilon.rational_part, digits)
        if epsilon.rational_part
        else epsilon.ratio
    )


def _build_witnesses(
    one: Distribution, other: Distribution, shipment: MassTransport, ratio: Fraction
) -> tuple[Distribution, Distribution]:
    sent, taken = (
        compute_marginal(shipment.mass_by_pair, 0),
        compute_marginal(shipment.mass_by_pair, 1),
    )
    left: dict[tuple[Any, Any], Fraction] = dict(shipment.mass_by_pair)
    left |= {(a, STAR): rest for a, weight in one.items() if (rest := weight - sent.get(a, 0))}
    right: dict[tuple[Any, Any], Fraction] = {
        pair: amount / ratio for pair, amount in shipment.mass_by_pair.items()
    }
    right |= {
        (STAR, b): rest for b, weight in other.items() if (rest := weight - taken.get(b, 0) / ratio)
    }
    return Distribution(left, partial=True), Distribution(right, partial=True)
