"""Averaging takes naive noise away, and gains nothing against a real database, which answers
once and charges once.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pandas as pd
import pytest

import hedgerow as hr
from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers.answer_files import read_log
from hedgerow.risk.answers.averaging import (
    RepeatedQuestion,
    averaging,
    find_averaged_noise,
    find_repeated_questions,
)

PEOPLE = 2_000
EXACT = sum(i % 100 for i in range(PEOPLE)) / PEOPLE


@pytest.fixture
def database() -> hr.Database:
    frame = pd.DataFrame({"id": range(PEOPLE), "age": [i % 100 for i in range(PEOPLE)]})
    return hr.protect(
        frame,
        unit="id",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns={"age": (0, 100)},
        epsilon=1,
    )


def test_the_same_question_in_other_words_is_averaged() -> None:
    log = "\n".join(
        f"SELECT COUNT(*) FROM t WHERE {'a = 1 AND b = 2' if place % 2 else 'b IN (2) AND a = 1'};"
        f" {20 + noise}"
        for place, noise in enumerate([-2, 2, -1, 1] * 16)
    )
    answers = read_log(
        log + "\nSELECT AVG(x) FROM t; 5.5\nSELECT AVG(x) FROM t; 5.5\nSELECT COUNT(*) FROM t; 99"
    )
    first, second = find_repeated_questions(answers)
    assert (len(first.values), first.estimate, first.nearest_integer) == (64, 20.0, 20)
    assert first.standard_deviation == pytest.approx(math.sqrt(2.5 * 64 / 63))
    assert first.standard_error == pytest.approx(first.standard_deviation / 8)
    assert first.certainty is not None
    assert first.certainty > 0.98
    assert (second.standard_deviation, second.nearest_integer, second.certainty) == (
        0.0,
        None,
        None,
    )
    found = find_averaged_noise(answers)
    assert len(found) == 1  # the same number again is no fresh noise
    assert (
        "64 answers that differ. One is off by about 1.59; their mean 20 only by 0.199"
        in found[0].sentence
    )
    assert "A count is whole: it is 20, with a probability of" in found[0].sentence


def test_few_answers_are_not_certain() -> None:
    found = find_averaged_noise(read_log("SELECT COUNT(*) FROM t; 3\nSELECT COUNT(*) FROM t; 9"))
    assert "it is" not in found[0].sentence


def test_one_answer_is_not_repeated() -> None:
    with pytest.raises(InvalidArgument, match="at least two"):
        RepeatedQuestion("q", ("Q1",), (Fraction(1),), True)


def test_the_experiment_with_a_real_database(database: hr.Database) -> None:
    """Laplace noise of scale 0.1 and m = 200: the root mean square over 32 runs has 6400 draws
    behind it. Its share of the expected value lies within 1/3 and 3 but for a probability below
    1e-9: 32 squares of near-normal means, chi-square with 32 degrees, at 32/9 and 288."""
    found = averaging(
        database,
        "SELECT AVG(age) AS mean FROM data",
        EXACT,
        sensitivity=Fraction(100, PEOPLE),
        epsilon=Fraction(1, 2),
        repeats=200,
    )
    assert found.steps == (1, 10, 100, 200)
    assert found.expected[0] == pytest.approx(math.sqrt(2) * 0.1)
    assert found.expected[3] == pytest.approx(found.expected[0] / math.sqrt(200))
    assert 1 / 3 < found.naive[3] / found.expected[3] < 3
    assert found.distinct_answers == 1
    assert found.charge_count == 1
    assert found.epsilon == Fraction(1, 2)
    assert found.protected == pytest.approx([found.protected[0]] * 4)  # the noise is not reduced
    assert database.budget.spent == Fraction(1, 2)


def test_questions_of_several_numbers_are_refused(database: hr.Database) -> None:
    ask = {"sensitivity": Fraction(1, 20), "epsilon": Fraction(1, 4)}
    with pytest.raises(
        InvalidArgument, match="repeats must be a whole number of at least 2; got 1"
    ):
        averaging(database, "SELECT AVG(age) FROM data", EXACT, repeats=1, **ask)
    with pytest.raises(
        InvalidArgument, match="runs must be a whole number of at least 2; got True"
    ):
        averaging(database, "SELECT AVG(age) FROM data", EXACT, runs=True, **ask)
    with pytest.raises(InvalidArgument, match="must ask for one number"):
        averaging(database, "SELECT AVG(age), COUNT(*) FROM data", EXACT, repeats=2, **ask)
    with pytest.raises(InvalidArgument, match="must ask for one number"):
        averaging(database, "EXPLAIN PRIVACY SELECT AVG(age) FROM data", EXACT, repeats=2, **ask)
