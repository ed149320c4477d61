"""Parsed batches: every kind of bad batch is rejected with a reason, and memory stays bounded."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hedgerow.local.collector import batch_parsing
from hedgerow.local.collector.batch_parsing import RejectedBatch, parse_addition
from hedgerow.local.collector.counter_store import CounterStore
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.collector.request_body import MAX_BODY_BYTES
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry
from hedgerow.local.report_batch import ReportBatch
from local.posting import GOOD, KEY, METRIC, OTHER, TEXTS, VALUES
from local.serving import JSON, PACKED, Served, packed
from local.vectors import METRICS

HASH = METRIC.hash
FAR, ODD = (
    ReportBatch(TEXTS.hash, np.array([row], np.uint8)).to_bytes()
    for row in ([0, 4, 0, 0], [0, 3, 0, 8])
)
WIDE = ReportBatch(HASH, np.zeros((2, 2), np.uint8))

BAD: list[tuple[str, bytes, str, str, int, str, str]] = [
    (
        "no metric has this hash",
        b"\x00" * 8 + GOOD[8:],
        KEY,
        PACKED,
        404,
        "UnknownMetric",
        "No metric with the hash 0000000000000000",
    ),
    (
        "other parameters",
        packed(Metric.of("colour", KAry(5, 1), 7), VALUES),
        KEY,
        PACKED,
        404,
        "UnknownMetric",
        "Compare the metric files",
    ),
    (
        "another name",
        packed(replace(METRIC, id="color"), VALUES),
        KEY,
        PACKED,
        404,
        "UnknownMetric",
        "is collected here",
    ),
    (
        "future",
        packed(replace(METRIC, epoch=8), VALUES),
        KEY,
        PACKED,
        409,
        "FutureEpoch",
        "of epoch 8 of 'colour', and the present one is 7",
    ),
    (
        "closed",
        packed(replace(METRIC, epoch=5), VALUES),
        KEY,
        PACKED,
        410,
        "ClosedEpoch",
        "of epoch 5 of 'colour', and the present one is 7",
    ),
    ("head cut off", GOOD[:9], KEY, PACKED, 400, "Malformed", "was truncated"),
    ("no body", b"", KEY, PACKED, 400, "Malformed", "was truncated"),
    ("no records", GOOD[:10], KEY, PACKED, 400, "Malformed", "was truncated"),
    (
        "record cut off",
        packed(OTHER, VALUES)[:-1],
        KEY,
        PACKED,
        400,
        "Malformed",
        "whole records of 2 bytes",
    ),
    (
        "wrong size",
        WIDE.to_bytes(),
        KEY,
        PACKED,
        422,
        "WrongRecord",
        "A record of 'colour' has 1 bytes; got 2.",
    ),
    ("out of range", GOOD + b"\x05", KEY, PACKED, 422, "WrongRecord", "not below 5"),
    (
        "out of range",
        HASH.hex().join(('{"metric":"', '","reports":["00","ff"]}')).encode(),
        KEY,
        JSON,
        422,
        "WrongRecord",
        "not below 5",
    ),
    ("cohort out of range", FAR, KEY, PACKED, 422, "WrongRecord", "must have cohorts below 4"),
    ("bits after the last", ODD, KEY, PACKED, 422, "WrongRecord", "zeros after the last bit"),
    ("cut JSON", b'{"metric": "', KEY, JSON, 400, "Malformed", "must be valid JSON"),
    ("deep JSON", b"[" * 100_000, KEY, JSON, 400, "Malformed", "must be an object"),
    ("packed as JSON", GOOD, KEY, JSON, 400, "Malformed", "must be JSON in ASCII"),
    ("no type", GOOD, KEY, "", 415, "UnknownForm", "application/octet-stream or application/json"),
    (
        "a form",
        GOOD,
        KEY,
        "application/x-www-form-urlencoded",
        415,
        "UnknownForm",
        "The Content-Type must be",
    ),
    ("no key", GOOD, "", PACKED, 400, "NoBatchKey", "drawn at random for each batch"),
    ("short key", GOOD, "7", PACKED, 400, "NoBatchKey", "16 to 128 plain characters"),
    ("long key", GOOD, "7" * 129, PACKED, 400, "NoBatchKey", "16 to 128 plain characters"),
    ("odd key", GOOD, "a key with blanks in it", PACKED, 400, "NoBatchKey", "plain characters"),
    (
        "oversized",
        GOOD + b"\x00" * MAX_BODY_BYTES,
        KEY,
        PACKED,
        413,
        "TooLarge",
        "at most 4,194,304 bytes",
    ),
]


@pytest.mark.parametrize(
    ("why", "body", "key", "kind", "status", "name", "told"),
    BAD,
    ids=[f"{row[0]} {row[3]}" for row in BAD],
)
def test_a_bad_batch_is_rejected_with_a_reason_and_not_counted(
    server: Served, why: str, body: bytes, key: str, kind: str, status: int, name: str, told: str
) -> None:
    before = server.counts()
    found, answer = server.send(body, key, kind)
    assert (found, answer["error"]["type"]) == (status, name)
    assert told in answer["error"]["message"]
    assert set(answer) == {"error"}
    assert server.counts() == before


def test_a_rejection_has_a_status_and_a_name() -> None:
    with pytest.raises(RejectedBatch, match="plain characters") as caught:
        parse_addition(EpochCalendar([METRIC]), PACKED, "short", GOOD)
    assert (caught.value.status, caught.value.kind) == (400, "NoBatchKey")


@pytest.mark.parametrize("name", METRICS)
def test_no_batch_keeps_more_counters_than_room_was_made_for(name: str) -> None:
    metric = METRICS[name]
    calendar = EpochCalendar([metric])
    for reports in (1, 5, 300):
        values = np.random.default_rng(reports).integers(
            0, min(metric.scheme.domain, 1 << 20), reports
        )
        body = ReportBatch(metric.hash, metric.scheme.encode(values)).to_bytes()
        addition = parse_addition(calendar, "application/octet-stream", "k" * 16, body)
        assert sum(
            piece.nbytes for piece in addition.chunks.values()
        ) <= batch_parsing._estimate_counter_bytes(calendar, len(body))
    assert (
        batch_parsing._estimate_counter_bytes(calendar, 1 << 30) == 8 * metric.scheme.counter_count
    )


def test_small_batches_of_a_large_metric_take_little_memory(tmp_path: Path) -> None:
    """Keep only changed chunks: all counters of one batch would take 16 MB, and 40 batches wait for
    the disk.
    """
    large = Metric.of("large", KAry(1 << 21, 60_000))
    records = large.scheme.encode(np.arange(10) << 17)
    body, calendar = ReportBatch(large.hash, records).to_bytes(), EpochCalendar([large])
    tracemalloc.start()
    try:
        waiting = [
            parse_addition(calendar, "application/octet-stream", f"{number:016}", body)
            for number in range(40)
        ]
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        with CounterStore(tmp_path / "counts") as store:
            assert store.add(waiting) == [True] * 40
            _, peak = tracemalloc.get_traced_memory()
            assert store.read_counters(large)[-1] == 400
    finally:
        tracemalloc.stop()
    assert max(held, peak) < 4 << 20
    assert 40 * batch_parsing._estimate_counter_bytes(calendar, len(body)) < 32 << 20
