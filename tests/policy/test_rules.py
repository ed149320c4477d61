from __future__ import annotations

from hedgerow.policy import TableRule
from hedgerow.privacy import Unit
from policy.page import policy


def test_a_table_tells_whom_it_protects() -> None:
    visits, regions = policy().tables
    assert visits.protects == Unit("add-remove", "patient_id")
    assert regions.protects is None


def test_columns_are_found_whatever_their_case() -> None:
    visits = policy().tables[0]
    assert visits.column("AGE") is visits.columns[0]
    assert visits.column("weight") is None
    assert TableRule("t", "t.csv").column("age") is None
