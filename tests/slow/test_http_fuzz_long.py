"""The HTTP interface under many made-up requests."""

from __future__ import annotations

import pytest

from service.helpers_http_fuzz import fuzz
from service.helpers_service import RunningService, make_service

pytestmark = pytest.mark.slow


def test_thousands_of_made_up_requests_get_the_answers_that_are_documented(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    service = make_service(tmp_path_factory.mktemp("fuzz"), requests_per_minute=10**9)
    running = RunningService(service)
    print(fuzz(running, 2000))
    assert running.request("GET", "/readyz").status == 200
    running.stop()
