"""Both runs on a trace: the first in numbers, the second with the unknown whole numbers of the templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from hedgerow.verify.language.outside import Outside
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
    While,
)
from hedgerow.verify.proof.certificate import NOISE
from hedgerow.verify.proof.folds import fold_of
from hedgerow.verify.proof.product import draws
from hedgerow.verify.proof.search.templates import Template
from hedgerow.verify.proof.search.traces import Trace
from hedgerow.verify.proof.search.values import TooLong, Value, choice, lifted, plain, truths, value
from hedgerow.verify.proof.solver import z3

__all__ = ["Need", "Runner", "needs"]

_ROUNDS = 24
_NEAR = 1e-6
_SLACK = 1e-9  # inputs are halves, which floats hold exactly; scales may not be


@dataclass(frozen=True, slots=True)
class Need:
    """A condition that the shifts must meet, with the obligation it stands for."""

    obligation: str
    place: Place
    condition: Value


Factors = Mapping[int, Sequence[Value]]


@dataclass
class Runner:
    """Runs a trace; ``needs`` is what the shifts must meet, ``costs`` what each site costs."""

    program: Program
    trace: Trace
    templates: Mapping[int, Template]
    fixed: Mapping[int, Expression]
    factors: Factors
    pointwise: bool = False
    bad: Mapping[int, Expression] = field(default_factory=dict)
    concentrated: bool = False
    needs: list[Need] = field(default_factory=list)
    costs: dict[int, Value] = field(default_factory=dict)
    rates: dict[int, Value] = field(default_factory=dict)
    _answer: Value = None

    def run(self) -> None:
        self._begin()
        if self.pointwise:  # the answer of the first run does not depend on the second
            first = Runner(self.program, self.trace, {}, {one.site: Number(Fraction(0)) for one in self.program.samples}, {})
            first._begin()
            first._block(self.program.body)
            self._answer = first._answer
        self._block(self.program.body)

    def _begin(self) -> None:
        self._values: dict[str, tuple[Value, Value]] = dict(self.trace.scalars)
        self._draws, self._rounds, self._told = 0, 0, 0
        self._answer = None
        self._here: tuple[bool, Value, Place] = (True, True, NOWHERE)

    def _eval(self, expression: Expression, run: int) -> Value:
        return value(
            expression,
            lambda name: self._values[name][run],
            lambda name, at: self.trace.read(name, run, at),
            lambda name: self.trace.size(name, run),
        )

    def _across(self, expression: Expression, noise: Value) -> Value:
        def name(name: str) -> Value:
            if name == NOISE:
                return noise
            if name == "@answer":
                return self._answer
            base, _, run = name.partition("@")
            return self._values[base][int(run) - 1 if run else 0]

        def read(name: str, at: int) -> Value:
            base, _, run = name.partition("@")
            return self.trace.read(base, int(run) - 1, at)

        return value(expression, name, read, lambda name: self.trace.size(name[:-2], int(name[-1]) - 1))

    def _block(self, block: Block) -> None:
        for one in block:
            self._statement(one)

    def _statement(self, one: Statement) -> None:
        match one:
            case Assign():
                self._values[one.name] = (self._eval(one.value, 0), self._eval(one.value, 1))
            case Sample():
                self._sample(one)
            case Output():
                first, second = self._eval(one.value, 0), self._eval(one.value, 1)
                self._answer = first if self._answer is None else self._answer
                here, there, place = self._here
                self.needs.append(Need("branch", place, there if here else truths("not", [there])))
                if here:
                    self._told += 1
                    self.needs.append(Need("output", one.place, _same(first, second)))
            case If():
                self._if(one)
            case While() if fold_of(one, self.program) is not None:
                alone = [dict(self._alone(one, run)) for run in (0, 1)]
                self._values = {name: (alone[0][name], alone[1][name]) for name in alone[0].keys() & alone[1].keys()}
            case While():
                while True:
                    first, second = self._eval(one.condition, 0), self._eval(one.condition, 1)
                    self.needs.append(Need("loop", one.place, second if first else truths("not", [second])))
                    if not first:
                        break
                    self._rounds += 1
                    if self._rounds > _ROUNDS:
                        raise TooLong
                    self._block(one.body)

    def _alone(self, loop: While, run: int) -> dict[str, Value]:
        """One run goes through a loop over its own rows."""
        values = {name: pair[run] for name, pair in self._values.items()}

        def eval_in(expression: Expression) -> Value:
            return value(
                expression, values.__getitem__, lambda name, at: self.trace.read(name, run, at), lambda name: self.trace.size(name, run)
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

    def _if(self, one: If) -> None:
        first, second = self._eval(one.condition, 0), self._eval(one.condition, 1)
        if draws(one.then) or draws(one.otherwise):
            self.needs.append(Need("branch", one.place, second if first else truths("not", [second])))
            self._block(one.then if first else one.otherwise)
            return
        before, outer, told = dict(self._values), self._here, self._told
        self._here = (outer[0] and first, truths("and", [outer[1], second]), one.place)
        self._block(one.then)
        then, self._values = self._values, before
        self._here = (outer[0] and not first, truths("and", [outer[1], truths("not", [second])]), one.place)
        self._block(one.otherwise)
        self._here = outer
        if self._told != told:  # something was said, so that both runs must have come this way
            second = first
        merged = {}
        for name in then.keys() | self._values.keys():
            left = then.get(name) or self._values[name]
            right = self._values.get(name) or left
            merged[name] = (left[0] if first else right[0], choice(second, left[1], right[1]))
        self._values = merged

    def _sample(self, one: Sample) -> None:
        parameters = [self._eval(parameter, 0) for parameter in one.parameters]
        noise = self.trace.noise(self._draws, one.site, one.noise, parameters)
        self._draws += 1
        if one.site in self.bad and self._across(self.bad[one.site], noise) is True:
            raise TooLong  # excused
        if one.site in self.fixed:
            moved = self._across(self.fixed[one.site], noise)
        else:
            moved = self._template(self.templates[one.site], noise)
        if one.noise is Noise.BERNOULLI:
            self._values[one.name] = (noise, choice(moved, not noise, noise))
            cost: Value = choice(moved, 1, 0)
        else:
            self._values[one.name] = (noise, noise + moved)
            cost = moved * moved if self.concentrated else choice(moved >= 0, moved, -moved)
        if one.noise is Noise.EXPONENTIAL:
            self.needs.append(Need("support", one.place, noise + moved >= 0))
        if one.noise is Noise.UNIFORM:
            low, high = parameters
            self.needs.append(Need("support", one.place, truths("and", [noise + moved >= low, noise + moved <= high])))
            return
        self.costs[one.site] = self.costs.get(one.site, 0) + cost
        if one.noise not in (Noise.BERNOULLI, Noise.BITS) and plain(parameters[0]):
            if parameters[0] <= 0:
                raise TooLong  # there is no such noise
            rate = 1 / parameters[0]
            self.rates[one.site] = rate * rate / 2 if self.concentrated else rate

    def _template(self, template: Template, noise: Value) -> Value:
        factors, width, chosen = self.factors[template.site], len(template.terms), len(template.cases)
        for number, case in enumerate(template.cases):
            holds = self._across(case, noise)
            if not plain(holds):
                raise TooLong
            if holds:
                chosen = number
                break
        total: Value = 0
        for term, factor in zip(template.terms, factors[chosen * width : (chosen + 1) * width], strict=True):
            distance = self._across(term, noise)
            if plain(distance) and distance == 0:
                continue
            total = total + (factor * distance if plain(factor) else factor * lifted(distance))
        return total


def _same(first: Value, second: Value) -> Value:
    """Up to the rounding of floats."""
    if isinstance(first, bool) or not plain(first):
        return second == first
    if plain(second):
        return abs(second - first) <= _SLACK
    return z3.And(second - lifted(first) <= lifted(_NEAR), lifted(first) - second <= lifted(_NEAR))


def claimed(program: Program, trace: Trace, expression: Expression) -> float:
    """The claim in this trace's numbers."""
    found = value(expression, lambda name: trace.scalars[name][0], lambda *_: 0, lambda name: trace.size(name, 0))
    if not plain(found):
        raise Outside(f"the claim of {program.name} is not a number.")
    return float(found)


def cost_need(runner: Runner, rates: Mapping[int, Expression]) -> Need:
    """The costs add up to the claim."""
    total: Value = 0
    for site, cost in runner.costs.items():
        rate = claimed(runner.program, runner.trace, rates[site]) if site in rates else runner.rates.get(site, 0)
        total = total + (cost * rate if plain(cost) else cost * lifted(rate))
    place = max((one.place for one in runner.program.samples), key=lambda place: place.line, default=runner.program.place)
    if runner.concentrated:  # what the claim allows is left to the checker; a bound keeps the shifts small
        return Need("cost", place, True)
    limit = claimed(runner.program, runner.trace, runner.program.claim.epsilon) + _SLACK
    if limit < 0:
        raise TooLong  # nothing is claimed here
    return Need("cost", place, total <= (limit if plain(total) else lifted(limit)))


def needs(runner: Runner, rates: Mapping[int, Expression]) -> Iterator[Need]:
    """All of them, or nothing when the run is too long."""
    try:
        runner.run()
        if runner.pointwise:
            runner.needs = [one for one in runner.needs if one.obligation != "output"] + [
                one for one in runner.needs if one.obligation == "output"
            ][-1:]
        yield from runner.needs
        yield cost_need(runner, rates)
    except TooLong:
        return
