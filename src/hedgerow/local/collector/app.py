"""The collector's web application: takes batches of reports over HTTP and keeps only counters.

``POST /v1/reports`` takes a batch, packed or as JSON, with a ``Batch-Key`` that its sender drew at
random. It answers only after the counters are on disk. A rejected batch is not counted at all, and
the answer gives the reason::

    400  the key is missing, or the body is malformed or cut off
    404  the metric is not collected here
    408  the body did not arrive in time
    409  the batch was already counted, or its epoch has not begun
    410  the epoch is closed
    413  the batch is too large
    415  the body is neither packed nor JSON
    422  the protocol cannot have made these records
    503  there is no room, or the store cannot write: send it again later, under the same key

``GET /`` is a page for people, and ``GET /v1/metrics`` the same for programs. ``GET /demo`` shows
what leaves a client, in a browser. It uses the JavaScript client at ``GET /hedgerow-local.js``,
which other pages may load too. Addresses, headers and times of senders are never written; the
telemetry of the framework, which would record them, is switched off.
"""

# Annotations are evaluated here, unlike elsewhere: FastAPI reads them, and its names are known
# inside functions only.
import asyncio
import logging
import math
import socket
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from hedgerow.errors import HedgerowError, InvalidArgument, SourceError, Unsupported
from hedgerow.local.collector import request_body
from hedgerow.local.collector.batch_parsing import (
    RejectedBatch,
    estimate_parsing_bytes,
    parse_addition,
)
from hedgerow.local.collector.connection_limits import build_limited_protocol
from hedgerow.local.collector.counter_store import BatchCounters, CounterStore
from hedgerow.local.collector.dashboard import Dashboard
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.collector.request_body import (
    MAX_BODY_BYTES,
    ByteSemaphore,
    enter_in_time,
    estimate_body_bytes,
    read_body,
)
from hedgerow.local.collector.store_writer import StoreWriter

if TYPE_CHECKING:
    from fastapi import FastAPI, Request

__all__ = ["build_application", "serve"]

_LOG = logging.getLogger("hedgerow.collector")
_MAX_CONNECTIONS = 64  # a connection beyond these is asked to come back later
# bytes of large bodies that arrive at once: a slow sender delays other large bodies only
_MAX_ARRIVING_BYTES = 12 << 20
_MAX_PARSING_BYTES = 32 << 20  # memory for batches that have arrived; further ones wait
# memory for counters of batches being parsed; a batch that needs more is parsed alone
_MAX_COUNTER_BYTES = 16 << 20
_NO_TELEMETRY: Any = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
# The page runs no script and fetches nothing.
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "Cache-Control": "no-store",
}
# The demo runs the client, and sends to the address that its reader enters.
_DEMO_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'self' 'unsafe-inline';"
        " connect-src *"
    )
}
_FILES = {
    "/demo": ("demo.html", "text/html", _DEMO_HEADERS),
    # Pages of other sites may load it, so that they need no copy.
    "/hedgerow-local.js": (
        "hedgerow-local.js",
        "text/javascript",
        {"Access-Control-Allow-Origin": "*"},
    ),
}


