"""Limits on bodies: waiting for room, the pace of large bodies, and time in the queue."""

from __future__ import annotations

import asyncio
import http.client
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgerow.local.collector import app as collector
from hedgerow.local.collector import request_body
from hedgerow.local.collector.app import build_application
from hedgerow.local.collector.counter_store import CounterStore
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.collector.request_body import MAX_BODY_BYTES, ByteSemaphore
from local.collector.test_connection_limits import asked, listening, open_after, until
from local.posting import GOOD, KEY, METRIC, posted
from local.serving import PACKED, packed


def test_a_body_that_is_far_too_large_is_not_read_to_its_end(tmp_path: Path) -> None:
    with CounterStore(tmp_path / "counts") as store:
        app = build_application(store, EpochCalendar([METRIC]), largest=len(GOOD))
        parts: list[bytes | None] = [GOOD] * 40
        status, answer = asyncio.run(posted(app, parts))
        assert (status, answer["error"]["type"]) == (413, "TooLarge")
        assert len(parts) == 40 - 17
        assert asyncio.run(posted(app, [GOOD]))[0] == 200


def test_a_body_that_is_too_slow_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_body, "PATIENCE_SECONDS", 0.01)
    with CounterStore(tmp_path / "counts") as store:
        status, answer = asyncio.run(
            posted(build_application(store, EpochCalendar([METRIC])), [GOOD, None])
        )
    assert (status, answer["error"]["type"]) == (408, "TooSlow")


def test_room_is_given_in_the_order_of_asking_and_never_twice() -> None:
    """Check the order: a large batch waits for room, later small ones wait behind it, and one
    larger than the room has it alone.
    """
    told: list[str] = []

    async def take(room: ByteSemaphore, name: str, size: int, hold: int) -> None:
        async with room.acquire(size):
            told.append(name)
            for _ in range(hold):
                await asyncio.sleep(0)
            told.append(name.upper())

    async def all_of_them() -> None:
        room = ByteSemaphore(10)
        await asyncio.gather(
            take(room, "a", 6, 5),
            take(room, "b", 4, 20),
            take(room, "c", 99, 3),
            take(room, "d", 1, 1),
        )

    asyncio.run(all_of_them())
    assert told == ["a", "b", "A", "B", "c", "C", "d", "D"]


def test_a_refused_batch_gives_its_room_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "_MAX_PARSING_BYTES", 1)  # one at a time

    async def several(app: Any) -> list[int]:
        return [
            (await posted(app, [body], f"{number:016}"))[0]
            for number, body in enumerate((GOOD, GOOD[:9], GOOD + b"\x05", GOOD))
        ]

    with CounterStore(tmp_path / "counts") as store:
        assert asyncio.run(several(build_application(store, EpochCalendar([METRIC])))) == [
            200,
            400,
            422,
            200,
        ]


LARGE = packed(METRIC, np.zeros(200_000, np.int64))


def test_a_slow_sender_delays_large_bodies_but_no_small_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "_MAX_ARRIVING_BYTES", 1)  # one large body at a time
    monkeypatch.setattr(request_body, "PATIENCE_SECONDS", 3_600.0)

    async def all_of_them(app: Any) -> None:
        def ask(number: int, parts: list[Any]) -> asyncio.Task[tuple[int, dict[str, Any]]]:
            return asyncio.create_task(posted(app, parts, f"{number:016}"))

        go = asyncio.Event()
        slow, stuck = (
            ask(1, [LARGE[:100_000], go, LARGE[100_000:]]),
            [ask(2, [LARGE[:9], None]), ask(3, [b"", None])],
        )
        await asyncio.sleep(0)
        waiting = ask(4, [LARGE])
        assert [(await ask(number, [GOOD]))[0] for number in range(5, 10)] == [200] * 5
        assert not any(task.done() for task in (slow, waiting, *stuck))
        go.set()
        assert [(await task)[0] for task in (slow, waiting)] == [200, 200]
        for task in stuck:
            task.cancel()
        await asyncio.gather(*stuck, return_exceptions=True)
        assert (await ask(10, [LARGE]))[0] == 200

    with CounterStore(tmp_path / "counts") as store:
        asyncio.run(all_of_them(build_application(store, EpochCalendar([METRIC]))))
        assert store.read_counters(METRIC)[-1] == 3 * 200_000 + 5 * 40


