"""A section of a policy document, read key by key: wrong values, missing and unknown keys become
mistakes, and reading goes on.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import TypeVar

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import (
    check_stored_digits,
    parse_delta,
    parse_epsilon,
    parse_exact,
    parse_whole,
)
from hedgerow.policy.mistake import KeyPath, Mistake

__all__ = [
    "Section",
    "build_choice_reader",
    "read_count",
    "read_delta",
    "read_epsilon",
    "read_flag",
    "read_names",
    "read_number",
    "read_text",
]

T = TypeVar("T")
ValueReader = Callable[[object, str], T]

read_number: ValueReader[Fraction] = parse_exact  # any finite number
read_count: ValueReader[int] = parse_whole  # at least 1


def read_text(value: object, key: str) -> str:
    """Read a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidArgument(key, "must be text in quotes", value)
    return str(value)


def read_flag(value: object, key: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise InvalidArgument(key, "must be true or false", value)
    return value


def read_names(value: object, key: str) -> tuple[str, ...]:
    """Read a list of different names that is not empty."""
    if (
        not isinstance(value, list)
        or not value
        or not all(isinstance(name, str) and name for name in value)
        or len(set(value)) < len(value)
    ):
        raise InvalidArgument(key, 'must be a list of different names, such as ["visits"]', value)
    return tuple(value)


def read_epsilon(value: object, key: str) -> Fraction:
    """Read an epsilon."""
    return check_stored_digits(parse_epsilon(value, key), key)


def read_delta(value: object, key: str) -> Fraction:
    """Read a delta."""
    return check_stored_digits(parse_delta(value, key), key)


def build_choice_reader(*options: str) -> ValueReader[str]:
    """Build a reader of one of a few words."""

    def read(value: object, key: str) -> str:
        if value not in options:
            raise InvalidArgument(key, f"must be {' or '.join(map(repr, options))}", value)
        return str(value)

    return read


def _read_table(value: object, key: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise InvalidArgument(key, "must be a table, such as { key = value }", value)
    return value


class Section:
    """A table of the document with its path; ``mistakes`` is the one list of the whole document."""

    __slots__ = ("bad_keys", "content", "mistakes", "path")

    def __init__(
        self, path: KeyPath, content: Mapping[str, object], mistakes: list[Mistake]
    ) -> None:
        self.path, self.content, self.mistakes = path, content, mistakes
        self.bad_keys: set[str] = set()  # known keys that are missing or could not be read

    def add_mistake(self, key: str, message: str) -> None:
        """Add a mistake at a key."""
        self.bad_keys.add(key)
        self.mistakes.append(Mistake((*self.path, key), message))

    def read_optional(self, key: str, read: ValueReader[T]) -> T | None:
        """Read the value of a key; None if it is absent or wrong (then the mistake is added)."""
        if key not in self.content:
            return None
        try:
            return read(self.content[key], key)
        except InvalidArgument as error:
            self.add_mistake(key, str(error).removesuffix("."))
            return None

    def read_required(self, key: str, read: ValueReader[T], fix: str) -> T | None:
        """Read the value of a key; an absent key is a mistake."""
        if key not in self.content:
            self.add_mistake(key, f"{key} is missing: {fix}")
        return self.read_optional(key, read)

    def read_section(self, key: str) -> Section | None:
        """Read the table under a key; None if there is none."""
        content = self.read_optional(key, _read_table)
        return None if content is None else Section((*self.path, key), content, self.mistakes)

    def list_sections(self) -> Iterator[tuple[str, Section]]:
        """Yield every key of this table with the table under it."""
        for key in self.content:
            if (inner := self.read_section(key)) is not None:
                yield key, inner

    def check_keys(self, *known: str) -> None:
        """Add a mistake for every unknown key, with the closest known one."""
        for key in self.content:
            if key not in known:
                near = difflib.get_close_matches(key.casefold(), known, n=1, cutoff=0.6)
                fix = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(known)}"
                self.mistakes.append(
                    Mistake((*self.path, key), f"{key!r} is not a key of this table; {fix}")
                )
