"""The sample clinic behind a service on loopback: until Ctrl-C in a terminal, and without one for a
question over each protocol."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.text import Text

import hedgerow
from hedgerow.client.remote_database import remote
from hedgerow.demo.demo_accounts import ANALYST, DemoAccounts, prepare_accounts
from hedgerow.demo.layout import THEME
from hedgerow.demo.wire_question import ask_over_wire
from hedgerow.service.departures import Departures
from hedgerow.service.query_service import QueryService
from hedgerow.service.server import find_free_port, run_server, serve
from hedgerow.service.settings import ServiceSettings

__all__ = ["FIRST_QUESTION", "AskedClinic", "ask_clinic", "serve_clinic"]

FIRST_QUESTION: Final = (
    "SELECT region, COUNT(*) AS visits, AVG(cost) AS mean_cost FROM visits GROUP BY region"
)
_SECOND_QUESTION: Final = "SELECT smoker, COUNT(*) AS patients FROM patients GROUP BY smoker"
_HOST, _PORT, _PG_PORT = "127.0.0.1", 8800, 5433
# Somebody is waiting, and a question about the clinic takes a tenth of a second.
_ANSWER_SECONDS: Final = 2.0
_PURPOSES: Final = {
    ANALYST: "ask questions (analyst)",
    "carl": "watch the budget, change the policy (custodian)",
    "aude": "read policy and ledger (auditor)",
}


@dataclass(frozen=True, slots=True)
class AskedClinic:
    """The addresses of a service that has stopped, and its two answers."""

    http: str
    postgresql: str
    answer: Any  # over HTTP
    columns: list[str]  # and rows: over the PostgreSQL protocol
    rows: list[list[str]]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "http": self.http,
            "postgresql": self.postgresql,
            "answers": [
                {"over": "http", "sql": FIRST_QUESTION, **self.answer.to_dict()},
                {
                    "over": "postgresql",
                    "sql": _SECOND_QUESTION,
                    "columns": self.columns,
                    "rows": self.rows,
                },
            ],
        }

    def format_lines(self) -> list[str]:
        """Format both answers."""
        return [
            f"Over HTTP, {self.http}:",
            f"  {FIRST_QUESTION}",
            "",
            *(f"  {line}" for line in str(self.answer).splitlines()),
            "",
            f"Over the PostgreSQL protocol, {self.postgresql}:",
            f"  {_SECOND_QUESTION}",
            "",
            *(f"  {line}" for line in _align_columns([self.columns, *self.rows])),
        ]


def ask_clinic(policy: Path) -> AskedClinic:
    """Serve the clinic, ask one question over HTTP and one over the PostgreSQL protocol, stop."""
    settings = _choose_settings(policy, Departures())
    with closing(QueryService(settings)) as service:
        token = prepare_accounts(service.accounts, policy.parent).token
        return asyncio.run(_ask_and_stop(service, settings, token))


async def _ask_and_stop(
    service: QueryService, settings: ServiceSettings, token: str
) -> AskedClinic:
    started, stopping = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(serve(service, settings, started.set, stopping))
    waiting = asyncio.create_task(started.wait())
    await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
    try:
        return await asyncio.to_thread(_ask_both, service.name, settings, token)
    finally:
        stopping.set()
        await serving


def _ask_both(name: str, settings: ServiceSettings, token: str) -> AskedClinic:
    http, host, port = _format_http(settings), settings.host, settings.pg_port
    with remote(http, token=token) as database:
        answer = database.query(FIRST_QUESTION)
    columns, rows = ask_over_wire((host, port), ANALYST, token, name, _SECOND_QUESTION)
    return AskedClinic(http, f"{host}:{port}", answer, columns, rows)


def serve_clinic(policy: Path, created: bool, console: Console) -> None:
    """Serve the clinic until Ctrl-C."""
    settings = _choose_settings(policy, Departures(run_seconds=_ANSWER_SECONDS))
    with closing(QueryService(settings)) as service:
        found = prepare_accounts(service.accounts, policy.parent)
        with suppress(KeyboardInterrupt):
            run_server(
                service,
                settings,
                lambda: _announce(service, settings, found, created, console),
            )
    _print(console, "", f"Stopped. The clinic and its ledger stay in {policy.parent}.")


def _choose_settings(policy: Path, departures: Departures) -> ServiceSettings:
    return ServiceSettings(
        policy,
        _HOST,
        find_free_port(_HOST, _PORT),
        find_free_port(_HOST, _PG_PORT),
        departures=departures,
    )


def _format_http(settings: ServiceSettings) -> str:
    return f"http://{settings.host}:{settings.port}"


def _announce(
    service: QueryService,
    settings: ServiceSettings,
    found: DemoAccounts,
    created: bool,
    console: Console,
) -> None:
    """Print addresses, accounts and three things to try."""
    state = "made just now" if created else "kept from before, with what was spent"
    postgresql = f"{settings.host}:{settings.pg_port}, database {service.name}"
    command = _find_command()
    _print(
        console,
        Text.assemble(
            ("Hedgerow", "head"), f" {hedgerow.__version__} serves a sample clinic, {state}."
        ),
        "The 100,000 patients are made up; the noise and the budget are real.",
        "",
        Text.assemble("  web pages and HTTP    ", (_format_http(settings), "name")),
        Text.assemble("  PostgreSQL protocol   ", (postgresql, "name")),
        "",
        "Log in as:",
        *(
            Text.assemble("  ", (f"{name:<6}{password}", "name"), f"   {_PURPOSES[name]}")
            for name, password in found.passwords.items()
        ),
        "",
        Text("Three things to try", style="head"),
        *_list_trials(service, settings, found),
        "",
        f"Each answer leaves {settings.departures.run_seconds:g} seconds after an engine took its"
        " question,",
        "so its time tells nothing about the data.",
        Text(f"{command} demo --tour    a guided tour in the terminal", style="faint"),
        Text(f"{command} demo --reset   a new clinic with its whole budget", style="faint"),
        "",
        Text("Press Ctrl-C to stop.", style="head"),
    )


def _list_trials(
    service: QueryService, settings: ServiceSettings, found: DemoAccounts
) -> list[Text]:
    psql = (
        f"PGPASSWORD={found.token} psql -h {settings.host} -p {settings.pg_port} -U {ANALYST}"
        f" {service.name} \\\n     -c {shlex.quote(FIRST_QUESTION)}"
    )
    return [
        Text(f"  1. Log in as {ANALYST} and ask. Price and error stand below the question"),
        Text("     while you type, before you pay."),
        Text(f"     {FIRST_QUESTION}", style="name"),
        Text("  2. Ask the same from psql: the same answer, and now it is free."),
        Text(f"     {psql}", style="name"),
        Text("  3. Log in as carl and see on the overview how the budget fell. Then raise"),
        Text(f"     max_epsilon of mallory in {settings.policy}, and accept it on Policy."),
    ]


def _find_command() -> str:
    """Return how this program was called, so that a reader can type it again."""
    return sys.argv[0] if Path(sys.argv[0]).name == "hedgerow" else "hedgerow"


def _align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _print(console: Console, *lines: str | Text) -> None:
    """Print lines that only the terminal breaks, so that they can be copied."""
    with console.use_theme(THEME):
        for line in lines:
            console.print(line, soft_wrap=True, highlight=False, markup=False)
