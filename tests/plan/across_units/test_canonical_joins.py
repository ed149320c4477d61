"""Joins across units, and of two populations, in one form."""

from __future__ import annotations

from random import Random

import pytest

from depth import many
from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.plan.canonical_plans import canonicalise, compute_plan_key, map_measures
from hedgerow.plan.measures import Truncation
from hedgerow.plan.relations import find_owner_join, list_inputs
from hedgerow.privacy.unit import Unit
from plan import meetings
from plan.helpers_plan_spellings import (
    OFTEN,
    RARE,
    across,
    swapped,
)


@pytest.mark.long
def test_the_same_numbers_where_two_populations_meet() -> None:
    for number in range(many(60)):
        random = Random(number)
        tables, plan = meetings.world(random), meetings.plan(random)
        one = canonicalise(plan)
        assert one == canonicalise(one)
        order = list(one.measures)
        before, after = (
            interpret_plan(plan, tables, meetings.rank),
            interpret_plan(one, tables, meetings.rank),
        )
        for group, numbers in before.items():
            start = 0
            for measure, became in zip(plan.measures, map_measures(plan), strict=True):
                at = sum(other.width for other in order[: order.index(became)])
                assert (
                    numbers[start : start + measure.width] == after[group][at : at + measure.width]
                )
                start += measure.width
        unit = Unit("add-remove", "id")
        assert set(one.sensitivity(unit)) == set(plan.sensitivity(unit))
        assert set(one.second_population_sensitivity(unit)) == set(
            plan.second_population_sensitivity(unit)
        )


def test_a_join_across_units_is_one_question_whichever_side_comes_first() -> None:
    plan, other = across(), swapped()
    assert canonicalise(plan) == canonicalise(other) == canonicalise(canonicalise(plan))
    assert compute_plan_key(plan) == compute_plan_key(other)
    join = find_owner_join(canonicalise(plan).bound.source)
    assert join is not None
    # columns that nobody reads are gone
    assert sorted(len(side.columns) for side in list_inputs(join)) == [2, 3]


def test_the_caps_of_a_join_across_units_are_part_of_the_plan_key() -> None:
    caps = [(RARE, OFTEN), (RARE, RARE), (OFTEN, OFTEN), (RARE, Truncation(3, 5))]
    assert len({compute_plan_key(across(pair)) for pair in caps}) == len(caps)
    unit = Unit("add-remove", "id")
    assert canonicalise(across()).sensitivity(unit) == across().sensitivity(unit)


def test_a_join_across_units_keeps_the_rows_that_it_kept() -> None:
    """Where all columns are read, which rows come first does not depend on their names."""
    for number in range(20):
        random = Random(number)
        tables = {
            name: [
                {column: random.choice([1, 2, 3]) for column in ("id", "k", "a", "b")}
                for _ in range(12)
            ]
            for name in ("authors", "fans")
        }
        ends = [canonicalise(plan) for plan in (across(), swapped())]
        first, second = (interpret_plan(plan, tables, lambda *_: 0) for plan in ends)
        assert first == second
