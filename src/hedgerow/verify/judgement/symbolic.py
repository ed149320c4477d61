"""The decision procedure of judgements about infinite programs, by the prover and the refuter.

``judge c ~ c : P ==> res<1> = res<2> [epsilon, delta]`` is a privacy claim if P says of each
parameter that it is a given number, equal in both runs, at most 1 apart, or nothing (then it may be
anything). The proof ignores all other parts of P, and so shows more than was asked; a refutation
counts only if its two inputs satisfy P.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    Name,
    Neighbours,
    Number,
    Parameter,
    Program,
    Relation,
    collect_names,
    find_assigned_names,
    substitute,
)
from hedgerow.verify.language.rewriting import map_expressions, split_conjuncts
from hedgerow.verify.refute.counterexample import Counterexample
from hedgerow.verify.refute.path_values import PathValue
from hedgerow.verify.refute.refute import refute

__all__ = ["SymbolicCounterexample", "SymbolicProof", "decide_judgement", "reduce_to_program"]


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
        program = reduce_to_program(judgement)
    except Undecided:
        return found
    try:
        from hedgerow.verify.prove.certificate import Certificate
        from hedgerow.verify.prove.prover import prove

        certificate = prove(program, seconds=seconds)
    except HedgerowError as error:
        return Undecided(str(error), judgement.place)
    witness = refute(program, seconds=seconds)
    if witness is not None and _satisfies_precondition(judgement, witness):
        return SymbolicCounterexample(judgement, witness)
    if isinstance(certificate, Certificate) and witness is None:
        return SymbolicProof(judgement, program, certificate)
    return Undecided("found neither a proof nor a counterexample", judgement.place)


def _satisfies_precondition(judgement: Judgement, witness: Counterexample) -> bool:
    """Return whether the inputs of a counterexample satisfy the precondition; parameters that it
    sets to a number have that value.
    """
    state: dict[str, PathValue] = {**_collect_constants(judgement)}
    for run, side in ((1, witness.first), (2, witness.second)):
        state |= {
            tag_name(name, run): value
            for name, value in side.items()
            if not isinstance(value, tuple)
        }
    try:
        return evaluate(judgement.precondition, state) is True
    except Undecided:
        return False


def reduce_to_program(judgement: Judgement) -> Program:
    """Return the program whose privacy the judgement states, or raise ``Undecided``."""
    left = judgement.left
    _require_equal_results(judgement)
    constants = _collect_constants(judgement)
    facts = [_classify_conjunct(one) for one in split_conjuncts(judgement.precondition)]
    kept, fixed, moved, free = list[Parameter](), dict[str, Expression](), 0, 0
    for one in left.parameters:
        first, second = constants.get(tag_name(one.name, 1)), constants.get(tag_name(one.name, 2))
        equal = ("equal", one.name) in facts
        number = first if first is not None else second
        if number is not None and (first == second or equal):
            fixed[one.name] = Number(number, one.place)
        elif equal:
            kept.append(replace(one, private=False))
        elif ("near", one.name) in facts and one.kind in (Kind.INT, Kind.REAL) and not one.list:
            kept.append(replace(one, private=True))
            moved += 1
        elif one.list:
            raise Undecided(
                f"{one.name} is a list that may differ in any way, including its length; make it"
                " equal in both runs",
                judgement.place,
            )
        else:
            kept.append(replace(one, private=True))
            free += 1
    if fixed.keys() & find_assigned_names(left.body):
        raise Undecided(
            "the program assigns a parameter that the precondition sets to a number; use another"
            " variable",
            judgement.place,
        )
    relation = (
        Relation.SECRET if free or not moved else Relation.ONE if moved == 1 else Relation.ALL
    )
    claim = Claim(judgement.epsilon or Number(Fraction(0)), Neighbours(relation), judgement.delta)
    renamed = _rename_budget_parameters(kept, claim)
    fixed |= {old: Name(new) for old, new in renamed.items()}
    parameters = tuple(
        replace(
            one,
            name=renamed.get(one.name, one.name),
            width=None if one.width is None else substitute(one.width, fixed),
        )
        for one in kept
    )
    return replace(
        left,
        parameters=parameters,
        body=map_expressions(left.body, lambda one: substitute(one, fixed)),
        claim=claim,
    )


def _require_equal_results(judgement: Judgement) -> None:
    left, right = judgement.left, judgement.right
    results = {
        (tag_name(RESULT, 1), tag_name(RESULT, 2)),
        (tag_name(RESULT, 2), tag_name(RESULT, 1)),
    }
    after = judgement.postcondition
    if (
        left != right
        or not isinstance(after, Apply)
        or after.operator != "=="
        or tuple(one.name for one in after.arguments if isinstance(one, Name)) not in results
        or RESULT in find_assigned_names(left.body)
    ):
        raise Undecided(
            "only res<1> = res<2> for one program can be proved if it is not finite; write judge"
            " A ~ A : … ==> res<1> = res<2>",
            judgement.place,
        )


def _rename_budget_parameters(parameters: list[Parameter], claim: Claim) -> dict[str, str]:
    """Rename parameters that are only called eps or delta: a proof would assume that they are
    positive, and delta below 1.
    """
    mentioned = collect_names(claim.epsilon) | (
        collect_names(claim.delta) if claim.delta is not None else frozenset()
    )
    return {
        one.name: f"{one.name}_"
        for one in parameters
        if one.name in ("eps", "epsilon", "delta") and one.name not in mentioned
    }


def _collect_constants(judgement: Judgement) -> Mapping[str, Fraction]:
    """Return the tagged names that the precondition sets to a number."""
    found: dict[str, Fraction] = {}
    for one in split_conjuncts(judgement.precondition):
        if isinstance(one, Apply) and one.operator == "==":
            for here, there in (one.arguments, one.arguments[::-1]):
                number = _evaluate_constant(there)
                if isinstance(here, Name) and number is not None:
                    found[here.name] = number
    for one in split_conjuncts(judgement.precondition):  # x<1> = x<2> carries a number over
        match _classify_conjunct(one):
            case ("equal", name):
                pair = tag_name(name, 1), tag_name(name, 2)
                for known, same in (pair, pair[::-1]):
                    if known in found:
                        found.setdefault(same, found[known])
    return found


def _classify_conjunct(conjunct: Expression) -> tuple[str, str] | None:
    """Return ("equal", x) for x<1> = x<2>, ("near", x) for abs(x<1> - x<2>) <= 1, and None for
    others.
    """
    match conjunct:
        case Apply(operator="==", arguments=(Name(name=one), Name(name=other))) if (
            _are_same_variable(one, other)
        ):
            return "equal", one[:-3]
        case Apply(
            operator="<=",
            arguments=(
                Apply(
                    operator="abs",
                    arguments=(Apply(operator="-", arguments=(Name(name=one), Name(name=other))),),
                ),
                reach,
            ),
        ) if _are_same_variable(one, other):
            number = _evaluate_constant(reach)
            return ("near", one[:-3]) if number is not None and 0 <= number <= 1 else None
    return None


def _evaluate_constant(expression: Expression) -> Fraction | None:
    value = None if collect_names(expression) else evaluate(expression, {})
    return value if isinstance(value, Fraction) else None


def _are_same_variable(left: str, right: str) -> bool:
    return left[:-3] == right[:-3] and {left[-3:], right[-3:]} == {"<1>", "<2>"}
