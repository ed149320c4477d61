"""Who may call what, over every route, role and method; and what every response has."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hedgerow.service.accounts.records import Role
from hedgerow.service.http.application import build_metrics_application, list_routes
from hedgerow.service.http.routes import Access
from hedgerow.service.metrics import Metrics
from service.helpers_service import COUNT, RunningService

NAMES = {Role.custodian: "carl", Role.auditor: "aude", Role.analyst: "ana"}
ASKING = {"/api/v1/query", "/api/v1/explain", "/explain", "/preview", "/download"}
ENDS_OR_BEGINS_SESSIONS = {"/logout", "/login"}
# Of each access, the roles that may pass.
MAY = {
    Access.public: {*Role, None},
    Access.token: set(Role),
    Access.overview_token: {Role.custodian, Role.auditor},
    Access.session: set(Role),
    Access.overview_session: {Role.custodian, Role.auditor},
    Access.custodian_session: {Role.custodian},
}


@pytest.mark.parametrize("role", [*Role, None])
def test_a_role_passes_where_it_may_and_nowhere_else(
    running: RunningService, role: Role | None
) -> None:
    service = running.service
    cookie = None if role is None else service.accounts.open_session(NAMES[role])
    form_secret = ""
    if cookie is not None:
        login = service.accounts.find_login(cookie)
        assert login is not None
        form_secret = login[1].form_secret
    wrong = []
    for route in list_routes(service, Metrics()):
        if route.path in ENDS_OR_BEGINS_SESSIONS:
            continue
        key = route.method, route.path
        is_page = "session" in route.access.value
        is_post = route.method == "POST"
        answer = running.request(
            route.method,
            route.path,
            who=NAMES[role] if role is not None and not is_page else None,
            cookie=cookie if is_page else None,
            form={"form_secret": form_secret, "sql": COUNT} if is_page and is_post else None,
            body={"sql": COUNT} if is_post and not is_page else None,
            headers={"X-Form-Secret": form_secret},
        )
        refused = answer.status in (401, 403) or answer.headers.get("location") == "/login"
        may = role in MAY[route.access] and not (
            role is Role.auditor and (route.path in ASKING or key == ("POST", "/ask"))
        )
        # A custodian's own password is missing, which is a refusal of its own.
        if may and "not your password" in answer.text:
            refused = False
        if route.path == "/preview" and answer.status == 422:
            continue  # its body is JSON: see the test of the page
        if refused == may:
            wrong.append((route.method, route.path, answer.status))
    if role is not None:  # the passwords that were missing would slow down other tests
        confirming = f"{NAMES[role]} confirms"
        service.accounts.forgive_try(confirming, confirming)
    assert wrong == []


def test_a_path_takes_no_other_method_from_anybody(running: RunningService) -> None:
    methods: dict[str, set[str]] = {}
    for route in list_routes(running.service, Metrics()):
        methods.setdefault(route.path, set()).add(route.method)
    cookie = running.service.accounts.open_session("carl")
    wrong = []
    for path, known in methods.items():
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - known:
            answer = running.request(method, path, who="carl", cookie=cookie)
            if answer.status != 405:
                wrong.append((method, path, answer.status))
    assert wrong == []


def test_the_port_for_counters_is_for_this_machine_by_its_own_names(
    running: RunningService,
) -> None:
    application = build_metrics_application(running.service, Metrics())

    def get(host: str) -> tuple[int, bytes]:
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/metrics", "query_string": b""}
        headers = {"headers": [(b"host", host.encode())], "client": ("127.0.0.1", 1)}
        asyncio.run(application({**scope, **headers}, receive, send))
        return sent[0]["status"], sent[1]["body"]

    assert b"hedgerow_budget" in get("127.0.0.1:9100")[1]
    for host in ("evil.example", "evil.example:9100", "127.0.0.1.evil.example"):
        assert get(host)[0] == 421


def test_a_token_cannot_administer(running: RunningService) -> None:
    for path in ("/accounts", "/policy/accept", "/accounts/disable"):
        answer = running.request("POST", path, who="carl", form={"name": "x"})
        assert (answer.status, answer.headers["location"]) == (303, "/login")


@pytest.mark.parametrize(
    "path", ["/healthz", "/login", "/static/hedgerow.css", "/nowhere", "/api/v1/query"]
)
def test_every_response_has_the_security_headers(running: RunningService, path: str) -> None:
    headers = {name.lower(): value for name, value in running.request("GET", path).headers.items()}
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert "server" not in headers


@pytest.mark.parametrize(
    "path", ["/static/../guards.py", "/static/%2e%2e/guards.py", "/static/..%2fguards.py"]
)
def test_static_files_stay_in_their_folder(running: RunningService, path: str) -> None:
    answer = running.request("GET", path)
    assert answer.status in (404, 405)
    assert b"import" not in answer.body


def test_an_unexpected_error_shows_nothing_of_itself(
    running: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a cell value")

    monkeypatch.setattr(running.service, "read_budgets", fail)
    monkeypatch.setattr(running.service, "ask", fail)
    answer = running.ask("ana", COUNT)
    assert answer.status == 500
    assert "cell" not in answer.text
    assert answer.document["title"] == "Internal error"


def test_unknown_paths_and_methods_are_problems(running: RunningService) -> None:
    assert running.request("GET", "/nowhere").document["status"] == 404
    answer = running.request("DELETE", "/api/v1/query")
    assert answer.document["status"] == 405
    assert answer.headers["content-type"] == "application/problem+json"
