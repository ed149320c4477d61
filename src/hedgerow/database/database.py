"""A protected database: policy, tables, engine and ledger in one hand.

``query`` reads a question, prices it, looks whether it was answered before, and otherwise goes
through the one door (``release``). ``explain`` does all of that but the last step.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hedgerow.answers.answer import Answer, build_answer
from hedgerow.answers.caveats import describe_rho_cost
from hedgerow.answers.consistency.reconcile import reconcile
from hedgerow.answers.explanation import (
    Explanation,
    build_explanation,
    find_needed_epsilon,
    limit_to_quota,
)
from hedgerow.calibration.noise_choice import NoiseKind
from hedgerow.database.autobounds.column_bounds import compute_search_epsilon
from hedgerow.database.autobounds.resolver import (
    BoundsResolver,
    ResolvedQuestion,
    add_search_cost,
    build_too_few_refusal,
)
from hedgerow.database.query.pricing import (
    PricedQuestion,
    calibrate_question,
    covers_only_first,
    find_charged_parts,
    is_answered,
)
from hedgerow.database.query.second_population_charging import (
    calibrate_noise_for_both,
    combine_limits,
    describe_charges,
    explain_for_both,
)
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.database.uncharged.public_query import answer_public_query
from hedgerow.database.uncharged.system_query import answer_system_query as system_answer
from hedgerow.database.uncharged.system_query import is_system_query
from hedgerow.database.uncharged.system_tables import PLAN_FORM_FIELD, summarise_database
from hedgerow.engines.data_source import Source
from hedgerow.errors import BudgetExceeded, InvalidArgument, Refused
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.interface import LedgerBase
from hedgerow.numeric.exact_number import (
    Number,
    check_stored_digits,
    parse_delta,
    parse_epsilon,
    parse_exact,
    parse_positive,
)
from hedgerow.plan.canonical_plans import compute_plan_key as meaning_of
from hedgerow.policy import BudgetRule, Policy, TableRule
from hedgerow.privacy.budget_view import Balance, DualBalance
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.noise import ReleaseNoise
from hedgerow.release.payload import Release
from hedgerow.release.release import Charge, release
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.question import Question

if TYPE_CHECKING:
    from hedgerow.database.custom_mechanisms import MechanismOutcome
    from hedgerow.database.publishing.publisher import Publisher

__all__ = ["CUSTODIAN", "Database"]

_EPSILON_STEPS = 10**18  # epsilon is a whole number of steps this small
_MAX_AVERAGED_ANSWERS = 16  # answers to one question that are averaged
CUSTODIAN = "custodian"  # who asks when nobody is named


class Database:
    """What an analyst holds. Every answer is paid for in the ledger before the data are touched."""

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
        self.catalog = catalog
        self._policy_digest = policy.digest
        self._resolver = BoundsResolver(policy, catalog, ledger)
        self._start_engine = start
        self._engine: Source | None = None
        self._engine_lock = threading.Lock()
        self._ledger = ledger
        self._analyst = _check_analyst(policy, analyst)

    def query(
        self,
        sql: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        analyst: str | None = None,
        request: str | None = None,
    ) -> Answer | Explanation | ExactTable:
        """The noisy answer. Free when the same question was answered before at this epsilon or a
        larger one.

        ``request`` is an idempotency key: the same key again gives the same answer and is charged
        once. ``EXPLAIN PRIVACY …`` gives an Explanation instead, and costs nothing; so does a
        Listing, of ``hedgerow.budget`` and the like.
        """
        who = self._analyst if analyst is None else _check_analyst(self.policy, analyst)
        if is_system_query(sql):
            return system_answer(sql, self, None if who == CUSTODIAN else who)
        free = answer_public_query(sql, self.policy, self.catalog)
        if free is not None:
            return free
        reading = self._resolve_question(sql)
        if reading.question.explain:
            return self._apply_quota(self._explain_resolved(reading, sql, epsilon, delta), who)
        first = self._resolver.list_paid_searches(reading, who, request)
        made = self._ledger.find_request(who, request)
        priced = self._price_affordable(reading.question, epsilon, delta, len(first), made)
        if reading.missing_searches:
            reading = self._search_missing(reading, sql, priced, len(first), who, request)
            priced = self._price_affordable(reading.question, epsilon, delta, len(first), made)
        stored = self._find_stored(priced)
        if is_answered(priced, stored):
            return build_answer(
                priced.question,
                stored,
                reused=True,
                notes=(*priced.with_stored_noise(stored).notes, *reading.notes),
            )
        # what is wrong with the data is said here, before anything is charged
        source = self._source
        try:
            released = release(
                priced.question.plan,
                source,
                self._ledger,
                priced.noise,
                self._build_charge(priced, who, request),
            )
        # since the price was made, somebody else may have spent the delta that it counted on
        except BudgetExceeded:
            if (
                self._price_affordable(reading.question, epsilon, delta, len(first), made).key
                == priced.key
            ):
                raise
            return self.query(sql, epsilon=epsilon, delta=delta, analyst=analyst, request=request)
        notes = (
            *priced.notes,
            *reading.notes,
            *describe_rho_cost(
                released.loss, self._ledger.state.budget(priced.budget_rule.population)
            ),
        )
        if priced.second_population is not None:
            notes = (*notes, describe_charges(released.losses))
        answer = build_answer(priced.question, [released, *stored], reused=False, notes=notes)
        return (
            replace(answer, cost=add_search_cost(first, priced.asked_epsilon, answer.cost))
            if first
            else answer
        )

    def _build_charge(self, priced: PricedQuestion, who: str, request: str | None) -> Charge:
        calls = [call.text for call in priced.question.aggregates]
        about: dict[str, Any] = {
            "table": ", ".join(table.name for table in priced.tables),
            "aggregates": calls,
            PLAN_FORM_FIELD: 3,
        }
        return Charge(
            priced.budget_rule.population,
            priced.unit,
            who,
            priced.epsilon,
            priced.key,
            priced.version,
            request,
            (
                about
                if priced.asked_epsilon == priced.epsilon
                else about | {"asked": str(priced.asked_epsilon)}
            ),
            self._policy_digest,
            priced.charged_parts,
            None if priced.second_population is None else priced.payers[1],
        )

    def reconcile(self, *answers: Answer) -> tuple[Answer, ...]:
        """Answers that are totals and parts of each other, made to add up: free, since it looks at
        nothing but them.

        Counts and sums of the same rows, with no key, one, two …, come back in the order given,
        with less variance than each had. Refused where exact parts need not add up, since caps
        count the rows of a person by group.
        """
        for answer in answers:
            if not isinstance(answer, Answer):
                raise InvalidArgument("answers", "must be answers of query", type(answer).__name__)
            for entry in (one.entry for one in answer._releases):
                if not any(
                    entry == charge
                    for charge, _ in self._ledger.answers(
                        entry.body["question"], entry.body["version"]
                    )
                ):
                    raise InvalidArgument(
                        "answers",
                        "must be of this database: its ledger has no such entry",
                        entry.seq,
                    )
        return reconcile(answers)

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
        """Run a mechanism of your own, a function with ``@mechanism`` that is PROVED, on exact
        counts. It is charged what was proved.

        Private parameters are given as questions, a list as several or as one with GROUP BY:
        ``q=["SELECT COUNT(*) FROM …", …]``. All others are public. The certificate is checked anew;
        without one a proof is looked for. The same again is free.
        """
        from hedgerow.database.custom_mechanisms import accept_mechanism, run_mechanism

        who = self._analyst if analyst is None else _check_analyst(self.policy, analyst)
        self._ledger.check_policy(self._policy_digest)
        return run_mechanism(
            self,
            accept_mechanism(mechanism, certificate),
            arguments,
            analyst=who,
            request=request,
            policy=self._policy_digest,
        )

    def read_count_question(self, sql: str) -> Question:
        """A question whose bounds and caps are all declared, its groups in the order asked for.
        Touches no data.
        """
        reading = self._resolver.resolve(sql)
        if (
            reading.question.explain
            or reading.missing_searches
            or reading.question.plan.population_join is not None
        ):
            raise Refused(
                "A mechanism takes questions about one population whose bounds and caps are"
                " declared, and none that is to be explained."
            )
        return reading.question.restore_key_order()

    def _resolve_question(self, sql: str) -> ResolvedQuestion:
        """The question, with what was found for it. Nothing is found for two populations at
        once.
        """
        reading = self._resolver.resolve(sql)
        if reading.missing_searches and reading.question.plan.population_join is not None:
            what = "; ".join(search.label for search in reading.missing_searches)
            raise Refused(
                f"To be found first: {what}. Ask a question that needs it about that population"
                " alone, or declare it in the policy."
            )
        return reading

    def _search_missing(
        self,
        reading: ResolvedQuestion,
        sql: str,
        priced: PricedQuestion,
        first: int,
        who: str,
        request: str | None,
    ) -> ResolvedQuestion:
        """The question read anew, after what it needs was found; nothing is charged unless all
        of it can be paid for.
        """
        part = compute_search_epsilon(priced.asked_epsilon, first)
        self._resolver.check_affordable(
            reading, who, priced.asked_epsilon, part, priced.loss, priced.charged_parts
        )
        source = self._source
        for search in reading.missing_searches:
            release(
                search.plan,
                source,
                self._ledger,
                search.noise(part),
                search.charge(who, part, request, self._policy_digest),
            )
        again = self._resolver.resolve(sql)
        if again.missing_searches:
            raise build_too_few_refusal(
                again.missing_searches, part * len(reading.missing_searches)
            )
        return again

    def explain(
        self,
        sql: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        error: Number | None = None,
    ) -> Explanation:
        """What the question would cost and how good its answer would be; with ``error``, at the
        epsilon that this error takes.
        """
        if is_system_query(sql):
            raise Refused(
                "System tables cost nothing and have no noise: there is nothing to explain. Ask"
                " with query."
            )
        reading = self._resolve_question(sql)
        if error is not None:
            if epsilon is not None:
                raise InvalidArgument(
                    "error", "and epsilon cannot both be given: one follows from the other", error
                )
            if reading.missing_searches:
                raise Refused(
                    "The error of this can be told when its bounds or caps are found, which comes"
                    " first: name an epsilon instead."
                )
            epsilon = self._find_needed_epsilon(
                reading.question, parse_positive(error, "error"), delta
            )
        return self._apply_quota(
            self._explain_resolved(reading, sql, epsilon, delta), self._analyst
        )

    @property
    def budget(self) -> Balance | DualBalance:
        """Total, spent and left, where there is one population; ``budgets`` has them all."""
        budgets = self.budgets
        if len(budgets) > 1:
            raise InvalidArgument(
                "budget",
                f"is one for each population here: see budgets[…] with {', '.join(budgets)}",
            )
        if not budgets:
            raise InvalidArgument(
                "budget", "is that of a population, and no table of this policy is about one"
            )
        return next(iter(budgets.values()))

    @property
    def budgets(self) -> Mapping[str, Balance | DualBalance]:
        """The budget of each population that a table is, or was, about."""
        book = self._ledger.state
        names = [
            rule.population for rule in self.policy.budgets if rule.population in book.populations
        ]
        return {name: book.budget(name).balance for name in names}

    def start(self) -> None:
        """Start the engine and look through the data once, as the first question would. A price,
        a budget and a stored answer need none.
        """
        _ = self._source

    @property
    def _source(self) -> Source:
        with self._engine_lock:
            if self._engine is None:
                self._engine = self._start_engine()
            return self._engine

    @property
    def source(self) -> Source:
        """The engine, started."""
        return self._source

    @property
    def publish(self) -> Publisher:
        """Publishing once for all questions: ``db.publish.histogram(…)`` and its like give
        drafts.
        """
        from hedgerow.database.publishing.publisher import Publisher

        return Publisher(self, self._analyst)

    @property
    def ledger(self) -> LedgerBase:
        """The ledger, for its entries."""
        return self._ledger

    def close(self) -> None:
        """Let go of engine and ledger."""
        if self._engine is not None:
            self._engine.close()
        self._ledger.close()

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

    def _explain_resolved(
        self, reading: ResolvedQuestion, sql: str, epsilon: Number | None, delta: Number | None
    ) -> Explanation:
        priced = self._price_affordable(
            reading.question, epsilon, delta, len(reading.missing_searches)
        )
        if not reading.missing_searches:
            stored = self._find_stored(priced)
            return self._build_explanation(
                priced, reading.notes, stored if is_answered(priced, stored) else ()
            )
        told = self._build_explanation(priced, reading.notes)
        twin = self._price_affordable(
            self._resolver.resolve(sql, stand_in=1).question,
            epsilon,
            delta,
            len(reading.missing_searches),
        )
        return self._resolver.explain_before_search(
            told,
            self._build_explanation(twin, reading.notes),
            reading.missing_searches,
            priced.asked_epsilon,
            priced.charged_parts,
        )

    def _apply_quota(self, told: Explanation, who: str) -> Explanation:
        """As it is for whoever asks, who may have a quota."""
        book = self._ledger.state
        quota = book.quota(who)
        return told if quota is None else limit_to_quota(told, quota - book.asked_epsilon(who))

    def _build_explanation(
        self, priced: PricedQuestion, notes: tuple[str, ...], stored: Sequence[Release] = ()
    ) -> Explanation:
        """The explanation of a question, or of the answer that is ``stored`` for it."""
        from hedgerow.database.query.publication_hints import (
            # a question that is only answered needs no publishing in memory
            list_publication_hints,
        )

        if stored:
            notes = (*priced.with_stored_noise(stored).notes, *notes)
        else:
            notes = (
                *priced.notes,
                *notes,
                *list_publication_hints(priced.question, self.policy, float(priced.epsilon)),
            )
        told = build_explanation(
            priced.question,
            priced.unit,
            priced.noise,
            epsilon=priced.epsilon,
            budget=self._ledger.state.budget(priced.budget_rule.population),
            notes=notes,
            at=priced.charged_parts,
            stored=stored,
        )
        if priced.second_population is None:
            return told
        budgets = [self._ledger.state.budget(payer.name) for payer in priced.payers]
        return explain_for_both(told, priced.question, priced.noise, priced.payers, budgets)

    def _price_affordable(
        self,
        question: Question,
        epsilon: Number | None,
        delta: Number | None,
        first: int = 0,
        made: Entry | None = None,
    ) -> PricedQuestion:
        """The question with the best noise; with Laplace noise where the best is Gaussian, whose
        delta is not left any more. What is left tells of no data, and which noise it is, is settled
        before any are read. What was paid for stands: an answer of either kind, or the charge that
        was ``made`` for the same request."""
        best = self._price_question(question, epsilon, delta, first)
        if best.noise.gaussian_epsilon is None:
            return best
        plain = self._price_question(question, epsilon, delta, first, law="laplace")
        for one in (best, plain):
            if is_answered(one, self._find_stored(one)) or (
                made is not None and made.body["question"] == one.key
            ):
                return one
        budget = self._ledger.state.budget(best.budget_rule.population)
        return (
            replace(plain, is_fallback=True)
            if covers_only_first(plain.loss, best.loss, budget, best.charged_parts)
            else best
        )

    def _price_question(
        self,
        question: Question,
        epsilon: Number | None,
        delta: Number | None,
        first: int = 0,
        *,
        law: NoiseKind | None = None,
    ) -> PricedQuestion:
        """The noise of a question and its meaning, from public parameters, while the policy that
        they come from rules. It gets what is left of epsilon where so many searches come ``first``.
        The noise is what the policy says, or of one ``law``."""
        self._ledger.check_policy(self._policy_digest)
        (tables, rule, unit), others = (
            self.find_population(question),
            self._find_second_population(question),
        )
        terms = combine_limits([rule, *([] if others is None else [others[0]])])
        asked = _choose_parameter(
            epsilon, question.options.epsilon, terms.default_epsilon, "epsilon"
        )
        chance = _choose_parameter(delta, question.options.delta, terms.default_delta, "delta")
        if asked is None or parse_epsilon(asked) > terms.max_epsilon:
            most = f"{float(terms.max_epsilon):g}"
            raise Refused(
                f"One question may ask for at most epsilon {most} (max_epsilon_per_query): ask with"
                f" epsilon = {most} or less."
            )
        if chance is not None:
            parse_delta(chance)
        rest = asked - first * compute_search_epsilon(asked, first) if first else asked
        if others is not None:
            plan, noise = calibrate_noise_for_both(
                question.plan, unit, others[1], epsilon=rest, law=terms.noise
            )
            meaning = [
                meaning_of(plan),
                rule.population,
                unit.relation,
                others[0].population,
                others[1].relation,
                terms.noise,
            ]
            return PricedQuestion(
                question.with_plan(plan),
                tables,
                rule,
                unit,
                rest,
                noise,
                _digest_meaning(meaning),
                asked,
                others,
            )
        whole, noise = calibrate_question(
            question, unit, rest, chance, rule.noise if law is None else law
        )
        # The delta is part of the meaning where it decides anything; how much noise there is is
        # not.
        decides = bool(noise.threshold or noise.gaussian_epsilon) or any(
            isinstance(one, CalibratedSelection) and one.delta is not None
            for one in noise.mechanisms
        )
        # noise of different kinds is never averaged
        kind = rule.noise if noise.gaussian_epsilon is None else f"{rule.noise}, gaussian"
        meaning = [
            meaning_of(whole.plan),
            rule.population,
            unit.relation,
            kind,
            str(chance) if decides else "",
        ]
        return PricedQuestion(
            whole, tables, rule, unit, rest, noise, _digest_meaning(meaning), asked
        )

    def find_population(self, question: Question) -> tuple[tuple[TableRule, ...], BudgetRule, Unit]:
        """The protected tables of a question, and the budget of those who are counted first,
        whom its first table is about.
        """
        tables = tuple(
            table
            for name in question.tables
            if (table := self.policy.table(name)) is not None and table.population is not None
        )
        if not tables or tables[0].privacy_unit is None or tables[0].population is None:
            raise Refused("This question touches no protected table.")
        return tables, self.policy.budget(tables[0].population), tables[0].privacy_unit

    def _find_second_population(self, question: Question) -> tuple[BudgetRule, Unit] | None:
        """The budget and the unit of the other population, where two meet."""
        tables, rule, _ = self.find_population(question)
        found = [table for table in tables if table.population != rule.population]
        if not found or found[0].privacy_unit is None or found[0].population is None:
            return None
        return self.policy.budget(found[0].population), found[0].privacy_unit

    def _find_stored(self, priced: PricedQuestion) -> list[Release]:
        """The answers that the ledger has, the one of the largest epsilon first, of equal ones
        the oldest.
        """
        found = [
            Release.from_payload(charge, payload)
            for charge, payload in self._ledger.answers(priced.key, priced.version)
        ]
        return sorted(found, key=lambda release: (-release.epsilon, release.entry.seq))[
            :_MAX_AVERAGED_ANSWERS
        ]

    def _find_needed_epsilon(
        self, question: Question, error: Fraction, delta: Number | None
    ) -> Fraction:
        (tables, rule, unit), others = (
            self.find_population(question),
            self._find_second_population(question),
        )
        if others is not None:
            terms = combine_limits([rule, others[0]])

            def for_both(epsilon: Fraction) -> tuple[Question, ReleaseNoise]:
                plan, noise = calibrate_noise_for_both(
                    question.plan, unit, others[1], epsilon=epsilon, law=terms.noise
                )
                return question.with_plan(plan), noise

            return find_needed_epsilon(question, for_both, error, terms.max_epsilon)
        chance = _choose_parameter(delta, question.options.delta, rule.default_delta, "delta")
        budget, at = (
            self._ledger.state.budget(rule.population),
            find_charged_parts(question.plan, tables),
        )

        def noise_at(epsilon: Fraction) -> tuple[Question, ReleaseNoise]:
            whole, best = calibrate_question(question, unit, epsilon, chance, rule.noise)
            if best.gaussian_epsilon is None:
                return whole, best
            simple, plain = calibrate_question(question, unit, epsilon, chance, "laplace")
            losses = (
                plain.loss(simple.plan.sensitivity(unit)),
                best.loss(whole.plan.sensitivity(unit)),
            )
            return (simple, plain) if covers_only_first(*losses, budget, at) else (whole, best)

        return find_needed_epsilon(question, noise_at, error, rule.max_epsilon_per_query)


def _choose_parameter(
    given: Number | None, written: Fraction | None, default: Fraction | None, name: str
) -> Fraction | None:
    """The epsilon or delta of a question: the argument, what the SQL says, or the policy's
    default.
    """
    value = None if given is None else _check_decimals(parse_exact(given, name), name)
    if value is not None and written is not None and value != written:
        raise InvalidArgument(
            name, "is given twice, here and in the OPTIONS of the question, and differently", given
        )
    return (
        value
        if value is not None
        else _check_decimals(written, name)
        if written is not None
        else default
    )


def _digest_meaning(meaning: list[str]) -> str:
    return hashlib.sha256("\n".join(meaning).encode()).hexdigest()


def _check_decimals(value: Fraction, name: str) -> Fraction:
    """Sums of fractions with long denominators grow without end, and are kept for ever."""
    if name == "epsilon" and _EPSILON_STEPS % value.denominator:
        raise InvalidArgument(name, "must have at most 18 decimals", value)
    return check_stored_digits(value, name)


def _check_analyst(policy: Policy, name: str | None) -> str:
    if name is None:
        return CUSTODIAN
    if policy.analysts and name not in {rule.name for rule in policy.analysts}:
        raise InvalidArgument(
            "analyst", f"must be one of {', '.join(rule.name for rule in policy.analysts)}", name
        )
    return name
