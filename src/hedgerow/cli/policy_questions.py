"""The questions that ``hedgerow init`` asks: prompt, example line and parser of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from typing import Any, Final

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import (
    check_stored_digits,
    parse_delta,
    parse_epsilon,
    parse_exact,
    parse_whole,
)
from hedgerow.policy.declared_values import TYPES, read_moments, read_values
from hedgerow.policy.mistake import KeyPath

__all__ = [
    "ACCEPT_ALL",
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

ACCEPT_ALL: Final = "a"  # typed for a type: confirm this one and all others of the table


@dataclass(frozen=True, slots=True)
class PolicyQuestion:
    """A question about one line of a policy.

    ``parse`` turns a typed answer into keys and values of the policy, or raises InvalidArgument.
    The answer to a question that is not ``required`` may be empty: then the line is left out.
    """

    place: KeyPath
    prompt: str
    example: str
    parse: Callable[[str], Mapping[str, Any]]
    required: bool = True

    @property
    def key(self) -> str:
        """The policy key that the answer belongs to."""
        return self.place[-1]


def _parse_number(text: str, key: str) -> int | Decimal:
    """Return a number exactly as typed: 0.1 is one tenth."""
    plain = text.replace("_", "").strip()
    try:
        return int(plain) if plain.lstrip("+-").isdecimal() else Decimal(plain)
    except InvalidOperation:
        raise InvalidArgument(key, "must be a number, such as 10 or 0.5", text) from None


def _require_answer(text: str, key: str) -> str:
    if not text.strip():
        raise InvalidArgument(key, "has no default: type a value")
    return text.strip()


def ask_unit(place: KeyPath, columns: Sequence[str]) -> PolicyQuestion:
    """Ask for the privacy unit; "public" marks a table that is about nobody."""
    names = {name.casefold(): name for name in columns}

    def parse(text: str) -> Mapping[str, Any]:
        name = _require_answer(text, "unit").strip("\"'")
        parts = [part.strip("\"' []").casefold() for part in name.split(",")]
        if name.casefold() == "public":
            return {"public": True}
        if name.casefold() == "row" or name.casefold() in names:
            return {"unit": names.get(name.casefold(), "row")}
        if len(parts) > 1 and all(part in names for part in parts):
            return {"unit": [names[part] for part in parts]}
        near = get_close_matches(name.casefold(), names, n=1)
        hint = (
            f"did you mean {names[near[0]]}?" if near else f"the columns are {', '.join(columns)}"
        )
        raise InvalidArgument("unit", f"must be a column, row or public; {hint}", name)

    prompt = (
        'the column that identifies a person (or several: store, customer), or "row" to protect'
        " single rows; public = true instead if the table is about nobody"
    )
    return PolicyQuestion((*place, "unit"), prompt, '"…"', parse)


def ask_neighbours(place: KeyPath) -> PolicyQuestion:
    """Ask for the neighbouring relation: whether a person's presence is secret as well."""

    def parse(text: str) -> Mapping[str, Any]:
        typed = _require_answer(text, "neighbours").lower()
        relations = [word for word in ("add-remove", "change-one") if word.startswith(typed)]
        if len(relations) != 1:
            raise InvalidArgument("neighbours", "must be add-remove or change-one", text)
        return {"neighbours": relations[0]}

    prompt = (
        "add-remove also hides whether somebody is in the data; with change-one the number of"
        " people is public"
    )
    return PolicyQuestion((*place, "neighbours"), prompt, '"add-remove"', parse)


def _ask_count(place: KeyPath, key: str, prompt: str, *, required: bool = True) -> PolicyQuestion:
    def parse(text: str) -> Mapping[str, Any]:
        if not required and not text.strip():
            return {}
        return {key: parse_whole(_parse_number(_require_answer(text, key), key), key)}

    return PolicyQuestion((*place, key), prompt, "…", parse, required)


def ask_max_units(place: KeyPath) -> PolicyQuestion:
    """Ask for a public upper bound on the number of people."""
    return _ask_count(
        place, "max_units", "a public upper bound on the number of people; round up generously"
    )


def ask_max_rows(place: KeyPath) -> PolicyQuestion:
    """Ask for a public upper bound on the number of rows, where rows are the units."""
    return _ask_count(
        place,
        "max_rows",
        "a public upper bound on the number of rows; needed only with delta",
        required=False,
    )


def _ask_cap(place: KeyPath, key: str, prompt: str) -> PolicyQuestion:
    """Ask for a cap: a number that is known, or "auto"."""
    question = _ask_count(place, key, f"{prompt}; auto has it found privately, at a cost")

    def parse(text: str) -> Mapping[str, Any]:
        return {key: "auto"} if text.strip(" \"'").lower() == "auto" else question.parse(text)

    return replace(question, parse=parse)


def ask_max_groups(place: KeyPath) -> PolicyQuestion:
    """Ask for the number of groups to which one person contributes."""
    return _ask_cap(
        place,
        "max_groups",
        "how many groups of one answer a person contributes to, such as 3; more means more noise",
    )


