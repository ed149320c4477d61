from __future__ import annotations

import pytest

from hedgerow.service.http.application import list_routes
from hedgerow.service.http.openapi import build_openapi
from hedgerow.service.http.routes import Access
from hedgerow.service.metrics import Metrics
from hedgerow.service.problems import PROBLEM_KINDS
from service.helpers_http_fuzz import fuzz
from service.helpers_service import COUNT, RunningService, make_service


def test_the_document_describes_every_operation_and_nothing_else(running: RunningService) -> None:
    routes = [one for one in list_routes(running.service, Metrics()) if one.operation]
    document = running.request("GET", "/openapi.json").document
    assert document == build_openapi(routes)
    described = {
        (method.upper(), path) for path, item in document["paths"].items() for method in item
    }
    assert described == {(route.method, route.path) for route in routes}
    for route in routes:
        item = document["paths"][route.path][route.method.lower()]
        assert ("security" in item) == (route.access is not Access.public)


def test_references_lead_somewhere(running: RunningService) -> None:
    document = running.request("GET", "/openapi.json").document
    text = str(document)
    for name in text.split("#/components/schemas/")[1:]:
        assert name.split("'")[0] in document["components"]["schemas"]


def test_an_answer_has_the_fields_that_are_described(running: RunningService) -> None:
    schemas = running.request("GET", "/openapi.json").document["components"]["schemas"]
    answer = running.ask("ana", COUNT).document
    assert set(schemas["Answer"]["required"]) == set(answer)
    explained = running.request("POST", "/api/v1/explain", who="ana", body={"sql": COUNT}).document
    assert set(schemas["Explanation"]["required"]) <= set(explained)
    problem = running.ask("ana", "SELECT * FROM visits").document
    assert set(schemas["Problem"]["required"]) <= set(problem)
    assert set(problem) <= set(schemas["Problem"]["properties"])


def test_every_status_that_a_question_gets_is_described(running: RunningService) -> None:
    paths = running.request("GET", "/openapi.json").document["paths"]
    asked = {int(status) for status in paths["/api/v1/query"]["post"]["responses"]}
    known = {kind.status for _, kind in PROBLEM_KINDS}
    assert asked == {200, 406, 408, 413, 421} | known
    shown = {int(status) for status in paths["/api/v1/budget"]["get"]["responses"]}
    assert shown == {200, 400, 401, 403, 421, 503}
    # What happens here happens in the tests of guards, server and interface.
    for method, path, headers, status in (
        ("GET", "/api/v1/budget", {"Host": "evil.example"}, 421),
        ("GET", "/api/v1/budget", {}, 401),
        ("GET", "/healthz", {"Content-Length": "0", "Transfer-Encoding": "chunked"}, 400),
    ):
        assert running.request(method, path, headers=headers).status == status
        assert str(status) in paths[path][method.lower()]["responses"]


@pytest.mark.long
def test_made_up_requests_get_the_answers_that_are_documented(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    service = make_service(tmp_path_factory.mktemp("fuzz"), requests_per_minute=10**9)
    running = RunningService(service)
    statuses = fuzz(running, 25)
    assert statuses.total() >= 60
    assert {200, 400, 403, 422} <= set(statuses)
    assert running.request("GET", "/readyz").status == 200
    running.stop()
