from __future__ import annotations

from datetime import date

from hedgerow.policy import ColumnRule, PartitionRule, TableRule
from hedgerow.policy.records import format_part_name
from hedgerow.privacy import Unit
from policy.helpers_page import policy


def test_a_table_tells_whom_it_protects() -> None:
    visits, regions = policy().tables
    assert visits.privacy_unit == Unit("add-remove", "patient_id")
    assert regions.privacy_unit is None


def test_columns_are_found_whatever_their_case() -> None:
    visits = policy().tables[0]
    assert visits.column("AGE") is visits.columns[0]
    assert visits.column("weight") is None
    assert TableRule("t", "t.csv").column("age") is None


def test_parts_are_called_as_their_values_are_written() -> None:
    visits, regions = policy().tables
    assert visits.parts == tuple(f"2026-{month:02}" for month in range(1, 13))
    assert regions.parts == TableRule("t", "t.csv", partition=PartitionRule("gone", 1)).parts == ()
    assert (
        TableRule(
            "t", "t.csv", columns=(ColumnRule("a", "text"),), partition=PartitionRule("a", 1)
        ).parts
        == ()
    )
    assert [format_part_name(value) for value in ("north", 7, True, False, date(2026, 1, 2))] == [
        "north",
        "7",
        "true",
        "false",
        "2026-01-02",
    ]
    assert format_part_name(date(2026, 1, 1), "year") == "2026"
