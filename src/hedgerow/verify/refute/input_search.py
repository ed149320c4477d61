"""Neighbouring inputs to try: the corner patterns on which wrong mechanisms usually fail, at
several lengths and public parameters.

One entry above or below, one above and the rest below, half and half, all above, all below,
crossing over (the patterns of Ding, Wang, Wang, Zhang and Kifer, 2018): each is a base and a move,
and the two inputs are base and base + move. Short lists come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from hedgerow.errors import Refused
from hedgerow.verify.language.assumptions import check_claim, find_constants
from hedgerow.verify.language.claim_bounds import bound_expression
from hedgerow.verify.language.claim_units import THE_CLAIM, find_claim_unit, find_unit_parameter
from hedgerow.verify.language.private_booleans import list_measured_booleans
from hedgerow.verify.language.program import (
    Apply,
    Kind,
    Name,
    Noise,
    Parameter,
    Program,
    Read,
    Relation,
    While,
    collect_names,
    list_expressions,
    substitute,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.refute.interval_arithmetic import RealNumber
from hedgerow.verify.refute.linear_noise import PathCondition
from hedgerow.verify.refute.neighbours import are_neighbours
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import (
    BitWord,
    Environment,
    PathValue,
    evaluate_alternatives,
    require_number,
)
from hedgerow.verify.refute.paths import Arguments

__all__ = [
    "EPSILONS",
    "InputPair",
    "evaluate_claim",
    "evaluate_unit",
    "evaluate_width",
    "has_epsilon_parameter",
    "iterate_input_pairs",
    "lengthen_lists",
    "shift_levels",
]

LENGTHS = (1, 2, 3)
EPSILONS = tuple(map(Fraction, ("1", "4", "1/4", "10")))
DELTAS = (Fraction(1, 100_000), Fraction(1, 10))
_MAX_LIST_LENGTH = 8
_MAX_WORD_BITS = 1 << 16
_REALS = tuple(map(Fraction, ("0", "2", "1/2", "10")))
# Scales: of the first noise, and of all others.
_SCALES = tuple(
    (Fraction(first), Fraction(rest))
    for first, rest in (("1", "1"), ("1", "4"), ("1/4", "1/4"), ("4", "1"))
)
_PROBABILITIES = tuple(map(Fraction, ("1/2", "1/4", "9/10")))
_LARGE_INTEGER = 5
_SIZE_NAMES = frozenset({"size", "n", "length", "len", "count", "rows"})

Vector: TypeAlias = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class InputPair:
    """Two neighbouring inputs. ``ordered``: only the first against the second may be compared."""

    first: Arguments
    second: Arguments
    is_ordered: bool = False

    @property
    def flipped(self) -> InputPair | None:
        """The other way round, where that is a pair of neighbours too."""
        return None if self.is_ordered else InputPair(self.second, self.first)


def evaluate_claim(program: Program, arguments: Arguments) -> tuple[RealNumber, RealNumber]:
    """The epsilon and the delta that the program claims for these public parameters;
    ``OutOfScope`` where it claims nothing, and never runs.
    """
    claim = program.claim
    plain = {name: value for name, value in arguments.items() if not isinstance(value, tuple)}
    try:
        check_claim(
            program, {name: value for name, value in plain.items() if isinstance(value, Fraction)}
        )
    except Refused as refused:
        raise OutOfScope(str(refused)) from refused
    found: list[RealNumber] = []
    for expression in (claim.epsilon, claim.delta):
        if expression is None:
            found.append(Fraction(0))
        else:
            ((_, value),) = evaluate_alternatives(
                expression, Environment(plain, {}), PathCondition()
            )
            found.append(require_number(value))
    return found[0], found[1]


def _find_epsilon_name(program: Program) -> str | None:
    """The parameter that the claim is told in; or one that is called eps, of which it does not
    speak.
    """
    real = [
        one.name
        for one in program.parameters
        if not one.private and one.kind is Kind.REAL and not one.list
    ]
    return find_unit_parameter(program) or next(
        (name for name in real if name in ("eps", "epsilon")), None
    )


def has_epsilon_parameter(program: Program) -> bool:
    """Whether the claim is told in multiples of a parameter."""
    return _find_epsilon_name(program) is not None


def evaluate_unit(program: Program, arguments: Arguments) -> Fraction:
    """What the claim is told in: the value of a parameter, or of the claim itself (rounded up);
    1 where it is a number.
    """
    name = _find_epsilon_name(program)
    if name is None and find_claim_unit(program) == THE_CLAIM:
        numbers = {one: value for one, value in arguments.items() if isinstance(value, Fraction)}
        return bound_expression(program.claim.epsilon, numbers)[1] or Fraction(1)
    value = arguments[name] if name else Fraction(1)
    return value if isinstance(value, Fraction) else Fraction(1)


def iterate_input_pairs(
    program: Program, lengths: Sequence[int] = LENGTHS, epsilon: Fraction = EPSILONS[0]
) -> Iterator[InputPair]:
    """Candidates in the order in which they are worth trying; a list has every length before any
    length has everything.
    """
    if program.claim.neighbours.relation is Relation.ROW and _has_public_loop_bound(program):
        return
    if not any(one.list for one in program.parameters):
        lengths = lengths[:1]
    yield from _interleave(
        [_iterate_pairs_of_length(program, length, epsilon) for length in lengths]
    )


def _interleave(streams: list[Iterator[InputPair]]) -> Iterator[InputPair]:
    while streams:
        alive = []
        for stream in streams:
            try:
                pair = next(stream, None)
            except OutOfScope:
                pair = None  # public parameters for which the program has no inputs
            if pair is not None:
                alive.append(stream)
                yield pair
        streams = alive


def _iterate_pairs_of_length(
    program: Program, length: int, epsilon: Fraction
) -> Iterator[InputPair]:
    publics = list(_iterate_public_arguments(program, length, epsilon))
    moves = list(_iterate_moves(program, length))
    ordered = program.claim.neighbours.relation in (Relation.INCREASING, Relation.DECREASING)
    order = sorted(
        product(range(len(moves)), range(len(publics))),
        key=lambda places: (places[0] + 3 * places[1], places),
    )
    for move, public in order:
        one, other = moves[move]
        same = {**_build_shared_bits(program, publics[public], length), **publics[public]}
        yield InputPair({**same, **one}, {**same, **other}, ordered)
    if program.claim.neighbours.relation is Relation.SECRET:
        for shared in publics:
            same = {
                **(moves[0][0] if moves else {}),
                **_build_shared_bits(program, shared, length),
                **shared,
            }
            for secret in _iterate_secrets(program, same):
                yield InputPair(same, {**same, **secret})


def shift_levels(program: Program, pair: InputPair) -> Iterator[InputPair]:
    """The pair with some private numbers, or public ones that are compared with them, at another
    level: the same in both runs.
    """
    if program.claim.neighbours.relation is Relation.ROW:
        return
    numeric = [
        one
        for one in program.parameters
        if one.kind in (Kind.INT, Kind.REAL) and one.name in pair.first
    ]
    private = [
        (one.name, place)
        for one in numeric
        if one.private
        for place in _list_indices(pair.first[one.name])
    ]
    claim = collect_names(program.claim.epsilon) | (
        collect_names(program.claim.delta) if program.claim.delta is not None else frozenset()
    )
    levels = [
        (one.name, 0)
        for one in numeric
        if not one.private and not one.list and one.kind is Kind.REAL and one.name not in claim
    ]
    groups = [
        private[:-1],
        private[-1:],
        private,
        private[1:],
        private[:1],
        *([one] for one in levels if one[0] not in ("eps", "delta")),
    ]
    unique = list(dict.fromkeys(tuple(group) for group in groups if group))
    for step in (8, -8, 2, -2, 1, -1):
        for group in unique:
            yield InputPair(
                _shift_entries(pair.first, group, step),
                _shift_entries(pair.second, group, step),
                pair.is_ordered,
            )
        if len(private) > 1:  # the last one against all others
            apart = (
                _shift_entries(_shift_entries(side, unique[0], step), unique[1], -step)
                for side in (pair.first, pair.second)
            )
            yield InputPair(next(apart), next(apart), pair.is_ordered)


def lengthen_lists(program: Program, pair: InputPair) -> Iterator[InputPair]:
    """Every list with its first entry twice, or its last; what bounds the reading of lists grows
    with them.
    """
    lists = [one.name for one in program.parameters if one.list and pair.first[one.name]]
    sizes = [
        one.name
        for one in program.parameters
        if one.name in _find_size_names(program) and not one.private and not one.list
    ]
    for first in (True, False) if lists else ():
        one, other = (
            _repeat_entry(pair.first, lists, sizes, first),
            _repeat_entry(pair.second, lists, sizes, first),
        )
        if max(
            len(_list_indices(one[name])) for name in lists
        ) <= _MAX_LIST_LENGTH and are_neighbours(program, one, other):
            yield InputPair(one, other, pair.is_ordered)


def _repeat_entry(
    arguments: Arguments, lists: Sequence[str], sizes: Sequence[str], first: bool
) -> Arguments:
    found = dict(arguments)
    for name in lists:
        entries = found[name]
        assert isinstance(entries, tuple)
        found[name] = (entries[0], *entries) if first else (*entries, entries[-1])
    for name in sizes:
        size = found[name]
        assert isinstance(size, Fraction)
        found[name] = size + 1
    return found


def _list_indices(value: PathValue | tuple[PathValue, ...]) -> range:
    return range(len(value)) if isinstance(value, tuple) else range(1)


def _shift_entries(
    arguments: Arguments, places: tuple[tuple[str, int], ...], step: int
) -> Arguments:
    found = dict(arguments)
    for name, place in places:
        value = found[name]
        if isinstance(value, tuple):
            entry = value[place]
            assert isinstance(entry, Fraction)
            found[name] = (*value[:place], entry + step, *value[place + 1 :])
        elif isinstance(value, Fraction):
            found[name] = value + step
    return found


# Public parameters


def _iterate_public_arguments(
    program: Program, length: int, epsilon: Fraction
) -> Iterator[Mapping[str, PathValue | tuple[PathValue, ...]]]:
    """Sizes follow the lists; other whole numbers are small, or as long as the list; other reals
    as in the tables above; truths alike.
    """
    sizes, (scaling, chances), named = (
        _find_size_names(program),
        _classify_public_numbers(program),
        _find_epsilon_name(program),
    )
    wholes, reals, deltas, scales, coins = (
        list[str](),
        list[str](),
        list[str](),
        list[str](),
        list[str](),
    )
    fixed: dict[str, PathValue | tuple[PathValue, ...]] = {}
    truths = [
        one.name
        for one in program.parameters
        if not one.private and not one.list and one.kind is Kind.BOOL
    ]
    for one in program.parameters:
        if one.private or one.kind in (Kind.BOOL, Kind.BITS):
            continue
        if one.list:
            fixed[one.name] = (Fraction(0),) * length
        elif one.name == named:
            fixed[one.name] = epsilon
        elif one.name == "delta" or program.claim.delta == Name(one.name):
            deltas.append(one.name)
        elif one.kind is Kind.INT and one.name in sizes:
            fixed[one.name] = Fraction(length)
        else:
            real = scales if one.name in scaling else coins if one.name in chances else reals
            (wholes if one.kind is Kind.INT else real).append(one.name)
    values = (
        {1, 2, length} if any(one.list for one in program.parameters) else {0, 1, 2, _LARGE_INTEGER}
    )
    whole_choices = sorted(product(sorted(values), repeat=min(2, len(wholes))), key=sum)
    choices = product(
        whole_choices,
        enumerate(_REALS if reals else _REALS[:1]),
        enumerate(DELTAS if deltas else DELTAS[:1]),
        enumerate(_SCALES if scales else _SCALES[:1]),
        enumerate(_PROBABILITIES if coins else _PROBABILITIES[:1]),
    )
    ordered = sorted(
        choices, key=lambda one: sum(one[0]) + 2 * (one[1][0] + one[2][0] + one[3][0] + one[4][0])
    )
    for numbers, (_, number), (_, delta), (_, ends), (_, chance) in ordered:
        filled = {
            name: Fraction((*numbers, *numbers[-1:] * len(wholes))[place])
            for place, name in enumerate(wholes)
        }
        filled |= {name: ends[place > 0] for place, name in enumerate(scales)}
        for truth in (False, True) if truths else (False,):
            filled |= (
                dict.fromkeys(reals, number)
                | dict.fromkeys(deltas, delta)
                | dict.fromkeys(coins, chance)
            )
            yield {**fixed, **filled, **dict.fromkeys(truths, truth)}


def _classify_public_numbers(program: Program) -> tuple[frozenset[str], frozenset[str]]:
    """Public numbers that scales of noise, or the claim, are made of; and those that chances are
    made of.
    """
    known = find_constants(program)
    used: dict[bool, frozenset[str]] = {
        True: collect_names(program.claim.epsilon),
        False: frozenset(),
    }
    for one in program.samples:
        if one.noise not in (Noise.UNIFORM, Noise.BITS):
            used[one.noise is not Noise.BERNOULLI] |= collect_names(
                substitute(one.parameters[0], known)
            )
    return used[True] - used[False], used[False]


def _find_size_names(program: Program) -> frozenset[str]:
    """Public whole numbers that are called a size, or that the index of a list is compared with."""
    indices: set[str] = set()
    found = {one.name for one in program.parameters if one.name in _SIZE_NAMES}
    for statement in walk_statements(program.body):
        for expression in list_expressions(statement):
            for part in walk_expression(expression):
                if isinstance(part, Read):
                    indices |= collect_names(part.index)
    for statement in walk_statements(program.body):
        if isinstance(statement, While):
            for part in walk_expression(statement.condition):
                if isinstance(part, Apply) and part.operator in ("<", "<="):
                    left, right = part.arguments
                    if isinstance(left, Name) and left.name in indices and isinstance(right, Name):
                        found.add(right.name)
    return frozenset(found)


def _has_public_loop_bound(program: Program) -> bool:
    """Under "row" the length of a list is private; a program that reads up to a public size says
    nothing about which lists it means.
    """
    public = {
        one.name
        for one in program.parameters
        if not one.private and one.kind is Kind.INT and not one.list
    }
    loops = [one for one in walk_statements(program.body) if isinstance(one, While)]
    return any(collect_names(loop.condition) & public for loop in loops)


def _build_shared_bits(
    program: Program, shared: Mapping[str, PathValue | tuple[PathValue, ...]], length: int
) -> dict[str, PathValue | tuple[PathValue, ...]]:
    """Words and truths that are the same in both runs."""
    found: dict[str, PathValue | tuple[PathValue, ...]] = {}
    for one in program.parameters:
        if one.kind in (Kind.BITS, Kind.BOOL):
            value: PathValue = (
                BitWord(evaluate_width(one, shared), 0) if one.kind is Kind.BITS else False
            )
            found[one.name] = (value,) * length if one.list else value
    return found


def _iterate_secrets(
    program: Program, same: Mapping[str, PathValue | tuple[PathValue, ...]]
) -> Iterator[dict[str, PathValue | tuple[PathValue, ...]]]:
    """Private truths and words turned over: each alone, first all bits, then one at either end;
    and all of them at once.
    """
    private = [
        one.name for one in program.parameters if one.private and one.kind in (Kind.BITS, Kind.BOOL)
    ]
    for choice in range(3):
        turned = {name: _flip_bits(same[name], choice) for name in private}
        for name in private:
            yield {name: turned[name]}
        if len(private) > 1:
            yield turned


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


def evaluate_width(
    parameter: Parameter, shared: Mapping[str, PathValue | tuple[PathValue, ...]]
) -> int:
    """How many bits a word parameter has for these public parameters."""
    if parameter.width is None:
        return 1
    plain = {name: value for name, value in shared.items() if not isinstance(value, tuple)}
    ((_, value),) = evaluate_alternatives(parameter.width, Environment(plain, {}), PathCondition())
    number = require_number(value)
    if (
        not isinstance(number, Fraction)
        or number.denominator != 1
        or not 1 <= number <= _MAX_WORD_BITS
    ):
        raise OutOfScope("a word without bits, or with too many")
    return int(number)


# Private parameters

PrivateInputs: TypeAlias = tuple[
    dict[str, PathValue | tuple[PathValue, ...]], dict[str, PathValue | tuple[PathValue, ...]]
]


def _iterate_moves(program: Program, length: int) -> Iterator[PrivateInputs]:
    """The private numbers of either side, and truths that are measured."""
    truths = list_measured_booleans(program)
    numbers = [
        one
        for one in program.parameters
        if one.private and (one.kind in (Kind.INT, Kind.REAL) or one in truths)
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
    for base, move in _iterate_patterns(count, relation, k, 4 if len(numbers) > 1 else 1):
        moved = tuple(a + b for a, b in zip(base, move, strict=True))
        # of truths: what is turned, and what is not
        first = tuple(Fraction(b < 0) if b else a for a, b in zip(base, move, strict=True))
        second = tuple(Fraction(b > 0) if b else a for a, b in zip(base, move, strict=True))
        yield (
            _assign_names(numbers, base, length, first),
            _assign_names(numbers, moved, length, second),
        )


def _iterate_fractional_moves(
    numbers: list[Parameter], length: int, move: Vector
) -> Iterator[Vector]:
    """Whole noise does not hide what is not whole: moves by a half and by a third, of numbers
    that need not be whole.
    """
    real = [one.kind is Kind.REAL for one in numbers for _ in range(length if one.list else 1)]
    for part in (2, 3):
        moved = tuple(
            entry / part if free else Fraction(0) for entry, free in zip(move, real, strict=True)
        )
        if any(moved):
            yield moved


def _assign_names(
    numbers: list[Parameter], vector: Vector, length: int, truths: Vector | None = None
) -> dict[str, PathValue | tuple[PathValue, ...]]:
    """Every private number with its value; a truth is what is above 0, of ``truths`` where that
    is given.
    """
    found: dict[str, PathValue | tuple[PathValue, ...]] = {}
    place = 0
    for one in numbers:
        size = length if one.list else 1
        entries: tuple[PathValue, ...] = vector[place : place + size]
        if one.kind is Kind.BOOL:
            entries = tuple(entry > 0 for entry in (truths or vector)[place : place + size])
        found[one.name] = entries if one.list else entries[0]
        place += size
    return found


def _iterate_row_moves(numbers: list[Parameter], length: int) -> Iterator[PrivateInputs]:
    lists = [one for one in numbers if one.list]
    others: dict[str, PathValue | tuple[PathValue, ...]] = {
        one.name: Fraction(0) for one in numbers if not one.list
    }
    for entry, value, place, one in product((0, 1, -1), (1, 0, -1, 5), (0, length), lists):
        short = {other.name: (_build_entry(other, entry),) * length for other in lists}
        longer = (*short[one.name][:place], _build_entry(one, value), *short[one.name][place:])
        yield {**others, **short}, {**others, **short, one.name: longer}


def _build_entry(one: Parameter, value: int) -> PathValue:
    """A truth is what is above 0."""
    return value > 0 if one.kind is Kind.BOOL else Fraction(value)


def _iterate_patterns(
    count: int, relation: Relation, k: int, weight: int
) -> Iterator[tuple[Vector, Vector]]:
    """Bases and moves, the plainest first. The larger ``weight``, the sooner every move is
    tried, and the later other bases are.
    """
    moves, bases = _list_corner_moves(count, relation, k), _list_bases(count)
    order = sorted(
        product(range(len(bases)), range(len(moves))),
        key=lambda places: (weight * places[0] + places[1], places),
    )
    for base, move in order:
        yield bases[base], moves[move]


def _list_bases(count: int) -> list[Vector]:
    zero, half = (Fraction(0),) * count, (count + 1) // 2
    crossing = tuple(Fraction(place < half) for place in range(count))
    found = [zero, crossing, *((Fraction(level),) * count for level in (1, -1, 2, -2, 4))]
    found.append((*zero[1:], Fraction(3)))
    return list(dict.fromkeys(found))


def _list_corner_moves(count: int, relation: Relation, k: int) -> list[Vector]:
    up, half = (Fraction(1),) * count, (count + 1) // 2
    singles = [
        tuple(Fraction(place == one) for place in range(count))
        for one in dict.fromkeys((0, count - 1, half - 1))
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
