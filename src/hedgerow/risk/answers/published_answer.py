"""Published answers as values: a condition, a measure, and the number or its bounds."""

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
    """A published number about the people who satisfy a condition.

    ``low`` and ``high`` are equal where it was published exactly, and None where nothing is known.
    ``line`` is its place in the file. ``contributions`` are known to the custodian only. An answer
    that ``is_implied`` was not published but follows: a complete table has no other group.
    """

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
            raise InvalidArgument("low", "must not be above high", f"{self.low} and {self.high}")

    @property
    def value(self) -> Fraction | None:
        """The number, if it was published exactly."""
        return self.low if self.low == self.high else None

    @property
    def question_key(self) -> tuple[str, str, str, Condition]:
        """A key that is equal for two answers to the same question, however it was written."""
        return self.table, self.measure, self.column, normalise_condition(self.condition)

    @property
    def description(self) -> str:
        """The question in words."""
        if self.is_implied:
            return "people in no group of that table"
        what = "people" if self.measure == "count" else f"{self.measure} of {self.column}"
        return f"{what} with {describe_condition(self.condition)}"


@dataclass(frozen=True, slots=True)
class PublishedAnswers:
    """The answers of a file, public knowledge about its columns, and the skipped lines with
    reasons.
    """

    answers: tuple[PublishedAnswer, ...]
    known_columns: Mapping[str, str | Sequence[Constant]] = field(default_factory=dict)
    skipped_lines: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.answers:
            reason = "the file holds none"
            if self.skipped_lines:
                line, problem = self.skipped_lines[0]
                reason = f"line {line:,}: {problem}"
            raise InvalidArgument("answers", f"must include at least one readable answer; {reason}")
        if len({answer.name for answer in self.answers}) < len(self.answers):
            raise InvalidArgument(
                "answers", "must have different names", [answer.name for answer in self.answers]
            )


def parse_bounds(
    text: object, within: object = None, *, measure: str = "count"
) -> tuple[Fraction | None, Fraction | None]:
    """Return the bounds of a published number: ``12``, ``<5`` (a count from 0 to 4), or unknown
    (``*``).
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
    """Return a number exactly as written: 0.1 is one tenth."""
    is_number = isinstance(given, int | str) and not isinstance(given, bool)
    number = parse_number(str(given).strip()) if is_number else None
    if number is None:
        raise InvalidArgument(
            "answer", "must be a number, '<5', or empty or * where it was suppressed", given
        )
    return number
