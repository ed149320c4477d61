"""The rows of the catalogue's relations, from the published tables alone.

Columns that a row leaves out are 0, false or NULL, as in a plain table of PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from hedgerow.database.uncharged.system_query import SYSTEM_SCHEMA
from hedgerow.service.wire.catalog.information_schema import list_information_rows
from hedgerow.service.wire.catalog.published_tables import PUBLIC_SCHEMA, PublishedTable
from hedgerow.service.wire.catalog.relations import PG_CATALOG, list_types
from hedgerow.service.wire.catalog.visible_relations import (
    OWNER,
    OWNER_OID,
    READ_ACL,
    VisibleRelation,
    list_visible_relations,
)
from hedgerow.service.wire.session_settings import USUAL_SETTINGS

__all__ = ["SCHEMA_OIDS", "list_catalog_rows"]

Row = dict[str, Any]
SCHEMA_OIDS: Final[Mapping[str, int]] = {
    PG_CATALOG: 11,
    PUBLIC_SCHEMA: 2200,
    "information_schema": 11_990,
    SYSTEM_SCHEMA: 11_991,
}
_DATABASE_OID: Final = 11_992
_CALLER_OID: Final = 11_993
_TABLESPACE_OID: Final = 1663
_CLASS_OID, _DATABASE_CLASS_OID, _SCHEMA_CLASS_OID = 1259, 1262, 2615
_TABLE_METHOD_OID: Final = 2
_INTERNAL_LANGUAGE_OID: Final = 12
_UTF8: Final = 6


def list_catalog_rows(database: str, tables: Sequence[PublishedTable]) -> dict[str, list[Row]]:
    """Return the rows of every relation that has any, by schema and name."""
    visible = list_visible_relations(tables)
    rows = {
        "pg_namespace": list(_list_schemas()),
        "pg_class": [_build_class(one) for one in visible],
        "pg_attribute": [row for one in visible for row in _list_attributes(one)],
        "pg_type": list(_list_types()),
        "pg_description": [row for one in visible for row in _list_descriptions(one)],
        "pg_shdescription": [],
        "pg_database": [_build_database(database)],
        "pg_am": [
            {"oid": 2, "amname": "heap", "amhandler": "heap_tableam_handler", "amtype": "t"},
            {"oid": 403, "amname": "btree", "amhandler": "bthandler", "amtype": "i"},
        ],
        "pg_tablespace": [{"oid": _TABLESPACE_OID, "spcname": "pg_default", "spcowner": OWNER_OID}],
        "pg_collation": [
            _build_collation(oid, name) for oid, name in ((100, "default"), (950, "C"))
        ],
        "pg_language": [
            {"oid": _INTERNAL_LANGUAGE_OID, "lanname": "internal", "lanowner": OWNER_OID},
            {"oid": 14, "lanname": "sql", "lanowner": OWNER_OID, "lanpltrusted": True},
        ],
        **_list_roles(),
        "pg_settings": [_build_setting(*pair) for pair in sorted(USUAL_SETTINGS.items())],
        "pg_tables": [
            {"schemaname": one.schema, "tablename": one.name, "tableowner": OWNER}
            for one in visible
            if not one.is_view
        ],
        "pg_views": [
            {"schemaname": one.schema, "viewname": one.name, "viewowner": OWNER}
            for one in visible
            if one.is_view
        ],
    }
    found = {f"{PG_CATALOG}.{name}": listed for name, listed in rows.items() if listed}
    return found | list_information_rows(database, visible)


def _list_schemas() -> Iterator[Row]:
    for name, oid in SCHEMA_OIDS.items():
        acl = [f"=U/{OWNER}"]
        yield {"oid": oid, "nspname": name, "nspowner": OWNER_OID, "nspacl": acl}


def _build_class(one: VisibleRelation) -> Row:
    return {
        "oid": one.oid,
        "relname": one.name,
        "relnamespace": SCHEMA_OIDS[one.schema],
        "relowner": OWNER_OID,
        "relam": 0 if one.is_view else _TABLE_METHOD_OID,
        "relfilenode": 0 if one.is_view else one.oid,
        "reltuples": -1.0,  # PostgreSQL's word for unknown
        "relhasrules": one.is_view,
        "relpersistence": "p",
        "relkind": "v" if one.is_view else "r",
        "relnatts": len(one.columns),
        "relispopulated": True,
        "relreplident": "n",
        "relacl": [READ_ACL],
    }


def _list_attributes(one: VisibleRelation) -> Iterator[Row]:
    for column in one.columns:
        type_ = column.type
        yield {
            "attrelid": one.oid,
            "attname": column.name,
            "atttypid": type_.oid,
            "attstattarget": -1,
            "attlen": type_.length,
            "attnum": column.number,
            "attndims": int(type_.element_oid > 0 and type_.length == -1),
            "attcacheoff": -1,
            "atttypmod": -1,
            "attbyval": type_.is_by_value,
            "attalign": type_.alignment,
            "attstorage": type_.storage,
            "attcompression": "",
            "attidentity": "",
            "attgenerated": "",
            "attislocal": True,
            "attcollation": type_.collation,
        }


def _list_types() -> Iterator[Row]:
    for one in list_types().values():
        is_pseudo = one.category == "P"
        yield {
            "oid": one.oid,
            "typname": one.name,
            "typnamespace": SCHEMA_OIDS[PG_CATALOG],
            "typowner": OWNER_OID,
            "typlen": one.length,
            "typbyval": one.is_by_value,
            "typtype": "p" if is_pseudo else "b",
            "typcategory": one.category,
            "typispreferred": one.is_preferred,
            "typisdefined": True,
            "typdelim": ",",
            "typelem": one.element_oid,
            "typarray": one.array_oid,
            "typinput": "array_in" if one.category == "A" else f"{one.name}in",
            "typoutput": "array_out" if one.category == "A" else f"{one.name}out",
            "typreceive": "array_recv" if one.category == "A" else f"{one.name}recv",
            "typsend": "array_send" if one.category == "A" else f"{one.name}send",
            "typsubscript": "array_subscript_handler" if one.category == "A" else "-",
            "typmodin": "-",
            "typmodout": "-",
            "typanalyze": "-",
            "typalign": one.alignment,
            "typstorage": one.storage,
            "typtypmod": -1,
            "typcollation": one.collation,
        }


def _list_descriptions(one: VisibleRelation) -> Iterator[Row]:
    words = [(0, one.description), *((two.number, two.description) for two in one.columns)]
    for number, description in words:
        if description is not None:
            yield {
                "objoid": one.oid,
                "classoid": _CLASS_OID,
                "objsubid": number,
                "description": description,
            }


def _build_database(name: str) -> Row:
    return {
        "oid": _DATABASE_OID,
        "datname": name,
        "datdba": OWNER_OID,
        "encoding": _UTF8,
        "datlocprovider": "c",
        "datallowconn": True,
        "datconnlimit": -1,
        "dattablespace": _TABLESPACE_OID,
        "datcollate": "C",
        "datctype": "C",
    }


def _build_collation(oid: int, name: str) -> Row:
    return {
        "oid": oid,
        "collname": name,
        "collnamespace": SCHEMA_OIDS[PG_CATALOG],
        "collowner": OWNER_OID,
        "collprovider": "d" if name == "default" else "c",
        "collisdeterministic": True,
        "collencoding": -1,
    }


def _build_setting(name: str, value: str) -> Row:
    common = {"category": "Hedgerow", "short_desc": "", "context": "user", "vartype": "string"}
    values = {"setting": value, "boot_val": value, "reset_val": value, "source": "default"}
    return {"name": name, **common, **values}


def _list_roles() -> dict[str, list[Row]]:
    """Return the owner of everything and the caller, whose name a session fills in; who else has an
    account is nobody's business."""
    names = ((OWNER_OID, OWNER), (_CALLER_OID, ""))
    roles: list[Row] = [
        {"oid": oid, "rolname": name, "rolinherit": True, "rolcanlogin": name != OWNER}
        | {"rolconnlimit": -1}
        for oid, name in names
    ]
    users: list[Row] = [{"usesysid": oid, "usename": name} for oid, name in names]
    return {"pg_roles": roles, "pg_user": users}
