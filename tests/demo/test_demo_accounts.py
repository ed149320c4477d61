from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from hedgerow.demo.demo_accounts import LOGIN_FILE, prepare_accounts
from hedgerow.service.accounts.account_file import AccountFile
from hedgerow.service.accounts.records import Role
from service.helpers_service import RunningService


@pytest.fixture
def accounts(
    running: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[AccountFile]:
    monkeypatch.setattr("hedgerow.service.accounts.passwords._COST", 2)
    opened = AccountFile(tmp_path / "x.accounts", running.service._database.ledger)
    yield opened
    opened.close()


def test_the_same_accounts_hold_the_next_time(accounts: AccountFile, tmp_path: Path) -> None:
    first = prepare_accounts(accounts, tmp_path)
    assert [account.name for account in accounts.list_accounts()] == ["ana", "aude", "carl"]
    assert all(accounts.check_login(name, word) for name, word in first.passwords.items())
    assert len(set(first.passwords.values())) == 3
    caller = accounts.find_caller(first.token)
    assert caller is not None
    assert (caller.name, caller.role) == ("ana", Role.analyst)
    assert stat.S_IMODE((tmp_path / LOGIN_FILE).stat().st_mode) == 0o600
    assert prepare_accounts(accounts, tmp_path) == first


def test_a_password_that_no_longer_holds_is_replaced(accounts: AccountFile, tmp_path: Path) -> None:
    first = prepare_accounts(accounts, tmp_path)
    accounts.set_password("carl", "another password", "test")
    accounts.set_disabled("aude", True, "test")
    (token,) = accounts.list_tokens("ana")
    accounts.revoke_token(token.number, "test")
    second = prepare_accounts(accounts, tmp_path)
    assert second.passwords["ana"] == first.passwords["ana"]
    assert second.passwords["carl"] != first.passwords["carl"]
    assert "aude" not in second.passwords
    assert accounts.find_caller(second.token) is not None
    (tmp_path / LOGIN_FILE).write_text("[]")
    third = prepare_accounts(accounts, tmp_path)
    assert accounts.check_login("ana", third.passwords["ana"]) is not None
