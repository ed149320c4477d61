"""The decision procedure of judgements about infinite programs, by the prover and the refuter.

``judge c ~ c : P ==> Q [epsilon, delta]`` is a privacy claim of c for inputs that P relates: a
parameter that P makes equal is public, and the others are private. Q relates the results. A
refutation counts only if it holds for the judgement as written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from hedgerow.errors import HedgerowError
from hedgerow.verify.judgement.finite import FiniteCounterexample, FiniteProof, decide_finite
from hedgerow.verify.judgement.input_pairs import evaluate
from hedgerow.verify.language.judgement import RESULT, Judgement, Undecided, tag_name
from hedgerow.verify.language.program import (
    Apply,
    Claim,
    Expression,
    Kind,
    Length,
    Name,
    Neighbours,
    Number,
    Parameter,
    Program,
    Read,
    Relation,
    Truth,
    collect_names,
    find_assigned_names,
    map_children,
    substitute,
)
from hedgerow.verify.language.rewriting import map_expressions, split_conjuncts
from hedgerow.verify.refute.counterexample import Counterexample
from hedgerow.verify.refute.interval_arithmetic import approximate
from hedgerow.verify.refute.paths import Arguments
from hedgerow.verify.refute.refute import run_refuter
from hedgerow.verify.validation.boxed_values import CannotEvaluate
from hedgerow.verify.validation.event_probability import evaluate_plainly
from hedgerow.verify.validation.witness import (
    Excess,
    MeasuredEvents,
    evaluate_amount,
    find_confirmed_witness,
)

__all__ = [
    "Reduction",
    "SymbolicCounterexample",
    "SymbolicProof",
    "decide_judgement",
    "reduce_to_program",
]


@dataclass(frozen=True)
class SymbolicProof:
    """A proof by a certificate for the program that the judgement reduces to."""

    judgement: Judgement
    program: Program
    certificate: Any
    verdict: ClassVar[str] = "PROVED"

    def __str__(self) -> str:
        return (
            "holds: proved for all inputs that the precondition allows, where every scale is"
            " positive"
        )


@dataclass(frozen=True)
class SymbolicCounterexample:
    """A refutation by a counterexample of the refuter."""

    judgement: Judgement
    witness: Counterexample
    verdict: ClassVar[str] = "REFUTED"

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"fails: {self.witness}"


def decide_judgement(
    judgement: Judgement, *, seconds: float = 120
) -> FiniteProof | FiniteCounterexample | SymbolicProof | SymbolicCounterexample | Undecided:
    """Decide a finite judgement exactly and others by proof or refutation, or return ``Undecided``
    with the reason.
    """
    found = decide_finite(judgement, seconds=seconds)
    if not isinstance(found, Undecided):
        return found
    try:
        reduction = reduce_to_program(judgement)
    except Undecided:
        return found
    try:
        from hedgerow.verify.prove.certificate import Certificate
        from hedgerow.verify.prove.prover import prove

        certificate = prove(reduction.program, seconds=seconds)
    except HedgerowError as error:
        return Undecided(str(error), judgement.place)
    witness = _find_confirmed_witness(judgement, reduction, seconds)
    if isinstance(certificate, Certificate):
        if witness is None:
            return SymbolicProof(judgement, reduction.program, certificate)
        return Undecided(
            "a proof and a counterexample were found; this is a bug in Hedgerow, and nothing is"
            " claimed. Please report the judgement",
            judgement.place,
        )
    if witness is not None:
        return SymbolicCounterexample(judgement, witness)
    return Undecided("found neither a proof nor a counterexample", judgement.place)


def _find_confirmed_witness(
    judgement: Judgement, reduction: Reduction, seconds: float
) -> Counterexample | None:
    """Return a counterexample that holds for the judgement as written: its precondition, its
    programs and its budget are evaluated anew, by another method.
    """
    found = run_refuter(reduction.program, seconds=seconds)
    return find_confirmed_witness(
        (found.counterexample, found.strongest),
        lambda witness: _describe_excess(judgement, reduction, witness),
    )


def _describe_excess(judgement: Judgement, reduction: Reduction, witness: Counterexample) -> Excess:
    memories = [reduction.restore_arguments(one) for one in (witness.first, witness.second)]
    tagged = {
        tag_name(name, run): value
        for run, memory in enumerate(memories, 1)
        for name, value in memory.items()
    }
    if evaluate_plainly(judgement.precondition, tagged) is not True:
        raise CannotEvaluate("the inputs do not satisfy the precondition")
    likely, rare = approximate(witness.likely), approximate(witness.rare)
    return Excess(
        MeasuredEvents(judgement.left, memories[0], witness.events, likely),
        MeasuredEvents(judgement.right, memories[1], witness.related_events, rare),
        evaluate_amount(judgement.epsilon, tagged),
        evaluate_amount(judgement.delta, tagged),
    )


@dataclass(frozen=True)
class Reduction:
    """The program whose privacy a judgement states. Its parameters are renamed, and those that the
    precondition sets to one number are gone.
    """

    program: Program
    renamed: Mapping[str, str]
    constants: Mapping[str, Fraction]

    def restore_arguments(self, arguments: Arguments) -> Arguments:
        """Return the arguments of the judgement's own program."""
        kept = {old: arguments[new] for old, new in self.renamed.items()}
        return {**kept, **self.constants}


