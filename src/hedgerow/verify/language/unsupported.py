"""What a front end says to a program that it does not speak."""

from __future__ import annotations

from hedgerow.errors import Refused
from hedgerow.verify.language.program import NOWHERE, Place

__all__ = ["UnsupportedProgram"]


class UnsupportedProgram(Refused):
    """The program is not one that Hedgerow reads. ``reason`` says why in one sentence, ``place``
    where; ``name`` is the program's.

    Nothing is claimed about such a program: to ``verify`` it is UNKNOWN.
    """

    def __init__(self, reason: str, place: Place = NOWHERE, name: str = "") -> None:
        self.reason, self.place, self.name = reason, place, name
        super().__init__(f"line {place.line}: {reason}" if place.line else reason)

    def with_name(self, name: str) -> UnsupportedProgram:
        """The same, about the program called ``name``."""
        return UnsupportedProgram(self.reason, self.place, name)

    def __reduce__(self) -> tuple[object, ...]:
        return UnsupportedProgram, (self.reason, self.place, self.name)
