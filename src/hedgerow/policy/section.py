"""One table of a policy document, read key by key: wrong values, missing and unknown keys become mistakes, and reading goes on."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import TypeVar

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.number import exact, privacy_delta, privacy_epsilon, short, whole
from hedgerow.policy.mistake import Mistake, Place

__all__ = ["Section", "a_choice", "a_delta", "a_flag", "a_number", "a_text", "a_whole", "an_epsilon"]

T = TypeVar("T")
Reader = Callable[[object, str], T]


def a_text(value: object, key: str) -> str:
    """Text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidArgument(key, "must be text in quotes", value)
    return str(value)


def a_flag(value: object, key: str) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise InvalidArgument(key, "must be true or false", value)
    return value


def a_number(value: object, key: str) -> Fraction:
    """Any finite number."""
    return exact(value, key)


def a_whole(value: object, key: str) -> int:
    """A whole number of at least 1."""
    return whole(value, key)


def an_epsilon(value: object, key: str) -> Fraction:
    """A privacy parameter epsilon."""
    return short(privacy_epsilon(value, key), key)


def a_delta(value: object, key: str) -> Fraction:
    """A privacy parameter delta."""
    return short(privacy_delta(value, key), key)


def a_choice(*options: str) -> Reader[str]:
    """One of a few words."""

    def read(value: object, key: str) -> str:
        if value not in options:
            raise InvalidArgument(key, f"must be {' or '.join(map(repr, options))}", value)
        return str(value)

    return read


def _a_table(value: object, key: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise InvalidArgument(key, "must be a table, such as { key = value }", value)
    return value


class Section:
    """A table of the document at its place; ``mistakes`` is the one list of the whole document."""

    __slots__ = ("bad", "content", "mistakes", "place")

    def __init__(self, place: Place, content: Mapping[str, object], mistakes: list[Mistake]) -> None:
        self.place, self.content, self.mistakes = place, content, mistakes
        self.bad: set[str] = set()  # known keys that are missing or could not be read

    def wrong(self, key: str, says: str) -> None:
        """Notes a mistake at a key."""
        self.bad.add(key)
        self.mistakes.append(Mistake((*self.place, key), says))

    def take(self, key: str, read: Reader[T]) -> T | None:
        """The value of a key; None when it is absent, or wrong (then the mistake is noted)."""
        if key not in self.content:
            return None
        try:
            return read(self.content[key], key)
        except InvalidArgument as error:
            self.wrong(key, str(error).removesuffix("."))
            return None

    def need(self, key: str, read: Reader[T], fix: str) -> T | None:
        """Like ``take``; an absent key is a mistake."""
        if key not in self.content:
            self.wrong(key, f"{key} is missing: {fix}")
        return self.take(key, read)

    def inner(self, key: str) -> Section | None:
        """The table under a key; None when there is none."""
        content = self.take(key, _a_table)
        return None if content is None else Section((*self.place, key), content, self.mistakes)

    def each(self) -> Iterator[tuple[str, Section]]:
        """Every key of this table as a table of its own."""
        for key in self.content:
            if (inner := self.inner(key)) is not None:
                yield key, inner

    def only(self, *known: str) -> None:
        """Notes every key that is not known, with the nearest one that is."""
        for key in self.content:
            if key not in known:
                near = difflib.get_close_matches(key.casefold(), known, n=1, cutoff=0.6)
                fix = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
                self.mistakes.append(Mistake((*self.place, key), f"{key!r} is not known here; {fix}"))
