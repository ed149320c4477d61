from __future__ import annotations

import pytest

from service.helpers_service import RunningService


@pytest.fixture
def cookie(running: RunningService) -> str:
    return running.service.accounts.open_session("ana")


def find_secret(running: RunningService, cookie: str) -> str:
    login = running.service.accounts.find_login(cookie)
    assert login is not None
    return login[1].form_secret


@pytest.mark.parametrize("secret", ["", "wrong", None])
def test_a_form_without_its_secret_is_refused(
    running: RunningService, cookie: str, secret: str | None
) -> None:
    other = find_secret(running, running.service.accounts.open_session("eve"))
    form = {"name": "stolen", "days": "1", "form_secret": other if secret is None else secret}
    answer = running.request("POST", "/tokens", cookie=cookie, form=form)
    assert answer.status == 403
    assert "no longer valid" in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_from_another_site_is_refused(
    running: RunningService, cookie: str, headers: dict[str, str]
) -> None:
    form = {"name": "x", "days": "1", "form_secret": find_secret(running, cookie)}
    answer = running.request("POST", "/tokens", cookie=cookie, form=form, headers=headers)
    assert answer.status == 403
    assert "another site" in answer.text
    login = running.request("POST", "/login", form={"name": "ana"}, headers=headers)
    assert login.status == 403


def test_a_login_makes_a_session_of_its_own(
    running: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cookie that somebody else planted is never taken over."""
    monkeypatch.setattr("hedgerow.service.accounts.passwords._COST", 2)
    running.service.accounts.set_password("aude", "a long enough password", "test")
    planted = "planted" * 6
    answer = running.request(
        "POST",
        "/login",
        cookie=planted,
        form={"name": "aude", "password": "a long enough password"},
    )
    assert answer.status == 303
    set_cookie = answer.headers["set-cookie"]
    assert planted not in set_cookie
    assert "HttpOnly" in set_cookie
    assert "SameSite=strict" in set_cookie


def test_a_body_that_is_too_large_is_not_read_to_its_end(
    running: RunningService, cookie: str
) -> None:
    answer = running.request("POST", "/ask", cookie=cookie, form={"sql": "x" * 300_000})
    assert answer.status == 413


def test_a_header_cannot_be_split(running: RunningService) -> None:
    answer = running.request("GET", "/?sql=%0d%0aX-Injected:%201")
    assert "x-injected" not in {name.lower() for name in answer.headers}
