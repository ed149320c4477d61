from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hedgerow.service.accounts.records import Role
from service.helpers_service import COUNT, PASSWORD, RunningService, make_service
from service.http.test_analyst_pages import Browser


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service whose policy is changed by these tests."""
    server = RunningService(make_service(tmp_path_factory.mktemp("clinic")))
    yield server
    server.stop()


@pytest.fixture
def carl(other: RunningService, monkeypatch: pytest.MonkeyPatch) -> Browser:
    monkeypatch.setattr("hedgerow.service.accounts.passwords._COST", 2)
    other.service.accounts.set_password("carl", PASSWORD, "test")
    return Browser(other, "carl")


def test_the_overview_shows_budgets_quotas_and_the_promise_about_time(carl: Browser) -> None:
    text = carl.get("/overview")
    for words in ("patients", "ben", "of 2 ", "As soon as they are ready", "Nothing was asked yet"):
        assert words in text
    carl.running.ask("ana", COUNT)
    text = carl.get("/overview")
    assert "Epsilon asked for about patients over time" in text
    assert "GROUP BY region" in text


def test_a_looser_policy_is_shown_and_accepted_with_the_password(carl: Browser) -> None:
    service = carl.running.service
    assert "This is the policy that rules" in carl.get("/policy")
    file = service.settings.policy
    file.write_text(file.read_text().replace("max = 110", "max = 115"))
    text = carl.get("/policy")
    assert "loosens protection" in text
    assert "max changes from 110 to 115" in text
    assert "<del>- age" in text
    assert "<ins>+ age" in text
    assert "Values outside these bounds are clamped" in text
    digest = text.split('name="digest" value="')[1].split('"')[0]
    status, text = carl.post("/policy/accept", digest=digest, password="wrong wrong wrong")
    assert status == 403
    assert "not your password" in text
    assert carl.post("/policy/accept", digest=digest, password=PASSWORD, note="taller")[0] == 303
    assert "This is the policy that rules" in carl.get("/policy")
    assert "accepted by carl: taller" in service._database.ledger.entries()[-1].body["note"]
    auditor = Browser(carl.running, "aude").get("/policy")
    assert "Accept this policy" not in auditor
    assert "A custodian may accept it" not in auditor
    ruling = file.read_text()
    file.write_text("[database]\n")
    assert "The file has mistakes" in carl.get("/policy")
    file.write_text(ruling)


def test_accounts_are_added_disabled_and_enabled_again(carl: Browser) -> None:
    accounts = carl.running.service.accounts
    fields = {"name": "zoe", "role": "auditor", "new_password": PASSWORD}
    assert carl.post("/accounts", **fields, password="no")[0] == 403
    assert accounts.find_account("zoe") is None
    assert carl.post("/accounts", **fields, password=PASSWORD)[0] == 303
    assert "zoe" in carl.get("/accounts")
    zoe = Browser(carl.running, "zoe")
    assert "Ledger" in zoe.get("/ledger")
    assert "New account" not in zoe.get("/accounts")
    assert carl.post("/accounts/disable", name="zoe")[0] == 303
    assert carl.running.request("GET", "/ledger", cookie=zoe.cookie).status == 303
    assert carl.post("/accounts/enable", name="zoe", password="no")[0] == 403
    assert "Enable again" in carl.get("/accounts")
    assert carl.post("/accounts/enable", name="zoe", password=PASSWORD)[0] == 303
    assert accounts.check_login("zoe", PASSWORD) is not None
    assert carl.post("/accounts/disable", name="carl")[0] == 400
    assert (
        carl.post("/accounts", name="yan", role="king", new_password=PASSWORD, password=PASSWORD)[0]
        == 422
    )


def test_an_unknown_analyst_gets_a_page_with_links(carl: Browser) -> None:
    accounts = carl.running.service.accounts
    for name in ("ida", "i.d"):
        accounts.add_account(name, Role.analyst, None, "test")
    text = carl.get("/accounts")
    assert "[analysts.ida]\nmax_epsilon" in text
    assert "[analysts.&#34;i.d&#34;]" in text  # as TOML wants it
    ida = Browser(carl.running, "ida")
    answer = carl.running.request("GET", "/ask", cookie=ida.cookie)
    assert answer.status == 403
    assert "add [analysts.ida]" in answer.text
    assert 'action="/logout"' in answer.text
    assert 'href="/tokens"' in answer.text
    for name in ("ida", "i.d"):
        accounts.set_disabled(name, True, "test")


def test_a_custodian_sets_passwords_and_revokes_tokens(carl: Browser) -> None:
    accounts = carl.running.service.accounts
    fields = {"name": "ana", "new_password": "a new password"}
    assert carl.post("/accounts/password", **fields, password="no")[0] == 403
    assert accounts.check_login("ana", "a new password") is None
    assert carl.post("/accounts/password", **fields, password=PASSWORD)[0] == 303
    assert accounts.check_login("ana", "a new password") is not None
    text, token = accounts.add_token("ana", "lost laptop", "test")
    assert "lost laptop" in carl.get("/accounts")
    assert carl.post("/accounts/tokens/revoke", number=str(token.number))[0] == 303
    assert accounts.find_caller(text) is None
    assert "lost laptop" not in carl.get("/accounts")


def test_clipping_that_was_not_measured_says_how(carl: Browser) -> None:
    text = carl.get("/clipping")
    assert "at most 2 rows in at most 2 groups" in text
    assert "clipping_epsilon = 0.05" in text


def test_publications_are_listed_for_those_who_may_ask_about_their_table(
    other: RunningService, tmp_path: Path
) -> None:
    assert "Nothing was published yet" in Browser(other, "eve").get("/publications")
    other.service._database.publish.histogram("shifts", "hours", epsilon=1).to(tmp_path / "p")
    assert "histogram of hours" in Browser(other, "ana").get("/publications")
    assert "histogram" not in Browser(other, "ben").get("/publications")


def test_the_ledger_shows_acts_and_is_verified(carl: Browser) -> None:
    text = carl.get("/ledger")
    assert "<td>act</td>" in text
    assert "nothing is wrong" not in text
    assert "nothing is wrong" in carl.get("/ledger?verify=yes")
