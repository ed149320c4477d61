from __future__ import annotations

from hedgerow.service.wire.catalog.relations import (
    find_engine_type,
    list_function_columns,
    list_relations,
    list_types,
)


def test_the_lists_hold_what_clients_ask_for() -> None:
    relations = list_relations()
    assert relations["pg_catalog.pg_class"].oid == 1259
    assert list(relations["pg_catalog.pg_namespace"].columns) == [
        "oid",
        "nspname",
        "nspowner",
        "nspacl",
    ]
    assert relations["pg_catalog.pg_get_keywords"].is_function
    assert relations["information_schema.columns"].is_view
    assert len({one.oid for one in relations.values()}) == len(relations) > 200
    assert list_types()[20].sql_name == "bigint"
    assert list_types()[1009].element_oid == 25
    assert "typinput" in list_function_columns()


def test_every_listed_type_has_one_of_the_engine() -> None:
    types = {type_ for one in list_relations().values() for type_ in one.columns.values()}
    assert {find_engine_type(type_) for type_ in types} >= {"UINTEGER", "VARCHAR[]", "BOOLEAN"}
    assert find_engine_type("int2[]") == "SMALLINT[]"
