"""Differencing: small groups of people that published counts reveal together, though nobody
asked.

The conditions alone determine which groups the answers tell apart (``atoms``); each answer is then
a sum of atoms. Examined are

- published counts, and every difference A − B of an answer and one inside it;
- every atom, and every overlap and difference of two answers, with bounds on its number of people
  by linear programming (``lp_bounds``);
- attributes: where nobody is in A without being in B, all of A are in B, and "21 and male" = "21,
  male and drugs" has revealed a secret;
- totals: the value of one person, where sums can be combined like the counts that isolate that
  person.

Every claim is checked in exact numbers. For a log of questions without answers, it lists questions
that could isolate somebody together. Answers that no table can have are reported first, and nothing
else is claimed from them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from hedgerow.charts.number_text import join_words
from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers.conditions import Comparison, iterate_comparisons
from hedgerow.risk.answers.findings import (
    DisclosureFinding,
    describe_people,
    format_amount,
    format_combination,
    shorten_combination,
    sort_findings,
)
from hedgerow.risk.answers.group_findings import (
    build_attribute_finding,
    build_isolation_finding,
    describe_people_group,
    explain_size,
    format_equation,
)
from hedgerow.risk.answers.inconsistency import find_inconsistency
from hedgerow.risk.answers.linear_combinations import unpack_bits
from hedgerow.risk.answers.lp_bounds import AnswerSystem
from hedgerow.risk.answers.published_answer import PublishedAnswers
from hedgerow.risk.answers.small_groups import (
    AnswerTable,
    PeopleGroup,
    build_answer_table,
    drop_redundant_groups,
    find_describing_answers,
    find_small_groups,
    list_derived_groups,
)

__all__ = ["DifferencingReport", "differencing"]

_MAX_POSSIBLE_GROUPS: Final = 40  # named where there are no answers
_MAX_TRIED_GROUPS: Final = 400
_MAX_HIDDEN_ANSWERS: Final = 300  # suppressed numbers that are examined


@dataclass(frozen=True, slots=True)
class DifferencingReport:
    """The findings, the most dangerous first, the number of distinguishable groups, and notes."""

    findings: tuple[DisclosureFinding, ...]
    atom_count: int
    question_count: int
    notes: tuple[str, ...] = ()


def differencing(answers: PublishedAnswers, *, k: int = 3) -> DifferencingReport:
    """Find the groups of fewer than ``k`` people, and what the answers reveal about them."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 2:
        raise InvalidArgument("k", "must be a whole number of at least 2", k)
    findings: list[DisclosureFinding] = []
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
        findings += _find_disclosures(table)
        notes += [*table.notes, *sorted(table.system.search_notes)]
    return DifferencingReport(
        sort_findings(findings), sizes, questions, (*_list_assumptions(answers), *notes)
    )


def _list_assumptions(answers: PublishedAnswers) -> Iterator[str]:
    """Yield notes on assumptions, and on answers that were not combined."""
    if any(answer.is_implied for answer in answers.answers):
        yield (
            "The result of a GROUP BY is taken as complete: nobody is in a group that it does not"
            " show. List suppressed groups with * as their answer."
        )
    means = sum(answer.measure == "mean" for answer in answers.answers)
    if means:
        yield f"Means are not combined ({means:,} of them). Give the sum and the count instead."
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
        build_isolation_finding(table, group) for group in small if group.atom_bits not in recovered
    ]
    findings += _find_shared_attributes(table, every)
    findings += [
        found for group in small if group.low == group.high for found in _find_values(table, group)
    ]
    return findings


def _find_recoverable(table: AnswerTable) -> Iterator[tuple[int, DisclosureFinding]]:
    """Yield suppressed or bounded numbers that the other answers determine, with their groups."""
    hidden = sorted(set(range(len(table.counts))) - set(table.system.exact_answers))
    if len(hidden) > _MAX_HIDDEN_ANSWERS:
        table.notes.append(
            f"Of {len(hidden):,} suppressed or rounded counts only the first {_MAX_HIDDEN_ANSWERS}"
            " were examined."
        )
    for place in hidden[:_MAX_HIDDEN_ANSWERS]:
        low, high = table.system.bound_integers(table.members[place])
        if low != high:
            continue
        group = PeopleGroup(table.members[place], low, high, (place,))
        names, shown = explain_size(table, group.atom_bits, low, high)
        who, name = describe_people_group(table, group), table.counts[place].name
        equal = format_equation(shown, low)
        how = "suppressed" if table.counts[place].low is None else "published only as bounds"
        sentence = f"{equal}: {name} was {how}, but {describe_people(low)} {who}."
        yield (
            group.atom_bits,
            DisclosureFinding("recoverable", sentence, who, low, high, names, shown),
        )


