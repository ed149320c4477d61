"""The largest set of guesses about loops that holds together: all are assumed, what then fails is thrown out, until nothing fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

from hedgerow.verify.language.program import Expression, Program
from hedgerow.verify.proof.certificate import FINITE, Certificate
from hedgerow.verify.proof.costs import conclusions
from hedgerow.verify.proof.effort import Spend, limited
from hedgerow.verify.proof.inputs import Inputs
from hedgerow.verify.proof.obligations import Obligation
from hedgerow.verify.proof.product import Product
from hedgerow.verify.proof.solver import MILLISECONDS, Term, solver, z3
from hedgerow.verify.proof.sorts import sorts

__all__ = ["Houdini"]

Tag = tuple[int, int]


@cache
def _switch(tag: Tag) -> Term:
    return z3.Bool(f"@keep {tag[0]} {tag[1]}")


def _tag(switch: Term) -> Tag:
    _, loop, number = str(switch).split(" ")
    return int(loop), int(number)


@dataclass
class Houdini:
    """``alive`` are the guesses that are left. A certificate with all guesses as invariants goes in."""

    program: Program
    certificate: Certificate
    spend: Spend = field(default_factory=limited)
    left: Callable[[], int] = lambda: MILLISECONDS
    alive: set[Tag] = field(default_factory=set)

    def __post_init__(self) -> None:
        known = sorts(self.program, exact=self.certificate.mode == FINITE)
        self.product = Product(
            self.program,
            self.certificate,
            known,
            Inputs(self.program, known),
            lambda loop, number, term: z3.Implies(_switch((loop, number)), term),
            self.spend,
        )
        self.product.run()
        self.others = [one for one in self.product.obligations if one.tag is None] + conclusions(self.product)
        self.groups: dict[tuple[str, int], list[Obligation]] = {}
        for one in self.product.obligations:
            if one.tag is not None:
                self.groups.setdefault((one.name, one.tag[0]), []).append(one)
        self.alive = {one.tag for several in self.groups.values() for one in several if one.tag is not None}
        self._solvers: dict[int, Term] = {}

    def _solver(self, one: Obligation) -> Term:
        """One for each list of assumptions; nothing else is ever added to it for good."""
        if id(one) not in self._solvers:
            fresh = solver(milliseconds=self.left())
            fresh.add(*one.assumptions)
            self._solvers[id(one)] = fresh
        return self._solvers[id(one)]

    def _switches(self) -> list[Term]:
        return [_switch(tag) for tag in sorted(self.alive)]

    def settle(self) -> None:
        """Throw out until nothing fails."""
        changed = True
        while changed:
            changed = False
            for several in self.groups.values():
                self.spend(0)
                changed |= self._pass(several)

    def _pass(self, several: list[Obligation]) -> bool:
        """The last of a group has the longest list of assumptions, and all of them hold for the others too."""
        before = len(self.alive)
        checked = self._solver(several[-1])
        while left := [one for one in several if one.tag in self.alive]:
            checked.push()
            checked.add(z3.Or(*[z3.Not(one.goal) for one in left]))
            answer = checked.check(*self._switches())
            model = checked.model() if answer == z3.sat else None
            checked.pop()
            if answer == z3.unsat:
                break
            wrong = {one.tag for one in left if model is not None and not z3.is_true(model.eval(one.goal, model_completion=True))}
            if not wrong:  # z3 is at a loss with all of them together: ask about each
                wrong = {one.tag for one in left if self.core(one) is None}
                self.alive -= {tag for tag in wrong if tag is not None}
                break
            self.alive -= {tag for tag in wrong if tag is not None}
        return len(self.alive) != before

    def core(self, one: Obligation) -> set[Tag] | None:
        """The guesses that the obligation needs; None when they are not enough."""
        self.spend(0)
        checked = self._solver(one)
        checked.push()
        checked.add(z3.Not(one.goal))
        answer = checked.check(*[_switch(tag) for tag in sorted(self.alive)])
        needed = {_tag(used) for used in checked.unsat_core()} if answer == z3.unsat else None
        checked.pop()
        return needed

    def failing(self) -> list[Obligation]:
        """Of all that is not about guesses, what does not follow."""
        return list(self._failing(self.others))

    def first(self) -> Obligation | None:
        """Of these the one to tell about: what leaks before what it costs, and early lines first."""
        return next(self._failing(sorted(self.others, key=lambda one: (one.name == "cost", one.place.line))), None)

    def _failing(self, several: Iterable[Obligation]) -> Iterator[Obligation]:
        return (one for one in several if not z3.is_true(one.goal) and self.core(one) is None)

    def needed(self) -> tuple[tuple[Expression, ...], ...]:
        """The guesses that the proof uses, and those that these need to be kept."""
        wanted: set[Tag] = set()
        queue: list[Obligation] = [one for one in self.others if not z3.is_true(one.goal)]
        by_tag: dict[Tag, list[Obligation]] = {}
        for several in self.groups.values():
            for one in several:
                if one.tag is not None:
                    by_tag.setdefault(one.tag, []).append(one)
        while queue:
            for tag in (self.core(queue.pop()) or set()) - wanted:
                wanted.add(tag)
                queue += by_tag[tag]
        return tuple(
            tuple(one for number, one in enumerate(several) if (loop, number) in wanted)
            for loop, several in enumerate(self.certificate.invariants)
        )
