"""The assertion: both directions of every pair, and a report that says which."""

from __future__ import annotations

from typing import Any

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.replay import assert_private, without_each_row
from verify.replay import glue
from verify.replay.glue import AGES


def test_every_pair_is_replayed_both_ways() -> None:
    done = assert_private(glue.mean, without_each_row(AGES), epsilon=1)
    assert len(done) == 2 * len(AGES)
    assert {replay.verdict for replay in done} == {"TESTED"}


def test_the_pair_and_the_function_are_named() -> None:
    with pytest.raises(
        AssertionError,
        match=r"(?s)scale is not private. Pair 7: FAILED: 1 problem.*parameters of the mechanism",
    ):
        assert_private(glue.scale, without_each_row(AGES))


def test_no_pairs_are_no_test() -> None:
    with pytest.raises(InvalidArgument, match="at least one pair"):
        assert_private(glue.mean, [])


def test_more_runs_see_more_branches() -> None:
    """The exact number leaves in one of two cases, so that forty replays miss it with a chance
    of 2^-40.
    """

    def sometimes(ages: list[int]) -> Any:
        noisy = glue.LAW.sample(0)
        return len(ages) if noisy >= 0 else noisy

    with pytest.raises(AssertionError, match=r"sometimes is not private. Pair 1"):
        assert_private(sometimes, [(AGES, AGES[1:])], epsilon=1, runs=20)
    assert len(assert_private(glue.mean, [(AGES, AGES[1:])], epsilon=1, runs=3)) == 6
    with pytest.raises(InvalidArgument, match="runs"):
        assert_private(glue.mean, [(AGES, AGES[1:])], runs=0)
