"""Couplings: a joint distribution of two distributions inside a relation, or a set of outcomes that
rules it out.

**Statement** (Strassen). Two finite distributions, one and other, of equal mass have a joint
distribution whose pairs all lie in a relation R if and only if one(A) <= other(R(A)) for every set
A of outcomes, where R(A) are all outcomes that R relates to some outcome of A.

**Proof.** Let every outcome a supply one(a), every b accept up to other(b), and send mass along R.
A minimum cut severs no link of R. For some A, it cuts off the suppliers outside A and the consumers
in R(A), so it costs one(not A) + other(R(A)). By max-flow min-cut, all mass can be sent if and only
if no such cut costs less than the mass of one; the flow from a to b is then the joint distribution.

Under equality the only coupling is the diagonal, which exists for equal distributions only. For
epsilon above 0, use the two witnesses of ``lifting`` instead.

Both results are checked when they are built, from the distributions and the relation alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from hedgerow.errors import InvalidArgument
from hedgerow.verify.divergence.distance import format_outcomes
from hedgerow.verify.divergence.distribution import Distribution, Probabilities
from hedgerow.verify.divergence.epsilon import Epsilon
from hedgerow.verify.divergence.max_flow import maximise_flow

__all__ = [
    "Coupling",
    "MassTransport",
    "OutcomePairs",
    "OutcomeRelation",
    "Violation",
    "compute_marginal",
    "coupling",
    "list_related_pairs",
    "transport_mass",
]

OutcomeRelation = Callable[[Any, Any], bool] | Iterable[tuple[Any, Any]]
"""A function of an outcome of either side, such as ``operator.eq``, or the related pairs."""

OutcomePairs = frozenset[tuple[Any, Any]]


@dataclass(frozen=True)
class Coupling:
    """A joint distribution of ``one`` and ``other`` inside ``relation``, checked when built."""

    one: Distribution
    other: Distribution
    relation: OutcomePairs
    joint: Distribution

    def __post_init__(self) -> None:
        for side, place in ((self.one, 0), (self.other, 1)):
            if compute_marginal(self.joint, place) != side.atoms:
                raise InvalidArgument(
                    "joint", f"must have {('one', 'other')[place]} as its marginal"
                )
        if not all(pair in self.relation for pair in self.joint.atoms):
            raise InvalidArgument("joint", "must lie inside the relation")


@dataclass(frozen=True)
class Violation:
    """A set of outcomes with one(event) > e^epsilon other(image) + delta, checked when it is built.

    ``image`` are all outcomes that ``relation`` relates to some outcome of ``event``. A violation
    is falsy, so that ``if coupling(…)`` means that there is a coupling.
    """

    one: Distribution
    other: Distribution
    relation: OutcomePairs
    event: frozenset[Any]
    epsilon: Epsilon
    delta: Fraction

    def __post_init__(self) -> None:
        if not self.likely > self.epsilon.exp * self.rare + self.delta:
            raise InvalidArgument("event", "must be likelier than its image allows")

    @property
    def image(self) -> frozenset[Any]:
        """All outcomes related to some outcome of the event."""
        return frozenset(b for a, b in self.relation if a in self.event)

    @property
    def likely(self) -> Fraction:
        """The probability one(event)."""
        return self.one.probability(self.event)

    @property
    def rare(self) -> Fraction:
        """The probability other(image)."""
        return self.other.probability(self.image)

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        event = f"{format_outcomes(self.event)} has probability {float(self.likely):.6g} on one"
        return (
            f"{event}, and all it is related to, {format_outcomes(self.image)}, has"
            f" {float(self.rare):.6g} on other"
        )


def coupling(
    one: Probabilities, other: Probabilities, relation: OutcomeRelation
) -> Coupling | Violation:
    """Return a joint distribution of ``one`` and ``other`` whose pairs all lie in ``relation``, or
    a set of outcomes that rules it out.
    """
    first, second = Distribution.of(one, "one"), Distribution.of(other, "other")
    if first.mass != second.mass:
        raise InvalidArgument("other", f"must have the same mass as one, {first.mass}", second.mass)
    pairs = list_related_pairs(relation, first, second)
    shipment = transport_mass(first, second, pairs, Fraction(1))
    if shipment.mass < first.mass:
        return Violation(first, second, pairs, shipment.limiting_event, Epsilon(), Fraction(0))
    return Coupling(first, second, pairs, Distribution(shipment.mass_by_pair, partial=True))


class MassTransport(NamedTuple):
    """The largest mass that can be sent along a relation, by pair, and the set of outcomes that
    limits it.
    """

    mass: Fraction
    mass_by_pair: dict[tuple[Any, Any], Fraction]
    limiting_event: frozenset[Any]


def transport_mass(
    one: Distribution, other: Distribution, pairs: OutcomePairs, ratio: Fraction
) -> MassTransport:
    """Send as much mass as possible along ``pairs``, exactly: outcome a supplies one(a), and
    outcome b accepts up to ratio other(b).
    """
    takes = {b: ratio * weight for b, weight in other.items()}
    scale = lcm(*(weight.denominator for side in (one, takes) for weight in side.values()))
    left, right = (
        {a: place for place, a in enumerate(one)},
        {b: place for place, b in enumerate(takes)},
    )
    supply, demand = ([int(weight * scale) for weight in side.values()] for side in (one, takes))
    flow = maximise_flow(supply, demand, ((left[a], right[b]) for a, b in pairs))
    froms, tos = list(left), list(right)
    sent = {
        (froms[a], tos[b]): Fraction(amount, scale) for (a, b), amount in flow.flow_by_link.items()
    }
    return MassTransport(Fraction(flow.total, scale), sent, frozenset(froms[a] for a in flow.cut))


def list_related_pairs(
    relation: OutcomeRelation, one: Distribution, other: Distribution
) -> OutcomePairs:
    """List the related pairs of outcomes of both distributions."""
    if callable(relation):
        return frozenset((a, b) for a in one for b in other if relation(a, b))
    if not isinstance(relation, Iterable):
        raise InvalidArgument(
            "relation", "must be a function of two outcomes, or pairs of them", relation
        )
    pairs = list(relation)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InvalidArgument("relation", "must be pairs of outcomes", pair)
        if pair[0] not in one or pair[1] not in other:
            raise InvalidArgument(
                "relation", "must pair an outcome of one with an outcome of other", pair
            )
    return frozenset(pairs)


def compute_marginal(joint: Mapping[tuple[Any, Any], Fraction], place: int) -> dict[Any, Fraction]:
    """Compute the distribution of one coordinate, without outcomes of probability 0."""
    weights: defaultdict[Any, Fraction] = defaultdict(Fraction)
    for pair, weight in joint.items():
        weights[pair[place]] += weight
    return {outcome: weight for outcome, weight in weights.items() if weight}
