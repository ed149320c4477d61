"""Cases: what two runs do once every condition that they ask is known to hold or not.

Conditions about inputs are decided one after the other. One that follows from what is known already is decided by that; any other is taken
once for true and once for false. So every pair of inputs belongs to one of the cases, and none is left out: only what z3 has shown to be
impossible is not gone into.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hedgerow.verify.language.outside import Outside
from hedgerow.verify.proof.solver import Term, entailed, z3

__all__ = ["World", "explored"]

_MOST: Final = 256


class World:
    """One case. ``path`` is what is known in it; whoever learns a fact appends it."""

    def __init__(self, path: Sequence[Term], choices: Sequence[bool] = ()) -> None:
        self.path = list(path)
        self.others: list[tuple[bool, ...]] = []
        self._given, self._taken = tuple(choices), list[bool]()

    def decide(self, condition: Term) -> bool:
        """Whether it holds in this case."""
        plain = z3.simplify(condition)
        if z3.is_true(plain) or z3.is_false(plain):
            return bool(z3.is_true(plain))
        if len(self._taken) < len(self._given):
            holds = self._given[len(self._taken)]
        elif entailed(self.path, plain):
            holds = True
        elif entailed(self.path, z3.Not(plain)):
            holds = False
        else:
            holds = True
            self.others.append((*self._taken, False))
        self._taken.append(holds)
        self.path.append(plain if holds else z3.Not(plain))
        return holds


def explored(path: Sequence[Term], explore: Callable[[World], None]) -> None:
    """Goes through every case. ``explore`` must ask the same questions in the same order when it is given the same answers."""
    waiting: list[tuple[bool, ...]] = [()]
    for _ in range(_MOST):
        world = World(path, waiting.pop())
        explore(world)
        waiting += world.others
        if not waiting:
            return
    raise Outside(f"more than {_MOST} cases would have to be told apart")