def reduce_to_program(judgement: Judgement) -> Reduction:
    """Return the program whose privacy the judgement states, or raise ``Undecided``."""
    left = judgement.left
    after = _read_postcondition(judgement)
    fixed, equal = _collect_constants(judgement), _collect_equal_names(judgement)
    constants = {
        one.name: fixed[tag_name(one.name, 1)]
        for one in left.parameters
        if tag_name(one.name, 1) in fixed
        and fixed[tag_name(one.name, 1)] == fixed.get(tag_name(one.name, 2))
    }
    kept = [one for one in left.parameters if one.name not in constants]
    renamed = _rename_parameters(left, [one.name for one in kept])
    new = {old: Name(name) for old, name in renamed.items()}
    in_runs: dict[str, Expression] = {}
    for run in (1, 2):
        for one in left.parameters:
            in_runs[tag_name(one.name, run)] = (
                Number(constants[one.name], one.place)
                if one.name in constants
                else new[one.name]
                if one.name in equal
                else Name(tag_name(renamed[one.name], run))
            )
    inside = new | {name: Number(value) for name, value in constants.items()}
    parameters = tuple(
        replace(
            one,
            name=renamed[one.name],
            private=one.name not in equal,
            width=None if one.width is None else substitute(one.width, inside),
        )
        for one in kept
    )
    _check_parameters(judgement, parameters, constants)
    public = {one.name for one in parameters if not one.private}
    amounts = [
        None if one is None else substitute(one, in_runs)
        for one in (judgement.epsilon, judgement.delta)
    ]
    for amount in amounts:
        if amount is not None and not collect_names(amount) <= public:
            raise Undecided(
                "the budget mentions a parameter that may differ between the runs; make it equal",
                judgement.place,
            )
    neighbours = _build_neighbours(judgement, parameters, in_runs, after)
    claim = Claim(amounts[0] or Number(Fraction(0)), neighbours, amounts[1])
    body = map_expressions(left.body, lambda one: _substitute_lists(one, inside))
    program = replace(left, parameters=parameters, body=body, claim=claim)
    return Reduction(program, renamed, constants)


def _substitute_lists(expression: Expression, values: Mapping[str, Expression]) -> Expression:
    """Replace variables, and rename lists where they are read or measured."""
    match expression:
        case Name():
            return values.get(expression.name, expression)
        case Read() | Length() if isinstance(to := values.get(expression.list), Name):
            expression = replace(expression, list=to.name)
    return map_children(expression, lambda one: _substitute_lists(one, values))


def _rename_parameters(program: Program, names: Sequence[str]) -> dict[str, str]:
    """Rename parameters that are only called eps or delta: a proof would assume that they are
    positive, and delta below 1. A new name is one that the program does not have.
    """
    taken = {one.name for one in program.parameters} | find_assigned_names(program.body)
    found: dict[str, str] = {}
    for name in names:
        new = name
        while name in ("eps", "epsilon", "delta") and (new == name or new in taken):
            new = f"{new}_"
        found[name] = new
        taken.add(new)
    return found


