"""What the tour found, as plain values: one class for each chapter. ``tour`` makes them, ``show`` draws them.

Fields named ``truth`` hold what only a custodian sees. They are here because the clinic is made up; an analyst never gets them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hedgerow.privacy.account import Account, decimals

__all__ = [
    "Audited",
    "Averaged",
    "Bar",
    "Chapter",
    "Chosen",
    "Counted",
    "Finding",
    "Histogram",
    "Led",
    "Payment",
    "Protected",
    "Refusal",
    "Survey",
    "plain",
]


@dataclass(frozen=True)
class Payment:
    """What a question cost, and the budget after it."""

    question: str
    cost: Fraction
    account: Account


@dataclass(frozen=True)
class Protected:
    """Who is protected. ``guess`` is how sure anybody can be, at best, whether one patient is in the file."""

    relation: str
    owner: str
    distance: int
    guess: float
    account: Account


@dataclass(frozen=True)
class Counted:
    """A count, within ``radius`` of the truth with 95 %."""

    answer: int
    radius: int
    scale: float
    truth: int
    payment: Payment


@dataclass(frozen=True)
class Averaged:
    """A mean from a noisy sum and a noisy count, with a 95 % interval."""

    answer: float
    low: float
    high: float
    least: int
    most: int
    truth: float
    payment: Payment


@dataclass(frozen=True)
class Bar:
    """One bar of a histogram."""

    label: str
    answer: int
    low: int
    high: int
    truth: int


@dataclass(frozen=True)
class Histogram:
    """Counts of groups; all intervals hold together with 95 %."""

    bars: tuple[Bar, ...]
    radius: int
    payment: Payment


@dataclass(frozen=True)
class Chosen:
    """A choice: with 95 % the score of the chosen candidate is within ``radius`` of the best."""

    candidates: tuple[str, ...]
    answer: str
    radius: float
    truth: str
    payment: Payment


@dataclass(frozen=True)
class Led:
    """A choice with the lead of the winner."""

    answer: str
    lead: int
    truth: str
    true_lead: int
    payment: Payment


@dataclass(frozen=True)
class Survey:
    """Randomised response. ``trusted`` is the 95 % radius of the share had everybody trusted one custodian with the same epsilon."""

    people: int
    epsilon: float
    reported: float
    answer: float
    low: float
    high: float
    trusted: float
    truth: float


@dataclass(frozen=True)
class Refusal:
    """A question that the budget does not cover, after those that it paid for."""

    paid: tuple[Payment, ...]
    question: str
    asked: Fraction
    message: str
    account: Account


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


Chapter = Protected | Counted | Averaged | Histogram | Chosen | Led | Survey | Refusal | Audited


def plain(chapter: Chapter) -> dict[str, Any]:
    """A chapter as data for JSON, with its name."""
    fields: dict[str, Any] = _plain(chapter)
    return {"chapter": type(chapter).__name__.lower()} | fields


def _plain(value: Any) -> Any:
    if isinstance(value, Account):
        return value.to_dict()
    if isinstance(value, Fraction):
        return decimals(value, up=True)
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
