"""Cases: what two runs do once every condition that they ask is known to hold or not.

Conditions about inputs are decided one after the other. One that follows from what is known already
is decided by that, and not asked again; any other is taken once for true and once for false, and
becomes known. So every pair of inputs belongs to one of the cases, and none is left out: only what
z3 has shown to be impossible is not gone into.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.solver import Term, is_entailed, z3

__all__ = ["SplitCase", "explore_cases"]

_MAX_CASES: Final = 256
# for one question: what is not decided by so much is taken both ways
_WORK, _MILLISECONDS = 1_000_000, 10_000
CaseChoice: TypeAlias = tuple[bool, bool]  # whether it holds, and whether it might not have


class SplitCase:
    """One case. ``path`` is what is known in it; whoever learns a fact appends it."""

    def __init__(self, path: Sequence[Term], choices: Sequence[CaseChoice] = ()) -> None:
        self.path = list(path)
        self.untried: list[tuple[CaseChoice, ...]] = []
        self._replayed_choices, self._choices_made = tuple(choices), list[CaseChoice]()
        # by z3's number of the term, which is its own as long as the term is kept
        self._known: dict[int, tuple[Term, bool]] = {}

    def decide(self, condition: Term) -> bool:
        """Whether it holds in this case."""
        plain = z3.simplify(condition)
        if z3.is_true(plain) or z3.is_false(plain):
            return bool(z3.is_true(plain))
        if plain.get_id() in self._known:
            return self._known[plain.get_id()][1]
        holds, open_ = (
            self._replayed_choices[len(self._choices_made)]
            if len(self._choices_made) < len(self._replayed_choices)
            else self._ask_solver(plain)
        )
        self._choices_made.append((holds, open_))
        negated = z3.simplify(z3.Not(plain))
        self._known |= {plain.get_id(): (plain, holds), negated.get_id(): (negated, not holds)}
        if open_:  # all else follows from the path as it is
            self.path.append(plain if holds else z3.Not(plain))
        return holds

    def _ask_solver(self, plain: Term) -> CaseChoice:
        if is_entailed(self.path, plain, _WORK, _MILLISECONDS):
            return True, False
        if is_entailed(self.path, z3.Not(plain), _WORK, _MILLISECONDS):
            return False, False
        self.untried.append((*self._choices_made, (False, True)))
        return True, True


def explore_cases(path: Sequence[Term], explore: Callable[[SplitCase], None]) -> None:
    """Goes through every case. ``explore`` must ask the same questions in the same order when it
    is given the same answers.
    """
    waiting: list[tuple[CaseChoice, ...]] = [()]
    for _ in range(_MAX_CASES):
        world = SplitCase(path, waiting.pop())
        explore(world)
        waiting += world.untried
        if not waiting:
            return
    raise UnsupportedProgram(f"more than {_MAX_CASES} cases would have to be told apart")
