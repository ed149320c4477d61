"""The blanks of a policy: what each asks, which line answers it in a file, and how a typed
answer is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import (
    check_stored_digits,
    parse_delta,
    parse_epsilon,
    parse_exact,
    parse_whole,
)
from hedgerow.policy.declared_values import TYPES, read_values
from hedgerow.policy.mistake import KeyPath

__all__ = [
    "PolicyQuestion",
    "ask_delta",
    "ask_epsilon",
    "ask_max",
    "ask_max_groups",
    "ask_max_rows",
    "ask_max_rows_per_group",
    "ask_max_units",
    "ask_min",
    "ask_neighbours",
    "ask_type",
    "ask_unit",
    "ask_values",
]


@dataclass(frozen=True, slots=True)
class PolicyQuestion:
    """One line of a policy that is still empty.

    ``read`` turns a typed answer into the lines that it stands for, or raises InvalidArgument. A
    blank that is not ``required`` may be left empty: then its line is left out.
    """

    place: KeyPath
    prompt: str
    example: str
    parse: Callable[[str], Mapping[str, Any]]
    required: bool = True

    @property
    def key(self) -> str:
        """The last word of its place."""
        return self.place[-1]


def _parse_number(text: str, key: str) -> int | Decimal:
    """As it was typed: 0.1 is one tenth."""
    plain = text.replace("_", "").strip()
    try:
        return int(plain) if plain.lstrip("+-").isdecimal() else Decimal(plain)
    except InvalidOperation:
        raise InvalidArgument(key, "must be a number", text) from None


def _require_answer(text: str, key: str) -> str:
    if not text.strip():
        raise InvalidArgument(key, "has no default: it is yours to say")
    return text.strip()


def ask_unit(place: KeyPath, columns: Sequence[str]) -> PolicyQuestion:
    """Who is protected; "public" answers for a table that is about nobody."""
    names = {name.casefold(): name for name in columns}

    def read(text: str) -> Mapping[str, Any]:
        said = _require_answer(text, "unit").strip("\"'")
        if said.casefold() == "public":
            return {"public": True}
        if said.casefold() == "row" or said.casefold() in names:
            return {"unit": names.get(said.casefold(), "row")}
        near = get_close_matches(said.casefold(), names, n=1)
        fix = f"did you mean {names[near[0]]}?" if near else f"the columns are {', '.join(columns)}"
        raise InvalidArgument("unit", f"must be a column, row or public; {fix}", said)

    asks = (
        'the column with the id of the people to protect, or "row"; public = true instead if it is'
        " about nobody"
    )
    return PolicyQuestion((*place, "unit"), asks, '"…"', read)


def ask_neighbours(place: KeyPath) -> PolicyQuestion:
    """Whether presence is a secret as well."""

    def read(text: str) -> Mapping[str, Any]:
        found = [
            word
            for word in ("add-remove", "change-one")
            if word.startswith(_require_answer(text, "neighbours").lower())
        ]
        if len(found) != 1:
            raise InvalidArgument("neighbours", "must be add-remove or change-one", text)
        return {"neighbours": found[0]}

    asks = (
        "add-remove also hides whether somebody is in the data; change-one: their number is public"
    )
    return PolicyQuestion((*place, "neighbours"), asks, '"add-remove"', read)


def _ask_count(place: KeyPath, key: str, asks: str, *, required: bool = True) -> PolicyQuestion:
    def read(text: str) -> Mapping[str, Any]:
        if not required and not text.strip():
            return {}
        return {key: parse_whole(_parse_number(_require_answer(text, key), key), key)}

    return PolicyQuestion((*place, key), asks, "…", read, required)


def ask_max_units(place: KeyPath) -> PolicyQuestion:
    """How many people there can be."""
    return _ask_count(
        place, "max_units", "a public upper bound on how many people there are; round up generously"
    )


def ask_max_rows(place: KeyPath) -> PolicyQuestion:
    """The same where rows are the units; needed only with delta."""
    return _ask_count(
        place,
        "max_rows",
        "a public upper bound on how many rows there are; needed with delta",
        required=False,
    )


def ask_max_groups(place: KeyPath) -> PolicyQuestion:
    """The cap on groups."""
    return _ask_count(
        place,
        "max_groups",
        "groups that one person may touch in one answer, such as 3; more means more noise",
    )


def ask_max_rows_per_group(place: KeyPath) -> PolicyQuestion:
    """The cap on rows."""
    return _ask_count(
        place,
        "max_rows_per_group",
        "rows of one person that count in a group, such as 1 or 5; more means more noise",
    )


def ask_type(place: KeyPath, physical: str | None) -> PolicyQuestion:
    """What a column holds; Enter says nothing about it."""

    def read(text: str) -> Mapping[str, Any]:
        said = text.strip().lower()
        if not said:
            return {}
        if said in ("hide", "hidden"):
            return {"hidden": True}
        if said not in TYPES:
            raise InvalidArgument("type", f"must be {', '.join(TYPES)}, hide, or nothing", text)
        return {"type": said}

    holds = "something that no question can read" if physical is None else f"stored as {physical}"
    return PolicyQuestion(
        (*place, "type"),
        f"{holds}; {', '.join(TYPES)}, hide, or Enter to say nothing about it",
        '"…"',
        read,
        required=False,
    )


def ask_min(place: KeyPath, type_: str) -> PolicyQuestion:
    """The lower bound; Enter leaves the column without bounds, so that no sum of it is answered."""

    def read(text: str) -> Mapping[str, Any]:
        return {"min": _parse_bound(text, "min", type_)} if text.strip() else {}

    asks = (
        "what everybody knows is the least; smaller values count as this. Enter: no bounds, and no"
        " sums"
    )
    return PolicyQuestion((*place, "min"), asks, "…", read, required=False)


def ask_max(place: KeyPath, type_: str, least: int | Decimal) -> PolicyQuestion:
    """The upper bound."""

    def read(text: str) -> Mapping[str, Any]:
        most = _parse_bound(_require_answer(text, "max"), "max", type_)
        if most <= least:
            raise InvalidArgument("max", f"must be above min ({least})", text)
        return {"max": most}

    return PolicyQuestion(
        (*place, "max"), "what everybody knows is the most; larger values count as this", "…", read
    )


def _parse_bound(text: str, key: str, type_: str) -> int | Decimal:
    number = _parse_number(text, key)
    if parse_exact(number, key).denominator != 1 and type_ == "integer":
        raise InvalidArgument(key, "of an integer column must be a whole number", text)
    return number


def ask_values(place: KeyPath, type_: str) -> PolicyQuestion:
    """The values that appear in every answer; Enter leaves them undeclared."""

    def read(text: str) -> Mapping[str, Any]:
        said = text.strip()
        if not said:
            return {}
        listed: str | list[str] = (
            said
            if "…" in said or "..." in said
            else [part.strip().strip("\"'") for part in said.split(",")]
        )
        read_values(listed, type_)
        return {"values": listed}

    example = "2026-01-01 … 2026-12-31" if type_ == "date" else "north, south, east, west"
    asks = (
        f"every value that an answer may show, such as {example}. Enter: those that enough people"
        " share"
    )
    return PolicyQuestion((*place, "values"), asks, '["…"]', read, required=False)


def ask_epsilon(place: KeyPath) -> PolicyQuestion:
    """The budget."""

    def read(text: str) -> Mapping[str, Any]:
        said = _parse_number(_require_answer(text, "epsilon"), "epsilon")
        check_stored_digits(parse_epsilon(said), "epsilon")
        return {"epsilon": said}

    return PolicyQuestion(
        (*place, "epsilon"),
        "what each of these people may lose in all, over all questions ever, such as 1.0",
        "…",
        read,
    )


def ask_delta(place: KeyPath, people: int) -> PolicyQuestion:
    """The chance to fail; Enter for none."""

    def read(text: str) -> Mapping[str, Any]:
        if not text.strip():
            return {}
        said = _parse_number(text, "delta")
        if check_stored_digits(parse_delta(said), "delta") * people >= 1:
            raise InvalidArgument("delta", f"must be below 1/max_units (1/{people})", text)
        return {"delta": said}

    asks = (
        "the chance that this fails, such as 1e-9; needed to group by values that nobody declared."
        " Enter: none"
    )
    return PolicyQuestion((*place, "delta"), asks, "…", read, required=False)
