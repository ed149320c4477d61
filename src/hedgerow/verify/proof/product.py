"""Both runs at once: every variable has two values, and what must be shown is written down on the way.

The runs go through the program side by side. At a sampling site the first draws a noise, any; the second draws what the certificate says. A
loop is not unrolled: what the certificate claims to hold each time its guard is asked is shown on entry, assumed for a round, and shown
after it. Each obligation keeps the list of assumptions it may use, and lists are never shared between the inside of a loop and what
follows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hedgerow.verify.language.kinds import kind_of
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import (
    Assign,
    Block,
    Expression,
    If,
    Kind,
    Output,
    Place,
    Program,
    Sample,
    Statement,
    While,
    assigned,
    statements,
    written,
)
from hedgerow.verify.proof.certificate import FINITE, Certificate
from hedgerow.verify.proof.draws import draw
from hedgerow.verify.proof.effort import Spend, limited
from hedgerow.verify.proof.folds import Fold, added, fold_of
from hedgerow.verify.proof.inputs import Inputs
from hedgerow.verify.proof.laws import answered
from hedgerow.verify.proof.obligations import Obligation
from hedgerow.verify.proof.regions import Region, pieces
from hedgerow.verify.proof.scales import assumed
from hedgerow.verify.proof.solver import Term, z3
from hedgerow.verify.proof.state import Path, State
from hedgerow.verify.proof.terms import Meaning, Sort, fresh, meaning, sort_of

__all__ = ["Product", "State"]

Assume = Callable[[int, int, Term], Term]


def _plainly(loop: int, number: int, term: Term) -> Term:  # noqa: ARG001
    return term


def draws(block: Block) -> bool:
    """Whether it draws noise, or goes round."""
    return any(isinstance(one, Sample | While) for one in statements(block))


@dataclass
class Product:
    """One pass over the program. ``assume`` is how an invariant becomes an assumption; Houdini makes it optional."""

    program: Program
    certificate: Certificate
    sorts: dict[str, Sort]
    inputs: Inputs
    assume: Assume = _plainly
    spend: Spend = field(default_factory=limited)
    obligations: list[Obligation] = field(default_factory=list)
    final: tuple[State, Path] | None = None

    def __post_init__(self) -> None:
        self._fresh = 0
        self._here: tuple[Term, Term, If] | None = None  # what brings each run here, where they may go different ways
        self._loop = 0  # loops are met in the order of the text, each once

    def run(self) -> None:
        """Fill ``obligations`` and ``final``."""
        counters = {f"{word}{one.site}": z3.RealVal(0) for word in ("cost", "rare") for one in self.program.samples}
        start = State(dict(self.inputs.scalars), counters)
        path = [*self.inputs.facts, *assumed(self, start)]
        self.final = (self._block(self.program.body, start, path), path)

    # --- what expressions mean -------------------------------------------------------------------------------------------------------

    def new(self, name: str, sort: Sort) -> Term:
        self._fresh += 1
        return fresh(name, sort, self._fresh)

    def in_run(self, run: int, state: State, path: Path) -> Meaning:
        """The program's own expressions in one of the runs."""

        def name(name: str) -> Term:
            if name not in state.values:
                raise Outside(f"{name} is read before it has a value.")
            return state.values[name][run]

        return Meaning(
            name, lambda name, at: self.inputs.read(name, run, at, path.append), lambda name: self.inputs.length(name, run), path.append
        )

    def across(self, state: State, path: Path, entry: State | None = None, more: dict[str, Term] | None = None) -> Meaning:
        """The certificate's expressions, which speak of both runs."""

        def name(name: str) -> Term:
            if more and name in more:
                return more[name]
            if name in self.inputs.specials:
                return self.inputs.specials[name]
            if name.startswith("@"):
                counter, then = name[1:].removesuffix("@0"), entry if name.endswith("@0") else state
                if then is not None and counter in then.costs:
                    return then.costs[counter]
            if name.startswith("@cap:"):
                return z3.Real(name)
            if name == "@answer":
                return self.answer
            parts = name.split("@")
            where = entry.values if len(parts) == 3 and entry is not None and parts[2] == "0" else state.values
            if len(parts) in (2, 3) and parts[1] in ("1", "2") and parts[0] in where:
                return where[parts[0]][int(parts[1]) - 1]
            if len(parts) == 1 and self._public(name):
                return self.inputs.scalars[name][0]
            raise Outside(f"the certificate speaks of {name}, which is not there.")

        def read(name: str, at: Term) -> Term:
            if name.startswith("@spent:"):
                spent = self.inputs.spent(name[7:], at)
                path.append(z3.And(spent >= 0, spent <= z3.Real(f"@cap:{name[7:]}")))
                return spent
            base, run = _split(name)
            return self.inputs.read(base, run, at, path.append)

        return Meaning(name, read, lambda name: self.inputs.length(*_split(name)), path.append)

    def _public(self, name: str) -> bool:
        parameter = self.program.parameter(name)
        return parameter is not None and not parameter.private and not parameter.list

    @property
    def answer(self) -> Term:
        last = self.program.body[-1] if self.program.body else None
        if self.certificate.mode != "pointwise" or not isinstance(last, Output):
            raise Outside("only a pointwise proof speaks of @answer.")
        known = {name: sort.kind for name, sort in self.sorts.items()}
        return z3.Const("@answer", sort_of(Sort(kind_of(last.value, self.program, known))))

    def oblige(self, name: str, path: Path, goal: Term, place: Place, reason: str, tag: tuple[int, int] | None = None) -> None:
        self.obligations.append(Obligation(name, tuple(path), goal, place, reason, tag))

    # --- statements ------------------------------------------------------------------------------------------------------------------

    def _block(self, block: Block, state: State, path: Path) -> State:
        for piece in pieces(block) if self.certificate.mode == FINITE else block:
            state = answered(self, piece, state, path) if isinstance(piece, Region) else self._statement(piece, state, path)
        return state

    def _both(self, expression: Expression, state: State, path: Path) -> tuple[Term, Term]:
        return (meaning(expression, self.in_run(0, state, path)), meaning(expression, self.in_run(1, state, path)))

    def _statement(self, statement: Statement, state: State, path: Path) -> State:
        match statement:
            case Assign():
                first, second = self._both(statement.value, state, path)
                return state.with_value(statement.name, self.fitted(statement.name, first), self.fitted(statement.name, second))
            case Sample():
                return draw(self, statement, state, path)
            case Output():
                self._output(statement, state, path)
                return state
            case If():
                return self._if(statement, state, path)
            case While():
                return self._while(statement, state, path)

    def fitted(self, name: str, term: Term) -> Term:
        """A whole number that is kept in a real variable is a real."""
        return z3.ToReal(term) if self.sorts[name].kind is Kind.REAL and z3.is_int(term) else term

    def _output(self, statement: Output, state: State, path: Path) -> None:
        first, second = self._both(statement.value, state, path)
        said, place = written(statement.value), statement.place
        if self.certificate.mode == "pointwise":
            goal = z3.Implies(first == self.answer, second == self.answer)
            self.oblige("output", path, goal, place, f"the answer {said} may become another one, and no shift of the noise hides it")
            path.append(first == self.answer)
            return
        known = path
        if self._here is not None:
            here, there, branch = self._here
            reason = f"{written(branch.condition)} may hold for one neighbour and not for the other, and what is said shows it"
            self.oblige("branch", path, here == there, branch.place, reason)
            path.append(here == there)
            known = [*path, here]  # among the assumptions, so that saying something where nobody comes is seen
        self.oblige("output", known, first == second, place, f"what is said, {said}, differs between neighbours, and no noise hides it")

    def _if(self, statement: If, state: State, path: Path) -> State:
        first, second = self._both(statement.condition, state, path)
        if draws(statement.then) or draws(statement.otherwise):
            return self._together(statement, first, second, state, path)
        # Without noise and loops inside, each run goes its own way; where something is said, both must have come.
        outer, sides, negated = self._here, [], (z3.Not(first), z3.Not(second))
        for block, (here, there) in ((statement.then, (first, second)), (statement.otherwise, negated)):
            if outer is not None:
                here, there = z3.And(outer[0], here), z3.And(outer[1], there)
            self._here = (here, there, statement)
            sides.append(self._block(block, state, path))
        self._here = outer
        return self._merged(first, second, *sides)

    def _together(self, statement: If, first: Term, second: Term, state: State, path: Path) -> State:
        """Both runs go the same way."""
        reason = f"{written(statement.condition)} may hold for one neighbour and not for the other, and what follows depends on it"
        self.oblige("branch", path, first == second, statement.place, reason)
        path.append(first == second)
        then, otherwise = [*path, first], [*path, z3.Not(first)]
        known = len(then)
        left, right = self._block(statement.then, state, then), self._block(statement.otherwise, state, otherwise)
        path += [z3.Implies(first, one) for one in then[known:]]
        path += [z3.Implies(z3.Not(first), one) for one in otherwise[known:]]
        return self._merged(first, second, left, right)

    def _merged(self, first: Term, second: Term, left: State, right: State) -> State:
        values: dict[str, tuple[Term, Term]] = {}
        for name in sorted(left.values.keys() | right.values.keys()):
            a, b = left.values.get(name), right.values.get(name)
            if a is None or b is None:
                a = b = a if b is None else b  # nobody may read it where it has no value; kinds.resolved sees to that
            assert a is not None
            assert b is not None
            values[name] = a if a is b else (z3.If(first, a[0], b[0]), z3.If(second, a[1], b[1]))
        costs = {
            site: left.costs[site] if left.costs[site] is right.costs[site] else z3.If(first, left.costs[site], right.costs[site])
            for site in left.costs
        }
        return State(values, costs)

    def _while(self, statement: While, state: State, path: Path) -> State:
        number, self._loop = self._loop, self._loop + 1
        fold = fold_of(statement, self.program)
        if fold is not None:
            return self._fold(fold, statement, state, path)
        given = self.certificate.invariants[number]
        for index, invariant in enumerate(given):
            term = meaning(invariant, self.across(state, path, state))
            self.oblige("entry", path, term, statement.place, f"{written(invariant)} does not hold when the loop begins", (number, index))
        inside = self._forgotten(statement.body, state, path)
        for index, invariant in enumerate(given):
            path.append(self.assume(number, index, meaning(invariant, self.across(inside, path, state))))
        first, second = self._both(statement.condition, inside, path)
        body = [*path]
        reason = f"the loop may go on for one neighbour and end for the other ({written(statement.condition)})"
        self.oblige("loop", body, first == second, statement.place, reason)
        body += [first, second]
        variant = self.certificate.variants[number]
        before = meaning(variant, self.across(inside, body, state))
        after = self._block(statement.body, inside, body)
        for index, invariant in enumerate(given):
            term = meaning(invariant, self.across(after, body, state))
            self.oblige("kept", body, term, statement.place, f"{written(invariant)} is not kept by the loop", (number, index))
        again = meaning(statement.condition, self.in_run(0, after, body))
        left = meaning(variant, self.across(after, body, state))
        ends = z3.And(before >= 0, z3.Implies(again, left <= before - 1))
        self.oblige("ends", body, ends, statement.place, "nothing is seen that makes this loop end")
        path += [z3.Not(first), z3.Not(second)]
        return inside

    def _fold(self, fold: Fold, statement: While, state: State, path: Path) -> State:
        """Both runs have gone through all their rows; the second's sums have grown by one row more, or less, than the first's."""
        begun = z3.And(*[value == 0 for value in state.values[fold.place]])
        self.oblige("loop", path, begun, statement.place, f"{fold.place} must begin with 0 for a sum over all rows of {fold.list}")
        after = self._forgotten(statement.body, state, path)
        row, times = self.inputs.row(fold.list)
        zeros = {name: z3.IntVal(0) if self.sorts[name].kind is Kind.INT else z3.RealVal(0) for name in fold.sums}
        grown = added(fold, row, zeros, self.in_run(0, state, path))
        for name in fold.sums:
            (first, second), total = state.values[name], after.values[name][0]
            more = z3.If(times == 0, zeros[name], z3.If(times > 0, grown[name], -grown[name]))
            after = after.with_value(name, total, total - first + second + more)
        lengths = (self.inputs.length(fold.list, 0), self.inputs.length(fold.list, 1))
        return after.with_value(fold.place, *lengths)

    def _forgotten(self, body: Block, state: State, path: Path) -> State:
        """Any values for what the loop changes; costs have not become smaller."""
        values, costs = dict(state.values), dict(state.costs)
        for name in sorted(assigned(body)):
            values[name] = (self.new(f"{name}@1", self.sorts[name]), self.new(f"{name}@2", self.sorts[name]))
        for one in statements(body):
            if isinstance(one, Sample):
                for counter in (f"cost{one.site}", f"rare{one.site}"):
                    costs[counter] = self.new(f"@{counter}", Sort(Kind.REAL))
                    path.append(costs[counter] >= state.costs[counter])
        return State(values, costs)


def _split(name: str) -> tuple[str, int]:
    """q@2 is the list q in the second run."""
    base, _, run = name.rpartition("@")
    if run not in ("1", "2"):
        raise Outside(f"the certificate speaks of {name}, which is not there.")
    return base, int(run) - 1
