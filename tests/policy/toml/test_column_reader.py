from __future__ import annotations

from datetime import datetime
from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.plan.values import number_date
from hedgerow.policy import ColumnRule, Policy, parse_policy, write_policy
from hedgerow.policy.diff import list_loosenings
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


JULY = (datetime(2026, 7, 1), datetime(2026, 7, 31, 23, 59, 59, 999_999))


@pytest.mark.parametrize(
    ("written", "ends"),
    [
        ('values = "2026-07-01 … 2026-07-31"', JULY),
        (
            'values = "2026-07-01 00:00 ... 2026-07-31T12:30:00"',
            (JULY[0], datetime(2026, 7, 31, 12, 30)),
        ),
        ("min = 2026-07-01, max = 2026-07-31", JULY),
        ("min = 2026-07-01T00:00:00, max = '2026-07-31'", JULY),
        ("hidden = false", None),
    ],
)
def test_timestamps_have_bounds(written: str, ends: tuple[datetime, datetime] | None) -> None:
    text = SMALL + f'columns.at = {{ type = "timestamp", {written} }}'
    (column,) = parse_policy(text).tables[0].columns
    low, high = (None, None) if ends is None else (F(number_date(end)) for end in ends)
    assert column == ColumnRule("at", "timestamp", low, high)
    again = parse_policy(write_policy(parse_policy(text)))
    assert again.tables[0].columns == (column,)
    assert Policy.from_canonical(again.canonical()) == again


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('values = ["2026-07-01"]', "must be a range for a timestamp"),
        ('values = "2026-07-01 … noon"', "must be a date or a time without a zone"),
        ("min = 3, max = 2026-07-31", "must be a date or a time without a zone"),
        ("min = 2026-07-01T00:00:00Z, max = 2026-07-31", "must be a date or a time without a zone"),
        ("min = 2026-07-31, max = 2026-07-01", "the last moment must be after the first"),
        ("min = 2026-07-31", "max is missing"),
        ("step = 3", "not a key of this table"),
    ],
)
def test_malformed_timestamps_are_refused(written: str, told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        parse_policy(SMALL + f'columns.at = {{ type = "timestamp", {written} }}')


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


def test_the_length_of_texts_is_stored_and_a_change_loosens() -> None:
    def read(line: str) -> Policy:
        return parse_policy(
            f"""
[database]
name = "web"
[budget]
epsilon = 1
[tables.hits]
source = "hits.parquet"
unit = "row"
neighbours = "add-remove"
columns.url = {line}
"""
        )

    plain, short, long = (
        read(f'{{ type = "text"{more} }}') for more in ("", ", max_length = 9", ", max_length = 10")
    )
    assert short.tables[0].columns[0].max_length == 9
    assert Policy.from_canonical(short.canonical()) == short
    assert "max_length" not in plain.canonical()  # an older policy keeps its digest
    assert "max_length = 9" in write_policy(short)
    assert list_loosenings(short, long) == (
        "column 'url' of table 'hits': max_length changes from 9 to 10.",
    )
    assert list_loosenings(short, plain) == (
        "column 'url' of table 'hits': max_length changes from 9 to none.",
    )
    with pytest.raises(InvalidArgument, match="max_length"):
        read('{ type = "text", max_length = 0 }')
