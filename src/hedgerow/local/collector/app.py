"""The collector: batches of reports come in over HTTP, counters are kept, and nothing else is.

``POST /v1/reports`` takes a batch, packed or as JSON, with a ``Batch-Key`` that its sender drew at
random. It answers when the counters are on disk, and not before. Whatever is wrong with a batch,
none of it is counted, and the answer says what in words::

    400  no key, or a body that cannot be read or was cut off     413  larger than a batch may be
    404  a metric that is not collected here                      415  neither packed nor JSON 408
    the body did not arrive in time                          422  records that the protocol cannot
    have made 409  counted already, or of an epoch that has not begun       503  no room for it, or
    the store cannot write: send it again later, 410  of an epoch that is closed
    under the same key

``GET /`` is a page for people, ``GET /v1/metrics`` the same for programs. ``GET /demo`` shows in a
browser what leaves a client, with the client in JavaScript, which is at ``GET /hedgerow-local.js``
for other pages too. Addresses, headers and times of senders are not written anywhere; the telemetry
of the framework, which would, is switched off.
"""

# Annotations are evaluated here, unlike elsewhere: FastAPI reads them, and its names are known
# inside functions only.
import asyncio
import logging
import math
import re
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from hedgerow.errors import HedgerowError, InvalidArgument, SourceError, Unsupported
from hedgerow.local.collector.connection_limits import build_limited_protocol, suspend_deadline
from hedgerow.local.collector.counter_store import CHUNK_COUNTERS, BatchCounters, CounterStore
from hedgerow.local.collector.dashboard import Dashboard
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.collector.store_writer import StoreWriter
from hedgerow.local.report_batch import ReportBatch

if TYPE_CHECKING:
    from fastapi import FastAPI, Request

__all__ = ["MAX_BODY_BYTES", "RejectedBatch", "build_application", "parse_addition", "serve"]

MAX_BODY_BYTES = 4 << 20  # bytes of one body
_READERS = {
    "application/octet-stream": ReportBatch.from_bytes,
    "application/json": ReportBatch.from_json,
}
_DISCARD_FACTOR = 16  # times as many are read of one that is too large
_PATIENCE_SECONDS = 30.0  # seconds in which a request must begin, and its body arrive
_QUEUE_PATIENCES = 2  # patiences that a large body waits in line for room
# of a patience, that a large body may be silent once it has room; short, so that many who are
# silent are soon through
_GRACE_PATIENCES = 0.1
_MIN_BYTES_PER_SECOND = 1 << 16  # bytes a second with which it must come from then on, on average
_LOG = logging.getLogger("hedgerow.collector")
_KEY_PATTERN = re.compile(r"[!-~]{16,128}")
_MAX_CONNECTIONS = 64  # connections; the one with which there are so many is told to come back
_SMALL_BODY_BYTES = 1 << 16  # bytes of a body that every connection may have on its way
# bytes of larger bodies on their way together: who sends one slowly keeps other large ones waiting,
# and no small one
_MAX_ARRIVING_BYTES = 12 << 20
# bytes that batches which have arrived may take together; more of them wait
_MAX_PARSING_BYTES = 32 << 20
# bytes of counters that may be worked on; if those of one batch take more, they are alone
_MAX_COUNTER_BYTES = 16 << 20
# how many times its length a body takes while it is read
_PARSING_FACTORS = {"application/octet-stream": 4, "application/json": 16}
_NO_TELEMETRY: Any = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
# The page runs nothing and fetches nothing.
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "Cache-Control": "no-store",
}
# The demonstration runs the client, and sends where its reader tells it to.
_DEMO_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'self' 'unsafe-inline';"
        " connect-src *"
    )
}
_FILES = {
    "/demo": ("demo.html", "text/html", _DEMO_HEADERS),
    # A page of another site may load it; without that it would have to keep a copy.
    "/hedgerow-local.js": (
        "hedgerow-local.js",
        "text/javascript",
        {"Access-Control-Allow-Origin": "*"},
    ),
}


