"""The types of the embedded database as types of PostgreSQL."""

from __future__ import annotations

from typing import Final

__all__ = ["find_oid"]

_TEXT_OID: Final = 25
# Type -> its object id, and that of its arrays.
_OIDS: Final = {
    "BOOLEAN": (16, 1000),
    "TINYINT": (21, 1005),
    "SMALLINT": (21, 1005),
    "INTEGER": (23, 1007),
    "BIGINT": (20, 1016),
    "UINTEGER": (26, 1028),
    "UBIGINT": (1700, 1231),
    "HUGEINT": (1700, 1231),
    "DECIMAL": (1700, 1231),
    "FLOAT": (700, 1021),
    "DOUBLE": (701, 1022),
    "VARCHAR": (25, 1009),
    "DATE": (1082, 1182),
    "TIMESTAMP": (1114, 1115),
}


def find_oid(type_: str) -> int:
    """Return the object id of a type; of one that PostgreSQL has no equal of, that of text."""
    base, is_array = type_.removesuffix("[]"), type_.endswith("[]")
    found = _OIDS.get(base.partition("(")[0])
    return _TEXT_OID if found is None else found[is_array]
