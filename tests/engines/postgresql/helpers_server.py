"""A real PostgreSQL server for the tests, with a folder and a port of its own."""

from __future__ import annotations

import atexit
import functools
import itertools
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

PACKAGED = Path("/usr/lib/postgresql")
ROLE = "reader"
SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "200",
    "shared_buffers": "64MB",
}
_DATABASES = itertools.count()


class Server:
    """A running server; tests connect as its owner to make tables, and as a reader to read."""

    def __init__(self, binaries: Path, **settings: str) -> None:
        self.binaries = binaries
        self.folder = Path(tempfile.mkdtemp(prefix="hedgerow-pg-"))
        self.folder.chmod(0o755)
        self.data, self.port = self.folder / "data", _find_port()
        self._as_owner = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if self._as_owner:
            shutil.chown(self.folder, "postgres")
        self.call(
            "initdb",
            "--no-sync",
            "--auth=trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "-D",
            str(self.data),
        )
        lines = [f"{name} = '{value}'" for name, value in {**SETTINGS, **settings}.items()]
        lines += [
            f"port = {self.port}",
            "listen_addresses = '127.0.0.1'",
            f"unix_socket_directories = '{self.folder}'",
        ]
        with (self.data / "postgresql.conf").open("a") as file:
            file.write("\n".join(lines) + "\n")
        self.start()
        with self.connect() as owner:
            owner.execute(f"CREATE ROLE {ROLE} LOGIN")

    def start(self) -> None:
        self.call("pg_ctl", "-D", str(self.data), "-w", "-l", str(self.folder / "log"), "start")

    def stop(self, mode: str = "immediate") -> None:
        self.call("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "stop")

    def call(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [*self._as_owner, str(self.binaries / program), *arguments],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd="/",
        )

    def remove(self) -> None:
        try:
            self.stop()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, database: str = "postgres", role: str = ROLE) -> str:
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def connect(self, database: str = "postgres") -> psycopg.Connection[Any]:
        return psycopg.connect(self.address(database, "postgres"), autocommit=True)

    @contextmanager
    def new_database(self) -> Iterator[str]:
        """A fresh database of this server, by name."""
        name = f"d{os.getpid()}_{next(_DATABASES)}"
        with self.connect() as owner:
            owner.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
        try:
            yield name
        finally:
            with self.connect() as owner:
                owner.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _find_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@functools.cache
def find_binaries() -> Path | None:
    """Debian's newest server."""
    found = sorted(PACKAGED.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


@functools.cache
def get_server() -> Server:
    """The one server of this process."""
    binaries = find_binaries()
    if binaries is None:
        message = "needs a PostgreSQL server: apt-get install postgresql"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    server = Server(binaries)
    atexit.register(server.remove)
    return server


def make_table(
    owner: psycopg.Connection[Any],
    name: str,
    types: Mapping[str, str],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """A table of plain rows, which the reader may read."""
    quoted = {column: '"' + column.replace('"', '""') + '"' for column in types}
    listed = ", ".join(f"{quoted[column]} {type_}" for column, type_ in types.items())
    owner.execute(f'DROP TABLE IF EXISTS "{name}"')
    owner.execute(f'CREATE TABLE "{name}" ({listed})')
    with owner.cursor() as cursor, cursor.copy(f'COPY "{name}" FROM STDIN') as copy:
        for row in rows:
            copy.write_row([row[column] for column in types])
    owner.execute(f'GRANT SELECT ON "{name}" TO {ROLE}')
