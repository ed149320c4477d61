from __future__ import annotations

import pytest

from hedgerow.engines.compile.column_casts import StoredColumn
from hedgerow.engines.compile.stored_tables import StoredTable, locate_columns
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.errors import SourceError
from hedgerow.plan.schema import Column, Schema

SCHEMA = Schema("visits", (Column("age", "integer"), Column("City", "text")), "id")
COLUMNS = (
    PhysicalColumn("ID", "integer", exact_type="UHUGEINT"),
    PhysicalColumn("age", "real"),
    PhysicalColumn("city", "text"),
)


def test_columns_are_found_by_exact_name_first_then_ignoring_case() -> None:
    assert locate_columns(SCHEMA, "t0", COLUMNS) == StoredTable(
        "t0",
        {"age": StoredColumn("age", "real"), "City": StoredColumn("city", "text")},
        StoredColumn("ID", "integer", exact_type="UHUGEINT"),
    )


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (COLUMNS[1:], "no column id"),
        (COLUMNS[:2], "no column City"),
        ((*COLUMNS[:2], PhysicalColumn("city", None)), "City"),
        ((*COLUMNS, PhysicalColumn("CITY", "text")), "City"),
        ((PhysicalColumn("id", "date"), *COLUMNS[1:]), "id column id"),
    ],
)
def test_a_column_that_cannot_be_read_as_declared_is_named(
    columns: tuple[PhysicalColumn, ...], problem: str
) -> None:
    with pytest.raises(SourceError, match=problem):
        locate_columns(SCHEMA, "t0", columns)
