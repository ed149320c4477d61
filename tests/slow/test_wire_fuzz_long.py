"""The PostgreSQL protocol under a hundred thousand mutated messages, half of them at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.clients.helpers_clients import free_of_charge
from service.helpers_service import RunningService, make_service
from service.wire.helpers_wire_fuzz import fuzz_logins, fuzz_sessions

pytestmark = pytest.mark.slow


def test_a_hundred_thousand_mutated_messages_lose_no_process(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    running = RunningService(
        make_service(tmp_path_factory.mktemp("fuzz"), requests_per_minute=10**9)
    )
    with free_of_charge(running), ThreadPoolExecutor(4) as pool:
        logins = pool.submit(fuzz_logins, running, 10_000, 1)
        found = list(pool.map(lambda seed: fuzz_sessions(running, 22_500, seed), range(4)))
        logins.result()
    for seen in found:
        assert seen["08P01"] > 2000
        assert seen["XX000"] == 0
    assert running.request("GET", "/readyz").status == 200
    running.stop()
