"""Registered tables: files and frames, attached to an engine session and checked against their
schema before any plan runs.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from sqlglot import exp

from hedgerow.engines.compile.column_casts import (
    StoredColumn,
    compile_parse,
    compile_read,
    is_clamped_integer,
)
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.plan import make_cached_compiler
from hedgerow.engines.compile.sql_builders import column, select
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.compile.stored_tables import (
    StoredTable,
    compile_unit_id,
    find_column,
    locate_columns,
    locate_unit,
)
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.duckdb.session_protocol import SessionProtocol, hide_engine_errors
from hedgerow.engines.duckdb.tables.arrow_snapshot import take_snapshot
from hedgerow.engines.duckdb.tables.csv_validation import scan_csv
from hedgerow.engines.result_cells import CompiledPlan
from hedgerow.engines.statement import Statement
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.schema import Schema
from hedgerow.plan.values import Type

__all__ = [
    "RegisteredTable",
    "TableBackedSource",
    "TableRegistry",
    "attach_tables",
    "map_engine_types",
    "stamp_tables",
]

_ENGINE_TYPES: Final[Mapping[str, Type]] = {
    "BOOLEAN": "boolean",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "integer"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "real"),
    **dict.fromkeys(("VARCHAR", "UUID"), "text"),
    "DATE": "date",
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "timestamp"),
    **dict.fromkeys(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"), "timestamp"),
}
_WIDE_TYPES: Final = re.compile("UBIGINT|HUGEINT|UHUGEINT|DECIMAL|TIMESTAMPTZ_NS")
_INCOMPARABLE_TYPES: Final = re.compile(r"UHUGEINT|DECIMAL\([0-9]+,\s*[1-9].*")

FileStamp = tuple[int, int, int]
StampedTables = Sequence[tuple["RegisteredTable", FileStamp | None]]


@dataclass(frozen=True, slots=True)
class RegisteredTable:
    """The data of one table: the path of a .csv or .parquet file, or a frame.

    A frame is an Arrow, pandas or polars table, or any object with ``__arrow_c_stream__``. It is
    taken as it is now; later changes have no effect (but see ``take_snapshot`` about Arrow tables
    over numpy arrays). ``accepted_stamp`` is the stamp of the file when its form was validated.
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
        """The path of the file; None for a frame."""
        return self.data if isinstance(self.data, Path) else None

    @property
    def stamp(self) -> FileStamp | None:
        """The inode, size and modification time of the file, which change with it; None for a
        frame.
        """
        with contextlib.suppress(OSError):
            if self.path is not None:
                status = self.path.stat()
                return status.st_ino, status.st_size, status.st_mtime_ns
        return None

    @property
    def row_count(self) -> int:
        """The number of rows of a frame; 0 for a file, which only the engine reads."""
        return 0 if isinstance(self.data, Path) else int(self.data.num_rows)


def _resolve_file(path: Path) -> Path:
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise InvalidArgument("path", "must end in .csv or .parquet", str(path))
    if not path.is_file():
        raise SourceError(f"There is no file {path}. Check the path.")
    found = path.resolve()
    if any(mark in str(found) for mark in "*?[]"):
        raise InvalidArgument("path", "must name one file, without any of * ? [ ]", str(found))
    return found


@dataclass(frozen=True, slots=True)
class TableRegistry:
    """The stored tables of an engine, and the columns of each in the data."""

    stored_tables: Mapping[str, StoredTable]
    columns: Mapping[str, tuple[PhysicalColumn, ...]]


class TableBackedSource:
    """The methods that sources over registered tables share."""

    _registry: TableRegistry
    _compile: Callable[[Aggregate], CompiledPlan]
    _stamps: StampedTables

    def _use_registry(
        self, registry: TableRegistry, dialect: Dialect, stamped: StampedTables = ()
    ) -> None:
        self._registry, self._compile, self._stamps = (
            registry,
            make_cached_compiler(registry.stored_tables, dialect),
            stamped,
        )

    def schema(self, table: str) -> tuple[PhysicalColumn, ...]:
        if table not in self._registry.columns:
            raise InvalidArgument("table", "must be the name of a registered table", table)
        return self._registry.columns[table]

    def prepare(self, plan: Aggregate) -> None:
        """Compile a plan or refuse it; refuse any plan after a file has changed."""
        self._compile(plan)
        for table in self._find_changed():
            raise SourceError(
                f"The file of {table} has changed since it was opened. Declare a new version in the"
                " policy and open the database again."
            )

    def _find_changed(self) -> list[str]:
        return [
            registered.schema.table
            for registered, stamp in self._stamps
            if registered.stamp != stamp
        ]


def stamp_tables(tables: Mapping[str, RegisteredTable]) -> StampedTables:
    """Pair each table with the stamp of its file when it was accepted, else with the one it has
    now.
    """
    return [
        (registered, registered.accepted_stamp or registered.stamp)
        for registered in tables.values()
    ]


