"""The columns of files and frames, without a look at any row; public files may be read in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from sqlglot import exp

from hedgerow.engines.compile.sql_builders import (
    binary,
    call_function,
    case_when,
    cast_to_type,
    column,
    integer_literal,
    real_literal,
    select,
)
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.compile.stored_tables import locate_columns
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.process.engine_process import EngineProcess, RequestFailed
from hedgerow.engines.duckdb.session_protocol import AttachedRelation, EngineLimits
from hedgerow.engines.duckdb.tables.registry import RegisteredTable, map_engine_types
from hedgerow.engines.framing import ChannelBroken
from hedgerow.engines.statement import Statement
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
]

_TIMEOUT_SECONDS: Final = 60.0
_MAX_DECIMALS: Final = 4
_WHOLE: Final = "integer"
_MAX_LISTED_VALUES: Final = 200  # a longer list is not proposed to the custodian

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """The values of a column of a public table: all, if they are few, and the smallest
    and largest. Real ones may all have a few decimals, and are then multiples of a ``step``.
    """

    values: tuple[Any, ...] | None
    low: Value
    high: Value
    step: Fraction | None = None


def inspect_columns(data: Path | pa.Table) -> tuple[PhysicalColumn, ...]:
    """Return the columns of a .csv or .parquet file, or of an Arrow table."""
    with FileInspector([data]) as inspector:
        return inspector.read_columns(data)


class FileInspector:
    """A reader of files in a process of its own: untrusted files are not parsed in this process,
    and DuckDB is not loaded here.
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
        """Return the columns of a file or a frame."""
        found = (
            self._run_in_process(data, self._attach_once)
            if isinstance(data, Path)
            else _attach_frame(data)
        )
        return map_engine_types(found.columns)

    def summarise(self, path: Path) -> dict[str, ColumnSummary]:
        """Summarise the values of each column of a public file."""
        return self._run_in_process(path, self._summarise_file)

    def _run_in_process(self, path: Path, ask: Callable[[EngineProcess, Path], T]) -> T:
        _check_file(path)
        if self._process is None:
            # Absolute paths: the process runs in another folder.
            paths = [known.resolve() for known in self._paths if known.is_file()]
            self._process = EngineProcess(paths, EngineLimits(threads=1), _TIMEOUT_SECONDS)
        try:
            return ask(self._process, path)
        except (ChannelBroken, RequestFailed):
            pass
        raise SourceError(
            f"{path.name} cannot be read. Check that it is a valid {path.suffix} file."
        )

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
    step = _find_step(child, there, value) if type_ == "real" and low is not None else None
    return ColumnSummary(few or None, low, high, step)


def _find_step(child: EngineProcess, there: exp.Table, value: exp.Expr) -> Fraction | None:
    """Find the largest power of a tenth that all values of a real column are multiples of: each is
    the double nearest to a whole number over a power of ten."""
    real = cast_to_type(value, "real", total=True)
    outputs = []
    for decimals in range(_MAX_DECIMALS + 1):
        scale = real_literal(10.0**decimals)
        steps = call_function("round", binary(real.copy(), exp.Mul, scale))
        same = binary(binary(steps, exp.Div, scale.copy()), exp.EQ, real.copy())
        other = case_when((same, integer_literal(0)), otherwise=integer_literal(1))
        outputs.append((f"d{decimals}", exp.Max(this=other)))
    query = select(outputs, there, [exp.Not(this=exp.Is(this=real.copy(), expression=exp.Null()))])
    found, _ = child.run_statement(_build_statement(query, tuple(_WHOLE for _ in outputs)))
    exact = [decimals for decimals, (other,) in enumerate(found) if other == 0]
    return Fraction(1, 10 ** exact[0]) if exact else None


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
    raise SourceError(
        "The frame cannot be read. Convert its columns to numbers, text, dates, timestamps or"
        " booleans."
    )


def check_types(table: RegisteredTable, columns: Sequence[PhysicalColumn]) -> None:
    """Check that the declared types can be read from those of the data; a .csv file is text and may
    hold any.
    """
    if table.path is None or table.path.suffix.lower() != ".csv":
        locate_columns(table.schema, "", columns)


def list_timestamp_notes(table: str, columns: Iterable[PhysicalColumn]) -> list[str]:
    """List a note for each column whose time of day is cut off."""
    return [
        f"{table}.{column.name} holds timestamps; it is read as dates, without the time of day."
        for column in columns
        if column.has_time
    ]


def list_unreadable_notes(table: str, columns: Iterable[PhysicalColumn]) -> list[str]:
    """List a note for each column of a type that cannot be read."""
    return [
        f"{table}.{column.name} cannot be queried: its type is none of integer, real, text, date,"
        " timestamp and boolean."
        for column in columns
        if column.type is None
    ]


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise SourceError(f"There is no file {path}. Check the path.")
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise SourceError(
            f"{path.name} is neither a .csv nor a .parquet file. Convert it to one of these."
        )
