"""The one function behind every shell: who asks, may they, then ``Database.query`` or ``explain``.

HTTP, the PostgreSQL protocol and the pages call the methods of ``QueryService`` and only translate
its documents and errors. Its methods block; the servers call them in worker threads.
"""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.answers.unit_noun import name_unit
from hedgerow.database.database import Database
from hedgerow.database.open_database import open_with_engines
from hedgerow.database.query.column_description import OutputColumnType
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.database.uncharged.public_query import limit_public_queries
from hedgerow.database.uncharged.system_query import is_system_query
from hedgerow.engines.data_source import IsolatedSource
from hedgerow.errors import HedgerowError, Refused
from hedgerow.numeric.exact_number import Number
from hedgerow.policy import Policy
from hedgerow.privacy.unit import Unit
from hedgerow.service.accounts.account_file import AccountFile
from hedgerow.service.accounts.records import Account, Caller, Role
from hedgerow.service.admission import Admission, RequestKind
from hedgerow.service.engine_pool import EnginePool
from hedgerow.service.engine_turns import EngineTurns
from hedgerow.service.operations.connection_places import group_address
from hedgerow.service.problems import (
    NotAllowed,
    NotAuthenticated,
    Overloaded,
    RequestConflict,
)
from hedgerow.service.question_run import PunctualLedger, find_run, track_run
from hedgerow.service.run_schedule import RunSchedule
from hedgerow.service.service_documents import ServiceDocuments
from hedgerow.service.settings import ServiceSettings
from hedgerow.service.shared_state import build_flight_locks, locate_accounts
from hedgerow.service.statement_clauses import is_explanation, names_epsilon
from hedgerow.service.statement_limits import check_statement

__all__ = ["AskedAnswer", "OutputColumnType", "QueryService"]

AskedAnswer = Answer | Explanation | ExactTable | PostprocessedAnswer


