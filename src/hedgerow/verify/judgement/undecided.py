"""The result of a judgement that is neither proved nor refuted."""

from __future__ import annotations

from hedgerow.verify.language.program import NOWHERE, Place

__all__ = ["Undecided"]


class Undecided(Exception):
    """An undecided judgement; ``reason`` is one sentence. ``decide_judgement`` returns it as a
    value; it is raised only inside this package.
    """

    def __init__(self, reason: str, place: Place = NOWHERE) -> None:
        self.reason, self.place = reason, place
        super().__init__(reason)

    verdict = "UNKNOWN"

    def __bool__(self) -> bool:
        return False
