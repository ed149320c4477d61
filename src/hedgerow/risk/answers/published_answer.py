"""Published answers as values: a condition, what was added up, and the number or the two ends
between which it lies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers.conditions import (
    Condition,
    Constant,
    describe_condition,
    normalise_condition,
    parse_number,
)

__all__ = ["PublishedAnswer", "PublishedAnswers", "parse_bounds", "parse_fraction"]

MEASURES: Final = ("count", "sum", "mean")
_SUPPRESSION_MARKS: Final = {"", "*", "x", "..", "-", "–", "null", "none", "n/a", "suppressed"}


@dataclass(frozen=True, slots=True)
class PublishedAnswer:
    """One number about those who satisfy a condition. ``low`` and ``high`` are the same where it
    was published as it is, and None where nothing is known. ``line`` is where it stands in its
    file; ``contributions`` are known to the custodian only. ``implied`` is what nobody published
    but everybody knows: that a whole table has no other group."""

    name: str
    condition: Condition
    low: Fraction | None = None
    high: Fraction | None = None
    measure: str = "count"
    column: str = ""
    table: str = "data"
    line: int = 0
    contributions: tuple[Fraction, ...] = ()
    is_implied: bool = False

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise InvalidArgument("measure", "must be count, sum or mean", self.measure)
        if (self.measure == "count") is bool(self.column):
            raise InvalidArgument(
                "column", "must be given for a sum or a mean, and only there", self.column
            )
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InvalidArgument("low", "must be at most high", (self.low, self.high))

    @property
    def value(self) -> Fraction | None:
        """The number, where it was published as it is."""
        return self.low if self.low == self.high else None

    @property
    def question_key(self) -> tuple[str, str, str, Condition]:
        """Equal for two answers to the same question, however it was written."""
        return self.table, self.measure, self.column, normalise_condition(self.condition)

    @property
    def description(self) -> str:
        """What was asked, for people."""
        if self.is_implied:
            return "people in no group of that table"
        what = "people" if self.measure == "count" else f"{self.measure} of {self.column}"
        return f"{what} with {describe_condition(self.condition)}"


@dataclass(frozen=True, slots=True)
class PublishedAnswers:
    """All answers of a file; what is publicly known of its columns; and the lines that were left
    out, each with the reason.
    """

    answers: tuple[PublishedAnswer, ...]
    known_columns: Mapping[str, str | Sequence[Constant]] = field(default_factory=dict)
    skipped_lines: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.answers:
            more = (
                f": line {self.skipped_lines[0][0]:,}: {self.skipped_lines[0][1]}"
                if self.skipped_lines
                else ", and there is none"
            )
            raise InvalidArgument("answers", f"must be at least one that can be read{more}")
        if len({answer.name for answer in self.answers}) < len(self.answers):
            raise InvalidArgument(
                "answers", "must have different names", [answer.name for answer in self.answers]
            )


def parse_bounds(
    text: object, within: object = None, *, measure: str = "count"
) -> tuple[Fraction | None, Fraction | None]:
    """Between what a published number lies: ``12``, ``<5`` (a count from 0 to 4), or nothing
    known (``*``, empty).
    """
    if text is None or (isinstance(text, str) and text.strip().lower() in _SUPPRESSION_MARKS):
        return None, None
    if isinstance(text, str) and text.strip().startswith("<"):
        limit = parse_fraction(text.strip().removeprefix("<").strip())
        if measure != "count":
            return None, None
        return Fraction(0), Fraction(-(-limit.numerator // limit.denominator) - 1)
    value = parse_fraction(text)
    margin = Fraction(0) if within is None or within == "" else parse_fraction(within)
    if margin < 0:
        raise InvalidArgument("within", "must not be negative", within)
    return value - margin, value + margin


def parse_fraction(given: object) -> Fraction:
    """A number exactly as it is written: 0.1 is one tenth."""
    text = (
        given.strip()
        if isinstance(given, str)
        else str(given)
        if isinstance(given, int) and not isinstance(given, bool)
        else ""
    )
    found = parse_number(text)
    if found is None:
        raise InvalidArgument(
            "answer", "must be a number, '<5', or empty or * where it was suppressed", given
        )
    return found
