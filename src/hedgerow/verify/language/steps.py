"""Steps: the body of a program as the front ends build it, before ``lowering`` rewrites it.

Four kinds of step are statements. The other two are not: a ``LoopStep`` may draw noise for its
condition in each iteration and has steps that end each iteration, and a ``JumpStep`` is ``break``,
``continue`` or ``return``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from hedgerow.verify.language.program import NOWHERE, Apply, Expression, Noise, Place

__all__ = [
    "BranchStep",
    "DrawStep",
    "JumpStep",
    "LoopStep",
    "NameSupply",
    "OutputStep",
    "SetStep",
    "Step",
    "Steps",
    "conjoin",
]


@dataclass(frozen=True, slots=True)
class SetStep:
    name: str
    value: Expression
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class DrawStep:
    name: str
    noise: Noise
    parameters: tuple[Expression, ...]
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class OutputStep:
    value: Expression
    place: Place = NOWHERE


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
    draws: tuple[DrawStep, ...] = ()
    round_end: tuple[SetStep, ...] = ()
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class JumpStep:
    """A jump; ``jump`` is break, continue or return."""

    jump: str
    place: Place = NOWHERE


Step: TypeAlias = SetStep | DrawStep | OutputStep | BranchStep | LoopStep | JumpStep
Steps: TypeAlias = tuple[Step, ...]


@dataclass
class NameSupply:
    """A supply of unused names."""

    taken: set[str] = field(default_factory=set)

    def make_name(self, wanted: str) -> str:
        """Return ``wanted``, with a number appended if it is taken."""
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}{number}"
        self.taken.add(name)
        return name


def conjoin(left: Expression, right: Expression) -> Expression:
    """Return ``left and right``."""
    return Apply("and", (left, right), left.place)
