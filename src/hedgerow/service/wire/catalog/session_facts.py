"""The facts of a session about itself: user, database, version and settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

__all__ = ["SERVER_VERSION", "SessionFacts"]

# Clients choose their statements by it; the catalogue is tested with those of this version.
SERVER_VERSION: Final = "15.0"


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """The facts of one session."""

    database: str
    user: str
    read_setting: Callable[[str], str | None]

    def read_fact(self, name: str) -> str | bool | int | None:
        """Return the value of a function without arguments, such as current_user."""
        if name in ("current_user", "session_user", "user", "current_role", "getpgusername"):
            return self.user
        if name in ("current_database", "current_catalog"):
            return self.database
        if name == "current_schema":
            return "public"
        return f"PostgreSQL {SERVER_VERSION} (Hedgerow)" if name == "version" else None
