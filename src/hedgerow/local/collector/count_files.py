"""Counters from files of reports, as a collector would have counted them.

A file is a packed batch, or a table that DuckDB reads (``.parquet``, ``.csv``, ``.json``,
``.jsonl``, ``.ndjson``) with the columns ``metric``, the hash as 16 hex digits, and ``report``, the
record as bytes or hex digits. A table may hold several metrics; rows of others are passed over. It
is read piece by piece, so that it may be larger than memory. One report that is wrong, and nothing
is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.engines.compile.quoting import quote_text
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.local.bit_rows import Records
from hedgerow.local.metric import Metric
from hedgerow.local.report_batch import ReportBatch
from hedgerow.numeric.vectorised import Integers

__all__ = ["count_files"]

_READERS = {
    ".parquet": "read_parquet",
    ".csv": "read_csv",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
_READER_OPTIONS = {
    "read_csv": ", all_varchar = true, header = true",
    "read_json": ", columns = {metric: 'VARCHAR', report: 'VARCHAR'}",
}
_CHUNK_BYTES = 1 << 24  # bytes of records at a time
_CONFIGURATION: Any = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
}


def count_files(metric: Metric, files: Iterable[str | Path]) -> Integers:
    """The counters of all reports of ``metric`` in these files. They add to those of a store,
    and to each other.
    """
    scheme = metric.scheme
    total = np.zeros(scheme.counter_count, np.int64)
    for file in map(Path, files):
        if not file.is_file():
            raise SourceError(f"There is no file '{file}'.")
        for records in (
            _read_table(metric, file)
            if file.suffix.lower() in _READERS
            else _read_batch(metric, file)
        ):
            total += scheme.aggregate(records)
    return total


def _read_batch(metric: Metric, file: Path) -> Iterator[Records]:
    body = file.read_bytes()
    # before anything else: a file of something else is not cut off
    if not body.startswith(metric.hash):
        raise SourceError(
            f"The file '{file}' is no batch of '{metric.id}' in epoch {metric.epoch}. It may be of"
            " another metric or epoch."
        )
    try:
        batch = ReportBatch.from_bytes(body)
    except InvalidArgument as error:
        raise SourceError(f"The file '{file}' cannot be counted: its {error}") from None
    yield batch.records


def _read_table(metric: Metric, file: Path) -> Iterator[Records]:
    import duckdb  # only here: a collector does not need it

    reader, size = _READERS[file.suffix.lower()], metric.scheme.record_size
    # Or the reports of a folder metric=home would all be taken for those of a metric of that name.
    table = (
        f"{reader}({quote_text(str(file.resolve()))}, hive_partitioning ="
        f" false{_READER_OPTIONS.get(reader, '')})"
    )
    try:
        with duckdb.connect(":memory:", config=_CONFIGURATION) as db:
            db.execute("SET enable_progress_bar = false")
            kinds = {
                name: kind
                for name, kind, *_ in db.execute(
                    f"DESCRIBE SELECT metric, report FROM {table}"
                ).fetchall()
            }
            report = "report" if kinds["report"] == "BLOB" else "unhex(report)"
            chosen = (
                f"SELECT {report} AS record FROM {table} WHERE lower(metric) ="
                f" '{metric.hash.hex()}'"
            )
            reading: Any = db.sql(chosen).to_arrow_reader(max(1, _CHUNK_BYTES // size))
            yield from (_read_records(batch.column(0), size) for batch in reading)
    except duckdb.Error:
        pass
    else:
        return
    # Raised out here, so that not even its context holds the engine's message, which may quote a
    # report.
    raise SourceError(
        f"The file '{file}' cannot be read as a table with the columns metric and report, both"
        " filled in hex digits or bytes."
    )


def _read_records(column: Any, size: int) -> Records:
    """The records of an Arrow column of bytes."""
    import pyarrow.compute as pc

    if (
        column.null_count
        or not pc.all(pc.equal(pc.binary_length(column), size), min_count=0).as_py()
    ):
        raise InvalidArgument(
            "reports",
            f"must all have the {size} bytes of the metric's protocol; nothing was counted",
        )
    return np.frombuffer(b"".join(column.to_pylist()), np.uint8).reshape(-1, size)
