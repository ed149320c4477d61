"""Stored answers to one question, averaged by inverse variance."""

from __future__ import annotations

from fractions import Fraction

import pytest

from database.clinic import answered, exactly
from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.answers.repeated_answers import average_measure, average_noise, describe_averaging

SQL = "SELECT COUNT(*) AS n, MEDIAN(age) AS m FROM data"


def test_sums_are_averaged_and_a_selected_value_is_that_of_the_first() -> None:
    with exactly(epsilon=10) as db:
        answered(db, SQL, 1)
        answer = answered(db, SQL, 2)
    question, releases = answer._question, answer._releases
    measures = question.plan.measures
    count, median = (measures.index(call.measure) for call in question.aggregates)
    assert [release.epsilon for release in releases] == [2, 1]
    averaged = average_measure(releases, measures, count)  # type: ignore[arg-type]
    first, second = (release.numbers[count][0] for release in releases)
    assert averaged.columns[0][0] == pytest.approx(float(Fraction(4 * first + second, 5)), rel=1e-5)
    assert isinstance(averaged.noise, WeightedNoise)
    noises = [release.noise for release in releases]
    assert average_noise(noises, count).noise == averaged.noise
    assert average_noise(noises, median).noise == releases[0].noise.mechanisms[median]
    assert describe_averaging(question, releases[:1]) == []
    (note,) = describe_averaging(question, releases)
    assert note.endswith("(ledger entry 3), weighted by inverse variance.")
