from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.ledger import MemoryLedger
from hedgerow.service.accounts import user_tables
from hedgerow.service.accounts.account_file import AccountFile
from service.accounts.helpers_stores import PLACES


@pytest.fixture(params=PLACES)
def tables(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AccountFile]:
    file = AccountFile(PLACES[request.param](tmp_path), MemoryLedger())
    yield file
    file.close()


def test_a_request_key_belongs_to_one_question_of_one_account(tables: AccountFile) -> None:
    assert tables.claim_request("ana", "k", "one")
    assert tables.claim_request("ana", "k", "one")
    assert not tables.claim_request("ana", "k", "two")
    assert tables.claim_request("ben", "k", "two")


def test_saved_questions_are_replaced_listed_and_deleted(
    tables: AccountFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables.save_question("ana", "ages", "SELECT 1", "")
    tables.save_question("ana", "ages", "SELECT 2", "0.5")
    assert tables.list_questions("ana") == [("ages", "SELECT 2", "0.5")]
    assert tables.list_questions("ben") == []
    with pytest.raises(InvalidArgument, match="1 to 80"):
        tables.save_question("ana", "", "SELECT 1", "")
    monkeypatch.setattr(user_tables, "_MAX_SAVED", 1)
    with pytest.raises(Refused, match="Delete one"):
        tables.save_question("ana", "more", "SELECT 1", "")
    tables.delete_question("ana", "ages")
    assert tables.list_questions("ana") == []


def test_an_alert_is_sent_once_and_tried_again_after_a_minute(
    tables: AccountFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_800_000_000.0
    monkeypatch.setattr(user_tables.time, "time", lambda: now)
    assert tables.claim_alert("patients", 50, "3")
    assert not tables.claim_alert("patients", 50, "3")  # somebody is sending it
    assert tables.claim_alert("patients", 80, "3")
    assert tables.claim_alert("staff", 50, "3")
    now += 61
    assert tables.claim_alert("patients", 50, "3")  # that process is gone, or failed
    tables.finish_alert("patients", 50, "3")
    now += 61
    assert not tables.claim_alert("patients", 50, "3")
    assert tables.claim_alert("patients", 50, "5")  # the budget was raised
