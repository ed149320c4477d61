"""A protected database: policy, tables, engine and ledger in one hand.

``query`` reads a question, prices it, looks whether it was answered before, and otherwise goes through the one door (``release``).
``explain`` does all of that but the last step.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hedgerow.answers.answer import Answer, answer_of
from hedgerow.answers.explanation import Explanation, explanation_of, needed_epsilon, within_quota
from hedgerow.answers.noise import LawName
from hedgerow.answers.notes import paid_in_rho
from hedgerow.answers.reconcile import reconcile
from hedgerow.database.both import charged, explained, noise_for_both, terms_of
from hedgerow.database.bounds import part_of
from hedgerow.database.facts import PLAN, summary
from hedgerow.database.finding import Finding, Reading, cost_with, too_few
from hedgerow.database.free import free_answer
from hedgerow.database.listing import Listing
from hedgerow.database.pricing import Priced, answered, noise_of, only, parts_read
from hedgerow.database.system import answer as system_answer
from hedgerow.database.system import is_system
from hedgerow.engines.source import Source
from hedgerow.errors import BudgetExceeded, InvalidArgument, Refused
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.store import Store
from hedgerow.numeric.number import Number, exact, positive, privacy_delta, privacy_epsilon, short
from hedgerow.picking import Picking
from hedgerow.plan.normal import key as meaning_of
from hedgerow.policy import BudgetRule, Policy, TableRule
from hedgerow.privacy.account import Account, DualAccount
from hedgerow.privacy.unit import Unit
from hedgerow.release import Charge, Noise, Release, release
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.question import Question

if TYPE_CHECKING:
    from hedgerow.database.custom import Outcome
    from hedgerow.database.publisher import Publisher

__all__ = ["CUSTODIAN", "Database"]

_STEPS = 10**18  # epsilon is a whole number of steps this small
_BLENDED = 16  # answers to one question that are averaged
CUSTODIAN = "custodian"  # who asks when nobody is named


class Database:
    """What an analyst holds. Every answer is paid for in the ledger before the data are touched."""

    def __init__(self, policy: Policy, catalog: Catalog, start: Callable[[], Source], ledger: Store, *, analyst: str | None = None) -> None:
        self.policy = policy
        self.catalog = catalog
        self._digest = policy.digest
        self._finding = Finding(policy, catalog, ledger)
        self._start = start
        self._started: Source | None = None
        self._starting = threading.Lock()
        self._ledger = ledger
        self._analyst = _analyst(policy, analyst)

    def query(
        self,
        sql: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        analyst: str | None = None,
        request: str | None = None,
    ) -> Answer | Explanation | Listing:
        """The noisy answer. Free when the same question was answered before at this epsilon or a larger one.

        ``request`` is an idempotency key: the same key again gives the same answer and is charged once. ``EXPLAIN PRIVACY …`` gives
        an Explanation instead, and costs nothing; so does a Listing, of ``hedgerow.budget`` and the like.
        """
        who = self._analyst if analyst is None else _analyst(self.policy, analyst)
        if is_system(sql):
            return system_answer(sql, self, None if who == CUSTODIAN else who)
        free = free_answer(sql, self.policy, self.catalog)
        if free is not None:
            return free
        reading = self._read(sql)
        if reading.question.explain:
            return self._for(self._explained(reading, sql, epsilon, delta), who)
        first = self._finding.paid_first(reading, who, request)
        made = self._ledger.requested(who, request)
        priced = self._afforded(reading.question, epsilon, delta, len(first), made)
        if reading.missing:
            reading = self._found(reading, sql, priced, len(first), who, request)
            priced = self._afforded(reading.question, epsilon, delta, len(first), made)
        stored = self._stored(priced)
        if answered(priced, stored):
            return answer_of(priced.question, stored, reused=True, notes=(*priced.as_answered(stored).notes, *reading.notes))
        source = self._source  # what is wrong with the data is said here, before anything is charged
        try:
            released = release(priced.question.plan, source, self._ledger, priced.noise, self._charge(priced, who, request))
        except BudgetExceeded:  # since the price was made, somebody else may have spent the delta that it counted on
            if self._afforded(reading.question, epsilon, delta, len(first), made).key == priced.key:
                raise
            return self.query(sql, epsilon=epsilon, delta=delta, analyst=analyst, request=request)
        notes = (*priced.notes, *reading.notes, *paid_in_rho(released.loss, self._ledger.book.budget(priced.rule.population)))
        if priced.others is not None:
            notes = (*notes, charged(released.losses))
        answer = answer_of(priced.question, [released, *stored], reused=False, notes=notes)
        return replace(answer, cost=cost_with(first, priced.asked, answer.cost)) if first else answer

    def _charge(self, priced: Priced, who: str, request: str | None) -> Charge:
        calls = [call.text for call in priced.question.aggregates]
        about: dict[str, Any] = {"table": ", ".join(table.name for table in priced.tables), "aggregates": calls, PLAN: 3}
        return Charge(
            priced.rule.population,
            priced.unit,
            who,
            priced.epsilon,
            priced.key,
            priced.version,
            request,
            about if priced.asked == priced.epsilon else about | {"asked": str(priced.asked)},
            self._digest,
            priced.parts,
            None if priced.others is None else priced.payers[1],
        )

    def reconcile(self, *answers: Answer) -> tuple[Answer, ...]:
        """Answers that are totals and parts of each other, made to add up: free, since it looks at nothing but them.

        Counts and sums of the same rows, with no key, one, two …, come back in the order given, with less variance than each had. Refused
        where exact parts need not add up, since caps count the rows of a person by group.
        """
        for answer in answers:
            if not isinstance(answer, Answer):
                raise InvalidArgument("answers", "must be answers of query", type(answer).__name__)
            for entry in (one.entry for one in answer._releases):
                if not any(entry == charge for charge, _ in self._ledger.answers(entry.body["question"], entry.body["version"])):
                    raise InvalidArgument("answers", "must be of this database: its ledger has no such entry", entry.seq)
        return reconcile(answers)

    def run(
        self, mechanism: Any, certificate: Any = None, /, *, analyst: str | None = None, request: str | None = None, **arguments: Any
    ) -> Outcome:
        """Run a mechanism of your own, a function with ``@mechanism`` that is PROVED, on exact counts. It is charged what was proved.

        Private parameters are given as questions, a list as several or as one with GROUP BY: ``q=["SELECT COUNT(*) FROM …", …]``. All
        others are public. The certificate is checked anew; without one a proof is looked for. The same again is free.
        """
        from hedgerow.database.custom import accepted, ran

        who = self._analyst if analyst is None else _analyst(self.policy, analyst)
        self._ledger.check_rules(self._digest)
        return ran(self, accepted(mechanism, certificate), arguments, analyst=who, request=request, policy=self._digest)

    def counted(self, sql: str) -> Question:
        """A question whose bounds and caps are all declared, its groups in the order asked for. Touches no data."""
        reading = self._finding.read(sql)
        if reading.question.explain or reading.missing or reading.question.plan.meeting is not None:
            raise Refused(
                "A mechanism takes questions about one population whose bounds and caps are declared, and none that is to be explained."
            )
        return reading.question.as_asked()

    def _read(self, sql: str) -> Reading:
        """The question, with what was found for it. Nothing is found for two populations at once."""
        reading = self._finding.read(sql)
        if reading.missing and reading.question.plan.meeting is not None:
            what = "; ".join(search.what for search in reading.missing)
            raise Refused(
                f"To be found first: {what}. Ask a question that needs it about that population alone, or declare it in the policy."
            )
        return reading

    def _found(self, reading: Reading, sql: str, priced: Priced, first: int, who: str, request: str | None) -> Reading:
        """The question read anew, after what it needs was found; nothing is charged unless all of it can be paid for."""
        part = part_of(priced.asked, first)
        self._finding.check(reading, who, priced.asked, part, priced.loss, priced.parts)
        source = self._source
        for search in reading.missing:
            release(search.plan, source, self._ledger, search.noise(part), search.charge(who, part, request, self._digest))
        again = self._finding.read(sql)
        if again.missing:
            raise too_few(again.missing, part * len(reading.missing))
        return again

    def explain(self, sql: str, *, epsilon: Number | None = None, delta: Number | None = None, error: Number | None = None) -> Explanation:
        """What the question would cost and how good its answer would be; with ``error``, at the epsilon that this error takes."""
        if is_system(sql):
            raise Refused("System tables cost nothing and have no noise: there is nothing to explain. Ask with query.")
        reading = self._read(sql)
        if error is not None:
            if epsilon is not None:
                raise InvalidArgument("error", "and epsilon cannot both be given: one follows from the other", error)
            if reading.missing:
                raise Refused(
                    "The error of this can be told when its bounds or caps are found, which comes first: name an epsilon instead."
                )
            epsilon = self._needed(reading.question, positive(error, "error"), delta)
        return self._for(self._explained(reading, sql, epsilon, delta), self._analyst)

    @property
    def budget(self) -> Account | DualAccount:
        """Total, spent and left, where there is one population; ``budgets`` has them all."""
        budgets = self.budgets
        if len(budgets) > 1:
            raise InvalidArgument("budget", f"is one for each population here: see budgets[…] with {', '.join(budgets)}")
        if not budgets:
            raise InvalidArgument("budget", "is that of a population, and no table of this policy is about one")
        return next(iter(budgets.values()))

    @property
    def budgets(self) -> Mapping[str, Account | DualAccount]:
        """The budget of each population that a table is, or was, about."""
        book = self._ledger.book
        names = [rule.population for rule in self.policy.budgets if rule.population in book.populations]
        return {name: book.budget(name).view for name in names}

    def start(self) -> None:
        """Start the engine and look through the data once, as the first question would. A price, a budget and a stored answer need none."""
        _ = self._source

    @property
    def _source(self) -> Source:
        with self._starting:
            if self._started is None:
                self._started = self._start()
            return self._started

    @property
    def source(self) -> Source:
        """The engine, started."""
        return self._source

    @property
    def publish(self) -> Publisher:
        """Publishing once for all questions: ``db.publish.histogram(…)`` and its like give drafts."""
        from hedgerow.database.publisher import Publisher

        return Publisher(self, self._analyst)

    @property
    def ledger(self) -> Store:
        """The ledger, for its entries."""
        return self._ledger

    def close(self) -> None:
        """Let go of engine and ledger."""
        if self._started is not None:
            self._started.close()
        self._ledger.close()

    def __repr__(self) -> str:
        return summary(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _explained(self, reading: Reading, sql: str, epsilon: Number | None, delta: Number | None) -> Explanation:
        priced = self._afforded(reading.question, epsilon, delta, len(reading.missing))
        if not reading.missing:
            stored = self._stored(priced)
            return self._told(priced, reading.notes, stored if answered(priced, stored) else ())
        told = self._told(priced, reading.notes)
        twin = self._afforded(self._finding.read(sql, stand_in=1).question, epsilon, delta, len(reading.missing))
        return self._finding.foretold(told, self._told(twin, reading.notes), reading.missing, priced.asked, priced.parts)

    def _for(self, told: Explanation, who: str) -> Explanation:
        """As it is for whoever asks, who may have a quota."""
        book = self._ledger.book
        quota = book.quota(who)
        return told if quota is None else within_quota(told, quota - book.spent_by(who))

    def _told(self, priced: Priced, notes: tuple[str, ...], stored: Sequence[Release] = ()) -> Explanation:
        """The explanation of a question, or of the answer that is ``stored`` for it."""
        from hedgerow.database.offers import offers  # a question that is only answered needs no publishing in memory

        if stored:
            notes = (*priced.as_answered(stored).notes, *notes)
        else:
            notes = (*priced.notes, *notes, *offers(priced.question, self.policy, float(priced.epsilon)))
        told = explanation_of(
            priced.question,
            priced.unit,
            priced.noise,
            epsilon=priced.epsilon,
            budget=self._ledger.book.budget(priced.rule.population),
            notes=notes,
            at=priced.parts,
            stored=stored,
        )
        if priced.others is None:
            return told
        budgets = [self._ledger.book.budget(name) for name, _ in priced.payers]
        return explained(told, priced.question, priced.noise, priced.payers, budgets)

    def _afforded(
        self, question: Question, epsilon: Number | None, delta: Number | None, first: int = 0, made: Entry | None = None
    ) -> Priced:
        """The question with the best noise; with Laplace noise where the best is Gaussian, whose delta is not left any more. What is left
        tells of no data, and which noise it is, is settled before any are read. What was paid for stands: an answer of either kind, or the
        charge that was ``made`` for the same request."""
        best = self._price(question, epsilon, delta, first)
        if best.noise.at is None:
            return best
        plain = self._price(question, epsilon, delta, first, law="laplace")
        for one in (best, plain):
            if answered(one, self._stored(one)) or (made is not None and made.body["question"] == one.key):
                return one
        budget = self._ledger.book.budget(best.rule.population)
        return replace(plain, instead=True) if only(plain.loss, best.loss, budget, best.parts) else best

    def _price(
        self, question: Question, epsilon: Number | None, delta: Number | None, first: int = 0, *, law: LawName | None = None
    ) -> Priced:
        """The noise of a question and its meaning, from public parameters, while the policy that they come from rules. It gets what is left
        of epsilon where so many searches come ``first``. The noise is what the policy says, or of one ``law``."""
        self._ledger.check_rules(self._digest)
        (tables, rule, unit), others = self.about(question), self._others(question)
        terms = terms_of([rule, *([] if others is None else [others[0]])])
        asked = _one(epsilon, question.options.epsilon, terms.default_epsilon, "epsilon")
        chance = _one(delta, question.options.delta, terms.default_delta, "delta")
        if asked is None or privacy_epsilon(asked) > terms.max_epsilon:
            most = f"{float(terms.max_epsilon):g}"
            raise Refused(f"One question may ask for at most epsilon {most} (max_epsilon_per_query): ask with epsilon = {most} or less.")
        if chance is not None:
            privacy_delta(chance)
        rest = asked - first * part_of(asked, first) if first else asked
        if others is not None:
            plan, noise = noise_for_both(question.plan, unit, others[1], epsilon=rest, law=terms.noise)
            meaning = [meaning_of(plan), rule.population, unit.relation, others[0].population, others[1].relation, terms.noise]
            return Priced(question.on(plan), tables, rule, unit, rest, noise, _digest_of(meaning), asked, others)
        whole, noise = noise_of(question, unit, rest, chance, rule.noise if law is None else law)
        # The delta is part of the meaning where it decides anything; how much noise there is is not.
        decides = bool(noise.threshold or noise.at) or any(isinstance(one, Picking) and one.delta is not None for one in noise.laws)
        kind = rule.noise if noise.at is None else f"{rule.noise}, gaussian"  # noise of different kinds is never averaged
        meaning = [meaning_of(whole.plan), rule.population, unit.relation, kind, str(chance) if decides else ""]
        return Priced(whole, tables, rule, unit, rest, noise, _digest_of(meaning), asked)

    def about(self, question: Question) -> tuple[tuple[TableRule, ...], BudgetRule, Unit]:
        """The protected tables of a question, and the budget of those who are counted first, whom its first table is about."""
        tables = tuple(table for name in question.tables if (table := self.policy.table(name)) is not None and table.population is not None)
        if not tables or tables[0].protects is None or tables[0].population is None:
            raise Refused("This question touches no protected table.")
        return tables, self.policy.budget(tables[0].population), tables[0].protects

    def _others(self, question: Question) -> tuple[BudgetRule, Unit] | None:
        """The budget and the unit of the other population, where two meet."""
        tables, rule, _ = self.about(question)
        found = [table for table in tables if table.population != rule.population]
        if not found or found[0].protects is None or found[0].population is None:
            return None
        return self.policy.budget(found[0].population), found[0].protects

    def _stored(self, priced: Priced) -> list[Release]:
        """The answers that the ledger has, the one of the largest epsilon first, of equal ones the oldest."""
        found = [Release.stored(charge, payload) for charge, payload in self._ledger.answers(priced.key, priced.version)]
        return sorted(found, key=lambda release: (-release.epsilon, release.entry.seq))[:_BLENDED]

    def _needed(self, question: Question, error: Fraction, delta: Number | None) -> Fraction:
        (tables, rule, unit), others = self.about(question), self._others(question)
        if others is not None:
            terms = terms_of([rule, others[0]])

            def for_both(epsilon: Fraction) -> tuple[Question, Noise]:
                plan, noise = noise_for_both(question.plan, unit, others[1], epsilon=epsilon, law=terms.noise)
                return question.on(plan), noise

            return needed_epsilon(question, for_both, error, terms.max_epsilon)
        chance = _one(delta, question.options.delta, rule.default_delta, "delta")
        budget, at = self._ledger.book.budget(rule.population), parts_read(question.plan, tables)

        def noise_at(epsilon: Fraction) -> tuple[Question, Noise]:
            whole, best = noise_of(question, unit, epsilon, chance, rule.noise)
            if best.at is None:
                return whole, best
            simple, plain = noise_of(question, unit, epsilon, chance, "laplace")
            losses = plain.loss(simple.plan.sensitivity(unit)), best.loss(whole.plan.sensitivity(unit))
            return (simple, plain) if only(*losses, budget, at) else (whole, best)

        return needed_epsilon(question, noise_at, error, rule.max_epsilon_per_query)


def _one(given: Number | None, written: Fraction | None, default: Fraction | None, name: str) -> Fraction | None:
    """The epsilon or delta of a question: the argument, what the SQL says, or the policy's default."""
    value = None if given is None else _short(exact(given, name), name)
    if value is not None and written is not None and value != written:
        raise InvalidArgument(name, "is given twice, here and in the OPTIONS of the question, and differently", given)
    return value if value is not None else _short(written, name) if written is not None else default


def _digest_of(meaning: list[str]) -> str:
    return hashlib.sha256("\n".join(meaning).encode()).hexdigest()


def _short(value: Fraction, name: str) -> Fraction:
    """Sums of fractions with long denominators grow without end, and are kept for ever."""
    if name == "epsilon" and _STEPS % value.denominator:
        raise InvalidArgument(name, "must have at most 18 decimals", value)
    return short(value, name)


def _analyst(policy: Policy, name: str | None) -> str:
    if name is None:
        return CUSTODIAN
    if policy.analysts and name not in {rule.name for rule in policy.analysts}:
        raise InvalidArgument("analyst", f"must be one of {', '.join(rule.name for rule in policy.analysts)}", name)
    return name
