"""Is this table of probabilities (epsilon, delta)-differentially private? Decided exactly, with the witness.

A finite mechanism on finitely many data sets is a table: data set -> law of the output. It is private exactly if no two neighbours
are further apart than delta in epsilon-distance, which is a finite check.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.number import Number
from hedgerow.privacy.unit import Unit
from hedgerow.verify.divergence.amount import Amount, chance
from hedgerow.verify.divergence.curve import privacy_curve
from hedgerow.verify.divergence.distance import Distance, epsilon_distance, named
from hedgerow.verify.divergence.distribution import Distribution, Probabilities
from hedgerow.verify.divergence.epsilon import Epsilon

__all__ = ["Neighbours", "Table", "Verdict", "is_private", "least_epsilon", "read_table"]

Table = Mapping[Any, Probabilities]
"""Data set -> law of the output."""

Neighbours = Unit | Callable[[Any, Any], bool] | Iterable[tuple[Any, Any]]
"""Which data sets are neighbours: a ``Unit`` (distance 1; data sets are tuples of rows), a function of two, or the pairs.
Order is nothing: a pair counts in both directions."""


@dataclass(frozen=True)
class Verdict:
    """Whether a table is (epsilon, delta)-DP; true or false as it stands. The witness is the pair of neighbours furthest apart.

    ``distance`` names the event, its two probabilities, and the side of the pair (``one`` or ``other``) on which it is likelier.
    """

    epsilon: Epsilon
    delta: Fraction
    one: Hashable
    other: Hashable
    distance: Distance
    pairs: int

    @property
    def excess(self) -> Amount:
        """By how much the worst event breaks the claim; 0 or below where it holds."""
        return self.distance.value - self.delta

    @property
    def private(self) -> bool:
        """Whether every pair of neighbours keeps the claim."""
        return self.excess <= 0

    def __bool__(self) -> bool:
        return self.private

    def __str__(self) -> str:
        claim = f"({self.epsilon}, {self.delta})-DP on {self.pairs} pair{'s' * (self.pairs > 1)} of neighbours"
        where = f"{self.one!r} and {self.other!r}"
        if self.private:
            return f"private: {claim}; furthest apart are {where}, by {float(self.distance):.6g}"
        likely, rare = float(self.distance.likely), float(self.distance.rare)
        here, there = (self.one, self.other) if self.distance.direction == "one" else (self.other, self.one)
        event = f"{named(self.distance.event)} has probability {likely:.6g} on {here!r} and {rare:.6g} on {there!r}"
        return f"not private: {claim}; {event}, {float(self.excess):.6g} too much"


def is_private(table: Table, epsilon: Epsilon | Number, delta: Number, neighbours: Neighbours) -> Verdict:
    """Check every pair of neighbours in ``table``; the verdict carries the worst pair whether the claim holds or not."""
    laws, least, allowed = read_table(table), Epsilon.of(epsilon), chance(delta, "delta")
    pairs = _pairs(laws, neighbours)
    found = ((one, other, epsilon_distance(laws[one], laws[other], least)) for one, other in pairs)
    return Verdict(least, allowed, *max(found, key=lambda pair: pair[2].value), len(pairs))


def least_epsilon(table: Table, delta: Number, neighbours: Neighbours) -> Epsilon | float:
    """The smallest epsilon with which ``table`` is (epsilon, delta)-DP, exactly; ``math.inf`` where there is none."""
    laws, allowed = read_table(table), chance(delta, "delta")
    return max(privacy_curve(laws[one], laws[other]).epsilon_at(allowed) for one, other in _pairs(laws, neighbours))


def read_table(table: Table) -> dict[Any, Distribution]:
    """Every law checked; an error names the data set."""
    if not isinstance(table, Mapping) or not table:
        raise InvalidArgument("table", "must be a mapping from data sets to probabilities, and not empty", table)
    return {data: Distribution.of(law, f"table[{data!r}]") for data, law in table.items()}


def _pairs(laws: Mapping[Any, Distribution], neighbours: Neighbours) -> list[tuple[Any, Any]]:
    if isinstance(neighbours, Unit):
        pairs = [(a, b) for a, b in combinations(laws, 2) if neighbours.distance(a, b) == 1]
    elif callable(neighbours):
        pairs = [(a, b) for a, b in combinations(laws, 2) if neighbours(a, b) or neighbours(b, a)]
    elif isinstance(neighbours, Iterable):
        pairs = [_pair(laws, pair) for pair in neighbours]
    else:
        raise InvalidArgument("neighbours", "must be a Unit, a function of two data sets, or pairs of them", neighbours)
    if not pairs:
        raise InvalidArgument("neighbours", "must relate at least one pair of data sets; a check of nothing shows nothing")
    return pairs


def _pair(laws: Mapping[Any, Distribution], pair: tuple[Any, Any]) -> tuple[Any, Any]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise InvalidArgument("neighbours", "must be pairs of data sets", pair)
    for data in pair:
        if data not in laws:
            raise InvalidArgument("neighbours", "must name data sets of the table only", data)
    return pair
