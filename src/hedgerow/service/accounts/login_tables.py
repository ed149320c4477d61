"""Sessions of browsers, logins under way at another site, and delays after wrong passwords."""

from __future__ import annotations

import secrets
import time
from contextlib import AbstractContextManager
from typing import Any, Final

from hedgerow.service.accounts.records import LoginMethod, Session
from hedgerow.service.accounts.table_stores import Statements, TableStore
from hedgerow.service.accounts.tokens import compute_token_digest

__all__ = ["LOGIN_TABLES", "SESSION_SECONDS", "LoginTables"]

SESSION_SECONDS: Final = 12 * 3600
_IDLE_SECONDS: Final = 3600
_NOTED_SECONDS: Final = 60  # how exactly the last use of a session is kept
LOGIN_TABLES: Final = """
CREATE TABLE IF NOT EXISTS sessions (digest TEXT PRIMARY KEY, account TEXT NOT NULL,
  form_secret TEXT NOT NULL, method TEXT NOT NULL, password_act TEXT NOT NULL,
  confirmed REAL NOT NULL, used REAL NOT NULL, expires REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS started_logins (digest TEXT PRIMARY KEY, nonce TEXT NOT NULL,
  verifier TEXT NOT NULL, confirms INTEGER NOT NULL, expires REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS login_failures (subject TEXT PRIMARY KEY, count INTEGER NOT NULL,
  until REAL NOT NULL) STRICT;
"""
_DAY: Final = 86_400
_FREE_TRIES: Final = 20  # of an address, which many people may share
_LONGEST_DELAY: Final = 900.0
_FORGIVEN_SECONDS: Final = 600  # one wrong password is forgotten in this time
_KNOWN_DAYS: Final = 30  # in which a right password makes an address known for a name
_STARTED_SECONDS: Final = 600
_MOST_STARTED: Final = 10_000