def _find_shared_attributes(
    table: AnswerTable, small: list[PeopleGroup]
) -> Iterator[DisclosureFinding]:
    """Yield groups of which everybody, or nobody, is in another group, beyond what conditions
    say.
    """
    known = {group.atom_bits: group for group in small}
    for place, bits in enumerate(table.members):
        low, high = table.system.low[place], table.system.high[place]
        if low is not None and high is not None and low >= 1:
            known.setdefault(bits, PeopleGroup(bits, int(low), int(high), (place,)))
    reported: list[tuple[int, int]] = []
    for group in sorted(known.values(), key=lambda group: -group.atom_bits.bit_count()):
        for place in _find_containing_answers(table, group):
            bits = table.members[place]
            if any(
                not group.atom_bits & ~larger and shared & group.atom_bits == bits & group.atom_bits
                for larger, shared in reported
            ):
                continue  # reported already for a group that contains this one
            reported.append((group.atom_bits, bits))
            yield build_attribute_finding(table, group, place)
        if group.high < table.k:
            yield from (
                build_attribute_finding(table, group, place, nobody=True)
                for place in _find_disjoint_answers(table, group)
            )


def _find_containing_answers(table: AnswerTable, group: PeopleGroup) -> list[int]:
    """Return the answers that count all people of a group but not all who could be in it.

    Only the strongest are kept, each once.
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
        if not any(smaller != part and not smaller & ~part for smaller in found)
    ]


def _find_disjoint_answers(table: AnswerTable, group: PeopleGroup) -> list[int]:
    """Return the answers that could count people of a group and count none.

    Only the strongest are kept, each once.
    """
    found: dict[int, int] = {}
    for place, bits in enumerate(table.members):
        part = group.atom_bits & bits
        if part and not part & ~table.empty_atoms and not table.counts[place].is_implied:
            found.setdefault(part, place)
    return [
        place
        for part, place in found.items()
        if not any(larger != part and not part & ~larger for larger in found)
    ]


def _find_values(table: AnswerTable, group: PeopleGroup) -> Iterator[DisclosureFinding]:
    """Yield the totals of a small group, where sums can be combined to it."""
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
        who, names = describe_people_group(table, group), tuple(name for name, _ in named)
        counted = explain_size(table, group.atom_bits, group.low, group.high)[0]
        owners = (
            f"the one person with {who} has"
            if group.low == 1
            else f"the {group.low:,} people with {who} have together"
        )
        sentence = (
            f"{shorten_combination(format_combination(named))} = {format_amount(total)}: {owners}"
            f" {column} {format_amount(total)}."
        )
        answers = tuple(dict.fromkeys((*names, *counted)))
        yield DisclosureFinding(
            "value", sentence, who, group.low, group.high, answers, format_combination(named)
        )


def _find_possible_groups(table: AnswerTable) -> Iterator[DisclosureFinding]:
    """Yield groups that questions without answers would reveal together, most conditions first."""
    asked, whole = set(table.members), (1 << table.atom_count) - 1
    findings: dict[int, DisclosureFinding] = {}
    order = sorted(
        list_derived_groups(table), key=lambda each: -len(list(_list_tests(table, each[1])))
    )
    for tried, (bits, (inside, outside)) in enumerate(order):
        if len(findings) == _MAX_POSSIBLE_GROUPS or tried == _MAX_TRIED_GROUPS:
            table.notes.append(
                f"Of {len(order):,} groups those with the most conditions were examined;"
                f" {len(findings)} are listed."
            )
            break
        if bits in asked or bits in findings:
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
        who, names = describe_people_group(table, group), tuple(name for name, _ in named)
        sentence = (
            f"{shorten_combination(format_combination(named))} is the number of people with {who}:"
            f" {join_words(names)} together could isolate somebody."
        )
        findings[bits] = DisclosureFinding(
            "possible", sentence, who, None, None, names, format_combination(named)
        )
    yield from findings.values()


def _list_tests(
    table: AnswerTable, sides: tuple[tuple[int, ...], tuple[int, ...]]
) -> Iterator[Comparison]:
    """Yield the comparisons that describe a group: the more, the fewer people it will have."""
    yield from {
        test
        for place in itertools.chain(*sides)
        for test in iterate_comparisons(table.counts[place].condition)
    }
