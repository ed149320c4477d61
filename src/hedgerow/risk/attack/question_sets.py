"""The questions an attacker asks: each divides the people into groups, and asks for one number
per group.

- ``ask_individuals``: every person is a group of her own. Against exact answers that is all it
  takes; against noise it is the best there is, because one question then costs no more than a
  question about one person.
- ``draw_crossing_groups``: many random divisions into groups of a few, which cross each other: no
  group is small, and together they still tell the people apart. That defeats rounding and the
  suppression of small cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.bits import draw_words
from hedgerow.risk.attack.reconstruction import Mask

__all__ = ["QuestionSet", "ask_individuals", "draw_crossing_groups"]

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class QuestionSet:
    """Questions to all people: a row of ``codes`` for each, with the group of every person.

    ``is_independent`` means that nobody's answer depends on another person.
    """

    codes: Codes
    groups: int
    is_independent: bool = False

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or not self.codes.size:
            raise InvalidArgument(
                "codes",
                "must be a matrix with a row for each question and a column for each person",
                self.codes.shape,
            )
        if self.groups < 1 or self.codes.min() < 0 or self.codes.max() >= self.groups:
            raise InvalidArgument(
                "groups", "must be above every code, and every code at least 0", self.groups
            )

    @property
    def questions(self) -> int:
        """The number of questions."""
        return int(self.codes.shape[0])

    @property
    def people(self) -> int:
        """The number of people."""
        return int(self.codes.shape[1])

    @property
    def members(self) -> Mask:
        """A row for each group of each question, true for its people."""
        each = self.codes[:, None, :] == np.arange(self.groups)[None, :, None]
        return np.asarray(each.reshape(self.questions * self.groups, self.people), dtype=np.bool_)


def ask_individuals(people: int) -> QuestionSet:
    """Return one question, in which everybody is a group."""
    _check_people(people, 1)
    return QuestionSet(np.arange(people, dtype=np.int64)[None, :], people, is_independent=True)


def draw_crossing_groups(people: int, questions: int, groups: int) -> QuestionSet:
    """Return random divisions, each into groups that are as equal as possible."""
    _check_people(people, groups)
    if questions < 1 or groups < 2:
        raise InvalidArgument(
            "questions", "must be at least 1, and groups at least 2", (questions, groups)
        )
    drawn = draw_words(questions * people).reshape(questions, people)
    return QuestionSet(np.asarray(np.argsort(drawn, axis=1) % groups, dtype=np.int64), groups)


def _check_people(people: int, groups: int) -> None:
    if people < max(groups, 1):
        raise InvalidArgument("people", f"must be at least {max(groups, 1)}", people)
