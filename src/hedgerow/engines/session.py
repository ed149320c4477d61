"""A DuckDB that can do little: read the given files and objects, answer statements. It knows nothing of plans."""

from __future__ import annotations

import contextlib
import importlib
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import _duckdb as duckdb  # the engine alone: the package around it takes three times as long to load, and 12 MB

from hedgerow.engines.desk import Attached, Limits
from hedgerow.engines.header import LONGEST_LINE, header
from hedgerow.engines.packing import packed
from hedgerow.engines.quoting import quote_text as _quoted
from hedgerow.engines.statement import MOST_SUMS, Statement
from hedgerow.engines.vouching import vouching
from hedgerow.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

    from hedgerow.engines.fetch import Columns

__all__ = ["Session"]

_CONFIGURATION: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",  # a table is never looked for among Python's variables
    "temp_directory": "",  # what does not fit in memory fails; exact data are not written anywhere
}
# A progress bar would be printed among the answers.
_CLOSED: Final = ("SET enable_progress_bar = false", "SET TimeZone = 'UTC'", "SET enable_external_access = false")
_LOCKED: Final = "SET lock_configuration = true"  # after this nothing can be changed any more
_ITSELF: Final = "hive_partitioning = false"  # in a folder age=30 a column age would be read as 30 for everybody, whatever the file holds
_LINE: Final = 64  # bytes of a line of text, about
_PLACE: Final = 32 * MOST_SUMS  # bytes
_LEAST_BITS: Final = 12  # what the engine does when nobody tells it anything
_MOST_BITS: Final = 24