class RejectedBatch(Exception):
    """A batch that is not counted: the status, a name for programs, and the reason in words."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        self.status, self.kind = status, kind
        super().__init__(message)


def parse_addition(calendar: EpochCalendar, kind: str, key: str, body: bytes) -> BatchCounters:
    """What a body adds to which counters, or why nothing."""
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
        message = (
            f"No metric with the hash {batch.metric.hex()} is collected here. Compare the metric"
            " files of client and collector."
        )
        raise RejectedBatch(404, "UnknownMetric", message)
    metric, ahead = found
    if not calendar.is_open(ahead):
        told = (
            f"The batch is of epoch {metric.epoch} of '{metric.id}', and the present one is"
            f" {metric.epoch - ahead}."
        )
        raise (
            RejectedBatch(409, "FutureEpoch", told)
            if ahead > 0
            else RejectedBatch(410, "ClosedEpoch", told)
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


class ByteSemaphore:
    """So many bytes. Who needs some waits until they are there, in the order of asking: memory
    is bounded, whoever sends how much.
    """

    def __init__(self, size: int) -> None:
        self._size = self._free = size
        self._queue_lock, self._freed = asyncio.Lock(), asyncio.Event()

    @asynccontextmanager
    async def acquire(self, size: int) -> AsyncIterator[None]:
        """Hold so many bytes; what is larger than the room has it alone."""
        need = min(size, self._size)
        async with self._queue_lock:
            while self._free < need:
                self._freed.clear()
                await self._freed.wait()
            self._free -= need
        try:
            yield
        finally:
            self._free += need
            self._freed.set()


def build_application(
    store: CounterStore,
    calendar: EpochCalendar,
    *,
    candidates: Mapping[str, Sequence[str]] | None = None,
    largest: int = MAX_BODY_BYTES,
) -> "FastAPI":
    """The web application over a store. It writes through one thread of its own and makes its page
    in another; both end with it.

    ``candidates``: for the ids of RAPPOR metrics, the texts that the page looks for; for others the
    names of their codes.
    """
    from fastapi import FastAPI, Request
    from fastapi.middleware.cors import CORSMiddleware
    from fastapi.responses import HTMLResponse, JSONResponse, Response

    class _Reports(CORSMiddleware):
        """Speaks for the place of reports alone."""

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            here = scope["type"] == "http" and scope["path"] == "/v1/reports"
            await (super().__call__ if here else self.app)(scope, receive, send)

    overview, room, arriving = (
        Dashboard(store, calendar, candidates),
        ByteSemaphore(_MAX_PARSING_BYTES),
        ByteSemaphore(_MAX_ARRIVING_BYTES),
    )
    # a page that takes long keeps no batch waiting
    writer, pages = StoreWriter(store), ThreadPoolExecutor(1, "hedgerow-page")
    # bytes of counters, while one batch is counted
    state = 3 * 8 * max(metric.scheme.counter_count for metric in calendar.metrics)
    counting = threading.BoundedSemaphore(max(1, _MAX_COUNTER_BYTES // state))

    def counted(kind: str, key: str, body: bytes) -> BatchCounters:
        with counting:
            return parse_addition(calendar, kind, key, body)

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(writer.close)
        pages.shutdown(cancel_futures=True)

    async def receive(request: Request) -> Response:
        kind, key = request.headers.get("Content-Type", ""), request.headers.get("Batch-Key", "")
        async with AsyncExitStack() as held:
            body = await _read_body(
                request,
                largest,
                lambda: _enter_in_time(
                    request, held, arriving.acquire(_estimate_body_bytes(request, largest))
                ),
            )
            # Room to count is taken when all is here: nobody holds it while a sender is slow.
            await held.enter_async_context(
                room.acquire(
                    len(body) * _PARSING_FACTORS.get(_parse_media_type(kind), 1)
                    + _estimate_counter_bytes(calendar, len(body))
                )
            )
            addition = await asyncio.to_thread(counted, kind, key, body)
            if not await asyncio.wrap_future(writer.add(addition)):
                raise RejectedBatch(
                    409,
                    "Replayed",
                    "A batch with this Batch-Key was counted already. Nothing was counted again.",
                )
        return JSONResponse(
            {"metric": addition.metric.id, "epoch": addition.metric.epoch, "counted": True}
        )

    async def listing() -> Response:
        return JSONResponse(
            await asyncio.get_running_loop().run_in_executor(pages, overview.to_dict)
        )

    async def front() -> Response:
        return HTMLResponse(
            await asyncio.get_running_loop().run_in_executor(pages, overview.to_html),
            headers=_PAGE_HEADERS,
        )

    app = FastAPI(
        telemetry=_NO_TELEMETRY, lifespan=living, docs_url=None, redoc_url=None, openapi_url=None
    )
    # Any page may send reports from its visitors' browsers. None may read what is found: that is
    # for who runs the collector.
    app.add_middleware(
        _Reports,
        allow_origins=["*"],
        allow_methods=["POST"],
        allow_headers=["Batch-Key", "Content-Type"],
    )
    app.add_api_route("/v1/reports", receive, methods=["POST"])
    app.add_api_route("/v1/metrics", listing, methods=["GET"])
    app.add_api_route("/", front, methods=["GET"])
    for path, told in _FILES.items():
        app.add_api_route(path, _build_file_route(*told), methods=["GET"])
    _add_error_handlers(app)
    return app


def _build_file_route(name: str, kind: str, headers: dict[str, str]) -> Callable[[], Any]:
    """What answers with a file of the JavaScript client."""
    from fastapi.responses import Response

    content = files("hedgerow.local").joinpath("js", name).read_bytes()

    async def told() -> Response:
        return Response(content, media_type=kind, headers=headers)

    return told


def _estimate_body_bytes(request: "Request", largest: int) -> int:
    """How long its body will be at most, as far as it is kept."""
    said = request.headers.get("Content-Length", "")
    return (
        min(int(said), largest)
        if said.isascii() and said.isdecimal() and len(said) < 16
        else largest
    )


def _estimate_counter_bytes(calendar: EpochCalendar, size: int) -> int:
    """Bytes of counters that stay of so many bytes of reports until they are on disk. Each report
    changes counters in few stretches: its own bits lie side by side, the number of its cohort's
    reports in another, that of all in a third."""
    schemes = [metric.scheme for metric in calendar.metrics]
    each = (
        min(
            8 * scheme.counter_count,
            (size // scheme.record_size + 1)
            * (8 * scheme.record_size // CHUNK_COUNTERS + 4)
            * 8
            * CHUNK_COUNTERS,
        )
        for scheme in schemes
    )
    return max(each)


def _parse_media_type(kind: str) -> str:
    return kind.partition(";")[0].strip().lower()


async def _enter_in_time(
    request: "Request", held: AsyncExitStack, room: AbstractAsyncContextManager[None]
) -> bool:
    """Whether there was room for a large body before it had waited for too long."""
    try:
        with suspend_deadline(request.scope):
            async with asyncio.timeout(_QUEUE_PATIENCES * _PATIENCE_SECONDS):
                await held.enter_async_context(room)
    except TimeoutError:
        return False
    return True


async def _read_body(
    request: "Request", largest: int, room: Callable[[], Awaitable[bool]]
) -> bytes:
    """The whole body, given up when it is too slow. ``room`` is asked for when it is no small one,
    and the sender's time does not run while it waits; then it must keep a pace, because others wait
    for its room. What is too large, or has no room, is read on for a while without being kept: a
    sender that is still sending would not hear an answer."""
    from starlette.requests import ClientDisconnect

    parts, size, kept, now = list[bytes](), 0, True, asyncio.get_running_loop().time
    began, before = 0.0, 0  # when it had room, and what was here by then
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS) as limit:
            async for part in request.stream():
                if size <= _SMALL_BODY_BYTES < size + len(part):
                    limit.reschedule(None)
                    kept = await room()
                    began, before = now(), size + len(part)
                size += len(part)
                if before:
                    limit.reschedule(
                        began
                        + min(
                            _PATIENCE_SECONDS,
                            _GRACE_PATIENCES * _PATIENCE_SECONDS
                            + (size - before) / _MIN_BYTES_PER_SECOND,
                        )
                    )
                if kept and size <= largest:
                    parts.append(part)
                elif size > _DISCARD_FACTOR * largest:
                    break
    except ClientDisconnect:
        raise RejectedBatch(400, "Malformed", "The body was cut off.") from None
    except TimeoutError:
        told = (
            f"The body did not arrive within {_PATIENCE_SECONDS:g} seconds, or was large and came"
            f" with less than {_MIN_BYTES_PER_SECOND:,} bytes a second."
        )
        raise RejectedBatch(408, "TooSlow", told) from None
    if size > largest:
        raise RejectedBatch(
            413,
            "TooLarge",
            f"A batch has at most {largest:,} bytes. Send several, each with its own Batch-Key.",
        )
    if not kept:
        # Not "send it in parts": it may have been counted before, and its key is what tells.
        told = (
            "Other large batches are on their way. Send it again later, under the same Batch-Key."
            f" Up to {_SMALL_BODY_BYTES:,} bytes never wait."
        )
        raise RejectedBatch(503, "NoRoom", told)
    return b"".join(parts)


def _add_error_handlers(app: "FastAPI") -> None:
    """Every refusal is a JSON document with a reason, also those of the framework."""
    from fastapi import Request
    from fastapi.responses import JSONResponse, Response
    from starlette.exceptions import HTTPException

    def told(status: int, kind: str, message: str) -> Response:
        # The connection ends with a refusal: the rest of a body that is too large is not read.
        closing, later = {"Connection": "close"}, {"Retry-After": str(math.ceil(_PATIENCE_SECONDS))}
        return JSONResponse(
            {"error": {"type": kind, "message": message}},
            status,
            {408: closing, 413: closing, 503: later}.get(status),
        )

    async def rejected(_: Request, error: Any) -> Response:
        return told(error.status, error.kind, str(error))

    async def elsewhere(_: Request, error: Any) -> Response:
        return told(
            error.status_code,
            "NotServed",
            "There are POST /v1/reports, GET /v1/metrics, GET / and GET /demo here.",
        )

    async def failed(_: Request, error: Any) -> Response:
        # names the store's place, which is nothing for strangers; and nothing about a sender
        _LOG.error("%s", error)
        return told(
            503,
            "NotWritten",
            "The collector cannot use its store now. Send the batch again later, under the same"
            " Batch-Key.",
        )

    handlers: list[tuple[type[Exception], Callable[..., Any]]] = [
        (RejectedBatch, rejected),
        (HTTPException, elsewhere),
        (HedgerowError, failed),
    ]
    for kind, handler in handlers:
        app.add_exception_handler(kind, handler)


def serve(
    store: CounterStore,
    calendar: EpochCalendar,
    *,
    host: str,
    port: int,
    ready: Callable[[str], None],
    candidates: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Serve until interrupted. ``ready`` hears the address once batches are taken."""
    try:
        import uvicorn

        app, limited = (
            build_application(store, calendar, candidates=candidates),
            build_limited_protocol(_PATIENCE_SECONDS),
        )
    except ImportError:
        raise Unsupported(
            "The collector needs FastAPI and uvicorn: pip install 'hedgerow[collect]'."
        ) from None

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            ready(address)

    # No access log, and of the other one only failures: an address is in neither.
    quiet: dict[str, Any] = {
        "access_log": False,
        "log_level": "error",
        "server_header": False,
        "proxy_headers": False,
    }
    with _open_socket(host, port) as held:
        name, number = held.getsockname()[:2]
        address = f"http://{f'[{name}]' if ':' in name else name}:{number}"
        Server(
            uvicorn.Config(
                app, http=limited, limit_concurrency=_MAX_CONNECTIONS, lifespan="on", **quiet
            )
        ).run(sockets=[held])


def _open_socket(host: str, port: int) -> socket.socket:
    if not 0 <= port < 1 << 16:
        raise InvalidArgument("port", "must be from 0 to 65,535", port)
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=1024
        )
    except OSError:
        raise SourceError(
            f"Nothing can listen at {host}, port {port}: it is taken, or not of this machine. Name"
            " another."
        ) from None
