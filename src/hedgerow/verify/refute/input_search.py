"""Neighbouring inputs to try: the corner patterns of ``private_inputs``, on which wrong mechanisms
usually fail, at several lengths and public parameters. Short lists come first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hedgerow.verify.language.assumptions import find_constants, find_epsilon_parameters
from hedgerow.verify.language.program import (
    Apply,
    Kind,
    Name,
    Noise,
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
from hedgerow.verify.refute.counterexample import find_epsilon_name
from hedgerow.verify.refute.neighbours import are_neighbours
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import PathValue
from hedgerow.verify.refute.paths import Arguments
from hedgerow.verify.refute.private_inputs import (
    InputValues,
    build_public_list,
    build_shared_bits,
    has_composite_indices,
    iterate_moves,
    iterate_secrets,
)

__all__ = [
    "EPSILONS",
    "InputPair",
    "find_size_names",
    "iterate_input_pairs",
    "shift_levels",
]

LENGTHS = (1, 2, 3)
EPSILONS = tuple(map(Fraction, ("1", "4", "1/4", "10")))
DELTAS = (Fraction(1, 100_000), Fraction(1, 10))
_REALS = tuple(map(Fraction, ("0", "2", "1/2", "10")))
# Scale of the first noise, scale of all others.
_SCALES = tuple(
    (Fraction(first), Fraction(rest))
    for first, rest in (("1", "1"), ("1", "4"), ("1/4", "1/4"), ("4", "1"))
)
_PROBABILITIES = tuple(map(Fraction, ("1/2", "1/4", "9/10")))
_LARGE_INTEGER = 5
_SIZE_NAMES = frozenset({"size", "n", "length", "len", "count", "rows"})


@dataclass(frozen=True, slots=True)
class InputPair:
    """Two neighbouring inputs; ``is_ordered`` if they may be compared in this order only."""

    first: Arguments
    second: Arguments
    is_ordered: bool = False

    @property
    def flipped(self) -> InputPair | None:
        """The pair in the other order; None if only one order is a pair of neighbours."""
        return None if self.is_ordered else InputPair(self.second, self.first)


def iterate_input_pairs(
    program: Program, lengths: Sequence[int] = LENGTHS, epsilon: Fraction = EPSILONS[0]
) -> Iterator[InputPair]:
    """Iterate over pairs of inputs, the most promising first, alternating between the lengths."""
    if program.claim.neighbours.relation is Relation.ROW and _has_public_loop_bound(program):
        return
    if not any(one.list for one in program.parameters):
        lengths = lengths[:1]
    if program.claim.neighbours.before is not None:
        yield from _iterate_related_pairs(program, lengths)
        return
    yield from _interleave(
        [_iterate_pairs_of_length(program, length, epsilon) for length in lengths]
    )


def _iterate_related_pairs(program: Program, lengths: Sequence[int]) -> Iterator[InputPair]:
    """Iterate over pairs that satisfy the precondition of a judgement."""
    from hedgerow.verify.prove.related_inputs import RelatedInputs

    for length in lengths:
        shared: InputValues = {
            one.name: (Fraction(0) if one.kind in (Kind.INT, Kind.REAL) else False,) * length
            for one in program.parameters
            if one.list
        }
        for found in RelatedInputs(program).iterate_corners():
            first = {**shared, **{name: pair[0] for name, pair in found.items()}}
            second = {**shared, **{name: pair[1] for name, pair in found.items()}}
            if are_neighbours(program, first, second):
                yield InputPair(first, second, is_ordered=True)


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
    public_choices = list(_iterate_public_arguments(program, length, epsilon))
    moves = list(iterate_moves(program, length))
    ordered = program.claim.neighbours.relation in (Relation.INCREASING, Relation.DECREASING)
    order = sorted(
        product(range(len(moves)), range(len(public_choices))),
        key=lambda places: (places[0] + 3 * places[1], places),
    )
    for move, choice in order:
        one, other = moves[move]
        public = public_choices[choice]
        same = {**build_shared_bits(program, public, length), **public}
        yield InputPair({**same, **one}, {**same, **other}, ordered)
    if program.claim.neighbours.relation is Relation.SECRET:
        for public in public_choices:
            shared = build_shared_bits(program, public, length)
            same = {**(moves[0][0] if moves else {}), **shared, **public}
            for secret in iterate_secrets(program, same):
                yield InputPair(same, {**same, **secret})


def shift_levels(program: Program, pair: InputPair) -> Iterator[InputPair]:
    """Shift some private numbers, or a public threshold, by the same amount in both inputs."""
    if program.claim.neighbours.relation in (Relation.ROW, Relation.JUDGEMENT):
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
        if len(private) > 1:  # the last one moves against all others
            sides = (
                _shift_entries(_shift_entries(side, unique[0], step), unique[1], -step)
                for side in (pair.first, pair.second)
            )
            yield InputPair(next(sides), next(sides), pair.is_ordered)


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


def _iterate_public_arguments(
    program: Program, length: int, epsilon: Fraction
) -> Iterator[InputValues]:
    """Iterate over values of the public parameters, the smallest sum of choices first."""
    fixed, names = _group_public_parameters(program, length, epsilon)
    sizes = find_size_names(program) & fixed.keys()
    smaller = [dict.fromkeys(sizes, Fraction(max(1, length // part))) for part in (2, 3)]
    choices_of_size: list[InputValues] = [{}]
    if has_composite_indices(program):  # two entries for each round, or three
        choices_of_size = [*smaller, {}]  # type: ignore[list-item]
    integers, reals, deltas = names["integer"], names["real"], names["delta"]
    scales, coins, booleans = names["scale"], names["probability"], names["boolean"]
    has_list = any(one.list for one in program.parameters)
    values = sorted({1, 2, length} if has_list else {0, 1, 2, _LARGE_INTEGER})
    choices = product(
        sorted(product(values, repeat=min(2, len(integers))), key=sum),
        enumerate(_REALS if reals else _REALS[:1]),
        enumerate(DELTAS if deltas else DELTAS[:1]),
        enumerate(_SCALES if scales else _SCALES[:1]),
        enumerate(_PROBABILITIES if coins else _PROBABILITIES[:1]),
    )
    ordered = sorted(
        choices, key=lambda one: sum(one[0]) + 2 * (one[1][0] + one[2][0] + one[3][0] + one[4][0])
    )
    for numbers, (_, real), (_, delta), (_, ends), (_, probability) in ordered:
        filled: InputValues = {
            name: Fraction((*numbers, *numbers[-1:] * len(integers))[place])
            for place, name in enumerate(integers)
        }
        filled |= {name: ends[place > 0] for place, name in enumerate(scales)}
        filled |= dict.fromkeys(reals, real) | dict.fromkeys(deltas, delta)
        filled |= dict.fromkeys(coins, probability)
        for value, size in product((False, True) if booleans else (False,), choices_of_size):
            yield {**fixed, **filled, **dict.fromkeys(booleans, value), **size}


def _group_public_parameters(
    program: Program, length: int, epsilon: Fraction
) -> tuple[InputValues, defaultdict[str, list[str]]]:
    """Return the public parameters with only one value to try, and the names of all others by the
    kind of values to try.
    """
    sizes, (scales, coins) = find_size_names(program), _classify_public_numbers(program)
    epsilon_name = find_epsilon_name(program)
    fixed: InputValues = {}
    names: defaultdict[str, list[str]] = defaultdict(list)
    for one in program.parameters:
        if one.private or one.kind is Kind.BITS or (one.list and one.kind is Kind.BOOL):
            continue
        if one.kind is Kind.BOOL:
            names["boolean"].append(one.name)
        elif one.list:
            fixed[one.name] = build_public_list(program, one.name, length)
        elif one.name == epsilon_name:
            fixed[one.name] = epsilon
        elif one.name == "delta" or program.claim.delta == Name(one.name):
            names["delta"].append(one.name)
        elif one.kind is Kind.INT and one.name in sizes:
            fixed[one.name] = Fraction(length)
        elif one.kind is Kind.INT:
            names["integer"].append(one.name)
        else:
            kind = "probability" if one.name in coins else "real"
            names["scale" if one.name in scales else kind].append(one.name)
    return fixed, names


def _classify_public_numbers(program: Program) -> tuple[frozenset[str], frozenset[str]]:
    """Return the public names in noise scales or the claimed epsilon, and those in coin
    probabilities.
    """
    known = find_constants(program)
    used: dict[bool, frozenset[str]] = {
        True: collect_names(program.claim.epsilon) | find_epsilon_parameters(program),
        False: frozenset(),
    }
    for one in program.samples:
        if one.noise not in (Noise.UNIFORM, Noise.BITS):
            used[one.noise is not Noise.BERNOULLI] |= collect_names(
                substitute(one.parameters[0], known)
            )
    return used[True] - used[False], used[False]


def find_size_names(program: Program) -> frozenset[str]:
    """Return the names that mean a list length: by their name, or as the bound of a list index."""
    statements = list(walk_statements(program.body))
    indices = {
        name
        for statement in statements
        for expression in list_expressions(statement)
        for part in walk_expression(expression)
        if isinstance(part, Read)
        for name in collect_names(part.index)
    }
    comparisons = [
        part.arguments
        for statement in statements
        if isinstance(statement, While)
        for part in walk_expression(statement.condition)
        if isinstance(part, Apply) and part.operator in ("<", "<=")
    ]
    bounds = {
        right.name
        for left, right in comparisons
        if isinstance(left, Name) and left.name in indices and isinstance(right, Name)
    }
    return frozenset(bounds | {one.name for one in program.parameters if one.name in _SIZE_NAMES})


def _has_public_loop_bound(program: Program) -> bool:
    """Return True if a loop runs up to a public integer: under "row" the length of a list is
    private, so no choice of that integer fits both inputs.
    """
    public = {
        one.name
        for one in program.parameters
        if not one.private and one.kind is Kind.INT and not one.list
    }
    return any(
        isinstance(one, While) and collect_names(one.condition) & public
        for one in walk_statements(program.body)
    )
