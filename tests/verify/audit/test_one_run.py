"""The one-run audit: its p-value against brute force, its power, its validity, and bad input."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.audit.one_run import OneRunAudit, audit_one_run, p_value

RNG = np.random.default_rng(7)


def binomial(n: int, q: float) -> np.ndarray:
    return np.array([math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)])


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize("correct", [0, 1, 13, 20])
def test_p_value_is_the_formula(epsilon: float, delta: float, correct: int) -> None:
    cells, guesses = 50, 20
    mass = binomial(guesses, 1 / (1 + math.exp(-epsilon)))
    worst = max((mass[correct - i : correct].sum() / i for i in range(1, correct + 1)), default=0.0)
    expected = min(1.0, mass[correct:].sum() + 2 * delta * cells * worst)
    assert p_value(cells, guesses, correct, epsilon, delta) == pytest.approx(expected, rel=1e-9)


def test_p_value_grows_with_epsilon_and_delta() -> None:
    by_epsilon = [p_value(10_000, 5_000, 3_700, epsilon, 1e-7) for epsilon in np.linspace(0, 3, 50)]
    assert np.all(np.diff(by_epsilon) >= 0)
    assert by_epsilon[0] < 1e-5 < 0.9 < by_epsilon[-1]
    assert p_value(10_000, 5_000, 3_700, 1.0, 1e-5) > p_value(10_000, 5_000, 3_700, 1.0)


def histogram(included: np.ndarray) -> np.ndarray:
    return included + RNG.laplace(0, 1, included.size)


def test_laplace_histogram_at_epsilon_one() -> None:
    found = [audit_one_run(histogram, cells=10_000).epsilon for _ in range(41)]
    assert 0.9 <= np.median(found) <= 1.0


def test_it_exceeds_the_truth_no_more_often_than_stated() -> None:
    # 2,000 runs at 5 %: more than 162 has a chance below 1e-9. Randomised response is the worst
    # case, where the bound is tight.
    def response(included: np.ndarray) -> np.ndarray:
        return np.where(RNG.random(included.size) < math.e / (1 + math.e), included, 1 - included)

    above = sum(
        audit_one_run(response, cells=400, present=100, absent=100).epsilon > 1
        for _ in range(2_000)
    )
    assert above <= 162


def test_a_randomiser_that_never_clears_a_bit() -> None:
    found = audit_one_run(
        lambda included: np.where(RNG.random(included.size) < 0.25, 1, included),
        cells=2_000,
        present=0,
        absent=500,
    )
    assert found.correct == 500
    assert found.epsilon == pytest.approx(-math.log(0.05 ** (-1 / 500) - 1), abs=1e-5)


def test_scores_without_information_certify_nothing() -> None:
    found = [
        audit_one_run(
            lambda included: np.zeros(included.size), cells=1_000, confidence=1 - 1e-9
        ).epsilon
        for _ in range(5)
    ]
    assert found == [0.0] * 5


def test_delta_lowers_the_bound() -> None:
    assert (
        audit_one_run(lambda included: included, cells=1_000, delta=1e-4).epsilon
        < audit_one_run(lambda included: included, cells=1_000).epsilon
    )


def test_result_reads_well_and_is_plain_data() -> None:
    found = OneRunAudit(0.95, 0.0, 0.95, 10_000, 5_000, 3_700)
    assert found.refutes(0.9)
    assert not found.refutes(1)
    assert json.loads(json.dumps(found.to_dict()))["correct"] == 3_700
    assert "epsilon >= 0.9500" in str(found)
    assert "adding or removing one canary" in str(found)
    assert "no loss found" in str(OneRunAudit(0.0, 0.0, 0.95, 10, 5, 2))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"cells": 1}, "cells"),
        ({"cells": True}, "cells"),
        ({"cells": 10.0}, "cells"),
        ({"present": -1}, "present"),
        ({"absent": "5"}, "absent"),
        ({"cells": 10, "present": 6, "absent": 5}, "present \\+ absent"),
        ({"present": 0, "absent": 0}, "present \\+ absent"),
        ({"confidence": 1.0}, "confidence"),
        ({"delta": -1e-9}, "delta"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], named: str) -> None:
    with pytest.raises(InvalidArgument, match=f"^{named} must"):
        audit_one_run(histogram, **arguments)


@pytest.mark.parametrize(
    "answer",
    [lambda included: included[:-1], lambda included: included * np.nan, lambda included: 3.0],
)
def test_scores_of_the_wrong_shape_are_refused(answer: object) -> None:
    with pytest.raises(InvalidArgument, match="one score for each"):
        audit_one_run(answer, cells=10)


def test_canaries_are_fresh_and_fair() -> None:
    seen: list[np.ndarray] = []

    def spy(included: np.ndarray) -> np.ndarray:
        seen.append(included.copy())
        included[:] = 0  # a mechanism that spoils its input does not spoil the count
        return seen[-1]

    found = [audit_one_run(spy, cells=4_000) for _ in range(2)]
    assert [result.correct for result in found] == [2_000, 2_000]
    assert not np.array_equal(*seen)
    assert all(abs(included.mean() - 0.5) < 6.2 * 0.5 / math.sqrt(4_000) for included in seen)
