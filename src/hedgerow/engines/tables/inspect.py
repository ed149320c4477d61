"""What columns data have, without a look at any row: how a policy is laid over a file or a
frame. Public files may be looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from sqlglot import exp

from hedgerow.engines.compile.dialect import DUCKDB
from hedgerow.engines.compile.sql_builders import cast_to_type, column, select
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.process.engine_process import EngineProcess, RequestFailed
from hedgerow.engines.process.framing import ChannelBroken
from hedgerow.engines.process.session_protocol import AttachedRelation, EngineLimits
from hedgerow.engines.result_cells import Statement
from hedgerow.engines.tables.registry import RegisteredTable, locate_columns, map_engine_types
from hedgerow.errors import SourceError
from hedgerow.plan.values import Type, Value

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "ColumnSummary",
    "FileInspector",
    "check_types",
    "inspect_columns",
    "list_timestamp_notes",
    "list_unreadable_notes",
    "summarise_public_file",
]

_TIMEOUT_SECONDS: Final = 60.0
_MAX_LISTED_VALUES: Final = 200  # values that are worth a list

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """A column of a public table: all its values, if they are few, and the least and the
    greatest.
    """

    values: tuple[Any, ...] | None
    low: Value
    high: Value


def inspect_columns(data: Path | pa.Table) -> tuple[PhysicalColumn, ...]:
    """The columns of a .csv or .parquet file (by its path) or of an Arrow table."""
    with FileInspector([data]) as looking:
        return looking.read_columns(data)


def summarise_public_file(path: Path) -> dict[str, ColumnSummary]:
    """What a *public* file holds: the values of each column if they are few, and between which
    its numbers and dates lie.
    """
    with FileInspector([path]) as looking:
        return looking.summarise(path)


class FileInspector:
    """Looks at files in a process that ends with it: what its owner did not write is not parsed
    here, nor DuckDB loaded.
    """

    def __init__(self, data: Iterable[Path | pa.Table]) -> None:
        self._paths = [path for path in data if isinstance(path, Path)]
        self._process: EngineProcess | None = None
        self._attached: dict[Path, AttachedRelation] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()

    def read_columns(self, data: Path | pa.Table) -> tuple[PhysicalColumn, ...]:
        """The columns of a file or a frame."""
        found = (
            self._run_in_process(data, self._attach_once)
            if isinstance(data, Path)
            else _attach_frame(data)
        )
        return map_engine_types(found.columns)

    def summarise(self, path: Path) -> dict[str, ColumnSummary]:
        """What a public file holds."""
        return self._run_in_process(path, self._summarise_file)

    def _run_in_process(self, path: Path, ask: Callable[[EngineProcess, Path], T]) -> T:
        _check_file(path)
        if self._process is None:
            # the child stands elsewhere
            there = [known.resolve() for known in self._paths if known.is_file()]
            self._process = EngineProcess(there, EngineLimits(threads=1), _TIMEOUT_SECONDS)
        try:
            return ask(self._process, path)
        except (ChannelBroken, RequestFailed):
            pass
        raise SourceError(f"{path.name} cannot be read.")

    def _attach_once(self, child: EngineProcess, path: Path) -> AttachedRelation:
        if path not in self._attached:
            self._attached[path] = child.attach_file(f"t{len(self._attached)}", path.resolve())
        return self._attached[path]

    def _summarise_file(self, child: EngineProcess, path: Path) -> dict[str, ColumnSummary]:
        found = self._attach_once(child, path)
        columns = map_engine_types(found.columns)
        return {
            column.name: _summarise_column(child, found.relation, column.name, column.type)
            for column in columns
            if column.type is not None
        }


def _summarise_column(child: EngineProcess, relation: str, name: str, type_: Type) -> ColumnSummary:
    value, there = column(name), exp.Table(this=exp.to_identifier(relation, quoted=True))
    some = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
    different = (
        select([("v", cast_to_type(value.copy(), type_, total=True))], there, [some])
        .distinct()
        .limit(_MAX_LISTED_VALUES + 1)
    )
    first, last = (
        cast_to_type(end(this=value.copy()), type_, total=True) for end in (exp.Min, exp.Max)
    )
    (values,), _ = child.run_statement(_build_statement(different, (type_,)))
    few: tuple[Any, ...] | None = (
        tuple(sorted(values)) if None not in values and len(values) <= _MAX_LISTED_VALUES else None
    )
    ((low,), (high,)), _ = child.run_statement(
        _build_statement(select([("a", first), ("b", last)], there), (type_, type_))
    )
    return ColumnSummary(few or None, low, high)


def _build_statement(query: exp.Select, types: tuple[Type, ...]) -> Statement:
    return Statement(render_sql(query, DUCKDB), types, ())


def _attach_frame(table: pa.Table) -> AttachedRelation:
    import duckdb

    from hedgerow.engines.duckdb.session import DuckDBSession

    session = DuckDBSession([], EngineLimits())
    try:
        return session.attach_object("it", table)
    except duckdb.Error:
        pass
    finally:
        session.close()
    raise SourceError("The frame cannot be read.")


def check_types(table: RegisteredTable, columns: Sequence[PhysicalColumn]) -> None:
    """Whether declared types can be read from those of the data; SourceError where not. A .csv
    file is text, which may spell anything.
    """
    if table.path is None or table.path.suffix.lower() != ".csv":
        locate_columns(table.schema, "", columns)


def list_timestamp_notes(table: str, columns: Iterable[PhysicalColumn]) -> list[str]:
    """What a custodian should know of columns with a time of day."""
    return [
        f"{table}.{column.name} holds timestamps, and is read as dates: the time of day is cut off."
        for column in columns
        if column.has_time
    ]


def list_unreadable_notes(table: str, columns: Iterable[PhysicalColumn]) -> list[str]:
    """What a custodian should know of columns that hold lists and the like."""
    return [
        f"{table}.{column.name} is none of integer, real, text, date and boolean, and cannot be"
        " asked for."
        for column in columns
        if column.type is None
    ]


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise SourceError(f"There is no file {path}.")
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise SourceError(f"{path.name} is neither a .csv nor a .parquet file.")
