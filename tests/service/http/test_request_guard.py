from __future__ import annotations

import http.client
from collections.abc import Iterator

import pytest

from hedgerow.service.accounts.login_settings import ProxySettings, check_public_url
from service.helpers_service import COUNT, RunningService, make_service


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service behind a proxy with TLS."""
    more = {"public_url": check_public_url("https://Data.example/"), "proxy": ProxySettings()}
    server = RunningService(make_service(tmp_path_factory.mktemp("public"), more=more))
    yield server
    server.stop()


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("localhost:8800", True),
        ("127.0.0.1", True),
        ("[::1]:9", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("localhost@evil.example", False),
        ("data.example", False),
        ("", False),
        ("a b", False),
    ],
)
def test_another_host_name_is_refused(running: RunningService, host: str, is_own: bool) -> None:
    """A page of another site may give its own name the address of this service."""
    for path in ("/login", "/api/v1/budget", "/static/icon.svg"):
        answer = running.request("GET", path, who="ana", headers={"Host": host})
        assert (answer.status != 421) == is_own
    assert running.request("GET", "/healthz", headers={"Host": host}).status == 200


def test_the_public_name_is_its_own_too(public: RunningService) -> None:
    for host, status in (("data.example", 200), ("DATA.example", 200), ("evil.example", 421)):
        assert public.request("GET", "/login", headers={"Host": host}).status == status


def test_a_browser_behind_tls_stays_with_tls(
    running: RunningService, public: RunningService
) -> None:
    plain, private = running.request("GET", "/login"), public.request("GET", "/login")
    assert "strict-transport-security" not in plain.headers
    assert private.headers["strict-transport-security"] == "max-age=31536000"


def send(running: RunningService, *headers: tuple[str, str]) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
    connection.putrequest("GET", "/api/v1/budget")
    for name, value in headers:
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def test_two_tokens_in_one_request_are_refused(running: RunningService) -> None:
    own, other = (f"Bearer {running.tokens[name]}" for name in ("ana", "carl"))
    assert send(running, ("Authorization", own)) == 200
    assert send(running, ("Authorization", own), ("Authorization", other)) == 400
    assert send(running, ("Authorization", f"{own}, {other}")) == 401


def test_a_token_in_the_address_is_no_token(running: RunningService) -> None:
    token = running.tokens["ana"]
    for query in (f"token={token}", f"access_token={token}", f"Authorization=Bearer%20{token}"):
        assert running.request("GET", f"/api/v1/budget?{query}").status == 401


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Client-IP"])
def test_nobody_chooses_their_address(
    running: RunningService, header: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def log_in(name: str, password: str, address: str, old_cookie: str) -> str:
        seen.append(address)
        return "cookie"

    monkeypatch.setattr(running.service, "log_in", log_in)
    form = {"name": "ana", "password": "x"}
    running.request("POST", "/login", form=form, headers={header: "10.9.9.9"})
    assert seen == ["127.0.0.1"]


def test_too_many_requests_at_once_are_turned_away(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    service = make_service(tmp_path_factory.mktemp("small"), connections=0)
    server = RunningService(service)
    answer = server.ask("ana", COUNT)
    server.stop()
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    assert answer.document["status"] == 503
