"""Private values of neighbouring inputs: patterns of numbers, and flipped words and booleans.

One entry above or below, one above and the rest below, half and half, all above, all below,
crossing over (the patterns of Ding, Wang, Wang, Zhang and Kifer, 2018): each is a base and a move,
and the two inputs are base and base + move. Further bases are those on which particular constructs
leak: private indices, private divisors, and comparisons with constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from hedgerow.verify.language.private_booleans import list_measured_booleans
from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Kind,
    Noise,
    Number,
    Parameter,
    Program,
    Read,
    Relation,
    Sample,
    collect_names,
    list_expressions,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.taint import compute_dependences
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import BitWord, PathValue, evaluate_public
from hedgerow.verify.refute.paths import Arguments

__all__ = [
    "build_public_list",
    "build_shared_bits",
    "evaluate_width",
    "has_composite_indices",
    "iterate_moves",
    "iterate_secrets",
    "list_special_bases",
]

_MAX_WORD_BITS = 1 << 16
_MAX_CONSTANTS = 2

Vector: TypeAlias = tuple[Fraction, ...]
InputValues: TypeAlias = dict[str, PathValue | tuple[PathValue, ...]]
PrivateInputs: TypeAlias = tuple[InputValues, InputValues]


def iterate_moves(program: Program, length: int) -> Iterator[PrivateInputs]:
    """Iterate over the private numbers and measured booleans of both neighbouring inputs."""
    booleans = list_measured_booleans(program)
    numbers = [
        one
        for one in program.parameters
        if one.private and (one.kind in (Kind.INT, Kind.REAL) or one in booleans)
    ]
    relation, k = program.claim.neighbours.relation, program.claim.neighbours.k
    if relation is Relation.ROW:
        yield from _iterate_row_moves(
            [
                *numbers,
                *(
                    one
                    for one in program.parameters
                    if one.private and one.list and one.kind is Kind.BOOL
                ),
            ],
            length,
        )
        return
    count = sum(length if one.list else 1 for one in numbers)
    if not count:
        return
    if any(one.noise is Noise.GEOMETRIC for one in program.samples):
        for move in _iterate_fractional_moves(
            numbers, length, _list_corner_moves(count, relation, k)[0]
        ):
            yield (
                _assign_names(numbers, (Fraction(0),) * count, length),
                _assign_names(numbers, move, length),
            )
    special = list_special_bases(program, numbers, length)
    weight = 4 if len(numbers) > 1 else 1
    for base, move in _iterate_patterns(count, relation, k, weight, special):
        moved = tuple(a + b for a, b in zip(base, move, strict=True))
        # A boolean that moves ends up on the side of its move; one that rests keeps its base.
        first = tuple(Fraction(b < 0) if b else a for a, b in zip(base, move, strict=True))
        second = tuple(Fraction(b > 0) if b else a for a, b in zip(base, move, strict=True))
        yield (
            _assign_names(numbers, base, length, first),
            _assign_names(numbers, moved, length, second),
        )


def _iterate_fractional_moves(
    numbers: list[Parameter], length: int, move: Vector
) -> Iterator[Vector]:
    """Shorten the move of real numbers to a half and a third, which integer noise cannot hide."""
    real = [one.kind is Kind.REAL for one in numbers for _ in range(length if one.list else 1)]
    for part in (2, 3):
        moved = tuple(
            entry / part if free else Fraction(0) for entry, free in zip(move, real, strict=True)
        )
        if any(moved):
            yield moved


def _assign_names(
    numbers: list[Parameter], vector: Vector, length: int, booleans: Vector | None = None
) -> InputValues:
    """Map each parameter to its entries of ``vector``; booleans are the entries of ``booleans``
    (or of ``vector``) that are above 0.
    """
    found: InputValues = {}
    place = 0
    for one in numbers:
        size = length if one.list else 1
        entries: tuple[PathValue, ...] = vector[place : place + size]
        if one.kind is Kind.BOOL:
            entries = tuple(entry > 0 for entry in (booleans or vector)[place : place + size])
        found[one.name] = entries if one.list else entries[0]
        place += size
    return found


def _iterate_row_moves(numbers: list[Parameter], length: int) -> Iterator[PrivateInputs]:
    lists = [one for one in numbers if one.list]
    others: InputValues = {one.name: Fraction(0) for one in numbers if not one.list}
    for entry, value, place, one in product((0, 1, -1), (1, 0, -1, 5), (0, length), lists):
        short = {other.name: (_build_entry(other, entry),) * length for other in lists}
        longer = (*short[one.name][:place], _build_entry(one, value), *short[one.name][place:])
        yield {**others, **short}, {**others, **short, one.name: longer}


def _build_entry(one: Parameter, value: int) -> PathValue:
    return value > 0 if one.kind is Kind.BOOL else Fraction(value)


def _iterate_patterns(
    count: int, relation: Relation, k: int, weight: int, special: Sequence[Vector]
) -> Iterator[tuple[Vector, Vector]]:
    """Iterate over pairs (base, move), the simplest first; a larger ``weight`` tries more moves
    before the next base.
    """
    moves = _list_corner_moves(count, relation, k)
    bases = list(dict.fromkeys([*special, *_list_bases(count)]))
    order = sorted(
        product(range(len(bases)), range(len(moves))),
        key=lambda places: (weight * places[0] + places[1], places),
    )
    for base, move in order:
        yield bases[base], moves[move]


def _list_bases(count: int) -> list[Vector]:
    zero, half = (Fraction(0),) * count, (count + 1) // 2
    crossing = tuple(Fraction(place < half) for place in range(count))
    levels = ((Fraction(level),) * count for level in (1, -1, 2, -2, 4))
    return list(dict.fromkeys([zero, crossing, *levels, (*zero[1:], Fraction(3))]))


def _list_corner_moves(count: int, relation: Relation, k: int) -> list[Vector]:
    up, half = (Fraction(1),) * count, (count + 1) // 2
    singles = [
        tuple(Fraction(place == one) for place in range(count))
        for one in dict.fromkeys((0, half - 1, count - 1))
    ]
    last, first = (
        tuple(Fraction(1 if place == one else -1) for place in range(count))
        for one in (count - 1, 0)
    )
    halves = tuple(Fraction(1 if place < half else -1) for place in range(count))
    if relation is Relation.ONE:
        found = singles
    elif relation is Relation.L1:
        found = [tuple(k * entry for entry in one) for one in singles] + [
            tuple(Fraction(place < k) for place in range(count))
        ]
    elif relation is Relation.GROUP:
        found = [
            tuple(entry if place < k else Fraction(0) for place, entry in enumerate(one))
            for one in (up, last, first, halves)
        ]
        found += singles
    elif relation is Relation.INCREASING:
        return list(dict.fromkeys([up, *singles]))
    elif relation is Relation.DECREASING:
        return list(dict.fromkeys(tuple(-entry for entry in one) for one in (up, *singles)))
    elif relation is Relation.SECRET:
        found = [up, *singles, tuple(10 * entry for entry in up)]
    else:
        found = [last, up, first, halves, *singles]
    return list(
        dict.fromkeys(vector for one in found for vector in (one, tuple(-entry for entry in one)))
    )


def build_shared_bits(program: Program, shared: Arguments, length: int) -> InputValues:
    """Return all-zero words and false booleans, which both inputs share."""
    found: InputValues = {}
    for one in program.parameters:
        if one.kind in (Kind.BITS, Kind.BOOL):
            value: PathValue = (
                BitWord(evaluate_width(one, shared), 0) if one.kind is Kind.BITS else False
            )
            found[one.name] = (value,) * length if one.list else value
    return found


def iterate_secrets(program: Program, same: Arguments) -> Iterator[InputValues]:
    """Flip the private booleans and words, each alone and all at once: first all of their bits,
    then the lowest bit, then the highest.
    """
    private = [
        one.name for one in program.parameters if one.private and one.kind in (Kind.BITS, Kind.BOOL)
    ]
    for choice in range(3):
        flipped = {name: _flip_bits(same[name], choice) for name in private}
        for name in private:
            yield {name: flipped[name]}
        if len(private) > 1:
            yield flipped


def _flip_bits(
    value: PathValue | tuple[PathValue, ...], choice: int
) -> PathValue | tuple[PathValue, ...]:
    if isinstance(value, tuple):
        first = _flip_bits(value[0], choice)
        assert not isinstance(first, tuple)
        return (first,) * len(value) if choice == 0 else (first, *value[1:])
    if isinstance(value, BitWord):
        return BitWord(
            value.width, value.value ^ (2**value.width - 1, 1, 2 ** (value.width - 1))[choice]
        )
    return not value


def evaluate_width(parameter: Parameter, shared: Arguments) -> int:
    """Return the width in bits of a word parameter, given the public parameters."""
    if parameter.width is None:
        return 1
    number = evaluate_public(parameter.width, shared)
    if (
        not isinstance(number, Fraction)
        or number.denominator != 1
        or not 1 <= number <= _MAX_WORD_BITS
    ):
        raise OutOfScope("a word without bits or with too many")
    return int(number)


def list_special_bases(
    program: Program, numbers: Sequence[Parameter], length: int
) -> list[tuple[Fraction, ...]]:
    """List levels for the private numbers of the program, all entries of lists in order."""
    count = sum(length if one.list else 1 for one in numbers)
    parts, private = list(_walk_parts(program)), _find_private_names(program)
    found: list[tuple[Fraction, ...]] = []
    if any(isinstance(one, Read) and collect_names(one.index) & private for one in parts):
        entries = (
            [Fraction(10 * place) for place in range(length)] if one.list else [Fraction(0)]
            for one in numbers
        )
        found.append(tuple(value for several in entries for value in several))
    if any(
        isinstance(one, Apply) and one.operator == "/" and collect_names(one.arguments[1]) & private
        for one in parts
    ):
        found.append(tuple(Fraction(10 if 2 * place < count else 2) for place in range(count)))
    for constant in _list_constants(parts, private, program)[:_MAX_CONSTANTS]:
        found += [(constant,) * count, (constant + 1,) * count]
    return found


def build_public_list(program: Program, name: str, length: int) -> tuple[Fraction, ...]:
    """Return entries of a public list: small scales, different entries for a private index, and
    zeros otherwise.
    """
    private = _find_private_names(program)
    for one in walk_statements(program.body):
        if isinstance(one, Sample) and any(name in collect_names(p) for p in one.parameters):
            return (Fraction(1, 4),) * length
    for part in _walk_parts(program):
        if isinstance(part, Read) and part.list == name and collect_names(part.index) & private:
            return tuple(Fraction(10 * place) for place in range(length))
    return (Fraction(0),) * length


def has_composite_indices(program: Program) -> bool:
    """Return True if the program reads lists at multiples of a counter, such as q[2 * i]."""
    return any(
        isinstance(part, Apply) and part.operator == "*"
        for one in _walk_parts(program)
        if isinstance(one, Read)
        for part in walk_expression(one.index)
    )


def _walk_parts(program: Program) -> Iterator[Expression]:
    for one in walk_statements(program.body):
        for expression in list_expressions(one):
            yield from walk_expression(expression)


def _find_private_names(program: Program) -> frozenset[str]:
    return frozenset(
        name for name, found in compute_dependences(program).items() if found.is_unprotected
    )


def _list_constants(
    parts: Sequence[Expression], private: frozenset[str], program: Program
) -> list[Fraction]:
    """List the constants of at least 2 that private numbers are compared with."""
    noisy = {name for name, found in compute_dependences(program).items() if found.noisy}
    found = [
        side.value
        for one in parts
        if isinstance(one, Apply)
        and one.operator in ("<", "<=", "==", "!=")
        and collect_names(one) & private
        and not collect_names(one) & noisy
        for side in one.arguments
        if isinstance(side, Number) and abs(side.value) >= 2
    ]
    return list(dict.fromkeys(found))
