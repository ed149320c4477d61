"""Sources in a database server or a cluster: the address in ``engine``, and names of tables instead
of files. Those of Spark are in ``spark_sources``."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import SplitResult, parse_qsl, urlsplit

from hedgerow.errors import InvalidArgument
from hedgerow.policy.mistake import Mistake
from hedgerow.policy.spark_sources import (
    check_spark_address,
    identify_spark_source,
    is_spark,
    normalise_spark_source,
)

__all__ = [
    "check_address",
    "check_engine",
    "identify_database",
    "identify_server_table",
    "is_postgresql",
    "is_server",
    "normalise_table_name",
    "split_table_name",
]

_SCHEMES: Final = ("postgresql", "postgres")
_NAME: Final = re.compile(r'(?:("(?:[^"]|"")+"|[^".\s]+)\.)?("(?:[^"]|"")+"|[^".\s]+)')
_PLAIN: Final = re.compile(r"[a-z_][a-z0-9_$]*")
_OPTIONS: Final = frozenset(
    ["host", "hostaddr", "port", "dbname", "user", "sslmode", "sslrootcert", "sslcert", "sslkey",
     "service", "target_session_attrs"]
)  # fmt: skip


def is_postgresql(address: str) -> bool:
    """Return whether an address is that of a PostgreSQL server."""
    return urlsplit(address).scheme in _SCHEMES


def is_server(engine: str) -> bool:
    """Return whether the data stay in a database server or a cluster."""
    return is_postgresql(engine) or is_spark(engine)


def check_engine(engine: str) -> Iterator[Mistake]:
    """Check the engine: DuckDB, or the address of a server, which holds no password."""
    place = ("database", "engine")
    if engine == "duckdb":
        return
    if not is_server(engine):
        yield Mistake(
            place,
            f"engine must be 'duckdb' or an address 'postgresql://…' or 'sc://…'; got {engine!r}",
        )
        return
    if is_spark(engine):
        yield from check_spark_address(engine)
        return
    yield from check_address("engine", engine)


def check_address(key: str, text: str, *more_options: str) -> Iterator[Mistake]:
    """Check the address of a server, which holds no password and stays on this host or checks the
    server's certificate.
    """
    place = ("database", key)
    try:
        address = urlsplit(text)
        _ = address.port
        options = dict(parse_qsl(address.query, keep_blank_values=True, strict_parsing=False))
    except ValueError:
        yield Mistake(place, f"{key} must be an address such as postgresql://role@host:5432/db")
        return
    if address.password is not None or "password" in options or "passfile" in options:
        yield Mistake(
            place,
            f"{key} must not hold a password: leave it out, and give it in PGPASSWORD, in a"
            " password file (~/.pgpass) or in a service file",
        )
    for name in sorted(set(options) - _OPTIONS - {"password", "passfile", *more_options}):
        yield Mistake(place, f"{key} has an unknown option {name!r}: remove it")
    if not _is_local(address, options) and options.get("sslmode") != "verify-full":
        yield Mistake(
            place,
            f"{key} must check the server's certificate, since it is on another host: add"
            " ?sslmode=verify-full",
        )


def _is_local(address: SplitResult, options: dict[str, str]) -> bool:
    """Return whether a connection stays on this machine: a socket in a folder, or loopback."""
    hosts = [options[name] for name in ("hostaddr", "host") if name in options] or [
        address.hostname or ""
    ]
    if "service" in options:
        return False
    return all(_is_local_host(one) for host in hosts for one in host.split(","))


def _is_local_host(host: str) -> bool:
    if host in ("", "localhost") or host.startswith("/"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def split_table_name(source: str, key: str = "source") -> tuple[str, str]:
    """Split the name of a table into its schema and the table, as PostgreSQL reads names."""
    match = _NAME.fullmatch(source)
    if match is None:
        raise InvalidArgument(
            key,
            "must be the name of a table in the server: table or schema.table, in double quotes"
            " where a name contains a dot or blanks",
            source,
        )
    schema, table = match.groups(default="public")
    return _unquote(schema), _unquote(table)


def _unquote(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()


def normalise_table_name(engine: str, source: str, key: str = "source") -> str:
    """Write the name of a table in one way, so that one table has one name."""
    if is_spark(engine):
        return normalise_spark_source(source, key)
    return ".".join(
        name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'
        for name in split_table_name(source, key)
    )


def identify_server_table(engine: str, source: str) -> str:
    """Name a table of a server for the ledger, whatever the options of the address are."""
    if is_spark(engine):
        return identify_spark_source(engine, source)
    return f"{identify_database(engine)} {source}"


def identify_database(text: str) -> str:
    """Name a database of a server, whatever the options of its address are."""
    address = urlsplit(text)
    options = dict(parse_qsl(address.query))
    host = options.get("host") or address.hostname or "local"
    port = options.get("port") or address.port or 5432
    database = options.get("dbname") or address.path.lstrip("/") or address.username or ""
    return f"postgresql://{host}:{port}/{database}"
