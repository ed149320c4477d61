"""A locked-down DuckDB connection: it reads the given files and frames and runs statements, and
knows nothing of plans.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

# the engine alone: the package around it takes three times as long to load, and 12 MB more
import _duckdb as duckdb

from hedgerow.engines.compile.quoting import quote_text as _quoted
from hedgerow.engines.duckdb.parquet_statistics import build_statistics_check
from hedgerow.engines.duckdb.process.message_encoding import encode_result
from hedgerow.engines.duckdb.session_protocol import AttachedRelation, EngineLimits
from hedgerow.engines.duckdb.tables.csv_header import MAX_LINE_BYTES, read_csv_header
from hedgerow.engines.statement import MAX_ARRAY_SUMS, Statement
from hedgerow.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

    from hedgerow.engines.result_columns import ResultColumns

__all__ = ["DuckDBSession", "silence_progress_bar"]

_CONFIGURATION: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",  # a name is never resolved to a Python variable
    "temp_directory": "",  # exact data are never spilled to disk: what does not fit in memory fails
}
_HARDENING: Final = (
    "SET TimeZone = 'UTC'",
    "SET enable_external_access = false",
)
_LOCK: Final = "SET lock_configuration = true"  # after this no setting can be changed
# otherwise, in a folder named age=30, a column age would be read as 30 in every row
_NO_HIVE_COLUMNS: Final = "hive_partitioning = false"
_BYTES_PER_LINE: Final = 64  # of a CSV file, roughly
_BYTES_PER_SLOT: Final = 32 * MAX_ARRAY_SUMS
_MIN_ARRAY_BITS: Final = 12  # DuckDB's default
_MAX_ARRAY_BITS: Final = 24


def silence_progress_bar(connection: duckdb.DuckDBPyConnection) -> None:
    """Turn off the progress bar, which would be printed into answers.

    In a notebook without ipywidgets it is off, and DuckDB refuses to set it, even to off.
    """
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall() != [(False,)]:
        connection.execute("SET enable_progress_bar = false")


class DuckDBSession:
    """An in-memory database, locked before it sees any data.

    ``rows`` is the number of rows in frames; the rows of files are estimated.
    """

    def __init__(self, paths: Sequence[Path], limits: EngineLimits, rows: int = 0) -> None:
        configuration: dict[str, str | bool | int | float | list[str]] = {**_CONFIGURATION}
        if limits.threads is not None:
            configuration["threads"] = str(limits.threads)
        configuration["memory_limit"] = f"{limits.max_bytes}B"
        self._connection = duckdb.connect(":memory:", config=configuration)
        self._lock = threading.Lock()
        self._objects: dict[str, pa.Table] = {}
        allowed = ", ".join(_quoted(str(path)) for path in paths)
        silence_progress_bar(self._connection)
        for statement in (f"SET allowed_paths = [{allowed}]", *_HARDENING):
            self._connection.execute(statement)
        self._array_cursor, self._array_lock = self._connection.cursor(), threading.Lock()
        bits = self._choose_array_bits(
            rows + sum(map(self._estimate_rows, paths)), limits.max_bytes
        )
        self._array_cursor.execute(f"SET SESSION perfect_ht_threshold = {bits}")
        self._connection.execute(_LOCK)

    def _estimate_rows(self, path: Path) -> int:
        """Estimate the number of rows of a file; 0 where it cannot be read, which attaching it
        reports.
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
        """Choose the number of id bits up to which a ``by_unit`` statement groups in an array.

        An array is twice as fast as a hash table. It has a slot for every number up to the largest,
        in every thread, and all are initialised. So all slots together are at most a quarter of the
        rows, which takes less time than reading these. With as many sums as such a statement may
        have, they also take at most a quarter of the memory: otherwise one person's id, the
        largest, would decide whether a query fails.
        """
        places = min(rows, memory // _BYTES_PER_SLOT) // (
            4 * int(self._fetch_value("SELECT current_setting('threads')"))
        )
        return min(max(places.bit_length() - 1, _MIN_ARRAY_BITS), _MAX_ARRAY_BITS)

    def _fetch_value(self, query: str) -> Any:
        """Fetch the single value of a query, None without a row; nothing is left to fetch, which
        would block the connection.
        """
        rows = self._connection.execute(query).fetchall()
        return rows[0][0] if rows else None

    def attach_object(self, relation: str, table: pa.Table) -> AttachedRelation:
        # This import teaches the engine to read Arrow; alone it only reads files.
        importlib.import_module("duckdb")
        self._connection.register(relation, table)
        self._objects[relation] = table
        return self._describe_relation(relation, table.column_names)

    def attach_file(self, relation: str, path: Path) -> AttachedRelation:
        """Attach a Parquet file, or a CSV file with all columns as text."""
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
        self._connection.execute(f'CREATE TABLE "{relation}" AS {query}')
        return self._describe_relation(relation)

    def verify_statistics(self, relation: str, names: Sequence[str]) -> bool:
        types = dict(self._describe_relation(relation).columns)
        return self._fetch_value(
            build_statistics_check(relation, [(name, types[name]) for name in names])
        ) in (None, True)

    def run_statement(self, statement: Statement) -> ResultColumns:
        """Run a statement and return its keys and numbers. Several threads may call it at once."""
        # imported here: the engine process encodes results without numpy
        from hedgerow.engines.result_columns import convert_result

        with self._execute(statement) as result:
            return convert_result(result.fetchnumpy(), statement)

    def run_encoded(self, statement: Statement) -> tuple[dict[str, Any], bytes]:
        """Run a statement and return its result as a message."""
        with self._execute(statement) as result:
            return encode_result(result, statement)

    @contextlib.contextmanager
    def _execute(self, statement: Statement) -> Iterator[duckdb.DuckDBPyConnection]:
        if statement.by_unit:
            with self._array_lock:
                try:
                    yield self._run(self._array_cursor, statement.sql)
                finally:
                    # an unfinished result would block the cursor
                    self._array_cursor.abort()
            return
        with self._lock:
            cursor = self._connection.cursor()
        try:
            yield self._run(cursor, statement.sql)
        finally:
            cursor.close()

    def _run(self, cursor: duckdb.DuckDBPyConnection, sql: str) -> duckdb.DuckDBPyConnection:
        """Run a statement, having registered its frames with the cursor, which inherits none."""
        for relation, table in self._objects.items():
            if relation in sql:
                cursor.register(relation, table)
        return cursor.execute(sql)

    def find_query_error(self, query: str) -> str | None:
        """Return the first line of the error that stops DuckDB from planning a query, or None;
        nothing runs.
        """
        try:
            self._connection.execute(f"EXPLAIN {query}")
        except (duckdb.InternalException, duckdb.OutOfMemoryException):
            return None
        except duckdb.Error as error:
            return re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", str(error)).splitlines()[0]
        return None

    def close(self) -> None:
        """Close the connection; closing twice is harmless."""
        for connection in (self._array_cursor, self._connection):
            with contextlib.suppress(duckdb.Error):
                connection.close()

    def _describe_relation(
        self, relation: str, names: Sequence[str] | None = None
    ) -> AttachedRelation:
        """Return the columns of a relation; refuse names that differ in case alone.

        ``names`` are those in the data. DuckDB renames the second of two such columns, and a policy
        that means it would then read the first.
        """
        described: list[tuple[Any, ...]] = self._connection.execute(
            f'DESCRIBE SELECT * FROM "{relation}"'
        ).fetchall()
        if names is not None and not {name for name, *_ in described} <= set(names):
            raise SourceError(
                "Two columns of the data have the same name, apart from upper and lower case."
                " Rename one of them."
            )
        return AttachedRelation(relation, tuple((name, type_) for name, type_, *_ in described))


def _build_csv_reader(path: Path) -> str:
    """Build the call that reads a CSV file, with nothing inferred from the data.

    Commas, double quotes, a header line: a guess could change with one person's row. The file is
    not read in parallel either, since at the borders of its chunks DuckDB guesses whether it is
    inside quotes, and wrong guesses have lost and merged rows. ``csv_validation`` refuses every
    file in which one line affects another when they are read in order.
    """
    columns = ", ".join(f"{_quoted(name)}: 'VARCHAR'" for name in read_csv_header(path))
    options = (
        "auto_detect = false, header = true, skip = 0, delim = ',', quote = '\"', escape = '\"',"
        " comment = '', nullstr = '', encoding = 'utf-8', compression = 'none', strict_mode ="
        " true, ignore_errors = false, null_padding = false, allow_quoted_nulls = false, parallel"
        f" = false, max_line_size = {MAX_LINE_BYTES}, {_NO_HIVE_COLUMNS}"
    )
    return f"read_csv({_quoted(str(path))}, columns = {{{columns}}}, {options})"
