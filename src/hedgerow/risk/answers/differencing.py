"""Differencing: which small groups of people published counts give away together, although nobody asked about them.

The conditions alone say which groups the answers tell apart (``atoms``); each answer is then a sum of atoms. Looked at are

- what was published as it is, and every difference A − B of an answer and one inside it;
- every atom, and every overlap and difference of two answers, by linear programming: between how many people can it have? (``bounds``);
- attributes: where nobody is in A without being in B, all of A are in B, and "21 and male" = "21, male and drugs" has told a secret;
- totals: the value of one person, where sums can be combined like the counts that isolate that person.

Every claim has been checked in exact numbers. Without answers (a log of questions), it tells which questions together could isolate whom.
Answers that no table can have are named first, and nothing else is claimed from them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers.bounds import Combination, System, spread
from hedgerow.risk.answers.conditions import Comparison, comparisons
from hedgerow.risk.answers.conflicts import conflict
from hedgerow.risk.answers.findings import Finding, amount, beyond, brief, described, listed, ordered, people, sum_of
from hedgerow.risk.answers.groups import Group, Table, combination, derived, parts, small_groups, table_of, telling
from hedgerow.risk.answers.published import Answers

__all__ = ["Differenced", "differencing"]

_POSSIBLE: Final = 40  # groups that are named where there are no answers
_TRIED: Final = 400
_HIDDEN: Final = 300  # suppressed numbers that are looked at


@dataclass(frozen=True, slots=True)
class Differenced:
    """The findings, the most dangerous first; how many groups the questions tell apart; and what could not be looked at."""

    findings: tuple[Finding, ...]
    atoms: int
    questions: int
    notes: tuple[str, ...] = ()


def differencing(answers: Answers, *, k: int = 3) -> Differenced:
    """Find the groups of fewer than ``k`` people, and what is told about them."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 2:
        raise InvalidArgument("k", "must be a whole number of at least 2", k)
    found: list[Finding] = []
    notes: list[str] = []
    sizes = questions = 0
    for name in dict.fromkeys(answer.table for answer in answers.answers):
        given = [answer for answer in answers.answers if answer.table == name and answer.measure != "mean"]
        if not given:
            continue
        table = table_of(given, answers, k)
        sizes, questions = sizes + table.atoms, questions + len(table.counts) + len(table.sums)
        found += _found(table)
        notes += [*table.notes, *sorted(table.system.stopped)]
    return Differenced(ordered(found), sizes, questions, (*_taken(answers), *notes))


def _taken(answers: Answers) -> Iterator[str]:
    """Notes: what of the answers was taken for granted, or was not combined."""
    if any(answer.implied for answer in answers.answers):
        yield "The result of a GROUP BY is taken as complete: nobody is in a group that it does not show. Show groups left out with *."
    means = sum(answer.measure == "mean" for answer in answers.answers)
    if means:
        yield f"Means are not combined ({means:,} of them): give the sum and the count instead."
    vague = sum(answer.measure == "sum" and answer.value is None for answer in answers.answers)
    if vague:
        yield f"Sums that were rounded or suppressed are not combined ({vague:,} of them)."


def _found(table: Table) -> list[Finding]:
    if all(answer.low is None or answer.implied for answer in table.counts):
        return list(_possible(table))
    broken = conflict(table.system, [answer.name for answer in table.counts])
    if broken is not None:
        return [broken]
    table.empty = table.system.empty()[0]
    every = small_groups(table)
    small = telling(table, every)
    recovered = dict(_recovered(table))
    findings = list(recovered.values())
    findings += [_isolated(table, group) for group in small if group.bits not in recovered]
    findings += _attributes(table, every)
    findings += [found for group in small if group.low == group.high for found in _values(table, group)]
    return findings


def _who(table: Table, group: Group) -> str:
    return described([table.counts[a].condition for a in group.inside], [table.counts[b].condition for b in group.outside])


def _isolated(table: Table, group: Group) -> Finding:
    who = _who(table, group)
    names, shown = _shown(table, group.bits, group.low, group.high)
    if group.low != group.high:
        sentence = f"{brief(shown)}: between {group.low:,} and {group.high:,} people have {who}."
        return Finding("bounded", sentence, who, group.low, group.high, names, shown)
    if group.bits in table.members:
        sentence = f"{brief(shown)} = {group.low:,} was published: {people(group.low)} {who}."
        return Finding("published", sentence, who, group.low, group.high, names, shown)
    equal = _equation(shown, group.low)
    return Finding("isolated", f"{equal}: {people(group.low)} {who}.", who, group.low, group.high, names, shown)


