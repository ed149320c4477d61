"""The search for shifts: integer factors for the templates that survive every trace.

z3 proposes factors for the traces that failed so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hedgerow.verify.language.program import Expression, Number, Program
from hedgerow.verify.prove.algebra import to_rational_function
from hedgerow.verify.prove.related_inputs import RelatedInputs
from hedgerow.verify.prove.rules.scale_facts import find_positive_parameters, find_scales
from hedgerow.verify.prove.search.templates import ShiftTemplate
from hedgerow.verify.prove.search.trace_runs import TraceNeed, TraceRunner, list_needs
from hedgerow.verify.prove.search.traces import FixedChoices, Trace
from hedgerow.verify.prove.solver import Term, make_solver, z3
from hedgerow.verify.prove.work_limit import WorkLimit

__all__ = ["ShiftSearch"]

_FIRST_TRACES, _TEST_TRACES, _MAX_FACTOR, _MAX_ROUNDS, _DEFAULT_STEPS = 12, 400, 2, 40, 60_000
_JUDGED_TRACES = 60  # z3 finds their inputs, which takes longer
Factors = dict[int, tuple[int, ...]]


@dataclass
class ShiftSearch:
    """A search over factors. If it finds none, ``blame`` has the needs that cannot all be met."""

    program: Program
    templates: tuple[ShiftTemplate, ...]
    fixed: Mapping[int, Expression]
    rates: Mapping[int, Expression]
    pointwise: bool = False
    excused: Mapping[int, Expression] = field(default_factory=dict)
    in_zcdp: bool = False
    blame: list[TraceNeed] = field(default_factory=list)
    work_limit: WorkLimit = field(default_factory=lambda: WorkLimit(_DEFAULT_STEPS))

    def __post_init__(self) -> None:
        self._unknowns = {
            one.site: [z3.Int(f"factor {one.site} {number}") for number in range(one.unknown_count)]
            for one in self.templates
        }
        self._by_site = {one.site: one for one in self.templates}
        self._solver = make_solver(20_000_000)
        self._labels: dict[str, TraceNeed] = {}
        largest = _MAX_FACTOR * max(1, self.program.claim.neighbours.k)
        for several in self._unknowns.values():
            self._solver.add(*[z3.And(one >= -largest, one <= largest) for one in several])
        self._traces_used: set[int] = set()
        judged = self.program.claim.neighbours.before is not None
        self._related = RelatedInputs(self.program) if judged else None
        self._traces: dict[int, Trace] = {}
        self._positive = find_positive_parameters(
            self.program,
            [to_rational_function(one, {}) for one in find_scales(self.program).values()],
        )

    def list_factors(self) -> Iterator[Factors]:
        """Yield factors that survive all traces, each different from the earlier ones."""
        usual = {one.site: _cancelling_factors(one) for one in self.templates}
        if usual and self._find_broken_trace(usual) is None:
            yield usual
            self._exclude(usual)
        for number in range(_FIRST_TRACES):
            self._add_trace(number)
        for _ in range(_MAX_ROUNDS):
            if self.work_limit.is_exhausted:
                return
            found = self._solve()
            if found is None:
                return
            broken = self._find_broken_trace(found)
            if broken is None:
                yield found
                self._exclude(found)
            else:
                self._add_trace(broken)

    def _make_trace(self, number: int) -> Trace:
        if self._related is None:
            return Trace(self.program, FixedChoices(str(number)), self._positive)
        if number not in self._traces:  # a run adds only what it reads, always the same
            choices = FixedChoices(str(number))
            self._traces[number] = Trace(
                self.program, choices, self._positive, related=self._related
            )
        return self._traces[number]

    def _make_runner(self, number: int, factors: Mapping[int, object]) -> TraceRunner:
        return TraceRunner(
            self.program,
            self._make_trace(number),
            self._by_site,
            self.fixed,
            factors,  # type: ignore[arg-type]
            self.pointwise,
            self.excused,
            self.in_zcdp,
        )

    def _add_trace(self, number: int) -> None:
        if number in self._traces_used:
            return
        self._traces_used.add(number)
        self.work_limit.spend(1)
        for one in list_needs(self._make_runner(number, self._unknowns), self.rates):
            if one.condition is True:
                continue
            label = f"need {len(self._labels)}"
            self._labels[label] = one
            condition = z3.BoolVal(False) if one.condition is False else one.condition
            self._solver.add(z3.Implies(z3.Bool(label), condition))

    def _find_broken_trace(self, found: Factors) -> int | None:
        for number in range(_TEST_TRACES if self._related is None else _JUDGED_TRACES):
            self.work_limit.spend(1)
            if any(
                one.condition is False
                for one in list_needs(self._make_runner(number, found), self.rates)
            ):
                return number
        return None

    def _solve(self) -> Factors | None:
        every = [z3.Bool(label) for label in self._labels]
        if self._solver.check(*every) != z3.sat:
            core = (
                {str(one) for one in self._solver.unsat_core()}
                if self._solver.check(*every) == z3.unsat
                else set()
            )
            self.blame = [self._labels[label] for label in sorted(core)]
            return None
        # Readable shifts: minimise the factors one after the other, with zeros where possible.
        kept: list[Term] = []
        model = self._solver.model()
        for unknown in [one for several in self._unknowns.values() for one in several]:
            for smaller in range(abs(_read_integer(model, unknown))):
                attempt = z3.And(unknown >= -smaller, unknown <= smaller)
                if self._solver.check(*every, *kept, attempt) == z3.sat:
                    model = self._solver.model()
                    break
            kept.append(unknown == _read_integer(model, unknown))
        return {
            site: tuple(_read_integer(model, one) for one in several)
            for site, several in self._unknowns.items()
        }

    def _exclude(self, found: Factors) -> None:
        self._solver.add(
            z3.Or(
                *[
                    one != found[site][n]
                    for site, several in self._unknowns.items()
                    for n, one in enumerate(several)
                ]
            )
        )


def _cancelling_factors(template: ShiftTemplate) -> tuple[int, ...]:
    """Return the usual shift: minus the first distance, in every case."""
    first = next((n for n, one in enumerate(template.terms) if not isinstance(one, Number)), None)
    factors = tuple(-(number == first) for number in range(len(template.terms)))
    return factors * (len(template.cases) + 1)


def _read_integer(model: Term, unknown: Term) -> int:
    return int(model.eval(unknown, model_completion=True).as_long())
