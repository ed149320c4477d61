"""A connection as PEP 249 has it, for tools that speak to databases that way. Every answer is noisy
and paid for, as by ``Database.query``.

    Error                         (a HedgerowError)
    ├── InterfaceError            used wrongly: it is closed, or nothing was asked yet
    └── DatabaseError
        ├── DataError             a parameter that no literal can be written for
        ├── OperationalError      budget, source, ledger, entropy
        │   ├── Exhausted         also a BudgetExceeded
        │   ├── SourceFailed      also a SourceError
        │   ├── LedgerFailed      also a LedgerError
        │   └── EntropyFailed     also an EntropyError
        ├── ProgrammingError      the question or an argument is wrong
        │   ├── RefusedQuestion   also a Refused
        │   ├── NotSpoken         also an Unsupported
        │   ├── NotBounded        also an Unbounded
        │   └── WrongArgument     also an InvalidArgument
        ├── NotSupportedError     rollback: nothing is ever refunded
        ├── IntegrityError        never raised
        └── InternalError         never raised

So ``except hedgerow.Refused`` and ``except connection.ProgrammingError`` both catch a refusal.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from hedgerow import errors

if TYPE_CHECKING:
    from hedgerow.database import Database
    from hedgerow.numeric.exact_number import Number

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


class Warning(Exception):
    """PEP 249 wants the name; never raised."""


class Error(errors.HedgerowError):
    """Everything that a connection raises."""


class InterfaceError(Error):
    """A connection or cursor is used wrongly."""


class DatabaseError(Error):
    """Everything that comes from the database."""


class DataError(DatabaseError):
    """A parameter that no literal can be written for."""


class OperationalError(DatabaseError):
    """Nothing is wrong with the question."""


class IntegrityError(DatabaseError):
    """Never raised: nothing is written."""


class InternalError(DatabaseError):
    """Never raised."""


class ProgrammingError(DatabaseError):
    """The question or an argument is wrong."""


class NotSupportedError(DatabaseError):
    """What a database with transactions could do."""


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
    """Outside what Hedgerow speaks."""


class UnboundedQuestionError(ProgrammingError, errors.Unbounded):
    """A bound is missing."""


class WrongArgumentError(ProgrammingError, errors.InvalidArgument):
    """A parameter is wrong."""


# Looked through from the top, so the special ones come before the general.
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
def _translate_errors() -> Iterator[None]:
    """Hedgerow's errors as those of the tree above; an error that is of both trees stays what it
    is.
    """
    try:
        yield
    except errors.HedgerowError as error:
        kind = (
            None
            if isinstance(error, Error)
            else next(
                (kind for known, kind in _DBAPI_ERRORS if isinstance(error, known)), DatabaseError
            )
        )
        if kind is None:
            raise
        # what InvalidArgument is made of is no more known, its message is
        made = kind.__new__(kind, *error.args)
        made.__dict__.update(error.__dict__)
        raise made from error


@dataclass(frozen=True, slots=True)
class TypeCode:
    """The type of a column of an answer, as ``description`` tells it."""

    name: str


STRING: Final = TypeCode("text")
NUMBER: Final = TypeCode("number")
DATETIME: Final = TypeCode("date")
BOOLEAN: Final = TypeCode("boolean")

ColumnDescription = tuple[str, TypeCode | None, None, None, None, None, None]


def connect(
    database: str | Path | Database,
    *,
    analyst: str | None = None,
    deadline: float = 60.0,
    in_process: bool = False,
) -> Connection:
    """A PEP 249 connection to the database of a policy file, opened as by ``open``; or to one
    that is open, which stays so.
    """
    from hedgerow import database as room

    with _translate_errors():
        if isinstance(database, room.Database):
            return Connection(database, analyst=analyst, owned=False)
        return Connection(
            room.open(database, analyst=analyst, deadline=deadline, in_process=in_process),
            analyst=analyst,
            owned=True,
        )


class Connection:
    """Hands out cursors. There are no transactions: what is asked is paid for, and an answer is
    never taken back.
    """

    Warning = Warning
    Error = Error
    InterfaceError = InterfaceError
    DatabaseError = DatabaseError
    DataError = DataError
    OperationalError = OperationalError
    IntegrityError = IntegrityError
    InternalError = InternalError
    ProgrammingError = ProgrammingError
    NotSupportedError = NotSupportedError

    def __init__(self, database: Database, *, analyst: str | None, owned: bool) -> None:
        self._database: Database | None = database
        self._analyst = analyst
        self._owns_database = owned

    @property
    def database(self) -> Database:
        """The database behind it, for its budget and for ``explain``."""
        if self._database is None:
            raise InterfaceError("The connection is closed. Connect again.")
        return self._database

    @property
    def analyst(self) -> str | None:
        """Who asks; None for whom the database was opened for."""
        return self._analyst

    def cursor(self) -> Cursor:
        """A new cursor."""
        _ = self.database
        return Cursor(self)

    def commit(self) -> None:
        """Does nothing: a charge is durable before its answer is there."""
        _ = self.database

    def rollback(self) -> None:
        """Never: what was answered is known, and stays paid for."""
        raise NotSupportedError(
            "Nothing can be rolled back: an answer that was given stays paid for. Leave rollback"
            " out."
        )

    def close(self) -> None:
        """Let go of the database, if it was opened here."""
        held, self._database = self._database, None
        if held is not None and self._owns_database:
            held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Cursor:
    """Asks, and hands the rows of the answer out. ``epsilon`` is the price of every question from
    here on (None: by OPTIONS or the policy).

    ``answer`` is the whole answer, with intervals, cost and receipt; after EXPLAIN PRIVACY it is
    the explanation.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.arraysize = 1
        self.epsilon: Number | None = None
        self.answer: Any = None
        self.description: tuple[ColumnDescription, ...] | None = None
        self.rowcount = -1
        self._rows: list[tuple[Any, ...]] | None = None
        self._position = 0
        self._closed = False

    def execute(self, operation: str, parameters: Sequence[object] | None = None) -> Self:
        """Ask one question; each ``?`` in it stands for the next parameter."""
        return self.executemany(operation, [() if parameters is None else parameters])

    def executemany(self, operation: str, seq_of_parameters: Iterable[Sequence[object]]) -> Self:
        """Ask one question for each list of parameters, each charged on its own. Their rows
        follow one another; ``answer`` is the last.
        """
        database = self._check_open()
        self._rows, self._position, self.description, self.rowcount, self.answer = (
            None,
            0,
            None,
            -1,
            None,
        )
        rows: list[tuple[Any, ...]] = []
        names: Sequence[str] = ()
        for parameters in seq_of_parameters:
            with _translate_errors():
                self.answer = database.query(
                    bind_parameters(operation, parameters),
                    epsilon=self.epsilon,
                    analyst=self.connection.analyst,
                )
            names, found = _tabulate_answer(self.answer)
            rows += found
        if self.answer is not None:
            self.description = tuple(
                (name, _infer_type_code(row[place] for row in rows), *_UNKNOWN_DETAILS)
                for place, name in enumerate(names)
            )
            self._rows, self.rowcount = rows, len(rows)
        return self

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row; None after the last."""
        found = self.fetchmany(1)
        return found[0] if found else None

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        """The next ``size`` rows, or ``arraysize`` of them."""
        start, most = self._position, self.arraysize if size is None else size
        if most < 0:
            raise WrongArgumentError("size", "must be 0 or more", most)
        found = self._require_rows()[start : start + most]
        self._position += len(found)
        return found

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows that are left."""
        return self.fetchmany(len(self._require_rows()))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self

    def __next__(self) -> tuple[Any, ...]:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def setinputsizes(self, sizes: Sequence[object]) -> None:
        """Does nothing: parameters are small."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Does nothing: answers are small."""

    def close(self) -> None:
        """Let go of the rows."""
        self._rows, self._closed = None, True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _check_open(self) -> Database:
        if self._closed:
            raise InterfaceError("The cursor is closed. Take a new one from the connection.")
        return self.connection.database

    def _require_rows(self) -> list[tuple[Any, ...]]:
        self._check_open()
        if self._rows is None:
            raise InterfaceError("There are no rows to fetch: execute a question first.")
        return self._rows


