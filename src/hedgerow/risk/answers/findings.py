"""Findings in published answers, as sentences; the most dangerous first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Final

from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers.conditions import (
    And,
    Comparison,
    Condition,
    conjoin,
    describe_condition,
    normalise_condition,
)

__all__ = [
    "KINDS",
    "DisclosureFinding",
    "describe_group",
    "describe_people",
    "describe_remainder",
    "format_amount",
    "format_combination",
    "shorten_combination",
    "sort_findings",
]

_MAX_COMBINATION_WORDS: Final = 24

# The most dangerous first, each with its meaning.
KINDS: Final[dict[str, str]] = {
    "inconsistent": "answers that contradict each other",
    "value": "somebody's value can be computed",
    "attribute": "everybody in a small group shares an attribute",
    "isolated": "a small group that nobody asked about can be computed",
    "recoverable": "a suppressed number can be computed",
    "dominated": "a total gives its largest contributor away",
    "published": "a small count was published as it is",
    "bounded": "a small group lies within narrow bounds",
    "shared": "everybody in a larger group shares an attribute",
    "averaged": "noise that repeated answers average away",
    "possible": "questions that together could isolate somebody",
}


@dataclass(frozen=True, slots=True)
class DisclosureFinding:
    """One finding: its kind, a sentence, the group and its size, and the answers that prove it."""

    kind: str
    sentence: str
    group: str = ""
    low: int | None = None
    high: int | None = None
    answers: tuple[str, ...] = ()
    combination: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InvalidArgument("kind", f"must be one of {', '.join(KINDS)}", self.kind)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain data for JSON."""
        return {**asdict(self), "answers": list(self.answers)}


def sort_findings(findings: Iterable[DisclosureFinding]) -> tuple[DisclosureFinding, ...]:
    """Sort findings by danger; within a kind by group size, then by number of answers."""
    rank = {kind: place for place, kind in enumerate(KINDS)}

    def compute_key(finding: DisclosureFinding) -> tuple[int, int, int]:
        size = 10**9 if finding.high is None else finding.high
        return rank[finding.kind], size, len(finding.answers)

    return tuple(sorted(findings, key=compute_key))


def describe_people(count: int) -> str:
    """Return the number of people with the verb that follows."""
    if count == 1:
        return "exactly one person has"
    return f"exactly {count:,} people have" if count else "nobody has"


def format_amount(value: Fraction) -> str:
    """Format a number in full: exactly if it is whole, else to ten digits."""
    if value.denominator == 1:
        return f"{value.numerator:,}".replace("-", "−")
    return f"{float(value):,.10g}".replace("-", "−")


def format_combination(terms: Sequence[tuple[str, Fraction]]) -> str:
    """Format a combination as ``Q1 − Q2 + 2·Q3``, with added terms first."""
    parts: list[str] = []
    for name, coefficient in sorted(terms, key=lambda term: term[1] < 0):
        size = abs(coefficient)
        factor = "" if size == 1 else f"{size}·" if size.denominator == 1 else f"({size})·"
        sign = "−" if coefficient < 0 else "+" if parts else ""
        parts.append(f"{sign}{' ' if parts else ''}{factor}{name}")
    return " ".join(parts)


def shorten_combination(combination: str) -> str:
    """Cut a long combination for a sentence; the finding keeps all of it."""
    parts = combination.split(" ")
    return (
        combination
        if len(parts) <= _MAX_COMBINATION_WORDS
        else f"{' '.join(parts[: _MAX_COMBINATION_WORDS - 8])} … {parts[-1]}"
    )


def describe_group(inside: Sequence[Condition], outside: Sequence[Condition]) -> str:
    """Describe who satisfies some conditions but not others, without repeating shared parts."""
    held = {
        _normalise_part(part): part for condition in inside for part in _list_conjuncts(condition)
    }
    left = [describe_remainder(condition, inside) for condition in outside]
    outer = list(dict.fromkeys(left))
    if not held and outer:
        return f"neither {' nor '.join(outer)}" if len(outer) > 1 else f"not {outer[0]}"
    return describe_condition(conjoin(*held.values())) + (
        f", but not {' nor '.join(outer)}" if outer else ""
    )


def describe_remainder(condition: Condition, given: Sequence[Condition]) -> str:
    """Describe the part of a condition that the given conditions do not contain."""
    known = {_normalise_part(part) for each in given for part in _list_conjuncts(each)}
    rest = tuple(part for part in _list_conjuncts(condition) if _normalise_part(part) not in known)
    return (
        describe_condition(rest[0])
        if len(rest) == 1
        else describe_condition(And(rest), inner=bool(rest))
    )


def _normalise_part(part: Condition) -> Condition:
    """Normalise a part of a description: to be in the group of a value is to have that value."""
    match part:
        case Comparison(column, "is", values) if values:
            return Comparison(column, "=", values)
    return normalise_condition(part)


def _list_conjuncts(condition: Condition) -> tuple[Condition, ...]:
    return condition.parts if isinstance(condition, And) else (condition,)
