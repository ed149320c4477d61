"""Case splits on the conditions about inputs that two runs evaluate.

Conditions are decided one after the other. A condition that follows from the assumptions has that
value; any other is taken once as true and once as false, and becomes an assumption. So every pair
of inputs belongs to one of the cases: only a case that z3 has shown to be impossible is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.solver import Term, is_entailed, z3

__all__ = ["SplitCase", "explore_cases"]

_MAX_CASES: Final = 256
# Limits of one query; a condition that it does not decide is taken both ways.
_WORK, _MILLISECONDS = 1_000_000, 10_000
CaseChoice: TypeAlias = tuple[bool, bool]  # its value, and True if the other value was possible


class SplitCase:
    """One case of the split. ``path`` has its assumptions; callers append the facts that they
    derive.
    """

    def __init__(self, path: Sequence[Term], choices: Sequence[CaseChoice] = ()) -> None:
        self.path = list(path)
        self.untried: list[tuple[CaseChoice, ...]] = []
        self._replayed_choices, self._choices_made = tuple(choices), list[CaseChoice]()
        # Keyed by z3's id of the term, which is unique as long as the term is kept.
        self._known: dict[int, tuple[Term, bool]] = {}

    def decide(self, condition: Term) -> bool:
        """Return the value of the condition in this case."""
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
        if open_:  # otherwise it follows from the path
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
    """Run ``explore`` on every case. It must decide the same conditions in the same order when it
    gets the same answers.
    """
    waiting: list[tuple[CaseChoice, ...]] = [()]
    for _ in range(_MAX_CASES):
        case = SplitCase(path, waiting.pop())
        explore(case)
        waiting += case.untried
        if not waiting:
            return
    raise UnsupportedProgram(f"these coins need more than {_MAX_CASES} cases; use fewer conditions")
