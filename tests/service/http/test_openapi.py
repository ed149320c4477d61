from __future__ import annotations

from hedgerow.service.http.application import list_routes
from hedgerow.service.http.openapi import build_openapi
from hedgerow.service.http.routes import Access
from hedgerow.service.metrics import Metrics
from service.helpers_service import COUNT, RunningService


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
