"""Both runs on a trace: the first in numbers, the second with unknown factors of the templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from hedgerow.verify.language.program import (
    NOWHERE,
    Assign,
    Block,
    Expression,
    If,
    Noise,
    Number,
    Output,
    Place,
    Program,
    Sample,
    Statement,
    Truth,
    While,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.certificate import NOISE
from hedgerow.verify.prove.product_program import draws_or_loops
from hedgerow.verify.prove.rules.row_loops import match_row_loop
from hedgerow.verify.prove.search.evaluate import (
    TraceAbandoned,
    Value,
    choose,
    combine_booleans,
    evaluate,
    is_concrete,
    to_term,
)
from hedgerow.verify.prove.search.templates import ShiftTemplate
from hedgerow.verify.prove.search.traces import Trace
from hedgerow.verify.prove.solver import z3

__all__ = ["TraceNeed", "TraceRunner", "list_needs"]

_MAX_ROUNDS = 24
_TOLERANCE = 1e-6
_SLACK = 1e-9  # inputs are halves, exact in floats; scales may not be


@dataclass(frozen=True, slots=True)
class TraceNeed:
    """A condition that the shifts must meet, with the name of its obligation."""

    obligation: str
    place: Place
    condition: Value


Factors = Mapping[int, Sequence[Value]]


@dataclass
class TraceRunner:
    """A run of one trace: ``needs`` has the conditions on the shifts, ``costs`` the cost of each
    site.
    """

    program: Program
    trace: Trace
    templates: Mapping[int, ShiftTemplate]
    fixed: Mapping[int, Expression]
    factors: Factors
    pointwise: bool = False
    excused: Mapping[int, Expression] = field(default_factory=dict)
    in_zcdp: bool = False
    same_branches: bool = False  # of all branches that the noise decides
    needs: list[TraceNeed] = field(default_factory=list)
    costs: dict[int, Value] = field(default_factory=dict)
    rates: dict[int, Value] = field(default_factory=dict)
    _answer: Value = None

    def run(self) -> None:
        self._reset()
        if self.pointwise:  # the answer of the first run does not depend on the second
            first = TraceRunner(
                self.program,
                self.trace,
                {},
                {one.site: Number(Fraction(0)) for one in self.program.samples},
                {},
            )
            first._reset()
            first._run_block(self.program.body)
            self._answer = first._answer
        self._run_block(self.program.body)

    def _reset(self) -> None:
        self._values: dict[str, tuple[Value, Value]] = dict(self.trace.scalars)
        self._draws, self._rounds, self._outputs_seen = 0, 0, 0
        self._answer = None
        self._branch_guards: tuple[bool, Value, Place] = (True, True, NOWHERE)

    def _evaluate(self, expression: Expression, run: int) -> Value:
        return evaluate(
            expression,
            lambda name: self._values[name][run],
            lambda name, at: self.trace.read_entry(name, run, at),
            lambda name: self.trace.length_in_run(name, run),
        )

    def _evaluate_certificate(self, expression: Expression, noise: Value) -> Value:
        def name(name: str) -> Value:
            if name == NOISE:
                return noise
            if name == "@answer":
                return self._answer
            base, _, run = name.partition("@")
            if base not in self._values:  # not assigned yet
                raise TraceAbandoned
            return self._values[base][int(run) - 1 if run else 0]

        def read(name: str, at: int) -> Value:
            base, _, run = name.partition("@")
            return self.trace.read_entry(base, int(run) - 1, at)

        return evaluate(
            expression,
            name,
            read,
            lambda name: self.trace.length_in_run(name[:-2], int(name[-1]) - 1),
        )

    def _run_block(self, block: Block) -> None:
        for one in block:
            self._run_statement(one)

    def _run_statement(self, one: Statement) -> None:
        match one:
            case Assign():
                self._values[one.name] = (
                    self._evaluate(one.value, 0),
                    self._evaluate(one.value, 1),
                )
            case Sample():
                self._run_sample(one)
            case Output():
                first, second = self._evaluate(one.value, 0), self._evaluate(one.value, 1)
                self._answer = first if self._answer is None else self._answer
                here, there, place = self._branch_guards
                self.needs.append(
                    TraceNeed("branch", place, there if here else combine_booleans("not", [there]))
                )
                if here:
                    self._outputs_seen += 1
                    self.needs.append(
                        TraceNeed("output", one.place, self._relate_results(first, second))
                    )
            case If():
                self._run_if(one)
            case While() if match_row_loop(one, self.program) is not None:
                alone = [dict(self._run_row_loop(one, run)) for run in (0, 1)]
                self._values = {
                    name: (alone[0][name], alone[1][name])
                    for name in alone[0].keys() & alone[1].keys()
                }
            case While():
                while True:
                    first, second = (
                        self._evaluate(one.condition, 0),
                        self._evaluate(one.condition, 1),
                    )
                    self.needs.append(
                        TraceNeed(
                            "loop",
                            one.place,
                            second if first else combine_booleans("not", [second]),
                        )
                    )
                    if not first:
                        break
                    self._rounds += 1
                    if self._rounds > _MAX_ROUNDS:
                        raise TraceAbandoned
                    self._run_block(one.body)

    def _relate_results(self, first: Value, second: Value) -> Value:
        after = self.program.claim.neighbours.after
        if after is None:
            return _make_equality(first, second)
        known = {"res<1>": first, "res<2>": second}
        for name, pair in self.trace.scalars.items():
            known |= {name: pair[0], f"{name}<1>": pair[0], f"{name}<2>": pair[1]}
        return evaluate(after, known.__getitem__, lambda *_: 0, lambda _: 0)

    def _run_row_loop(self, loop: While, run: int) -> dict[str, Value]:
        """Run a loop over its own rows in one of the runs."""
        values = {name: pair[run] for name, pair in self._values.items()}

        def eval_in(expression: Expression) -> Value:
            return evaluate(
                expression,
                values.__getitem__,
                lambda name, at: self.trace.read_entry(name, run, at),
                lambda name: self.trace.length_in_run(name, run),
            )

        def block(several: Block) -> None:
            for one in several:
                if isinstance(one, Assign):
                    values[one.name] = eval_in(one.value)
                elif isinstance(one, If):
                    block(one.then if eval_in(one.condition) else one.otherwise)

        while eval_in(loop.condition):
            block(loop.body)
        return values

    def _run_if(self, one: If) -> None:
        first, second = self._evaluate(one.condition, 0), self._evaluate(one.condition, 1)
        forced = self.same_branches and not is_concrete(second)
        if forced or draws_or_loops(one.then) or draws_or_loops(one.otherwise):
            self.needs.append(
                TraceNeed(
                    "branch", one.place, second if first else combine_booleans("not", [second])
                )
            )
            self._run_block(one.then if first else one.otherwise)
            return
        before, outer, outputs_before = dict(self._values), self._branch_guards, self._outputs_seen
        self._branch_guards = (
            outer[0] and first,
            combine_booleans("and", [outer[1], second]),
            one.place,
        )
        self._run_block(one.then)
        then, self._values = self._values, before
        self._branch_guards = (
            outer[0] and not first,
            combine_booleans("and", [outer[1], combine_booleans("not", [second])]),
            one.place,
        )
        self._run_block(one.otherwise)
        self._branch_guards = outer
        # After an output, both runs must have taken the same branch.
        if self._outputs_seen != outputs_before:
            second = first
        merged = {}
        for name in then.keys() | self._values.keys():
            left = then.get(name) or self._values[name]
            right = self._values.get(name) or left
            merged[name] = (left[0] if first else right[0], choose(second, left[1], right[1]))
        self._values = merged

    def _run_sample(self, one: Sample) -> None:
        parameters = [self._evaluate(parameter, 0) for parameter in one.parameters]
        noise = self.trace.draw_noise(self._draws, one.site, one.noise, parameters)
        self._draws += 1
        leaves = self.excused.get(one.site) == Truth(True)
        if (
            one.site in self.excused
            and not leaves
            and self._evaluate_certificate(self.excused[one.site], noise) is True
        ):
            raise TraceAbandoned  # excused
        if one.site in self.fixed:
            moved = self._evaluate_certificate(self.fixed[one.site], noise)
        else:
            moved = self._evaluate_template(self.templates[one.site], noise)
        if one.noise is Noise.BERNOULLI:
            self._values[one.name] = (noise, choose(moved, not noise, noise))
            cost: Value = choose(moved, 1, 0)
        else:
            self._values[one.name] = (noise, noise + moved)
            cost = moved * moved if self.in_zcdp else choose(moved >= 0, moved, -moved)
        if one.noise is Noise.EXPONENTIAL:
            self.needs.append(TraceNeed("support", one.place, noise + moved >= 0))
        if one.noise is Noise.UNIFORM and leaves:
            return
        if one.noise is Noise.UNIFORM:
            low, high = parameters
            self.needs.append(
                TraceNeed(
                    "support",
                    one.place,
                    combine_booleans("and", [noise + moved >= low, noise + moved <= high]),
                )
            )
            return
        self.costs[one.site] = self.costs.get(one.site, 0) + cost
        if one.noise not in (Noise.BERNOULLI, Noise.BITS) and is_concrete(parameters[0]):
            if parameters[0] <= 0:
                raise TraceAbandoned  # no noise has such a scale
            rate = 1 / parameters[0]
            self.rates[one.site] = rate * rate / 2 if self.in_zcdp else rate

    def _evaluate_template(self, template: ShiftTemplate, noise: Value) -> Value:
        factors, width, chosen = (
            self.factors[template.site],
            len(template.terms),
            len(template.cases),
        )
        for number, case in enumerate(template.cases):
            holds = self._evaluate_certificate(case, noise)
            if not is_concrete(holds):
                raise TraceAbandoned
            if holds:
                chosen = number
                break
        total: Value = 0
        for term, factor in zip(
            template.terms, factors[chosen * width : (chosen + 1) * width], strict=True
        ):
            distance = self._evaluate_certificate(term, noise)
            if is_concrete(distance) and distance == 0:
                continue
            total = total + (
                factor * distance if is_concrete(factor) else factor * to_term(distance)
            )
        return total


def _make_equality(first: Value, second: Value) -> Value:
    """Build the equality up to the rounding of floats."""
    if isinstance(first, bool) or not is_concrete(first):
        return second == first
    if is_concrete(second):
        return abs(second - first) <= _SLACK
    return z3.And(
        second - to_term(first) <= to_term(_TOLERANCE),
        to_term(first) - second <= to_term(_TOLERANCE),
    )


def evaluate_claim(program: Program, trace: Trace, expression: Expression) -> float:
    """Evaluate the claim with this trace's numbers."""
    found = evaluate(
        expression,
        lambda name: trace.scalars[name][0],
        lambda *_: 0,
        lambda name: trace.length_in_run(name, 0),
    )
    if not is_concrete(found):
        raise UnsupportedProgram(f"the claim of {program.name} is not a number; write a number.")
    return float(found)


