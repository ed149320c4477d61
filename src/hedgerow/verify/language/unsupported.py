"""The error of a program outside the supported language."""

from __future__ import annotations

from hedgerow.errors import Refused
from hedgerow.verify.language.program import NOWHERE, Place

__all__ = ["UnsupportedProgram", "refuse_construct"]


class UnsupportedProgram(Refused):
    """A program that Hedgerow cannot read. ``reason`` is one sentence, ``place`` its position,
    ``name`` the program.

    Nothing is claimed about such a program: ``verify`` reports it as UNKNOWN.
    """

    def __init__(self, reason: str, place: Place = NOWHERE, name: str = "") -> None:
        self.reason, self.place, self.name = reason, place, name
        super().__init__(f"line {place.line}: {reason}" if place.line else reason)

    def with_name(self, name: str, place: Place = NOWHERE) -> UnsupportedProgram:
        """Return the same error about the program called ``name``, at ``place`` if it has none."""
        return UnsupportedProgram(self.reason, self.place if self.place.line else place, name)

    def __reduce__(self) -> tuple[object, ...]:
        return UnsupportedProgram, (self.reason, self.place, self.name)


def refuse_construct(text: str, place: Place = NOWHERE) -> UnsupportedProgram:
    """Build the error about a construct that the language does not have."""
    return UnsupportedProgram(f"{text} is not in the language; docs/verify.md lists what is", place)
