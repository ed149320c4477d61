"""Which table lies where: declared columns beside those that the data have. What does not fit is said here, before anything is asked."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlglot import exp

from hedgerow.engines.compile import Shelf, compiling
from hedgerow.engines.csv_scan import scan_csv
from hedgerow.engines.decode import Compiled, Statement
from hedgerow.engines.desk import Desk, tried
from hedgerow.engines.dialect import Dialect
from hedgerow.engines.frames import snapshot
from hedgerow.engines.reading import READABLE, UNITS, Stored, bounded, parse, read, read_unit
from hedgerow.engines.source import PhysicalColumn
from hedgerow.engines.terms import column, select
from hedgerow.engines.writing import write
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.schema import Schema
from hedgerow.plan.values import Type

__all__ = ["Catalogue", "Registered", "Stocked", "physical", "shelf_of", "stamped", "stock"]

_TYPES: Final[Mapping[str, Type]] = {
    "BOOLEAN": "boolean",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "integer"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "real"),
    **dict.fromkeys(("VARCHAR", "UUID"), "text"),
    **dict.fromkeys(("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "date"),
    **dict.fromkeys(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"), "date"),
}
_WIDE: Final = re.compile("UBIGINT|HUGEINT|UHUGEINT|DECIMAL")
_ALONE: Final = re.compile(r"UHUGEINT|DECIMAL\([0-9]+,\s*[1-9].*")
_WORDS: Final[Mapping[Type | None, str]] = {
    "boolean": "truth values",
    "integer": "whole numbers",
    "real": "real numbers",
    "text": "text",
    "date": "dates",
    None: "something else",
}


Stamp = tuple[int, int, int]
Stamped = Sequence[tuple["Registered", Stamp | None]]


@dataclass(frozen=True, slots=True)
class Registered:
    """Data under the name that their schema gives them: the path of a .csv or .parquet file, or a frame (Arrow, pandas, polars, anything
    with ``__arrow_c_stream__``). A frame is taken as it is now; what its owner does to it later does not matter (but see ``snapshot`` about
    Arrow tables over arrays of numpy). ``accepted`` is the stamp of the file when its form was validated."""

    data: Any
    schema: Schema
    accepted: Stamp | None = None

    def __post_init__(self) -> None:
        if isinstance(self.data, str | Path):
            object.__setattr__(self, "data", _file(Path(self.data)))
        else:
            object.__setattr__(self, "data", snapshot(self.data, self.schema.table))

    @property
    def path(self) -> Path | None:
        """Where the file is; None for a frame."""
        return self.data if isinstance(self.data, Path) else None

    @property
    def stamp(self) -> Stamp | None:
        """What changes when a file is replaced or written to; None where there is no file."""
        with contextlib.suppress(OSError):
            if self.path is not None:
                told = self.path.stat()
                return told.st_ino, told.st_size, told.st_mtime_ns
        return None

    @property
    def rows(self) -> int:
        """How many a frame has; 0 for a file, which only the engine reads."""
        return 0 if isinstance(self.data, Path) else int(self.data.num_rows)


def _file(path: Path) -> Path:
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise InvalidArgument("path", "must end in .csv or .parquet", str(path))
    if not path.is_file():
        raise SourceError(f"There is no file {path}.")
    found = path.resolve()
    if any(mark in str(found) for mark in "*?[]"):
        raise InvalidArgument("path", "must name one file, without any of * ? [ ]", str(found))
    return found


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Where every table lies, and which columns it has in the data."""

    shelves: Mapping[str, Shelf]
    columns: Mapping[str, tuple[PhysicalColumn, ...]]


