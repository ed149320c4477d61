"""Counts exact, rounded and suppressed."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.risk.attack.baseline_publishers import (
    BASELINE_PUBLISHERS,
    ExactPublisher,
    RoundingPublisher,
    SuppressingPublisher,
)
from hedgerow.risk.attack.question_sets import QuestionSet, ask_individuals

FOUR = QuestionSet(np.array([[0] * 2 + [1] * 8 + [2] * 10 + [3] * 12]), 4)
SECRET = np.ones(32, dtype=np.bool_)
SECRET[2:6] = False  # counts 2, 4, 10, 12


def test_each_habit() -> None:
    assert ExactPublisher().publish(FOUR, SECRET).answers.tolist() == [2, 4, 10, 12]
    assert RoundingPublisher(5).publish(FOUR, SECRET).answers.tolist() == [0, 5, 10, 10]
    # halves up
    assert RoundingPublisher(4).publish(FOUR, SECRET).answers.tolist() == [4, 4, 12, 12]
    hidden = SuppressingPublisher(5).publish(FOUR, SECRET)
    assert hidden.answers.tolist() == [1, 2, 10, 12]  # of two people 0 to 2, of eight 0 to 4
    assert hidden.scales.tolist() == [1.25, 2.25, 0.25, 0.25]


def test_small_cells_say_nothing_when_they_are_left_out() -> None:
    for secret in (np.zeros(9, dtype=np.bool_), np.ones(9, dtype=np.bool_)):
        assert (
            SuppressingPublisher(5).publish(ask_individuals(9), secret).answers.tolist()
            == [0.5] * 9
        )
        assert (
            RoundingPublisher(5).publish(ask_individuals(9), secret).answers.tolist() == [0.0] * 9
        )


def test_names_and_refusals() -> None:
    assert [habit.name for habit in BASELINE_PUBLISHERS] == [
        "exact",
        "rounded to 5",
        "rounded to 10",
        "below 5 left out",
    ]
    assert not any(habit.has_laplace_noise for habit in BASELINE_PUBLISHERS)
    with pytest.raises(InvalidArgument, match="to must be a whole number of at least 2"):
        RoundingPublisher(1)
    with pytest.raises(InvalidArgument, match="below must be a whole number of at least 2"):
        SuppressingPublisher(1)
