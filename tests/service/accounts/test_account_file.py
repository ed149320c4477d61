from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hedgerow.errors import InvalidArgument, LedgerError, Refused
from hedgerow.ledger import MemoryLedger
from hedgerow.service.accounts import account_file
from hedgerow.service.accounts.account_file import AccountFile
from hedgerow.service.accounts.records import Role
from service.accounts.helpers_stores import PLACES

PASSWORD = "a long enough password"


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture(params=PLACES)
def accounts(
    request: pytest.FixtureRequest, tmp_path: Path, ledger: MemoryLedger
) -> Iterator[AccountFile]:
    file = AccountFile(PLACES[request.param](tmp_path), ledger)
    yield file
    file.close()


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.service.accounts.passwords._COST", 2)


def test_an_account_is_in_the_ledger_with_who_added_it(
    accounts: AccountFile, ledger: MemoryLedger
) -> None:
    accounts.add_account("ana", Role.analyst, PASSWORD, "carl")
    found = accounts.find_account("ana")
    assert found is not None
    assert found.role is Role.analyst
    act = ledger.entries()[-1]
    assert (act.kind, act.body["words"], act.body["by"]) == ("act", "add account", "carl")
    assert act.body["about"] == {"account": "ana", "role": "analyst"}
    assert PASSWORD not in act.text


class Crash(Exception):
    pass


@pytest.mark.parametrize("act", ["add account", "set password", "add token"])
def test_an_act_that_never_reached_the_ledger_grants_nothing(
    accounts: AccountFile, ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    if act != "add account":
        accounts.add_account("ana", Role.analyst, None, "carl")

    def crash(*_: object) -> None:
        raise Crash

    acts = {
        "add account": lambda: accounts.add_account("ana", Role.analyst, PASSWORD, "carl"),
        "set password": lambda: accounts.set_password("ana", PASSWORD, "carl"),
        "add token": lambda: accounts.add_token("ana", "laptop", "carl"),
    }
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "record_act", crash)
        with pytest.raises(Crash):
            acts[act]()
    assert accounts.check_login("ana", PASSWORD) is None
    assert accounts.list_tokens() == []
    assert accounts.list_scram_keys("ana") == []
    assert (accounts.find_account("ana") is None) == (act == "add account")
    # The same act again succeeds.
    if act == "add account":
        accounts.add_account("ana", Role.analyst, PASSWORD, "carl")
        assert accounts.check_login("ana", PASSWORD) is not None


def test_a_login_needs_the_password_and_an_account_that_is_enabled(accounts: AccountFile) -> None:
    accounts.add_account("ana", Role.analyst, PASSWORD, "carl")
    assert accounts.check_login("ana", PASSWORD) is not None
    assert accounts.check_login("ana", PASSWORD + "x") is None
    assert accounts.check_login("nobody", PASSWORD) is None
    accounts.set_disabled("ana", True, "carl")
    assert accounts.check_login("ana", PASSWORD) is None
    accounts.set_disabled("ana", False, "carl")
    assert accounts.check_login("ana", PASSWORD) is not None


