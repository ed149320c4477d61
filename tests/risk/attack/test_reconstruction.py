"""A secret column comes back from exact and from slightly rounded answers, by all three ways;
nothing comes back from nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.risk.attack.question_sets import ask_individuals
from hedgerow.risk.attack.reconstruction import (
    fit_within_bound,
    least_squares,
    linear_program,
    match_conditions,
)

PEOPLE = 200
SECRET = np.random.default_rng(9).integers(0, 2, PEOPLE).astype(np.bool_)
RANDOM = np.random.default_rng(10)


def asked(questions: int) -> np.ndarray[Any, Any]:
    """Random subsets."""
    return RANDOM.integers(0, 2, (questions, PEOPLE)).astype(np.bool_)


@pytest.mark.parametrize("way", [least_squares, linear_program])
@pytest.mark.parametrize(("questions", "to"), [(240, 1), (400, 3)])
def test_200_bits_come_back_from_exact_and_slightly_rounded_answers(
    way: Any, questions: int, to: int
) -> None:
    members = asked(questions)
    answers = np.round(members @ SECRET.astype(float) / to) * to
    assert way(members, answers).count_hits(SECRET) >= 0.95 * PEOPLE


def test_answers_within_a_bound() -> None:
    members = asked(400)
    answers = np.round(members @ SECRET.astype(float) / 3) * 3
    assert fit_within_bound(members, answers, 1).count_hits(SECRET) >= 0.95 * PEOPLE
    with pytest.raises(Refused, match="to within the bound"):
        fit_within_bound(members, answers, 0)
    with pytest.raises(InvalidArgument, match="bound must be at least 0"):
        fit_within_bound(members, answers, -1)


def test_rounding_to_ten_takes_more_questions() -> None:
    members = asked(900)
    answers = np.round(members @ SECRET.astype(float) / 10) * 10
    assert least_squares(members, answers).count_hits(SECRET) >= 0.95 * PEOPLE
    assert least_squares(members[:60], answers[:60]).count_hits(SECRET) < 0.95 * PEOPLE


@pytest.mark.parametrize("way", [least_squares, linear_program])
def test_answers_with_less_noise_count_more(way: Any) -> None:
    """Two answers about one person, the wrong one four times as wide."""
    members = np.array([[True], [True]])
    assert way(members, np.array([1.0, -0.5]), np.array([0.25, 1.0])).guess.tolist() == [True]
    assert way(members, np.array([1.0, -0.5]), np.array([1.0, 0.25])).guess.tolist() == [False]


def test_the_two_ways_agree_with_the_exact_optimum() -> None:
    """Descent stops at the least squares in the box: every estimate at an end is pushed
    outwards, every other one is not pushed.
    """
    members = asked(150)
    answers = members @ SECRET.astype(float) + RANDOM.normal(0, 4, 150)
    found = least_squares(members, answers)
    push = members.T.astype(float) @ (answers - members @ found.estimate)
    inside = (found.estimate > 1e-6) & (found.estimate < 1 - 1e-6)
    assert np.abs(push[inside]).max() < 0.05
    assert (push[found.estimate == 0] < 0.05).all()
    assert (push[found.estimate == 1] > -0.05).all()


def test_conditions_on_public_columns_are_subsets() -> None:
    public = pa.table({"age": list(range(20, 60)), "sex": ["f", "m"] * 20})
    members = match_conditions(public, ["age < 25", "sex = 'f' AND age % 3 = 0", "age = NULL"])
    assert members.sum(axis=1).tolist() == [5, 6, 0]
    column = SECRET[:40]
    conditions = [f"hash(age * 31 + {k}) % 2 = 0" for k in range(60)]
    members = match_conditions(public, conditions)
    assert linear_program(members, members @ column.astype(float)).count_hits(column) == 40


@pytest.mark.parametrize(
    "conditions",
    [
        [],
        ["no such column = 1"],
        ["1); DROP TABLE public"],
        ["age FROM read_csv('/etc/passwd') --"],
    ],
)
def test_other_text_is_no_condition(conditions: list[str]) -> None:
    with pytest.raises(InvalidArgument, match="conditions must"):
        match_conditions(pa.table({"age": [1]}), conditions)


def test_reconstruction_without_answers_knows_nothing() -> None:
    """A coin for each person: 1,000 of them are within six standard deviations of half, and not
    all alike.
    """
    many = 1000
    found = least_squares(np.zeros((1, many), dtype=np.bool_), np.zeros(1)).count_hits(
        np.ones(many, dtype=np.bool_)
    )
    assert abs(found - many / 2) < 6.2 * (many / 4) ** 0.5


@pytest.mark.parametrize(
    ("members", "answers", "scales", "words"),
    [
        (np.zeros(3, dtype=np.bool_), np.zeros(3), None, "members must be a matrix"),
        (np.zeros((2, 0), dtype=np.bool_), np.zeros(2), None, "members must be a matrix"),
        (np.ones((2, 3), dtype=np.bool_), np.zeros(3), None, "answers must be 2 numbers"),
        (
            np.ones((2, 3), dtype=np.bool_),
            np.array([1.0, np.nan]),
            None,
            "answers must be 2 numbers",
        ),
        (
            np.ones((2, 3), dtype=np.bool_),
            np.zeros(2),
            np.zeros(2),
            "scales must be 2 numbers above 0",
        ),
        (
            np.ones((2, 3), dtype=np.bool_),
            np.zeros(2),
            np.ones(3),
            "scales must be 2 numbers above 0",
        ),
    ],
)
def test_arrays_of_other_shapes_are_refused(
    members: Any, answers: Any, scales: Any, words: str
) -> None:
    for way in (least_squares, linear_program):
        with pytest.raises(InvalidArgument, match=words):
            way(members, answers, scales)


def test_the_truth_is_a_column_of_bits() -> None:
    found = least_squares(ask_individuals(2).members, np.array([0.0, 1.0]))
    assert found.count_hits(np.array([False, True])) == 2
    for truth in (np.array([True]), np.array([0, 1])):
        with pytest.raises(InvalidArgument, match="truth must be an array of 2"):
            found.count_hits(truth)
