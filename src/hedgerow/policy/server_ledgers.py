"""A ledger in a database server: the address in ``ledger``, and where its anchor stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from hedgerow.ledger.location import ServerLocation
from hedgerow.policy.mistake import Mistake
from hedgerow.policy.server_sources import check_address, identify_database, is_postgresql

__all__ = ["check_ledger", "locate_ledger"]

_SCHEMA: Final = "hedgerow"


def check_ledger(ledger: str) -> Iterator[Mistake]:
    """Check the ledger: a file, or the address of a server, which holds no password."""
    if is_postgresql(ledger):
        yield from check_address("ledger", ledger, "schema")
    elif "://" in ledger:
        yield Mistake(
            ("database", "ledger"), "ledger must be a file or an address 'postgresql://…'"
        )


def locate_ledger(ledger: str, folder: Path) -> Path | ServerLocation:
    """Return the place of a ledger; ``folder`` is that of the policy, where the anchor of a ledger
    in a server stands.
    """
    if not is_postgresql(ledger):
        return folder / ledger
    options = dict(parse_qsl(urlsplit(ledger).query))
    schema = options.pop("schema", _SCHEMA)
    service = options.get("service")
    database = f"service:{service}" if service else identify_database(ledger)
    name = f"{database} {schema}"
    # One file name for one ledger, so that a move to another server gets another anchor.
    stem = re.sub(r"[^\w.]+", "-", name.removeprefix("postgresql://"))
    address = ledger.partition("?")[0] + (f"?{urlencode(options)}" if options else "")
    return ServerLocation(address, schema, name, folder / f"{stem}.ledger")
