"""A mistake in a policy: where it stands, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["KeyPath", "Mistake", "check_distinct", "check_name", "format_number"]

KeyPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mistake:
    """Where in the file (a path of table names and a key), and what is wrong there with the way
    out.
    """

    path: KeyPath
    message: str


def format_number(number: Fraction | None) -> str:
    """A number as a custodian writes it: decimals where they are exact and short, else a
    fraction.
    """
    if number is None:
        return "none"
    try:
        short = f"{float(number):.12g}"
        return short if Fraction(short) == number else str(number)
    except (OverflowError, ValueError):  # beyond what a float holds, or what Python writes out
        return "a very long number"


def check_name(place: KeyPath, name: str, what: str) -> Iterator[Mistake]:
    """Names stand in SQL, in file names and in the ledger: not empty, and nothing invisible."""
    if not name.strip() or name != name.strip() or not name.isprintable():
        yield Mistake(
            place, f"the name of {what} must be text without spaces around it; got {name!r}"
        )


def check_distinct(place: KeyPath, names: Iterable[str], what: str) -> Iterator[Mistake]:
    """Names that differ in case only are one name, as in SQL."""
    seen: dict[str, str] = {}
    for name in names:
        if (folded := name.casefold()) in seen:
            yield Mistake(
                (*place, name),
                f"{what} {name!r} is there twice (as {seen[folded]!r}); upper and lower case are"
                " one here",
            )
        seen.setdefault(folded, name)