class Stocked:
    """What engines over a catalogue have in common."""

    _catalogue: Catalogue
    _compiled: Callable[[Aggregate], Compiled]
    _stamped: Stamped

    def _take(self, catalogue: Catalogue, dialect: Dialect, stamped: Stamped = ()) -> None:
        self._catalogue, self._compiled, self._stamped = catalogue, compiling(catalogue.shelves, dialect), stamped

    def schema(self, table: str) -> tuple[PhysicalColumn, ...]:
        """The columns that a table has, by their names in the data."""
        if table not in self._catalogue.columns:
            raise InvalidArgument("table", "must be one of those registered", table)
        return self._catalogue.columns[table]

    def prepare(self, plan: Aggregate) -> None:
        """Compile the plan, or refuse it. Nothing is asked of a file that is not the one that was looked at when it was opened."""
        self._compiled(plan)
        for table in self._find_changed():
            raise SourceError(
                f"The file of {table} has changed since it was opened: declare a new version in the policy, and open the database again."
            )

    def _find_changed(self) -> list[str]:
        """Return the tables whose file is not the one that was looked at."""
        return [registered.schema.table for registered, stamp in self._stamped if registered.stamp != stamp]


def stamped(tables: Mapping[str, Registered]) -> Stamped:
    """Each table beside the stamp that its file had when it was accepted, or else has now."""
    return [(registered, registered.accepted or registered.stamp) for registered in tables.values()]


def stock(desk: Desk, tables: Mapping[str, Registered], dialect: Dialect) -> Catalogue:
    """Attaches every table and reads it once."""
    shelves, found = {}, {}
    for number, (name, registered) in enumerate(tables.items()):
        if name != registered.schema.table:
            raise InvalidArgument("tables", f"must go by the names in their schemas, and {registered.schema.table} does not", name)
        shelves[name], found[name] = _stocked(desk, registered, f"t{number}", dialect)
    return Catalogue(shelves, found)


def _stocked(desk: Desk, registered: Registered, relation: str, dialect: Dialect) -> tuple[Shelf, tuple[PhysicalColumn, ...]]:
    schema, path = registered.schema, registered.path
    if path is None:
        attached = tried(
            lambda: desk.attach_object(relation, registered.data), f"The frame of {schema.table} has columns of unknown types."
        )
    else:
        attached = tried(lambda: desk.attach_file(relation, path), f"The file {path.name} is not what its name says.")
    there = physical(attached.columns)
    if path is not None and path.suffix.lower() == ".csv":
        query, shelf = _parsing(schema, relation, there, dialect)
        words = f"The file {path.name} cannot be read: every line needs as many values as the first, every quote an end, all in UTF-8."
        # The reader forgives what it should not: a file that nobody accepted is looked at here.
        if registered.accepted is None and scan_csv(path, len(there), multiline=False, key=b"").bad:
            raise SourceError(words)
        tried(lambda: desk.store(shelf.relation, query), words)
        return shelf, there
    shelf = shelf_of(schema, relation, there)
    statement = _reading_all(schema, shelf, dialect)
    tried(lambda: desk.answer(statement), f"The table {schema.table} is damaged: some of its values cannot be read.")
    if path is not None:
        names = {stored.name: None for stored in (*shelf.columns.values(), *([shelf.unit] if shelf.unit else []))}
        words = f"The file {path.name} tells what is not so of its own columns, such as their least and greatest values: write it anew."
        if names and not tried(lambda: desk.vouch(relation, list(names)), words):
            raise SourceError(words)
    return shelf, there


def physical(columns: Sequence[tuple[str, str]]) -> tuple[PhysicalColumn, ...]:
    """The engine's types in our words."""
    return tuple(
        PhysicalColumn(
            name,
            _type(engine_type),
            bool(_WIDE.match(engine_type)),
            engine_type.startswith("TIMESTAMP"),
            engine_type if _ALONE.fullmatch(engine_type) else "",
        )
        for name, engine_type in columns
    )


def _type(engine_type: str) -> Type | None:
    if engine_type.startswith("ENUM(") and engine_type.endswith(")"):
        return "text"
    decimal = re.fullmatch(r"DECIMAL\([0-9]+,\s*([0-9]+)\)", engine_type)
    if decimal:
        return "integer" if decimal[1] == "0" else "real"
    return _TYPES.get(engine_type)


