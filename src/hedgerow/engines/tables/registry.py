"""Which table lies where: declared columns beside those that the data have. What does not fit is
said here, before anything is asked.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlglot import exp

from hedgerow.engines.compile.column_casts import (
    CASTABLE_TYPES,
    ID_TYPES,
    StoredColumn,
    compile_parse,
    compile_read,
    compile_unit_id,
    is_clamped_integer,
)
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.plan import StoredTable, make_cached_compiler
from hedgerow.engines.compile.sql_builders import column, select
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.process.session_protocol import SessionProtocol, hide_engine_errors
from hedgerow.engines.result_cells import CompiledPlan, Statement
from hedgerow.engines.tables.arrow_snapshot import take_snapshot
from hedgerow.engines.tables.csv_validation import scan_csv
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.schema import Schema
from hedgerow.plan.values import Type

__all__ = [
    "RegisteredTable",
    "TableBackedSource",
    "TableRegistry",
    "attach_tables",
    "locate_columns",
    "map_engine_types",
    "stamp_tables",
]

_ENGINE_TYPES: Final[Mapping[str, Type]] = {
    "BOOLEAN": "boolean",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "integer"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "real"),
    **dict.fromkeys(("VARCHAR", "UUID"), "text"),
    **dict.fromkeys(("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "date"),
    **dict.fromkeys(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"), "date"),
}
_WIDE_TYPES: Final = re.compile("UBIGINT|HUGEINT|UHUGEINT|DECIMAL")
_INCOMPARABLE_TYPES: Final = re.compile(r"UHUGEINT|DECIMAL\([0-9]+,\s*[1-9].*")
_TYPE_NAMES: Final[Mapping[Type | None, str]] = {
    "boolean": "truth values",
    "integer": "whole numbers",
    "real": "real numbers",
    "text": "text",
    "date": "dates",
    None: "something else",
}


FileStamp = tuple[int, int, int]
StampedTables = Sequence[tuple["RegisteredTable", FileStamp | None]]


@dataclass(frozen=True, slots=True)
class RegisteredTable:
    """Data under the name that their schema gives them: the path of a .csv or .parquet file, or a
    frame (Arrow, pandas, polars, anything with ``__arrow_c_stream__``). A frame is taken as it is
    now; what its owner does to it later does not matter (but see ``take_snapshot`` about Arrow
    tables over arrays of numpy). ``accepted`` is the stamp of the file when its form was validated.
    """

    data: Any
    schema: Schema
    accepted_stamp: FileStamp | None = None

    def __post_init__(self) -> None:
        if isinstance(self.data, str | Path):
            object.__setattr__(self, "data", _resolve_file(Path(self.data)))
        else:
            object.__setattr__(self, "data", take_snapshot(self.data, self.schema.table))

    @property
    def path(self) -> Path | None:
        """Where the file is; None for a frame."""
        return self.data if isinstance(self.data, Path) else None

    @property
    def stamp(self) -> FileStamp | None:
        """What changes when a file is replaced or written to; None where there is no file."""
        with contextlib.suppress(OSError):
            if self.path is not None:
                told = self.path.stat()
                return told.st_ino, told.st_size, told.st_mtime_ns
        return None

    @property
    def row_count(self) -> int:
        """How many a frame has; 0 for a file, which only the engine reads."""
        return 0 if isinstance(self.data, Path) else int(self.data.num_rows)


def _resolve_file(path: Path) -> Path:
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise InvalidArgument("path", "must end in .csv or .parquet", str(path))
    if not path.is_file():
        raise SourceError(f"There is no file {path}.")
    found = path.resolve()
    if any(mark in str(found) for mark in "*?[]"):
        raise InvalidArgument("path", "must name one file, without any of * ? [ ]", str(found))
    return found


@dataclass(frozen=True, slots=True)
class TableRegistry:
    """Where every table lies, and which columns it has in the data."""

    stored_tables: Mapping[str, StoredTable]
    columns: Mapping[str, tuple[PhysicalColumn, ...]]


class TableBackedSource:
    """What engines over a catalogue have in common."""

    _registry: TableRegistry
    _compile: Callable[[Aggregate], CompiledPlan]
    _stamps: StampedTables

    def _use_registry(
        self, catalogue: TableRegistry, dialect: Dialect, stamped: StampedTables = ()
    ) -> None:
        self._registry, self._compile, self._stamps = (
            catalogue,
            make_cached_compiler(catalogue.stored_tables, dialect),
            stamped,
        )

    def schema(self, table: str) -> tuple[PhysicalColumn, ...]:
        """The columns that a table has, by their names in the data."""
        if table not in self._registry.columns:
            raise InvalidArgument("table", "must be one of those registered", table)
        return self._registry.columns[table]

    def prepare(self, plan: Aggregate) -> None:
        """Compile the plan, or refuse it. Nothing is asked of a file that is not the one that
        was looked at when it was opened.
        """
        self._compile(plan)
        for table in self._find_changed():
            raise SourceError(
                f"The file of {table} has changed since it was opened: declare a new version in the"
                " policy, and open the database again."
            )

    def _find_changed(self) -> list[str]:
        """Return the tables whose file is not the one that was looked at."""
        return [
            registered.schema.table
            for registered, stamp in self._stamps
            if registered.stamp != stamp
        ]


def stamp_tables(tables: Mapping[str, RegisteredTable]) -> StampedTables:
    """Each table beside the stamp that its file had when it was accepted, or else has now."""
    return [
        (registered, registered.accepted_stamp or registered.stamp)
        for registered in tables.values()
    ]


def attach_tables(
    desk: SessionProtocol, tables: Mapping[str, RegisteredTable], dialect: Dialect
) -> TableRegistry:
    """Attaches every table and reads it once."""
    shelves, found = {}, {}
    for number, (name, registered) in enumerate(tables.items()):
        if name != registered.schema.table:
            raise InvalidArgument(
                "tables",
                f"must go by the names in their schemas, and {registered.schema.table} does not",
                name,
            )
        shelves[name], found[name] = _attach_table(desk, registered, f"t{number}", dialect)
    return TableRegistry(shelves, found)


def _attach_table(
    desk: SessionProtocol, registered: RegisteredTable, relation: str, dialect: Dialect
) -> tuple[StoredTable, tuple[PhysicalColumn, ...]]:
    schema, path = registered.schema, registered.path
    if path is None:
        attached = hide_engine_errors(
            lambda: desk.attach_object(relation, registered.data),
            f"The frame of {schema.table} has columns of unknown types.",
        )
    else:
        attached = hide_engine_errors(
            lambda: desk.attach_file(relation, path),
            f"The file {path.name} is not what its name says.",
        )
    there = map_engine_types(attached.columns)
    if path is not None and path.suffix.lower() == ".csv":
        query, shelf = _build_parse_query(schema, relation, there, dialect)
        words = (
            f"The file {path.name} cannot be read: every line needs as many values as the first,"
            " every quote an end, all in UTF-8."
        )
        # The reader forgives what it should not: a file that nobody accepted is looked at here.
        if (
            registered.accepted_stamp is None
            and scan_csv(path, len(there), multiline=False, key=b"").bad_lines
        ):
            raise SourceError(words)
        hide_engine_errors(lambda: desk.store_query(shelf.relation, query), words)
        return shelf, there
    shelf = locate_columns(schema, relation, there)
    statement = _build_full_read(schema, shelf, dialect)
    hide_engine_errors(
        lambda: desk.run_statement(statement),
        f"The table {schema.table} is damaged: some of its values cannot be read.",
    )
    if path is not None:
        names = {
            stored.name: None
            for stored in (*shelf.columns.values(), *([shelf.unit] if shelf.unit else []))
        }
        words = (
            f"The file {path.name} tells what is not so of its own columns, such as their least and"
            " greatest values: write it anew."
        )
        if names and not hide_engine_errors(
            lambda: desk.verify_statistics(relation, list(names)), words
        ):
            raise SourceError(words)
    return shelf, there


def map_engine_types(columns: Sequence[tuple[str, str]]) -> tuple[PhysicalColumn, ...]:
    """The engine's types in our words."""
    return tuple(
        PhysicalColumn(
            name,
            _map_engine_type(engine_type),
            bool(_WIDE_TYPES.match(engine_type)),
            engine_type.startswith("TIMESTAMP"),
            engine_type if _INCOMPARABLE_TYPES.fullmatch(engine_type) else "",
        )
        for name, engine_type in columns
    )


