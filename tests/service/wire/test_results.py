from __future__ import annotations

from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.service.query_service import OutputColumnType
from hedgerow.service.wire.results import (
    WireColumn,
    build_fields,
    build_result,
    list_answer_columns,
)

COLUMNS = [OutputColumnType("k", "text", False), OutputColumnType("n", "integer", True)]
SHOWN = [WireColumn("k", 25), WireColumn("n", 20)]


def test_intervals_are_two_columns_beside_a_noisy_one() -> None:
    assert [one.name for one in list_answer_columns(COLUMNS, intervals=True)] == [
        *("k", "n", "n_low", "n_high")
    ]
    assert list_answer_columns(COLUMNS, intervals=False) == SHOWN


def test_formats_spread_as_the_protocol_says() -> None:
    assert [field.format for field in build_fields(SHOWN, ())] == [0, 0]
    assert [field.format for field in build_fields(SHOWN, (1,))] == [1, 1]
    assert [field.format for field in build_fields(SHOWN, (0, 1))] == [0, 1]
    assert [field.oid for field in build_fields(SHOWN, ())] == [25, 20]


def test_an_exact_table_has_no_intervals_to_show() -> None:
    table = ExactTable({"k": "text", "n": "integer"}, [{"k": "a", "n": 1}])
    result = build_result(table, COLUMNS, intervals=True)
    assert result.rows == [["a", 1, None, None]]
    assert result.tag == "SELECT 1"
    assert result.has_rows