def shelf_of(schema: Schema, relation: str, columns: Sequence[PhysicalColumn]) -> Shelf:
    """Where each declared column lies, and the unit; SourceError where one is missing or of a type that cannot be read so."""
    stored: dict[str, Stored] = {}
    for declared in schema.columns:
        there = _find(schema, declared.name, columns)
        if there.type is None or there.type not in READABLE[declared.type]:
            held = (
                f"The column {declared.name} of {schema.table} holds {_WORDS[there.type]}, and the policy declares {_WORDS[declared.type]}."
            )
            dates = " Turn the text into dates first, with pandas.to_datetime for instance."
            raise SourceError(held + dates * ((there.type, declared.type) == ("text", "date")))
        stored[declared.name] = Stored(there.name, there.type, there.wide)
    return Shelf(relation, stored, _unit(schema, columns))


def _unit(schema: Schema, columns: Sequence[PhysicalColumn]) -> Stored | None:
    if schema.unit in (None, "row") or schema.link is not None:
        return None
    there, declared = _find(schema, str(schema.unit), columns), schema.id
    if there.type not in UNITS or (declared is not None and declared.type not in UNITS):
        held = _WORDS[there.type if declared is None or there.type not in UNITS else declared.type]
        raise SourceError(f"The id column {schema.unit} of {schema.table} holds {held}; ids are whole numbers or text.")
    return Stored(there.name, there.type, alone=there.alone)


def _find(schema: Schema, name: str, columns: Sequence[PhysicalColumn]) -> PhysicalColumn:
    """By exact name, else by the only one that differs in upper and lower case alone."""
    exact = [there for there in columns if there.name == name]
    alike = exact or [there for there in columns if there.name.casefold() == name.casefold()]
    if not alike:
        raise SourceError(f"The table {schema.table} has no column {name}; it has {', '.join(there.name for there in columns)}.")
    if len(alike) > 1:
        raise SourceError(f"The table {schema.table} has several columns {name} that differ in upper and lower case alone.")
    return alike[0]


def _parsing(schema: Schema, relation: str, columns: Sequence[PhysicalColumn], dialect: Dialect) -> tuple[str, Shelf]:
    """For a file of text alone: the query that parses the declared columns, and where they then lie."""
    wanted = [(f"c{i}", _find(schema, declared.name, columns), declared) for i, declared in enumerate(schema.columns)]
    outputs = [(name, parse(column(there.name), each.type, dialect, moved=bounded(each))) for name, there, each in wanted]
    stored = {declared.name: Stored(name, declared.type) for name, _, declared in wanted}
    unit, id_ = _unit(schema, columns), schema.id
    if unit is not None and id_ is not None and not any(each.name == id_.name and bounded(each) for each in schema.columns):
        unit = stored[id_.name]
    elif unit is not None:  # apart from a column whose values are moved, or strangers would be one person
        outputs.append(("u", column(unit.name) if id_ is None else parse(column(unit.name), id_.type, dialect)))
        unit = Stored("u", "text" if id_ is None else id_.type)
    query = select(outputs, exp.Table(this=exp.to_identifier(relation, quoted=True)))
    return write(query, dialect), Shelf(f"{relation} parsed", stored, unit)


def _reading_all(schema: Schema, shelf: Shelf, dialect: Dialect) -> Statement:
    """Reads every declared value once, so that what cannot be read (broken pages, text that is no Unicode) shows before a question does."""
    values = [read(declared, shelf.columns[declared.name], dialect) for declared in schema.columns]
    if shelf.unit is not None:
        values.append(read_unit(shelf.unit, schema.id, dialect)[0])
    outputs = [(f"c{i}", exp.Max(this=dialect.rank([value]))) for i, value in enumerate(values)]
    query = select(outputs, exp.Table(this=exp.to_identifier(shelf.relation, quoted=True)))
    return Statement(write(query, dialect), (), ())