class Session:
    """One database in memory, closed before it meets any data. ``rows`` is how many come beside those of the files."""

    def __init__(self, paths: Sequence[Path], limits: Limits, rows: int = 0) -> None:
        configuration: dict[str, str | bool | int | float | list[str]] = {**_CONFIGURATION}
        if limits.threads is not None:
            configuration["threads"] = str(limits.threads)
        if limits.memory is not None:
            configuration["memory_limit"] = f"{limits.memory}B"
        self._connection = duckdb.connect(":memory:", config=configuration)
        self._guard = threading.Lock()
        self._objects: dict[str, pa.Table] = {}
        allowed = ", ".join(_quoted(str(path)) for path in paths)
        for statement in (f"SET allowed_paths = [{allowed}]", *_CLOSED):
            self._connection.execute(statement)
        self._arrays, self._turn = self._connection.cursor(), threading.Lock()
        bits = self._bits(rows + sum(map(self._rows, paths)), limits.room)
        self._arrays.execute(f"SET SESSION perfect_ht_threshold = {bits}")
        self._connection.execute(_LOCKED)

    def _rows(self, path: Path) -> int:
        """About how many a file has; 0 where it cannot be told, which is said when it is attached."""
        with contextlib.suppress(OSError, duckdb.Error):
            if path.suffix.lower() == ".csv":
                return path.stat().st_size // _LINE
            return int(self._told(f"SELECT sum(num_rows) FROM parquet_file_metadata({_quoted(str(path))})"))
        return 0

    def _bits(self, rows: int, memory: int) -> int:
        """Up to how many bits ids may have for people to be grouped in an array instead of a hash table, where a statement is ``by_unit``.

        An array is twice as fast. It has a place for every number up to the largest, in every thread, and all are filled. So all
        places together are no more than a quarter of the rows, which takes less time than to read these; and with as many sums as such a
        statement may have, no more than a quarter of the memory: else the array might not fit, and one person's id, the largest,
        would decide whether a question fails.
        """
        places = min(rows, memory // _PLACE) // (4 * int(self._told("SELECT current_setting('threads')")))
        return min(max(places.bit_length() - 1, _LEAST_BITS), _MOST_BITS)

    def _told(self, query: str) -> Any:
        """The one value of a query, None where it has no row. All is fetched: a result with rows to come would keep the connection."""
        rows = self._connection.execute(query).fetchall()
        return rows[0][0] if rows else None

    def attach_object(self, relation: str, table: pa.Table) -> Attached:
        """An Arrow table."""
        importlib.import_module("duckdb")  # which teaches the engine to read Arrow; alone it reads files
        self._connection.register(relation, table)
        self._objects[relation] = table
        return self._attached(relation, table.column_names)

    def attach_file(self, relation: str, path: Path) -> Attached:
        """A Parquet file, or one of comma-separated values, whose columns all are text."""
        text = path.suffix.lower() == ".csv"
        reader = _csv(path) if text else f"read_parquet({_quoted(str(path))}, {_ITSELF})"
        self._connection.execute(f'CREATE VIEW "{relation}" AS SELECT * FROM {reader}')
        if text:
            return self._attached(relation)
        names = self._connection.execute(f"SELECT name FROM parquet_schema({_quoted(str(path))})").fetchall()
        return self._attached(relation, [name for (name,) in names])

    def store(self, relation: str, query: str) -> Attached:
        """The result of a query, kept."""
        self._connection.execute(f'CREATE TABLE "{relation}" AS {query}')
        return self._attached(relation)

    def vouch(self, relation: str, names: Sequence[str]) -> bool:
        """Whether these columns hold what the engine takes for granted about them."""
        types = dict(self._attached(relation).columns)
        return self._told(vouching(relation, [(name, types[name]) for name in names])) in (None, True)

    def answer(self, statement: Statement) -> Columns:
        """Keys and numbers of a statement. Several threads may ask at once."""
        from hedgerow.engines.fetch import fetched  # only here: a child packs, and loads no numpy for it

        with self._asked(statement) as result:
            return fetched(result.fetchnumpy(), statement)

    def packed(self, statement: Statement) -> tuple[dict[str, Any], bytes]:
        """The same as a message."""
        with self._asked(statement) as result:
            return packed(result, statement)

    @contextlib.contextmanager
    def _asked(self, statement: Statement) -> Iterator[duckdb.DuckDBPyConnection]:
        if statement.by_unit:
            with self._turn:
                try:
                    yield self._with_objects(self._arrays).execute(statement.sql)
                finally:
                    self._arrays.abort()  # where it broke off, a result with rows to come would keep it
            return
        with self._guard:
            cursor = self._connection.cursor()
        try:
            yield self._with_objects(cursor).execute(statement.sql)
        finally:
            cursor.close()

    def _with_objects(self, cursor: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
        """A cursor does not see what its parent registered."""
        for relation, table in self._objects.items():
            cursor.register(relation, table)
        return cursor

    def complaint(self, query: str) -> str | None:
        """Why an engine would not begin with a query, in the first line of its words; nothing is run. None where it would."""
        try:
            self._connection.execute(f"EXPLAIN {query}")
        except (duckdb.InternalException, duckdb.OutOfMemoryException):
            return None
        except duckdb.Error as error:
            return re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", str(error)).splitlines()[0]
        return None

    def close(self) -> None:
        """Lets go of everything. A second time it does nothing."""
        for connection in (self._arrays, self._connection):
            with contextlib.suppress(duckdb.Error):
                connection.close()

    def _attached(self, relation: str, names: Sequence[str] | None = None) -> Attached:
        """``names`` are those in the data. The engine renames what differs in upper and lower case alone, and a policy that meant the
        second column would then be read from the first."""
        described: list[tuple[Any, ...]] = self._connection.execute(f'DESCRIBE SELECT * FROM "{relation}"').fetchall()
        if names is not None and not {name for name, *_ in described} <= set(names):
            raise SourceError("Two columns of the data differ in upper and lower case alone, or not at all: rename one of them.")
        return Attached(relation, tuple((name, type_) for name, type_, *_ in described))


def _csv(path: Path) -> str:
    """Nothing is guessed from the data: commas, double quotes, a line of names. A guess could change with one person's row.

    Nor is a file read in parallel: where its pieces meet, the engine guesses whether it stands inside quotes, and such a guess has lost
    rows and run others together. ``csv_scan`` refuses all that makes one line depend on another when they are read in order.
    """
    columns = ", ".join(f"{_quoted(name)}: 'VARCHAR'" for name in header(path))
    options = (
        "auto_detect = false, header = true, skip = 0, delim = ',', quote = '\"', escape = '\"', comment = '', nullstr = '', "
        "encoding = 'utf-8', compression = 'none', strict_mode = true, ignore_errors = false, null_padding = false, "
        f"allow_quoted_nulls = false, parallel = false, max_line_size = {LONGEST_LINE}, {_ITSELF}"
    )
    return f"read_csv({_quoted(str(path))}, columns = {{{columns}}}, {options})"
