"""Logins over real HTTP: by password, at a provider, and through a proxy."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from hedgerow.service.accounts.login_settings import OpenIdSettings, ProxySettings
from hedgerow.service.http.login_pages import LoginPages
from service.helpers_openid import SECRET, Provider
from service.helpers_service import PASSWORD, HttpAnswer, RunningService, make_service

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    running = Provider()
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def open_to(
    provider: Provider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service with a provider, without passwords."""
    more = {
        "openid": OpenIdSettings(provider.issuer, "hedgerow", SECRET),
        "password_login": False,
    }
    server = RunningService(make_service(tmp_path_factory.mktemp("openid"), more=more))
    yield server
    server.stop()


class Person:
    """A browser that logs in at the provider."""

    def __init__(self, running: RunningService, provider: Provider) -> None:
        self.running, self.provider = running, provider

    def start(self, query: str = "") -> tuple[str, str]:
        """Return the path to come back to, and the cookie of the login under way."""
        answer = self.running.request("GET", f"/login/openid{query}")
        assert answer.status == 303
        self.cookie_text = answer.headers["set-cookie"]
        held = self.cookie_text.split("=", 1)[1].split(";")[0]
        return self.provider.authorize(answer.headers["location"]), held

    def finish(self, path: str, held: str) -> HttpAnswer:
        return self.running.request(
            "GET", path, headers={"Cookie": f"hedgerow_session_login={held}"}
        )


def find_session_cookie(answer: HttpAnswer) -> str | None:
    found = re.search(r"hedgerow_session=([\w-]+);", answer.all_cookies)
    return None if found is None else found[1]


def test_a_person_logs_in_at_the_provider(open_to: RunningService, provider: Provider) -> None:
    assert "organisation" in open_to.request("GET", "/login").text
    assert "password" not in open_to.request("GET", "/login").text
    person = Person(open_to, provider)
    path, held = person.start()
    assert "HttpOnly" in person.cookie_text
    assert "SameSite=lax" in person.cookie_text
    answer = person.finish(path, held)
    assert answer.status == 200
    cookie = find_session_cookie(answer)
    assert cookie is not None
    assert "ana" in open_to.request("GET", "/ask", cookie=cookie).text
    assert "SameSite=strict" in answer.all_cookies
    # The same answer of the provider works once.
    again = person.finish(path, held)
    assert again.status == 401
    assert find_session_cookie(again) is None
    assert "used already" in again.text


def test_a_login_belongs_to_the_browser_that_started_it(
    open_to: RunningService, provider: Provider
) -> None:
    """Nobody logs somebody else in as themselves, or takes over what another browser started."""
    person = Person(open_to, provider)
    path, held = person.start()
    other_path, other_held = person.start()
    for wrong_path, wrong_held in (
        (path, other_held),
        (other_path, held),
        (path, ""),
        (path.partition("&state=")[0], held),
        (re.sub("state=.*", "state=", path), ""),
    ):
        answer = person.finish(wrong_path, wrong_held)
        assert answer.status == 401
        assert find_session_cookie(answer) is None
    assert person.finish(path, held).status == 200


def test_a_login_makes_no_account(open_to: RunningService, provider: Provider) -> None:
    person = Person(open_to, provider)
    open_to.service.accounts.set_disabled("ben", True, "test")
    for name in ("stranger", "ben", "../carl", "<b>", "Ana", "ana\0", "аna"):
        provider.claims = {"preferred_username": name}
        answer = person.finish(*person.start())
        assert answer.status == 403, name
        assert find_session_cookie(answer) is None
        assert "<b>" not in answer.text
    provider.claims = {"preferred_username": "ana"}
    open_to.service.accounts.set_disabled("ben", False, "test")
    assert "stranger" not in {one.name for one in open_to.service.accounts.list_accounts()}


def test_passwords_may_be_switched_off(open_to: RunningService) -> None:
    open_to.service.accounts.set_password("ana", PASSWORD, "test")
    answer = open_to.request("POST", "/login", form={"name": "ana", "password": PASSWORD})
    assert (answer.status, answer.document["title"]) == (403, "Not allowed")


def test_acts_that_loosen_need_a_fresh_login(open_to: RunningService, provider: Provider) -> None:
    provider.claims = {"preferred_username": "carl"}
    person = Person(open_to, provider)

    def add_account(cookie: str | None, name: str) -> HttpAnswer:
        assert cookie is not None
        login = open_to.service.accounts.find_login(cookie)
        assert login is not None
        form = {"name": name, "role": "analyst", "new_password": PASSWORD}
        form["form_secret"] = login[1].form_secret
        return open_to.request("POST", "/accounts", cookie=cookie, form=form)

    silent = find_session_cookie(person.finish(*person.start()))
    for path in ("/accounts", "/tokens"):  # a password would be asked for in vain
        text = open_to.request("GET", path, cookie=silent).text
        assert 'href="/login/openid?confirm=1"' in text
        assert "Your own password" not in text
    answer = add_account(silent, "zoe")
    assert answer.status == 403
    assert "/login/openid?confirm=1" in answer.text
    fresh = find_session_cookie(person.finish(*person.start("?confirm=1")))
    assert add_account(fresh, "zoe").status == 303
    assert open_to.service.accounts.find_account("zoe") is not None
    provider.claims = {"preferred_username": "ana"}


