from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.ledger import MemoryLedger
from hedgerow.service.accounts import user_tables
from hedgerow.service.accounts.account_file import AccountFile


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[AccountFile]:
    file = AccountFile(tmp_path / "clinic.accounts", MemoryLedger())
    yield file
    file.close()


def test_wrong_passwords_double_the_delay_and_a_right_one_ends_it(
    tables: AccountFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(user_tables.time, "time", lambda: now)
    delays = []
    for _ in range(16):
        tables.record_failure("name ana", "address 10.0.0.1")
        delays.append(tables.find_delay("name ana"))
    assert [round(delay) for delay in delays[:6]] == [1, 1, 1, 2, 4, 8]
    assert round(delays[-1]) == 900  # never a lock-out
    assert tables.find_delay("name ben") == 0
    assert tables.find_delay("name ben", "address 10.0.0.1") > 800
    tables.forget_failures("name ana", "address 10.0.0.1")
    assert tables.find_delay("name ana", "address 10.0.0.1") == 0


def test_a_session_ends_by_itself(tables: AccountFile, monkeypatch: pytest.MonkeyPatch) -> None:
    cookie = tables.open_session("ana")
    session = tables.find_session(cookie)
    assert session is not None
    assert session.form_secret
    assert tables.find_session(cookie + "x") is None
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(user_tables.time, "time", lambda: now + user_tables.SESSION_SECONDS + 1)
        assert tables.find_session(cookie) is None
    tables.close_session(cookie)
    assert tables.find_session(cookie) is None


def test_a_request_key_belongs_to_one_question_of_one_account(tables: AccountFile) -> None:
    assert tables.claim_request("ana", "k", "one")
    assert tables.claim_request("ana", "k", "one")
    assert not tables.claim_request("ana", "k", "two")
    assert tables.claim_request("ben", "k", "two")


def test_saved_questions_are_replaced_listed_and_deleted(
    tables: AccountFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables.save_question("ana", "ages", "SELECT 1")
    tables.save_question("ana", "ages", "SELECT 2")
    assert tables.list_questions("ana") == [("ages", "SELECT 2")]
    assert tables.list_questions("ben") == []
    with pytest.raises(InvalidArgument, match="1 to 80"):
        tables.save_question("ana", "", "SELECT 1")
    monkeypatch.setattr(user_tables, "_MAX_SAVED", 1)
    with pytest.raises(Refused, match="Delete one"):
        tables.save_question("ana", "more", "SELECT 1")
    tables.delete_question("ana", "ages")
    assert tables.list_questions("ana") == []
