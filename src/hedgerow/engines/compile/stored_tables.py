"""Stored tables: the place of each declared column and of the unit id in the engine, checked before
any plan runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.column_casts import (
    CASTABLE_TYPES,
    WHITE_SPACE,
    StoredColumn,
    compile_read,
)
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    case_when,
    cast_to_type,
    column,
    integer_literal,
    text_literal,
)
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.errors import SourceError
from hedgerow.plan.composite_ids import list_id_columns
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Type

__all__ = [
    "StoredTable",
    "compile_unit_id",
    "find_column",
    "is_read_as_stored",
    "locate_columns",
    "locate_unit",
]

_ID_TYPES: Final[tuple[Type, ...]] = ("integer", "text", "real")
_PART_TYPES: Final[tuple[Type, ...]] = ("integer", "text")
_VISIBLE_ASCII: Final = (0x21, 0x7E)  # from ! to ~

_TYPE_NAMES: Final[Mapping[Type | None, str]] = {
    "boolean": "booleans",
    "integer": "integers",
    "real": "real numbers",
    "text": "text",
    "date": "dates",
    "timestamp": "timestamps",
    None: "values of another type",
}


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table in the engine: its relation, its columns by declared name, and the id of the unit."""

    relation: str
    columns: Mapping[str, StoredColumn]
    unit: StoredColumn | None


def locate_columns(schema: Schema, relation: str, columns: Sequence[PhysicalColumn]) -> StoredTable:
    """Locate each declared column and the unit; refuse a missing one or one of an
    unreadable type.
    """
    stored: dict[str, StoredColumn] = {}
    for declared in schema.columns:
        there = find_column(schema, declared.name, columns)
        if there.type is None or there.type not in CASTABLE_TYPES[declared.type]:
            is_text_date = there.type == "text" and declared.type in ("date", "timestamp")
            how = ", for instance with pandas.to_datetime" if is_text_date else ""
            raise SourceError(
                f"The column {declared.name} of {schema.table} holds {_TYPE_NAMES[there.type]}, but"
                f" the policy declares {_TYPE_NAMES[declared.type]}. Change the type in the policy,"
                f" or convert the column{how}."
            )
        stored[declared.name] = StoredColumn(there.name, there.type, there.is_wide)
    return StoredTable(relation, stored, locate_unit(schema, columns))


def locate_unit(schema: Schema, columns: Sequence[PhysicalColumn]) -> StoredColumn | None:
    """Locate the id column of the unit; None where rows are units or a foreign key leads to it."""
    if schema.unit in (None, "row") or schema.link is not None:
        return None
    names = list_id_columns(str(schema.unit))
    if len(names) > 1:
        return _locate_composite_unit(schema, names, columns)
    there, declared = find_column(schema, str(schema.unit), columns), schema.id_column
    if there.type not in _ID_TYPES or (declared is not None and declared.type not in _ID_TYPES):
        held = _TYPE_NAMES[
            there.type if declared is None or there.type not in _ID_TYPES else declared.type
        ]
        raise SourceError(
            f"The id column {schema.unit} of {schema.table} holds {held}. Ids must be integers or"
            " text: convert the column, or name another unit in the policy."
        )
    return StoredColumn(there.name, there.type, exact_type=there.exact_type)


def _locate_composite_unit(
    schema: Schema, names: Sequence[str], columns: Sequence[PhysicalColumn]
) -> StoredColumn:
    """Locate the parts of a composite id, each to be read as its declared type."""
    parts, types = list[tuple[StoredColumn, Column]](), list[str]()
    for name in names:
        there, declared = find_column(schema, name, columns), schema.column(name)
        type_ = there.type if declared is None else declared.type
        if type_ not in _PART_TYPES or there.type is None:
            held = _TYPE_NAMES[type_ if there.type in _PART_TYPES else there.type]
            raise SourceError(
                f"The column {name} of {schema.table}, a part of the privacy id, holds {held}."
                ' Parts must be integers or text: declare the type of the column ("integer"),'
                " convert it, or name other columns as the unit in the policy."
            )
        parts.append((StoredColumn(there.name, there.type, there.is_wide), Column(name, type_)))
        types.append(type_)
    return StoredColumn(str(schema.unit), "text", exact_type=", ".join(types), parts=tuple(parts))


def find_column(schema: Schema, name: str, columns: Sequence[PhysicalColumn]) -> PhysicalColumn:
    """Find a column by its exact name, else by the only name that differs in case alone."""
    exact = [there for there in columns if there.name == name]
    alike = exact or [there for there in columns if there.name.casefold() == name.casefold()]
    if not alike:
        raise SourceError(
            f"The table {schema.table} has no column {name}. Correct the name in the policy; the"
            f" columns are {', '.join(there.name for there in columns)}."
        )
    if len(alike) > 1:
        raise SourceError(
            f"The table {schema.table} has several columns {name} that differ in case alone. Rename"
            " all but one of them."
        )
    return alike[0]


def compile_unit_id(
    stored: StoredColumn, declared: Column | None, dialect: Dialect
) -> tuple[exp.Expr, list[exp.Expr]]:
    """Compile the unit id of a row, and the conditions for a row to have one.

    The id is read as the declared type: one person must not become two because a number is written
    in two ways.
    """
    if stored.parts:
        return _compile_composite_id(stored, dialect)
    type_ = stored.type if declared is None else declared.type
    if declared is None or is_read_as_stored(stored, declared):
        # Enumerations become their text: two tables may number the same words differently.
        unit = dialect.read_stored_id(column(stored.name), stored.type, stored.is_wide)
    else:
        unit = compile_read(declared, stored, dialect)
    has_unit: list[exp.Expr] = [
        exp.Not(this=exp.Is(this=exp.Paren(this=unit.copy()), expression=exp.Null()))
    ]
    if type_ == "real":
        has_unit.append(exp.Not(this=dialect.is_nan(cast_to_type(unit.copy(), "real"))))
    if type_ == "text":  # a blank id is no id: strangers must not become one unit
        has_unit.append(_build_not_blank(unit))
    return unit, has_unit


def _compile_composite_id(
    stored: StoredColumn, dialect: Dialect
) -> tuple[exp.Expr, list[exp.Expr]]:
    """Compile the encoding of plan/composite_ids.py; a row that lacks a part has no id."""
    pieces, has_parts = list[exp.Expr](), list[exp.Expr]()
    for part, declared in stored.parts:
        value, has_part = compile_unit_id(part, declared, dialect)
        text = cast_to_type(value, "text")
        size = cast_to_type(call_function("length", text.copy()), "text")
        pieces += [size, text_literal(":"), text]
        has_parts += has_part
    unit, *others = pieces
    for piece in others:
        unit = binary(unit, exp.DPipe, piece)
    return unit, has_parts


def is_read_as_stored(stored: StoredColumn, declared: Column | None) -> bool:
    """Return whether ids are compared as stored: undeclared ones, and integers of any width."""
    return declared is None or declared.type == stored.type == "integer"


def _build_not_blank(value: exp.Expr) -> exp.Expr:
    """Build the test that a text is more than white space.

    The first character nearly always decides; searching for all kinds of white space takes twenty
    times as long.
    """
    plain = exp.Between(
        this=call_function("ascii", value.copy()),
        low=integer_literal(_VISIBLE_ASCII[0]),
        high=integer_literal(_VISIBLE_ASCII[1]),
    )
    return case_when(
        (plain, exp.true()),
        otherwise=binary(
            call_function("trim", value.copy(), text_literal(WHITE_SPACE)),
            exp.NEQ,
            text_literal(""),
        ),
    )
