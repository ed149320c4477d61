"""The collector over real HTTP: what is right is counted once, what is wrong is told, and nobody
can be recognised afterwards.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import math
import os
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hedgerow.local
from depth import many
from hedgerow.errors import InvalidArgument, SourceError, Unsupported
from hedgerow.local.collector import app as collector
from hedgerow.local.collector.app import (
    MAX_BODY_BYTES,
    RejectedBatch,
    build_application,
    parse_addition,
    serve,
)
from hedgerow.local.collector.counter_store import CounterStore
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry, Rappor
from hedgerow.local.report_batch import ReportBatch
from local import expected
from local.posting import GOOD, KEY, METRIC, VALUES, posted
from local.serving import JSON, PACKED, Served, packed, serving

OTHER = Metric.of("shape", KAry.calibrate(domain=300, epsilon=1))
TEXTS = Metric.of("home", Rappor(k=12, h=2, m=4, f=32_768, p=32_768, q=49_152))
HASH = METRIC.hash
LAST, FAR, ODD = (
    ReportBatch(TEXTS.hash, np.array([row], np.uint8)).to_bytes()
    for row in ([0, 3, 255, 240], [0, 4, 0, 0], [0, 3, 0, 8])
)
WIDE = ReportBatch(HASH, np.zeros((2, 2), np.uint8))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("collector")
    (folder / "texts").write_text("a.example\nb.example\n", encoding="utf-8")
    with serving(
        folder / "counts", METRIC, OTHER, TEXTS, candidates=f"home={folder / 'texts'}"
    ) as served:
        yield served


def test_texts_that_were_given_at_the_start_are_looked_for(server: Served) -> None:
    assert (
        server.send(
            ReportBatch(TEXTS.hash, expected.reports(TEXTS, {"a.example": 50_000})).to_bytes()
        )[0]
        == 200
    )
    row: dict[str, Any] = {"detected_in": 0}
    while row["detected_in"] < 50_000:  # what reports tell may be computed a while after they came
        row = next(
            row
            for row in json.loads(server.ask("GET", "/v1/metrics")[1])["metrics"]
            if row["id"] == "home"
        )
        time.sleep(0.01)
    assert [found["value"] for found in row["detected"]] == ["a.example"]
    assert row["loss"]["epochs"] == 1


def test_good_batches_of_both_forms_are_counted(server: Served) -> None:
    before = server.counts()
    assert server.send(GOOD) == (200, {"metric": "colour", "epoch": 7, "counted": True})
    written = ReportBatch(OTHER.hash, OTHER.scheme.encode(np.arange(30))).to_json().encode()
    assert server.send(written, kind="application/json; charset=utf-8") == (
        200,
        {"metric": "shape", "epoch": 0, "counted": True},
    )
    assert server.send(LAST) == (200, {"metric": "home", "epoch": 0, "counted": True})
    after = server.counts()
    assert after["home", 0] - before["home", 0] == 1
    assert after["colour", 7] - before["colour", 7] == 40
    assert after["shape", 0] - before["shape", 0] == 30


def test_an_epoch_that_is_open_still_is_counted_apart(server: Served) -> None:
    before = server.counts()
    assert server.send(packed(replace(METRIC, epoch=6), VALUES))[0] == 200
    assert server.counts() == {**before, ("colour", 6): before.get(("colour", 6), 0) + 40}


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
    ("head cut off", GOOD[:9], KEY, PACKED, 400, "Malformed", "was cut off"),
    ("no body", b"", KEY, PACKED, 400, "Malformed", "was cut off"),
    ("no records", GOOD[:10], KEY, PACKED, 400, "Malformed", "was cut off"),
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
    ("cohort out of range", FAR, KEY, PACKED, 422, "WrongRecord", "a cohort that is not below 4"),
    ("bits after the last", ODD, KEY, PACKED, 422, "WrongRecord", "bits after its last one"),
    ("cut JSON", b'{"metric": "', KEY, JSON, 400, "Malformed", "must be JSON"),
    ("deep JSON", b"[" * 100_000, KEY, JSON, 400, "Malformed", "must be an object"),
    ("packed as JSON", GOOD, KEY, JSON, 400, "Malformed", "must be JSON"),
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
def test_what_is_wrong_is_told_and_not_counted(
    server: Served, why: str, body: bytes, key: str, kind: str, status: int, name: str, told: str
) -> None:
    before = server.counts()
    found, answer = server.send(body, key, kind)
    assert (found, answer["error"]["type"]) == (status, name)
    assert told in answer["error"]["message"]
    assert set(answer) == {"error"}
    assert server.counts() == before


def test_a_key_of_a_batch_that_was_refused_is_still_free(server: Served) -> None:
    key = "the key of a bad batch".replace(" ", "-")
    assert server.send(GOOD + b"\x05", key)[0] == 422
    assert server.send(GOOD, key)[0] == 200


def test_a_replayed_key_is_counted_once(server: Served) -> None:
    key = "3f" * 16
    assert server.send(GOOD, key)[0] == 200
    before = server.counts()
    for body in (GOOD, packed(METRIC, VALUES[:3])):
        status, answer = server.send(body, key)
        assert (status, answer["error"]["type"]) == (409, "Replayed")
        assert "counted already" in answer["error"]["message"]
    assert server.counts() == before
    assert server.send(packed(OTHER, VALUES), key)[0] == 200


def test_the_same_key_at_once_is_counted_once(server: Served) -> None:
    before, found = server.counts()["colour", 7], list[int]()
    threads = [
        threading.Thread(target=lambda: found.append(server.send(GOOD, "same" * 8)[0]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200] + [409] * 7
    assert server.counts()["colour", 7] == before + 40


def test_a_body_without_a_length_is_cut_at_the_limit(server: Served) -> None:
    before = server.counts()
    parts = iter([GOOD, *[b"\x00" * 65_536] * (MAX_BODY_BYTES // 65_536)])
    try:
        status, text = server.ask(
            "POST",
            "/v1/reports",
            parts,
            {"Content-Type": PACKED, "Batch-Key": KEY, "Transfer-Encoding": "chunked"},
        )
        assert (status, json.loads(text)["error"]["type"]) == (413, "TooLarge")
    except (BrokenPipeError, ConnectionResetError):
        pass  # it hung up while we were still sending
    assert server.counts() == before
    assert server.send(iter([GOOD[:20], GOOD[20:]]))[0] == 200  # type: ignore[arg-type]


def test_a_sender_who_leaves_half_way_counts_nothing(server: Served) -> None:
    before = server.counts()
    head = (
        f"POST /v1/reports HTTP/1.1\r\nHost: x\r\nContent-Type: {PACKED}\r\nBatch-Key:"
        f" {KEY}\r\nContent-Length: {len(GOOD)}\r\n\r\n"
    )
    with socket.create_connection((server.host, server.port)) as sender:
        sender.sendall(head.encode() + GOOD[:-5])
    assert server.counts() == before
    assert server.send(GOOD, KEY)[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/v1/reports", 405), ("GET", "/docs", 404), ("GET", "/openapi.json", 404)],
)
def test_other_places_are_told_apart(server: Served, method: str, path: str, status: int) -> None:
    found, text = server.ask(method, path)
    assert found == status
    assert json.loads(text) == {
        "error": {
            "type": "NotServed",
            "message": "There are POST /v1/reports, GET /v1/metrics, GET / and GET /demo here.",
        }
    }


def test_a_browser_may_send_from_any_page(server: Served) -> None:
    connection = server.connect()
    asked = {
        "Origin": "https://shop.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "batch-key",
    }
    connection.request("OPTIONS", "/v1/reports", headers=asked)
    answer = connection.getresponse()
    assert answer.status == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Batch-Key" in answer.headers["Access-Control-Allow-Headers"]
    assert answer.headers["Access-Control-Allow-Credentials"] is None
    connection.close()


def test_the_page_is_served_and_runs_nothing(server: Served) -> None:
    connection = server.connect()
    connection.request("GET", "/")
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    assert (
        answer.headers["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'"
    )
    assert answer.headers["Server"] is None
    assert "colour, epoch 7" in text
    assert "Privacy loss of a client at most" in text
    assert "<script" not in text


def test_the_client_in_javascript_and_its_demonstration_are_served(server: Served) -> None:
    folder = Path(hedgerow.local.__file__).with_name("js")
    for path, name, kind in (
        ("/demo", "demo.html", "text/html"),
        ("/hedgerow-local.js", "hedgerow-local.js", "text/javascript"),
    ):
        connection = server.connect()
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.read() == (folder / name).read_bytes()
        assert answer.headers["Content-Type"].startswith(kind)
        connection.close()
        assert (answer.headers["Access-Control-Allow-Origin"] == "*") == (path != "/demo")
    assert server.ask("GET", "/demo.html")[0] == 404
    assert server.ask("GET", "/%2e%2e/vectors.json")[0] == 404


@pytest.mark.long
def test_nothing_identifying_is_stored_or_logged(tmp_path: Path) -> None:
    store, log = tmp_path / "counts", tmp_path / "log"
    marks = [
        "alice@example.org",
        "203.0.113.77",
        "Mozilla/7 (Alices phone)",
        "session=5ecret",
        "https://alice.example/home",
    ]
    names = ("Batch-Key", "X-Forwarded-For", "User-Agent", "Cookie", "Referer")
    headers = dict(zip(names, marks, strict=True))
    with serving(store, METRIC, log=log) as served:
        for body in (
            GOOD,
            GOOD,
            GOOD[:9],
            b"\x00" * 8 + GOOD[8:],
            GOOD + b"\x05",
            b"\x00" * (MAX_BODY_BYTES + 1),
        ):
            connection = served.connect()
            connection.request(
                "POST", "/v1/reports?who=alice", body, {"Content-Type": PACKED, **headers}
            )
            assert connection.getresponse().status in (200, 400, 404, 409, 413, 422)
            connection.close()
        with socket.create_connection((served.host, served.port)) as sender:
            sender.sendall(b"this is no HTTP, says alice\r\n\r\n")
            sender.recv(1000)
        with socket.create_connection((served.host, served.port)) as sender:
            sender.sendall(
                "POST /v1/reports HTTP/1.1\r\nHost: alice\r\nContent-Length: 99\r\nBatch-Key:"
                f" {KEY}\r\n\r\nhalf of it".encode()
            )
        served.process.kill()
        served.process.wait()
        held = b"".join(file.read_bytes() for file in (store, store.with_name("counts-wal"), log))
    assert b"colour" in held  # the log of the database is among what was read
    for mark in (*marks, "alice", "Alice"):
        assert mark.encode() not in held
    assert log.read_text(encoding="utf-8") == ""  # not an address either


LIVES = many(3)  # that end by SIGKILL


@pytest.mark.long
def test_killed_while_batches_arrive_none_is_lost_or_counted_twice(tmp_path: Path) -> None:
    chance, scheme = random.Random(7), METRIC.scheme
    batches = {
        f"batch-{number:026}": packed(METRIC, np.arange(1 + number % 50) % 5)
        for number in range(100 * LIVES)
    }
    acknowledged: set[str] = set()
    waiting = list(batches)

    def work(served: Served, mine: list[str], last: float) -> None:
        for key in mine:
            try:
                status, answer = served.send(batches[key], key)
            except (OSError, http.client.HTTPException):
                return  # it was killed: nothing was heard of this one
            # A batch that was heard of is never sent again here, so "already" can only mean that
            # the word about it was lost.
            assert status == 200 or answer["error"]["type"] == "Replayed", answer
            acknowledged.add(key)
            # at once: one that was acknowledged before it was on disk is lost now
            if len(acknowledged) >= last:
                served.process.kill()

    deaths = 0
    while waiting:
        with serving(tmp_path / "counts", METRIC) as served:
            # so that there is work left for a last life, however busy the machine
            mine = waiting[: 90 if deaths < LIVES else None]
            goal = len(acknowledged) + chance.randrange(1, 70) if deaths < LIVES else math.inf
            # by turns when a word was heard, and at any time
            last = goal if deaths % 2 == 0 else math.inf
            threads = [
                threading.Thread(target=work, args=(served, mine[number::4], last))
                for number in range(4)
            ]
            for thread in threads:
                thread.start()
            if deaths < LIVES:
                while len(acknowledged) < goal and any(thread.is_alive() for thread in threads):
                    threads[0].join(chance.random() * 0.003)
                os.kill(served.process.pid, signal.SIGKILL)
                deaths += 1
            for thread in threads:
                thread.join()
        with CounterStore(tmp_path / "counts") as store:
            counted = store.read_counters(METRIC)[-1]
        heard = sum(len(ReportBatch.from_bytes(batches[key])) for key in acknowledged)
        assert (
            heard <= counted <= sum(len(ReportBatch.from_bytes(body)) for body in batches.values())
        )
        waiting = [key for key in batches if key not in acknowledged]
    assert deaths == LIVES
    with CounterStore(tmp_path / "counts") as store:
        whole = sum(
            scheme.aggregate(ReportBatch.from_bytes(body).records) for body in batches.values()
        )
        assert np.array_equal(store.read_counters(METRIC), whole)


def test_two_collectors_merged_equal_one(tmp_path: Path) -> None:
    calendar = EpochCalendar([METRIC])
    whole, left, right = (CounterStore(tmp_path / name) for name in ("whole", "left", "right"))
    for number in range(6):
        addition = parse_addition(calendar, PACKED, f"{number:016}", packed(METRIC, VALUES))
        whole.add([addition])
        (left, right)[number % 2].add([addition])
    left.merge(right)
    assert np.array_equal(left.read_counters(METRIC), whole.read_counters(METRIC))


def test_a_store_that_fails_is_told_without_its_place(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with CounterStore(tmp_path / "counts") as store:
        app = build_application(store, EpochCalendar([METRIC]))
        store._require_connection().execute("DROP TABLE batches")
        status, answer = asyncio.run(posted(app, [GOOD]))
    assert (status, answer["error"]["type"]) == (503, "NotWritten")
    assert "under the same Batch-Key" in answer["error"]["message"]
    assert str(tmp_path) not in json.dumps(answer)
    assert str(tmp_path) in caplog.text


def test_no_telemetry_whoever_asks_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The framework would tell every request, and when it came, to a provider that somebody else
    has set.
    """
    from opentelemetry import trace

    asked: list[str] = []

    class Tracers(trace.TracerProvider):
        def get_tracer(self, *args: Any, **kwargs: Any) -> Any:
            asked.append("trace")
            return trace.NoOpTracerProvider().get_tracer("none")

    monkeypatch.setattr(trace, "get_tracer_provider", Tracers)
    with CounterStore(tmp_path / "counts") as store:
        assert (
            asyncio.run(posted(build_application(store, EpochCalendar([METRIC])), [GOOD]))[0] == 200
        )
        assert asked == []
        assert (
            dict.fromkeys(
                ("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False
            )
            == collector._NO_TELEMETRY
        )
        monkeypatch.setattr(collector, "_NO_TELEMETRY", None)
        assert (
            asyncio.run(
                posted(build_application(store, EpochCalendar([METRIC])), [GOOD], "another" * 4)
            )[0]
            == 200
        )
    assert asked  # so this is the provider that it would tell


def test_a_place_that_is_taken(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        CounterStore(tmp_path / "counts") as store,
    ):
        with pytest.raises(SourceError, match="Nothing can listen at"):
            serve(
                store,
                EpochCalendar([METRIC]),
                host="127.0.0.1",
                port=taken.getsockname()[1],
                ready=print,
            )
        with pytest.raises(InvalidArgument, match="port must be from 0 to 65,535; got 70000"):
            serve(store, EpochCalendar([METRIC]), host="127.0.0.1", port=70_000, ready=print)


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with (
        CounterStore(tmp_path / "counts") as store,
        pytest.raises(Unsupported, match=r"pip install 'hedgerow\[collect\]'"),
    ):
        serve(store, EpochCalendar([METRIC]), host="127.0.0.1", port=0, ready=print)


def test_a_rejection_has_a_status_and_a_name() -> None:
    with pytest.raises(RejectedBatch, match="plain characters") as caught:
        parse_addition(EpochCalendar([METRIC]), PACKED, "short", GOOD)
    assert (caught.value.status, caught.value.kind) == (400, "NoBatchKey")
