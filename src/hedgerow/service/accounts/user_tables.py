"""Request keys, saved and asked questions, and alerts: what needs no ledger entry."""

from __future__ import annotations

import time
from typing import Final

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.service.accounts.login_tables import LoginTables

__all__ = ["USER_TABLES", "UserTables"]

USER_TABLES: Final = """
CREATE TABLE IF NOT EXISTS requests (account TEXT NOT NULL, request TEXT NOT NULL,
  digest TEXT NOT NULL, PRIMARY KEY (account, request)) STRICT;
CREATE TABLE IF NOT EXISTS saved_questions (account TEXT NOT NULL, name TEXT NOT NULL,
  sql TEXT NOT NULL, epsilon TEXT NOT NULL, PRIMARY KEY (account, name)) STRICT;
CREATE TABLE IF NOT EXISTS asked_questions (entry INTEGER PRIMARY KEY, account TEXT NOT NULL,
  sql TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS alerts (population TEXT NOT NULL, percent INTEGER NOT NULL,
  total TEXT NOT NULL, claimed REAL NOT NULL, is_sent INTEGER NOT NULL,
  PRIMARY KEY (population, percent, total)) STRICT;
"""
_RETRY_SECONDS: Final = 60.0
_MAX_SAVED: Final = 200


class UserTables(LoginTables):
    """The tables of users among those of accounts."""

    # Request keys

    def claim_request(self, account: str, request: str, digest: str) -> bool:
        """Return whether a request key of an account is new or was used for the same question."""
        with self._locked(), self._transaction() as db:
            db.execute(
                "INSERT INTO requests VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (account, request, digest),
            )
        row = self._select_one(
            "SELECT digest FROM requests WHERE account = ? AND request = ?", account, request
        )
        return row is not None and row["digest"] == digest

    # Saved questions

    def save_question(self, account: str, name: str, sql: str, epsilon: str) -> None:
        """Save a question under a name, with its epsilon as text; "" if it names none."""
        if not 1 <= len(name) <= 80:
            raise InvalidArgument("name", "of a saved question must have 1 to 80 characters", name)
        if len(self.list_questions(account)) >= _MAX_SAVED:
            raise Refused(f"At most {_MAX_SAVED} questions can be saved. Delete one first.")
        with self._locked(), self._transaction() as db:
            db.execute(
                "INSERT INTO saved_questions VALUES (?, ?, ?, ?) ON CONFLICT (account, name)"
                " DO UPDATE SET sql = excluded.sql, epsilon = excluded.epsilon",
                (account, name, sql, epsilon),
            )

    def list_questions(self, account: str) -> list[tuple[str, str, str]]:
        """Return the names, texts and epsilons of the saved questions of an account."""
        rows = self._select(
            "SELECT name, sql, epsilon FROM saved_questions WHERE account = ? ORDER BY name",
            account,
        )
        return [(row["name"], row["sql"], row["epsilon"]) for row in rows]

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
                "INSERT INTO asked_questions VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (entry, account, sql),
            )

    def list_asked_questions(self) -> dict[int, str]:
        """Return the texts of questions by their ledger entries."""
        rows = self._select("SELECT entry, sql FROM asked_questions")
        return {row["entry"]: row["sql"] for row in rows}

    # Alerts

    def claim_alert(self, population: str, percent: int, total: str) -> bool:
        """Return whether this process is to send an alert: nobody has sent it, and nobody else has
        been trying for a minute. ``total`` is that of the budget, so that a raised one alerts
        again."""
        now, key = time.time(), (population, percent, total)
        with self._locked(), self._transaction() as db:
            db.execute("INSERT INTO alerts VALUES (?, ?, ?, 0, 0) ON CONFLICT DO NOTHING", key)
            claimed = db.change(
                "UPDATE alerts SET claimed = ? WHERE population = ? AND percent = ? AND total = ?"
                " AND is_sent = 0 AND claimed < ?",
                (now, *key, now - _RETRY_SECONDS),
            )
            return bool(claimed)

    def finish_alert(self, population: str, percent: int, total: str) -> None:
        """Record that an alert was sent."""
        with self._locked(), self._transaction() as db:
            db.execute(
                "UPDATE alerts SET is_sent = 1 WHERE population = ? AND percent = ? AND total = ?",
                (population, percent, total),
            )