def _check_parameters(
    judgement: Judgement, parameters: Sequence[Parameter], constants: Mapping[str, Fraction]
) -> None:
    for one in parameters:
        if one.list and one.private:
            raise Undecided(
                f"{one.name} is a list that may differ in any way, including its length; make it"
                " equal in both runs",
                judgement.place,
            )
    if constants.keys() & find_assigned_names(judgement.left.body):
        raise Undecided(
            "the program assigns a parameter that the precondition sets to a number; use another"
            " variable",
            judgement.place,
        )


def _build_neighbours(
    judgement: Judgement,
    parameters: Sequence[Parameter],
    in_runs: Mapping[str, Expression],
    after: Expression | None,
) -> Neighbours:
    """Build the relation of the inputs: any private data if nothing else is said about them."""
    before = [substitute(one, in_runs) for one in split_conjuncts(judgement.precondition)]
    before = [one for one in before if not _is_trivial(one)]
    if not before and after is None:
        return Neighbours(Relation.SECRET)
    if any(one.kind is Kind.BITS for one in parameters):
        raise Undecided(
            "bit strings that a precondition restricts are decided for a fixed width only",
            judgement.place,
        )
    every: Expression = Truth(True)
    for one in before:
        every = one if every == Truth(True) else Apply("and", (every, one))
    relation = None if after is None else substitute(after, in_runs)
    return Neighbours(Relation.JUDGEMENT, before=every, after=relation)


def _is_trivial(conjunct: Expression) -> bool:
    if not collect_names(conjunct):
        return evaluate(conjunct, {}) is True
    return (
        isinstance(conjunct, Apply)
        and conjunct.operator == "=="
        and conjunct.arguments[0] == conjunct.arguments[1]
    )


def _read_postcondition(judgement: Judgement) -> Expression | None:
    """Return the relation of the results; None if they are equal."""
    left, after = judgement.left, judgement.postcondition
    results = {tag_name(RESULT, 1), tag_name(RESULT, 2)}
    inputs = {tag_name(one.name, run) for one in left.parameters for run in (1, 2)}
    if left != judgement.right or RESULT in find_assigned_names(left.body):
        raise Undecided(
            "two programs are compared only if they are finite; write judge A ~ A", judgement.place
        )
    if not results <= collect_names(after) <= results | inputs:
        raise Undecided(
            "only a relation of res<1> and res<2> can be proved if the program is not finite",
            judgement.place,
        )
    sides = {one.name for one in getattr(after, "arguments", ()) if isinstance(one, Name)}
    is_equality = isinstance(after, Apply) and after.operator == "==" and sides == results
    return None if is_equality else after


def _collect_equal_names(judgement: Judgement) -> frozenset[str]:
    """Return the parameters that the precondition makes equal: x<1> = x<2>."""
    found = set[str]()
    for one in split_conjuncts(judgement.precondition):
        match one:
            case Apply("==", (Name(name=left), Name(name=right))) if left[:-3] == right[:-3] and {
                left[-3:],
                right[-3:],
            } == {"<1>", "<2>"}:
                found.add(left[:-3])
    return frozenset(found)


def _collect_constants(judgement: Judgement) -> Mapping[str, Fraction]:
    """Return the tagged names that the precondition sets to a number."""
    found: dict[str, Fraction] = {}
    for one in split_conjuncts(judgement.precondition):
        if isinstance(one, Apply) and one.operator == "==":
            for here, there in (one.arguments, one.arguments[::-1]):
                number = _evaluate_constant(there)
                if isinstance(here, Name) and number is not None:
                    found[here.name] = number
    for name in _collect_equal_names(judgement):  # x<1> = x<2> carries a number over
        pair = tag_name(name, 1), tag_name(name, 2)
        for known, same in (pair, pair[::-1]):
            if known in found:
                found.setdefault(same, found[known])
    return found


def _evaluate_constant(expression: Expression) -> Fraction | None:
    value = None if collect_names(expression) else evaluate(expression, {})
    return value if isinstance(value, Fraction) else None
