"""The accounts, tokens and sessions of a policy: in an SQLite file beside it, or in the server of
its ledger, where several hosts share them.

An act that grants something (an account, a password, a token) is written here first, under a random
act id, and counts only once the ledger holds the entry of that id: so the act and its entry happen
together or not at all, whatever crashes in between. An act that takes something away counts at
once; its entry is written down with it, and whichever process looks next brings it to the ledger.
Every process reads them anew for each request, so a revocation holds everywhere at once.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import time
from collections.abc import Callable
from typing import Any, Final

from hedgerow.database.query.run import CUSTODIAN
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.ledger.entry import format_now
from hedgerow.ledger.interface import LedgerBase
from hedgerow.ledger.location import Location
from hedgerow.service.accounts.login_tables import LOGIN_TABLES
from hedgerow.service.accounts.passwords import check_password, hash_password
from hedgerow.service.accounts.records import AccessToken, Account, Caller, Role, Session
from hedgerow.service.accounts.table_stores import open_store
from hedgerow.service.accounts.tokens import (
    ScramKeys,
    compute_token_digest,
    derive_scram_keys,
    make_token,
)
from hedgerow.service.accounts.user_tables import USER_TABLES, UserTables

__all__ = ["ACCOUNT_TABLES", "DEFAULT_TOKEN_DAYS", "AccountFile"]

DEFAULT_TOKEN_DAYS: Final = 90
_DAY: Final = 86_400
_NAME_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.-")
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY, role TEXT NOT NULL,
  disabled INTEGER NOT NULL, enable_act TEXT NOT NULL, created TEXT NOT NULL,
  act TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS passwords (number INTEGER PRIMARY KEY, account TEXT NOT NULL,
  digest TEXT NOT NULL, act TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS pending_acts (number INTEGER PRIMARY KEY, act TEXT NOT NULL,
  words TEXT NOT NULL, by TEXT NOT NULL, about TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS revision (number INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS tokens (number INTEGER PRIMARY KEY, account TEXT NOT NULL,
  name TEXT NOT NULL, digest TEXT UNIQUE NOT NULL, salt BLOB NOT NULL, stored_key BLOB NOT NULL,
  server_key BLOB NOT NULL, created TEXT NOT NULL, expires REAL NOT NULL, revoked INTEGER NOT NULL,
  explains_only INTEGER NOT NULL, needs_epsilon INTEGER NOT NULL, act TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS salt_secret (value BLOB NOT NULL) STRICT;
"""
ACCOUNT_TABLES: Final = _TABLES + LOGIN_TABLES + USER_TABLES
_TOKEN_COLUMNS: Final = (
    "number, account, name, created, expires, revoked, explains_only, needs_epsilon, act"
)