def test_a_token_works_until_it_is_revoked_or_expires(
    accounts: AccountFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.add_account("ana", Role.analyst, None, "carl")
    text, token = accounts.add_token("ana", "laptop", "ana", days=2, explains_only=True)
    caller = accounts.find_caller(text)
    assert caller is not None
    assert caller.token is not None
    assert caller.token.explains_only
    assert accounts.is_valid(caller)
    assert accounts.find_caller(text + "x") is None
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(account_file.time, "time", lambda: now + 3 * 86_400)
        assert accounts.find_caller(text) is None
    accounts.revoke_token(token.number, "ana", account="ana")
    assert accounts.find_caller(text) is None
    assert not accounts.is_valid(caller)


def test_a_revocation_holds_at_once_in_another_process(
    accounts: AccountFile, ledger: MemoryLedger
) -> None:
    accounts.add_account("ana", Role.analyst, None, "carl")
    text, token = accounts.add_token("ana", "laptop", "ana")
    other = AccountFile(accounts.place, ledger)
    assert other.find_caller(text) is not None
    accounts.revoke_token(token.number, "carl")
    assert other.find_caller(text) is None
    other.close()


def test_nobody_revokes_the_token_of_somebody_else(accounts: AccountFile) -> None:
    for name in ("ana", "ben"):
        accounts.add_account(name, Role.analyst, None, "carl")
    text, token = accounts.add_token("ana", "laptop", "ana")
    with pytest.raises(Refused, match="no token"):
        accounts.revoke_token(token.number, "ben", account="ben")
    assert accounts.find_caller(text) is not None


def test_a_session_ends_with_the_password_and_with_the_account(accounts: AccountFile) -> None:
    accounts.add_account("ana", Role.analyst, PASSWORD, "carl")
    cookie = accounts.open_session("ana")
    assert accounts.find_login(cookie) is not None
    accounts.set_password("ana", PASSWORD + " anew", "carl")
    assert accounts.find_login(cookie) is None
    cookie = accounts.open_session("ana")
    accounts.set_disabled("ana", True, "carl")
    assert accounts.find_login(cookie) is None


def test_a_session_does_not_return_with_its_account(accounts: AccountFile) -> None:
    accounts.add_account("ana", Role.analyst, PASSWORD, "carl")
    cookie = accounts.open_session("ana")
    accounts.set_disabled("ana", True, "carl")
    accounts.set_disabled("ana", False, "carl")
    assert accounts.find_login(cookie) is None


def test_a_revocation_owes_the_ledger_its_entry(
    accounts: AccountFile, ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever ends the process in between, the act counts, and the next process writes it down."""
    accounts.add_account("ana", Role.analyst, PASSWORD, "carl")
    _, token = accounts.add_token("ana", "laptop", "carl")

    def crash(*_: object) -> None:
        raise Crash

    before = accounts.read_revision()
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "record_act", crash)
        with pytest.raises(Crash):
            accounts.revoke_token(token.number, "carl")
        with pytest.raises(Crash):
            accounts.set_disabled("ana", True, "carl")
    assert accounts.read_revision() > before
    assert accounts.list_tokens()[0].is_revoked
    assert accounts.check_login("ana", PASSWORD) is None
    assert ledger.entries()[-1].body["words"] == "add token"
    AccountFile(accounts.place, ledger).close()
    assert [entry.body["words"] for entry in ledger.entries()[-2:]] == [
        *("revoke token", "disable account")
    ]
    accounts.complete_acts()
    assert [entry.kind for entry in ledger.entries()] == ["open"] + ["act"] * 4


def test_an_account_that_was_not_enabled_in_the_ledger_stays_disabled(
    accounts: AccountFile, ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.add_account("ana", Role.analyst, PASSWORD, "carl")
    accounts.set_disabled("ana", True, "carl")

    def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "record_act", crash)
        with pytest.raises(Crash):
            accounts.set_disabled("ana", False, "carl")
    assert accounts.check_login("ana", PASSWORD) is None


def test_the_old_password_holds_until_the_new_one_is_in_the_ledger(
    accounts: AccountFile, ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.add_account("ana", Role.analyst, PASSWORD, "carl")
    cookie = accounts.open_session("ana")

    def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "record_act", crash)
        with pytest.raises(Crash):
            accounts.set_password("ana", PASSWORD + " anew", "carl")
    assert accounts.check_login("ana", PASSWORD) is not None
    assert accounts.check_login("ana", PASSWORD + " anew") is None
    assert accounts.find_login(cookie) is not None


@pytest.mark.parametrize("name", ["", "Ana", "a b", "x" * 61, "a/b", "é"])
def test_a_name_that_could_mislead_is_refused(accounts: AccountFile, name: str) -> None:
    with pytest.raises(InvalidArgument, match="lower-case"):
        accounts.add_account(name, Role.analyst, None, "carl")


def test_nobody_but_a_custodian_has_the_name_that_custodians_have(accounts: AccountFile) -> None:
    """In the ledger it would mean a custodian, who sees everything."""
    with pytest.raises(InvalidArgument, match="for custodians"):
        accounts.add_account("custodian", Role.analyst, None, "carl")
    accounts.add_account("custodian", Role.custodian, None, "carl")


def test_a_name_has_one_salt_whether_it_has_an_account(
    accounts: AccountFile, ledger: MemoryLedger
) -> None:
    """SCRAM shows it to everybody: it must tell nothing, in no process and at no time."""
    before = accounts.choose_salt("ana")
    assert before != accounts.choose_salt("ben")
    accounts.add_account("ana", Role.analyst, None, "carl")
    accounts.add_token("ana", "laptop", "carl")
    assert accounts.choose_salt("ana") == before
    ((_, keys),) = accounts.list_scram_keys("ana")
    assert keys.salt == before
    again = AccountFile(accounts.place, ledger)
    assert again.choose_salt("ana") == before
    assert again.choose_salt("nobody") == accounts.choose_salt("nobody")
    again.close()


def test_a_second_account_of_one_name_is_refused(accounts: AccountFile) -> None:
    accounts.add_account("ana", Role.analyst, None, "carl")
    with pytest.raises(Refused, match="an account ana already"):
        accounts.add_account("ana", Role.custodian, None, "carl")
    with pytest.raises(Refused, match="no account nobody"):
        accounts.add_token("nobody", "laptop", "carl")
    with pytest.raises(InvalidArgument, match="1 to 3650 days"):
        accounts.add_token("ana", "laptop", "carl", days=0)


def test_an_act_id_is_never_used_twice(ledger: MemoryLedger) -> None:
    ledger.record_act("add account", "carl", {}, "one")
    with pytest.raises(LedgerError):
        ledger.record_act("add account", "carl", {}, "one")
