"""The exception tree of PEP 249, and the translation of Hedgerow's errors into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from hedgerow import errors

__all__ = [
    "DataError",
    "DatabaseError",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Warning",
    "WrongArgumentError",
    "translate_errors",
]


class Warning(Exception):
    """A name that PEP 249 requires; never raised."""


class Error(errors.HedgerowError):
    """Any error of a connection."""


class InterfaceError(Error):
    """A connection or cursor was used in the wrong way."""


class DatabaseError(Error):
    """Any error of the database."""


class DataError(DatabaseError):
    """A parameter has no SQL literal."""


class OperationalError(DatabaseError):
    """The question is right, but could not be answered."""


class IntegrityError(DatabaseError):
    """Never raised: nothing is written."""


class InternalError(DatabaseError):
    """Never raised."""


class ProgrammingError(DatabaseError):
    """The question or an argument is wrong."""


class NotSupportedError(DatabaseError):
    """The operation needs transactions, which do not exist here."""


class BudgetExhaustedError(OperationalError, errors.BudgetExceeded):
    """The budget does not cover this question."""


class SourceFailedError(OperationalError, errors.SourceError):
    """The data source failed."""


class LedgerFailedError(OperationalError, errors.LedgerError):
    """The ledger cannot be trusted or written."""


class EntropyFailedError(OperationalError, errors.EntropyError):
    """The operating system gave no random bits."""


class RefusedQuestionError(ProgrammingError, errors.Refused):
    """The question cannot be answered privately as asked."""


class UnsupportedQuestionError(ProgrammingError, errors.Unsupported):
    """The question uses SQL that is not supported."""


class UnboundedQuestionError(ProgrammingError, errors.Unbounded):
    """A bound is missing."""


class WrongArgumentError(ProgrammingError, errors.InvalidArgument):
    """A parameter is wrong."""


# The first match is used, so subclasses come before their base class.
_DBAPI_ERRORS: Final[tuple[tuple[type[errors.HedgerowError], type[Error]], ...]] = (
    (errors.BudgetExceeded, BudgetExhaustedError),
    (errors.Unsupported, UnsupportedQuestionError),
    (errors.Unbounded, UnboundedQuestionError),
    (errors.Refused, RefusedQuestionError),
    (errors.InvalidArgument, WrongArgumentError),
    (errors.SourceError, SourceFailedError),
    (errors.LedgerError, LedgerFailedError),
    (errors.EntropyError, EntropyFailedError),
)


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise Hedgerow's errors as errors of this tree; an error of both trees is left as it is."""
    try:
        yield
    except Error:
        raise
    except errors.HedgerowError as error:
        kinds = (kind for known, kind in _DBAPI_ERRORS if isinstance(error, known))
        kind = next(kinds, DatabaseError)
        # Without __init__: the arguments of an InvalidArgument are gone, only its message is left.
        translated = kind.__new__(kind, *error.args)
        translated.__dict__.update(error.__dict__)
        raise translated from None
