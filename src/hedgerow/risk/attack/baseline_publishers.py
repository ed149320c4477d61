"""Ways of publishing counts that people take for safe: exactly, rounded, and with small cells left
out.

Each answers the questions of a ``QuestionSet`` about a secret column, and says how wide its errors
are, which everybody knows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.risk.attack.question_sets import QuestionSet
from hedgerow.risk.attack.reconstruction import Floats, Mask

__all__ = [
    "BASELINE_PUBLISHERS",
    "CountPublisher",
    "ExactPublisher",
    "PublishedCounts",
    "RoundingPublisher",
    "SuppressingPublisher",
]

# how wide the error of an exact answer counts, beside that of one that was left out
_EXACT_SCALE: Final = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class PublishedCounts:
    """For each group of each question how many of its people have the secret, as far as it was
    told, and how wide its error is.
    """

    answers: Floats
    scales: Floats
    is_exhausted: bool = False


class CountPublisher(Protocol):
    """Whoever answers. ``laplace`` says that the errors have the law of Laplace, under which
    differences count and not their squares.
    """

    @property
    def name(self) -> str: ...
    @property
    def has_laplace_noise(self) -> bool: ...
    def publish(self, grouping: QuestionSet, secret: Mask) -> PublishedCounts: ...


@dataclass(frozen=True, slots=True)
class ExactPublisher:
    """The counts themselves."""

    has_laplace_noise: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        """As a plot calls it."""
        return "exact"

    def publish(self, grouping: QuestionSet, secret: Mask) -> PublishedCounts:
        """Nothing is hidden."""
        counts = _count_secrets(grouping, secret)
        return PublishedCounts(counts, np.full(counts.size, _EXACT_SCALE))


@dataclass(frozen=True, slots=True)
class RoundingPublisher:
    """Each count to the nearest multiple of ``to``."""

    to: int
    has_laplace_noise: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.to < 2:
            raise InvalidArgument("to", "must be at least 2", self.to)

    @property
    def name(self) -> str:
        """As a plot calls it."""
        return f"rounded to {self.to}"

    def publish(self, grouping: QuestionSet, secret: Mask) -> PublishedCounts:
        """Half a step up."""
        counts = np.floor(_count_secrets(grouping, secret) / self.to + 0.5) * self.to
        return PublishedCounts(counts, np.full(counts.size, self.to / 2))


@dataclass(frozen=True, slots=True)
class SuppressingPublisher:
    """Counts of fewer than ``below`` are left out. Everybody knows the rule, and so what was
    left out to within half of that.
    """

    below: int
    has_laplace_noise: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.below < 2:
            raise InvalidArgument("below", "must be at least 2", self.below)

    @property
    def name(self) -> str:
        """As a plot calls it."""
        return f"below {self.below} left out"

    def publish(self, grouping: QuestionSet, secret: Mask) -> PublishedCounts:
        """What is left out counts as the middle of what it may be."""
        counts = _count_secrets(grouping, secret)
        hidden = counts < self.below
        most = np.minimum(self.below - 1, grouping.members.sum(axis=1))
        return PublishedCounts(
            np.where(hidden, most / 2, counts),
            np.where(hidden, most / 2 + _EXACT_SCALE, _EXACT_SCALE),
        )


BASELINE_PUBLISHERS: Final[tuple[CountPublisher, ...]] = (
    ExactPublisher(),
    RoundingPublisher(5),
    RoundingPublisher(10),
    SuppressingPublisher(5),
)


def _count_secrets(grouping: QuestionSet, secret: Mask) -> Floats:
    return np.asarray(grouping.members @ secret.astype(np.float64), dtype=np.float64)
