"""Divisions of people into groups."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.risk.attack.question_sets import QuestionSet, ask_individuals, draw_crossing_groups


def test_one_by_one() -> None:
    grouping = ask_individuals(5)
    assert (grouping.questions, grouping.people, grouping.groups, grouping.is_independent) == (
        1,
        5,
        5,
        True,
    )
    assert np.array_equal(grouping.members, np.eye(5, dtype=np.bool_))


def test_crossing_groups_are_even_and_differ() -> None:
    grouping = draw_crossing_groups(203, 30, 10)
    assert grouping.members.shape == (300, 203)
    sizes = grouping.members.sum(axis=1)
    assert set(sizes.tolist()) == {20, 21}
    assert (grouping.members.reshape(30, 10, 203).sum(axis=1) == 1).all()
    assert len(np.unique(grouping.codes, axis=0)) == 30
    assert not grouping.is_independent


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ask_individuals(0), "people must be at least 1"),
        (lambda: draw_crossing_groups(3, 1, 4), "people must be at least 4"),
        (lambda: draw_crossing_groups(3, 0, 2), "questions must be at least 1"),
        (lambda: draw_crossing_groups(3, 1, 1), "questions must be at least 1"),
        (lambda: QuestionSet(np.zeros(3, dtype=np.int64), 1), "codes must be a matrix"),
        (
            lambda: QuestionSet(np.full((1, 3), 2, dtype=np.int64), 2),
            "groups must be above every code",
        ),
        (
            lambda: QuestionSet(np.full((1, 3), -1, dtype=np.int64), 2),
            "groups must be above every code",
        ),
    ],
)
def test_bad_divisions_are_refused(call: object, words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        call()  # type: ignore[operator]
