"""Differencing: which small groups of people published counts give away together, although nobody
asked about them.

The conditions alone say which groups the answers tell apart (``atoms``); each answer is then a sum
of atoms. Looked at are

- what was published as it is, and every difference A − B of an answer and one inside it;
- every atom, and every overlap and difference of two answers, by linear programming: between how
  many people can it have? (``bounds``);
- attributes: where nobody is in A without being in B, all of A are in B, and "21 and male" = "21,
  male and drugs" has told a secret;
- totals: the value of one person, where sums can be combined like the counts that isolate that
  person.

Every claim has been checked in exact numbers. Without answers (a log of questions), it tells which
questions together could isolate whom. Answers that no table can have are named first, and nothing
else is claimed from them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.formatting import join_words
from hedgerow.risk.answers.conditions import Comparison, iterate_comparisons
from hedgerow.risk.answers.findings import (
    DisclosureFinding,
    describe_group,
    describe_people,
    describe_remainder,
    format_amount,
    format_combination,
    shorten_combination,
    sort_findings,
)
from hedgerow.risk.answers.inconsistency import find_inconsistency
from hedgerow.risk.answers.lp_bounds import AnswerSystem, Combination, unpack_bits
from hedgerow.risk.answers.published_answer import PublishedAnswers
from hedgerow.risk.answers.small_groups import (
    AnswerTable,
    PeopleGroup,
    build_answer_table,
    drop_redundant_groups,
    find_combination,
    find_describing_answers,
    find_small_groups,
    list_derived_groups,
)

__all__ = ["DifferencingReport", "differencing"]

_MAX_POSSIBLE_GROUPS: Final = 40  # groups that are named where there are no answers
_MAX_TRIED_GROUPS: Final = 400
_MAX_HIDDEN_ANSWERS: Final = 300  # suppressed numbers that are looked at


@dataclass(frozen=True, slots=True)
class DifferencingReport:
    """The findings, the most dangerous first; how many groups the questions tell apart; and what
    could not be looked at.
    """

    findings: tuple[DisclosureFinding, ...]
    atom_count: int
    question_count: int
    notes: tuple[str, ...] = ()


def differencing(answers: PublishedAnswers, *, k: int = 3) -> DifferencingReport:
    """Find the groups of fewer than ``k`` people, and what is told about them."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 2:
        raise InvalidArgument("k", "must be a whole number of at least 2", k)
    found: list[DisclosureFinding] = []
    notes: list[str] = []
    sizes = questions = 0
    for name in dict.fromkeys(answer.table for answer in answers.answers):
        given = [
            answer
            for answer in answers.answers
            if answer.table == name and answer.measure != "mean"
        ]
        if not given:
            continue
        table = build_answer_table(given, answers, k)
        sizes, questions = sizes + table.atom_count, questions + len(table.counts) + len(table.sums)
        found += _find_disclosures(table)
        notes += [*table.notes, *sorted(table.system.search_notes)]
    return DifferencingReport(
        sort_findings(found), sizes, questions, (*_list_assumptions(answers), *notes)
    )


def _list_assumptions(answers: PublishedAnswers) -> Iterator[str]:
    """Notes: what of the answers was taken for granted, or was not combined."""
    if any(answer.is_implied for answer in answers.answers):
        yield (
            "The result of a GROUP BY is taken as complete: nobody is in a group that it does not"
            " show. Show groups left out with *."
        )
    means = sum(answer.measure == "mean" for answer in answers.answers)
    if means:
        yield f"Means are not combined ({means:,} of them): give the sum and the count instead."
    vague = sum(answer.measure == "sum" and answer.value is None for answer in answers.answers)
    if vague:
        yield f"Sums that were rounded or suppressed are not combined ({vague:,} of them)."


