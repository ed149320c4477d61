"""Judgements about programs that are not finite, where they say that a program is private.

``judge c ~ c : P ==> res<1> = res<2> [epsilon, delta]`` is a claim of privacy if P says of every parameter that it is a given number, or
equal in both runs, or at most 1 apart, or nothing (then it may be anything). What else P says is dropped for the proof, which then shows
more than was asked; a refutation counts only if its two inputs are as P says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from hedgerow.errors import HedgerowError
from hedgerow.verify.judgement.deciding import Invalid, Valid, decide_finite
from hedgerow.verify.judgement.states import conjuncts, evaluated
from hedgerow.verify.judgement.undecided import Undecided
from hedgerow.verify.language.judgements import RESULT, Judgement, tagged
from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
    Claim,
    Expression,
    If,
    Kind,
    Name,
    Neighbours,
    Number,
    Output,
    Parameter,
    Program,
    Relation,
    Sample,
    Statement,
    While,
    assigned,
    names,
    replaced,
)
from hedgerow.verify.refuter.refuter import refute
from hedgerow.verify.refuter.values import Value
from hedgerow.verify.refuter.witness import Witness

__all__ = ["Broken", "Shown", "as_program", "decide"]


@dataclass(frozen=True)
class Shown:
    """Holds, by a certificate of the prover for the program that the judgement comes down to."""

    judgement: Judgement
    program: Program
    certificate: Any
    verdict: ClassVar[str] = "PROVED"

    def __str__(self) -> str:
        return "holds: proved for all inputs that the precondition allows, where every scale is positive"


@dataclass(frozen=True)
class Broken:
    """Fails, by a witness of the refuter."""

    judgement: Judgement
    witness: Witness
    verdict: ClassVar[str] = "REFUTED"

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"fails: {self.witness}"


def decide(judgement: Judgement, *, seconds: float = 120) -> Valid | Invalid | Shown | Broken | Undecided:
    """Exactly for finite programs, by proof or refutation for others where that can be, or ``Undecided`` with the reason."""
    found = decide_finite(judgement, seconds=seconds)
    if not isinstance(found, Undecided):
        return found
    try:
        program = as_program(judgement)
    except Undecided:
        return found
    try:
        from hedgerow.verify.proof.certificate import Certificate
        from hedgerow.verify.proof.prover import prove

        certificate = prove(program, seconds=seconds)
    except HedgerowError as error:
        return Undecided(str(error), judgement.place)
    witness = refute(program, seconds=seconds)
    if witness is not None and _before(judgement, witness):
        return Broken(judgement, witness)
    if isinstance(certificate, Certificate) and witness is None:
        return Shown(judgement, program, certificate)
    return Undecided("no proof and no counterexample was found", judgement.place)


def _before(judgement: Judgement, witness: Witness) -> bool:
    """Whether the two inputs of a witness are as the precondition says; parameters that it gives a number have that."""
    state: dict[str, Value] = {**_constants(judgement)}
    for run, side in ((1, witness.one), (2, witness.other)):
        state |= {tagged(name, run): value for name, value in side.items() if not isinstance(value, tuple)}
    try:
        return evaluated(judgement.before, state) is True
    except Undecided:
        return False


def as_program(judgement: Judgement) -> Program:
    """The program whose privacy the judgement states, or ``Undecided``."""
    left, right = judgement.left, judgement.right
    results = {(tagged(RESULT, 1), tagged(RESULT, 2)), (tagged(RESULT, 2), tagged(RESULT, 1))}
    after = judgement.after
    told = tuple(one.name for one in after.arguments if isinstance(one, Name)) if isinstance(after, Apply) else ()
    if left != right or not isinstance(after, Apply) or after.operator != "==" or told not in results or RESULT in assigned(left.body):
        raise Undecided("only equal results of one program can be proved in general", judgement.place)
    constants = _constants(judgement)
    said = [_said(one) for one in conjuncts(judgement.before)]
    kept, fixed, moved, free = list[Parameter](), dict[str, Expression](), 0, 0
    for one in left.parameters:
        first, second = constants.get(tagged(one.name, 1)), constants.get(tagged(one.name, 2))
        equal = ("equal", one.name) in said
        number = first if first is not None else second
        if number is not None and (first == second or equal):
            fixed[one.name] = Number(number, one.place)
        elif equal:
            kept.append(replace(one, private=False))
        elif ("near", one.name) in said and one.kind in (Kind.INT, Kind.REAL) and not one.list:
            kept.append(replace(one, private=True))
            moved += 1
        elif one.list:
            raise Undecided(f"{one.name} is a list that may differ in any way, in its length too", judgement.place)
        else:
            kept.append(replace(one, private=True))
            free += 1
    if fixed.keys() & assigned(left.body):
        raise Undecided("a parameter with a given value is changed by the program", judgement.place)
    relation = Relation.SECRET if free or not moved else Relation.ONE if moved == 1 else Relation.ALL
    claim = Claim(judgement.epsilon or Number(Fraction(0)), Neighbours(relation), judgement.delta)
    called = _plain_names(kept, claim)
    fixed |= {old: Name(new) for old, new in called.items()}
    parameters = tuple(
        replace(one, name=called.get(one.name, one.name), width=None if one.width is None else replaced(one.width, fixed)) for one in kept
    )
    return replace(left, parameters=parameters, body=_substituted(left.body, fixed), claim=claim)


def _plain_names(parameters: list[Parameter], claim: Claim) -> dict[str, str]:
    """A proof takes for granted that eps is positive, and delta below 1. A judgement does not, of what is only called so."""
    spoken_of = names(claim.epsilon) | (names(claim.delta) if claim.delta is not None else frozenset())
    return {one.name: f"{one.name}_" for one in parameters if one.name in ("eps", "epsilon", "delta") and one.name not in spoken_of}


def _constants(judgement: Judgement) -> Mapping[str, Fraction]:
    """Tagged names that the precondition gives a number."""
    found: dict[str, Fraction] = {}
    for one in conjuncts(judgement.before):
        if isinstance(one, Apply) and one.operator == "==":
            for here, there in (one.arguments, one.arguments[::-1]):
                number = _number(there)
                if isinstance(here, Name) and number is not None:
                    found[here.name] = number
    for one in conjuncts(judgement.before):  # x<1> = x<2> carries a number over
        match _said(one):
            case ("equal", name):
                pair = tagged(name, 1), tagged(name, 2)
                for known, same in (pair, pair[::-1]):
                    if known in found:
                        found.setdefault(same, found[known])
    return found


def _said(conjunct: Expression) -> tuple[str, str] | None:
    """("equal", x) for x<1> = x<2>; ("near", x) for abs(x<1> - x<2>) <= 1."""
    match conjunct:
        case Apply(operator="==", arguments=(Name(name=one), Name(name=other))) if _one_name(one, other):
            return "equal", one[:-3]
        case Apply(
            operator="<=",
            arguments=(
                Apply(operator="abs", arguments=(Apply(operator="-", arguments=(Name(name=one), Name(name=other))),)),
                reach,
            ),
        ) if _one_name(one, other):
            number = _number(reach)
            return ("near", one[:-3]) if number is not None and 0 <= number <= 1 else None
    return None


def _number(expression: Expression) -> Fraction | None:
    """The value of an expression without names."""
    value = None if names(expression) else evaluated(expression, {})
    return value if isinstance(value, Fraction) else None


def _one_name(one: str, other: str) -> bool:
    return one[:-3] == other[:-3] and {one[-3:], other[-3:]} == {"<1>", "<2>"}


def _substituted(block: Block, fixed: Mapping[str, Expression]) -> Block:
    def one(statement: Statement) -> Statement:
        match statement:
            case Assign() | Output():
                return replace(statement, value=replaced(statement.value, fixed))
            case Sample():
                return replace(statement, parameters=tuple(replaced(part, fixed) for part in statement.parameters))
            case If():
                then, otherwise = _substituted(statement.then, fixed), _substituted(statement.otherwise, fixed)
                return If(replaced(statement.condition, fixed), then, otherwise, statement.place)
            case While():
                return While(replaced(statement.condition, fixed), _substituted(statement.body, fixed), statement.place)

    return tuple(map(one, block))
