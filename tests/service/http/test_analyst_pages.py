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


def test_the_first_page_tells_what_may_be_asked_and_what_is_left(ana: Browser) -> None:
    text = ana.get("/")
    for words in ("visits", "age", "integer, 0 to 110", "patients", "left", 'placeholder="0.5"'):
        assert words in text


def test_an_answer_shows_caveats_error_bars_and_the_same_for_other_tools(ana: Browser) -> None:
    status, text = ana.post("/ask", sql=COUNT, epsilon="0.5")
    assert status == 200
    assert text.index('class="caveats"') < text.index("<figure>") < text.index("<table>")
    assert 'class="whisker"' in text
    assert re.search(r"<td>north</td>", text)
    for tool in ("psycopg.connect(", "curl -H", "psql -h"):
        assert tool in text


def test_a_refusal_keeps_the_question_in_its_field(ana: Browser) -> None:
    status, text = ana.post("/ask", sql="SELECT * FROM visits -- <b>")
    assert status == 400
    assert "individual rows" in text
    assert "SELECT * FROM visits -- &lt;b&gt;" in text
    assert "<b>" not in text
    status, text = ana.post("/ask", sql=COUNT, epsilon="much")
    assert status == 422
    assert "must be a number" in text


def test_an_explanation_costs_nothing(ana: Browser) -> None:
    before = len(ana.running.service._database.ledger.entries())
    status, text = ana.post("/explain", sql="SELECT COUNT(*) FROM visits WHERE age < 51")
    assert status == 200
    assert "COUNT(*)" in text
    status, text = ana.post(
        "/ask", sql="EXPLAIN PRIVACY SELECT COUNT(*) FROM visits WHERE age < 51"
    )
    assert status == 200
    assert len(ana.running.service._database.ledger.entries()) == before


def test_the_preview_is_json_and_needs_the_secret(ana: Browser) -> None:
    body = {"sql": "SELECT COUNT(*) FROM visits WHERE age < 52", "error": "9"}
    for secret, status in ((ana.secret, 200), ("wrong", 403)):
        answer = ana.running.request(
            "POST", "/preview", cookie=ana.cookie, body=body, headers={"X-Form-Secret": secret}
        )
        assert answer.status == status
    answer = ana.running.request(
        "POST",
        "/preview",
        cookie=ana.cookie,
        body={"sql": "SELECT * FROM visits"},
        headers={"X-Form-Secret": ana.secret},
    )
    assert "individual rows" in answer.document["detail"]


def test_questions_are_saved_and_deleted(ana: Browser) -> None:
    assert ana.post("/saved", name="my <count>", sql=COUNT)[0] == 303
    assert "my &lt;count&gt;" in ana.get("/")
    assert ana.post("/saved/delete", name="my <count>")[0] == 303
    assert "my &lt;count&gt;" not in ana.get("/")


def test_tokens_are_shown_once_and_revoked(ana: Browser) -> None:
    status, text = ana.post("/tokens", name="tablet", days="5", may="explain")
    assert status == 200
    token = re.search(r"hr_[\w-]{32}", text)
    assert token is not None
    assert token[0] not in ana.get("/tokens")
    caller = ana.running.service.find_caller(token[0])
    assert caller.token is not None
    assert caller.token.explains_only
    assert ana.post("/tokens/revoke", number=str(caller.token.number))[0] == 303
    assert ana.running.service.accounts.find_caller(token[0]) is None
    assert ana.post("/tokens", name="x", days="many")[0] == 422
    assert ana.post("/tokens/revoke", number="x")[0] == 400


def test_the_history_is_ones_own(running: RunningService, ana: Browser) -> None:
    ana.post("/ask", sql=COUNT, epsilon="0.5")
    assert "COUNT(*)" in ana.get("/history")
    assert "COUNT(*)" not in Browser(running, "ben").get("/history")
    assert "COUNT(*)" in Browser(running, "aude").get("/history")


def test_login_and_logout(running: RunningService) -> None:
    running.service.accounts.set_password("eve", PASSWORD, "test")
    form = {"name": "eve", "password": PASSWORD}
    answer = running.request("POST", "/login", form=form)
    cookie = answer.headers["set-cookie"].split("=", 1)[1].split(";")[0]
    assert running.request("GET", "/", cookie=cookie).status == 200
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
    assert running.request("GET", "/", cookie=cookie).headers["location"] == "/login"
    wrong = running.request("POST", "/login", form={"name": "eve", "password": "no"})
    assert wrong.status == 401
    assert "The name or the password is wrong" in wrong.text
    running.service.accounts.forget_failures("name eve", "address 127.0.0.1")
