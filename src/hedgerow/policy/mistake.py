"""A mistake in a policy, and the checks that several sections share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["KeyPath", "Mistake", "check_distinct", "check_name", "format_number"]

KeyPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake: its place in the file (the path of a key), the problem and the fix."""

    path: KeyPath
    message: str


def format_number(number: Fraction | int | None) -> str:
    """Format a number as a custodian would write it: decimals where they are exact and short, else
    a fraction.
    """
    if number is None:
        return "none"
    try:
        short = f"{float(number):.12g}"
        return short if Fraction(short) == number else str(number)
    except (OverflowError, ValueError):  # beyond what a float holds, or what Python writes out
        return "a very long number"


def check_name(place: KeyPath, name: str, what: str) -> Iterator[Mistake]:
    """Check that a name is visible text: names appear in SQL, in file names and in the ledger."""
    if not name.strip() or name != name.strip() or not name.isprintable():
        yield Mistake(
            place,
            f"the name of {what} must be visible text without spaces at its ends; got {name!r}",
        )


def check_distinct(place: KeyPath, names: Iterable[str], what: str) -> Iterator[Mistake]:
    """Check that names are distinct; as in SQL, case does not matter."""
    seen: dict[str, str] = {}
    for name in names:
        if (folded := name.casefold()) in seen:
            yield Mistake(
                (*place, name),
                f"{what} {name!r} appears twice (as {seen[folded]!r}), since case does not matter:"
                " rename one",
            )
        seen.setdefault(folded, name)
