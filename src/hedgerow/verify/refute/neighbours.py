"""The neighbour relation of a claim, decided on concrete inputs.

A counterexample whose inputs are not neighbours is refused, whatever search or model found it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hedgerow.verify.language.judgement import tag_name
from hedgerow.verify.language.private_booleans import list_measured_booleans
from hedgerow.verify.language.program import Expression, Kind, Program, Relation
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import PathValue, evaluate_alone
from hedgerow.verify.refute.paths import Arguments

__all__ = ["are_neighbours"]


def are_neighbours(program: Program, one: Arguments, other: Arguments) -> bool:
    """Return True if the two inputs are neighbours; both must give every parameter a value."""
    relation, k = program.claim.neighbours.relation, program.claim.neighbours.k
    if program.claim.neighbours.before is not None:
        return _are_related(program, program.claim.neighbours.before, one, other)
    private = {parameter.name for parameter in program.parameters if parameter.private}
    numbers = {
        parameter.name
        for parameter in program.parameters
        if parameter.private and parameter.kind in (Kind.INT, Kind.REAL)
    }
    booleans = {parameter.name for parameter in list_measured_booleans(program)}
    if relation is Relation.ROW:
        numbers |= {
            parameter.name
            for parameter in program.parameters
            if parameter.private and parameter.list and parameter.kind is Kind.BOOL
        }
    known = {parameter.name for parameter in program.parameters}
    if set(one) != known or set(other) != known:
        return False
    if any(isinstance(one[name], tuple) is not isinstance(other[name], tuple) for name in known):
        return False
    may_differ = private if relation is Relation.SECRET else numbers | booleans
    if any(one[name] != other[name] for name in known - may_differ):
        return False
    if relation is Relation.SECRET:
        return all(_measure_length(one[name]) == _measure_length(other[name]) for name in known)
    if relation is Relation.ROW:
        return _has_one_extra_row(one, other, numbers) or _has_one_extra_row(other, one, numbers)
    moves = list[Fraction]()
    for name in sorted(numbers | booleans):
        first, second = _list_entries(one[name]), _list_entries(other[name])
        if len(first) != len(second):
            return False
        for a, b in zip(first, second, strict=True):
            if name in booleans and isinstance(a, bool) and isinstance(b, bool):
                moves.append(Fraction(b - a))
                continue
            if not isinstance(a, Fraction) or not isinstance(b, Fraction):
                return False
            moves.append(b - a)
    return _satisfies_relation(moves, relation, k)


def _are_related(program: Program, before: Expression, one: Arguments, other: Arguments) -> bool:
    """Return True if the precondition of a judgement holds, and public parameters are equal."""
    public = {parameter.name for parameter in program.parameters if not parameter.private}
    if one.keys() != other.keys() or any(one[name] != other[name] for name in public):
        return False
    state = {name: one[name] for name in public}
    for run, side in ((1, one), (2, other)):
        state |= {tag_name(name, run): value for name, value in side.items()}
    try:
        return evaluate_alone(before, state) is True
    except OutOfScope:
        return False


def _satisfies_relation(moves: Sequence[Fraction], relation: Relation, k: int) -> bool:
    moved = [move for move in moves if move]
    within = all(abs(move) <= 1 for move in moves)
    match relation:
        case Relation.ONE:
            return within and len(moved) <= 1
        case Relation.GROUP:
            return within and len(moved) <= k
        case Relation.L1:
            return sum(map(abs, moves)) <= k
        case Relation.INCREASING:
            return within and all(move >= 0 for move in moves)
        case Relation.DECREASING:
            return within and all(move <= 0 for move in moves)
        case _:
            return within


def _has_one_extra_row(short: Arguments, long: Arguments, numbers: set[str]) -> bool:
    """Return True if ``long`` is ``short`` with at most one entry inserted into one list."""
    different = [name for name in numbers if short[name] != long[name]]
    if len(different) != 1:
        return not different
    a, b = short[different[0]], long[different[0]]
    if not isinstance(a, tuple) or not isinstance(b, tuple) or len(b) != len(a) + 1:
        return False
    return any((*b[:place], *b[place + 1 :]) == a for place in range(len(b)))


def _list_entries(value: PathValue | tuple[PathValue, ...]) -> tuple[PathValue, ...]:
    return value if isinstance(value, tuple) else (value,)


def _measure_length(value: PathValue | tuple[PathValue, ...]) -> int:
    """Return the public length of a list, or the public width of a word."""
    return len(value) if isinstance(value, tuple) else getattr(value, "width", 1)
