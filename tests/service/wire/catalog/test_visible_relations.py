from __future__ import annotations

from hedgerow.service.wire.catalog.visible_relations import list_visible_relations
from service.wire.catalog.helpers_catalog import TABLES


def test_relations_have_numbers_of_their_own_and_typed_columns() -> None:
    found = list_visible_relations(TABLES)
    assert len({one.oid for one in found}) == len(found)
    own = [(one.oid, one.schema, one.name) for one in found[-3:]]
    assert own == [
        (16384, "public", "visits"),
        (16385, "public", "Odd name"),
        (16386, "hedgerow", "budget"),
    ]
    visits = found[-3]
    assert [(one.number, one.name, one.type.name) for one in visits.columns] == [
        (1, "age", "int8"),
        (2, "region", "text"),
    ]
    index = next(one for one in found if one.name == "pg_index")
    assert {one.name: one.type.name for one in index.columns}["indkey"] == "_int2"
