"""What is counted is what is done, and not how long it takes."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.outside import Outside
from hedgerow.verify.proof.effort import Effort, limited
from hedgerow.verify.proof.solver import entailed, work_done, z3


def test_steps_are_spent() -> None:
    effort = Effort(10)
    effort.spend(9)
    assert not effort.over
    effort.spend(1)
    assert effort.over


def test_who_spends_more_than_there_is_is_stopped() -> None:
    spend = limited(1_000)
    spend(900)
    with pytest.raises(Outside, match="more work than a proof may take"):
        spend(200)


def test_what_z3_does_is_counted_whoever_asks() -> None:
    x, y = z3.Ints("x y")
    effort, before = Effort(1), work_done()
    assert not effort.over
    for number in range(100):
        entailed([x > y, y > number], x * x > number + 1)
    assert work_done() > before + 400
    assert effort.over