def _find_disclosures(table: AnswerTable) -> list[DisclosureFinding]:
    if all(answer.low is None or answer.is_implied for answer in table.counts):
        return list(_find_possible_groups(table))
    broken = find_inconsistency(table.system, [answer.name for answer in table.counts])
    if broken is not None:
        return [broken]
    table.empty_atoms = table.system.find_empty_atoms()[0]
    every = find_small_groups(table)
    small = drop_redundant_groups(table, every)
    recovered = dict(_find_recoverable(table))
    findings = list(recovered.values())
    findings += [
        _build_isolation_finding(table, group)
        for group in small
        if group.atom_bits not in recovered
    ]
    findings += _find_shared_attributes(table, every)
    findings += [
        found for group in small if group.low == group.high for found in _find_values(table, group)
    ]
    return findings


def _describe_group(table: AnswerTable, group: PeopleGroup) -> str:
    return describe_group(
        [table.counts[a].condition for a in group.inside],
        [table.counts[b].condition for b in group.outside],
    )


def _build_isolation_finding(table: AnswerTable, group: PeopleGroup) -> DisclosureFinding:
    who = _describe_group(table, group)
    names, shown = _explain_size(table, group.atom_bits, group.low, group.high)
    if group.low != group.high:
        sentence = (
            f"{shorten_combination(shown)}: between {group.low:,} and {group.high:,} people have"
            f" {who}."
        )
        return DisclosureFinding("bounded", sentence, who, group.low, group.high, names, shown)
    if group.atom_bits in table.members:
        sentence = (
            f"{shorten_combination(shown)} = {group.low:,} was published:"
            f" {describe_people(group.low)} {who}."
        )
        return DisclosureFinding("published", sentence, who, group.low, group.high, names, shown)
    equal = _format_equation(shown, group.low)
    return DisclosureFinding(
        "isolated",
        f"{equal}: {describe_people(group.low)} {who}.",
        who,
        group.low,
        group.high,
        names,
        shown,
    )


def _find_recoverable(table: AnswerTable) -> Iterator[tuple[int, DisclosureFinding]]:
    """Numbers that were suppressed, or told by their bounds only, and that the others give away;
    with the group that each is about.
    """
    hidden = sorted(set(range(len(table.counts))) - set(table.system.exact_answers))
    if len(hidden) > _MAX_HIDDEN_ANSWERS:
        table.notes.append(
            f"Of {len(hidden):,} suppressed or rounded counts the first {_MAX_HIDDEN_ANSWERS} were"
            " looked at."
        )
    for place in hidden[:_MAX_HIDDEN_ANSWERS]:
        low, high = table.system.bound_integers(table.members[place])
        if low != high:
            continue
        group = PeopleGroup(table.members[place], low, high, (place,))
        names, shown = _explain_size(table, group.atom_bits, low, high)
        who, name = _describe_group(table, group), table.counts[place].name
        equal = _format_equation(shown, low)
        how = "suppressed" if table.counts[place].low is None else "told by its bounds only"
        sentence = f"{equal}: {name} was {how}, but {describe_people(low)} {who}."
        yield (
            group.atom_bits,
            DisclosureFinding("recoverable", sentence, who, low, high, names, shown),
        )


def _explain_size(
    table: AnswerTable, bits: int, low: int, high: int
) -> tuple[tuple[str, ...], str]:
    """The answers that show a size, and how: one answer, a sum and difference of some, or bounds
    from above and below.
    """
    equal = find_combination(table, bits) if low == high else None
    if equal is not None:
        terms = [(table.counts[place].name, coefficient) for place, coefficient in equal[0]]
        return tuple(name for name, _ in terms), format_combination(terms) + (
            " (others being empty)" if equal[1] else ""
        )
    most, least = table.system.bound_above(bits), table.system.bound_below(bits)
    if not high and most is not None and not most[1].upper_bound:
        return tuple(table.counts[place].name for place, _ in most[1].terms), _format_proof(
            table, most[1]
        )
    proofs = [
        proof for end in (most, least) if end is not None for proof in [end[1]] if proof is not None
    ]
    names = tuple(
        dict.fromkeys(table.counts[place].name for proof in proofs for place, _ in proof.terms)
    )
    ways = [_format_proof(table, proof) for proof in proofs]
    if most is None or most[0] != high or least[0] != low:
        # a search among whole numbers showed it, with a proof for each of its cases
        ways.append("that people are whole")
    return names, f"bounds from {' and '.join(ways)}"


