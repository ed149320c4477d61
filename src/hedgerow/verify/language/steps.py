"""Steps: the body of a program as the front ends build it, before ``lowering`` rewrites it.

Assignments, draws (their sites all 0) and outputs are statements already. A ``BranchStep`` is an If
around steps, a ``LoopStep`` may draw noise for its condition in each iteration and has assignments
that end each iteration, and a ``JumpStep`` is ``break``, ``continue`` or ``return``.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias

from hedgerow.verify.language.program import (
    NOWHERE,
    Apply,
    Assign,
    Expression,
    Output,
    Place,
    Sample,
    Truth,
)

__all__ = [
    "BranchStep",
    "JumpStep",
    "LoopStep",
    "NameSupply",
    "Step",
    "Steps",
    "conjoin",
]


@dataclass(frozen=True, slots=True)
class BranchStep:
    condition: Expression
    then: Steps
    otherwise: Steps = ()
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class LoopStep:
    """A loop: while ``condition``, which may mention the fresh ``draws``, run ``body`` and then
    ``round_end``, unless the loop was left.
    """

    condition: Expression
    body: Steps
    draws: tuple[Sample, ...] = ()
    round_end: tuple[Assign, ...] = ()
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class JumpStep:
    """A jump; ``jump`` is break, continue or return."""

    jump: str
    place: Place = NOWHERE


Step: TypeAlias = Assign | Sample | Output | BranchStep | LoopStep | JumpStep
Steps: TypeAlias = tuple[Step, ...]


@dataclass
class NameSupply:
    """A supply of unused names."""

    taken: set[str] = field(default_factory=set)

    def make_name(self, wanted: str) -> str:
        """Return ``wanted``, with a number appended if it is taken."""
        numbered = (f"{wanted}{number}" for number in itertools.count(2))
        name = next(one for one in itertools.chain([wanted], numbered) if one not in self.taken)
        self.taken.add(name)
        return name


def conjoin(parts: Sequence[Expression], place: Place) -> Expression:
    """Return ``a and b and c``, and True if there are no parts."""
    if not parts:
        return Truth(True, place)
    return reduce(lambda left, right: Apply("and", (left, right), left.place), parts)
