"""Connections and cursors as in PEP 249."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from hedgerow.client.service_address import is_service_url
from hedgerow.dbapi import errors
from hedgerow.dbapi.errors import InterfaceError, WrongArgumentError, translate_errors
from hedgerow.dbapi.parameters import Parameters, bind_parameters
from hedgerow.errors import trim_tracebacks

if TYPE_CHECKING:
    from hedgerow.client.remote_database import RemoteDatabase
    from hedgerow.database import Database
    from hedgerow.numeric.exact_number import Number

__all__ = [
    "BOOLEAN",
    "DATETIME",
    "NUMBER",
    "STRING",
    "Connection",
    "Cursor",
    "TypeCode",
    "connect",
]


@dataclass(frozen=True, slots=True)
class TypeCode:
    """The type of an answer's column, as in ``description``."""

    name: str


STRING: Final = TypeCode("text")
NUMBER: Final = TypeCode("number")
DATETIME: Final = TypeCode("date")
BOOLEAN: Final = TypeCode("boolean")

ColumnDescription = tuple[str, TypeCode | None, None, None, None, None, None]


@trim_tracebacks
def connect(
    database: str | Path | Database,
    *,
    analyst: str | None = None,
    deadline: float = 60.0,
    in_process: bool = False,
    token: str | None = None,
    ca_file: str | Path | None = None,
) -> Connection:
    """Connect to the database of a policy file, opened as by ``open``, or to an open database,
    which the connection does not close.

    A URL such as https://host:8800 is that of a service; its ``token`` says who asks, and
    ``ca_file`` names the authority of a certificate that the system does not know.
    """
    # pandas.read_sql works, but warns of all connections that it does not know by name. A filter is
    # the only way to say no: pandas asks the connection nothing before it warns.
    warnings.filterwarnings("ignore", "pandas only supports SQLAlchemy", UserWarning)
    with translate_errors():
        if is_service_url(database):
            return _connect_to_service(str(database), analyst, token, ca_file)
        _refuse_service_options(token, ca_file)

        from hedgerow.database import Database, open

        if isinstance(database, Database):
            return Connection(database, analyst=analyst, owned=False)
        opened = open(database, analyst=analyst, deadline=deadline, in_process=in_process)
        return Connection(opened, analyst=analyst, owned=True)


def _connect_to_service(
    url: str, analyst: str | None, token: str | None, ca_file: str | Path | None
) -> Connection:
    from hedgerow.client.remote_database import remote

    if analyst is not None:
        raise WrongArgumentError("analyst", "must be left out for a service: the token says it")
    if token is None:
        raise WrongArgumentError(
            "token", "is missing: create one on the page Tokens, or with 'hedgerow account token'"
        )
    return Connection(remote(url, token=token, ca_file=ca_file), analyst=None, owned=True)


def _refuse_service_options(token: str | None, ca_file: str | Path | None) -> None:
    for name, value in (("token", token), ("ca_file", ca_file)):
        if value is not None:
            raise WrongArgumentError(
                name, "belongs to a service: give its address, such as https://host:8800"
            )


