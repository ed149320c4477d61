"""A made-up friendship graph: communities, a few people with very many friends, and pages that
people like.

The two ends of a friendship are drawn by how outgoing people are (a heavy tail), four times in five
within a community; then friends of the same person meet each other. The generator has a seed,
because these people do not exist. The noise has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Graph", "make"]

Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph with private ``friends[x, y]``, public ``likes[x, page]``, and the community of
    everybody."""

    friends: Booleans
    likes: Booleans
    community: Integers

    @property
    def users(self) -> int:
        """The number of users."""
        return len(self.friends)

    def degrees(self) -> Integers:
        """The number of friends of everybody."""
        return self.friends.sum(axis=1)


def make(users: int, communities: int, pages: int, seed: int = 9) -> Graph:
    """Make a graph in which people have about twenty friends on average and a few have hundreds."""
    chance = np.random.default_rng(seed)
    sizes = 1 + chance.pareto(2.5, communities)
    community = np.sort(chance.choice(communities, users, p=sizes / sizes.sum()))
    outgoing = np.minimum(1 + chance.pareto(1.7, users), 40.0)
    friends = _met(chance, community, outgoing, 9 * users)
    _introduced(chance, friends, 4 * users)
    return Graph(friends, _liked(chance, community, communities, pages), community)


def _met(
    chance: np.random.Generator, community: Integers, outgoing: NDArray[np.float64], times: int
) -> Booleans:
    """Draw pairs of people by how outgoing they are, the second mostly from the community of the
    first."""
    ends = np.cumsum(outgoing)
    first = np.searchsorted(ends, chance.random(times) * ends[-1])
    low = np.searchsorted(community, community[first])  # people are sorted by community
    high = np.searchsorted(community, community[first], side="right") - 1
    near = chance.random(times) < 0.8
    start = np.where(near, ends[low] - outgoing[low], 0.0)
    stop = np.where(near, ends[high], ends[-1])
    second = np.minimum(
        np.searchsorted(ends, start + chance.random(times) * (stop - start)), len(ends) - 1
    )
    friends = np.zeros((len(ends), len(ends)), dtype=np.bool_)
    friends[first, second] = friends[second, first] = True
    np.fill_diagonal(friends, False)
    return friends


def _introduced(chance: np.random.Generator, friends: Booleans, times: int) -> None:
    """Introduce two friends of the same person to each other, over and over."""
    lists = [np.flatnonzero(row) for row in friends]
    sociable = np.array([place for place, row in enumerate(lists) if row.size > 1])
    for host in chance.choice(sociable, times):
        x, y = chance.choice(lists[host], 2, replace=False)
        friends[x, y] = friends[y, x] = True


def _liked(
    chance: np.random.Generator, community: Integers, communities: int, pages: int
) -> Booleans:
    """Draw the pages that people like: a few favourites for every community, and random others."""
    rates = np.full((communities, pages), 0.03)
    for row in rates:
        row[chance.choice(pages, 3, replace=False)] = (0.45, 0.3, 0.2)
    return chance.random((len(community), pages)) < rates[community]
