from __future__ import annotations

from hedgerow.service.http.application import list_routes
from hedgerow.service.http.routes import Access
from hedgerow.service.metrics import Metrics
from service.helpers_service import RunningService


def test_every_route_says_who_may_call_it_and_no_two_are_the_same(
    running: RunningService,
) -> None:
    routes = list_routes(running.service, Metrics())
    assert len({(route.method, route.path) for route in routes}) == len(routes)
    # Whoever adds a public route must add it here too.
    assert {(route.method, route.path) for route in routes if route.access is Access.public} == {
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/openapi.json"),
        ("GET", "/login"),
        ("POST", "/login"),
    }
    described = {route.path for route in routes if route.operation}
    assert {path for path in described if not path.startswith("/api/v1/")} == {
        *("/healthz", "/readyz", "/openapi.json", "/metrics")
    }
