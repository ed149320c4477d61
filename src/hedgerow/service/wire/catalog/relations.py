"""The relations and types of PostgreSQL's catalogues, read from the lists beside this module."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

__all__ = [
    "PG_CATALOG",
    "CatalogRelation",
    "PgType",
    "find_engine_type",
    "list_function_columns",
    "list_relations",
    "list_types",
]

PG_CATALOG: Final = "pg_catalog"
_ENGINE_TYPES: Final[Mapping[str, str]] = {
    "bool": "BOOLEAN",
    "char": "VARCHAR",
    "date": "DATE",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "name": "VARCHAR",
    "numeric": "DECIMAL(38, 9)",
    "oid": "UINTEGER",
    "regproc": "VARCHAR",
    "text": "VARCHAR",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP",
    "varchar": "VARCHAR",
}


@dataclass(frozen=True, slots=True)
class CatalogRelation:
    """A relation of a catalogue, or a function that returns rows, with its columns and types."""

    schema: str
    name: str
    oid: int
    columns: Mapping[str, str]
    is_function: bool = False
    is_view: bool = False

    @property
    def key(self) -> str:
        """The name with its schema."""
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class PgType:
    """A type of PostgreSQL, as its catalogue describes it."""

    oid: int
    name: str
    length: int
    is_by_value: bool
    category: str
    is_preferred: bool
    array_oid: int
    element_oid: int
    sql_name: str
    alignment: str
    storage: str
    collation: int


def find_engine_type(type_: str) -> str:
    """Return the type of the embedded engine for a type of PostgreSQL."""
    if type_.endswith("[]"):
        return find_engine_type(type_[:-2]) + "[]"
    return _ENGINE_TYPES[type_]


@functools.cache
def list_relations() -> Mapping[str, CatalogRelation]:
    """Return the relations of pg_catalog and information_schema by schema and name."""
    found = {}
    for number, line in enumerate(_read_lines("relations.txt")):
        head, *words = line.split()
        schema, _, name = head.partition(".")
        oid = int(words.pop(0)) if words[0].isdigit() else 11_000 + number
        columns = dict(word.split(":") for word in words)
        is_function = name.endswith("()")
        relation = CatalogRelation(
            schema,
            name.removesuffix("()"),
            oid,
            columns,
            is_function,
            # Tables of PostgreSQL itself have fixed numbers.
            not is_function and oid >= 11_000,
        )
        found[relation.key] = relation
    return found


@functools.cache
def list_function_columns() -> frozenset[str]:
    """Return the names of columns that hold functions."""
    return frozenset(
        column
        for relation in list_relations().values()
        for column, type_ in relation.columns.items()
        if type_ == "regproc"
    )


@functools.cache
def list_types() -> Mapping[int, PgType]:
    """Return the types by their object ids."""
    found = {}
    for line in _read_lines("types.txt"):
        oid, name, length, by_value, category, preferred, array, element, *rest = line.split(";")
        sql_name, alignment, storage, collation = rest
        found[int(oid)] = PgType(
            int(oid),
            name,
            int(length),
            by_value == "t",
            category,
            preferred == "t",
            int(array),
            int(element),
            sql_name,
            alignment,
            storage,
            int(collation),
        )
    return found


def _read_lines(name: str) -> list[str]:
    """Return the lines of a list; what is indented continues the line before."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8").replace("\n  ", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
