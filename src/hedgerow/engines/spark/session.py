"""A Spark Connect session: ANSI mode, one statement at a time, and a deadline that ends it.

The server never gets text of an analyst, and what it says of an error never leaves this module: it
may quote data. Each call runs in a thread of its own, so that a network that has gone cannot hold
the caller.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import uuid
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

import numpy as np

from hedgerow.engines.result_columns import ResultColumns, convert_result
from hedgerow.engines.statement import Statement
from hedgerow.errors import SourceError, Unsupported

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SparkConnection"]

T = TypeVar("T")

# A server may have other defaults, some of which change what a statement means.
_SETTINGS: Final = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.variable.substitute": "false",  # or ${…} in a text would be replaced
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.legacy.parser.havingWithoutGroupByAsWhere": "false",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",  # old dates are no error
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
}
_NOISY_LOGGERS: Final = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_CONNECT_SECONDS: Final = 60.0
_INTERRUPT_SECONDS: Final = 5.0
_MAX_RETRIES: Final = 4
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


class SparkConnection:
    """One session at a time, opened when it is needed and again after it broke."""

    def __init__(self, address: str, *, deadline: float) -> None:
        self.deadline = deadline
        self._address = address
        self._lock = threading.Lock()
        self._session: Any = None
        self._finalizer: weakref.finalize[..., Any] | None = None

    def call(self, action: Callable[[Any], T], seconds: float) -> T:
        """Run an action with the session; interrupt it after these seconds."""
        with self._lock:
            session = self._open()
            tag = f"hedgerow-{uuid.uuid4().hex}"

            def tagged() -> T:
                session.addTag(tag)
                return action(session)

            try:
                return _run_in_thread(tagged, seconds)
            except TimeoutError:
                with contextlib.suppress(Exception):
                    _run_in_thread(lambda: session.interruptTag(tag), _INTERRUPT_SECONDS)
                self._discard()
                raise

    def fetch_columns(self, statement: Statement, seconds: float) -> ResultColumns:
        """Run a statement once, and return its keys and numbers."""
        table = self.call(lambda session: session.sql(statement.sql).toArrow(), seconds)
        return convert_result(_build_arrays(table, statement), statement)

    def reconnect(self) -> None:
        """Open the session again if it broke."""
        with self._lock:
            self._open()

    def close(self) -> None:
        """Close the session; closing twice is harmless."""
        with self._lock:
            self._discard()

    def _open(self) -> Any:
        """Return the session, or a new one after it broke."""
        if self._session is not None and self._is_alive(self._session):
            return self._session
        self._discard()
        try:
            session = _run_in_thread(self._connect, _CONNECT_SECONDS)
        except Unsupported:
            raise
        except Exception:
            pass
        else:
            self._session = session
            self._finalizer = weakref.finalize(self, _release, session.client)
            return session
        raise SourceError(
            "The Spark Connect server cannot be reached. Check engine in the policy, that the"
            " server runs, and that the token, if it wants one, is in"
            " SPARK_CONNECT_AUTHENTICATE_TOKEN."
        )

    def _connect(self) -> Any:
        builder, session_class, policy = _import_client()
        is_local = urlsplit(self._address).hostname in _LOOPBACK
        # An HTTP proxy of the environment is not the way to this machine.
        options = [("grpc.enable_http_proxy", 0)] if is_local else []
        session = session_class(connection=builder(self._address, options))
        session.client.set_retry_policies([policy(max_retries=_MAX_RETRIES)])
        for name, value in _SETTINGS.items():
            if session.conf.get(name) != value:
                session.conf.set(name, value)
        return session

    @staticmethod
    def _is_alive(session: Any) -> bool:
        """Return whether a session still exists in the server, with its settings."""
        try:
            found = _run_in_thread(
                lambda: session.conf.get("spark.sql.variable.substitute"), _CONNECT_SECONDS
            )
        except Exception:
            return False
        return bool(found == "false")

    def _discard(self) -> None:
        if self._finalizer is not None:
            self._finalizer()
        self._session = self._finalizer = None


def _release(client: Any) -> None:
    """End a session in the server. At the end of the process the client's own way may never
    return."""
    with contextlib.suppress(Exception):
        _run_in_thread(client.release_session, _INTERRUPT_SECONDS)
    with contextlib.suppress(Exception):
        _run_in_thread(client.close, _INTERRUPT_SECONDS)


def _run_in_thread(action: Callable[[], T], seconds: float) -> T:
    """Run an action in a thread of its own, and wait for it so long; its error comes back."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(action())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    if thread.is_alive():
        raise TimeoutError
    if errors:
        raise errors[0]
    return results[0]


def _import_client() -> tuple[Any, Any, Any]:
    """Import the client, and turn off its logs, which would quote cells."""
    with warnings.catch_warnings(), _naming_main_module():
        warnings.simplefilter("ignore")  # it has not been told of pandas 3, which is not used here
        try:
            from pyspark.logger import PySparkLogger
            from pyspark.sql.connect.client import DefaultChannelBuilder
            from pyspark.sql.connect.client.retries import DefaultPolicy
            from pyspark.sql.connect.session import SparkSession
        except ImportError:
            raise Unsupported(
                "Spark needs its Connect client. Run: pip install 'hedgerow[spark]'."
            ) from None
    for name in _NOISY_LOGGERS:
        logger: logging.Logger = PySparkLogger.getLogger(name)
        logger.disabled = True
    return DefaultChannelBuilder, SparkSession, DefaultPolicy


@contextlib.contextmanager
def _naming_main_module() -> Iterator[None]:
    """Give ``python -c`` a file name meanwhile: without one the client takes it for a test of its
    own, and ends the process where it finds no Spark.
    """
    main = sys.modules["__main__"]
    if hasattr(main, "__file__"):
        yield
        return
    main.__file__ = os.devnull
    try:
        yield
    finally:
        del main.__file__


def _build_arrays(table: pa.Table, statement: Statement) -> dict[str, Any]:
    """Return arrays as ``convert_result`` takes them: keys and wide numbers as objects, and other
    numbers as integers; NULL where a number must be raises an error."""
    found: dict[str, Any] = {}
    for place, values in enumerate(table.itercolumns()):
        is_wide = place >= len(statement.keys) and statement.wide[place - len(statement.keys)]
        if place < len(statement.keys) or is_wide:
            array = np.empty(len(values), dtype=object)
            array[:] = values.to_pylist()
        else:
            if values.null_count:
                raise TypeError("numbers must be integers")
            array = values.to_numpy()
        found[str(place)] = array
    return found
