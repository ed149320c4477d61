from __future__ import annotations

import re

import pytest

from service.helpers_service import COUNT, PASSWORD, RunningService


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.service.accounts.passwords._COST", 2)


class Browser:
    """One session: its cookie and the secret of its forms."""

    def __init__(self, running: RunningService, name: str) -> None:
        self.running = running
        self.cookie = running.service.accounts.open_session(name)
        login = running.service.accounts.find_login(self.cookie)
        assert login is not None
        self.secret = login[1].form_secret

    def get(self, path: str) -> str:
        answer = self.running.request("GET", path, cookie=self.cookie)
        assert answer.status == 200
        return answer.text

    def post(self, path: str, **fields: str) -> tuple[int, str]:
        form = {"form_secret": self.secret, **fields}
        answer = self.running.request("POST", path, cookie=self.cookie, form=form)
        return answer.status, answer.text


@pytest.fixture
def ana(running: RunningService) -> Browser:
    return Browser(running, "ana")


def test_the_start_leads_analysts_to_questions_and_others_to_the_overview(
    running: RunningService,
) -> None:
    for name, path in (("ana", "/ask"), ("carl", "/overview"), ("aude", "/overview")):
        start = running.request("GET", "/", cookie=Browser(running, name).cookie)
        assert (start.status, start.headers["location"]) == (303, path)


def test_tables_are_described_by_what_is_public(ana: Browser) -> None:
    text = ana.get("/tables")
    for words in ("visits", "shifts", "integer, 0 to 110", "version", "/ask?sql=SELECT%20region"):
        assert words in text
    assert "shifts" not in Browser(ana.running, "ben").get("/tables")


def test_the_budget_shows_ones_own_spending(running: RunningService, ana: Browser) -> None:
    ana.post("/ask", sql="SELECT COUNT(*) FROM visits WHERE age < 33", epsilon="0.5")
    assert "Epsilon you asked for about patients over time" in ana.get("/budget")
    text = Browser(running, "ben").get("/budget")
    assert "You asked nothing yet" in text
    assert "of 2 <span>epsilon left" in text


def test_tokens_are_shown_once_and_revoked(running: RunningService) -> None:
    running.service.accounts.set_password("ana", PASSWORD, "test")
    ana = Browser(running, "ana")
    form = {"name": "tablet", "days": "5", "may": "explain"}
    # A token outlives the session, so whoever finds an open browser gets none.
    for wrong in ({}, {"password": "not the password"}):
        status, text = ana.post("/tokens", **form, **wrong)
        assert status == 403
        assert "not your password" in text
    status, text = ana.post("/tokens", **form, password=PASSWORD)
    assert status == 200
    token = re.search(r"hr_[\w-]{32}", text)
    assert token is not None
    assert token[0] not in ana.get("/tokens")
    caller = ana.running.service.find_caller(token[0])
    assert caller.token is not None
    assert caller.token.explains_only
    assert ana.post("/tokens/revoke", number=str(caller.token.number))[0] == 303
    assert ana.running.service.accounts.find_caller(token[0]) is None
    assert ana.post("/tokens", name="x", days="many", password=PASSWORD)[0] == 422
    assert ana.post("/tokens/revoke", number="x")[0] == 400


def test_the_history_is_ones_own(running: RunningService, ana: Browser) -> None:
    ana.post("/ask", sql=COUNT, epsilon="0.5")
    assert "COUNT(*)" in ana.get("/history")
    assert "/ask?epsilon=0.5&amp;sql=SELECT%20region" in ana.get("/history")
    assert "Page 1 of" not in ana.get("/history?page=x")
    assert "COUNT(*)" not in Browser(running, "ben").get("/history")
    assert "COUNT(*)" in Browser(running, "aude").get("/history")


def test_login_and_logout(running: RunningService) -> None:
    running.service.accounts.set_password("eve", PASSWORD, "test")
    form = {"name": "eve", "password": PASSWORD}
    answer = running.request("POST", "/login", form=form)
    cookie = answer.headers["set-cookie"].split("=", 1)[1].split(";")[0]
    assert running.request("GET", "/ask", cookie=cookie).status == 200
    assert running.request("GET", "/login", cookie=cookie).headers["location"] == "/"
    eve = Browser(running, "eve")
    eve.cookie = cookie
    login = running.service.accounts.find_login(cookie)
    assert login is not None
    assert (
        running.request(
            "POST", "/logout", cookie=cookie, form={"form_secret": login[1].form_secret}
        ).status
        == 303
    )
    assert running.request("GET", "/ask", cookie=cookie).headers["location"] == "/login"
    wrong = running.request("POST", "/login", form={"name": "eve", "password": "no"})
    assert wrong.status == 401
    assert "The name or the password is wrong" in wrong.text
    running.service.accounts.forgive_try("eve", "127.0.0.1")


def test_a_password_is_changed_by_the_old_one(running: RunningService) -> None:
    running.service.accounts.set_password("eve", PASSWORD, "test")
    eve = Browser(running, "eve")
    assert eve.post("/password", password="wrong", new_password="another password")[0] == 403
    assert eve.post("/password", password=PASSWORD, new_password="short")[0] == 422
    assert eve.post("/password", password=PASSWORD, new_password="another password")[0] == 303
    assert running.service.accounts.check_login("eve", "another password") is not None
    assert running.request("GET", "/ask", cookie=eve.cookie).headers["location"] == "/login"