class Connection:
    """A PEP 249 connection. There are no transactions: every question is charged, and an answer is
    never taken back."""

    Warning = errors.Warning
    Error = errors.Error
    InterfaceError = errors.InterfaceError
    DatabaseError = errors.DatabaseError
    DataError = errors.DataError
    OperationalError = errors.OperationalError
    IntegrityError = errors.IntegrityError
    InternalError = errors.InternalError
    ProgrammingError = errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    def __init__(
        self, database: Database | RemoteDatabase, *, analyst: str | None, owned: bool
    ) -> None:
        self._database: Database | RemoteDatabase | None = database
        self._analyst = analyst
        self._owns_database = owned

    @property
    def database(self) -> Database | RemoteDatabase:
        """The database, for its budget and for ``explain``."""
        if self._database is None:
            raise InterfaceError("The connection is closed. Connect again.")
        return self._database

    @property
    def analyst(self) -> str | None:
        """The analyst; None for the one that the database was opened for."""
        return self._analyst

    @property
    def options(self) -> dict[str, Any]:
        """The options of every question; a service knows the analyst from the token."""
        return {} if self._analyst is None else {"analyst": self._analyst}

    def cursor(self) -> Cursor:
        """Return a new cursor."""
        _ = self.database
        return Cursor(self)

    def commit(self) -> None:
        """Do nothing: a charge is durable before its answer is returned."""
        _ = self.database

    def rollback(self) -> None:
        """Refuse: an answer is known once it is given, and stays charged."""
        raise errors.NotSupportedError(
            "Nothing can be rolled back: an answer that was given stays charged. Do not call"
            " rollback."
        )

    def close(self) -> None:
        """Close the database, if the connection opened it."""
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
    """A PEP 249 cursor. ``epsilon`` is the price of every further question; None leaves it to
    OPTIONS or the policy.

    ``answer`` is the whole answer, with intervals, cost and receipt, or the explanation after
    EXPLAIN PRIVACY.
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

    @trim_tracebacks
    def execute(self, operation: str, parameters: Parameters | None = None) -> Self:
        """Ask one question; a list of parameters replaces its ``?`` signs in order, a dict its
        ``:name`` and ``%(name)s``."""
        return self.executemany(operation, [() if parameters is None else parameters])

    @trim_tracebacks
    def executemany(self, operation: str, seq_of_parameters: Iterable[Parameters]) -> Self:
        """Ask one question for each list of parameters, each with its own charge. Their rows are
        concatenated; ``answer`` is the last answer."""
        database, options = self._check_open(), self.connection.options
        self._rows = self.description = self.answer = None
        self._position, self.rowcount = 0, -1
        rows: list[tuple[Any, ...]] = []
        names: Sequence[str] = ()
        for parameters in seq_of_parameters:
            with translate_errors():
                self.answer = database.query(
                    bind_parameters(operation, parameters),
                    epsilon=self.epsilon,
                    **options,
                )
            names, tabulated = _tabulate_answer(self.answer)
            rows += tabulated
        if self.answer is not None:
            self.description = tuple(
                (name, _infer_type_code(row[place] for row in rows), *_UNKNOWN_DETAILS)
                for place, name in enumerate(names)
            )
            self._rows, self.rowcount = rows, len(rows)
        return self

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row; None after the last."""
        found = self.fetchmany(1)
        return found[0] if found else None

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        """Return the next ``size`` rows, or ``arraysize`` of them."""
        count = self.arraysize if size is None else size
        if count < 0:
            raise WrongArgumentError("size", "must be 0 or more", count)
        rows = self._require_rows()[self._position : self._position + count]
        self._position += len(rows)
        return rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all remaining rows."""
        return self.fetchmany(len(self._require_rows()))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self

    def __next__(self) -> tuple[Any, ...]:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def setinputsizes(self, sizes: Sequence[object]) -> None:
        """Do nothing: parameters are small."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Do nothing: answers are small."""

    def close(self) -> None:
        """Drop the rows."""
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

    def _check_open(self) -> Database | RemoteDatabase:
        if self._closed:
            raise InterfaceError("The cursor is closed. Take a new one from the connection.")
        return self.connection.database

    def _require_rows(self) -> list[tuple[Any, ...]]:
        self._check_open()
        if self._rows is None:
            raise InterfaceError("There are no rows to fetch. Execute a question first.")
        return self._rows


# Sizes, precision and nullability: unknown for answers.
_UNKNOWN_DETAILS: Final = (None, None, None, None, None)
# bool comes first, because True is a number too.
_TYPE_CODES: Final = ((bool, BOOLEAN), (numbers.Number, NUMBER), (str, STRING), (date, DATETIME))


def _tabulate_answer(answer: Any) -> tuple[Sequence[str], list[tuple[Any, ...]]]:
    """Return the column names and rows of an answer, or a row for each explained aggregate."""
    if hasattr(answer, "rows"):
        return answer.columns, [tuple(row[name] for name in answer.columns) for row in answer.rows]
    lines = [{**line, "cost": str(answer.cost)} for line in answer.to_dict()["aggregates"]]
    names = ("aggregate", "mechanism", "scale", "expected_error", "error_95", "note", "cost")
    return names, [tuple(line[name] for name in names) for line in lines]


def _infer_type_code(values: Iterable[object]) -> TypeCode | None:
    """Infer the type of a column from its first value that is not NULL; None without one."""
    value = next((value for value in values if value is not None), None)
    return next((code for kind, code in _TYPE_CODES if isinstance(value, kind)), None)