def _map_engine_type(engine_type: str) -> Type | None:
    if engine_type.startswith("ENUM(") and engine_type.endswith(")"):
        return "text"
    decimal = re.fullmatch(r"DECIMAL\([0-9]+,\s*([0-9]+)\)", engine_type)
    if decimal:
        return "integer" if decimal[1] == "0" else "real"
    return _ENGINE_TYPES.get(engine_type)


def locate_columns(schema: Schema, relation: str, columns: Sequence[PhysicalColumn]) -> StoredTable:
    """Where each declared column lies, and the unit; SourceError where one is missing or of a
    type that cannot be read so.
    """
    stored: dict[str, StoredColumn] = {}
    for declared in schema.columns:
        there = _find_column(schema, declared.name, columns)
        if there.type is None or there.type not in CASTABLE_TYPES[declared.type]:
            held = (
                f"The column {declared.name} of {schema.table} holds {_TYPE_NAMES[there.type]}, and"
                f" the policy declares {_TYPE_NAMES[declared.type]}."
            )
            dates = " Turn the text into dates first, with pandas.to_datetime for instance."
            raise SourceError(held + dates * ((there.type, declared.type) == ("text", "date")))
        stored[declared.name] = StoredColumn(there.name, there.type, there.is_wide)
    return StoredTable(relation, stored, _locate_unit(schema, columns))