def ask_max_rows_per_group(place: KeyPath) -> PolicyQuestion:
    """Ask for the number of rows that one person contributes to a group."""
    return _ask_cap(
        place,
        "max_rows_per_group",
        "how many rows a person contributes to one group, such as 1 or 5; more means more noise",
    )


def ask_type(
    place: KeyPath, physical: str | None, *, is_guess: bool = False, explain: bool = True
) -> PolicyQuestion:
    """Ask for the type of a column, and offer the one in the file, which is a guess in a .csv file;
    ``explain`` adds what may be typed."""

    def parse(text: str) -> Mapping[str, Any]:
        typed = text.strip().lower()
        if typed in ("", ACCEPT_ALL):
            return {} if physical is None else {"type": physical}
        if typed == "-":
            return {}
        if typed in ("hide", "hidden"):
            return {"hidden": True}
        if typed not in TYPES:
            raise InvalidArgument(
                "type", f"must be {', '.join(TYPES)}, hide, - or {ACCEPT_ALL}", text
            )
        return {"type": typed}

    offered = (
        "no question can read it"
        if physical is None
        else f"{'guessed from the first rows:' if is_guess else 'stored as'} {physical}"
    )
    choices = (
        f". Press Enter to confirm, {ACCEPT_ALL} to confirm this and all others, - to leave it"
        f" undeclared; or type hide, {', '.join(TYPES)}"
    )
    prompt = offered + (choices if explain else "")
    return PolicyQuestion((*place, "type"), prompt, '"…"', parse, required=False)


def ask_min(place: KeyPath, type_: str) -> PolicyQuestion:
    """Ask for the lower bound of a column; without bounds no sum of it is answered."""

    def parse(text: str) -> Mapping[str, Any]:
        return {"min": _parse_bound(text, "min", type_)} if text.strip() else {}

    prompt = (
        "the smallest value, as common knowledge and not as in the data; smaller values count as"
        " this. Press Enter for no bounds, and no sums"
    )
    return PolicyQuestion((*place, "min"), prompt, "…", parse, required=False)


def ask_max(place: KeyPath, type_: str, minimum: int | Decimal) -> PolicyQuestion:
    """Ask for the upper bound of a column."""

    def parse(text: str) -> Mapping[str, Any]:
        maximum = _parse_bound(_require_answer(text, "max"), "max", type_)
        if maximum <= minimum:
            raise InvalidArgument("max", f"must be above min ({minimum})", text)
        return {"max": maximum}

    prompt = (
        "the largest value, as common knowledge and not as in the data; larger values count as this"
    )
    return PolicyQuestion((*place, "max"), prompt, "…", parse)


def _parse_bound(text: str, key: str, type_: str) -> int | Decimal:
    number = _parse_number(text, key)
    if parse_exact(number, key).denominator != 1 and type_ == "integer":
        raise InvalidArgument(key, "of an integer column must be a whole number", text)
    return number


def ask_values(place: KeyPath, type_: str) -> PolicyQuestion:
    """Ask for the values of a column, which then appear in every answer."""

    def parse(text: str) -> Mapping[str, Any]:
        typed = text.strip()
        if not typed:
            return {}
        is_range = "…" in typed or "..." in typed
        values: str | list[str] = (
            typed if is_range else [part.strip().strip("\"'") for part in typed.split(",")]
        )
        if type_ == "timestamp":
            read_moments(typed)
        else:
            read_values(values, type_)
        return {"values": values}

    example = "2026-01-01 … 2026-12-31" if type_ != "text" else "north, south, east, west"
    prompt = (
        f"every value that an answer may show, such as {example}. Press Enter to show only values"
        " that enough people share"
    )
    return PolicyQuestion((*place, "values"), prompt, '["…"]', parse, required=False)


def ask_epsilon(place: KeyPath) -> PolicyQuestion:
    """Ask for the epsilon of the budget."""

    def parse(text: str) -> Mapping[str, Any]:
        epsilon = _parse_number(_require_answer(text, "epsilon"), "epsilon")
        check_stored_digits(parse_epsilon(epsilon), "epsilon")
        return {"epsilon": epsilon}

    prompt = "the total privacy budget for these people, over all questions ever, such as 1.0"
    return PolicyQuestion((*place, "epsilon"), prompt, "…", parse)


def ask_delta(place: KeyPath, people: int) -> PolicyQuestion:
    """Ask for the delta of the budget; an empty answer makes the budget pure epsilon."""

    def parse(text: str) -> Mapping[str, Any]:
        if not text.strip():
            return {}
        delta = _parse_number(text, "delta")
        if check_stored_digits(parse_delta(delta), "delta") * people >= 1:
            raise InvalidArgument("delta", f"must be below 1/max_units (1/{people})", text)
        return {"delta": delta}

    prompt = (
        "the chance that this guarantee fails, such as 1e-9; needed to group by values that are"
        " not listed. Press Enter for none"
    )
    return PolicyQuestion((*place, "delta"), prompt, "…", parse, required=False)
