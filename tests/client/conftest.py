"""One running service and a client of it for all tests of a process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hedgerow.client.remote_database import RemoteDatabase, remote
from service.helpers_service import RunningService, make_service


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    server = RunningService(make_service(tmp_path_factory.mktemp("clinic")))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def ana(running: RunningService) -> Iterator[RemoteDatabase]:
    url = f"http://127.0.0.1:{running.port}"
    with remote(url, token=running.tokens["ana"], timeout=60) as db:
        yield db
