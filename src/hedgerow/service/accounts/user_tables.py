"""Sessions, delays after wrong passwords, request keys, saved and asked questions: what needs no
ledger entry."""

from __future__ import annotations

import secrets
import time
from typing import Any, Final

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.service.accounts.records import Session
from hedgerow.service.accounts.tokens import compute_token_digest
from hedgerow.sqlite_file import SqliteFile

__all__ = ["SESSION_SECONDS", "USER_TABLES", "UserTables"]

SESSION_SECONDS: Final = 12 * 3600
USER_TABLES: Final = """
CREATE TABLE IF NOT EXISTS sessions (digest TEXT PRIMARY KEY, account TEXT NOT NULL,
  form_secret TEXT NOT NULL, confirmed REAL NOT NULL, expires REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS login_failures (subject TEXT PRIMARY KEY, count INTEGER NOT NULL,
  until REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS requests (account TEXT NOT NULL, request TEXT NOT NULL,
  digest TEXT NOT NULL, PRIMARY KEY (account, request)) STRICT;
CREATE TABLE IF NOT EXISTS saved_questions (account TEXT NOT NULL, name TEXT NOT NULL,
  sql TEXT NOT NULL, PRIMARY KEY (account, name)) STRICT;
CREATE TABLE IF NOT EXISTS asked_questions (entry INTEGER PRIMARY KEY, account TEXT NOT NULL,
  sql TEXT NOT NULL) STRICT;
"""
_DAY: Final = 86_400
_MAX_SAVED: Final = 200


class UserTables(SqliteFile):
    """The tables of users in the account file."""

    def open_session(self, account: str) -> str:
        """Open a session and return the text of its cookie."""
        text, now = secrets.token_urlsafe(32), time.time()
        with self._locked(), self._transaction() as db:
            db.execute("DELETE FROM sessions WHERE expires < ?", (now,))
            db.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?)",
                (
                    compute_token_digest(text),
                    account,
                    secrets.token_urlsafe(24),
                    now,
                    now + SESSION_SECONDS,
                ),
            )
        return text

    def find_session(self, cookie: str) -> Session | None:
        """Return the session of a cookie, or None."""
        row = self._select_one(
            "SELECT * FROM sessions WHERE digest = ? AND expires > ?",
            compute_token_digest(cookie),
            time.time(),
        )
        if row is None:
            return None
        return Session(row["account"], row["form_secret"], row["confirmed"])

    def close_session(self, cookie: str) -> None:
        """End a session."""
        with self._locked(), self._transaction() as db:
            db.execute("DELETE FROM sessions WHERE digest = ?", (compute_token_digest(cookie),))

    # Delays after wrong passwords

    def find_delay(self, *subjects: str) -> float:
        """Return the seconds until one of these subjects (a name, an address) may try again."""
        marks = ", ".join("?" * len(subjects))
        rows = self._select(
            f"SELECT until FROM login_failures WHERE subject IN ({marks})", *subjects
        )
        return max([0.0, *(float(row["until"]) - time.time() for row in rows)])

    def record_failure(self, *subjects: str) -> None:
        """Double the delay of these subjects, from one second to a quarter of an hour."""
        now = time.time()
        with self._locked(), self._transaction() as db:
            db.execute("DELETE FROM login_failures WHERE until < ?", (now - _DAY,))
            for subject in subjects:
                row = db.execute(
                    "SELECT count FROM login_failures WHERE subject = ?", (subject,)
                ).fetchone()
                count = 1 if row is None else int(row[0]) + 1
                until = now + min(2.0 ** max(0, count - 3), 900.0)
                db.execute(
                    "INSERT OR REPLACE INTO login_failures VALUES (?, ?, ?)",
                    (subject, count, until),
                )

    def forget_failures(self, *subjects: str) -> None:
        """End the delay of these subjects after a right password."""
        with self._locked(), self._transaction() as db:
            for subject in subjects:
                db.execute("DELETE FROM login_failures WHERE subject = ?", (subject,))

    # Request keys

    def claim_request(self, account: str, request: str, digest: str) -> bool:
        """Return whether a request key of an account is new or was used for the same question."""
        with self._locked(), self._transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO requests VALUES (?, ?, ?)", (account, request, digest)
            )
        row = self._select_one(
            "SELECT digest FROM requests WHERE account = ? AND request = ?", account, request
        )
        return row is not None and row["digest"] == digest

    # Saved questions

    def save_question(self, account: str, name: str, sql: str) -> None:
        """Save a question under a name."""
        if not 1 <= len(name) <= 80:
            raise InvalidArgument("name", "of a saved question must have 1 to 80 characters", name)
        if len(self.list_questions(account)) >= _MAX_SAVED:
            raise Refused(f"At most {_MAX_SAVED} questions can be saved. Delete one first.")
        with self._locked(), self._transaction() as db:
            db.execute(
                "INSERT OR REPLACE INTO saved_questions VALUES (?, ?, ?)", (account, name, sql)
            )

    def list_questions(self, account: str) -> list[tuple[str, str]]:
        """Return the names and texts of the saved questions of an account."""
        rows = self._select(
            "SELECT name, sql FROM saved_questions WHERE account = ? ORDER BY name", account
        )
        return [(row["name"], row["sql"]) for row in rows]

    def delete_question(self, account: str, name: str) -> None:
        """Delete a saved question."""
        with self._locked(), self._transaction() as db:
            db.execute(
                "DELETE FROM saved_questions WHERE account = ? AND name = ?", (account, name)
            )

    # Asked questions

    def record_question(self, entry: int, account: str, sql: str) -> None:
        """Keep the text of a question that was charged, for the history of its account."""
        with self._locked(), self._transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO asked_questions VALUES (?, ?, ?)", (entry, account, sql)
            )

    def list_asked_questions(self) -> dict[int, str]:
        """Return the texts of questions by their ledger entries."""
        rows = self._select("SELECT entry, sql FROM asked_questions")
        return {row["entry"]: row["sql"] for row in rows}

    def _select(self, sql: str, *values: object) -> list[dict[str, Any]]:
        with self._locked():
            cursor = self._require_connection().cursor()
            rows = []
            for row in cursor.execute(sql, values):
                names = [column[0] for column in cursor.get_description()]
                rows.append(dict(zip(names, row, strict=True)))
        return rows

    def _select_one(self, sql: str, *values: object) -> dict[str, Any] | None:
        return next(iter(self._select(sql, *values)), None)
