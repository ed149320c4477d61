"""The largest set of candidate invariants that holds together: all are assumed and the failing ones
removed, until none fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from hedgerow.verify.language.program import Expression, Program
from hedgerow.verify.prove.certificate import FINITE, Certificate, Variant
from hedgerow.verify.prove.claim_check import derive_conclusions
from hedgerow.verify.prove.obligations import Obligation
from hedgerow.verify.prove.product_program import ProductProgram
from hedgerow.verify.prove.solver import MAX_MILLISECONDS, Term, make_solver, z3
from hedgerow.verify.prove.sorts import infer_sorts
from hedgerow.verify.prove.symbolic_inputs import SymbolicInputs
from hedgerow.verify.prove.work_limit import Spend, limit_work

__all__ = ["InvariantPruning"]

Tag = tuple[int, int]


@cache
def _make_switch(tag: Tag) -> Term:
    return z3.Bool(f"@keep {tag[0]} {tag[1]}")


def _parse_switch(switch: Term) -> Tag:
    _, loop, number = str(switch).split(" ")
    return int(loop), int(number)


@dataclass
class InvariantPruning:
    """A pruning of the invariants of a certificate; ``alive`` has the candidates that are left."""

    program: Program
    certificate: Certificate
    spend_work: Spend = field(default_factory=limit_work)
    milliseconds_left: Callable[[], int] = lambda: MAX_MILLISECONDS
    other_variants: Mapping[int, Sequence[Variant]] = field(default_factory=dict)
    alive: set[Tag] = field(default_factory=set)

    def __post_init__(self) -> None:
        known = infer_sorts(self.program, exact=self.certificate.mode == FINITE)
        self.product = ProductProgram(
            self.program,
            self.certificate,
            known,
            SymbolicInputs(self.program, known),
            lambda loop, number, term: z3.Implies(_make_switch((loop, number)), term),
            self.spend_work,
            self.other_variants,
        )
        self.product.run()
        self.fixed_obligations = [
            one for one in self.product.obligations if one.tag is None
        ] + derive_conclusions(self.product)
        self.invariant_groups: dict[tuple[str, int], list[Obligation]] = {}
        for one in self.product.obligations:
            if one.tag is not None:
                self.invariant_groups.setdefault((one.name, one.tag[0]), []).append(one)
        self.alive = {
            one.tag
            for several in self.invariant_groups.values()
            for one in several
            if one.tag is not None
        }
        self._solvers: dict[int, Term] = {}

    def choose_variants(self) -> tuple[Variant, ...]:
        """Choose, for each loop, the first variant that is shown to decrease, and the first one of
        all if none is.
        """
        chosen = list(self.certificate.variants)
        for loop, (first, *others) in self.product.endings.items():
            if not others or self.find_core(first) is not None:
                continue
            for option, works in zip(self.other_variants[loop], others, strict=True):
                if self.find_core(works) is not None:
                    chosen[loop] = option
                    self.fixed_obligations = [
                        works if one is first else one for one in self.fixed_obligations
                    ]
                    break
        return tuple(chosen)

    def _solver(self, one: Obligation) -> Term:
        """Return the solver of an obligation's assumptions; all else is added to it temporarily."""
        if id(one) not in self._solvers:
            fresh = make_solver(milliseconds=self.milliseconds_left())
            fresh.add(*one.assumptions)
            self._solvers[id(one)] = fresh
        return self._solvers[id(one)]

    def _list_switches(self) -> list[Term]:
        return [_make_switch(tag) for tag in sorted(self.alive)]

    def prune(self) -> None:
        """Remove candidates until none fails."""
        changed = True
        while changed:
            changed = False
            for several in self.invariant_groups.values():
                self.spend_work(0)
                changed |= self._prune_group(several)

    def _prune_group(self, several: list[Obligation]) -> bool:
        """Remove the failing candidates of a group; the last one's assumptions are the longest, and
        hold for the others too.
        """
        before = len(self.alive)
        checked = self._solver(several[-1])
        while left := [one for one in several if one.tag in self.alive]:
            checked.push()
            checked.add(z3.Or(*[z3.Not(one.goal) for one in left]))
            answer = checked.check(*self._list_switches())
            model = checked.model() if answer == z3.sat else None
            checked.pop()
            if answer == z3.unsat:
                break
            wrong = {
                one.tag
                for one in left
                if model is not None and not z3.is_true(model.eval(one.goal, model_completion=True))
            }
            if not wrong:  # z3 cannot decide them together: check each
                wrong = {one.tag for one in left if self.find_core(one) is None}
                self.alive -= {tag for tag in wrong if tag is not None}
                break
            self.alive -= {tag for tag in wrong if tag is not None}
        return len(self.alive) != before

    def find_core(self, one: Obligation) -> set[Tag] | None:
        """Return the candidates that the obligation needs; None if they are not enough."""
        self.spend_work(0)
        checked = self._solver(one)
        checked.push()
        checked.add(z3.Not(one.goal))
        answer = checked.check(*[_make_switch(tag) for tag in sorted(self.alive)])
        needed = (
            {_parse_switch(used) for used in checked.unsat_core()} if answer == z3.unsat else None
        )
        checked.pop()
        return needed

    def find_first_failing(self) -> Obligation | None:
        """Return the failing obligation to report: leaks before the cost, and early lines first."""
        return next(
            self._iterate_failing(
                sorted(self.fixed_obligations, key=lambda one: (one.name == "cost", one.place.line))
            ),
            None,
        )

    def _iterate_failing(self, several: Iterable[Obligation]) -> Iterator[Obligation]:
        return (one for one in several if not z3.is_true(one.goal) and self.find_core(one) is None)

    def list_needed_invariants(self) -> tuple[tuple[Expression, ...], ...]:
        """List the candidates that the proof uses, and the ones needed to preserve these."""
        wanted: set[Tag] = set()
        queue: list[Obligation] = [
            one for one in self.fixed_obligations if not z3.is_true(one.goal)
        ]
        by_tag: dict[Tag, list[Obligation]] = {}
        for several in self.invariant_groups.values():
            for one in several:
                if one.tag is not None:
                    by_tag.setdefault(one.tag, []).append(one)
        while queue:
            for tag in (self.find_core(queue.pop()) or set()) - wanted:
                wanted.add(tag)
                queue += by_tag[tag]
        return tuple(
            tuple(one for number, one in enumerate(several) if (loop, number) in wanted)
            for loop, several in enumerate(self.certificate.invariants)
        )