def _recovered(table: Table) -> Iterator[tuple[int, Finding]]:
    """Numbers that were suppressed, or told by their bounds only, and that the others give away; with the group that each is about."""
    hidden = sorted(set(range(len(table.counts))) - set(table.system.exact))
    if len(hidden) > _HIDDEN:
        table.notes.append(f"Of {len(hidden):,} suppressed or rounded counts the first {_HIDDEN} were looked at.")
    for place in hidden[:_HIDDEN]:
        low, high = table.system.whole(table.members[place])
        if low != high:
            continue
        group = Group(table.members[place], low, high, (place,))
        names, shown = _shown(table, group.bits, low, high)
        who, name = _who(table, group), table.counts[place].name
        equal = _equation(shown, low)
        how = "suppressed" if table.counts[place].low is None else "told by its bounds only"
        sentence = f"{equal}: {name} was {how}, but {people(low)} {who}."
        yield group.bits, Finding("recoverable", sentence, who, low, high, names, shown)


def _shown(table: Table, bits: int, low: int, high: int) -> tuple[tuple[str, ...], str]:
    """The answers that show a size, and how: one answer, a sum and difference of some, or bounds from above and below."""
    equal = combination(table, bits) if low == high else None
    if equal is not None:
        terms = [(table.counts[place].name, coefficient) for place, coefficient in equal[0]]
        return tuple(name for name, _ in terms), sum_of(terms) + (" (others being empty)" if equal[1] else "")
    most, least = table.system.at_most(bits), table.system.at_least(bits)
    if not high and most is not None and not most[1].at_most:
        return tuple(table.counts[place].name for place, _ in most[1].terms), _line(table, most[1])
    proofs = [proof for end in (most, least) if end is not None for proof in [end[1]] if proof is not None]
    names = tuple(dict.fromkeys(table.counts[place].name for proof in proofs for place, _ in proof.terms))
    ways = [_line(table, proof) for proof in proofs]
    if most is None or most[0] != high or least[0] != low:
        ways.append("that people are whole")  # a search among whole numbers showed it, with a proof for each of its cases
    return names, f"bounds from {' and '.join(ways)}"


def _equation(shown: str, size: int) -> str:
    return brief(shown) if shown.startswith("bounds") else f"{brief(shown)} = {size:,}"


def _line(table: Table, proof: Combination) -> str:
    return sum_of([(table.counts[place].name, coefficient) for place, coefficient in proof.terms]) or "0"


def _attributes(table: Table, small: list[Group]) -> Iterator[Finding]:
    """Groups of which everybody, or nobody, is in a group that was asked about, although their conditions do not say so."""
    known = {group.bits: group for group in small}
    for place, bits in enumerate(table.members):
        low, high = table.system.low[place], table.system.high[place]
        if low is not None and high is not None and low >= 1:
            known.setdefault(bits, Group(bits, int(low), int(high), (place,)))
    told: list[tuple[int, int]] = []
    for group in sorted(known.values(), key=lambda group: -group.bits.bit_count()):
        for place in _smallest(table, group):
            bits = table.members[place]
            if any(not group.bits & ~larger and shared & group.bits == bits & group.bits for larger, shared in told):
                continue  # said already of a group that this one is a part of
            told.append((group.bits, bits))
            yield _attribute(table, group, place)
        if group.high < table.k:
            yield from (_attribute(table, group, place, nobody=True) for place in _largest(table, group))


def _smallest(table: Table, group: Group) -> list[int]:
    """Answers that count all people of a group, but not all who could be in it; those that say most, each once."""
    found: dict[int, int] = {}
    for place, bits in enumerate(table.members):
        without = group.bits & ~bits
        if without and group.bits & bits and not without & ~table.empty and not table.counts[place].implied:
            found.setdefault(group.bits & bits, place)
    return [place for part, place in found.items() if not any(other != part and not other & ~part for other in found)]


