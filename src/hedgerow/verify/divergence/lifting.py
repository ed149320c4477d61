"""The coupling view of (epsilon, delta): two witnesses in place of one joint law.

**Definition** (the *-lifting of Barthe, Espitau, Hsu, Sato and Strub, 2017). ``one`` and ``other``
are related by the (epsilon, delta) lifting of R if there are two laws on pairs, ``left`` and
``right``, where either outcome of a pair may be the dummy ``STAR``, with

    first marginal of left = one,  second marginal of right = other,  pairs without STAR in R,
    left(E) <= e^epsilon right(E) + delta for every set E of pairs.

A single coupling cannot say this: one joint law has both marginals at once, which leaves no room
for a factor between them.

**Statement.** The lifting exists exactly if one(A) <= e^epsilon other(R(A)) + delta for every set A
of outcomes.

**Proof.** Let a supply one(a), b take e^epsilon other(b), and send along R. As in ``coupling`` the
cheapest cut costs one's mass less the largest one(A) - e^epsilon other(R(A)). If that is at most
delta, all but delta can be sent, f(a, b). Put

    left(a, b) = f(a, b),             left(a, STAR) = what a could not send,
    right(a, b) = e^-epsilon f(a, b),  right(STAR, b) = what b could still take, times e^-epsilon:

the marginals are right, and left exceeds e^epsilon right only on pairs (a, STAR), in all by at most
delta. Conversely, let E be the pairs whose first outcome is in A: one(A) = left(E) <= e^epsilon
right(E) + delta. The second marginal of right is other, so right has nothing on STAR there, and the
rest of E where right has anything is inside R: right(E) <= other(R(A)).

**Arithmetic.** Where e^epsilon is irrational the flow is computed for a rational t a little below
it, at growing precision. An answer at t is an answer at epsilon; a cut at t is tried against
e^epsilon itself. One of the two comes: the largest one(A) - t other(R(A)) is piecewise linear in t
with corners at rationals only, so between some t and e^epsilon there is none, and from there on the
cut at t is the best at epsilon too.

The lifting has a direction. Two laws are (epsilon, delta)-indistinguishable exactly if they are
lifted over equality both ways.
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
    """Two witnesses for ``one`` and ``other``. Refuses to be made if they are none.

    ``ratio`` is the rational, at most e^epsilon, for which they were made: left exceeds ratio times
    right by at most delta.
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
        """The most by which left(E) exceeds ratio right(E) for any set E of pairs."""
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
    """The two witnesses of the (epsilon, delta) lifting of ``relation``, or the set A with
    one(A) > e^epsilon other(R(A)) + delta.
    """
    first, second = Distribution.of(one, "one"), Distribution.of(other, "other")
    least, allowed = Epsilon.of(epsilon), parse_probability(delta, "delta")
    if STAR in first or STAR in second:
        raise InvalidArgument("outcomes", "must not be STAR, which stands for no outcome")
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
    """A rational a little below e^epsilon; e^epsilon itself where it is rational."""
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
