"""What goes wrong around clients that spend one budget: backends are terminated, the server is
restarted. It runs with every setting that a ledger asks for.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psycopg

from engines.postgresql.helpers_server import Server, get_server
from hedgerow.ledger.chain_verification import verify
from hedgerow.ledger.location import ServerLocation
from hedgerow.ledger.postgresql.store import PostgresLedger
from ledger.filed import TESTS
from ledger.helpers_stores import TableStore
from ledger.making import policy


@functools.cache
def get_durable_server() -> Server:
    """A server of this process that syncs what it commits."""
    durable = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
    server = Server(get_server().binaries, **durable)
    atexit.register(server.remove)
    return server


def start_clients(
    place: ServerLocation, server: Server, count: int, units: int, pause: float
) -> Any:
    command = [sys.executable, str(TESTS / "ledger" / "spending.py")]
    arguments = [server.port, place.schema, place.path.parent, count, units, pause]
    return subprocess.Popen(
        [*command, *map(str, arguments)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        text=True,
    )


def terminate_backends(
    server: Server, clients: list[Any], count: int, chance: random.Random
) -> int:
    """Terminate clients' connections, one after the other, until this many have been, or the
    clients are gone; return how many were."""
    ended = 0
    while ended < count and any(client.poll() is None for client in clients):
        try:
            with server.connect() as owner:
                while ended < count:
                    pids = owner.execute(
                        "SELECT pid FROM pg_stat_activity WHERE application_name = %s",
                        ("hedgerow-ledger",),
                    ).fetchall()
                    if not pids:
                        break
                    owner.execute("SELECT pg_terminate_backend(%s)", chance.choice(pids))
                    ended += 1
                    time.sleep(0.01)
        except psycopg.OperationalError:
            pass  # the server is being restarted
        time.sleep(0.05)
    return ended


def spend_under_faults(
    folder: Path,
    *,
    processes: int,
    threads: int,
    units: int,
    terminations: int,
    restarts: int,
    pause: float = 0.0,
) -> tuple[int, list[float]]:
    """Let clients spend a budget of ``units``, and judge what they were granted by what is stored;
    return the number of connections that were terminated, and the seconds of each grant. With a
    ``pause`` before each charge, clients are there for long enough on a fast machine, too.
    """
    server = get_durable_server()
    store = TableStore(folder, server=server)
    with store.open(create=True) as ledger:
        ledger.accept_policy(**policy(max_failures=10**6))
    place = store.place
    clients = [start_clients(place, server, threads, units, pause) for _ in range(processes)]
    chance, ended = random.Random(1), 0
    for turn in range(restarts + 1):
        ended += terminate_backends(server, clients, terminations // (restarts + 1), chance)
        if turn < restarts:
            server.stop("immediate")
            server.start()
            time.sleep(0.5)
    grants = [grant for client in clients for grant in json.loads(client.communicate()[0])]
    assert [client.returncode for client in clients] == [0] * processes
    judge(place, grants, units)
    return ended, [grant[3] for grant in grants]


def judge(place: ServerLocation, grants: list[Any], units: int) -> None:
    with PostgresLedger.open(place, create=False) as ledger:
        stored = {entry.seq: entry for entry in ledger.entries() if entry.kind == "charge"}
        spent = ledger.state.budget("patients").charged.epsilon
    for seq, hash_, request, _ in grants:
        assert stored[seq].hash == hash_
        assert stored[seq].body["request"] == request
    assert len({grant[2] for grant in grants}) == len({grant[0] for grant in grants})
    assert len(grants) <= len(stored) == spent * units <= units
    # Whoever was in doubt asked again with the same key, so all that was spent was granted.
    assert len(grants) == units
    report = verify(place)
    assert report.sound, report.problem


__all__ = ["Server", "get_durable_server", "spend_under_faults"]