def _locate_unit(schema: Schema, columns: Sequence[PhysicalColumn]) -> StoredColumn | None:
    if schema.unit in (None, "row") or schema.link is not None:
        return None
    there, declared = _find_column(schema, str(schema.unit), columns), schema.id_column
    if there.type not in ID_TYPES or (declared is not None and declared.type not in ID_TYPES):
        held = _TYPE_NAMES[
            there.type if declared is None or there.type not in ID_TYPES else declared.type
        ]
        raise SourceError(
            f"The id column {schema.unit} of {schema.table} holds {held}; ids are whole numbers or"
            " text."
        )
    return StoredColumn(there.name, there.type, exact_type=there.exact_type)


def _find_column(schema: Schema, name: str, columns: Sequence[PhysicalColumn]) -> PhysicalColumn:
    """By exact name, else by the only one that differs in upper and lower case alone."""
    exact = [there for there in columns if there.name == name]
    alike = exact or [there for there in columns if there.name.casefold() == name.casefold()]
    if not alike:
        raise SourceError(
            f"The table {schema.table} has no column {name}; it has"
            f" {', '.join(there.name for there in columns)}."
        )
    if len(alike) > 1:
        raise SourceError(
            f"The table {schema.table} has several columns {name} that differ in upper and lower"
            " case alone."
        )
    return alike[0]


def _build_parse_query(
    schema: Schema, relation: str, columns: Sequence[PhysicalColumn], dialect: Dialect
) -> tuple[str, StoredTable]:
    """For a file of text alone: the query that parses the declared columns, and where they then
    lie.
    """
    wanted = [
        (f"c{i}", _find_column(schema, declared.name, columns), declared)
        for i, declared in enumerate(schema.columns)
    ]
    outputs = [
        (
            name,
            compile_parse(column(there.name), each.type, dialect, moved=is_clamped_integer(each)),
        )
        for name, there, each in wanted
    ]
    stored = {declared.name: StoredColumn(name, declared.type) for name, _, declared in wanted}
    unit, id_ = _locate_unit(schema, columns), schema.id_column
    if (
        unit is not None
        and id_ is not None
        and not any(each.name == id_.name and is_clamped_integer(each) for each in schema.columns)
    ):
        unit = stored[id_.name]
    # apart from a column whose values are moved, or strangers would be one person
    elif unit is not None:
        outputs.append(
            (
                "u",
                (
                    column(unit.name)
                    if id_ is None
                    else compile_parse(column(unit.name), id_.type, dialect)
                ),
            )
        )
        unit = StoredColumn("u", "text" if id_ is None else id_.type)
    query = select(outputs, exp.Table(this=exp.to_identifier(relation, quoted=True)))
    return render_sql(query, dialect), StoredTable(f"{relation} parsed", stored, unit)


def _build_full_read(schema: Schema, shelf: StoredTable, dialect: Dialect) -> Statement:
    """Reads every declared value once, so that what cannot be read (broken pages, text that is
    no Unicode) shows before a question does.
    """
    values = [
        compile_read(declared, shelf.columns[declared.name], dialect) for declared in schema.columns
    ]
    if shelf.unit is not None:
        values.append(compile_unit_id(shelf.unit, schema.id_column, dialect)[0])
    outputs = [
        (f"c{i}", exp.Max(this=dialect.build_rank([value]))) for i, value in enumerate(values)
    ]
    query = select(outputs, exp.Table(this=exp.to_identifier(shelf.relation, quoted=True)))
    return Statement(render_sql(query, dialect), (), ())