@pytest.mark.parametrize(
    "query", ["?next=https://evil.example", "?next=//evil.example", "?return_to=\\evil.example"]
)
def test_a_login_leads_to_this_site_alone(running: RunningService, query: str) -> None:
    running.service.accounts.set_password("ana", PASSWORD, "test")
    answer = running.request("POST", f"/login{query}", form={"name": "ana", "password": PASSWORD})
    assert (answer.status, answer.headers["location"]) == (303, "/")
    found = find_session_cookie(answer)
    assert running.request("GET", f"/login{query}", cookie=found).headers["location"] == "/"
    assert running.request("GET", f"//evil.example/{query}").status == 404


def test_a_login_ends_the_session_that_the_browser_had(running: RunningService) -> None:
    running.service.accounts.set_password("ana", PASSWORD, "test")
    old = running.service.accounts.open_session("eve")
    form = {"name": "ana", "password": PASSWORD}
    fresh = find_session_cookie(running.request("POST", "/login", cookie=old, form=form))
    assert fresh not in (None, old)
    assert running.request("GET", "/ask", cookie=old).headers["location"] == "/login"
    assert running.request("GET", "/ask", cookie=fresh).status == 200


def test_wrong_passwords_in_acts_are_slowed_down_too(running: RunningService) -> None:
    """Whoever finds an open browser cannot try passwords at full speed."""
    cookie = running.service.accounts.open_session("carl")
    login = running.service.accounts.find_login(cookie)
    assert login is not None
    form = {"form_secret": login[1].form_secret, "name": "x", "role": "analyst", "password": "no"}
    forgive = running.service.accounts.forgive_try
    forgive("carl confirms", "carl confirms")
    answers = [
        running.request("POST", "/accounts", cookie=cookie, form=form).status for _ in range(6)
    ]
    forgive("carl confirms", "carl confirms")
    assert answers[:3] == [403] * 3
    assert 429 in answers


def test_a_crowd_at_the_login_is_turned_away_and_holds_nobody_up(
    running: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgerow.service.http.login_pages._MOST_WAITING", 1)
    form = {"name": "nobody", "password": "wrong"}
    with ThreadPoolExecutor(12) as pool:
        sent = [pool.submit(running.request, "POST", "/login", form=form) for _ in range(12)]
        assert running.request("GET", "/api/v1/tables", who="ana").status == 200
        statuses = {one.result().status for one in sent}
    running.service.accounts.forgive_try("nobody", "127.0.0.1")
    assert 429 in statuses
    assert statuses <= {401, 429}


# Through a proxy


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    more = {"proxy": ProxySettings(LOOPBACK, "X-Remote-User")}
    server = RunningService(make_service(tmp_path_factory.mktemp("proxied"), more=more))
    yield server
    server.stop()


def test_the_proxy_names_who_has_logged_in(proxied: RunningService) -> None:
    named = {"X-Remote-User": "ana"}
    answer = proxied.request("GET", "/login", headers=named)
    cookie = find_session_cookie(answer)
    assert cookie is not None
    assert proxied.request("GET", "/ask", cookie=cookie, headers=named).status == 200
    # Their accounts may have no password, so none is asked for where others must show theirs.
    assert (
        "Your own password"
        not in proxied.request("GET", "/tokens", cookie=cookie, headers=named).text
    )
    # The session holds while the proxy names the same person.
    for headers in ({}, {"X-Remote-User": "carl"}, {"X-Remote-User": ""}):
        answer = proxied.request("GET", "/ask", cookie=cookie, headers=headers)
        assert answer.headers["location"] == "/login"
    refused = proxied.request("GET", "/login", headers={"X-Remote-User": "stranger"})
    assert refused.status == 403
    assert find_session_cookie(refused) is None


def test_the_header_of_anybody_else_is_refused(
    running: RunningService, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = ProxySettings((ipaddress.ip_network("10.7.0.0/16"),), "X-Remote-User")
    service = make_service(tmp_path_factory.mktemp("elsewhere"), more={"proxy": elsewhere})
    server = RunningService(service)
    for path in ("/login", "/", "/api/v1/budget"):
        answer = server.request("GET", path, headers={"X-Remote-User": "carl"})
        assert answer.status == 403
        assert find_session_cookie(answer) is None
        forged = {"X-Remote-User": "carl", "X-Forwarded-For": "10.7.0.1"}
        assert server.request("GET", path, headers=forged).status == 403
    assert server.request("GET", "/login").status == 200
    server.stop()
    # Where no header is trusted it means nothing.
    answer = running.request("GET", "/login", headers={"X-Remote-User": "carl"})
    assert find_session_cookie(answer) is None


def test_a_header_twice_is_refused(proxied: RunningService) -> None:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", proxied.port, timeout=30)
    connection.putrequest("GET", "/login")
    for name in ("ana", "carl"):
        connection.putheader("X-Remote-User", name)
    connection.endheaders()
    assert connection.getresponse().status == 403
    connection.close()


def test_routes_of_the_provider_exist_only_with_one(
    running: RunningService, open_to: RunningService
) -> None:
    plain = {route.path for route in LoginPages(running.service).routes}
    more = {route.path for route in LoginPages(open_to.service).routes}
    assert more - plain == {"/login/openid", "/login/openid/callback"}
    assert running.request("GET", "/login/openid").status == 404
