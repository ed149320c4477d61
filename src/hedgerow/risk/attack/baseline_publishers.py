"""Common ways of publishing counts that are taken for safe: exact, rounded, small cells
suppressed.

Each answers the questions of a ``QuestionSet`` about a secret column, and states how wide its
errors are, which is public.
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

# the error scale of an exact answer, relative to that of a suppressed one
_EXACT_SCALE: Final = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class PublishedCounts:
    """The published number of people with the secret in each group, and the scale of its error."""

    answers: Floats
    scales: Floats
    is_exhausted: bool = False


class CountPublisher(Protocol):
    """A publisher of counts.

    ``has_laplace_noise`` means that absolute differences are to be minimised, not squares.
    """

    @property
    def name(self) -> str: ...
    @property
    def has_laplace_noise(self) -> bool: ...
    def publish(self, grouping: QuestionSet, secret: Mask) -> PublishedCounts: ...


@dataclass(frozen=True, slots=True)
class ExactPublisher:
    """A publisher of exact counts."""

    has_laplace_noise: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        """The name in charts."""
        return "exact"

    def publish(self, grouping: QuestionSet, secret: Mask) -> PublishedCounts:
        """Publish the counts as they are."""
        counts = _count_secrets(grouping, secret)
        return PublishedCounts(counts, np.full(counts.size, _EXACT_SCALE))


@dataclass(frozen=True, slots=True)
class RoundingPublisher:
    """A publisher that rounds each count to the nearest multiple of ``to``."""

    to: int
    has_laplace_noise: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.to < 2:
            raise InvalidArgument("to", "must be a whole number of at least 2", self.to)

    @property
    def name(self) -> str:
        """The name in charts."""
        return f"rounded to {self.to}"

    def publish(self, grouping: QuestionSet, secret: Mask) -> PublishedCounts:
        """Publish rounded counts; half a step is rounded up."""
        counts = np.floor(_count_secrets(grouping, secret) / self.to + 0.5) * self.to
        return PublishedCounts(counts, np.full(counts.size, self.to / 2))


@dataclass(frozen=True, slots=True)
class SuppressingPublisher:
    """A publisher that suppresses counts of fewer than ``below``.

    The rule is public, so a suppressed count is known to within half of that.
    """

    below: int
    has_laplace_noise: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.below < 2:
            raise InvalidArgument("below", "must be a whole number of at least 2", self.below)

    @property
    def name(self) -> str:
        """The name in charts."""
        return f"below {self.below} left out"

    def publish(self, grouping: QuestionSet, secret: Mask) -> PublishedCounts:
        """Publish counts, with the middle of its range for a suppressed one."""
        counts = _count_secrets(grouping, secret)
        hidden = counts < self.below
        middle = np.minimum(self.below - 1, grouping.members.sum(axis=1)) / 2
        return PublishedCounts(
            np.where(hidden, middle, counts),
            np.where(hidden, middle + _EXACT_SCALE, _EXACT_SCALE),
        )


BASELINE_PUBLISHERS: Final[tuple[CountPublisher, ...]] = (
    ExactPublisher(),
    RoundingPublisher(5),
    RoundingPublisher(10),
    SuppressingPublisher(5),
)


def _count_secrets(grouping: QuestionSet, secret: Mask) -> Floats:
    return np.asarray(grouping.members @ secret.astype(np.float64), dtype=np.float64)
