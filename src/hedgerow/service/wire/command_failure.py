"""The failure of a command for a reason of the protocol."""

from __future__ import annotations

__all__ = ["CommandFailed"]


class CommandFailed(Exception):
    """A command that fails for a reason of the protocol, with its SQLSTATE.

    Some drivers know a failure by the routine of PostgreSQL that reports it.
    """

    def __init__(self, sqlstate: str, message: str, routine: str = "") -> None:
        super().__init__(message)
        self.sqlstate, self.routine = sqlstate, routine
