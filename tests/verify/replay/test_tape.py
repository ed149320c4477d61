"""Tapes on their own."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.verify.replay.calls import Call, Place
from hedgerow.verify.replay.tape import Diverged, Playing, Recording, changed


def call(scale: int = 1) -> Call:
    return Call(Laplace(Fraction(scale)), "sample", {"exact": 0}, None, Place("glue.py", 1))


def test_what_was_recorded_is_played() -> None:
    first = Recording()
    assert first.play(call(), lambda: [7]) == [7]
    second = Playing(first.calls)
    assert second.play(call(), lambda: [8]) == [7]
    with pytest.raises(Diverged):
        second.play(call(), lambda: 9)
    assert second.problem is not None


def test_no_ordinary_handler_catches_a_stop() -> None:
    assert not issubclass(Diverged, Exception)


def test_the_same_call() -> None:
    assert changed(call(), call()) is None
    assert changed(call(1), call(2)) == "the parameters of the mechanism depend on the data (.scale: they differ)"
    other = Call(Gaussian(Fraction(1)), "sample", {}, None, Place("glue.py", 1))
    assert changed(call(), other) == "the first run called Laplace.sample here"
