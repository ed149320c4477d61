"""Requests that schemathesis makes up from the OpenAPI document, sent to the real service."""

from __future__ import annotations

from collections import Counter
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from service.helpers_service import RunningService

_CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
# So that some requests come far: made-up text is no SQL.
_STATEMENTS = (
    "SELECT COUNT(*) FROM visits",
    "SELECT region, COUNT(*) AS n, AVG(age) AS a FROM visits GROUP BY region",
    "SELECT MEDIAN(age) FROM visits WHERE region = 'n\0rth'",
    "SELECT * FROM hedgerow.tables",
    "EXPLAIN PRIVACY SELECT SUM(hours) FROM shifts",
    "SELECT age FROM visits",
)
_NUMBERS = ("0.1", 0.1, "1e-400", "1e999999999", 10**300, -1, "NaN", "٣", " 1", "", True, [], 1e-9)
_WAIT = 20  # seconds for an answer: beyond it the service hangs


def fuzz(running: RunningService, examples: int) -> Counter[int]:
    """Send ``examples`` requests for each operation and kind; raise if one breaks the promises of
    the document. Return how often each status was answered."""
    base = f"http://127.0.0.1:{running.port}"
    schema = schemathesis.openapi.from_url(f"{base}/openapi.json")
    statuses: Counter[int] = Counter()
    for found in schema.get_all_operations():
        operation = found.ok()
        for mode in GenerationMode.POSITIVE, GenerationMode.NEGATIVE:
            if mode is GenerationMode.NEGATIVE and operation.method == "get":
                continue  # without parameters there is nothing to spoil
            cases = operation.as_strategy(generation_mode=mode)
            count = examples if operation.method == "post" else max(1, examples // 20)

            @settings(
                max_examples=count,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            )
            @given(case=cases, data=st.data())
            def send(case: Any, data: st.DataObject) -> None:
                if isinstance(case.body, dict):
                    _make_plausible(case.body, data)
                who = data.draw(st.sampled_from(["carl", "aude", "ana", "ben"]))
                headers = {"Authorization": f"Bearer {running.tokens[who]}"}
                accept = data.draw(
                    st.sampled_from(["*/*", "text/csv", "application/json", "text/html", "a/b;q"])
                )
                answer = case.call_and_validate(
                    base_url=base,
                    headers={**headers, "Accept": accept},
                    checks=_CHECKS,
                    timeout=_WAIT,
                )
                statuses[answer.status_code] += 1

            send()
    return statuses


def _make_plausible(body: dict[str, Any], data: st.DataObject) -> None:
    """Replace some values of a body by ones that mean something."""
    if "sql" in body and data.draw(st.booleans()):
        body["sql"] = data.draw(st.sampled_from(_STATEMENTS))
    for name in ("epsilon", "delta", "error"):
        if name in body and data.draw(st.booleans()):
            body[name] = data.draw(st.sampled_from(_NUMBERS))
