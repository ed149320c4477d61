"""Ways of publishing counts that people take for safe: exactly, rounded, and with small cells left out.

Each answers the questions of a ``Grouping`` about a secret column, and says how wide its errors are, which everybody knows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.risk.attack.grouping import Grouping
from hedgerow.risk.attack.reconstruction import Floats, Mask

__all__ = ["HABITS", "Exact", "Published", "Publisher", "Rounded", "Suppressed"]

_SURE: Final = 0.25  # how wide the error of an exact answer counts, beside that of one that was left out


@dataclass(frozen=True, slots=True, eq=False)
class Published:
    """For each group of each question how many of its people have the secret, as far as it was told, and how wide its error is."""

    answers: Floats
    scales: Floats
    exhausted: bool = False


class Publisher(Protocol):
    """Whoever answers. ``laplace`` says that the errors have the law of Laplace, under which differences count and not their squares."""

    @property
    def name(self) -> str: ...
    @property
    def laplace(self) -> bool: ...
    def ask(self, grouping: Grouping, secret: Mask) -> Published: ...


@dataclass(frozen=True, slots=True)
class Exact:
    """The counts themselves."""

    laplace: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        """As a plot calls it."""
        return "exact"

    def ask(self, grouping: Grouping, secret: Mask) -> Published:
        """Nothing is hidden."""
        counts = _counts(grouping, secret)
        return Published(counts, np.full(counts.size, _SURE))


@dataclass(frozen=True, slots=True)
class Rounded:
    """Each count to the nearest multiple of ``to``."""

    to: int
    laplace: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.to < 2:
            raise InvalidArgument("to", "must be at least 2", self.to)

    @property
    def name(self) -> str:
        """As a plot calls it."""
        return f"rounded to {self.to}"

    def ask(self, grouping: Grouping, secret: Mask) -> Published:
        """Half a step up."""
        counts = np.floor(_counts(grouping, secret) / self.to + 0.5) * self.to
        return Published(counts, np.full(counts.size, self.to / 2))


@dataclass(frozen=True, slots=True)
class Suppressed:
    """Counts of fewer than ``below`` are left out. Everybody knows the rule, and so what was left out to within half of that."""

    below: int
    laplace: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.below < 2:
            raise InvalidArgument("below", "must be at least 2", self.below)

    @property
    def name(self) -> str:
        """As a plot calls it."""
        return f"below {self.below} left out"

    def ask(self, grouping: Grouping, secret: Mask) -> Published:
        """What is left out counts as the middle of what it may be."""
        counts = _counts(grouping, secret)
        hidden = counts < self.below
        most = np.minimum(self.below - 1, grouping.members.sum(axis=1))
        return Published(np.where(hidden, most / 2, counts), np.where(hidden, most / 2 + _SURE, _SURE))


HABITS: Final[tuple[Publisher, ...]] = (Exact(), Rounded(5), Rounded(10), Suppressed(5))


def _counts(grouping: Grouping, secret: Mask) -> Floats:
    return np.asarray(grouping.members @ secret.astype(np.float64), dtype=np.float64)