class _BatchReceiver:
    """The way of a batch from its request to the store."""

    def __init__(self, store: CounterStore, calendar: EpochCalendar, largest: int) -> None:
        self.writer, self._calendar, self._largest = StoreWriter(store), calendar, largest
        self._room = ByteSemaphore(_MAX_PARSING_BYTES)
        self._arriving = ByteSemaphore(_MAX_ARRIVING_BYTES)
        # bytes of counters while one batch is parsed
        counter_bytes = 3 * 8 * max(metric.scheme.counter_count for metric in calendar.metrics)
        self._parsing = threading.BoundedSemaphore(max(1, _MAX_COUNTER_BYTES // counter_bytes))

    async def receive(self, request: "Request") -> dict[str, Any]:
        """Count the batch of a request and return the answer once it is on disk."""
        kind, key = request.headers.get("Content-Type", ""), request.headers.get("Batch-Key", "")
        async with AsyncExitStack() as held:
            body = await read_body(
                request,
                self._largest,
                lambda: enter_in_time(
                    request,
                    held,
                    self._arriving.acquire(estimate_body_bytes(request, self._largest)),
                ),
            )
            # Only a complete body takes room to be parsed: a slow sender holds none.
            await held.enter_async_context(
                self._room.acquire(estimate_parsing_bytes(self._calendar, kind, len(body)))
            )
            addition = await asyncio.to_thread(self._parse, kind, key, body)
            if not await asyncio.wrap_future(self.writer.add(addition)):
                raise RejectedBatch(
                    409,
                    "Replayed",
                    "A batch with this Batch-Key was counted already. Nothing was counted again.",
                )
        return {"metric": addition.metric.id, "epoch": addition.metric.epoch, "counted": True}

    def _parse(self, kind: str, key: str, body: bytes) -> BatchCounters:
        with self._parsing:
            return parse_addition(self._calendar, kind, key, body)


def build_application(
    store: CounterStore,
    calendar: EpochCalendar,
    *,
    candidates: Mapping[str, Sequence[str]] | None = None,
    largest: int = MAX_BODY_BYTES,
) -> "FastAPI":
    """Build the web application over a store, with one thread for writing and one for the page;
    both end with it.

    ``candidates`` maps the id of a RAPPOR metric to the texts that the page looks for, and the id
    of any other metric to the names of its codes.
    """
    from fastapi import FastAPI, Request
    from fastapi.responses import HTMLResponse, JSONResponse, Response

    dashboard, receiver = (
        Dashboard(store, calendar, candidates),
        _BatchReceiver(store, calendar, largest),
    )
    # The page has its own thread, so that a slow one delays no batch.
    pages = ThreadPoolExecutor(1, "hedgerow-page")

    @asynccontextmanager
    async def close_at_end(_: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(receiver.writer.close)
        pages.shutdown(cancel_futures=True)

    async def receive(request: Request) -> Response:
        return JSONResponse(await receiver.receive(request))

    async def list_metrics() -> Response:
        return JSONResponse(
            await asyncio.get_running_loop().run_in_executor(pages, dashboard.to_dict)
        )

    async def show_page() -> Response:
        return HTMLResponse(
            await asyncio.get_running_loop().run_in_executor(pages, dashboard.to_html),
            headers=_PAGE_HEADERS,
        )

    app = FastAPI(
        telemetry=_NO_TELEMETRY,
        lifespan=close_at_end,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    _allow_any_origin(app)
    app.add_api_route("/v1/reports", receive, methods=["POST"])
    app.add_api_route("/v1/metrics", list_metrics, methods=["GET"])
    app.add_api_route("/", show_page, methods=["GET"])
    for path, file in _FILES.items():
        app.add_api_route(path, _build_file_route(*file), methods=["GET"])
    _add_error_handlers(app)
    return app


def _allow_any_origin(app: "FastAPI") -> None:
    """Allow any page to send reports from its visitors' browsers.

    No page may read the results: they are for the operator of the collector.
    """
    from fastapi.middleware.cors import CORSMiddleware

    class _Reports(CORSMiddleware):
        """Cross-origin headers for the route of reports alone."""

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            here = scope["type"] == "http" and scope["path"] == "/v1/reports"
            await (super().__call__ if here else self.app)(scope, receive, send)

    app.add_middleware(
        _Reports,
        allow_origins=["*"],
        allow_methods=["POST"],
        allow_headers=["Batch-Key", "Content-Type"],
    )


def _build_file_route(name: str, kind: str, headers: dict[str, str]) -> Callable[[], Any]:
    """Build the route that sends a file of the JavaScript client."""
    from fastapi.responses import Response

    content = files("hedgerow.local").joinpath("js", name).read_bytes()

    async def send_file() -> Response:
        return Response(content, media_type=kind, headers=headers)

    return send_file


def _add_error_handlers(app: "FastAPI") -> None:
    """Answer every refusal, including those of the framework, with a JSON document that gives a
    reason.
    """
    from fastapi import Request
    from fastapi.responses import JSONResponse, Response
    from starlette.exceptions import HTTPException

    def build_answer(status: int, kind: str, message: str) -> Response:
        # These refusals close the connection: the rest of an oversized body is not read.
        closing, later = (
            {"Connection": "close"},
            {"Retry-After": str(math.ceil(request_body.PATIENCE_SECONDS))},
        )
        return JSONResponse(
            {"error": {"type": kind, "message": message}},
            status,
            {408: closing, 413: closing, 503: later}.get(status),
        )

    async def answer_rejected(_: Request, error: Any) -> Response:
        return build_answer(error.status, error.kind, str(error))

    async def answer_unknown_route(_: Request, error: Any) -> Response:
        return build_answer(
            error.status_code,
            "NotServed",
            "This path or method is not served. Use POST /v1/reports, GET /v1/metrics, GET / or GET"
            " /demo.",
        )

    async def answer_failed(_: Request, error: Any) -> Response:
        # The message names the store's path, so it goes to the log only. It never names a sender.
        _LOG.error("%s", error)
        return build_answer(
            503,
            "NotWritten",
            "The collector cannot use its store now. Send the batch again later, under the same"
            " Batch-Key.",
        )

    handlers: list[tuple[type[Exception], Callable[..., Any]]] = [
        (RejectedBatch, answer_rejected),
        (HTTPException, answer_unknown_route),
        (HedgerowError, answer_failed),
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
    """Serve until interrupted, and call ``ready`` with the address once batches are accepted."""
    try:
        import uvicorn

        app, limited = (
            build_application(store, calendar, candidates=candidates),
            build_limited_protocol(request_body.PATIENCE_SECONDS),
        )
    except ImportError:
        raise Unsupported(
            "The collector needs FastAPI and uvicorn. Run: pip install 'hedgerow[collect]'."
        ) from None

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            ready(address)

    # No access log, and only failures in the other one: neither contains an address.
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
            f"The collector cannot listen at {host}, port {port}: the port is taken, or the address"
            " belongs to another machine. Choose another one."
        ) from None
