"""The exact decision whether a table of probabilities is (epsilon, delta)-differentially private.

A finite mechanism on finitely many data sets is a table: data set -> distribution of the output. It
is private if and only if the epsilon-distance of every pair of neighbours is at most delta, which
is a finite check.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number
from hedgerow.privacy.unit import Unit
from hedgerow.verify.divergence.curve import privacy_curve
from hedgerow.verify.divergence.distance import Distance, epsilon_distance, format_outcomes
from hedgerow.verify.divergence.distribution import Distribution, Probabilities
from hedgerow.verify.divergence.epsilon import Epsilon
from hedgerow.verify.divergence.exponential_sum import ExponentialSum, parse_probability

__all__ = [
    "MechanismTable",
    "NeighbourRelation",
    "TableVerdict",
    "is_private",
    "least_epsilon",
    "parse_table",
]

MechanismTable = Mapping[Any, Probabilities]
"""Data set -> distribution of the output."""

NeighbourRelation = Unit | Callable[[Any, Any], bool] | Iterable[tuple[Any, Any]]
"""The neighbouring data sets: a ``Unit`` (distance 1; data sets are tuples of rows), a function of
two data sets, or the pairs. Every pair counts in both directions."""


@dataclass(frozen=True)
class TableVerdict:
    """The verdict on a claim, true if the table is (epsilon, delta)-DP, with the pair of neighbours
    at the largest distance.

    ``distance`` names the event, its two probabilities, and the side of the pair (``one`` or
    ``other``) on which it is likelier.
    """

    epsilon: Epsilon
    delta: Fraction
    one: Hashable
    other: Hashable
    distance: Distance
    pair_count: int

    @property
    def excess(self) -> ExponentialSum:
        """The distance minus delta: above 0 if the claim is broken."""
        return self.distance.value - self.delta

    @property
    def private(self) -> bool:
        """True if every pair of neighbours satisfies the claim."""
        return self.excess <= 0

    def __bool__(self) -> bool:
        return self.private

    def __str__(self) -> str:
        claim = (
            f"({self.epsilon}, {self.delta})-DP on {self.pair_count}"
            f" pair{'s' * (self.pair_count > 1)} of neighbours"
        )
        where = f"{self.one!r} and {self.other!r}"
        if self.private:
            return f"private: {claim}; furthest apart are {where}, by {float(self.distance):.6g}"
        likely, rare = float(self.distance.likely), float(self.distance.rare)
        here, there = (
            (self.one, self.other) if self.distance.direction == "one" else (self.other, self.one)
        )
        event = (
            f"{format_outcomes(self.distance.event)} has probability {likely:.6g} on {here!r} and"
            f" {rare:.6g} on {there!r}"
        )
        return f"not private: {claim}; {event}, {float(self.excess):.6g} too much"


def is_private(
    table: MechanismTable, epsilon: Epsilon | Number, delta: Number, neighbours: NeighbourRelation
) -> TableVerdict:
    """Check every pair of neighbours in ``table``, and report the pair at the largest distance."""
    laws, least, allowed = (
        parse_table(table),
        Epsilon.of(epsilon),
        parse_probability(delta, "delta"),
    )
    pairs = _list_neighbour_pairs(laws, neighbours)
    found = ((one, other, epsilon_distance(laws[one], laws[other], least)) for one, other in pairs)
    return TableVerdict(least, allowed, *max(found, key=lambda pair: pair[2].value), len(pairs))


def least_epsilon(
    table: MechanismTable, delta: Number, neighbours: NeighbourRelation
) -> Epsilon | float:
    """Return the exact smallest epsilon for which ``table`` is (epsilon, delta)-DP, or ``math.inf``
    if there is none.
    """
    laws, allowed = parse_table(table), parse_probability(delta, "delta")
    return max(
        privacy_curve(laws[one], laws[other]).epsilon_at(allowed)
        for one, other in _list_neighbour_pairs(laws, neighbours)
    )


def parse_table(table: MechanismTable) -> dict[Any, Distribution]:
    """Check the distribution of every data set; an error names the data set."""
    if not isinstance(table, Mapping) or not table:
        raise InvalidArgument(
            "table", "must be a mapping from data sets to probabilities, and not empty", table
        )
    return {data: Distribution.of(law, f"table[{data!r}]") for data, law in table.items()}


def _list_neighbour_pairs(
    laws: Mapping[Any, Distribution], neighbours: NeighbourRelation
) -> list[tuple[Any, Any]]:
    match neighbours:
        case Unit():
            pairs = [(a, b) for a, b in combinations(laws, 2) if neighbours.distance(a, b) == 1]
        case Callable():
            pairs = [
                (a, b) for a, b in combinations(laws, 2) if neighbours(a, b) or neighbours(b, a)
            ]
        case Iterable():
            pairs = [_check_pair(laws, pair) for pair in neighbours]
        case _:
            raise InvalidArgument(
                "neighbours",
                "must be a Unit, a function of two data sets, or pairs of them",
                neighbours,
            )
    if not pairs:
        raise InvalidArgument(
            "neighbours",
            "must relate at least one pair of data sets of the table",
        )
    return pairs


def _check_pair(laws: Mapping[Any, Distribution], pair: tuple[Any, Any]) -> tuple[Any, Any]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise InvalidArgument("neighbours", "must be pairs of data sets", pair)
    for data in pair:
        if data not in laws:
            raise InvalidArgument("neighbours", "must name data sets of the table only", data)
    return pair
