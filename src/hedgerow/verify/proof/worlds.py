"""Cases: what two runs do once every condition that they ask is known to hold or not.

Conditions about inputs are decided one after the other. One that follows from what is known already is decided by that, and not asked
again; any other is taken once for true and once for false, and becomes known. So every pair of inputs belongs to one of the cases, and none
is left out: only what z3 has shown to be impossible is not gone into.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from hedgerow.verify.language.outside import Outside
from hedgerow.verify.proof.solver import Term, entailed, z3

__all__ = ["World", "explored"]

_MOST: Final = 256
_WORK, _MILLISECONDS = 1_000_000, 10_000  # for one question: what is not decided by so much is taken both ways
Choice: TypeAlias = tuple[bool, bool]  # whether it holds, and whether it might not have


class World:
    """One case. ``path`` is what is known in it; whoever learns a fact appends it."""

    def __init__(self, path: Sequence[Term], choices: Sequence[Choice] = ()) -> None:
        self.path = list(path)
        self.others: list[tuple[Choice, ...]] = []
        self._given, self._taken = tuple(choices), list[Choice]()
        self._known: dict[int, tuple[Term, bool]] = {}  # by z3's number of the term, which is its own as long as the term is kept

    def decide(self, condition: Term) -> bool:
        """Whether it holds in this case."""
        plain = z3.simplify(condition)
        if z3.is_true(plain) or z3.is_false(plain):
            return bool(z3.is_true(plain))
        if plain.get_id() in self._known:
            return self._known[plain.get_id()][1]
        holds, open_ = self._given[len(self._taken)] if len(self._taken) < len(self._given) else self._asked(plain)
        self._taken.append((holds, open_))
        negated = z3.simplify(z3.Not(plain))
        self._known |= {plain.get_id(): (plain, holds), negated.get_id(): (negated, not holds)}
        if open_:  # all else follows from the path as it is
            self.path.append(plain if holds else z3.Not(plain))
        return holds

    def _asked(self, plain: Term) -> Choice:
        if entailed(self.path, plain, _WORK, _MILLISECONDS):
            return True, False
        if entailed(self.path, z3.Not(plain), _WORK, _MILLISECONDS):
            return False, False
        self.others.append((*self._taken, (False, True)))
        return True, True


def explored(path: Sequence[Term], explore: Callable[[World], None]) -> None:
    """Goes through every case. ``explore`` must ask the same questions in the same order when it is given the same answers."""
    waiting: list[tuple[Choice, ...]] = [()]
    for _ in range(_MOST):
        world = World(path, waiting.pop())
        explore(world)
        waiting += world.others
        if not waiting:
            return
    raise Outside(f"more than {_MOST} cases would have to be told apart")
