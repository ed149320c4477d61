"""Findings about single groups: who is in a group, and which answers prove its size."""

from __future__ import annotations

from hedgerow.risk.answers.findings import (
    DisclosureFinding,
    describe_group,
    describe_people,
    describe_remainder,
    format_combination,
    shorten_combination,
)
from hedgerow.risk.answers.linear_combinations import Combination
from hedgerow.risk.answers.small_groups import AnswerTable, PeopleGroup, find_combination

__all__ = [
    "build_attribute_finding",
    "build_isolation_finding",
    "describe_people_group",
    "explain_size",
    "format_equation",
]


def describe_people_group(table: AnswerTable, group: PeopleGroup) -> str:
    """Describe the people of a group by the conditions of its answers."""
    return describe_group(
        [table.counts[a].condition for a in group.inside],
        [table.counts[b].condition for b in group.outside],
    )


def build_isolation_finding(table: AnswerTable, group: PeopleGroup) -> DisclosureFinding:
    """Build the finding that a group of few people can be isolated."""
    who = describe_people_group(table, group)
    names, shown = explain_size(table, group.atom_bits, group.low, group.high)
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
    equal = format_equation(shown, group.low)
    return DisclosureFinding(
        "isolated",
        f"{equal}: {describe_people(group.low)} {who}.",
        who,
        group.low,
        group.high,
        names,
        shown,
    )


def explain_size(table: AnswerTable, bits: int, low: int, high: int) -> tuple[tuple[str, ...], str]:
    """Return the answers that prove a size, and how: a sum of answers, or bounds."""
    equal = find_combination(table, bits) if low == high else None
    if equal is not None:
        terms = [(table.counts[place].name, coefficient) for place, coefficient in equal[0]]
        empty = " (other groups being empty)" if equal[1] else ""
        return tuple(name for name, _ in terms), format_combination(terms) + empty
    upper, lower = table.system.bound_above(bits), table.system.bound_below(bits)
    if not high and upper is not None and not upper[1].upper_bound:
        names = tuple(table.counts[place].name for place, _ in upper[1].terms)
        return names, _format_proof(table, upper[1])
    proofs = [end[1] for end in (upper, lower) if end is not None and end[1] is not None]
    names = tuple(
        dict.fromkeys(table.counts[place].name for proof in proofs for place, _ in proof.terms)
    )
    sources = [_format_proof(table, proof) for proof in proofs]
    if upper is None or upper[0] != high or lower[0] != low:
        # A search over whole numbers found it, with a proof for each of its cases.
        sources.append("people being whole")
    return names, f"bounds from {' and '.join(sources)}"


def format_equation(shown: str, size: int) -> str:
    """Format a combination with the size that it equals; bounds have no single size."""
    short = shorten_combination(shown)
    return short if shown.startswith("bounds") else f"{short} = {size:,}"


def _format_proof(table: AnswerTable, proof: Combination) -> str:
    terms = [(table.counts[place].name, coefficient) for place, coefficient in proof.terms]
    return format_combination(terms) or "0"


def build_attribute_finding(
    table: AnswerTable, group: PeopleGroup, place: int, *, nobody: bool = False
) -> DisclosureFinding:
    """Build the finding that everybody, or nobody, in a group has an attribute."""
    who = describe_people_group(table, group)
    held = [table.counts[a].condition for a in group.inside]
    what = describe_remainder(table.counts[place].condition, held)
    members = table.members[place]
    bits = group.atom_bits & (members if nobody else ~members)
    names, shown = explain_size(table, bits, 0, 0)
    size = f"{group.low:,}" if group.low == group.high else f"{group.low:,} to {group.high:,}"
    if group.low == group.high == 1:
        statement = f"the one person with {who} {'does not have' if nobody else 'has'} {what}"
    else:
        statement = (
            f"{'none' if nobody else 'all'} of the {size} people with {who}"
            f" {'have' if nobody else 'also have'} {what}"
        )
    own = explain_size(table, group.atom_bits, group.low, group.high)[0]
    kind = "attribute" if group.high < table.k else "shared"
    answers = tuple(dict.fromkeys((*own, *names)))
    equal = format_equation(shown, 0)
    return DisclosureFinding(
        kind, f"{equal}: {statement}.", who, group.low, group.high, answers, shown
    )
