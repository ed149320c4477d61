"""Batches of reports, parsed and checked: the counters they add, or the reason for rejection."""

from __future__ import annotations

import re

from hedgerow.errors import InvalidArgument
from hedgerow.local.collector.counter_store import CHUNK_COUNTERS, BatchCounters
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.report_batch import ReportBatch

__all__ = ["RejectedBatch", "estimate_parsing_bytes", "parse_addition"]

_READERS = {
    "application/octet-stream": ReportBatch.from_bytes,
    "application/json": ReportBatch.from_json,
}
# memory for parsing a body, in multiples of its length
_PARSING_FACTORS = {"application/octet-stream": 4, "application/json": 16}
_KEY_PATTERN = re.compile(r"[!-~]{16,128}")


class RejectedBatch(Exception):
    """A batch that is not counted: the HTTP status, a name for programs, and the reason."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        self.status, self.kind = status, kind
        super().__init__(message)


def parse_addition(calendar: EpochCalendar, kind: str, key: str, body: bytes) -> BatchCounters:
    """Return the counters that a body adds, or raise ``RejectedBatch``."""
    reader = _READERS.get(_parse_media_type(kind))
    if reader is None:
        raise RejectedBatch(
            415, "UnknownForm", f"The Content-Type must be {' or '.join(_READERS)}."
        )
    if not _KEY_PATTERN.fullmatch(key):
        raise RejectedBatch(
            400,
            "NoBatchKey",
            "The header Batch-Key must be 16 to 128 plain characters, drawn at random for each"
            " batch.",
        )
    try:
        batch = reader(body)
    except InvalidArgument as error:
        raise RejectedBatch(400, "Malformed", str(error)) from None
    found = calendar.find(batch.metric)
    if found is None:
        raise RejectedBatch(
            404,
            "UnknownMetric",
            f"No metric with the hash {batch.metric.hex()} is collected here. Compare the metric"
            " files of client and collector.",
        )
    metric, ahead = found
    if not calendar.is_open(ahead):
        epochs = (
            f"The batch is of epoch {metric.epoch} of '{metric.id}', and the present one is"
            f" {metric.epoch - ahead}."
        )
        raise (
            RejectedBatch(409, "FutureEpoch", f"{epochs} Check the clock of the client.")
            if ahead > 0
            else RejectedBatch(410, "ClosedEpoch", f"{epochs} Drop the batch.")
        )
    size = metric.scheme.record_size
    if batch.records.shape[1] != size:
        raise RejectedBatch(
            422,
            "WrongRecord",
            f"A record of '{metric.id}' has {size} bytes; got {batch.records.shape[1]}.",
        )
    try:
        return BatchCounters(metric, key.encode(), metric.scheme.aggregate(batch.records))
    except InvalidArgument as error:
        raise RejectedBatch(422, "WrongRecord", str(error)) from None


def estimate_parsing_bytes(calendar: EpochCalendar, kind: str, size: int) -> int:
    """Bound the memory for parsing a body of ``size`` bytes and keeping its counters."""
    return size * _PARSING_FACTORS.get(_parse_media_type(kind), 1) + _estimate_counter_bytes(
        calendar, size
    )


def _estimate_counter_bytes(calendar: EpochCalendar, size: int) -> int:
    """Bound the memory for the counters of ``size`` bytes of reports until they are on disk.

    Each report changes counters in few chunks: its own bits are adjacent, the number of its
    cohort's reports is in another chunk, and the number of all reports in a third.
    """
    return max(
        min(
            8 * scheme.counter_count,
            (size // scheme.record_size + 1)
            * (8 * scheme.record_size // CHUNK_COUNTERS + 4)
            * 8
            * CHUNK_COUNTERS,
        )
        for scheme in (metric.scheme for metric in calendar.metrics)
    )


def _parse_media_type(kind: str) -> str:
    return kind.partition(";")[0].strip().lower()
