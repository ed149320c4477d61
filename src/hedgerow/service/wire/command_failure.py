"""The failure of a command for a reason of the protocol."""

from __future__ import annotations

__all__ = ["CommandFailed"]


class CommandFailed(Exception):
    """A command that fails for a reason of the protocol, with its SQLSTATE."""

    def __init__(self, sqlstate: str, message: str) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate
