"""Programs that glue code calls."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hedgerow.privacy.loss import Loss
from hedgerow.verify.decorator import ProgramMechanism
from hedgerow.verify.replay import replay
from hedgerow.verify.replay.program_calls import (
    compute_claimed_loss,
    count_steps,
    list_private_names,
)
from verify.replay import mine


@pytest.mark.parametrize(
    ("mechanism", "one", "other", "far"),
    [
        (mine.total, {"q": [1, 2]}, {"q": [1, 2]}, 0),
        (mine.total, {"q": [1, 2]}, {"q": [1, 2.5]}, 1),
        (mine.total, {"q": [1, 2]}, {"q": [0, 4]}, 3),
        (mine.total, {"q": [1, 2]}, {"q": [1]}, "the length of q depends on the data"),
        (mine.both, {"q": [1, 2], "x": 3}, {"q": [2, 1], "x": 2}, 1),
        (mine.both, {"q": [1, 2], "x": 3}, {"q": [2, 1], "x": 5}, 2),
        (mine.rising, {"x": 3}, {"x": 4}, 1),
        (
            mine.rising,
            {"x": 3},
            {"x": 2},
            "inputs change in the other direction, but the claim is for increasing ones",
        ),
        (mine.length, {"q": [1, 2, 3], "x": 1}, {"q": [1, 3], "x": 1}, 1),
        (mine.length, {"q": [1, 2, 3], "x": 1}, {"q": [1, 4, 3], "x": 1}, 2),
        (
            mine.length,
            {"q": [1], "x": 1},
            {"q": [1], "x": 2},
            "x differs and is not a list, but the claim is for rows",
        ),
        (mine.apart, {"q": [1, 2]}, {"q": [2, 1]}, 1),
        (mine.apart, {"q": [1, 2]}, {"q": [3, 1]}, 2),
        (mine.grouped, {"q": [1, 2]}, {"q": [1.5, 1]}, 1),
        (mine.grouped, {"q": [1, 2]}, {"q": [3, 1]}, 2),
        (mine.silent, {"x": 1}, {"x": 100}, 1),
    ],
)
def test_steps_between_inputs(
    mechanism: ProgramMechanism, one: dict[str, Any], other: dict[str, Any], far: int | str
) -> None:
    assert count_steps(mechanism, one, other) == far


def test_the_price_is_the_claim() -> None:
    assert compute_claimed_loss(mine.both, {"q": [1], "x": 1, "eps": 0.5}, 1) == Loss(Fraction(1))
    assert compute_claimed_loss(mine.both, {"q": [1], "x": 1, "eps": 0.5}, 3) == Loss(
        Fraction(3), rho=Loss(Fraction(1)).group(3).rho
    )
    assert compute_claimed_loss(
        mine.rare, {"x": 1, "loud": True, "eps": 1, "delta": 0.01}, 1
    ) == Loss(Fraction(1), Fraction(1, 100))
    assert list_private_names(mine.both) == {"q", "x"}


def test_glue_around_a_program() -> None:
    def counts(rows: list[int]) -> Any:
        return mine.total([sum(row > 3 for row in rows), 7], 2, eps=0.5)

    def sums(rows: list[int]) -> Any:
        return mine.total([sum(rows), 7], size=2, eps=0.5)

    def length(rows: list[int]) -> Any:
        return mine.total(rows, size=2, eps=len(rows))

    found = replay(counts, [1, 5, 6], [1, 5], epsilon=0.5)
    assert found, str(found)
    assert found.charged.epsilon == Fraction(1, 2)
    assert "the input of total changed by 1, calibrated for 1" in str(found)
    assert "total: its input changed by 6, more than the 1 it was calibrated for" in str(
        replay(sums, [1, 5, 6], [1, 5])
    )
    assert "total: the public argument 'eps' depends on the data" in str(
        replay(length, [1, 5, 6], [1, 5])
    )
    assert isinstance(mine.total([1, 2], 2, eps=1), float)  # and afterwards it is what it was