def attach_tables(
    session: SessionProtocol, tables: Mapping[str, RegisteredTable], dialect: Dialect
) -> TableRegistry:
    """Attach every table to a session and read it once."""
    stored_tables, found = {}, {}
    for number, (name, registered) in enumerate(tables.items()):
        if name != registered.schema.table:
            raise InvalidArgument(
                "tables",
                f"must be keyed by the names in their schemas; the name of this one is"
                f" {registered.schema.table}",
                name,
            )
        stored_tables[name], found[name] = _attach_table(session, registered, f"t{number}", dialect)
    return TableRegistry(stored_tables, found)


def _attach_table(
    session: SessionProtocol, registered: RegisteredTable, relation: str, dialect: Dialect
) -> tuple[StoredTable, tuple[PhysicalColumn, ...]]:
    schema, path = registered.schema, registered.path
    if path is None:
        attached = hide_engine_errors(
            lambda: session.attach_object(relation, registered.data),
            f"The frame of {schema.table} has columns that cannot be read. Convert them to numbers,"
            " text, dates or booleans, or drop them.",
        )
    else:
        attached = hide_engine_errors(
            lambda: session.attach_file(relation, path),
            f"The file {path.name} is not a valid {path.suffix} file. Save it again, or correct its"
            " ending.",
        )
    there = map_engine_types(attached.columns)
    if path is not None and path.suffix.lower() == ".csv":
        query, stored = _build_parse_query(schema, relation, there, dialect)
        message = (
            f"The file {path.name} cannot be read. Correct it: every line needs as many values as"
            " the first, closed quotes, and UTF-8 text."
        )
        # DuckDB forgives malformed lines, so a file that was not validated before is checked here.
        if (
            registered.accepted_stamp is None
            and scan_csv(path, len(there), multiline=False, key=b"").bad_lines
        ):
            raise SourceError(message)
        hide_engine_errors(lambda: session.store_query(stored.relation, query), message)
        return stored, there
    stored = locate_columns(schema, relation, there)
    statement = _build_full_read(schema, stored, dialect)
    hide_engine_errors(
        lambda: session.run_statement(statement),
        f"The table {schema.table} is damaged: some of its values cannot be read. Create its data"
        " again.",
    )
    if path is not None:
        names = {
            stored.name: None
            for stored in (*stored.columns.values(), *_list_unit_columns(stored.unit))
        }
        message = (
            f"The statistics in the file {path.name} (minimum, maximum or NULLs of a column) do not"
            " match its values. Write the file again."
        )
        if names and not hide_engine_errors(
            lambda: session.verify_statistics(relation, list(names)), message
        ):
            raise SourceError(message)
    return stored, there


def _list_unit_columns(unit: StoredColumn | None) -> list[StoredColumn]:
    """List the columns that hold the unit id."""
    return [] if unit is None else [part for part, _ in unit.parts] or [unit]


def map_engine_types(columns: Sequence[tuple[str, str]]) -> tuple[PhysicalColumn, ...]:
    """Map DuckDB's column types to the types of a plan, None where a type cannot be read."""
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


def _build_parse_query(
    schema: Schema, relation: str, columns: Sequence[PhysicalColumn], dialect: Dialect
) -> tuple[str, StoredTable]:
    """Build the query that parses the declared columns of a file of text, and the place of its
    result.
    """
    wanted = [
        (f"c{i}", find_column(schema, declared.name, columns), declared)
        for i, declared in enumerate(schema.columns)
    ]
    outputs = [
        (
            name,
            compile_parse(
                column(there.name), each.type, dialect, clamp_wide=is_clamped_integer(each)
            ),
        )
        for name, there, each in wanted
    ]
    stored = {declared.name: StoredColumn(name, declared.type) for name, _, declared in wanted}
    unit, id_ = locate_unit(schema, columns), schema.id_column
    if unit is not None and unit.parts:
        named = [(f"u{i}", part, read) for i, (part, read) in enumerate(unit.parts)]
        outputs += [
            (name, compile_parse(column(part.name), read.type, dialect))
            for name, part, read in named
        ]
        parts = tuple((StoredColumn(name, read.type), read) for name, _, read in named)
        unit = replace(unit, parts=parts)
    elif (
        unit is not None
        and id_ is not None
        and not any(each.name == id_.name and is_clamped_integer(each) for each in schema.columns)
    ):
        unit = stored[id_.name]
    # Kept apart from a clamped column: clamping would make strangers one person.
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


def _build_full_read(schema: Schema, stored: StoredTable, dialect: Dialect) -> Statement:
    """Build a statement that reads every declared value, so that unreadable ones (broken pages,
    invalid Unicode) fail before any query.
    """
    values = [
        compile_read(declared, stored.columns[declared.name], dialect)
        for declared in schema.columns
    ]
    if stored.unit is not None:
        values.append(compile_unit_id(stored.unit, schema.id_column, dialect)[0])
    outputs = [
        (f"c{i}", exp.Max(this=dialect.build_rank([value]))) for i, value in enumerate(values)
    ]
    query = select(outputs, exp.Table(this=exp.to_identifier(stored.relation, quoted=True)))
    return Statement(render_sql(query, dialect), (), ())
