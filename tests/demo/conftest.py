"""One running service over a small clinic for the tests of the demo."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.helpers_service import RunningService, make_service


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    server = RunningService(make_service(tmp_path_factory.mktemp("clinic")))
    yield server
    server.stop()
