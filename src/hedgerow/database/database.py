"""A protected database: policy, catalog, engine and ledger behind one object.

Its methods delegate: ``query`` to ``query.run``, ``explain`` to ``query.explain``, ``publish`` to
``publishing.publisher`` and ``run`` to ``custom_mechanisms``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hedgerow.answers.answer import Answer
from hedgerow.answers.consistency.reconcile import reconcile
from hedgerow.answers.explanation import Explanation
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.database.autobounds.resolver import BoundsResolver
from hedgerow.database.granted_view import restrict_context
from hedgerow.database.query.column_description import OutputColumnType, describe_columns
from hedgerow.database.query.postprocessing import explain_statement
from hedgerow.database.query.pricing import QueryRequest
from hedgerow.database.query.run import CUSTODIAN, run_query
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.database.uncharged.system_tables import summarise_database
from hedgerow.engines.data_source import Source
from hedgerow.errors import InvalidArgument, trim_tracebacks
from hedgerow.ledger.interface import LedgerBase
from hedgerow.numeric.exact_number import Number
from hedgerow.policy import Policy
from hedgerow.privacy.budget_view import Balance, DualBalance
from hedgerow.release.release import ReleaseLedger
from hedgerow.sql.catalog import Catalog

if TYPE_CHECKING:
    from hedgerow.database.custom_mechanisms import MechanismOutcome
    from hedgerow.database.publishing.publisher import Publisher

__all__ = ["CUSTODIAN", "Database"]

FlightEntry = Callable[..., AbstractContextManager[None]]


class Database:
    """A protected database. Every answer is charged in the ledger before any data are read."""

    def __init__(
        self,
        policy: Policy,
        catalog: Catalog,
        start: Callable[[], Source],
        ledger: LedgerBase,
        *,
        analyst: str | None = None,
    ) -> None:
        self.policy = policy
        self.policy_digest = policy.digest
        self.catalog = catalog
        self.resolver = BoundsResolver(policy, catalog, ledger)
        self.ledger = ledger
        self._start_engine = start
        self._engine: Source | None = None
        self._engine_lock = threading.Lock()
        self._analyst = _check_analyst(policy, analyst)
        self._enter_flight: FlightEntry = _enter_no_flight
        self.release_ledger: ReleaseLedger = ledger

    @trim_tracebacks
    def query(
        self,
        sql: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        analyst: str | None = None,
        request: str | None = None,
    ) -> Answer | Explanation | ExactTable | PostprocessedAnswer:
        """Answer a question with noise, and charge it; a question that was answered before at this
        epsilon or a larger one is free.

        ``request`` is an idempotency key: the same key again returns the same answer and is charged
        once. ``EXPLAIN PRIVACY …`` returns an Explanation, and a question about system tables or
        public tables an ExactTable; both are free.
        """
        asking = self._name_analyst(analyst)
        context = restrict_context(self, asking)
        return run_query(context, QueryRequest(sql, asking, epsilon, delta, request))

    @trim_tracebacks
    def explain(
        self,
        sql: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        error: Number | None = None,
        analyst: str | None = None,
    ) -> Explanation:
        """Return the cost and the expected error of a question; with ``error``, at the epsilon that
        this error takes."""
        asking = self._name_analyst(analyst)
        context = restrict_context(self, asking)
        return explain_statement(context, QueryRequest(sql, asking, epsilon, delta), error)

    def describe(self, sql: str, *, analyst: str | None = None) -> tuple[OutputColumnType, ...]:
        """Return the columns that the answer to a question would have: names, types, and which are
        noisy. Nothing is charged."""
        asking = self._name_analyst(analyst)
        return describe_columns(restrict_context(self, asking), QueryRequest(sql, asking))

    @trim_tracebacks
    def reconcile(self, *answers: Answer) -> tuple[Answer, ...]:
        """Make answers that are totals and parts of each other add up, at no cost.

        Counts and sums of the same rows, with no key, one key, two keys …, come back in the order
        given, each with less variance. Answers are refused where exact parts need not add up,
        because contribution bounds apply to each group.
        """
        for answer in answers:
            if not isinstance(answer, Answer):
                raise InvalidArgument("answers", "must be answers of query", type(answer).__name__)
            for entry in (release.entry for release in answer._releases):
                stored = self.ledger.answers(entry.body["question"], entry.body["version"])
                if all(entry != charge for charge, _ in stored):
                    raise InvalidArgument(
                        "answers",
                        "must come from this database, whose ledger has no such entry",
                        entry.seq,
                    )
        return reconcile(answers)

    @trim_tracebacks
    def run(
        self,
        mechanism: Any,
        certificate: Any = None,
        /,
        *,
        analyst: str | None = None,
        request: str | None = None,
        **arguments: Any,
    ) -> MechanismOutcome:
        """Run a custom mechanism, a function with ``@mechanism`` that is PROVED, on exact counts,
        and charge the loss that was proved.

        A private parameter is given as a question, a list as several questions or as one with GROUP
        BY: ``q=["SELECT COUNT(*) FROM …", …]``. All other parameters are public. The certificate is
        checked again; without one, a proof is searched for. The same run again is free.
        """
        from hedgerow.database.custom_mechanisms import accept_mechanism, run_mechanism

        asking = self._name_analyst(analyst)
        self.ledger.check_policy(self.policy_digest)
        program = accept_mechanism(mechanism, certificate)
        return run_mechanism(self, program, arguments, analyst=asking, request=request)

    @property
    @trim_tracebacks
    def budget(self) -> Balance | DualBalance:
        """The budget of the only population: total, spent and left. ``budgets`` has them all."""
        budgets = self.budgets
        if len(budgets) > 1:
            raise InvalidArgument(
                "budget", f"exists for each population: use budgets[…] with {', '.join(budgets)}"
            )
        if not budgets:
            raise InvalidArgument(
                "budget", "needs a protected table: every table of this policy is public"
            )
        return next(iter(budgets.values()))

    @property
    def budgets(self) -> Mapping[str, Balance | DualBalance]:
        """The budget of each population that has, or had, a table."""
        state = self.ledger.state
        names = [rule.population for rule in self.policy.budgets]
        return {name: state.budget(name).balance for name in names if name in state.populations}

    @trim_tracebacks
    def use_flights(self, enter: FlightEntry, release_ledger: ReleaseLedger) -> None:
        """Let everybody who asks the same question at once share one run: ``enter`` holds the
        flights of questions by their keys, and ``release_ledger`` stores their outcomes."""
        self._enter_flight, self.release_ledger = enter, release_ledger

    def enter_flight(self, *keys: str) -> AbstractContextManager[None]:
        """Hold the flights of questions; without ``use_flights`` nobody waits."""
        return self._enter_flight(*keys)

    def start(self) -> None:
        """Start the engine and read the data once, as the first question would; prices, budgets
        and stored answers need no engine."""
        _ = self.source

    @property
    def source(self) -> Source:
        """The engine, started on first use."""
        with self._engine_lock:
            if self._engine is None:
                self._engine = self._start_engine()
            return self._engine

    @property
    def publish(self) -> Publisher:
        """The publisher: ``db.publish.histogram(…)`` and its other methods return drafts."""
        from hedgerow.database.publishing.publisher import Publisher

        return Publisher(self, self._analyst)

    def close(self) -> None:
        """Close the engine and the ledger."""
        if self._engine is not None:
            self._engine.close()
        self.ledger.close()

    def _name_analyst(self, analyst: str | None) -> str:
        return self._analyst if analyst is None else _check_analyst(self.policy, analyst)

    def __repr__(self) -> str:
        return summarise_database(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


@contextmanager
def _enter_no_flight(*keys: str) -> Iterator[None]:  # noqa: ARG001
    yield


def _check_analyst(policy: Policy, name: str | None) -> str:
    if name is None:
        return CUSTODIAN
    names = [rule.name for rule in policy.analysts]
    if names and name not in names:
        raise InvalidArgument("analyst", f"must be one of {', '.join(names)}", name)
    return name
