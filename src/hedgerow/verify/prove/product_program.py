"""The product program: both runs at once, two values for every variable, and a list of obligations.

The runs go through the program side by side. At a sampling site the first run draws any noise and
the second draws the noise that the certificate assigns to it. A loop is not unrolled: its
invariants, which hold each time the guard is evaluated, are shown on entry, assumed for a round,
and shown after it. Each obligation keeps its own list of assumptions, and a loop body never shares
its list with the statements after the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
    Expression,
    If,
    Kind,
    Number,
    Output,
    Place,
    Program,
    Sample,
    Statement,
    While,
    find_assigned_names,
    format_expression,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kind
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.certificate import FINITE, Certificate, Variant
from hedgerow.verify.prove.certificate_symbols import make_certificate_symbols
from hedgerow.verify.prove.obligations import Obligation
from hedgerow.verify.prove.rules.finite_noise import apply_finite_noise_rule
from hedgerow.verify.prove.rules.finite_regions import FiniteRegion, split_regions
from hedgerow.verify.prove.rules.loop_variants import build_decrease
from hedgerow.verify.prove.rules.row_loops import RowLoop, compute_row_increments, match_row_loop
from hedgerow.verify.prove.rules.sampling import draw_in_both_runs
from hedgerow.verify.prove.rules.scale_facts import list_assumptions, list_inverse_facts
from hedgerow.verify.prove.solver import Term, z3
from hedgerow.verify.prove.state import PairState, Path, merge_states
from hedgerow.verify.prove.symbolic_inputs import SymbolicInputs
from hedgerow.verify.prove.terms import Sort, SymbolTable, fresh_constant, to_z3_sort, translate
from hedgerow.verify.prove.work_limit import Spend, limit_work

__all__ = ["PairState", "ProductProgram"]

_ENDLESS: Final = "no quantity was found that makes this loop end"
AssumeInvariant = Callable[[int, int, Term], Term]


def _assume_unchanged(loop: int, number: int, term: Term) -> Term:  # noqa: ARG001
    return term


def draws_or_loops(block: Block) -> bool:
    """Return True if the block contains a draw or a loop."""
    return any(isinstance(one, Sample | While) for one in walk_statements(block))


@dataclass
class ProductProgram:
    """One pass over the program. ``assume`` turns an invariant into an assumption;
    ``other_variants`` has more variants of a loop; ``endings`` has the obligation of each.
    """

    program: Program
    certificate: Certificate
    sorts: dict[str, Sort]
    inputs: SymbolicInputs
    assume: AssumeInvariant = _assume_unchanged
    spend_work: Spend = field(default_factory=limit_work)
    other_variants: Mapping[int, Sequence[Variant]] = field(default_factory=dict)
    obligations: list[Obligation] = field(default_factory=list)
    endings: dict[int, list[Obligation]] = field(default_factory=dict)
    final_state: tuple[PairState, Path] | None = None

    def __post_init__(self) -> None:
        self._fresh_count = 0
        # The conditions that led each run here, where their branches may differ.
        self._branch_guards: tuple[Term, Term, If] | None = None
        self._next_loop = 0  # loops are visited in textual order, each once

    def run(self) -> None:
        """Fill ``obligations`` and ``final_state``."""
        counters = {
            f"{word}{one.site}": z3.RealVal(0)
            for word in ("cost", "rare")
            for one in self.program.samples
        }
        start = PairState(dict(self.inputs.scalars), counters)
        path = [*self.inputs.facts, *list_assumptions(self, start)]
        self.final_state = (self._run_block(self.program.body, start, path), path)

    def fresh_value(self, name: str, sort: Sort) -> Term:
        self._fresh_count += 1
        return fresh_constant(name, sort, self._fresh_count)

    def run_symbols(self, run: int, state: PairState, path: Path) -> SymbolTable:
        """Build the symbols of the program's own expressions in one of the runs."""

        def name(name: str) -> Term:
            if name not in state.values:
                raise UnsupportedProgram(f"{name} is read before it has a value; assign it first.")
            return state.values[name][run]

        return SymbolTable(
            name,
            lambda name, at: self.inputs.read(name, run, at, path.append),
            lambda name: self.inputs.length(name, run),
            path.append,
        )

    def certificate_symbols(
        self,
        state: PairState,
        path: Path,
        entry: PairState | None = None,
        more: dict[str, Term] | None = None,
    ) -> SymbolTable:
        """Build the symbols of the certificate's expressions, which refer to both runs."""

        return make_certificate_symbols(self, state, path, entry, more or {})

    @property
    def answer(self) -> Term:
        last = self.program.body[-1] if self.program.body else None
        if self.certificate.mode != "pointwise" or not isinstance(last, Output):
            raise UnsupportedProgram("only a pointwise proof may use @answer; remove it.")
        known = {name: sort.kind for name, sort in self.sorts.items()}
        return z3.Const("@answer", to_z3_sort(Sort(infer_kind(last.value, self.program, known))))

    def add_obligation(
        self,
        name: str,
        path: Path,
        goal: Term,
        place: Place,
        reason: str,
        tag: tuple[int, int] | None = None,
    ) -> None:
        self.obligations.append(Obligation(name, tuple(path), goal, place, reason, tag))

    def _run_block(self, block: Block, state: PairState, path: Path) -> PairState:
        for piece in split_regions(block) if self.certificate.mode == FINITE else block:
            state = (
                apply_finite_noise_rule(self, piece, state, path)
                if isinstance(piece, FiniteRegion)
                else self._run_statement(piece, state, path)
            )
        return state

    def _evaluate_in_both(
        self, expression: Expression, state: PairState, path: Path
    ) -> tuple[Term, Term]:
        return (
            translate(expression, self.run_symbols(0, state, path)),
            translate(expression, self.run_symbols(1, state, path)),
        )

    def _run_statement(self, statement: Statement, state: PairState, path: Path) -> PairState:
        match statement:
            case Assign():
                first, second = self._evaluate_in_both(statement.value, state, path)
                return state.with_value(
                    statement.name,
                    self.fit_to_sort(statement.name, first),
                    self.fit_to_sort(statement.name, second),
                )
            case Sample():
                return draw_in_both_runs(self, statement, state, path)
            case Output():
                self._run_output(statement, state, path)
                return state
            case If():
                return self._run_if(statement, state, path)
            case While():
                return self._run_while(statement, state, path)

    def fit_to_sort(self, name: str, term: Term) -> Term:
        """Convert an integer that is assigned to a real variable."""
        return z3.ToReal(term) if self.sorts[name].kind is Kind.REAL and z3.is_int(term) else term

    def _run_output(self, statement: Output, state: PairState, path: Path) -> None:
        first, second = self._evaluate_in_both(statement.value, state, path)
        output, place = format_expression(statement.value), statement.place
        if self._has_divided_shifts:
            path = [*path, *list_inverse_facts([*path, first, second])]
        if (after := self.program.claim.neighbours.after) is not None:
            self._require_single_output(statement)
            goal = translate(after, self.inputs.tagged_symbols({"res<1>": first, "res<2>": second}))
            reason = f"the results {output} may not be related as {format_expression(after)}"
            self.add_obligation("output", path, goal, place, reason)
            return
        if self.certificate.mode == "pointwise":
            goal = z3.Implies(first == self.answer, second == self.answer)
            self.add_obligation(
                "output",
                path,
                goal,
                place,
                f"the answer {output} may differ between neighbours, and no shift hides it",
            )
            path.append(first == self.answer)
            return
        known = path
        if self._branch_guards is not None:
            here, there, branch = self._branch_guards
            reason = (
                f"{format_expression(branch.condition)} may hold for one neighbour and not for the"
                " other, and the output shows it"
            )
            self.add_obligation("branch", path, here == there, branch.place, reason)
            path.append(here == there)
            # An assumption, so that an output in unreachable code fails as "possible".
            known = [*path, here]
        self.add_obligation(
            "output",
            known,
            first == second,
            place,
            f"the output {output} differs between neighbours, and no noise hides it",
        )

    @property
    def _has_divided_shifts(self) -> bool:
        """True if a shift is divided by public parameters, so that reciprocals must cancel."""
        return any(
            isinstance(part, Apply)
            and part.operator in ("*", "/")
            and not any(isinstance(one, Number) for one in part.arguments)
            for shift in self.certificate.shifts
            for part in walk_expression(shift)
        )

    def _require_single_output(self, statement: Output) -> None:
        """Refuse a relation of results for a program with several outputs."""
        outputs = [one for one in walk_statements(self.program.body) if isinstance(one, Output)]
        if len(outputs) > 1 or self.program.body[-1] is not statement:
            raise UnsupportedProgram("related results need one output at the end.", statement.place)

    def _run_if(self, statement: If, state: PairState, path: Path) -> PairState:
        first, second = self._evaluate_in_both(statement.condition, state, path)
        if draws_or_loops(statement.then) or draws_or_loops(statement.otherwise):
            return self._run_same_branch(statement, first, second, state, path)
        # Without noise and loops inside, the runs may take different branches; at an output both
        # must be in the same one.
        outer, sides, negated = self._branch_guards, [], (z3.Not(first), z3.Not(second))
        for block, (here, there) in (
            (statement.then, (first, second)),
            (statement.otherwise, negated),
        ):
            if outer is not None:
                here, there = z3.And(outer[0], here), z3.And(outer[1], there)
            self._branch_guards = (here, there, statement)
            sides.append(self._run_block(block, state, path))
        self._branch_guards = outer
        return merge_states(first, second, *sides)

    def _run_same_branch(
        self, statement: If, first: Term, second: Term, state: PairState, path: Path
    ) -> PairState:
        """Require that both runs take the same branch, and run it."""
        reason = (
            f"{format_expression(statement.condition)} may hold for one neighbour and not for the"
            " other, and later statements depend on it"
        )
        self.add_obligation("branch", path, first == second, statement.place, reason)
        path.append(first == second)
        then, otherwise = [*path, first], [*path, z3.Not(first)]
        known = len(then)
        left = self._run_block(statement.then, state, then)
        right = self._run_block(statement.otherwise, state, otherwise)
        path += [z3.Implies(first, one) for one in then[known:]]
        path += [z3.Implies(z3.Not(first), one) for one in otherwise[known:]]
        return merge_states(first, second, left, right)

    def _run_while(self, statement: While, state: PairState, path: Path) -> PairState:
        number, self._next_loop = self._next_loop, self._next_loop + 1
        fold = match_row_loop(statement, self.program)
        if fold is not None:
            return self._run_row_loop(fold, statement, state, path)
        given = self.certificate.invariants[number]
        for index, invariant in enumerate(given):
            term = translate(invariant, self.certificate_symbols(state, path, state))
            self.add_obligation(
                "entry",
                path,
                term,
                statement.place,
                f"{format_expression(invariant)} does not hold when the loop begins",
                (number, index),
            )
        inside = self._havoc(statement.body, state, path)
        for index, invariant in enumerate(given):
            path.append(
                self.assume(
                    number,
                    index,
                    translate(invariant, self.certificate_symbols(inside, path, state)),
                )
            )
        first, second = self._evaluate_in_both(statement.condition, inside, path)
        body = [*path]
        reason = (
            "the loop may go on for one neighbour and end for the other"
            f" ({format_expression(statement.condition)})"
        )
        self.add_obligation("loop", body, first == second, statement.place, reason)
        body += [first, second]
        options = [self.certificate.variants[number], *self.other_variants.get(number, ())]
        before = [self._translate_variant(one, inside, body, state) for one in options]
        after = self._run_block(statement.body, inside, body)
        for index, invariant in enumerate(given):
            term = translate(invariant, self.certificate_symbols(after, body, state))
            self.add_obligation(
                "kept",
                body,
                term,
                statement.place,
                f"{format_expression(invariant)} is not kept by the loop",
                (number, index),
            )
        again = translate(statement.condition, self.run_symbols(0, after, body))
        left = [self._translate_variant(one, after, body, state) for one in options]
        goals = [
            z3.Implies(again, build_decrease(*pair)) for pair in zip(before, left, strict=True)
        ]
        self.endings[number] = [
            Obligation("ends", tuple(body), goal, statement.place, _ENDLESS) for goal in goals
        ]
        self.obligations.append(self.endings[number][0])
        path += [z3.Not(first), z3.Not(second)]
        return inside

    def _translate_variant(
        self, variant: Variant, state: PairState, path: Path, entry: PairState
    ) -> list[Term]:
        parts = variant if isinstance(variant, tuple) else (variant,)
        return [translate(one, self.certificate_symbols(state, path, entry)) for one in parts]

    def _run_row_loop(
        self, fold: RowLoop, statement: While, state: PairState, path: Path
    ) -> PairState:
        """Run both loops to their end: the second run's sums differ from the first's by the extra
        row.
        """
        begun = z3.And(*[value == 0 for value in state.values[fold.place]])
        self.add_obligation(
            "loop",
            path,
            begun,
            statement.place,
            f"{fold.place} must start at 0 for a sum over all rows of {fold.list}",
        )
        after = self._havoc(statement.body, state, path)
        row, times = self.inputs.extra_row(fold.list)
        zeros = {
            name: z3.IntVal(0) if self.sorts[name].kind is Kind.INT else z3.RealVal(0)
            for name in fold.sums
        }
        grown = compute_row_increments(fold, row, zeros, self.run_symbols(0, state, path))
        for name in fold.sums:
            (first, second), total = state.values[name], after.values[name][0]
            more = z3.If(times == 0, zeros[name], z3.If(times > 0, grown[name], -grown[name]))
            after = after.with_value(name, total, total - first + second + more)
        lengths = (self.inputs.length(fold.list, 0), self.inputs.length(fold.list, 1))
        return after.with_value(fold.place, *lengths)

    def _havoc(self, body: Block, state: PairState, path: Path) -> PairState:
        """Return fresh values for all variables that the loop changes, and costs that are no
        smaller.
        """
        values, costs = dict(state.values), dict(state.costs)
        for name in sorted(find_assigned_names(body)):
            values[name] = (
                self.fresh_value(f"{name}@1", self.sorts[name]),
                self.fresh_value(f"{name}@2", self.sorts[name]),
            )
        for one in walk_statements(body):
            if isinstance(one, Sample):
                for counter in (f"cost{one.site}", f"rare{one.site}"):
                    costs[counter] = self.fresh_value(f"@{counter}", Sort(Kind.REAL))
                    path.append(costs[counter] >= state.costs[counter])
        return PairState(values, costs)
