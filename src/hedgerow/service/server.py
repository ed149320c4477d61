"""The server: HTTP and the PostgreSQL protocol in one process, until a signal stops it."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import ssl
from collections.abc import Callable
from typing import Final

import uvicorn

from hedgerow.errors import InvalidArgument
from hedgerow.service.http.application import build_application
from hedgerow.service.metrics import Metrics
from hedgerow.service.query_service import QueryService
from hedgerow.service.settings import ServiceSettings
from hedgerow.service.wire.listener import WireListener

__all__ = ["check_port", "find_free_port", "run_server", "serve"]

_LOG: Final = logging.getLogger("hedgerow.service")
_STOP_SECONDS: Final = 30
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
    metrics = Metrics()
    config = uvicorn.Config(
        build_application(service, metrics),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_STOP_SECONDS,
        limit_concurrency=settings.limits.connections,
        h11_max_incomplete_event_size=32_768,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.key,
        ws="none",
        lifespan="off",
    )
    server = uvicorn.Server(config)
    config.load()
    listener = WireListener(service, metrics, config.ssl)
    _reload_on_hangup(config)
    async with await listener.start():
        running = asyncio.create_task(server.serve())
        while not server.started and not running.done():
            await asyncio.sleep(0.01)
        if not running.done():
            announce()
        if stopping is not None:
            await stopping.wait()
            server.should_exit = True
        await running
        listener.stop()


def _reload_on_hangup(config: uvicorn.Config) -> None:
    """Read the certificate files again on SIGHUP; new connections use them."""
    context = config.ssl
    if context is None:
        return

    def reload() -> None:
        assert config.ssl_certfile is not None
        try:
            context.load_cert_chain(config.ssl_certfile, config.ssl_keyfile)
        except (OSError, ssl.SSLError):
            _LOG.error("the certificate files cannot be read; the old ones stay in use")

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