def _format_equation(shown: str, size: int) -> str:
    return (
        shorten_combination(shown)
        if shown.startswith("bounds")
        else f"{shorten_combination(shown)} = {size:,}"
    )


def _format_proof(table: AnswerTable, proof: Combination) -> str:
    return (
        format_combination(
            [(table.counts[place].name, coefficient) for place, coefficient in proof.terms]
        )
        or "0"
    )


def _find_shared_attributes(
    table: AnswerTable, small: list[PeopleGroup]
) -> Iterator[DisclosureFinding]:
    """Groups of which everybody, or nobody, is in a group that was asked about, although their
    conditions do not say so.
    """
    known = {group.atom_bits: group for group in small}
    for place, bits in enumerate(table.members):
        low, high = table.system.low[place], table.system.high[place]
        if low is not None and high is not None and low >= 1:
            known.setdefault(bits, PeopleGroup(bits, int(low), int(high), (place,)))
    told: list[tuple[int, int]] = []
    for group in sorted(known.values(), key=lambda group: -group.atom_bits.bit_count()):
        for place in _find_containing_answers(table, group):
            bits = table.members[place]
            if any(
                not group.atom_bits & ~larger and shared & group.atom_bits == bits & group.atom_bits
                for larger, shared in told
            ):
                continue  # said already of a group that this one is a part of
            told.append((group.atom_bits, bits))
            yield _build_attribute_finding(table, group, place)
        if group.high < table.k:
            yield from (
                _build_attribute_finding(table, group, place, nobody=True)
                for place in _find_disjoint_answers(table, group)
            )


def _find_containing_answers(table: AnswerTable, group: PeopleGroup) -> list[int]:
    """Answers that count all people of a group, but not all who could be in it; those that say
    most, each once.
    """
    found: dict[int, int] = {}
    for place, bits in enumerate(table.members):
        without = group.atom_bits & ~bits
        if (
            without
            and group.atom_bits & bits
            and not without & ~table.empty_atoms
            and not table.counts[place].is_implied
        ):
            found.setdefault(group.atom_bits & bits, place)
    return [
        place
        for part, place in found.items()
        if not any(other != part and not other & ~part for other in found)
    ]


def _find_disjoint_answers(table: AnswerTable, group: PeopleGroup) -> list[int]:
    """Answers that could count people of a group and count none; those that say most, each once."""
    found: dict[int, int] = {}
    for place, bits in enumerate(table.members):
        part = group.atom_bits & bits
        if part and not part & ~table.empty_atoms and not table.counts[place].is_implied:
            found.setdefault(part, place)
    return [
        place
        for part, place in found.items()
        if not any(other != part and not part & ~other for other in found)
    ]


def _build_attribute_finding(
    table: AnswerTable, group: PeopleGroup, place: int, *, nobody: bool = False
) -> DisclosureFinding:
    who = _describe_group(table, group)
    held = [table.counts[a].condition for a in group.inside]
    what = describe_remainder(table.counts[place].condition, held)
    bits = (
        group.atom_bits & table.members[place]
        if nobody
        else group.atom_bits & ~table.members[place]
    )
    names, shown = _explain_size(table, bits, 0, 0)
    size = f"{group.low:,}" if group.low == group.high else f"{group.low:,} to {group.high:,}"
    if group.low == group.high == 1:
        said = f"the one person with {who} {'does not have' if nobody else 'has'} {what}"
    else:
        said = (
            f"{'none' if nobody else 'all'} of the {size} people with {who}"
            f" {'have' if nobody else 'also have'} {what}"
        )
    own = _explain_size(table, group.atom_bits, group.low, group.high)[0]
    kind = "attribute" if group.high < table.k else "shared"
    answers = tuple(dict.fromkeys((*own, *names)))
    equal = _format_equation(shown, 0)
    return DisclosureFinding(kind, f"{equal}: {said}.", who, group.low, group.high, answers, shown)


