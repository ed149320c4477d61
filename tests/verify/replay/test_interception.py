"""Interception: only within, only here, and put back."""

from __future__ import annotations

import threading
from fractions import Fraction
from typing import Any, ClassVar

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import ALL, Laplace, NoisyMax, SmoothSensitivity
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.replay.interception import intercept_calls
from hedgerow.verify.replay.tape import RecordingTape


def methods() -> list[Any]:
    return [vars(one)[name] for one in ALL for name in ("sample", "calibrate")]


def test_calls_are_taped_and_what_was_declared_with_them() -> None:
    tape = RecordingTape()
    outside = Laplace(Fraction(1))
    with intercept_calls(tape):
        law = Laplace.calibrate(sensitivity=3, epsilon=1)
        outside.sample(4)
        NoisyMax.calibrate(sensitivity=Sensitivity.of(2), epsilon=1).sample_with_gap([1, 2])
        law.sample(exact=5)
        Laplace.calibrate(sensitivity=0.5, epsilon=1).sample(0.25)
    assert [call.name for call in tape.calls] == [
        "Laplace.sample",
        "NoisyMax.sample_with_gap",
        "Laplace.sample",
        "Laplace.sample",
    ]
    assert [call.declared_sensitivity for call in tape.calls] == [
        None,
        Sensitivity.of(2),
        3,
        Sensitivity.of(0.5),
    ]
    assert [call.arguments for call in tape.calls][2] == {"exact": 5}
    law.sample(6)
    assert len(tape.calls) == 4


def test_methods_are_put_back_also_after_errors_and_nested_tapes() -> None:
    before, field = methods(), vars(SmoothSensitivity)["classical"]
    outer, inner = RecordingTape(), RecordingTape()
    with intercept_calls(outer):
        assert methods() != before
        with pytest.raises(InvalidArgument), intercept_calls(inner):
            Laplace(Fraction(1)).sample("x")
        Laplace(Fraction(1)).sample(2)
    assert methods() == before
    assert vars(SmoothSensitivity)["classical"] is field
    assert ([len(outer.calls)], [len(inner.calls)]) == ([1], [1])


def test_mechanisms_of_ones_own() -> None:
    class Mine:
        shape: ClassVar[str] = "additive"

        def sample(self, exact: int) -> int:
            return exact

    tape = RecordingTape()
    with intercept_calls(tape, [Mine, Laplace]):
        assert Mine().sample(3) == 3
    assert [call.name for call in tape.calls] == ["Mine.sample"]


@pytest.mark.parametrize("wrong", [int, "Laplace", object])
def test_what_is_no_mechanism_is_refused_and_nothing_is_replaced(wrong: Any) -> None:
    before = methods()
    with (
        pytest.raises(InvalidArgument, match="that define a method sample"),
        intercept_calls(RecordingTape(), [wrong]),
    ):
        pass
    assert methods() == before


def test_two_threads_may_replay_at_once() -> None:
    before, seen = methods(), []

    def one() -> None:
        for _ in range(20):
            tape = RecordingTape()
            with intercept_calls(tape):
                Laplace(Fraction(1)).sample(1)
            seen.append(len(tape.calls))

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1] * 80
    assert methods() == before