class LoginTables:
    """The tables of logins among those of accounts."""

    _store: TableStore

    def open_session(
        self,
        account: str,
        method: LoginMethod = LoginMethod.password,
        *,
        old_cookie: str = "",
        is_confirmed: bool = False,
    ) -> str:
        """Open a session and return the text of its cookie; the session of the browser's old
        cookie ends. ``is_confirmed``: the person has just shown anew who they are."""
        text, now = secrets.token_urlsafe(32), time.time()
        with self._locked(), self._transaction() as db:
            db.execute(
                "DELETE FROM sessions WHERE expires < ? OR digest = ?",
                (now, compute_token_digest(old_cookie)),
            )
            db.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(compute_token_digest(text), account, secrets.token_urlsafe(24), method.value),
                    *(self._find_password_act(account), now if is_confirmed else 0.0),
                    *(now, now + SESSION_SECONDS),
                ),
            )
        return text

    def find_session(self, cookie: str) -> Session | None:
        """Return the session of a cookie, or None if it has ended, was idle for too long, or its
        account has another password now."""
        digest, now = compute_token_digest(cookie), time.time()
        row = self._select_one(
            "SELECT * FROM sessions WHERE digest = ? AND expires > ? AND used > ?",
            *(digest, now, now - _IDLE_SECONDS),
        )
        if row is None or row["password_act"] != self._find_password_act(row["account"]):
            return None
        if row["used"] < now - _NOTED_SECONDS:
            with self._locked(), self._transaction() as db:
                db.execute("UPDATE sessions SET used = ? WHERE digest = ?", (now, digest))
        method = LoginMethod(row["method"])
        return Session(row["account"], row["form_secret"], method, row["confirmed"])

    def close_session(self, cookie: str) -> None:
        """End a session."""
        with self._locked(), self._transaction() as db:
            db.execute("DELETE FROM sessions WHERE digest = ?", (compute_token_digest(cookie),))

    def _find_password_act(self, account: str) -> str:
        """Return the act that set the password of an account, or an empty text."""
        raise NotImplementedError

    # Logins under way

    def start_login(self, *, confirms: bool) -> tuple[str, str, str]:
        """Return state, nonce and verifier of a login at another site; ``confirms`` if it must ask
        people anew who they are."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        now = time.time()
        with self._locked(), self._transaction() as db:
            db.execute(
                "DELETE FROM started_logins WHERE expires < ? OR expires <= (SELECT expires FROM"
                " started_logins ORDER BY expires DESC LIMIT 1 OFFSET ?)",
                (now, _MOST_STARTED),
            )
            db.execute(
                "INSERT INTO started_logins VALUES (?, ?, ?, ?, ?)",
                (
                    *(compute_token_digest(state), nonce, verifier),
                    *(int(confirms), now + _STARTED_SECONDS),
                ),
            )
        return state, nonce, verifier

    def finish_login(self, state: str) -> tuple[str, str, bool] | None:
        """Return nonce, verifier and ``confirms`` of a login that was started; a state works
        once."""
        digest = compute_token_digest(state)
        with self._locked(), self._transaction() as db:
            row = db.execute(
                "DELETE FROM started_logins WHERE digest = ? RETURNING nonce, verifier, confirms,"
                " expires",
                (digest,),
            ).fetchone()
        if row is None or row[3] < time.time():
            return None
        return str(row[0]), str(row[1]), bool(row[2])

    # Delays after wrong passwords

    def claim_try(self, name: str, address: str, *, free: int = 0) -> float:
        """Return 0 and count a try of a name from an address, or the seconds until it may be tried.

        A try counts as failed from here on, so that many at once do not outrun the delay. Each
        failure doubles it, in all processes. The first ``free`` ones of a name have none. From an
        address where the name had the right password lately it has a delay of its own, so that
        somebody elsewhere who tries passwords does not lock it out.
        """
        now, place, address = time.time(), _name_place(name, address), f"address {address}"
        with self._locked(), self._transaction() as db:
            db.execute(
                "DELETE FROM login_failures WHERE until < ? OR (until < ? AND subject NOT LIKE"
                " 'place %')",
                (now - _KNOWN_DAYS * _DAY, now - _DAY),
            )
            known = db.execute(
                "SELECT * FROM login_failures WHERE subject = ?", (place,)
            ).fetchone()
            held = {}
            for subject in (f"name {name}" if known is None else place, address):
                row = db.execute(
                    "SELECT count, until FROM login_failures WHERE subject = ?", (subject,)
                ).fetchone()
                count, until = (0, now) if row is None else (int(row[0]), float(row[1]))
                if until > now:
                    return until - now
                held[subject] = max(0, count - int((now - until) / _FORGIVEN_SECONDS)) + 1
            for subject, count in held.items():
                counted = count - (_FREE_TRIES if subject == address else free)
                delay = min(2.0 ** min(max(0, counted - 3), 20), _LONGEST_DELAY)
                db.execute(
                    "INSERT INTO login_failures VALUES (?, ?, ?) ON CONFLICT (subject) DO UPDATE"
                    " SET count = excluded.count, until = excluded.until",
                    (subject, count, now + delay if counted > 0 else now),
                )
        return 0.0

    def forgive_try(self, name: str, address: str) -> None:
        """Take a try back whose password was right: the name starts anew, here and, if this address
        is new, everywhere; and the address has one failure less, or somebody with an account could
        try those of others for ever."""
        now, place, address = time.time(), _name_place(name, address), f"address {address}"
        with self._locked(), self._transaction() as db:
            if not db.change(
                "UPDATE login_failures SET count = 0, until = ? WHERE subject = ?", (now, place)
            ):
                db.execute("DELETE FROM login_failures WHERE subject = ?", (f"name {name}",))
                db.execute("INSERT INTO login_failures VALUES (?, 0, ?)", (place, now))
            db.execute(
                "UPDATE login_failures SET count = count - 1, until = ? WHERE subject = ?",
                (now, address),
            )

    # The store

    def _locked(self) -> AbstractContextManager[None]:
        return self._store.hold()

    def _transaction(self) -> AbstractContextManager[Statements]:
        return self._store.begin()

    def _select(self, sql: str, *values: object) -> list[dict[str, Any]]:
        return self._store.select(sql, *values)

    def _select_one(self, sql: str, *values: object) -> dict[str, Any] | None:
        return next(iter(self._select(sql, *values)), None)

    def close(self) -> None:
        """Close the store."""
        self._store.close()


def _name_place(name: str, address: str) -> str:
    return f"place {name} at {address}"
