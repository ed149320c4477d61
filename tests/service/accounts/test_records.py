from __future__ import annotations

from hedgerow.service.accounts.records import AccessToken, Account, Caller, Role


def test_roles_may_what_their_names_say() -> None:
    assert [role.may_ask for role in (Role.custodian, Role.analyst, Role.auditor)] == [
        True,
        True,
        False,
    ]
    assert [role.sees_everything for role in Role] == [True, False, True]


def test_documents_hold_no_secret() -> None:
    token = AccessToken(3, "ana", "laptop", "2026-11-18", 1.0, False, True, False)
    assert token.to_dict()["explain_only"] is True
    assert set(token.to_dict()) == {
        *("number", "account", "name", "created", "expires", "revoked"),
        *("explain_only", "needs_epsilon"),
    }
    account = Account("ana", Role.analyst, False, "2026-11-18")
    assert account.to_dict()["role"] == "analyst"
    assert (Caller(account).name, Caller(account).role) == ("ana", Role.analyst)
