"""The caps on rows that meet rows of other units: both or none."""

from __future__ import annotations

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.policy import Policy
from hedgerow.policy.diff import list_loosenings, list_tightenings
from hedgerow.policy.toml.reader import parse_policy
from hedgerow.policy.toml.writer import write_policy

PER_UNIT, PER_KEY = "max_join_rows_per_unit", "max_join_rows_per_key"


def read(*lines: str, unit: str = "who") -> Policy:
    caps = "max_units = 9\nmax_groups = 2\nmax_rows_per_group = 2" if unit != "row" else ""
    return parse_policy(
        f"""
[database]
name = "forum"
[budget]
epsilon = 1
[tables.posts]
source = "posts.parquet"
unit = "{unit}"
neighbours = "add-remove"
{caps}
{chr(10).join(lines)}
"""
    )


def test_both_caps_are_read_and_stored() -> None:
    policy = read(f"{PER_UNIT} = 20", f"{PER_KEY} = 5")
    (table,) = policy.tables
    assert (table.max_join_rows_per_unit, table.max_join_rows_per_key) == (20, 5)
    assert Policy.from_canonical(policy.canonical()) == policy
    assert PER_UNIT not in read().canonical()  # an older policy keeps its digest
    assert f"{PER_KEY}" in write_policy(policy)
    (rows,) = read(f"{PER_KEY} = 5", unit="row").tables
    assert (rows.max_join_rows_per_unit, rows.max_join_rows_per_key) == (None, 5)


@pytest.mark.parametrize(
    ("lines", "unit", "problem"),
    [
        ([f"{PER_UNIT} = 20"], "who", f"{PER_KEY} is missing"),
        ([f"{PER_KEY} = 5"], "who", f"{PER_UNIT} is missing"),
        ([f"{PER_UNIT} = 0", f"{PER_KEY} = 5"], "who", "whole number of at least 1"),
        ([f"{PER_UNIT} = 2", f"{PER_KEY} = 5"], "row", f"remove {PER_UNIT}"),
        ([f"{PER_UNIT} = 20", f'{PER_KEY} = "auto"'], "who", f"{PER_KEY} cannot be found"),
        ([f'{PER_UNIT} = "auto"', f"{PER_KEY} = 5"], "who", f"{PER_UNIT} cannot be found"),
    ],
)
def test_caps_that_cannot_hold_are_refused(lines: list[str], unit: str, problem: str) -> None:
    with pytest.raises(InvalidArgument, match=problem):
        read(*lines, unit=unit)


def test_other_caps_need_approval_where_they_let_more_rows_meet() -> None:
    none, some = read(), read(f"{PER_UNIT} = 20", f"{PER_KEY} = 5")
    more = read(f"{PER_UNIT} = 20", f"{PER_KEY} = 6")
    assert len(list_loosenings(none, some)) == 2  # without caps no rows of different units meet
    assert list_loosenings(some, more) == (
        "table 'posts': max_join_rows_per_key is raised from 5 to 6.",
    )
    assert list_loosenings(more, some) == list_loosenings(some, none) == ()
    assert len(list_tightenings(some, none)) == 2
