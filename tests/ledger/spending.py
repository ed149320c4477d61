"""Many clients spend one budget in a PostgreSQL server, each with a connection of its own.

Run as a program: spending.py PORT SCHEMA FOLDER THREADS UNITS PAUSE. A client asks until the budget
is empty, with a pause of so many seconds before each charge; when it hears that something is wrong
with the server, it asks again with the same request key.
Prints, as JSON, each grant that a client heard of (number and hash of its entry, request key) and
the seconds that it took.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

from hedgerow.errors import BudgetExceeded, LedgerError
from hedgerow.ledger.location import ServerLocation
from hedgerow.ledger.postgresql.store import PostgresLedger
from hedgerow.privacy.loss import Loss
from ledger.helpers_stores import attach_server
from ledger.making import pay

PATIENCE = 120.0  # seconds for one charge, or something hangs


def spend(place: ServerLocation, client: int, share: Loss, pause: float, grants: list[Any]) -> None:
    ledger = PostgresLedger(place, wait=60)
    with ledger:
        number = 0
        while True:
            time.sleep(pause)
            request, began = f"{os.getpid()}-{client}-{number}", time.monotonic()
            while True:
                try:
                    entry = pay(ledger, share, request=request)
                    break
                except BudgetExceeded:
                    return
                except LedgerError:
                    if time.monotonic() - began > PATIENCE:
                        raise
            grants.append([entry.seq, entry.hash, request, time.monotonic() - began])
            number += 1


def main(port: str, schema: str, folder: str, threads: str, units: str, pause: str) -> None:
    address = attach_server(int(port)).address()
    place = ServerLocation(address, schema, f"server/{schema}", Path(folder) / f"{schema}.ledger")
    grants: list[Any] = []
    share, seconds = Loss(Fraction(1, int(units))), float(pause)
    clients = [
        threading.Thread(target=spend, args=(place, number, share, seconds, grants))
        for number in range(int(threads))
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    print(json.dumps(grants))


if __name__ == "__main__":
    main(*sys.argv[1:])
