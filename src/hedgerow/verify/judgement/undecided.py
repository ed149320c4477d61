"""What is said of a judgement that is neither shown nor refuted."""

from __future__ import annotations

from hedgerow.verify.language.program import NOWHERE, Place

__all__ = ["Undecided"]


class Undecided(Exception):
    """``reason`` is one sentence. Returned as a value by ``decide``; raised only inside this
    room.
    """

    def __init__(self, reason: str, place: Place = NOWHERE) -> None:
        self.reason, self.place = reason, place
        super().__init__(reason)

    verdict = "UNKNOWN"

    def __bool__(self) -> bool:
        return False
