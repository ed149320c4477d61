"""The server: HTTP and the PostgreSQL protocol in one process, until a signal stops it."""

from __future__ import annotations

import asyncio
import logging
import math
import signal
import socket
import ssl
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Final

import uvicorn

from hedgerow.errors import InvalidArgument
from hedgerow.service.http.application import build_application, build_metrics_application
from hedgerow.service.metrics import Metrics
from hedgerow.service.operations.budget_alerts import BudgetAlerts
from hedgerow.service.operations.http_server import HttpServer
from hedgerow.service.query_service import QueryService
from hedgerow.service.settings import ServiceSettings
from hedgerow.service.wire.listener import WireListener

__all__ = ["check_port", "find_free_port", "run_server", "serve"]

_LOG: Final = logging.getLogger("hedgerow.service")
_PORTS_TRIED: Final = 20


def run_server(
    service: QueryService, settings: ServiceSettings, announce: Callable[[], None]
) -> None:
    """Serve until SIGINT or SIGTERM; ``announce`` is called once both listeners accept."""
    asyncio.run(serve(service, settings, announce))


async def serve(
    service: QueryService,
    settings: ServiceSettings,
    announce: Callable[[], None],
    stopping: asyncio.Event | None = None,
) -> None:
    """Serve in the running event loop, until a signal or the event ``stopping``."""
    asyncio.get_running_loop().set_default_executor(
        ThreadPoolExecutor(settings.limits.threads, "hedgerow")
    )
    metrics, stop_seconds = Metrics(), _choose_stop_seconds(service)
    server, config = _build_server(service, settings, metrics, stop_seconds)
    listener = WireListener(service, metrics, config.ssl)
    alerts = BudgetAlerts(settings.alerts, service.name, service.list_budgets, service.accounts)
    _handle_hangup(server, config)
    async with await listener.start(), _serve_metrics(service, settings, metrics):
        running = asyncio.create_task(server.serve())
        while not server.started and not running.done():
            await asyncio.sleep(0.01)
        if not running.done():
            alerts.start()
            announce()
        if stopping is not None:
            await stopping.wait()
            server.should_exit = True
        draining = asyncio.create_task(_drain_on_exit(service, server, listener, stop_seconds))
        await running
        await draining
        await asyncio.to_thread(alerts.stop)


def _build_server(
    service: QueryService, settings: ServiceSettings, metrics: Metrics, stop_seconds: int
) -> tuple[HttpServer, uvicorn.Config]:
    config = uvicorn.Config(
        build_application(service, metrics),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=stop_seconds,
        proxy_headers=False,  # see ``RequestGuard``, which believes listed proxies only
        h11_max_incomplete_event_size=32_768,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.key,
        ws="none",
        lifespan="off",
    )
    config.load()
    return HttpServer(config, settings.limits), config


def _choose_stop_seconds(service: QueryService) -> int:
    """Return how long a question that runs may take to end when the service stops."""
    return max(30, math.ceil(2 * service.schedule.longest))


@asynccontextmanager
async def _serve_metrics(
    service: QueryService, settings: ServiceSettings, metrics: Metrics
) -> AsyncIterator[None]:
    """Serve the counters on a loopback port of their own, if there is one."""
    if settings.metrics_port is None:
        yield
        return
    config = uvicorn.Config(
        build_metrics_application(service, metrics),
        host="127.0.0.1",
        port=settings.metrics_port,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        ws="none",
        lifespan="off",
    )
    config.load()
    server = HttpServer(config, settings.limits)
    await server.startup()
    try:
        yield
    finally:
        server.stop_at_once()


async def _drain_on_exit(
    service: QueryService, server: HttpServer, listener: WireListener, seconds: int
) -> None:
    """End the connections of the PostgreSQL protocol together with those of HTTP."""
    while not server.should_exit and server.started:
        await asyncio.sleep(0.1)
    service.stop()
    await listener.drain(seconds)


def _handle_hangup(server: HttpServer, config: uvicorn.Config) -> None:
    """Read the certificate files again on SIGHUP; new connections use them. Without a certificate
    in a terminal, SIGHUP says that the terminal was closed: stop, or nobody could."""
    has_terminal = sys.stdin is not None and sys.stdin.isatty()

    def reload() -> None:
        certificate, key, context = config.ssl_certfile, config.ssl_keyfile, config.ssl
        if context is None or certificate is None:
            server.should_exit = server.should_exit or has_terminal
            return
        try:
            # In a context of its own first: a certificate without its key would spoil this one.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
            context.load_cert_chain(certificate, key)
        except (OSError, ssl.SSLError):
            _LOG.error("the certificate files cannot be read; the old ones stay in use")
        else:
            _LOG.info("the certificate files were read again")

    if threading.current_thread() is threading.main_thread():
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reload)


def check_port(host: str, port: int, name: str) -> None:
    """Refuse a port that another program uses."""
    if not 0 < port < 2**16 or not _is_free(host, port):
        raise InvalidArgument(
            name, "must be free: choose another, or stop the program that uses it", port
        )


def _is_free(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True


def find_free_port(host: str, port: int) -> int:
    """Return the first free port from ``port`` on."""
    for candidate in range(port, port + _PORTS_TRIED):
        if _is_free(host, candidate):
            return candidate
    raise InvalidArgument("port", f"must be free: {_PORTS_TRIED} ports from it on are taken", port)
