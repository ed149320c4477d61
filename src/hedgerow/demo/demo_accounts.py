"""The accounts of the sample clinic, with random passwords and a token. They are kept in a file
beside the policy, so that the same ones hold the next time."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hedgerow.service.accounts.account_file import AccountFile
from hedgerow.service.accounts.records import Role

__all__ = ["LOGIN_FILE", "DemoAccounts", "prepare_accounts"]

LOGIN_FILE: Final = "logins.json"
ANALYST: Final = "ana"
_ROLES: Final[Mapping[str, Role]] = {
    ANALYST: Role.analyst,
    "carl": Role.custodian,
    "aude": Role.auditor,
}
_LETTERS: Final = "abcdefghijkmnpqrstuvwxyz23456789"  # none that looks like another
_BY: Final = "the demo"


@dataclass(frozen=True, slots=True)
class DemoAccounts:
    """The passwords of the accounts by name, and a token of the analyst."""

    passwords: Mapping[str, str]
    token: str


def prepare_accounts(accounts: AccountFile, folder: Path) -> DemoAccounts:
    """Return accounts that work: those of the file, or new passwords where they no longer do."""
    file = folder / LOGIN_FILE
    kept = _read_logins(file)
    passwords = {}
    for name, role in _ROLES.items():
        password = kept.passwords.get(name, "")
        account = accounts.find_account(name)
        if account is None:
            password = _make_password()
            accounts.add_account(name, role, password, _BY)
        elif account.is_disabled:
            continue
        elif accounts.check_login(name, password) is None:
            password = _make_password()
            accounts.set_password(name, password, _BY)
        passwords[name] = password
    token = kept.token
    if ANALYST in passwords and accounts.find_caller(token) is None:
        token, _ = accounts.add_token(ANALYST, "demo", _BY)
    found = DemoAccounts(passwords, token)
    if found != kept:
        _write_logins(file, found)
    return found


def _make_password() -> str:
    groups = ("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(3))
    return "-".join(groups)


def _read_logins(file: Path) -> DemoAccounts:
    """Read the file of passwords; one that is missing or was edited badly holds none."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        return DemoAccounts({**document["passwords"]}, str(document["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return DemoAccounts({}, "")


def _write_logins(file: Path, found: DemoAccounts) -> None:
    document = {"passwords": dict(found.passwords), "token": found.token}
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(json.dumps(document, indent=2) + "\n")
