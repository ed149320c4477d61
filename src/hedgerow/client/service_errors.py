"""The errors that only a service raises, and the way back from a problem document to an error.

A service sends the name of an error's class with its words, so a client raises the same class with
the same words as a local database does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hedgerow.errors import (
    BudgetExceeded,
    EntropyError,
    HedgerowError,
    InvalidArgument,
    LedgerError,
    Refused,
    SourceError,
    Unbounded,
    Unsupported,
)

__all__ = [
    "NotAllowed",
    "NotAuthenticated",
    "Overloaded",
    "RequestConflict",
    "describe_error_class",
    "rebuild_error",
]


class NotAuthenticated(Refused):
    """A missing, unknown, expired or revoked token, or a wrong password."""


class NotAllowed(Refused):
    """An act that the caller's role or token does not permit."""


class RequestConflict(Refused):
    """An idempotency key that was used for another question."""


class Overloaded(Refused):
    """A request beyond a rate or concurrency limit; ``seconds`` later it may succeed."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


# Without InvalidArgument and Overloaded, which have fields of their own.
_CLASSES: Final[Mapping[str, type[HedgerowError]]] = {
    class_.__name__: class_
    for class_ in (
        BudgetExceeded,
        EntropyError,
        LedgerError,
        NotAllowed,
        NotAuthenticated,
        Refused,
        RequestConflict,
        SourceError,
        Unbounded,
        Unsupported,
    )
}
# For a problem without a class, such as one of a proxy.
_STATUSES: Final[Mapping[int, type[HedgerowError]]] = {
    400: Refused,
    401: NotAuthenticated,
    402: BudgetExceeded,
    403: NotAllowed,
    409: RequestConflict,
}
_SHARED: Final = (*_CLASSES.values(), InvalidArgument, Overloaded)


def describe_error_class(error: BaseException) -> dict[str, str]:
    """Return the members of a problem document that name the class of an error."""
    # The nearest class that a client knows; a subclass of the service's own stays inside.
    class_ = next((class_ for class_ in type(error).__mro__ if class_ in _SHARED), None)
    if class_ is None:
        return {}
    argument = {"argument": error.argument} if isinstance(error, InvalidArgument) else {}
    return {"error": class_.__name__} | argument


def rebuild_error(status: int, problem: Mapping[str, Any], seconds: float) -> HedgerowError:
    """Return the error that a service reported; ``seconds`` is its Retry-After."""
    words, name = str(problem.get("detail") or ""), problem.get("error")
    if name == "InvalidArgument":
        # The words are complete: the constructor would add to them.
        error = InvalidArgument.__new__(InvalidArgument, words)
        error.argument = str(problem.get("argument"))
        return error
    if name == "Overloaded" or status == 429:
        return Overloaded(words, seconds)
    class_ = _CLASSES.get(str(name)) or _STATUSES.get(status, SourceError)
    return class_(words or f"The service answered with status {status}. Tell the custodian.")
