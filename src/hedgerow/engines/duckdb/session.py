"""A DuckDB that can do little: read the given files and objects, answer statements. It knows
nothing of plans.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

# the engine alone: the package around it takes three times as long to load, and 12 MB
import _duckdb as duckdb

from hedgerow.engines.compile.quoting import quote_text as _quoted
from hedgerow.engines.duckdb.parquet_statistics import build_statistics_check
from hedgerow.engines.process.message_encoding import encode_result
from hedgerow.engines.process.session_protocol import AttachedRelation, EngineLimits
from hedgerow.engines.process.statement import MAX_ARRAY_SUMS, Statement
from hedgerow.engines.tables.csv_header import MAX_LINE_BYTES, read_csv_header
from hedgerow.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

    from hedgerow.engines.result_columns import ResultColumns

__all__ = ["DuckDBSession"]

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
_HARDENING: Final = (
    "SET enable_progress_bar = false",
    "SET TimeZone = 'UTC'",
    "SET enable_external_access = false",
)
_LOCK: Final = "SET lock_configuration = true"  # after this nothing can be changed any more
# in a folder age=30 a column age would be read as 30 for everybody, whatever the file holds
_NO_HIVE_COLUMNS: Final = "hive_partitioning = false"
_BYTES_PER_LINE: Final = 64  # bytes of a line of text, about
_BYTES_PER_SLOT: Final = 32 * MAX_ARRAY_SUMS  # bytes
_MIN_ARRAY_BITS: Final = 12  # what the engine does when nobody tells it anything
_MAX_ARRAY_BITS: Final = 24


class DuckDBSession:
    """One database in memory, closed before it meets any data. ``rows`` is how many come beside
    those of the files.
    """

    def __init__(self, paths: Sequence[Path], limits: EngineLimits, rows: int = 0) -> None:
        configuration: dict[str, str | bool | int | float | list[str]] = {**_CONFIGURATION}
        if limits.threads is not None:
            configuration["threads"] = str(limits.threads)
        if limits.memory is not None:
            configuration["memory_limit"] = f"{limits.memory}B"
        self._connection = duckdb.connect(":memory:", config=configuration)
        self._lock = threading.Lock()
        self._objects: dict[str, pa.Table] = {}
        allowed = ", ".join(_quoted(str(path)) for path in paths)
        for statement in (f"SET allowed_paths = [{allowed}]", *_HARDENING):
            self._connection.execute(statement)
        self._array_cursor, self._array_lock = self._connection.cursor(), threading.Lock()
        bits = self._choose_array_bits(
            rows + sum(map(self._estimate_rows, paths)), limits.max_bytes
        )
        self._array_cursor.execute(f"SET SESSION perfect_ht_threshold = {bits}")
        self._connection.execute(_LOCK)

    def _estimate_rows(self, path: Path) -> int:
        """About how many a file has; 0 where it cannot be told, which is said when it is
        attached.
        """
        with contextlib.suppress(OSError, duckdb.Error):
            if path.suffix.lower() == ".csv":
                return path.stat().st_size // _BYTES_PER_LINE
            return int(
                self._fetch_value(
                    f"SELECT sum(num_rows) FROM parquet_file_metadata({_quoted(str(path))})"
                )
            )
        return 0

    def _choose_array_bits(self, rows: int, memory: int) -> int:
        """Up to how many bits ids may have for people to be grouped in an array instead of a hash
        table, where a statement is ``by_unit``.

        An array is twice as fast. It has a place for every number up to the largest, in every
        thread, and all are filled. So all places together are no more than a quarter of the rows,
        which takes less time than to read these; and with as many sums as such a statement may
        have, no more than a quarter of the memory: else the array might not fit, and one person's
        id, the largest, would decide whether a question fails.
        """
        places = min(rows, memory // _BYTES_PER_SLOT) // (
            4 * int(self._fetch_value("SELECT current_setting('threads')"))
        )
        return min(max(places.bit_length() - 1, _MIN_ARRAY_BITS), _MAX_ARRAY_BITS)

    def _fetch_value(self, query: str) -> Any:
        """The one value of a query, None where it has no row. All is fetched: a result with rows
        to come would keep the connection.
        """
        rows = self._connection.execute(query).fetchall()
        return rows[0][0] if rows else None

    def attach_object(self, relation: str, table: pa.Table) -> AttachedRelation:
        """An Arrow table."""
        # which teaches the engine to read Arrow; alone it reads files
        importlib.import_module("duckdb")
        self._connection.register(relation, table)
        self._objects[relation] = table
        return self._describe_relation(relation, table.column_names)

    def attach_file(self, relation: str, path: Path) -> AttachedRelation:
        """A Parquet file, or one of comma-separated values, whose columns all are text."""
        text = path.suffix.lower() == ".csv"
        reader = (
            _build_csv_reader(path)
            if text
            else f"read_parquet({_quoted(str(path))}, {_NO_HIVE_COLUMNS})"
        )
        self._connection.execute(f'CREATE VIEW "{relation}" AS SELECT * FROM {reader}')
        if text:
            return self._describe_relation(relation)
        names = self._connection.execute(
            f"SELECT name FROM parquet_schema({_quoted(str(path))})"
        ).fetchall()
        return self._describe_relation(relation, [name for (name,) in names])

    def store_query(self, relation: str, query: str) -> AttachedRelation:
        """The result of a query, kept."""
        self._connection.execute(f'CREATE TABLE "{relation}" AS {query}')
        return self._describe_relation(relation)

    def verify_statistics(self, relation: str, names: Sequence[str]) -> bool:
        """Whether these columns hold what the engine takes for granted about them."""
        types = dict(self._describe_relation(relation).columns)
        return self._fetch_value(
            build_statistics_check(relation, [(name, types[name]) for name in names])
        ) in (None, True)

    def run_statement(self, statement: Statement) -> ResultColumns:
        """Keys and numbers of a statement. Several threads may ask at once."""
        # only here: a child packs, and loads no numpy for it
        from hedgerow.engines.result_columns import convert_result

        with self._execute(statement) as result:
            return convert_result(result.fetchnumpy(), statement)

    def run_encoded(self, statement: Statement) -> tuple[dict[str, Any], bytes]:
        """The same as a message."""
        with self._execute(statement) as result:
            return encode_result(result, statement)

    @contextlib.contextmanager
    def _execute(self, statement: Statement) -> Iterator[duckdb.DuckDBPyConnection]:
        if statement.by_unit:
            with self._array_lock:
                try:
                    yield self._register_objects(self._array_cursor).execute(statement.sql)
                finally:
                    # where it broke off, a result with rows to come would keep it
                    self._array_cursor.abort()
            return
        with self._lock:
            cursor = self._connection.cursor()
        try:
            yield self._register_objects(cursor).execute(statement.sql)
        finally:
            cursor.close()

    def _register_objects(self, cursor: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
        """A cursor does not see what its parent registered."""
        for relation, table in self._objects.items():
            cursor.register(relation, table)
        return cursor

    def find_query_error(self, query: str) -> str | None:
        """Why an engine would not begin with a query, in the first line of its words; nothing is
        run. None where it would.
        """
        try:
            self._connection.execute(f"EXPLAIN {query}")
        except (duckdb.InternalException, duckdb.OutOfMemoryException):
            return None
        except duckdb.Error as error:
            return re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", str(error)).splitlines()[0]
        return None

    def close(self) -> None:
        """Lets go of everything. A second time it does nothing."""
        for connection in (self._array_cursor, self._connection):
            with contextlib.suppress(duckdb.Error):
                connection.close()

    def _describe_relation(
        self, relation: str, names: Sequence[str] | None = None
    ) -> AttachedRelation:
        """``names`` are those in the data. The engine renames what differs in upper and lower case
        alone, and a policy that meant the second column would then be read from the first."""
        described: list[tuple[Any, ...]] = self._connection.execute(
            f'DESCRIBE SELECT * FROM "{relation}"'
        ).fetchall()
        if names is not None and not {name for name, *_ in described} <= set(names):
            raise SourceError(
                "Two columns of the data differ in upper and lower case alone, or not at all:"
                " rename one of them."
            )
        return AttachedRelation(relation, tuple((name, type_) for name, type_, *_ in described))


def _build_csv_reader(path: Path) -> str:
    """Nothing is guessed from the data: commas, double quotes, a line of names. A guess could
    change with one person's row.

    Nor is a file read in parallel: where its pieces meet, the engine guesses whether it stands
    inside quotes, and such a guess has lost rows and run others together. ``csv_scan`` refuses all
    that makes one line depend on another when they are read in order.
    """
    columns = ", ".join(f"{_quoted(name)}: 'VARCHAR'" for name in read_csv_header(path))
    options = (
        "auto_detect = false, header = true, skip = 0, delim = ',', quote = '\"', escape = '\"',"
        " comment = '', nullstr = '', encoding = 'utf-8', compression = 'none', strict_mode ="
        " true, ignore_errors = false, null_padding = false, allow_quoted_nulls = false, parallel"
        f" = false, max_line_size = {MAX_LINE_BYTES}, {_NO_HIVE_COLUMNS}"
    )
    return f"read_csv({_quoted(str(path))}, columns = {{{columns}}}, {options})"
