"""PostgreSQL against the reference at length."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from engines.helpers_engine_answers import answer, expected
from engines.helpers_plans import plans
from engines.helpers_worlds import worlds
from engines.postgresql.helpers_server import get_server
from engines.postgresql.helpers_worlds import ServerRanks, guarded_reference, open_world
from hedgerow.errors import Unsupported


@given(data=st.data())
@settings(max_examples=300, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_thousands_of_plans_have_the_numbers_of_the_reference(data: st.DataObject) -> None:
    server = get_server()
    with server.new_database() as name, server.connect(name) as owner, guarded_reference():
        ranks: Any = ServerRanks(owner)
        world = data.draw(worlds(30))
        source = open_world(world, owner)
        try:
            for _ in range(10):
                plan = data.draw(plans(world))
                try:
                    source.prepare(plan)
                except Unsupported:
                    continue
                assert answer(source, plan) == expected(world, plan, ranks)
        finally:
            source.close()
