"""Tables as a custodian has them (a file of comma-separated values, Parquet or Arrow; a frame of
Arrow, pandas or polars), as codes.

A table is read into a private DuckDB in memory, which can reach nothing else. Each wanted column
becomes whole numbers there, once: equal values have the same code, and NULL has one of its own. All
that follows is done on those codes.
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
from hedgerow.numeric.formatting import list_first

__all__ = [
    "Codes",
    "Counts",
    "EncodedTable",
    "TableReader",
    "encode_table",
    "open_tables",
    "resolve_column",
    "resolve_columns",
]

Codes = npt.NDArray[np.integer[Any]]
Counts = npt.NDArray[np.int64]

_ARROW_SUFFIXES: Final = (".arrow", ".feather")
_FILE_SUFFIXES: Final = (".csv", ".parquet", *_ARROW_SUFFIXES)
_COLUMNS_PER_STATEMENT: Final = 8  # columns in one statement; of more the plan becomes deep
_FREE_TEXT_CHARACTERS: Final = 60  # characters of a value on average that are a text, not an entry
_IDENTIFYING_SHARE: Final = 0.95
_MIN_NOTED_ROWS: Final = 20  # rows among which different values say nothing about a column
_MAX_LISTED_COLUMNS: Final = 12
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EncodedTable:
    """Columns of one table as codes from 0 up to below ``sizes``. ``missing`` is the code of NULL,
    or -1 where there is none; ``notes`` say in words what is odd about columns."""

    names: tuple[str, ...]
    codes: tuple[Codes, ...]
    sizes: tuple[int, ...]
    null_codes: tuple[int, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (
            not self.names
            or len({len(self.names), len(self.codes), len(self.sizes), len(self.null_codes)}) != 1
        ):
            raise InvalidArgument("codes", "must be one array for each of at least one name")

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return len(self.codes[0])

    def select_columns(self, names: Sequence[str]) -> EncodedTable:
        """Some of the columns, in this order."""
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
        """Lets go of the data."""
        self._session.close()

    def list_columns(self, place: int) -> tuple[tuple[str, str], ...]:
        """Name and type of each column of the data at this place."""
        data, relation = self._sources[place], f"raw{place}"
        words = f"{self._names[place]} cannot be read: is it what its name says?"
        attach: Callable[[], AttachedRelation] = (
            (lambda: self._session.attach_file(relation, data.resolve()))
            if isinstance(data, Path)
            else (lambda: self._session.attach_object(relation, data))
        )
        return hide_engine_errors(attach, words).columns

    def load_terms(self, place: int, terms: Sequence[str]) -> str:
        """Read these terms of the data at this place, as c0, c1 and so on; gives the name of the
        relation. No rows are refused.
        """
        chosen = ", ".join(f"{term} AS c{i}" for i, term in enumerate(terms))
        words = (
            f"{self._names[place]} cannot be read: every line needs as many values as the first,"
            " every quote an end, all in UTF-8."
        )
        _check_lines(self._sources[place], words)
        hide_engine_errors(
            lambda: self._session.store_query(f"kept{place}", f'SELECT {chosen} FROM "raw{place}"'),
            words,
        )
        if not self.query_integers(f'SELECT count(*) FROM "kept{place}"')[0][0]:
            raise SourceError(
                f"{self._names[place]} has no rows: nobody is in it, and there is no risk to"
                " measure."
            )
        return f"kept{place}"

    def query_integers(self, sql: str, columns: int = 1) -> list[Counts]:
        """The columns of whole numbers that a statement gives."""
        return self._session.run_statement(Statement(sql, (), (False,) * columns))[1]

    def encode_columns(
        self, relations: Sequence[str], columns: int
    ) -> tuple[list[list[Codes]], list[int], list[int]]:
        """Codes that the relations share, for each relation and column; how many there are of
        each column, and which one is NULL.
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
        """How many characters a different value of each of these columns of text has on average."""
        return self._query_codes("coalesce(avg(length(v)), 0)", columns)

    def _query_codes(self, term: str, columns: Sequence[int]) -> list[int]:
        """A whole number about the codes of each of these columns."""
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
        """Rows come in any order from a join, and are put where they belong."""
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
    """A desk for as long as it is needed."""
    opened = TableReader(data)
    try:
        yield opened
    finally:
        opened.close()