def _find_values(table: AnswerTable, group: PeopleGroup) -> Iterator[DisclosureFinding]:
    """What the people of a small group have of a sum, where sums can be combined to it."""
    among = ((1 << table.atom_count) - 1) & ~table.empty_atoms
    for column in dict.fromkeys(answer.column for answer in table.sums):
        places = [
            place
            for place, answer in enumerate(table.sums)
            if answer.column == column and answer.value is not None
        ]
        sums = AnswerSystem.from_exact_answers(
            table.atom_count,
            [
                (table.sum_members[place], table.sums[place].value or Fraction(0))
                for place in places
            ],
        )
        terms = sums.find_equal_combination(
            unpack_bits(group.atom_bits, table.atom_count), among, sums.exact_answers
        )
        if not terms:
            continue
        total = sum(
            (coefficient * (sums.low[place] or 0) for place, coefficient in terms), Fraction(0)
        )
        named = [(table.sums[places[place]].name, coefficient) for place, coefficient in terms]
        who, names = _describe_group(table, group), tuple(name for name, _ in named)
        counted = _explain_size(table, group.atom_bits, group.low, group.high)[0]
        said = (
            f"the one person with {who} has"
            if group.low == 1
            else f"the {group.low:,} people with {who} have together"
        )
        sentence = (
            f"{shorten_combination(format_combination(named))} = {format_amount(total)}: {said}"
            f" {column} {format_amount(total)}."
        )
        answers = tuple(dict.fromkeys((*names, *counted)))
        yield DisclosureFinding(
            "value", sentence, who, group.low, group.high, answers, format_combination(named)
        )


def _find_possible_groups(table: AnswerTable) -> Iterator[DisclosureFinding]:
    """Without answers: the groups that nobody asked about and that questions together tell;
    first those with most conditions.
    """
    asked, whole = set(table.members), (1 << table.atom_count) - 1
    found: dict[int, DisclosureFinding] = {}
    order = sorted(
        list_derived_groups(table), key=lambda each: -len(list(_list_tests(table, each[1])))
    )
    for tried, (bits, (inside, outside)) in enumerate(order):
        if len(found) == _MAX_POSSIBLE_GROUPS or tried == _MAX_TRIED_GROUPS:
            table.notes.append(
                f"Of {len(order):,} groups those with most conditions were looked at, and"
                f" {len(found)} are named."
            )
            break
        if bits in asked or bits in found:
            continue
        terms = table.system.find_equal_combination(
            unpack_bits(bits, table.atom_count), whole, range(len(table.counts))
        )
        if not terms:
            continue
        named = [(table.counts[place].name, coefficient) for place, coefficient in terms]
        group = PeopleGroup(
            bits, 0, 0, *((inside, outside) if inside else find_describing_answers(table, bits))
        )
        who, names = _describe_group(table, group), tuple(name for name, _ in named)
        sentence = (
            f"{shorten_combination(format_combination(named))} tells how many people have {who}:"
            f" {join_words(names)} together could isolate somebody."
        )
        found[bits] = DisclosureFinding(
            "possible", sentence, who, None, None, names, format_combination(named)
        )
    yield from found.values()


def _list_tests(
    table: AnswerTable, sides: tuple[tuple[int, ...], tuple[int, ...]]
) -> Iterator[Comparison]:
    """The different tests that a group is described by: the more there are, the fewer people it
    will have.
    """
    yield from {
        test
        for place in itertools.chain(*sides)
        for test in iterate_comparisons(table.counts[place].condition)
    }