class QueryService(ServiceDocuments):
    """Accounts and a database behind one set of methods, shared by all threads of a process."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        self.admission = Admission(settings.limits)
        # The processes in which SQL runs over public tables and answers: they hold no other data.
        self._public_turns = EngineTurns(settings.limits.engines, wait=settings.limits.wait_seconds)
        self._lock = threading.RLock()
        self._database = self._share_runs(open_with_engines(settings.policy, self._build_pool))
        policy = self._database.policy
        self.accounts = AccountFile(locate_accounts(policy), self._database.ledger)
        self._users: Counter[Database] = Counter()  # the requests that use each database now

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
        with track_run(caller.name, self.admission.is_stopping) as run:
            try:
                answer = self._ask(caller, sql, epsilon, delta, request)
            finally:
                # What is stored by now depends on the run no more: one that is late by the ledger's
                # sync leaves on the grid.
                if run.slot is not None and not departures.wait_until(run.slot.end):
                    start = run.slot.end
                departures.wait_for_step(start)
        self._require_valid(caller)  # it may have been revoked in the meantime
        return _add_notes(answer, departures.notes)

    def _ask(
        self,
        caller: Caller,
        sql: str,
        epsilon: Number | None,
        delta: Number | None,
        request: str | None,
    ) -> AskedAnswer:
        self._check_role(caller, sql)
        check_statement(sql)
        is_free = is_system_query(sql) or is_explanation(sql)
        if caller.token is not None and caller.token.explains_only and not is_free:
            raise NotAllowed(
                "This token may explain questions and not ask them. Use another token."
            )
        admitted = self.admission.admit(caller.name, RequestKind.question)
        turns = limit_public_queries(lambda: self._public_turns.hold(caller.name, 1.0))
        with admitted, turns, self._current() as database:
            self._require_valid(caller)  # it may have waited for its turn
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
        try:
            with self._read(caller, sql) as database:
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
        with self._read(caller, sql) as database:
            return database.describe(sql, analyst=self._name_analyst(database, caller))

    @contextmanager
    def _read(self, caller: Caller, sql: str) -> Iterator[Database]:
        """Hold the database for a caller who explains or describes a statement."""
        self._check_role(caller, sql)
        check_statement(sql)
        admitted = self.admission.admit(caller.name, RequestKind.reading)
        with admitted, self._current() as database:
            yield database

    def ask_stored(self, caller: Caller, sql: str, *, epsilon: Number | None = None) -> AskedAnswer:
        """Answer a question again, for a download; one that would be charged is refused."""
        self._check_role(caller, sql)
        check_statement(sql)
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

    @property
    def schedule(self) -> RunSchedule:
        """The slots of questions under the accepted policy."""
        return RunSchedule.from_policy(self.settings.departures, self._database.policy)

    def stop(self) -> None:
        """Refuse new questions, and those that wait and are not charged; the others run on."""
        self.admission.stop()

    def check_readiness(self) -> None:
        """Raise if the ledger or the policy cannot be used."""
        with self._current() as database:
            _ = database.budgets

    def close(self) -> None:
        """Close accounts, ledger and engines."""
        with self._lock:
            self.accounts.close()
            self._database.close()

    def _require_valid(self, caller: Caller) -> None:
        if not self.accounts.is_valid(caller):
            raise NotAuthenticated("The token was revoked, or the account is disabled.")

    @staticmethod
    def _check_role(caller: Caller, sql: str) -> None:
        if not caller.role.may_ask and not is_system_query(sql):
            raise NotAllowed("An auditor reads the policy and the ledger, and asks nothing.")

    def _check_free(self, database: Database, caller: Caller, sql: str) -> None:
        """Refuse a question without its own epsilon that would be charged."""
        if is_system_query(sql) or is_explanation(sql) or names_epsilon(sql):
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
        """Hold the database of the accepted policy, opened again if another one was accepted, by
        any process. The old one is closed after the last question on it."""
        with self._lock:
            database = self._database
            if database.ledger.policy_digest != database.policy_digest:
                fresh = self._reopen_database(database)
                self.accounts.use_ledger(fresh.ledger)
                self._database = fresh
                if not self._users[database]:
                    database.close()
                database = fresh
            self._users[database] += 1
        try:
            yield database
        finally:
            with self._lock:
                self._users[database] -= 1
                if not self._users[database]:
                    del self._users[database]
                    if database is not self._database:
                        database.close()

    def _reopen_database(self, database: Database) -> Database:
        """Open a database under the policy that its ledger accepted meanwhile, whatever the policy
        file says by now."""
        accepted = database.ledger.state.policy
        assert accepted is not None  # a database has a policy
        policy = Policy.from_canonical(accepted["text"], database.policy.folder)
        return self._share_runs(open_with_engines(policy, self._build_pool))

    def _build_pool(self, start: Callable[[], IsolatedSource], policy: Policy) -> EnginePool:
        limits = self.settings.limits
        schedule = RunSchedule.from_policy(self.settings.departures, policy)
        return EnginePool(start, limits.engines, schedule, wait=limits.wait_seconds)

    def _share_runs(self, database: Database) -> Database:
        """Let all processes share the runs of a database, and return it."""
        place = database.policy.ledger_place
        assert place is not None  # only a frame may have none
        # Whoever waits for a run waits for its turn at an engine, too.
        locks = build_flight_locks(place, wait=3 * self.settings.limits.wait_seconds)

        @contextmanager
        def enter_flight(*keys: str) -> Iterator[None]:
            run = find_run()
            if run is None:
                yield
                return
            # Nobody waits for others while holding an engine that they may be waiting for.
            run.return_engine()
            with locks.enter(*keys, check=run.check_wanted):
                yield

        database.use_flights(
            enter_flight, PunctualLedger(database.ledger, self.settings.departures)
        )
        return database


def _add_notes(answer: AskedAnswer, notes: tuple[str, ...]) -> AskedAnswer:
    """Return an answer with further notes; exact tables and explanations need none."""
    if isinstance(answer, Answer):
        return replace(answer, notes=(*answer.notes, *notes))
    if isinstance(answer, PostprocessedAnswer):
        first, *others = answer.pieces
        return replace(answer, pieces=(replace(first, notes=(*first.notes, *notes)), *others))
    return answer


def _explain_quietly(explain: Callable[[], Explanation]) -> Explanation | None:
    """Explain a question; None if it cannot be explained, because it is refused or exact."""
    try:
        return explain()
    except HedgerowError:
        return None
