"""Questions to a real database: the budget is used up by two together, whatever its currency,
and a repeated question is no help.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow
from hedgerow.database.open_database import open_frame
from hedgerow.errors import BudgetExceeded, InvalidArgument, Refused
from hedgerow.risk.attack.hedgerow_publisher import ANALYSTS, HedgerowPublisher
from hedgerow.risk.attack.question_sets import ask_individuals, draw_crossing_groups
from hedgerow.risk.attack.reconstruction import linear_program, match_conditions

SECRET = np.arange(40) % 2 == 0
TINY = Fraction(1, 10**9)
CASES = [
    ("add-remove", None, "laplace"),
    ("change-one", TINY, "laplace"),
    ("add-remove", TINY, "gaussian"),
]


@pytest.mark.parametrize(("relation", "delta", "noise"), CASES)
def test_the_budget_is_used_up(relation: Any, delta: Any, noise: Any) -> None:
    guard = HedgerowPublisher(relation, Fraction(200), delta, noise)
    told = guard.publish(draw_crossing_groups(40, 3, 8), SECRET)
    assert told.is_exhausted
    assert told.answers.shape == told.scales.shape == (24,)
    assert (told.scales == told.scales[0]).all()
    one = guard.publish(ask_individuals(40), SECRET)
    assert one.is_exhausted
    assert ((one.answers > 0.5) == SECRET).mean() >= 0.95


def test_answers_are_counts_of_those_who_have_the_secret() -> None:
    grouping = draw_crossing_groups(40, 2, 4)
    told = HedgerowPublisher("add-remove", Fraction(400)).publish(grouping, SECRET)
    # noise of scale 1/200, halved
    assert np.abs(told.answers - grouping.members @ SECRET.astype(float)).max() < 1


def test_the_two_share_one_budget_and_one_answer() -> None:
    guard = HedgerowPublisher("add-remove", Fraction(1))
    frame, policy = guard._build_table(ask_individuals(40), SECRET)
    sql = "SELECT group_0, SUM(sign) AS s FROM data GROUP BY group_0"
    with open_frame(frame, policy) as database:
        first = database.query(sql, epsilon=1, analyst=ANALYSTS[0])
        again = database.query(sql.lower(), epsilon=1, analyst=ANALYSTS[1])
        assert again.rows == first.rows  # type: ignore[union-attr]
        assert again.receipt.reused  # type: ignore[union-attr]
        with pytest.raises(BudgetExceeded):
            database.query(
                "SELECT SUM(sign) AS s FROM data", epsilon=Fraction(1, 10**6), analyst=ANALYSTS[1]
            )


@pytest.mark.long
def test_conditions_on_public_columns_rebuild_it_as_well() -> None:
    """Questions as an analyst writes them, WHERE and all; at a careless epsilon their answers
    are the column (one in 10^8 is off).
    """
    secret = SECRET[:12] ^ (np.arange(12) % 3 == 0)
    public = pa.table({"age": range(20, 32)})
    subsets = np.random.default_rng(3).integers(0, 2, (20, 12)).astype(np.bool_)
    conditions = [f"age IN ({', '.join(map(str, 20 + np.flatnonzero(row)))})" for row in subsets]
    frame = public.append_column("sign", pa.array(np.where(secret, 1, -1)))
    columns = {"age": (0, 110), "sign": (-1, 1)}
    with hedgerow.protect(
        frame, unit="row", neighbours="add-remove", columns=columns, epsilon=600
    ) as database:
        sums = [
            database.query(f"SELECT SUM(sign) AS s FROM data WHERE {condition}", epsilon=20).rows[
                0
            ]["s"]
            for condition in conditions
        ]  # type: ignore[union-attr]
    members = match_conditions(public, conditions)
    assert (
        linear_program(members, (np.array(sums) + members.sum(axis=1)) / 2).count_hits(secret) == 12
    )


def test_a_budget_that_cannot_be_shared() -> None:
    with pytest.raises(Refused, match="too small to share among 3 questions"):
        HedgerowPublisher("add-remove", Fraction(1, 10**12)).publish(
            draw_crossing_groups(40, 3, 8), SECRET
        )


def test_no_question_asks_for_more_than_the_whole() -> None:
    """Where epsilon is far below delta, rho would pay for more than one question may ask for."""
    told = HedgerowPublisher(
        "add-remove", Fraction(1, 100), Fraction(1, 100), "gaussian", 90
    ).publish(ask_individuals(40), SECRET)
    assert not told.is_exhausted


def test_ceilings_fit_relation_and_currency() -> None:
    pure = HedgerowPublisher("add-remove", Fraction(1))
    assert pure.name == "epsilon 1"
    assert round(float(pure.ceiling), 3) == 0.816
    assert round(float(HedgerowPublisher("change-one", Fraction(1)).ceiling), 3) == 0.731
    both = HedgerowPublisher("change-one", Fraction(1), TINY)
    assert float(both.ceiling) == pytest.approx(0.7311, abs=1e-3)
    # it closes no way by epsilon
    assert HedgerowPublisher("change-one", Fraction(1), TINY, "best").ceilings == both.ceilings
    gaussian = HedgerowPublisher("change-one", Fraction(1), TINY, "gaussian")
    assert len(gaussian.ceilings) == 2
    assert gaussian.ceiling == gaussian.ceilings[1].success() < both.ceiling


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("add-remove", 0), "epsilon must be above 0"),
        (("add-remove", 1, 2), "delta must lie"),
        (("add-remove", 1, None, "gaussian"), "noise must be 'laplace' if there is no delta"),
        (("beside", 1), "relation must be"),
    ],
)
def test_bad_parameters_are_refused(given: tuple[Any, ...], words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        HedgerowPublisher(*given)
