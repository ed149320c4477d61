"""The collector over real HTTP: good batches count once, bad ones are rejected with a reason."""

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
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hedgerow.local
from depth import many
from hedgerow.errors import InvalidArgument, SourceError, Unsupported
from hedgerow.local.collector import app as collector
from hedgerow.local.collector.app import build_application, serve
from hedgerow.local.collector.batch_parsing import parse_addition
from hedgerow.local.collector.counter_store import CounterStore
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.collector.request_body import MAX_BODY_BYTES
from hedgerow.local.report_batch import ReportBatch
from local import expected
from local.posting import GOOD, KEY, METRIC, OTHER, TEXTS, VALUES, posted
from local.serving import PACKED, Served, packed, serving

LAST = ReportBatch(TEXTS.hash, np.array([[0, 3, 255, 240]], np.uint8)).to_bytes()


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
def test_unknown_routes_are_refused_with_the_known_ones(
    server: Served, method: str, path: str, status: int
) -> None:
    found, text = server.ask(method, path)
    assert found == status
    assert json.loads(text) == {
        "error": {
            "type": "NotServed",
            "message": (
                "This path or method is not served. Use POST /v1/reports, GET /v1/metrics, GET / or"
                " GET /demo."
            ),
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


def test_a_failing_store_is_reported_without_its_path(
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
    """Check that the framework reports no request to a telemetry provider set by somebody else."""
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
        with pytest.raises(SourceError, match="The collector cannot listen at"):
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
