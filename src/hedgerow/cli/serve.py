"""The command ``hedgerow serve``: the web pages, the HTTP interface and the PostgreSQL protocol."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hedgerow.cli.options import DebugOption, JsonOption, PolicyFile
from hedgerow.cli.terminal import print_json, print_lines
from hedgerow.errors import InvalidArgument

if TYPE_CHECKING:
    from hedgerow.service.query_service import QueryService

__all__ = ["require_serve_packages", "serve_policy"]


def serve_policy(
    policy: PolicyFile,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port of pages and HTTP interface.")] = 8800,
    pg_port: Annotated[int, typer.Option(help="The port of the PostgreSQL protocol.")] = 5433,
    tls_cert: Annotated[
        Path | None, typer.Option(help="The certificate file (PEM). Required off loopback.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(help="The key file of the certificate.")] = None,
    answer_seconds: Annotated[
        float | None,
        typer.Option(
            help="When an answer leaves, in seconds after its engine took it. Default: from the"
            " kind of question and max_rows."
        ),
    ] = None,
    untimed: Annotated[
        bool,
        typer.Option(
            "--untimed", help="Let answers leave as they are ready; their time may depend on data."
        ),
    ] = False,
    engines: Annotated[int, typer.Option(help="How many questions run at the same time.")] = 2,
    settings_file: Annotated[
        Path | None,
        typer.Option("--settings", metavar="FILE", help="Logins, proxies, alerts and metrics."),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Serve a policy to analysts: web pages, HTTP and the PostgreSQL protocol.

    Add accounts first: hedgerow account add clinic.toml ana --role analyst

    Example: hedgerow serve clinic.toml
    """
    require_serve_packages()
    from hedgerow.service.departures import Departures, TimingPromise
    from hedgerow.service.operations.settings_file import read_settings_file
    from hedgerow.service.operations.structured_log import start_log
    from hedgerow.service.query_service import QueryService
    from hedgerow.service.server import check_port, run_server
    from hedgerow.service.settings import RequestLimits, ServiceSettings

    if not 1 <= engines <= 64:
        raise InvalidArgument("engines", "must be 1 to 64", engines)
    promise = TimingPromise.none if untimed else TimingPromise.fixed
    departures, limits = Departures(promise, answer_seconds), RequestLimits(engines=engines)
    settings = ServiceSettings(policy, host, port, pg_port, tls_cert, tls_key, departures, limits)
    if settings_file is not None:
        settings = read_settings_file(settings_file, settings)
    check_port(host, port, "port")
    check_port(host, pg_port, "pg-port")
    start_log()
    service = QueryService(settings)
    try:
        run_server(service, settings, lambda: _announce(service, as_json))
    finally:
        service.close()
    return 0


def _announce(service: QueryService, as_json: bool) -> None:
    """Print the addresses, and how to add an account if there is none."""
    settings = service.settings
    scheme = "https" if settings.has_tls else "http"
    if as_json:
        print_json(
            {
                "database": service.name,
                "http": f"{scheme}://{settings.host}:{settings.port}",
                "postgresql": f"{settings.host}:{settings.pg_port}",
                "answers_leave": settings.departures.describe(),
                "schedule": service.schedule.describe(),
            }
        )
        sys.stdout.flush()
        return
    print_lines(
        [
            f"Hedgerow serves {service.name}. Press Ctrl-C to stop.",
            f"  pages and HTTP       {scheme}://{settings.host}:{settings.port}",
            f"  PostgreSQL protocol  {settings.host}:{settings.pg_port}, database {service.name}",
            f"  answers leave        {settings.departures.describe()}",
            *(f"    {line}" for line in service.schedule.describe()),
        ]
    )
    if not service.accounts.list_accounts():
        print_lines(
            [
                "There are no accounts yet. In another terminal:",
                f"  hedgerow account add {settings.policy} NAME --role custodian",
            ]
        )


def require_serve_packages() -> None:
    """Refuse if the packages of the extra ``serve`` are missing."""
    if any(importlib.util.find_spec(name) is None for name in ("starlette", "uvicorn", "jinja2")):
        raise InvalidArgument("serve", "needs more packages: pip install 'hedgerow[serve]'")
