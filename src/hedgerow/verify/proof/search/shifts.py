"""Looking for shifts: whole numbers for the templates that survive every trace, found by asking z3 about the traces that failed so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hedgerow.verify.language.program import Expression, Program
from hedgerow.verify.proof.algebra import quotient
from hedgerow.verify.proof.effort import Effort
from hedgerow.verify.proof.scales import positive, scales
from hedgerow.verify.proof.search.runs import Need, Runner, needs
from hedgerow.verify.proof.search.templates import ONE, Template
from hedgerow.verify.proof.search.traces import Dice, Trace
from hedgerow.verify.proof.solver import Term, solver, z3

__all__ = ["Search"]

_FIRST, _TESTS, _LARGEST, _ROUNDS, _STEPS = 12, 400, 2, 40, 60_000
Factors = dict[int, tuple[int, ...]]


@dataclass
class Search:
    """``blame`` is, when there is nothing, the kind of obligation that cannot be met and where."""

    program: Program
    templates: tuple[Template, ...]
    fixed: Mapping[int, Expression]
    rates: Mapping[int, Expression]
    pointwise: bool = False
    bad: Mapping[int, Expression] = field(default_factory=dict)
    concentrated: bool = False
    blame: list[Need] = field(default_factory=list)
    effort: Effort = field(default_factory=lambda: Effort(_STEPS))

    def __post_init__(self) -> None:
        self._unknowns = {one.site: [z3.Int(f"factor {one.site} {number}") for number in range(one.unknowns)] for one in self.templates}
        self._by_site = {one.site: one for one in self.templates}
        self._solver = solver(20_000_000)
        self._labels: dict[str, Need] = {}
        largest = _LARGEST * max(1, self.program.claim.neighbours.k)
        for several in self._unknowns.values():
            self._solver.add(*[z3.And(one >= -largest, one <= largest) for one in several])
        self._used: set[int] = set()
        self._positive = positive(self.program, [quotient(one, {}) for one in scales(self.program).values()])

    def candidates(self) -> Iterator[Factors]:
        """Factors that survive all traces, one after the other; each differs from those before."""
        usual = {one.site: _hiding(one) for one in self.templates}
        if usual and self._broken(usual) is None:
            yield usual
            self._block(usual)
        for number in range(_FIRST):
            self._learn(number)
        for _ in range(_ROUNDS):
            if self.effort.over:
                return
            found = self._solve()
            if found is None:
                return
            broken = self._broken(found)
            if broken is None:
                yield found
                self._block(found)
            else:
                self._learn(broken)

    def _trace(self, number: int) -> Trace:
        return Trace(self.program, Dice(str(number)), self._positive)

    def _runner(self, number: int, factors: Mapping[int, object]) -> Runner:
        return Runner(self.program, self._trace(number), self._by_site, self.fixed, factors, self.pointwise, self.bad, self.concentrated)  # type: ignore[arg-type]

    def _learn(self, number: int) -> None:
        if number in self._used:
            return
        self._used.add(number)
        self.effort.spend(1)
        for one in needs(self._runner(number, self._unknowns), self.rates):
            if one.condition is True:
                continue
            label = f"need {len(self._labels)}"
            self._labels[label] = one
            condition = z3.BoolVal(False) if one.condition is False else one.condition
            self._solver.add(z3.Implies(z3.Bool(label), condition))

    def _broken(self, found: Factors) -> int | None:
        for number in range(_TESTS):
            self.effort.spend(1)
            if any(one.condition is False for one in needs(self._runner(number, found), self.rates)):
                return number
        return None

    def _solve(self) -> Factors | None:
        every = [z3.Bool(label) for label in self._labels]
        if self._solver.check(*every) != z3.sat:
            core = {str(one) for one in self._solver.unsat_core()} if self._solver.check(*every) == z3.unsat else set()
            self.blame = [self._labels[label] for label in sorted(core)]
            return None
        # Readable answers: as many zeros as can be had, then factors as small as can be had, one after the other.
        kept: list[Term] = []
        model = self._solver.model()
        for unknown in [one for several in self._unknowns.values() for one in several]:
            for smaller in range(abs(_whole(model, unknown))):
                attempt = z3.And(unknown >= -smaller, unknown <= smaller)
                if self._solver.check(*every, *kept, attempt) == z3.sat:
                    model = self._solver.model()
                    break
            kept.append(unknown == _whole(model, unknown))
        return {site: tuple(_whole(model, one) for one in several) for site, several in self._unknowns.items()}

    def _block(self, found: Factors) -> None:
        self._solver.add(z3.Or(*[one != found[site][n] for site, several in self._unknowns.items() for n, one in enumerate(several)]))


def _hiding(template: Template) -> tuple[int, ...]:
    """The usual shift: back by all distances, in every case."""
    return tuple(0 if one == ONE else -1 for one in template.terms) * (len(template.cases) + 1)


def _whole(model: Term, unknown: Term) -> int:
    return int(model.eval(unknown, model_completion=True).as_long())
