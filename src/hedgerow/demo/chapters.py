"""What the tour found, as plain values: one class for each chapter. ``tour`` makes them, ``show``
draws them.

Fields named ``truth`` hold what only a custodian sees. They are here because the clinic is made up;
an analyst never gets them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hedgerow.charts.text_bars import TextBar
from hedgerow.privacy.budget_view import Balance, format_decimals

__all__ = [
    "Again",
    "Attacked",
    "Audited",
    "Chapter",
    "Charge",
    "Discovered",
    "Explained",
    "Filtered",
    "Finding",
    "Grouped",
    "Kept",
    "Protected",
    "Receipt",
    "Refusal",
    "Refused",
    "Spent",
    "Unpaid",
    "encode_chapter",
]


@dataclass(frozen=True)
class Receipt:
    """What a question cost, which ledger entry paid for it, and the budget after it. ``reused``:
    it was paid for before, and is free.
    """

    entry: int
    cost: Fraction
    reused: bool
    account: Balance


@dataclass(frozen=True)
class Protected:
    """Who is protected. ``guess`` is how sure anybody can be, at best, whether one patient is in
    the data.
    """

    policy: str
    unit: str
    neighbours: str
    guess: float
    truth: int
    account: Balance


@dataclass(frozen=True)
class Explained:
    """What a question would cost, before it is asked. ``epsilon`` is what it takes to count
    patients to within ``error``.
    """

    sql: str
    words: str
    error: int
    epsilon: Fraction
    account: Balance


@dataclass(frozen=True)
class Grouped:
    """Counts and means of groups."""

    sql: str
    counts: tuple[TextBar, ...]
    means: tuple[TextBar, ...]
    receipt: Receipt


@dataclass(frozen=True)
class Again:
    """The same question in other words. ``same``: every number came out as before."""

    sql: str
    same: bool
    receipt: Receipt


@dataclass(frozen=True)
class Discovered:
    """Counts of keys that nobody declared. ``truth_hidden`` (for the custodian) has those that
    too few people share.
    """

    sql: str
    threshold: int
    counts: tuple[TextBar, ...]
    truth_hidden: tuple[tuple[str, int], ...]
    receipt: Receipt


@dataclass(frozen=True)
class Filtered:
    """Counts and means of some of the rows."""

    sql: str
    counts: tuple[TextBar, ...]
    means: tuple[TextBar, ...]
    receipt: Receipt


@dataclass(frozen=True)
class Refusal:
    """A question that is not answered, and what was said instead."""

    sql: str
    message: str


@dataclass(frozen=True)
class Refused:
    """Questions that no budget buys."""

    refusals: tuple[Refusal, ...]
    account: Balance


@dataclass(frozen=True)
class Attacked:
    """An attacker who asks again and again and averages.

    ``repeats`` of one question gave ``different`` numbers; ``answers`` are those of new questions
    that mean nearly the same. ``spread`` and ``honest`` are standard deviations: of their average,
    and of one question at the price of all.
    """

    repeats: int
    different: int
    sql: str
    epsilon: Fraction
    answers: tuple[TextBar, ...]
    average: float
    spread: float
    honest: float
    refused: str
    truth: int
    account: Balance


@dataclass(frozen=True)
class Spent:
    """One question too many; an empty ``message`` says that the budget was raised since, and
    covers it.
    """

    sql: str
    epsilon: Fraction
    message: str
    account: Balance


@dataclass(frozen=True)
class Charge:
    """One payment in the ledger."""

    entry: int
    analyst: str
    about: str
    epsilon: Fraction


@dataclass(frozen=True)
class Kept:
    """The ledger, recomputed from its entries."""

    ledger: str
    entries: int
    sound: bool
    spent: Fraction
    charges: tuple[Charge, ...]


@dataclass(frozen=True)
class Unpaid:
    """A chapter that the budget no longer pays for, because somebody has asked other questions
    since.
    """

    title: str
    sql: str
    message: str
    account: Balance


@dataclass(frozen=True)
class Finding:
    """What an audit certified about one way to make noise."""

    name: str
    claim: float
    epsilon: float
    event: str
    refuted: bool


@dataclass(frozen=True)
class Audited:
    """Two ways to make the same noise, seen from outside."""

    findings: tuple[Finding, ...]
    samples: int
    confidence: float


Chapter = (
    Protected
    | Explained
    | Grouped
    | Again
    | Discovered
    | Filtered
    | Refused
    | Attacked
    | Spent
    | Kept
    | Unpaid
    | Audited
)


def encode_chapter(chapter: Chapter) -> dict[str, Any]:
    """A chapter as data for JSON, with its name."""
    fields: dict[str, Any] = _encode_value(chapter)
    return {"chapter": type(chapter).__name__.lower()} | fields


def _encode_value(value: Any) -> Any:
    if isinstance(value, Balance):
        return value.to_dict()
    if isinstance(value, Fraction):
        return format_decimals(value, up=True)
    if dataclasses.is_dataclass(value):
        return {
            field.name: _encode_value(getattr(value, field.name))
            for field in dataclasses.fields(value)
        }
    return [_encode_value(item) for item in value] if isinstance(value, tuple) else value