# sizes, precision and whether it may be NULL: answers say nothing of them
_UNKNOWN_DETAILS: Final = (None, None, None, None, None)
# True is a number too, and comes first
_TYPE_CODES: Final = ((bool, BOOLEAN), (numbers.Number, NUMBER), (str, STRING), (date, DATETIME))


def _tabulate_answer(answer: Any) -> tuple[Sequence[str], list[tuple[Any, ...]]]:
    """Names and rows of an answer; of an explanation, a row for each aggregate."""
    if hasattr(answer, "rows"):
        return answer.columns, [tuple(row[name] for name in answer.columns) for row in answer.rows]
    lines = [{**line, "cost": str(answer.cost)} for line in answer.to_dict()["aggregates"]]
    names = ("aggregate", "mechanism", "scale", "expected_error", "error_95", "note", "cost")
    return names, [tuple(line[name] for name in names) for line in lines]


def _infer_type_code(values: Iterable[object]) -> TypeCode | None:
    """The type of a column by its first value that is there; None where there is none."""
    value = next((value for value in values if value is not None), None)
    return next((code for kind, code in _TYPE_CODES if isinstance(value, kind)), None)


def bind_parameters(operation: str, parameters: Sequence[object]) -> str:
    """The question with a literal in place of each ``?``. A question mark inside text, a name or
    a comment is none of them.
    """
    if isinstance(parameters, str | bytes | Mapping) or not isinstance(parameters, Sequence):
        raise ProgrammingError(
            "Parameters are given as a list or a tuple, one for each ? of the question."
        )
    if not isinstance(operation, str):
        raise errors.InvalidArgument("operation", "must be text", operation)
    places = _find_placeholders(operation)
    if len(places) != len(parameters):
        raise ProgrammingError(
            f"The question has {len(places)} of the sign ? for parameters, and {len(parameters)}"
            " were given."
        )
    pieces, done = [], 0
    for place, value in zip(places, parameters, strict=True):
        # The blanks keep a literal from melting into what stands beside it: x -? and -1 would be a
        # comment.
        pieces += [operation[done:place], f" {format_literal(value)} "]
        done = place + 1
    return "".join([*pieces, operation[done:]])


