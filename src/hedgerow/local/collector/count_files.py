"""Counters from files of reports, equal to those of a collector that received them.

A file is a packed batch, or a table that DuckDB reads (``.parquet``, ``.csv``, ``.json``,
``.jsonl``, ``.ndjson``) with the columns ``metric``, the hash as 16 hex digits, and ``report``, the
record as bytes or hex digits. A table may hold several metrics; rows of other metrics are skipped.
It is read in chunks, so it may be larger than memory. If any report is wrong, nothing is counted.
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
_CHUNK_BYTES = 1 << 24  # records read at a time
_CONFIGURATION: Any = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
}


def count_files(metric: Metric, files: Iterable[str | Path]) -> Integers:
    """Count all reports of ``metric`` in these files; the counters can be added to those of a
    store.
    """
    scheme = metric.scheme
    total = np.zeros(scheme.counter_count, np.int64)
    for file in map(Path, files):
        if not file.is_file():
            raise SourceError(f"The file '{file}' does not exist. Check its path.")
        for records in (
            _read_table(metric, file)
            if file.suffix.lower() in _READERS
            else _read_batch(metric, file)
        ):
            total += scheme.aggregate(records)
    return total


def _read_batch(metric: Metric, file: Path) -> Iterator[Records]:
    body = file.read_bytes()
    # Checked first: a message about a truncated batch would mislead for any other file.
    if not body.startswith(metric.hash):
        raise SourceError(
            f"The file '{file}' is not a batch of '{metric.id}' in epoch {metric.epoch}. Use the"
            " metric file, with its epoch, that the reports were made for."
        )
    try:
        batch = ReportBatch.from_bytes(body)
    except InvalidArgument as error:
        raise SourceError(
            f"The file '{file}' cannot be counted. Copy it again: its {error}"
        ) from None
    yield batch.records


def _read_table(metric: Metric, file: Path) -> Iterator[Records]:
    import duckdb  # imported here: a collector does not need it

    from hedgerow.engines.duckdb.session import silence_progress_bar

    reader, size = _READERS[file.suffix.lower()], metric.scheme.record_size
    # Without hive_partitioning = false a folder named metric=home would replace the column metric.
    table = (
        f"{reader}({quote_text(str(file.resolve()))}, hive_partitioning ="
        f" false{_READER_OPTIONS.get(reader, '')})"
    )
    try:
        with duckdb.connect(":memory:", config=_CONFIGURATION) as db:
            silence_progress_bar(db)
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
    # Raised outside the handler, so that its context lacks the engine's message, which may quote a
    # report.
    raise SourceError(
        f"The file '{file}' cannot be read as a table with the columns metric and report. Write"
        " both columns as hex digits or bytes, without empty cells."
    )


def _read_records(column: Any, size: int) -> Records:
    """Return the records of an Arrow column of bytes."""
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
