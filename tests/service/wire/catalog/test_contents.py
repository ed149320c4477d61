from __future__ import annotations

from hedgerow.service.wire.catalog.contents import list_catalog_rows
from hedgerow.service.wire.catalog.relations import list_relations
from service.wire.catalog.helpers_catalog import TABLES


def test_rows_are_in_the_columns_of_their_relations() -> None:
    relations = list_relations()
    for key, rows in list_catalog_rows("clinic", TABLES).items():
        for row in rows:
            assert set(row) <= set(relations[key].columns), key


def test_nobody_but_the_owner_and_the_caller_is_a_role() -> None:
    roles = list_catalog_rows("clinic", TABLES)["pg_catalog.pg_roles"]
    assert [row["rolname"] for row in roles] == ["hedgerow", ""]


def test_the_number_of_rows_of_a_table_is_unknown() -> None:
    classes = list_catalog_rows("clinic", TABLES)["pg_catalog.pg_class"]
    assert {row["reltuples"] for row in classes} == {-1.0}