def encode_table(
    data: Any, columns: Sequence[str] | None = None, *, check: Callable[[int], object] | None = None
) -> EncodedTable:
    """The columns of a table, all of them unless some are named, as codes. ``check`` hears how many
    they are before a row is read, and may raise."""
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
            "The table has one row: whoever it is about is alone in it, whatever the columns. This"
            " says nothing about risk.",
        )
    return EncodedTable(names, tuple(codes), tuple(sizes), tuple(missing), tuple(notes))


def resolve_columns(
    columns: Sequence[str], there: tuple[str, ...], argument: str = "columns"
) -> tuple[str, ...]:
    """The names as the data spell them."""
    if isinstance(columns, str) or not columns:
        raise InvalidArgument(argument, "must be a list of at least one name", columns)
    names = tuple(resolve_column(name, there, argument) for name in columns)
    if len(set(names)) < len(names):
        raise InvalidArgument(argument, "must be different ones", ", ".join(names))
    return names


def resolve_column(name: str, there: Sequence[str], argument: str = "columns") -> str:
    """The column of this name, else the only one that differs in upper and lower case alone; who
    mistypes hears of names that are near.
    """
    if name in there:
        return name
    folded = {each.casefold(): each for each in there}
    if name.casefold() in folded and len(folded) == len(there):
        return folded[name.casefold()]
    near = [folded[each] for each in get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)]
    fix = (
        f"did you mean {' or '.join(near)}"
        if near
        else f"there are {list_first(there, _MAX_LISTED_COLUMNS)}"
    )
    raise InvalidArgument(
        argument, f"must name columns of the data, and there is no {name!r}: {fix}"
    )


def _describe_oddity(name: str, size: int, length: int, rows: int) -> str:
    """What whoever names the column should know, if anything."""
    if length > _FREE_TEXT_CHARACTERS:
        return (
            f"{name} is free text of {length} characters on average: whoever knows a sentence of it"
            " knows whose row it is."
        )
    if rows >= _MIN_NOTED_ROWS and size >= _IDENTIFYING_SHARE * rows:
        return (
            f"{name} has a value of its own in almost every row, like an id or free text: it"
            " identifies people by itself."
        )
    return ""


def _check_lines(data: Any, words: str) -> None:
    """Refuse a .csv file that can be read in two ways, and name the lines: whoever measures the
    risk of a table may see it.

    Line breaks in quotes are fine here, where no person's row is to be kept from moving another's.
    """
    if not isinstance(data, Path) or data.suffix.lower() != ".csv":
        return
    fields = len(read_csv_header(data))
    bad = scan_csv(data, fields, multiline=False, key=b"").bad_lines
    if bad and scan_csv(data, fields, multiline=True, key=b"").bad_lines:
        raise SourceError(f"{words} Here {format_bad_lines(bad)}")


def _open_source(data: Any) -> Any:
    """A path, or an Arrow table that nobody else can change."""
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
        raise SourceError(f"There is no file {path}.")
    if not path.stat().st_size:
        raise SourceError(f"{path.name} is empty: it has neither names of columns nor rows.")
    if any(mark in str(path.resolve()) for mark in "*?[]"):
        raise InvalidArgument(
            "data", "must name one file, without any of * ? [ ] in its path", str(path)
        )
    if path.suffix.lower() not in _ARROW_SUFFIXES:
        return path
    from pyarrow import feather

    return hide_engine_errors(
        lambda: feather.read_table(path, memory_map=False),
        f"{path.name} cannot be read: it is no file of Arrow.",
    )
