"""Tables as codes: from a CSV, Parquet or Arrow file, or an Arrow, pandas or polars frame.

A table is read into a private DuckDB in memory, which can reach nothing else. Each requested column
becomes whole numbers there, once: equal values have the same code, and NULL has a code of its own.
Everything else works on those codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from hedgerow.engines.compile.quoting import quote_name
from hedgerow.engines.duckdb.session_protocol import (
    AttachedRelation,
    EngineLimits,
    hide_engine_errors,
)
from hedgerow.engines.duckdb.tables.csv_header import read_csv_header
from hedgerow.engines.duckdb.tables.csv_validation import format_bad_lines, scan_csv
from hedgerow.engines.statement import Statement
from hedgerow.errors import InvalidArgument, SourceError

__all__ = [
    "Codes",
    "Counts",
    "EncodedTable",
    "TableReader",
    "compile_trimmed_text",
    "encode_table",
    "open_tables",
    "resolve_column",
    "resolve_columns",
]

Codes = npt.NDArray[np.integer[Any]]
Counts = npt.NDArray[np.int64]

_ARROW_SUFFIXES: Final = (".arrow", ".feather")
_FILE_SUFFIXES: Final = (".csv", ".parquet", *_ARROW_SUFFIXES)
_COLUMNS_PER_STATEMENT: Final = 8  # more make the query plan too deep
_FREE_TEXT_CHARACTERS: Final = 60  # a longer mean length is free text
_IDENTIFYING_SHARE: Final = 0.95
_MIN_NOTED_ROWS: Final = 20  # in fewer rows, distinct values are no sign of an id
_MAX_LISTED_COLUMNS: Final = 12
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EncodedTable:
    """Columns of one table as codes from 0 to below ``sizes``.

    ``null_codes`` has the code of NULL, or -1 where there is none; ``notes`` describe columns that
    are odd.
    """

    names: tuple[str, ...]
    codes: tuple[Codes, ...]
    sizes: tuple[int, ...]
    null_codes: tuple[int, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.names or len({len(field) for field in self._fields()}) != 1:
            raise InvalidArgument("codes", "must be one array for each of at least one name")

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.codes[0])

    def select_columns(self, names: Sequence[str]) -> EncodedTable:
        """Return some of the columns, in this order."""
        places = [self.names.index(resolve_column(name, self.names)) for name in names]
        names, codes, sizes, missing = (
            tuple(field[place] for place in places) for field in self._fields()
        )
        return EncodedTable(names, codes, sizes, missing, self.notes)

    def _fields(self) -> tuple[Any, ...]:
        return self.names, self.codes, self.sizes, self.null_codes


class TableReader:
    """A DuckDB in memory that reads the given data and nothing else."""

    def __init__(self, data: Sequence[Any]) -> None:
        from hedgerow.engines.duckdb.session import DuckDBSession

        self._sources = [_open_source(each) for each in data]
        paths = [each.resolve() for each in self._sources if isinstance(each, Path)]
        self._session = DuckDBSession(paths, EngineLimits())
        self._names = [
            each.name if isinstance(each, Path) else "the frame" for each in self._sources
        ]

    def close(self) -> None:
        """Close the database and release the data."""
        self._session.close()

    def list_columns(self, place: int) -> tuple[tuple[str, str], ...]:
        """Return the name and type of each column of one source."""
        data, relation = self._sources[place], f"raw{place}"
        message = f"{self._names[place]} cannot be read. Check that its format matches its suffix."
        attach: Callable[[], AttachedRelation] = (
            (lambda: self._session.attach_file(relation, data.resolve()))
            if isinstance(data, Path)
            else (lambda: self._session.attach_object(relation, data))
        )
        return hide_engine_errors(attach, message).columns

    def load_terms(self, place: int, terms: Sequence[str]) -> str:
        """Store terms of one source as columns c0, c1, …, and return the name of the relation.

        A source without rows is refused.
        """
        chosen = ", ".join(f"{term} AS c{i}" for i, term in enumerate(terms))
        message = (
            f"{self._names[place]} cannot be read: every line needs as many values as the first,"
            " every quote an end, all in UTF-8."
        )
        _check_lines(self._sources[place], message)
        relation, sql = f"kept{place}", f'SELECT {chosen} FROM "raw{place}"'
        hide_engine_errors(lambda: self._session.store_query(relation, sql), message)
        if not self.query_integers(f'SELECT count(*) FROM "{relation}"')[0][0]:
            raise SourceError(
                f"{self._names[place]} has no rows, so there is no risk to measure. Name a file"
                " with rows."
            )
        return relation

    def query_integers(self, sql: str, columns: int = 1) -> list[Counts]:
        """Return the columns of whole numbers that a statement produces."""
        return self._session.run_statement(Statement(sql, (), (False,) * columns))[1]

    def encode_columns(
        self, relations: Sequence[str], columns: int
    ) -> tuple[list[list[Codes]], list[int], list[int]]:
        """Return the codes of each relation and column, the number of codes, and the code of
        NULL.

        The relations share the codes.
        """
        for column in range(columns):
            values = " UNION ALL ".join(
                f'SELECT c{column} AS v FROM "{relation}"' for relation in relations
            )
            numbered = (
                "SELECT v, CAST(row_number() OVER () - 1 AS INTEGER) AS id FROM (SELECT DISTINCT v"
                f" FROM ({values}))"
            )
            self._session.store_query(f"codes{column}", numbered)
        sizes = self._query_codes("count(*)", range(columns))
        missing = self._query_codes(
            "coalesce(max(id) FILTER (WHERE v IS NULL), -1)", range(columns)
        )
        return [self._look_up_codes(relation, sizes) for relation in relations], sizes, missing

    def measure_text_lengths(self, columns: Sequence[int]) -> list[int]:
        """Return the mean length of the distinct values of text columns."""
        return self._query_codes("coalesce(avg(length(v)), 0)", columns)

    def _query_codes(self, term: str, columns: Sequence[int]) -> list[int]:
        """Return a whole number about the codes of each of these columns."""
        found: list[int] = []
        for first in range(0, len(columns), _COLUMNS_PER_STATEMENT):
            some = columns[first : first + _COLUMNS_PER_STATEMENT]
            asked = ", ".join(
                f"(SELECT CAST({term} AS BIGINT) FROM codes{column})" for column in some
            )
            found += [
                int(column[0]) for column in self.query_integers(f"SELECT {asked}", len(some))
            ]
        return found

    def _look_up_codes(self, relation: str, sizes: Sequence[int]) -> list[Codes]:
        """Return the codes of each column in row order; a join returns rows in any order."""
        made: list[Codes] = []
        for first in range(0, len(sizes), _COLUMNS_PER_STATEMENT):
            some = range(first, min(first + _COLUMNS_PER_STATEMENT, len(sizes)))
            joins = " ".join(
                f"LEFT JOIN codes{i} ON kept.c{i} IS NOT DISTINCT FROM codes{i}.v" for i in some
            )
            ids = ", ".join(f"codes{i}.id" for i in some)
            places, *found = self.query_integers(
                f'SELECT kept.rowid, {ids} FROM "{relation}" AS kept {joins}', 1 + len(some)
            )
            for i, column in zip(some, found, strict=True):
                codes: Codes = np.empty(len(places), dtype=np.min_scalar_type(sizes[i]))
                codes[places] = column
                made.append(codes)
        return made


@contextmanager
def open_tables(*data: Any) -> Iterator[TableReader]:
    """Open sources for reading, and close them afterwards."""
    opened = TableReader(data)
    try:
        yield opened
    finally:
        opened.close()


def encode_table(
    data: Any, columns: Sequence[str] | None = None, *, check: Callable[[int], object] | None = None
) -> EncodedTable:
    """Return the columns of a table as codes, by default all.

    ``check`` is called with the number of columns before a row is read, and may raise.
    """
    with open_tables(data) as opened:
        there = dict(opened.list_columns(0))
        names = tuple(there) if columns is None else resolve_columns(columns, tuple(there))
        if check is not None:
            check(len(names))
        relation = opened.load_terms(0, [quote_name(name) for name in names])
        (codes,), sizes, missing = opened.encode_columns([relation], len(names))
        rows = len(codes[0])
        texts = [place for place, name in enumerate(names) if there[name] == "VARCHAR"]
        lengths = dict(zip(texts, opened.measure_text_lengths(texts), strict=True))
    notes = [
        note
        for i, name in enumerate(names)
        if (note := _describe_oddity(name, sizes[i], lengths.get(i, 0), rows))
    ]
    if rows == 1:
        notes.insert(
            0,
            "The table has one row, which is unique on any columns. This says nothing about risk.",
        )
    return EncodedTable(names, tuple(codes), tuple(sizes), tuple(missing), tuple(notes))


def resolve_columns(
    columns: Sequence[str], known: tuple[str, ...], argument: str = "columns"
) -> tuple[str, ...]:
    """Return the names as the data spell them."""
    if isinstance(columns, str) or not columns:
        raise InvalidArgument(argument, "must be a list of at least one name", columns)
    names = tuple(resolve_column(name, known, argument) for name in columns)
    if len(set(names)) < len(names):
        raise InvalidArgument(argument, "must all be different", ", ".join(names))
    return names


def resolve_column(name: str, known: Sequence[str], argument: str = "columns") -> str:
    """Return the column of this name, or the only one that differs in case; suggest near names."""
    if name in known:
        return name
    folded = {each.casefold(): each for each in known}
    if name.casefold() in folded and len(folded) == len(known):
        return folded[name.casefold()]
    near = [folded[each] for each in get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)]
    listed, extra = ", ".join(known[:_MAX_LISTED_COLUMNS]), len(known) - _MAX_LISTED_COLUMNS
    more = f" and {extra:,} more" if extra > 0 else ""
    hint = f"did you mean {' or '.join(near)}" if near else f"there are {listed}{more}"
    raise InvalidArgument(
        argument, f"must name columns of the data, which have no {name!r}: {hint}"
    )


def compile_trimmed_text(term: str) -> str:
    """Cast a SQL term to text without surrounding spaces; blank text is NULL."""
    return f"nullif(trim(CAST({term} AS VARCHAR)), '')"


def _describe_oddity(name: str, size: int, length: int, rows: int) -> str:
    """Return a warning about a column, if there is one."""
    if length > _FREE_TEXT_CHARACTERS:
        return (
            f"{name} is free text of {length} characters on average: knowing one sentence of it"
            " identifies the row."
        )
    if rows >= _MIN_NOTED_ROWS and size >= _IDENTIFYING_SHARE * rows:
        return (
            f"{name} has a different value in almost every row, like an id or free text: it"
            " identifies people by itself."
        )
    return ""


def _check_lines(data: Any, message: str) -> None:
    """Refuse a .csv file that can be read in two ways, and name its lines to the custodian.

    Line breaks in quotes are allowed here: there is no guarantee that one person's row must not
    affect another's.
    """
    if not isinstance(data, Path) or data.suffix.lower() != ".csv":
        return
    fields = len(read_csv_header(data))
    bad = scan_csv(data, fields, multiline=False, key=b"").bad_lines
    if bad and scan_csv(data, fields, multiline=True, key=b"").bad_lines:
        raise SourceError(f"{message} Here {format_bad_lines(bad)}")


def _open_source(data: Any) -> Any:
    """Return a path, or an Arrow table that nobody else can change."""
    from hedgerow.engines.duckdb.tables.arrow_snapshot import take_snapshot

    if not isinstance(data, str | Path):
        return take_snapshot(data, "data")
    path = Path(data)
    if path.suffix.lower() not in _FILE_SUFFIXES:
        raise InvalidArgument(
            "data",
            f"must be a file that ends in {', '.join(_FILE_SUFFIXES[:-1])} or {_FILE_SUFFIXES[-1]}",
            str(path),
        )
    if not path.is_file():
        raise SourceError(f"The file {path} does not exist. Check its name.")
    if not path.stat().st_size:
        raise SourceError(f"{path.name} is empty. It needs a line of column names, and rows.")
    if any(mark in str(path.resolve()) for mark in "*?[]"):
        raise InvalidArgument(
            "data", "must name one file; rename paths that contain * ? [ or ]", str(path)
        )
    if path.suffix.lower() not in _ARROW_SUFFIXES:
        return path
    from pyarrow import feather

    return hide_engine_errors(
        lambda: feather.read_table(path, memory_map=False),
        f"{path.name} cannot be read: it is not an Arrow file. Check its suffix.",
    )