def _largest(table: Table, group: Group) -> list[int]:
    """Answers that could count people of a group and count none; those that say most, each once."""
    found: dict[int, int] = {}
    for place, bits in enumerate(table.members):
        part = group.bits & bits
        if part and not part & ~table.empty and not table.counts[place].implied:
            found.setdefault(part, place)
    return [place for part, place in found.items() if not any(other != part and not part & ~other for other in found)]


def _attribute(table: Table, group: Group, place: int, *, nobody: bool = False) -> Finding:
    who = _who(table, group)
    held = [table.counts[a].condition for a in group.inside]
    what = beyond(table.counts[place].condition, held)
    bits = group.bits & table.members[place] if nobody else group.bits & ~table.members[place]
    names, shown = _shown(table, bits, 0, 0)
    size = f"{group.low:,}" if group.low == group.high else f"{group.low:,} to {group.high:,}"
    if group.low == group.high == 1:
        said = f"the one person with {who} {'does not have' if nobody else 'has'} {what}"
    else:
        said = f"{'none' if nobody else 'all'} of the {size} people with {who} {'have' if nobody else 'also have'} {what}"
    own = _shown(table, group.bits, group.low, group.high)[0]
    kind = "attribute" if group.high < table.k else "shared"
    answers = tuple(dict.fromkeys((*own, *names)))
    equal = _equation(shown, 0)
    return Finding(kind, f"{equal}: {said}.", who, group.low, group.high, answers, shown)


def _values(table: Table, group: Group) -> Iterator[Finding]:
    """What the people of a small group have of a sum, where sums can be combined to it."""
    among = ((1 << table.atoms) - 1) & ~table.empty
    for column in dict.fromkeys(answer.column for answer in table.sums):
        places = [place for place, answer in enumerate(table.sums) if answer.column == column and answer.value is not None]
        sums = System.exactly(table.atoms, [(table.sums_members[place], table.sums[place].value or Fraction(0)) for place in places])
        terms = sums.equals(spread(group.bits, table.atoms), among, sums.exact)
        if not terms:
            continue
        total = sum((coefficient * (sums.low[place] or 0) for place, coefficient in terms), Fraction(0))
        named = [(table.sums[places[place]].name, coefficient) for place, coefficient in terms]
        who, names = _who(table, group), tuple(name for name, _ in named)
        counted = _shown(table, group.bits, group.low, group.high)[0]
        said = f"the one person with {who} has" if group.low == 1 else f"the {group.low:,} people with {who} have together"
        sentence = f"{brief(sum_of(named))} = {amount(total)}: {said} {column} {amount(total)}."
        answers = tuple(dict.fromkeys((*names, *counted)))
        yield Finding("value", sentence, who, group.low, group.high, answers, sum_of(named))


def _possible(table: Table) -> Iterator[Finding]:
    """Without answers: the groups that nobody asked about and that questions together tell; first those with most conditions."""
    asked, whole = set(table.members), (1 << table.atoms) - 1
    found: dict[int, Finding] = {}
    order = sorted(derived(table), key=lambda each: -len(list(_tests(table, each[1]))))
    for tried, (bits, (inside, outside)) in enumerate(order):
        if len(found) == _POSSIBLE or tried == _TRIED:
            table.notes.append(f"Of {len(order):,} groups those with most conditions were looked at, and {len(found)} are named.")
            break
        if bits in asked or bits in found:
            continue
        terms = table.system.equals(spread(bits, table.atoms), whole, range(len(table.counts)))
        if not terms:
            continue
        named = [(table.counts[place].name, coefficient) for place, coefficient in terms]
        group = Group(bits, 0, 0, *((inside, outside) if inside else parts(table, bits)))
        who, names = _who(table, group), tuple(name for name, _ in named)
        sentence = f"{brief(sum_of(named))} tells how many people have {who}: {listed(names)} together could isolate somebody."
        found[bits] = Finding("possible", sentence, who, None, None, names, sum_of(named))
    yield from found.values()


def _tests(table: Table, sides: tuple[tuple[int, ...], tuple[int, ...]]) -> Iterator[Comparison]:
    """The different tests that a group is described by: the more there are, the fewer people it will have."""
    yield from {test for place in itertools.chain(*sides) for test in comparisons(table.counts[place].condition)}
