from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.policy import ColumnRule, parse_policy
from hedgerow.policy.toml.column_reader import compute_default_step
from policy.helpers_page import SMALL, policy

F = Fraction


def test_columns_are_filled_in() -> None:
    age, cost, region, month, note = policy().tables[0].columns
    assert age == ColumnRule("age", "integer", F(0), F(110), F(1))
    assert cost == ColumnRule("cost", "real", F(0), F(10_000), F(1, 100))
    assert region == ColumnRule("region", "text", values=("north", "south", "east", "west"))
    assert (month.type, month.grain, len(month.values or ())) == ("date", "month", 12)
    assert note == ColumnRule("note", hidden=True)
    (column,) = parse_policy(SMALL + 'columns.smoker = { type = "boolean" }').tables[0].columns
    assert column == ColumnRule("smoker", "boolean", values=(False, True))


@pytest.mark.parametrize(
    ("low", "high", "step"),
    [
        (0, 1, F(1, 2**20)),
        (0, 2**20, F(1)),
        (0, 2**20 - 1, F(1, 2)),
        (-5, 5, F(8, 2**20)),
        (0, F(1, 10), F(1, 2**24)),
        (0, F(1, 3), F(1, 2**22)),
    ],
)
def test_the_default_step_of_reals_is_a_power_of_two(
    low: int, high: Fraction | int, step: Fraction
) -> None:
    found = compute_default_step("real", F(low), F(high))
    assert found == step
    assert 2**20 <= (F(high) - low) / step < 2**21


def test_the_default_step_of_other_types() -> None:
    assert compute_default_step("integer", F(0), F(9)) == 1
    assert compute_default_step("text", F(0), F(9)) is None
