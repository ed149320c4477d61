"""Tapes on their own."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.verify.replay.call import CodeLine, RecordedCall
from hedgerow.verify.replay.tape import PlaybackTape, RecordingTape, RunDiverged, describe_change


def call(scale: int = 1) -> RecordedCall:
    return RecordedCall(
        Laplace(Fraction(scale)), "sample", {"exact": 0}, None, CodeLine("glue.py", 1)
    )


def test_what_was_recorded_is_played() -> None:
    first = RecordingTape()
    assert first.play(call(), lambda: [7]) == [7]
    second = PlaybackTape(first.calls)
    assert second.play(call(), lambda: [8]) == [7]
    with pytest.raises(RunDiverged):
        second.play(call(), lambda: 9)
    assert second.problem is not None


def test_no_ordinary_handler_catches_a_stop() -> None:
    assert not issubclass(RunDiverged, Exception)


def test_the_same_call() -> None:
    assert describe_change(call(), call()) is None
    assert (
        describe_change(call(1), call(2))
        == "the parameters of the mechanism depend on the data (.scale: the values differ)"
    )
    other = RecordedCall(Gaussian(Fraction(1)), "sample", {}, None, CodeLine("glue.py", 1))
    assert describe_change(call(), other) == "the first run called Laplace.sample here"
