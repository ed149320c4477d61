from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.ledger import MemoryLedger
from hedgerow.service.accounts.account_file import AccountFile
from hedgerow.service.accounts.account_transfer import transfer_accounts
from hedgerow.service.accounts.records import Role
from service.accounts.helpers_stores import PLACES

PASSWORD = "a long enough password"


@pytest.mark.parametrize(("old", "new"), [("file", "server"), ("server", "file")])
def test_accounts_go_on_elsewhere_and_what_is_revoked_stays_so(
    old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgerow.service.accounts.passwords._COST", 2)
    ledger, source, target = MemoryLedger(), PLACES[old](tmp_path), PLACES[new](tmp_path)
    before = AccountFile(source, ledger)
    before.add_account("ana", Role.analyst, PASSWORD, "carl")
    kept, _ = before.add_token("ana", "kept", "ana")
    gone, revoked = before.add_token("ana", "gone", "ana")
    before.revoke_token(revoked.number, "ana")
    before.claim_request("ana", "r", "digest")
    salt, revision = before.choose_salt("nobody"), before.read_revision()
    before.close()
    for _ in range(2):  # again, as after a crash
        assert transfer_accounts(source, target) in (1, 0)
    if old == "file":
        assert not (tmp_path / "clinic.accounts").exists()
        assert (tmp_path / "clinic.accounts.moved").exists()
    after = AccountFile(target, ledger)
    assert after.check_login("ana", PASSWORD) is not None
    assert after.find_caller(kept) is not None
    assert after.find_caller(gone) is None
    assert not after.claim_request("ana", "r", "another")
    assert (after.choose_salt("nobody"), after.read_revision()) == (salt, revision)
    _, added = after.add_token("ana", "new", "ana")
    assert added.number > revoked.number
    after.set_disabled("ana", True, "carl")
    assert after.find_caller(kept) is None
    after.close()


def test_without_accounts_nothing_is_created(tmp_path: Path) -> None:
    assert transfer_accounts(tmp_path / "none.accounts", tmp_path / "new.accounts") == 0
    assert list(tmp_path.iterdir()) == []
