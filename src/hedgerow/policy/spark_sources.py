"""Sources in a Spark cluster: the address of its Connect server, and names of tables or paths."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from hedgerow.errors import InvalidArgument
from hedgerow.policy.mistake import Mistake

__all__ = [
    "check_spark_address",
    "identify_spark_source",
    "is_spark",
    "normalise_spark_source",
    "split_spark_source",
]

_FORMATS: Final = ("parquet", "delta", "iceberg")
_PART: Final = r"`(?:[^`]|``)+`|[^`.\s/\\\"']+"
_NAME: Final = re.compile(rf"(?:(?:({_PART})\.)?({_PART})\.)?({_PART})")
_PLAIN: Final = re.compile(r"[a-z_][a-z0-9_]*")
_PATH: Final = re.compile(r"(?:(\w+):(?!//))?(/.*|[a-z][a-z0-9+.-]*://.+)", re.DOTALL)
_DEFAULTS: Final = ("spark_catalog", "default", "")
_OPTIONS: Final = ("use_ssl", "user_id", "user_agent")
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_DEFAULT_PORT: Final = 15002


def is_spark(engine: str) -> bool:
    """Return whether an engine is a Spark Connect server."""
    return urlsplit(engine).scheme == "sc"


def check_spark_address(engine: str) -> Iterator[Mistake]:
    """Check the address of a Connect server: no token in it, and TLS unless it is on this
    machine.
    """
    place = ("database", "engine")
    try:
        address = urlsplit(engine)
        _ = address.port
        options = _read_options(address.path)
    except ValueError:
        options = None
    if options is None or not address.hostname or address.query or address.fragment:
        yield Mistake(
            place, "engine must be an address such as sc://host:15002 or sc://host/;use_ssl=true"
        )
        return
    if address.username is not None or address.password is not None or "token" in options:
        yield Mistake(
            place,
            "engine must hold no token and no password: leave it out, and give the token in"
            " SPARK_CONNECT_AUTHENTICATE_TOKEN",
        )
    for name in sorted(options):
        if name not in (*_OPTIONS, "token") and not name.startswith("x-"):
            yield Mistake(place, f"engine has an unknown option {name!r}: remove it")
    if address.hostname not in _LOOPBACK and options.get("use_ssl", "").lower() != "true":
        yield Mistake(
            place,
            "engine must use TLS, since the Connect server is on another host: add /;use_ssl=true,"
            " and put a proxy that speaks TLS in front of the server",
        )


def _read_options(path: str) -> dict[str, str] | None:
    if path in ("", "/"):
        return {}
    if not path.startswith("/;"):
        return None
    pairs = [part.partition("=") for part in path[2:].split(";") if part]
    if not all(name and sign for name, sign, _ in pairs):
        return None
    return {name: value for name, _, value in pairs}


def split_spark_source(source: str, key: str = "source") -> tuple[str, ...]:
    """Split a source into catalog, schema and table, or into the format and the path of files."""
    path = _PATH.fullmatch(re.sub(r"^file:/+", "/", source))
    if path is not None:
        format_, place = path.groups(default="parquet")
        if format_ not in _FORMATS:
            raise InvalidArgument(
                key,
                f"must have a path of {', '.join(_FORMATS)}, such as delta:/data/visits",
                source,
            )
        return format_, _normalise_path(place)
    match = _NAME.fullmatch(source)
    if match is None:
        raise InvalidArgument(
            key,
            "must be the name of a table in the cluster (table, schema.table or"
            " catalog.schema.table, in backticks where a name contains a dot or blanks), or a path"
            " that begins with / or s3://",
            source,
        )
    return tuple(
        default if part is None else _unquote(part)
        for part, default in zip(match.groups(), _DEFAULTS, strict=True)
    )


def _normalise_path(place: str) -> str:
    """Write a path in one way: no file:, no double or final slashes."""
    place = re.sub(r"^file:/+", "/", place)
    scheme, mark, rest = place.rpartition("://")
    return scheme + mark + posixpath.normpath(rest)


def _unquote(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name.lower()


def normalise_spark_source(source: str, key: str = "source") -> str:
    """Write a source in one way, so that one table has one name."""
    parts = split_spark_source(source, key)
    if len(parts) == 2:
        return ":".join(parts)
    return ".".join(
        name if _PLAIN.fullmatch(name) else "`" + name.replace("`", "``") + "`" for name in parts
    )


def identify_spark_source(engine: str, source: str) -> str:
    """Name a source for the ledger; a path to shared storage is the same in every cluster."""
    parts = split_spark_source(source)
    if len(parts) == 2 and "://" in parts[1]:
        return parts[1]
    address = urlsplit(engine)
    return f"sc://{address.hostname}:{address.port or _DEFAULT_PORT} {source}"
