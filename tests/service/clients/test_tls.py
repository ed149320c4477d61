"""Clients through TLS, with the certificate checked; without TLS they are told what to do."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pg8000.native
import psycopg
import pytest

from service.clients.helpers_clients import get_address
from service.helpers_service import RunningService, make_service, write_certificate


@pytest.fixture(autouse=True)
def _nothing_is_charged() -> None:
    """Replace the fixture of the other tests here: no question is asked."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def secured(
    certificate: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    files = {"certificate": certificate[0], "key": certificate[1]}
    server = RunningService(make_service(tmp_path_factory.mktemp("clinic"), more=files))
    yield server
    server.stop()


def locate(secured: RunningService) -> dict[str, Any]:
    return get_address(secured) | {"host": "localhost"}


@pytest.mark.parametrize("version", ["3.0", "3.2"])
def test_libpq_checks_the_certificate(
    secured: RunningService, certificate: tuple[Path, Path], version: str
) -> None:
    options: dict[str, Any] = {"sslmode": "verify-full", "sslrootcert": str(certificate[0])}
    with psycopg.connect(
        **locate(secured), **options, max_protocol_version=version, channel_binding="prefer"
    ) as connection:
        assert connection.pgconn.ssl_in_use
        assert connection.execute("SELECT 1").fetchone() == (1,)
        connection.cancel_safe(timeout=20)


def test_other_drivers_start_tls_too(
    secured: RunningService, certificate: tuple[Path, Path]
) -> None:
    address = locate(secured)
    address["database"] = address.pop("dbname")
    trusted = ssl.create_default_context(cafile=certificate[0])

    async def fetch() -> Any:
        connection = await asyncpg.connect(**address, ssl=trusted)
        try:
            return await connection.fetchval("SELECT 1")
        finally:
            await connection.close()

    assert asyncio.run(fetch()) == 1
    connection = pg8000.native.Connection(**address, ssl_context=trusted)
    assert connection.run("SELECT 1") == [[1]]
    connection.close()


def test_a_plain_connection_learns_that_tls_is_required(secured: RunningService) -> None:
    with pytest.raises(psycopg.OperationalError, match="TLS is required"):
        psycopg.connect(**locate(secured), sslmode="disable")
