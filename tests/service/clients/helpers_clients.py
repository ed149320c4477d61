"""What every client of the PostgreSQL protocol is asked to do, and where the service is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from service.helpers_service import RunningService

__all__ = [
    "BY_REGION",
    "OLDER_THAN",
    "REFUSED",
    "Address",
    "free_of_charge",
    "get_address",
    "shows",
]

Function = TypeVar("Function", bound=Callable[..., object])
Address = dict[str, Any]

BY_REGION: Final = "SELECT region, COUNT(*) AS n, AVG(age) AS mean_age FROM visits GROUP BY region"
# With the placeholder of a driver for 30 and for 'north'.
OLDER_THAN: Final = "SELECT COUNT(*) AS n FROM visits WHERE age > {} AND region = {}"
REFUSED: Final = "SELECT * FROM visits"


def shows(client: str, *columns: str) -> Callable[[Function], Function]:
    """Say which cells of the matrix in docs/serve.md a test stands for."""
    assert client
    assert columns
    return lambda test: test


def get_address(running: RunningService, who: str = "ana") -> Address:
    """Return the arguments of a connection."""
    return {
        "host": "127.0.0.1",
        "port": running.pg_port,
        "user": who,
        "password": running.tokens[who],
        "dbname": "clinic",
    }


@contextlib.contextmanager
def free_of_charge(running: RunningService) -> Iterator[None]:
    """Fail if something is charged meanwhile."""
    ledger = running.service._database.ledger
    before = len(ledger.entries())
    yield
    assert [one for one in ledger.entries()[before:] if one.kind == "charge"] == []