class AccountFile(UserTables):
    """The accounts of a policy; created if it does not exist."""

    def __init__(self, place: Location, ledger: LedgerBase, *, wait: float = 10.0) -> None:
        self.place, self._ledger = place, ledger
        self._store = open_store(place, ACCOUNT_TABLES, wait)
        self.complete_acts()

    def use_ledger(self, ledger: LedgerBase) -> None:
        """Record acts in another handle of the same ledger."""
        self._ledger = ledger

    # Accounts

    def add_account(self, name: str, role: Role, password: str | None, by: str) -> None:
        """Add an account, or replace one whose addition never reached the ledger."""
        if not name or len(name) > 60 or not set(name) <= _NAME_CHARACTERS:
            raise InvalidArgument(
                "name", "must have 1 to 60 lower-case letters, digits, '_', '.' or '-'", name
            )
        if name == CUSTODIAN and role is Role.analyst:
            raise InvalidArgument(
                "name", "of an analyst must not be the one that the ledger has for custodians", name
            )
        if self.find_account(name) is not None:
            raise Refused(f"There is an account {name} already. Choose another name.")
        digest, act = None if password is None else hash_password(password), _make_act_id()

        def write(db: Any) -> None:
            db.execute("DELETE FROM passwords WHERE account = ?", (name,))
            db.execute(
                "INSERT INTO accounts VALUES (?, ?, 0, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET"
                " role = excluded.role, disabled = 0, enable_act = excluded.enable_act,"
                " created = excluded.created, act = excluded.act",
                (name, role.value, act, format_now(), act),
            )
            _write_password(db, name, digest, act)

        self._grant(act, "add account", by, {"account": name, "role": role.value}, write)

    def find_account(self, name: str) -> Account | None:
        """Return an account, or None."""
        row = self._select_one("SELECT * FROM accounts WHERE name = ?", name)
        if row is None or not self._holds(row["act"]):
            return None
        return self._read_account(row)

    def list_accounts(self) -> list[Account]:
        """Return all accounts by name."""
        rows = self._select("SELECT * FROM accounts ORDER BY name")
        return [self._read_account(row) for row in rows if self._holds(row["act"])]

    def _read_account(self, row: dict[str, Any]) -> Account:
        is_disabled = bool(row["disabled"]) or not self._holds(row["enable_act"])
        return Account(row["name"], Role(row["role"]), is_disabled, row["created"])

    def set_password(self, name: str, password: str, by: str) -> None:
        """Set the password of an account, and end its sessions: each belongs to a password."""
        self._require_account(name)
        digest, act = hash_password(password), _make_act_id()
        self._grant(
            act,
            "set password",
            by,
            {"account": name},
            lambda db: _write_password(db, name, digest, act),
        )

    def set_disabled(self, name: str, disabled: bool, by: str) -> None:
        """Disable an account, which ends its sessions and silences its tokens, or enable it."""
        self._require_account(name)
        if disabled:

            def write(db: Any) -> None:
                db.execute("UPDATE accounts SET disabled = 1 WHERE name = ?", (name,))
                db.execute("DELETE FROM sessions WHERE account = ?", (name,))

            self._take_away("disable account", by, {"account": name}, write)
            return
        act = _make_act_id()
        self._grant(
            act,
            "enable account",
            by,
            {"account": name},
            lambda db: db.execute(
                "UPDATE accounts SET disabled = 0, enable_act = ? WHERE name = ?", (act, name)
            ),
        )

    def check_login(self, name: str, password: str) -> Account | None:
        """Return the account of a name and its password, or None; both take the same time for
        names that do not exist."""
        account, stored = self.find_account(name), self._find_password(name)
        digest = None if account is None or stored is None else stored["digest"]
        if not check_password(password, digest) or account is None or account.is_disabled:
            return None
        return account

    def _find_password(self, name: str) -> dict[str, Any] | None:
        """Return the newest password of an account that counts."""
        rows = self._select("SELECT * FROM passwords WHERE account = ? ORDER BY number DESC", name)
        return next((row for row in rows if self._holds(row["act"])), None)

    def _find_password_act(self, account: str) -> str:
        password = self._find_password(account)
        return "" if password is None else str(password["act"])

    def find_login(self, cookie: str) -> tuple[Account, Session] | None:
        """Return the account and the session of a cookie, or None."""
        session = self.find_session(cookie)
        account = None if session is None else self.find_account(session.account)
        if session is None or account is None or account.is_disabled:
            return None
        return account, session

    # Tokens

    def add_token(
        self,
        account: str,
        name: str,
        by: str,
        *,
        days: int = DEFAULT_TOKEN_DAYS,
        explains_only: bool = False,
        needs_epsilon: bool = False,
    ) -> tuple[str, AccessToken]:
        """Add a token and return its text, which is shown once, and its record."""
        self._require_account(account)
        if not name or len(name) > 60:
            raise InvalidArgument("name", "of a token must have 1 to 60 characters", name)
        if not 1 <= days <= 3650:
            raise InvalidArgument("expires", "must be 1 to 3650 days", days)
        text, act = make_token(), _make_act_id()
        keys = derive_scram_keys(text, self.choose_salt(account))
        values = (
            *(account, name, compute_token_digest(text), keys.salt, keys.stored_key),
            *(keys.server_key, format_now(), time.time() + days * _DAY, 0),
            *(int(explains_only), int(needs_epsilon), act),
        )
        self._grant(
            act,
            "add token",
            by,
            {"account": account, "token": name},
            lambda db: db.execute(
                "INSERT INTO tokens (account, name, digest, salt, stored_key, server_key, created,"
                " expires, revoked, explains_only, needs_epsilon, act)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            ),
        )
        row = self._select_one(
            f"SELECT {_TOKEN_COLUMNS} FROM tokens WHERE digest = ?", compute_token_digest(text)
        )
        assert row is not None
        return text, _read_token(row)

    def choose_salt(self, account: str) -> bytes:
        """Return the salt of an account's tokens: SCRAM sends it before the server knows which of
        them a client has, so they share one. A name without an account has one, too, which is the
        same for ever and in all processes: nobody can tell the difference."""
        row = self._select_one("SELECT salt FROM tokens WHERE account = ? LIMIT 1", account)
        if row is not None:
            return bytes(row["salt"])
        secret = self._select_one("SELECT value FROM salt_secret")
        if secret is None:
            with self._locked(), self._transaction() as db:
                db.execute(
                    "INSERT INTO salt_secret SELECT ? WHERE NOT EXISTS (SELECT * FROM salt_secret)",
                    (os.urandom(32),),
                )
            return self.choose_salt(account)
        return hmac.digest(bytes(secret["value"]), account.encode(), "sha256")[:16]

    def list_tokens(self, account: str | None = None) -> list[AccessToken]:
        """Return the tokens of an account, or of all."""
        where, values = ("", ()) if account is None else (" WHERE account = ?", (account,))
        rows = self._select(f"SELECT {_TOKEN_COLUMNS} FROM tokens{where} ORDER BY number", *values)
        return [_read_token(row) for row in rows if self._holds(row["act"])]

    def revoke_token(self, number: int, by: str, *, account: str | None = None) -> None:
        """Revoke a token at once; ``account`` restricts it to tokens of that account."""
        found = [token for token in self.list_tokens(account) if token.number == number]
        if not found:
            raise Refused(f"There is no token {number}. List the tokens for their numbers.")
        self._take_away(
            "revoke token",
            by,
            {"account": found[0].account, "token": found[0].name},
            lambda db: db.execute("UPDATE tokens SET revoked = 1 WHERE number = ?", (number,)),
        )

    def find_caller(self, token: str) -> Caller | None:
        """Return the account and the token of a token's text; None if it is unknown, expired or
        revoked, or its account is disabled."""
        row = self._select_one(
            f"SELECT {_TOKEN_COLUMNS} FROM tokens WHERE digest = ?", compute_token_digest(token)
        )
        return None if row is None else self._build_caller(row)

    def list_scram_keys(self, account: str) -> list[tuple[Caller, ScramKeys]]:
        """Return the SCRAM keys of the valid tokens of an account, the newest first."""
        rows = self._select(
            f"SELECT {_TOKEN_COLUMNS}, salt, stored_key, server_key FROM tokens"
            " WHERE account = ? ORDER BY number DESC",
            account,
        )
        callers = [(self._build_caller(row), row) for row in rows]
        return [
            (caller, ScramKeys(row["salt"], row["stored_key"], row["server_key"]))
            for caller, row in callers
            if caller is not None
        ]

    def is_valid(self, caller: Caller) -> bool:
        """Return whether the account and the token of a caller still hold."""
        if caller.token is None:
            account = self.find_account(caller.name)
            return account is not None and not account.is_disabled
        row = self._select_one(
            f"SELECT {_TOKEN_COLUMNS} FROM tokens WHERE number = ?", caller.token.number
        )
        return row is not None and self._build_caller(row) is not None

    def _build_caller(self, row: dict[str, Any]) -> Caller | None:
        token, account = _read_token(row), self.find_account(row["account"])
        if account is None or account.is_disabled or not self._holds(row["act"]):
            return None
        if token.is_revoked or token.expires <= time.time():
            return None
        return Caller(account, token)

    # The ledger

    def _grant(
        self, act: str, words: str, by: str, about: dict[str, str], write: Callable[[Any], Any]
    ) -> None:
        """Write an act that counts from its ledger entry on."""
        with self._locked(), self._transaction() as db:
            write(db)
        self._ledger.record_act(words, by, about, act)

    def _take_away(
        self, words: str, by: str, about: dict[str, str], write: Callable[[Any], Any]
    ) -> None:
        """Write an act that counts at once, and with it the entry that the ledger owes it."""
        with self._locked(), self._transaction() as db:
            write(db)
            db.execute(
                "INSERT INTO pending_acts (act, words, by, about) VALUES (?, ?, ?, ?)",
                (_make_act_id(), words, by, json.dumps(about)),
            )
            db.execute(
                "INSERT INTO revision SELECT 0 WHERE NOT EXISTS (SELECT * FROM revision);"
                "UPDATE revision SET number = number + 1"
            )
        self.complete_acts()

    def complete_acts(self) -> None:
        """Record the acts whose process ended before it reached the ledger."""
        if self._select_one("SELECT * FROM pending_acts") is None:
            return
        # The lock of this transaction keeps other processes from doing the same.
        with self._locked(), self._transaction() as db:
            for row in self._select("SELECT * FROM pending_acts ORDER BY number"):
                if not self._holds(row["act"]):
                    about = json.loads(row["about"])
                    self._ledger.record_act(row["words"], row["by"], about, row["act"])
                db.execute("DELETE FROM pending_acts WHERE number = ?", (row["number"],))

    def read_revision(self) -> int:
        """Return a number that grows with everything that was taken away, in any process."""
        row = self._select_one("SELECT number FROM revision")
        return 0 if row is None else int(row["number"])

    def _holds(self, act: str | None) -> bool:
        return act is not None and self._ledger.state.has_act(act)

    def _require_account(self, name: str) -> None:
        if self.find_account(name) is None:
            raise Refused(f"There is no account {name}. Add it with 'hedgerow account add'.")


def _make_act_id() -> str:
    return secrets.token_hex(16)


def _write_password(db: Any, account: str, digest: str | None, act: str) -> None:
    """Write a password beside the older ones: until its act counts, they do."""
    if digest is not None:
        db.execute(
            "INSERT INTO passwords (account, digest, act) VALUES (?, ?, ?)", (account, digest, act)
        )


def _read_token(row: dict[str, Any]) -> AccessToken:
    return AccessToken(
        row["number"],
        row["account"],
        row["name"],
        row["created"],
        row["expires"],
        bool(row["revoked"]),
        bool(row["explains_only"]),
        bool(row["needs_epsilon"]),
    )
