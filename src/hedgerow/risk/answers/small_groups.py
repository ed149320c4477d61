"""Small groups of people that published counts determine: answers, differences, overlaps and
atoms.

Nothing here relies on floating point: the bounds of a group are those that ``lp_bounds`` has proved
in exact numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np

from hedgerow.errors import Unsupported
from hedgerow.risk.answers.atoms import compute_atoms
from hedgerow.risk.answers.linear_combinations import Terms, unpack_bits
from hedgerow.risk.answers.lp_bounds import AnswerSystem
from hedgerow.risk.answers.published_answer import PublishedAnswer, PublishedAnswers

__all__ = [
    "AnswerTable",
    "PeopleGroup",
    "build_answer_table",
    "drop_redundant_groups",
    "find_combination",
    "find_describing_answers",
    "find_small_groups",
    "list_derived_groups",
]

_MAX_BOUNDED_GROUPS: Final = 100  # bounded by a linear program each
_MAX_PAIRED_ANSWERS: Final = 1_500  # compared in pairs
_SCREENING_GROUPS: Final = 64  # with more groups, not every one is bounded
_BATCH_SIZE: Final = 4_096
_MAX_CELLS: Final = 10**7  # answers times atoms


# the answers that contain a group, and those that it lies outside of
GroupSides = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class PeopleGroup:
    """The people in the atoms ``atom_bits``, between ``low`` and ``high`` of them.

    They are ``inside`` some answers and ``outside`` others.
    """

    atom_bits: int
    low: int
    high: int
    inside: tuple[int, ...]
    outside: tuple[int, ...] = ()


@dataclass
class AnswerTable:
    """The answers about one table, as sums of the same atoms: counts with bounds, and sums.

    ``empty_atoms`` are atoms without anybody.
    """

    counts: list[PublishedAnswer]
    sums: list[PublishedAnswer]
    members: list[int]
    sum_members: list[int]
    atom_count: int
    system: AnswerSystem
    k: int
    empty_atoms: int = 0
    combinations: dict[int, tuple[Terms, bool] | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def build_answer_table(
    given: list[PublishedAnswer], answers: PublishedAnswers, k: int
) -> AnswerTable:
    """Compute the atoms of the answers about one table, without contradicted repeats."""
    counts = [answer for answer in given if answer.measure == "count"]
    sums = [answer for answer in given if answer.measure == "sum"]
    made = compute_atoms([answer.condition for answer in (*counts, *sums)], answers.known_columns)
    if made.count * len(given) > _MAX_CELLS:
        raise Unsupported(
            f"{len(given):,} answers about {made.count:,} groups are too many to combine at once."
            " Give fewer questions at a time, such as those about a few columns."
        )
    members = list(made.members)
    inside, notes = members[: len(counts)], []
    repeated = _find_contradicted_repeats(counts, inside)
    if repeated:
        names = ", ".join(counts[place].name for place in sorted(repeated))
        notes.append(
            f"The same question has different answers in {names}: they are noisy, or the data"
            " changed. They were not combined."
        )
        counts = [answer for place, answer in enumerate(counts) if place not in repeated]
        inside = [bits for place, bits in enumerate(inside) if place not in repeated]
    if len(counts) > _MAX_PAIRED_ANSWERS:
        notes.append(
            f"Of {len(counts):,} counts the first {_MAX_PAIRED_ANSWERS:,} were compared in pairs;"
            " all were combined."
        )
    low = tuple(None if answer.low is None else Fraction(-(-answer.low // 1)) for answer in counts)
    high = tuple(None if answer.high is None else Fraction(answer.high // 1) for answer in counts)
    system = AnswerSystem(made.count, tuple(inside), low, high)
    return AnswerTable(
        counts,
        sums,
        inside,
        members[len(members) - len(sums) :] if sums else [],
        made.count,
        system,
        k,
        notes=notes,
    )


def _find_contradicted_repeats(counts: list[PublishedAnswer], members: list[int]) -> set[int]:
    """Return the answers to questions that were answered differently elsewhere."""
    same: dict[int, list[int]] = {}
    for place, bits in enumerate(members):
        if counts[place].low is not None and not counts[place].is_implied:
            same.setdefault(bits, []).append(place)
    found: set[int] = set()
    for places in same.values():
        low = max(counts[place].low or Fraction(0) for place in places)
        high = min(counts[place].high or Fraction(0) for place in places)
        if low > high:
            found.update(places)
    return found


def find_small_groups(table: AnswerTable) -> list[PeopleGroup]:
    """Return the groups that must have between 1 and k − 1 people, each once."""
    found: dict[int, PeopleGroup] = {}
    for place, bits in enumerate(table.members):
        low, high = _read_bounds(table, place)
        if low is not None and high is not None and low >= 1 and high < table.k:
            found.setdefault(bits, PeopleGroup(bits, low, high, (place,)))
    for group in itertools.chain(_find_differences(table), _find_bounded_groups(table, found)):
        known = found.get(group.atom_bits)
        if known is None or (group.high - group.low < known.high - known.low):
            found[group.atom_bits] = group
    return list(found.values())


def drop_redundant_groups(table: AnswerTable, found: list[PeopleGroup]) -> list[PeopleGroup]:
    """Drop derived groups of which a reported part has as many people."""
    asked = set(table.members)
    sharp = [group for group in found if group.low == group.high]
    return [
        group
        for group in found
        # A derived group with no more people than a part of it says less than that part.
        if group.atom_bits in asked
        or not any(
            part.low == group.low == group.high
            and part.atom_bits != group.atom_bits
            and part.atom_bits & ~group.atom_bits == 0
            for part in sharp
        )
    ]


def _read_bounds(table: AnswerTable, place: int) -> tuple[int | None, int | None]:
    low, high = table.system.low[place], table.system.high[place]
    return None if low is None else int(low), None if high is None else int(high)


def _find_differences(table: AnswerTable) -> Iterator[PeopleGroup]:
    """Yield A − B for B inside A, ignoring empty atoms."""
    places = [place for place in range(len(table.counts)) if table.system.low[place] is not None][
        :_MAX_PAIRED_ANSWERS
    ]
    for a, b in itertools.permutations(places, 2):
        inner, outer = table.members[b] & ~table.empty_atoms, table.members[a] & ~table.empty_atoms
        if inner & ~outer or inner == outer:
            continue
        (low_a, high_a), (low_b, high_b) = _read_bounds(table, a), _read_bounds(table, b)
        if low_a is None or high_a is None or low_b is None or high_b is None:
            continue
        low, high = max(0, low_a - high_b), high_a - low_b
        if low >= 1 and high < table.k:
            yield PeopleGroup(table.members[a] & ~table.members[b], low, high, (a,), (b,))


def _find_bounded_groups(
    table: AnswerTable, known: dict[int, PeopleGroup]
) -> Iterator[PeopleGroup]:
    """Yield small atoms, overlaps and differences, bounded by the linear program.

    Tables that it meets on its way rule out other groups.
    """
    given = {
        bits: sides
        for bits, sides in list_derived_groups(table)
        if bits not in known and bits & ~table.empty_atoms
    }
    screened = len(given) > _SCREENING_GROUPS

    def build_group(bits: int, low: int, high: int) -> PeopleGroup:
        sides = given[bits] if given[bits][0] else find_describing_answers(table, bits)
        return PeopleGroup(bits, low, high, *sides)

    fixed = _find_determined_groups(table, given) if screened else {}
    for bits, size in fixed.items():
        yield build_group(bits, size, size)
    points: list[Any] = []
    bounded = 0
    order = sorted(
        given.keys() - fixed.keys(),
        key=lambda bits: (_find_smallest_cover(table, bits), bits.bit_count(), bits),
    )
    for bits in order:
        vector = unpack_bits(bits, table.atom_count)
        if screened and points and not _may_be_small(points, vector, table.k):
            continue
        if bounded == _MAX_BOUNDED_GROUPS:
            table.notes.append(
                f"Of {len(order):,} groups that equal no sum of answers, {_MAX_BOUNDED_GROUPS} were"
                " bounded, beginning with those in small answers."
            )
            return
        bounded += 1
        low, high = table.system.bound_integers(bits, least=1, met=points if screened else None)
        if high is not None and low >= 1 and high < table.k:
            yield build_group(bits, low, high)


def _may_be_small(points: list[Any], group: Any, k: int) -> bool:
    """Return whether no table met so far gives the group nobody, or at least k people."""
    sizes = np.stack(points) @ group
    return bool(np.all((sizes > 1e-3) & (sizes < k - 1e-3)))


def _find_determined_groups(table: AnswerTable, given: dict[int, GroupSides]) -> dict[int, int]:
    """Return the small groups that sums of answers equal.

    Floating point proposes them, and an exact combination confirms each.
    """
    inner, found = table.system.interior_sizes, dict[int, int]()
    if inner is None:
        return found
    for some in _split_batches(list(given)):
        lines = np.stack([unpack_bits(bits, table.atom_count) for bits in some])
        sizes = lines @ inner
        near = np.flatnonzero(
            (sizes > 0.5)
            & (sizes < table.k - 0.5)
            & table.system.find_fixed_groups(lines, table.empty_atoms)
        )
        for place in near.tolist():
            size = _compute_exact_size(table, some[place])
            if size is not None and 1 <= size < table.k:
                found[some[place]] = size
    return found


def _split_batches(given: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(given), _BATCH_SIZE):
        yield given[start : start + _BATCH_SIZE]


def _compute_exact_size(table: AnswerTable, bits: int) -> int | None:
    """Return the size of a group that a combination of exact answers equals."""
    shown = find_combination(table, bits)
    if shown is None:
        return None
    total = sum(
        (coefficient * (table.system.low[place] or 0) for place, coefficient in shown[0]),
        Fraction(0),
    )
    return int(total) if total.denominator == 1 else None


def find_combination(table: AnswerTable, bits: int) -> tuple[Terms, bool] | None:
    """Return the shortest sum of exact answers that equals a group, and whether it ignores empty
    atoms.

    One or two answers are looked up; more are found by linear programming.
    """
    if bits in table.combinations:
        return table.combinations[bits]
    whole, vector = (1 << table.atom_count) - 1, unpack_bits(bits, table.atom_count)
    filled = whole & ~table.empty_atoms if bits & ~table.empty_atoms else whole
    candidates = []
    for among in dict.fromkeys((whole, filled)):
        terms = _find_short_combination(table, bits, among)
        if terms is None:
            exact = table.system.exact_answers
            terms = table.system.find_equal_combination(vector, among, exact)
        if terms:
            candidates.append((terms, among != whole))
            if len(terms) <= 2:
                break
    table.combinations[bits] = min(candidates, key=lambda each: len(each[0]), default=None)
    return table.combinations[bits]


def _find_short_combination(table: AnswerTable, bits: int, among: int) -> Terms | None:
    """Return A or A − B."""
    known = {table.members[place] & among: place for place in reversed(table.system.exact_answers)}
    wanted = bits & among
    if wanted in known:
        return ((known[wanted], Fraction(1)),)
    for members, place in known.items():
        if not wanted & ~members and members & ~wanted in known:
            return ((place, Fraction(1)), (known[members & ~wanted], Fraction(-1)))
    return None


def list_derived_groups(table: AnswerTable) -> Iterator[tuple[int, GroupSides]]:
    """Yield the groups to bound: atoms, overlaps and differences, with the answers that describe
    them.
    """
    covered = 0
    for bits in table.members:
        covered |= bits
    for place in range(table.atom_count):
        if covered >> place & 1:
            yield 1 << place, ((), ())
    for a, b in itertools.combinations(range(min(len(table.counts), _MAX_PAIRED_ANSWERS)), 2):
        left, right = table.members[a], table.members[b]
        if left & right & ~table.empty_atoms and left != right:
            yield from (
                (left & right, ((a, b), ())),
                (left & ~right, ((a,), (b,))),
                (right & ~left, ((b,), (a,))),
            )


def _find_smallest_cover(table: AnswerTable, bits: int) -> int:
    """Return the smallest answer that counts all of a group."""
    ends = (
        int(high)
        for high, members in zip(table.system.high, table.members, strict=True)
        if high is not None and not bits & ~members
    )
    return min(ends, default=10**18)


def find_describing_answers(table: AnswerTable, bits: int) -> GroupSides:
    """Return few answers whose overlap, without others, is a group; the choice is greedy."""
    inside: list[int] = []
    outside: list[int] = []
    rest = (1 << table.atom_count) - 1
    while True:
        holding = [
            place
            for place, members in enumerate(table.members)
            if not bits & ~members and rest & ~members
        ]
        if not holding:
            break
        best = min(holding, key=lambda place: (rest & table.members[place]).bit_count())
        inside.append(best)
        rest &= table.members[best]
    while rest != bits:
        apart = [
            place
            for place, members in enumerate(table.members)
            if not bits & members and rest & members
        ]
        if not apart:
            break
        best = max(apart, key=lambda place: (rest & table.members[place]).bit_count())
        outside.append(best)
        rest &= ~table.members[best]
    return tuple(inside), tuple(outside)
