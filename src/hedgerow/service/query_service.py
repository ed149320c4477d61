"""The one function behind every shell: who asks, may they, then ``Database.query`` or ``explain``.

HTTP, the PostgreSQL protocol and the pages call the methods of ``QueryService`` and only translate
its documents and errors. Its methods block; the servers call them in worker threads.
"""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.answers.unit_noun import name_unit
from hedgerow.database.database import Database
from hedgerow.database.open_database import open_with_engines
from hedgerow.database.query.column_description import OutputColumnType
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.database.uncharged.system_query import is_system_query
from hedgerow.engines.data_source import Source
from hedgerow.errors import HedgerowError, InvalidArgument, Refused, SourceError
from hedgerow.numeric.exact_number import Number
from hedgerow.privacy.unit import Unit
from hedgerow.release.release import SOURCE_FAILED
from hedgerow.service.accounts.account_file import AccountFile
from hedgerow.service.accounts.records import Account, Caller, Role
from hedgerow.service.admission import Admission
from hedgerow.service.connection_places import group_address
from hedgerow.service.engine_pool import EnginePool, track_slots
from hedgerow.service.problems import (
    NotAllowed,
    NotAuthenticated,
    Overloaded,
    RequestConflict,
)
from hedgerow.service.service_documents import ServiceDocuments
from hedgerow.service.settings import ServiceSettings
from hedgerow.service.single_flight import FlightLocks

__all__ = ["AskedAnswer", "OutputColumnType", "QueryService", "account_path"]

AskedAnswer = Answer | Explanation | ExactTable | PostprocessedAnswer
_MAX_SQL: Final = 100_000  # characters


