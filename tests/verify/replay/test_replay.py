"""Replays: what passes, what is found, and that nothing is found where nothing is wrong."""

from __future__ import annotations

import re
import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Gaussian, Laplace, ProposeTestRelease
from hedgerow.verify.replay import replay
from verify.replay import glue
from verify.replay.glue import AGES

TABLE = pd.DataFrame({"region": ["east", "north", "east", "south"], "age": [1, 2, 3, 4]})


def test_private_functions_are_tested_not_proved() -> None:
    found = replay(glue.mean, AGES, AGES[1:], epsilon=1)
    assert found
    assert found.verdict == "TESTED"
    assert [step.name for step in found.steps] == ["Laplace.sample"] * 2
    assert found.charged.epsilon == 1
    assert found.cost.epsilon == Fraction(34, 200) + Fraction(1, 2)
    assert "not proved" in str(found)
    assert "PROVED" not in str(found)


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (glue.unscaled, r"changed by 34, more than the 1 it was calibrated for"),
        (glue.unscaled_elsewhere, r"cost epsilon 34, rho .* more than the epsilon 1 claimed"),
        (glue.unscaled_rows, "changed by 10, more than the 1"),
        (glue.private_value, r"the result depends on the data.*\['exact'\]"),
        (glue.reused, "the result depends on the data"),
        (glue.cells, "the number of cells depends on the data"),
        (glue.candidates, "the number of candidates depends on the data"),
        (glue.another_mechanism, "the first run called Laplace.sample here"),
        (glue.own_randomness, "draws its own randomness"),
        (glue.cached, "makes fewer calls"),
        (glue.fails_on_few, "raises an error on one data set only"),
        (glue.hidden_failure, "the number of calls depends on the data"),
        (glue.threshold_by_row, "fewer answers"),
    ],
)
def test_each_planted_mistake_in_glue_code_is_found(function: Any, told: str) -> None:
    found = replay(function, AGES, AGES[1:], epsilon=1)
    assert not found
    assert found.verdict == "FAILED"
    assert any(re.search(told, str(finding)) for finding in found.findings), str(found)


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (glue.scale, "parameters of the mechanism depend on the data"),
        (glue.bounds, "public argument 'upper' depends on the data"),
        (glue.number_of_calls, "the number of calls depends on the data"),
    ],
)
def test_a_leak_of_the_largest_row_is_found_by_removing_it(function: Any, told: str) -> None:
    assert told in str(replay(function, AGES, AGES[:-1]))
    # another row does not: the claim is about pairs that were tried
    assert replay(function, AGES, AGES[1:])


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (glue.hidden_failure, "after the 6 calls"),
        (glue.threshold_by_row, "more answers"),
        (glue.threshold_stops_early, "more of its verdicts are read"),
    ],
)
def test_the_other_direction(function: Any, told: str) -> None:
    assert told in str(replay(function, AGES[1:], AGES))


def test_verdicts_that_are_left_unread() -> None:
    assert "fewer of its verdicts are read" in str(
        replay(glue.threshold_stops_early, AGES, AGES[1:])
    )


def test_the_line_is_named() -> None:
    finding = replay(glue.unscaled, AGES, AGES[1:]).findings[0]
    assert finding.place is not None
    assert finding.place.file == glue.__file__
    assert "Laplace.calibrate(sensitivity=1" in finding.place.text
    assert str(finding).startswith("glue.py, line ")


def test_answers_may_be_asked_in_view_of_verdicts() -> None:
    for _ in range(20):
        found = replay(glue.threshold, AGES, AGES[:-1], epsilon=1)
        assert found, str(found)
        assert found.charged.epsilon == 1


def test_disjoint_parts_cost_once() -> None:
    other = TABLE.iloc[1:]
    strict = replay(glue.frame, TABLE, other, epsilon=1)
    assert "disjoint=True" in str(strict.findings[0])
    found = replay(glue.frame, TABLE, other, epsilon=1, disjoint=True)
    assert found, str(found)
    assert (found.charged.epsilon, found.cost.epsilon) == (3, 1)