def _find_placeholders(operation: str) -> list[int]:
    """Where the parameters stand. What is no SQL has none: the database says what is wrong with
    it.
    """
    from sqlglot.dialects.duckdb import DuckDB
    from sqlglot.errors import SqlglotError
    from sqlglot.tokenizer_core import TokenType

    from hedgerow.sql.syntax.source_text import MAX_BYTES

    if "?" not in operation or len(operation) > MAX_BYTES:
        return []
    try:
        tokens = DuckDB().tokenize(operation)
        # EXPLAIN: the rest is read as text, so it is read again without it
        if tokens and tokens[0].token_type == TokenType.COMMAND:
            end = tokens[0].end + 1
            tokens = DuckDB().tokenize(" " * end + operation[end:])
    except (SqlglotError, ValueError):
        return []
    # ? and ?::
    return [
        token.start
        for token in tokens
        if token.token_type in (TokenType.PLACEHOLDER, TokenType.QDCOLON)
    ]


def format_literal(value: object) -> str:
    """A value as SQL is written; DataError for what has no literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + str(value).replace("'", "''") + "'"
    if isinstance(value, date) and not isinstance(value, datetime):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, numbers.Integral):
        return _parenthesise_negative(str(int(value)))
    if isinstance(value, Decimal) and value.is_finite():
        return _parenthesise_negative(f"{value:f}")
    if (
        isinstance(value, numbers.Real)
        and not isinstance(value, numbers.Rational)
        and math.isfinite(value)
    ):
        return _parenthesise_negative(repr(float(value)))
    raise DataError(
        "A parameter is a number that is finite, text, a date, True, False or None. Write other"
        " values as one of these."
    )


def _parenthesise_negative(number: str) -> str:
    return f"({number})" if number.startswith("-") else number