class QueryService(ServiceDocuments):
    """Accounts and a database behind one set of methods, shared by all threads of a process."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        self.admission = Admission(settings.limits)
        self._lock = threading.RLock()
        self._database = self._open_database()
        policy = self._database.policy
        self.accounts = AccountFile(account_path(policy.folder, policy.name), self._database.ledger)
        ledger = policy.ledger_path
        assert ledger is not None  # only a frame may have none
        self._flights = FlightLocks(
            ledger.with_name(ledger.name + ".flights"), wait=4 * settings.departures.run_seconds
        )
        self._database.use_flights(self._flights.enter)

    def ask(
        self,
        caller: Caller,
        sql: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        request: str | None = None,
    ) -> AskedAnswer:
        """Answer a question, and charge it; the answer leaves at its departure time."""
        departures, start = self.settings.departures, time.monotonic()
        with track_slots() as slots:
            try:
                answer = self._ask(caller, sql, epsilon, delta, request)
                return _add_notes(answer, departures.notes)
            finally:
                if not slots.end:
                    departures.wait_for_step(start)
                elif not departures.wait_for_slot(slots.end):
                    raise SourceError(SOURCE_FAILED)

    def _ask(
        self,
        caller: Caller,
        sql: str,
        epsilon: Number | None,
        delta: Number | None,
        request: str | None,
    ) -> AskedAnswer:
        self._check_role(caller, sql)
        self._check_statement(sql)
        if caller.token is not None and caller.token.explains_only and not is_system_query(sql):
            raise NotAllowed(
                "This token may explain questions and not ask them. Use another token."
            )
        with self.admission.admit(caller.name), self._current() as database:
            if caller.token is not None and caller.token.needs_epsilon and epsilon is None:
                self._check_free(database, caller, sql)
            if request is not None:
                self._check_request(caller, request, sql, epsilon, delta)
            analyst = self._name_analyst(database, caller)
            if request is not None and analyst is None:
                # Custodians share one name in the ledger, but not their request keys.
                request = f"{caller.name}: {request}"
            answer = database.query(
                sql, epsilon=epsilon, delta=delta, analyst=analyst, request=request
            )
        if answer.receipt is not None and not answer.receipt.reused:
            self.accounts.record_question(answer.receipt.entry, caller.name, sql)
        return answer

    def explain(
        self,
        caller: Caller,
        sql: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        error: Number | None = None,
    ) -> Explanation:
        """Explain the cost and the error of a question; nothing is charged."""
        departures, start = self.settings.departures, time.monotonic()
        self._check_role(caller, sql)
        self._check_statement(sql)
        try:
            with self.admission.admit(caller.name), self._current() as database:
                return database.explain(
                    sql,
                    epsilon=epsilon,
                    delta=delta,
                    error=error,
                    analyst=self._name_analyst(database, caller),
                )
        finally:
            departures.wait_for_step(start)

    def describe(self, caller: Caller, sql: str) -> tuple[OutputColumnType, ...]:
        """Return the columns of an answer; nothing is charged and no protected data are read."""
        self._check_role(caller, sql)
        self._check_statement(sql)
        with self._current() as database:
            return database.describe(sql, analyst=self._name_analyst(database, caller))

    def ask_stored(self, caller: Caller, sql: str, *, epsilon: Number | None = None) -> AskedAnswer:
        """Answer a question again, for a download; one that would be charged is refused."""
        self._check_role(caller, sql)
        self._check_statement(sql)
        if not is_system_query(sql):
            with self._current() as database:
                analyst = self._name_analyst(database, caller)
                explained = _explain_quietly(
                    lambda: database.explain(sql, epsilon=epsilon, analyst=analyst)
                )
            if explained is not None and not explained.free:
                raise Refused("This answer is not stored any more. Ask the question again.")
        return self.ask(caller, sql, epsilon=epsilon)

    def log_in(self, name: str, password: str, address: str, old_cookie: str = "") -> str:
        """Check a login and return the text of its session cookie."""
        account = self._check_password(name, password, (name[:60], group_address(address)))
        if account is None:
            raise NotAuthenticated("The name or the password is wrong.")
        return self.accounts.open_session(account.name, old_cookie=old_cookie)

    def confirm_password(self, name: str, password: str) -> bool:
        """Return whether somebody who is logged in knows their password. Mistakes here slow down
        nothing but further tries of the same person."""
        subjects = (f"{name} confirms",) * 2
        return self._check_password(name, password, subjects, free=3) is not None

    def _check_password(
        self, name: str, password: str, subjects: tuple[str, str], *, free: int = 0
    ) -> Account | None:
        """Return the account of a name and its password, or None. Wrong passwords slow down both
        subjects, a name and an address."""
        delay = self.accounts.claim_try(*subjects, free=free)
        if delay > 0:
            raise Overloaded(
                f"Too many wrong passwords. Try again in {math.ceil(delay)} seconds.", delay
            )
        account = self.accounts.check_login(name, password)
        if account is not None:
            self.accounts.forgive_try(*subjects)
        return account

    def find_caller(self, token: str) -> Caller:
        """Return the caller of a token, or refuse it."""
        caller = self.accounts.find_caller(token)
        if caller is None:
            raise NotAuthenticated(
                "The token is unknown, expired or revoked. Create one on the page Tokens, or with"
                " 'hedgerow account token'."
            )
        return caller

    def require_custodian(self, caller: Caller) -> None:
        """Refuse everybody but custodians in a browser: a token may not administer."""
        if caller.role is not Role.custodian or caller.token is not None:
            raise NotAllowed("Only a custodian who is logged in may do this.")

    @property
    def default_epsilon(self) -> str:
        """The epsilon of a question that names none."""
        rules = self._database.policy.budgets
        return f"{float(rules[0].default_epsilon):g}" if len(rules) == 1 else ""

    @property
    def unit_noun(self) -> str:
        """The noun of the protected units."""
        table = next(table for table in self._database.policy.tables if not table.public)
        if table.unit == "row":
            return "row"
        return name_unit(str(table.population), Unit("add-remove", "id")).singular

    @property
    def name(self) -> str:
        """The name of the database."""
        return self._database.policy.name

    def check_readiness(self) -> None:
        """Raise if the ledger or the policy cannot be used."""
        with self._current() as database:
            _ = database.budgets

    def close(self) -> None:
        """Close accounts, ledger and engines."""
        with self._lock:
            self.accounts.close()
            self._database.close()

    @staticmethod
    def _check_role(caller: Caller, sql: str) -> None:
        if not caller.role.may_ask and not is_system_query(sql):
            raise NotAllowed("An auditor reads the policy and the ledger, and asks nothing.")

    def _check_statement(self, sql: str) -> None:
        if not isinstance(sql, str) or not sql.strip():
            raise InvalidArgument("sql", "must be a SELECT statement")
        if len(sql) > _MAX_SQL:
            raise InvalidArgument("sql", f"must have at most {_MAX_SQL:,} characters", len(sql))

    def _check_free(self, database: Database, caller: Caller, sql: str) -> None:
        """Refuse a question without its own epsilon that would be charged."""
        if is_system_query(sql) or "OPTIONS" in sql.upper():
            return
        explained = _explain_quietly(
            lambda: database.explain(sql, analyst=self._name_analyst(database, caller))
        )
        if explained is not None and not explained.free:
            raise NotAllowed(
                "This token spends nothing unless a question names its epsilon. Write SELECT WITH"
                " DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.1) …, or SET hedgerow.epsilon = 0.1."
            )

    def _check_request(self, caller: Caller, request: str, *question: object) -> None:
        digest = hashlib.sha256(repr([str(part) for part in question]).encode()).hexdigest()
        if not self.accounts.claim_request(caller.name, request, digest):
            raise RequestConflict(
                f"The request key '{request}' was used for another question. Use a new key."
            )

    @contextmanager
    def _current(self) -> Iterator[Database]:
        """Hold the database of the accepted policy, opened again if another one was accepted."""
        with self._lock:
            database = self._database
            if database.ledger.policy_digest != database.policy_digest:
                fresh = self._open_database()
                fresh.use_flights(self._flights.enter)
                self._database = fresh
                self.accounts.use_ledger(fresh.ledger)
                # Questions that run on the old one end by themselves; it is closed after them.
                threading.Timer(4 * self.settings.departures.run_seconds, database.close).start()
                database = fresh
        yield database

    def _open_database(self) -> Database:
        departures, size = self.settings.departures, self.settings.limits.engines

        def build_pool(start: Callable[[], Source]) -> Source:
            return EnginePool(start, size, departures)

        return open_with_engines(
            self.settings.policy, build_pool, deadline=departures.engine_deadline
        )


def _add_notes(answer: AskedAnswer, notes: tuple[str, ...]) -> AskedAnswer:
    """Return an answer with further notes; exact tables and explanations need none."""
    if isinstance(answer, Answer):
        return replace(answer, notes=(*answer.notes, *notes))
    if isinstance(answer, PostprocessedAnswer):
        first, *others = answer.pieces
        return replace(answer, pieces=(replace(first, notes=(*first.notes, *notes)), *others))
    return answer


def account_path(folder: Path, name: str) -> Path:
    """Return the path of the account file of a policy."""
    return folder / f"{name}.accounts"


def _explain_quietly(explain: Callable[[], Explanation]) -> Explanation | None:
    """Explain a question; None if it cannot be explained, because it is refused or exact."""
    try:
        return explain()
    except HedgerowError:
        return None
