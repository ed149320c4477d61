from __future__ import annotations

from hedgerow.service.wire.catalog.information_schema import list_information_rows
from hedgerow.service.wire.catalog.visible_relations import list_visible_relations
from service.wire.catalog.helpers_catalog import TABLES, ask


def test_only_reading_is_granted() -> None:
    rows = list_information_rows("clinic", list_visible_relations(TABLES))
    grants = rows["information_schema.table_privileges"]
    assert {row["privilege_type"] for row in grants} == {"SELECT"}


def test_columns_are_typed_as_in_postgresql() -> None:
    found = ask(
        "SELECT column_name, data_type, numeric_precision, is_nullable"
        " FROM information_schema.columns WHERE table_name = 'visits' ORDER BY ordinal_position"
    )
    assert found == [("age", "bigint", 64, "YES"), ("region", "text", None, "YES")]
    assert ask("SELECT table_name FROM information_schema.views WHERE table_schema = 'hedgerow'")