def test_time_in_line_is_not_the_senders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reject the first large body when its time is over; the second waited as long, and has all of
    its own time left.
    """
    monkeypatch.setattr(collector, "_MAX_ARRIVING_BYTES", 1)
    monkeypatch.setattr(request_body, "PATIENCE_SECONDS", 0.5)
    monkeypatch.setattr(request_body, "_GRACE_PATIENCES", 1)
    monkeypatch.setattr(request_body, "_QUEUE_PATIENCES", 3_600)

    async def two(app: Any) -> list[int]:
        asked = [
            posted(app, parts, f"{number:016}")
            for number, parts in enumerate(
                ([LARGE[:100_000], None], [LARGE[:100_000], LARGE[100_000:]])
            )
        ]
        return [status for status, _ in await asyncio.gather(*asked)]

    with CounterStore(tmp_path / "counts") as store:
        assert asyncio.run(two(build_application(store, EpochCalendar([METRIC])))) == [408, 200]


@pytest.mark.parametrize(
    ("patience", "grace", "pace", "then", "status"),
    [
        (3_600.0, 1e-5, 1, [20.0], 408),  # silent once it has room
        (3_600.0, 1e-5, 1 << 40, [b"x" * 50_000, 20.0], 408),  # slower than it must be
        # so fast at first that it may pause for long
        (3_600.0, 1e-5, 1, [b"x" * 50_000, 0.2], 422),
        (0.2, 0.1, 1, [b"x" * 50_000, 20.0], 408),  # but not for longer than anybody
    ],
)
def test_a_large_body_must_keep_a_pace(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    patience: float,
    grace: float,
    pace: int,
    then: list[Any],
    status: int,
) -> None:
    monkeypatch.setattr(request_body, "PATIENCE_SECONDS", patience)
    monkeypatch.setattr(request_body, "_GRACE_PATIENCES", grace)
    monkeypatch.setattr(request_body, "_MIN_BYTES_PER_SECOND", pace)
    with CounterStore(tmp_path / "counts") as store:
        assert (
            asyncio.run(
                posted(build_application(store, EpochCalendar([METRIC])), [LARGE[:100_000], *then])
            )[0]
            == status
        )


def test_a_small_body_need_not_keep_a_pace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "PATIENCE_SECONDS", 3_600.0)
    monkeypatch.setattr(request_body, "_GRACE_PATIENCES", 1e-5)
    with CounterStore(tmp_path / "counts") as store:
        assert (
            asyncio.run(
                posted(
                    build_application(store, EpochCalendar([METRIC])), [GOOD[:20], 0.2, GOOD[20:]]
                )
            )[0]
            == 200
        )


HEAD = (
    f"POST /v1/reports HTTP/1.1\r\nHost: x\r\nContent-Type: {PACKED}\r\nBatch-Key:"
    f" {KEY}\r\nContent-Length: {len(LARGE)}\r\n\r\n"
)


def test_a_connection_stays_open_for_as_long_as_its_request_waits_in_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "_MAX_ARRIVING_BYTES", 1)
    monkeypatch.setattr(request_body, "PATIENCE_SECONDS", 3_600.0)

    async def behind_another(app: Any) -> bytes:
        go = asyncio.Event()
        first = asyncio.create_task(posted(app, [LARGE[:100_000], go, LARGE[100_000:]], "a" * 16))
        async with listening(app) as (place, made):
            connection, ours = await asked(place, made, HEAD.encode())
            with ours:
                sending = asyncio.create_task(asyncio.get_running_loop().sock_sendall(ours, LARGE))
                await until(lambda: "hedgerow.in_line" in connection.cycle.scope["state"])
                assert open_after(connection, 100)
                go.set()
                assert (await first)[0] == 200
                await sending
                return await asyncio.get_running_loop().sock_recv(ours, 1_000)

    with CounterStore(tmp_path / "counts") as store:
        assert asyncio.run(
            behind_another(build_application(store, EpochCalendar([METRIC])))
        ).startswith(b"HTTP/1.1 200")
        assert store.read_counters(METRIC)[-1] == 2 * 200_000


@pytest.mark.parametrize("connection", ["keep-alive", "close"])
def test_a_body_that_waits_too_long_is_asked_to_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, connection: str
) -> None:
    """Check senders that read no answer before they have sent everything, as most do; their bodies
    are not kept.
    """
    monkeypatch.setattr(collector, "_MAX_ARRIVING_BYTES", 1)
    monkeypatch.setattr(request_body, "PATIENCE_SECONDS", 3_600.0)
    monkeypatch.setattr(request_body, "_QUEUE_PATIENCES", 1e-5)
    late = GOOD.ljust(MAX_BODY_BYTES, b"\x00")

    def send(place: tuple[str, int]) -> list[tuple[int, str | None, dict[str, Any]]]:
        sender, found = http.client.HTTPConnection(*place, timeout=60), []
        for body in (late, GOOD):
            sender.request(
                "POST",
                "/v1/reports",
                body,
                {"Content-Type": PACKED, "Batch-Key": KEY, "Connection": connection},
            )
            answer = sender.getresponse()
            found.append((answer.status, answer.headers["Retry-After"], json.loads(answer.read())))
        sender.close()
        return found

    async def behind_another(app: Any) -> None:
        go = asyncio.Event()
        first = asyncio.create_task(posted(app, [LARGE[:100_000], go, LARGE[100_000:]], "a" * 16))
        async with listening(app) as (place, made):
            tracemalloc.start()
            try:
                (status, later, answer), small = await asyncio.to_thread(send, place)
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            assert (status, later, answer["error"]["type"]) == (503, "3600", "NoRoom")
            assert "under the same Batch-Key" in answer["error"]["message"]
            assert peak < len(late)
            assert small[:2] == (200, None)
            assert len(made) == (1 if connection == "keep-alive" else 2)
        go.set()
        assert (await first)[0] == 200
        assert (await posted(app, [LARGE], "b" * 16))[0] == 200  # who left the line holds nothing

    with CounterStore(tmp_path / "counts") as store:
        asyncio.run(behind_another(build_application(store, EpochCalendar([METRIC]))))
        assert store.read_counters(METRIC)[-1] == 2 * 200_000 + 40


def test_fifty_silent_senders_end_before_the_next_waits_too_long() -> None:
    assert 50 * request_body._GRACE_PATIENCES < request_body._QUEUE_PATIENCES * (
        collector._MAX_ARRIVING_BYTES // MAX_BODY_BYTES
    )


@pytest.mark.parametrize(
    ("said", "held"),
    [("7", 7), ("5000000", 100), ("", 100), ("-1", 100), ("١", 100), ("9" * 17, 100)],
)
def test_the_room_for_a_body_is_what_it_says_or_the_most(said: str, held: int) -> None:
    from starlette.requests import Request

    scope = {"type": "http", "headers": [(b"content-length", said.encode("utf-8"))]}
    assert request_body.estimate_body_bytes(Request(scope), 100) == held
