"""What columns data have, without a look at any row: how a policy is laid over a file or a frame. Public files may be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from sqlglot import exp

from hedgerow.engines.catalogue import Registered, physical, shelf_of
from hedgerow.engines.decode import Statement
from hedgerow.engines.desk import Attached, Limits
from hedgerow.engines.dialect import DUCKDB
from hedgerow.engines.source import PhysicalColumn
from hedgerow.engines.terms import as_type, column, select
from hedgerow.engines.wire import Broken
from hedgerow.engines.worker import Child, Failed
from hedgerow.engines.writing import write
from hedgerow.errors import SourceError
from hedgerow.plan.values import Type, Value

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Looking", "Public", "check_fit", "clocks", "inspect", "survey", "unread"]

_SECONDS: Final = 60.0
_FEW: Final = 200  # values that are worth a list

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Public:
    """A column of a public table: all its values, if they are few, and the least and the greatest."""

    values: tuple[Any, ...] | None
    low: Value
    high: Value


def inspect(data: Path | pa.Table) -> tuple[PhysicalColumn, ...]:
    """The columns of a .csv or .parquet file (by its path) or of an Arrow table."""
    with Looking([data]) as looking:
        return looking.columns(data)


def survey(path: Path) -> dict[str, Public]:
    """What a *public* file holds: the values of each column if they are few, and between which its numbers and dates lie."""
    with Looking([path]) as looking:
        return looking.survey(path)


class Looking:
    """Looks at files in a process that ends with it: what its owner did not write is not parsed here, nor DuckDB loaded."""

    def __init__(self, data: Iterable[Path | pa.Table]) -> None:
        self._paths = [path for path in data if isinstance(path, Path)]
        self._child: Child | None = None
        self._attached: dict[Path, Attached] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.end()

    def columns(self, data: Path | pa.Table) -> tuple[PhysicalColumn, ...]:
        """The columns of a file or a frame."""
        found = self._asked(data, self._file) if isinstance(data, Path) else _of_frame(data)
        return physical(found.columns)

    def survey(self, path: Path) -> dict[str, Public]:
        """What a public file holds."""
        return self._asked(path, self._surveyed)

    def _asked(self, path: Path, ask: Callable[[Child, Path], T]) -> T:
        _check(path)
        if self._child is None:
            there = [known.resolve() for known in self._paths if known.is_file()]  # the child stands elsewhere
            self._child = Child(there, Limits(threads=1), _SECONDS)
        try:
            return ask(self._child, path)
        except (Broken, Failed):
            pass
        raise SourceError(f"{path.name} cannot be read.")

    def _file(self, child: Child, path: Path) -> Attached:
        if path not in self._attached:
            self._attached[path] = child.attach_file(f"t{len(self._attached)}", path.resolve())
        return self._attached[path]

    def _surveyed(self, child: Child, path: Path) -> dict[str, Public]:
        found = self._file(child, path)
        columns = physical(found.columns)
        return {column.name: _looked(child, found.relation, column.name, column.type) for column in columns if column.type is not None}


def _looked(child: Child, relation: str, name: str, type_: Type) -> Public:
    value, there = column(name), exp.Table(this=exp.to_identifier(relation, quoted=True))
    some = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
    different = select([("v", as_type(value.copy(), type_, total=True))], there, [some]).distinct().limit(_FEW + 1)
    first, last = (as_type(end(this=value.copy()), type_, total=True) for end in (exp.Min, exp.Max))
    (values,), _ = child.answer(_statement(different, (type_,)))
    few: tuple[Any, ...] | None = tuple(sorted(values)) if None not in values and len(values) <= _FEW else None
    ((low,), (high,)), _ = child.answer(_statement(select([("a", first), ("b", last)], there), (type_, type_)))
    return Public(few or None, low, high)


def _statement(query: exp.Select, types: tuple[Type, ...]) -> Statement:
    return Statement(write(query, DUCKDB), types, ())


def _of_frame(table: pa.Table) -> Attached:
    import duckdb

    from hedgerow.engines.session import Session

    session = Session([], Limits())
    try:
        return session.attach_object("it", table)
    except duckdb.Error:
        pass
    finally:
        session.close()
    raise SourceError("The frame cannot be read.")


def check_fit(table: Registered, columns: Sequence[PhysicalColumn]) -> None:
    """Whether declared types can be read from those of the data; SourceError where not. A .csv file is text, which may spell anything."""
    if table.path is None or table.path.suffix.lower() != ".csv":
        shelf_of(table.schema, "", columns)


def clocks(table: str, columns: Iterable[PhysicalColumn]) -> list[str]:
    """What a custodian should know of columns with a time of day."""
    return [
        f"{table}.{column.name} holds timestamps, and is read as dates: the time of day is cut off." for column in columns if column.clock
    ]


def unread(table: str, columns: Iterable[PhysicalColumn]) -> list[str]:
    """What a custodian should know of columns that hold lists and the like."""
    return [
        f"{table}.{column.name} is none of integer, real, text, date and boolean, and cannot be asked for."
        for column in columns
        if column.type is None
    ]


def _check(path: Path) -> None:
    if not path.is_file():
        raise SourceError(f"There is no file {path}.")
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise SourceError(f"{path.name} is neither a .csv nor a .parquet file.")
