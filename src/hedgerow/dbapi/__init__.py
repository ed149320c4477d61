"""A PEP 249 connection, for tools that speak to databases that way. Every answer is noisy and
charged, as by ``Database.query``.

    Error                                (a HedgerowError)
    ├── InterfaceError                   wrong use: closed, or nothing was executed yet
    └── DatabaseError
        ├── DataError                    a parameter without a literal
        ├── OperationalError             budget, source, ledger, entropy
        │   ├── BudgetExhaustedError     also a BudgetExceeded
        │   ├── SourceFailedError        also a SourceError
        │   ├── LedgerFailedError        also a LedgerError
        │   └── EntropyFailedError       also an EntropyError
        ├── ProgrammingError             the question or an argument is wrong
        │   ├── RefusedQuestionError     also a Refused
        │   ├── UnsupportedQuestionError also an Unsupported
        │   ├── UnboundedQuestionError   also an Unbounded
        │   └── WrongArgumentError       also an InvalidArgument
        ├── NotSupportedError            rollback: nothing is ever refunded
        ├── IntegrityError               never raised
        └── InternalError                never raised

So ``except hedgerow.Refused`` and ``except connection.ProgrammingError`` both catch a refusal.
"""

from datetime import date
from typing import Final

from hedgerow.dbapi.connection import (
    BOOLEAN,
    DATETIME,
    NUMBER,
    STRING,
    Connection,
    Cursor,
    TypeCode,
    connect,
)
from hedgerow.dbapi.errors import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Warning,
)

__all__ = [
    "BOOLEAN",
    "DATETIME",
    "NUMBER",
    "STRING",
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Date",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "TypeCode",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
]

apilevel: Final = "2.0"
threadsafety: Final = 1  # threads may share the module, not a connection
paramstyle: Final = "qmark"

Date = date
