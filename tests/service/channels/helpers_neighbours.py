"""Two services that differ in one person's rows, which raise errors in plain engines, and all that
an analyst sees of them over both protocols, noisy numbers aside."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pyarrow.parquet as pq

from database.attacks.raising import CALM, POISON, QUIET, RAISING, table
from hedgerow.service.accounts.records import Role
from hedgerow.service.departures import Departures, TimingPromise
from hedgerow.service.query_service import QueryService
from hedgerow.service.server import find_free_port
from hedgerow.service.settings import RequestLimits, ServiceSettings
from service.helpers_service import RunningService

EXPRESSIONS = (*RAISING, *QUIET)
FORMS = (
    "SELECT COUNT({}) AS n FROM data",
    "SELECT COUNT(*) AS n FROM data WHERE ({}) IS NOT NULL",
    "SELECT SUM({}) AS s, AVG({}) AS m FROM data",
    "SELECT b, SUM(i) AS s FROM data WHERE ({}) > 1 GROUP BY b",
    "SELECT ({}) AS x, COUNT(*) AS n FROM data GROUP BY x",
)
# Every expression, in one form after the other: as many statements as the forms times as many.
STATEMENTS = tuple(
    form.replace("{}", expression)
    for turn in range(len(FORMS))
    for expression, form in zip(
        EXPRESSIONS, itertools.islice(itertools.cycle(FORMS), turn, None), strict=False
    )
)
_POLICY = """\
[database]
name = "pair"

[budget]
epsilon = 10000
delta = 0.01
default_epsilon = 0.001
default_delta = 1e-12

[tables.data]
source = "data.parquet"
unit = "id"
neighbours = "add-remove"
population = "people"
max_units = 9
max_groups = 3
max_rows_per_group = 1
[tables.data.columns]
id = { type = "integer" }
i = { type = "integer", min = -10, max = 10 }
k = { type = "integer", min = 0, max = 100 }
r = { type = "real", min = -8, max = 8, step = 0.5 }
t = { type = "text" }
d = { type = "date" }
b = { values = [true, false] }
"""
_NUMBER = re.compile(r"-?\b\d[\d,]*(\.\d+)?([eE][+-]?\d+)?")


@dataclass
class Side:
    """One of the two services, and an analyst's connection to it."""

    running: RunningService
    connection: psycopg.Connection[Any]
    notices: list[str] = field(default_factory=list)

    def observe_http(self, sql: str, epsilon: str) -> tuple[object, ...]:
        """Ask over HTTP, and return what is seen."""
        answer = self.running.ask("ana", sql, epsilon=epsilon)
        headers = {name: value for name, value in answer.headers.items() if name != "date"}
        assert int(headers.pop("content-length")) == len(answer.body)
        if answer.status != 200:
            return answer.status, headers, answer.text
        document = answer.document
        size = len(answer.body)
        if "cost" in document:  # an exact answer has none
            # What noise decided; the rest must have the same size and the same content.
            released = {name: document.pop(name) for name in ("rows", "intervals", "types")}
            receipt = document.pop("receipt")
            size -= sum(len(json.dumps(part)) for part in (*released.values(), receipt))
            document["receipt"] = [receipt["epsilon"], receipt["reused"], list(receipt)]
            document["types"] = list(released["types"])
            document["rows"] = None if is_open(sql) else len(released["rows"])
        return 200, headers, size, mask_numbers(json.dumps(document))

    def observe_wire(self, sql: str, epsilon: str) -> tuple[object, ...]:
        """Ask over the PostgreSQL protocol, and return what is seen."""
        self.notices.clear()
        self.connection.execute(f"SET hedgerow.epsilon = {epsilon}")
        try:
            cursor = self.connection.execute(sql)
        except psycopg.Error as error:
            diag = error.diag
            return error.sqlstate, diag.message_primary, diag.message_detail, diag.message_hint
        rows = cursor.fetchall()
        columns = [(one.name, one.type_code) for one in cursor.description or ()]
        count = None if is_open(sql) else len(rows)
        return columns, count, [mask_numbers(notice) for notice in self.notices]

    def list_entries(self) -> list[tuple[str, object]]:
        """Return what the ledger says of all questions, without answers."""
        entries = self.running.service._database.ledger.entries()
        return [
            (entry.kind, entry.body if entry.kind == "charge" else None)
            for entry in entries
            if entry.kind in ("charge", "answer", "failure")
        ]


def is_open(sql: str) -> bool:
    """Return whether noise decides which groups are shown."""
    return "GROUP BY x" in sql


def mask_numbers(text: str) -> str:
    """Replace all numbers."""
    return _NUMBER.sub("#", text)


@contextmanager
def serve_pair(folder: Path) -> Iterator[tuple[Side, Side]]:
    """Serve the data without the person, and with them."""
    with _serve(folder / "calm", CALM) as calm, _serve(folder / "poisoned", CALM + POISON) as other:
        yield calm, other


@contextmanager
def _serve(folder: Path, rows: tuple[tuple[Any, ...], ...]) -> Iterator[Side]:
    folder.mkdir()
    pq.write_table(table(rows), folder / "data.parquet")
    (folder / "pair.toml").write_text(_POLICY)
    port = find_free_port("127.0.0.1", 12_000 + hash(folder.name) % 100 * 20)
    settings = ServiceSettings(
        folder / "pair.toml",
        port=port,
        pg_port=find_free_port("127.0.0.1", port + 1),
        departures=Departures(TimingPromise.none, run_seconds=20.0),
        limits=RequestLimits(engines=1, requests_per_minute=100_000),
    )
    service = QueryService(settings)
    service.accounts.add_account("ana", Role.analyst, None, "test")
    running = RunningService(service)
    try:
        with psycopg.connect(
            host="127.0.0.1",
            port=running.pg_port,
            user="ana",
            password=running.tokens["ana"],
            dbname="pair",
            autocommit=True,
        ) as connection:
            side = Side(running, connection)
            connection.add_notice_handler(
                lambda notice: side.notices.append(notice.message_primary or "")
            )
            yield side
    finally:
        running.stop()


def find_differences(pair: tuple[Side, Side], sql: str) -> list[object]:
    """Ask both sides the same over both protocols, each time anew; return what differs."""
    found: list[object] = []
    for observe, epsilon in ((Side.observe_http, "0.001"), (Side.observe_wire, "0.002")):
        seen = [observe(side, sql, epsilon) for side in pair]
        if seen[0] != seen[1]:
            found.append((sql, *seen))
    return found
