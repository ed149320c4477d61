"""The work limit counts steps, not time."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.solver import is_entailed, measure_work, z3
from hedgerow.verify.prove.work_limit import WorkLimit, limit_work


def test_steps_are_spent() -> None:
    effort = WorkLimit(10)
    effort.spend(9)
    assert not effort.is_exhausted
    effort.spend(1)
    assert effort.is_exhausted


def test_spending_beyond_the_limit_is_stopped() -> None:
    spend = limit_work(1_000)
    spend(900)
    with pytest.raises(UnsupportedProgram, match="exceed the work limit of a proof"):
        spend(200)


def test_work_of_z3_is_counted_for_every_caller() -> None:
    x, y = z3.Ints("x y")
    effort, before = WorkLimit(1), measure_work()
    assert not effort.is_exhausted
    for number in range(100):
        is_entailed([x > y, y > number], x * x > number + 1)
    assert measure_work() > before + 400
    assert effort.is_exhausted