def make_cost_need(runner: TraceRunner, rates: Mapping[int, Expression]) -> TraceNeed:
    """Build the need that the costs add up to at most the claim."""
    total: Value = 0
    for site, cost in runner.costs.items():
        rate = (
            evaluate_claim(runner.program, runner.trace, rates[site])
            if site in rates
            else runner.rates.get(site, 0)
        )
        total = total + (cost * rate if is_concrete(cost) else cost * to_term(rate))
    place = max(
        (one.place for one in runner.program.samples),
        key=lambda place: place.line,
        default=runner.program.place,
    )
    # The checker compares the rho; bounded factors keep the shifts small.
    if runner.in_zcdp:
        return TraceNeed("cost", place, True)
    limit = evaluate_claim(runner.program, runner.trace, runner.program.claim.epsilon) + _SLACK
    if limit < 0:
        raise TraceAbandoned  # a negative claim is never made
    return TraceNeed("cost", place, total <= (limit if is_concrete(total) else to_term(limit)))


def _run_or_require_same_branches(runner: TraceRunner) -> None:
    try:
        runner.run()
    except TraceAbandoned:
        if all(is_concrete(one) for several in runner.factors.values() for one in several):
            raise
        runner.same_branches = True
        runner.needs, runner.costs, runner.rates = [], {}, {}
        runner.run()


def list_needs(runner: TraceRunner, rates: Mapping[int, Expression]) -> Iterator[TraceNeed]:
    """Yield all needs of the run, or none if it is too long.

    Where the second run cannot be followed with unknown factors, both runs are required to take the
    same branches.
    """
    try:
        _run_or_require_same_branches(runner)
        if runner.pointwise:
            runner.needs = [one for one in runner.needs if one.obligation != "output"] + [
                one for one in runner.needs if one.obligation == "output"
            ][-1:]
        yield from runner.needs
        yield make_cost_need(runner, rates)
    except TraceAbandoned:
        return
