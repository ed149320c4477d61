"""One table from errors to the answers of both protocols: HTTP status and SQLSTATE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hedgerow.client.service_errors import (
    NotAllowed,
    NotAuthenticated,
    Overloaded,
    RequestConflict,
)
from hedgerow.errors import (
    BudgetExceeded,
    InvalidArgument,
    LedgerError,
    Refused,
    SourceError,
)

__all__ = [
    "PROBLEM_KINDS",
    "NotAllowed",
    "NotAuthenticated",
    "Overloaded",
    "ProblemKind",
    "RequestConflict",
    "describe_problem",
    "find_problem_kind",
]


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """A kind of problem: HTTP status, SQLSTATE, and a title for people."""

    status: int
    sqlstate: str
    title: str


# The first match decides.
PROBLEM_KINDS: Final[tuple[tuple[type[BaseException], ProblemKind], ...]] = (
    (NotAuthenticated, ProblemKind(401, "28P01", "Not logged in")),
    (NotAllowed, ProblemKind(403, "42501", "Not allowed")),
    (RequestConflict, ProblemKind(409, "42501", "Request key in use")),
    (Overloaded, ProblemKind(429, "53300", "Too many requests")),
    (BudgetExceeded, ProblemKind(402, "53400", "Budget exhausted")),
    (Refused, ProblemKind(400, "42501", "Refused")),
    (InvalidArgument, ProblemKind(422, "22023", "Wrong usage")),
    (SourceError, ProblemKind(503, "58000", "The data source failed")),
    (LedgerError, ProblemKind(503, "58030", "The ledger is not available")),
)
_INTERNAL: Final = ProblemKind(500, "XX000", "Internal error")
_INTERNAL_TEXT: Final = "Something went wrong inside the service. Tell the custodian the time."


def find_problem_kind(error: BaseException) -> ProblemKind:
    """Return the kind of an error."""
    return next((kind for type_, kind in PROBLEM_KINDS if isinstance(error, type_)), _INTERNAL)


def describe_problem(error: BaseException) -> str:
    """Return the words of an error; those of an unexpected one never leave the service."""
    return _INTERNAL_TEXT if find_problem_kind(error) is _INTERNAL else str(error)