def test_gaussian_noise_is_held_against_epsilon_and_delta() -> None:
    law = Gaussian.calibrate(sensitivity=1, rho=0.01)

    def count(rows: list[int]) -> Any:
        return law.sample(len(rows))

    assert replay(count, AGES, AGES[1:], epsilon=1, delta=1e-6)
    assert "more than the epsilon 0.1, delta 1e-06 claimed" in str(
        replay(count, AGES, AGES[1:], epsilon=0.1, delta=1e-6)
    )
    assert "more than the epsilon 1 claimed" in str(replay(count, AGES, AGES[1:], epsilon=1))


def test_a_mechanism_inside_another_is_one_call() -> None:
    def released(rows: list[int]) -> Any:
        return ProposeTestRelease.calibrate(bound=1, epsilon=1, delta=1e-6).sample(len(rows), 50)

    found = replay(released, AGES, AGES[1:], epsilon=1, delta=1e-5)
    assert found, str(found)
    assert len(found.steps) == 1


def test_nothing_is_left_behind_and_data_stay_as_they_were() -> None:
    before = Laplace.__dict__["sample"], Laplace.__dict__["calibrate"]
    rows = np.array(AGES)

    def spoils(mine: Any) -> Any:
        noisy = Laplace.calibrate(sensitivity=100, epsilon=1).sample(mine.sum())
        mine[:] = 0
        return noisy

    assert replay(spoils, rows, rows[1:])
    assert rows.tolist() == AGES
    assert (Laplace.__dict__["sample"], Laplace.__dict__["calibrate"]) == before
    replay(glue.fails_on_few, AGES, AGES[1:])
    assert (Laplace.__dict__["sample"], Laplace.__dict__["calibrate"]) == before


def test_outputs_that_are_changed_in_place_stay_what_they_were() -> None:
    def added(rows: list[int]) -> Any:
        noisy = Laplace.calibrate(sensitivity=1, epsilon=1).sample(np.array([len(rows), 3]))
        noisy += 1
        return noisy

    assert replay(added, AGES, AGES[1:])


def test_generators_are_read_to_their_end() -> None:
    def lazily(rows: list[int]) -> Any:
        return (glue.LAW.sample(len(rows)) for _ in range(3))

    assert len(replay(lazily, AGES, AGES[1:], epsilon=3).steps) == 3


def test_noise_of_other_threads_stays_real() -> None:
    seen: list[int] = []

    def watched(rows: list[int]) -> Any:
        thread = threading.Thread(target=lambda: seen.append(Laplace(10**9).sample(0)))
        thread.start()
        thread.join()
        return glue.LAW.sample(len(rows))

    assert replay(watched, AGES, AGES[1:])
    assert len(set(seen)) == 3  # three runs, three draws; equal ones have a chance below 1e-8


def test_threads_of_the_function_itself_are_reported() -> None:
    def elsewhere(rows: list[int]) -> Any:
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(Laplace(10**9).sample(len(rows))))
        thread.start()
        thread.join()
        return found

    assert "starts threads" in str(replay(elsewhere, AGES, AGES[1:]))


def test_a_function_that_always_fails_raises() -> None:
    def broken(_: Any) -> Any:
        raise KeyError("age")

    with pytest.raises(KeyError):
        replay(broken, AGES, AGES[1:])


def test_a_refusal_that_depends_on_the_data_is_found() -> None:
    def refused(rows: list[float]) -> Any:
        return Laplace.calibrate(sensitivity=1, epsilon=1, grid=2**-20).sample(rows[0])

    assert "raises an error on one" in str(replay(refused, [1.0], [float("nan")]))


def test_no_mechanism_is_noted() -> None:
    found = replay(lambda _: 3, AGES, AGES[1:], epsilon=1)
    assert found
    assert "No mechanism was called" in str(found)


def test_bad_arguments() -> None:
    with pytest.raises(InvalidArgument, match="copyable"):
        replay(glue.mean, threading.Lock(), AGES)
    with pytest.raises(InvalidArgument, match="delta"):
        replay(glue.mean, AGES, AGES, epsilon=1, delta=1)
    with pytest.raises(InvalidArgument, match="epsilon"):
        replay(glue.mean, AGES, AGES, epsilon=0)
