"""The price of a question: its noise, its cost, and the key under which its answers are stored. It
follows from public parameters and the ledger, before any data are read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from hedgerow.answers.caveats import list_caveats, list_contribution_caveats
from hedgerow.answers.clipping_caveats import describe_clipping, list_capped_tables
from hedgerow.answers.explanation import find_needed_epsilon
from hedgerow.calibration.measure_planning import plan_measures
from hedgerow.calibration.noise_choice import NoiseKind
from hedgerow.calibration.step_refinement import calibrate_refined_noise
from hedgerow.database.autobounds.column_bounds import compute_search_epsilon
from hedgerow.database.autobounds.resolver import BoundsResolver, read_asked_epsilon
from hedgerow.database.measured_clipping import MeasuredDatabase, find_measured_clipping
from hedgerow.database.query.partition_charging import find_touched_parts
from hedgerow.database.query.payers import Payer, QuestionPayers, find_payers
from hedgerow.database.query.second_population_charging import (
    calibrate_noise_for_both,
    combine_limits,
    describe_joint_bounds,
)
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.interface import LedgerBase
from hedgerow.numeric.exact_number import (
    Number,
    check_stored_digits,
    parse_delta,
    parse_epsilon,
    parse_exact,
)
from hedgerow.plan.canonical_plans import compute_plan_key
from hedgerow.plan.nodes import Aggregate
from hedgerow.policy import TableRule
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.budget_view import Balance, DualBalance
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import TableParts
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.noise import ReleaseNoise
from hedgerow.release.payload import Release
from hedgerow.release.release import ReleaseLedger
from hedgerow.sql.question import QueryOptions, Question

__all__ = [
    "EPSILON_STEPS",
    "PricedQuestion",
    "QueryContext",
    "QueryRequest",
    "choose_price",
    "find_charged_parts",
    "find_epsilon_for_error",
    "find_stored_answers",
    "is_answered",
    "price_question",
    "price_with_noise",
]


EPSILON_STEPS = 10**18  # epsilon is a whole number of steps this small
_MAX_AVERAGED_ANSWERS = 16  # answers to one question that are averaged
_FALLBACK_NOTE = (
    "Laplace noise is used: Gaussian noise would be more accurate, but the remaining delta does not"
    " cover it."
)


class QueryContext(MeasuredDatabase, Protocol):
    """The parts of a database that a question needs."""

    @property
    def resolver(self) -> BoundsResolver: ...
    @property
    def budgets(self) -> Mapping[str, Balance | DualBalance]: ...
    @property
    def release_ledger(self) -> ReleaseLedger: ...
    def enter_flight(self, *keys: str) -> AbstractContextManager[None]: ...


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """A question as it is asked: its text, the analyst, the price that the caller names, and an
    idempotency key."""

    sql: str
    analyst: str
    epsilon: Number | None = None
    delta: Number | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class PricedQuestion:
    """A question with its noise, and the key under which its answers are stored."""

    question: Question
    payers: QuestionPayers
    epsilon: Fraction
    noise: ReleaseNoise
    key: str
    asked_epsilon: Fraction  # with the share that pays for bounds that are found first
    is_fallback: bool = False  # Laplace noise, because the budget does not cover the best noise
    clipping: tuple[str, ...] = ()  # what caps cut off

    @property
    def loss(self) -> Loss:
        """The cost for the first population."""
        return self.noise.loss(self.question.plan.sensitivity(self.payers.first.unit))

    @property
    def version(self) -> str:
        """The data versions of all tables that the question reads, sorted by table."""
        versions = sorted({table.name: table.version for table in self.payers.tables}.items())
        if len(versions) == 1:
            return versions[0][1]
        return ", ".join(f"{name} {version}" for name, version in versions)

    @property
    def charged_parts(self) -> TableParts | None:
        """The table and its parts that are charged; None for the whole."""
        return find_charged_parts(self.question.plan, self.payers.tables)

    def with_stored_noise(self, stored: Sequence[Release]) -> PricedQuestion:
        """Return the question with the noise of its stored answer, for the notes of that answer."""
        return replace(self, noise=stored[0].noise)

    @property
    def notes(self) -> tuple[str, ...]:
        """The caveats of the answer."""
        noun = self.payers.first.noun
        if self.payers.second is None:
            bounds = tuple(list_contribution_caveats(self.question, self.noise, noun))
        else:
            bounds = describe_joint_bounds(self.question, noun, self.payers.second.noun)
        fallback = (_FALLBACK_NOTE,) if self.is_fallback else ()
        return (*bounds, *self.clipping, *list_caveats(self.question, self.noise, noun), *fallback)


def price_question(
    context: QueryContext,
    question: Question,
    request: QueryRequest,
    search_count: int = 0,
    charged: Entry | None = None,
) -> PricedQuestion:
    """Price a question, with the notes on what its caps cut off."""
    priced = _choose_noise(context, question, request, search_count, charged)
    capped = list_capped_tables(question)
    if capped is None:
        return priced
    found = ((table, find_measured_clipping(context, table)) for table, _ in capped)
    measured = {table: histogram for table, histogram in found if histogram is not None}
    noun = priced.payers.first.noun
    return replace(priced, clipping=tuple(describe_clipping(question, noun, measured)))


def _choose_noise(
    context: QueryContext,
    question: Question,
    request: QueryRequest,
    search_count: int,
    charged: Entry | None,
) -> PricedQuestion:
    """Price a question with the best noise that the budget covers: Gaussian noise, where it is
    best, gives way to Laplace noise when its delta is not left.

    The remaining budget tells nothing about the data. An answer that is stored keeps its noise, and
    so does a request that was ``charged`` before. ``search_count`` searches for bounds come first
    and take their share of epsilon.
    """
    best = price_with_noise(context, question, request, search_count)
    if best.noise.gaussian_epsilon is None:
        return best
    plain = price_with_noise(context, question, request, search_count, kind="laplace")
    for priced in (best, plain):
        was_charged = charged is not None and charged.body["question"] == priced.key
        if was_charged or is_answered(priced, find_stored_answers(context.ledger, priced)):
            return priced
    budget = context.ledger.state.budget(best.payers.first.population)
    if _covers_only_first(plain.loss, best.loss, budget, best.charged_parts):
        return replace(plain, is_fallback=True)
    return best


def price_with_noise(
    context: QueryContext,
    question: Question,
    request: QueryRequest,
    search_count: int = 0,
    *,
    kind: NoiseKind | None = None,
) -> PricedQuestion:
    """Price a question with the noise of the policy, or with noise of one ``kind``; refuse it if
    the policy that it was read under is no longer accepted."""
    context.ledger.check_policy(context.policy_digest)
    payers = find_payers(context.policy, question)
    asked, delta = choose_price(payers.each, request, question.options)
    epsilon = asked
    if search_count:
        epsilon -= search_count * compute_search_epsilon(asked, search_count)
    calibrated, noise = _calibrate_question(question, payers, epsilon, delta, kind)
    key = _compute_question_key(calibrated, noise, payers, delta)
    return PricedQuestion(calibrated, payers, epsilon, noise, key, asked)


def choose_price(
    payers: Sequence[Payer], request: QueryRequest, options: QueryOptions
) -> tuple[Fraction, Fraction | None]:
    """Return the epsilon and the delta that a question names, or the defaults of its payers; refuse
    more than they allow."""
    limits = combine_limits([payer.budget_rule for payer in payers])
    asked = _choose_parameter(request.epsilon, options.epsilon, limits.default_epsilon, "epsilon")
    delta = _choose_parameter(request.delta, options.delta, limits.default_delta, "delta")
    if asked is None or parse_epsilon(asked) > limits.max_epsilon:
        limit = f"{float(limits.max_epsilon):g}"
        raise Refused(
            f"One question may use at most epsilon {limit} (max_epsilon_per_query). Ask with"
            f" epsilon = {limit} or less."
        )
    if delta is not None:
        parse_delta(delta)
    return asked, delta


def _calibrate_question(
    question: Question,
    payers: QuestionPayers,
    epsilon: Fraction,
    delta: Fraction | None,
    kind: NoiseKind | None,
) -> tuple[Question, ReleaseNoise]:
    """Return the question with the measures that its noise needs, and that noise."""
    unit = payers.first.unit
    if payers.second is not None:
        limits = combine_limits([payer.budget_rule for payer in payers.each])
        plan, noise = calibrate_noise_for_both(
            question.plan, unit, payers.second.unit, epsilon=epsilon, law=limits.noise
        )
        return question.with_plan(plan), noise
    kind = payers.first.budget_rule.noise if kind is None else kind
    plan = plan_measures(question.plan, unit, epsilon=epsilon, delta=delta, kind=kind)
    names = [key.text for key in question.keys]
    plan, noise = calibrate_refined_noise(
        plan, unit, epsilon=epsilon, delta=delta, kind=kind, names=names
    )
    return question.with_plan(plan), noise


def _compute_question_key(
    question: Question, noise: ReleaseNoise, payers: QuestionPayers, delta: Fraction | None
) -> str:
    """Compute the key of stored answers: a digest of everything that an answer depends on, except
    the amount of noise."""
    first, second = payers.first, payers.second
    meaning = [compute_plan_key(question.plan), first.population, first.unit.relation]
    if second is not None:
        limits = combine_limits([first.budget_rule, second.budget_rule])
        meaning += [second.population, second.unit.relation, limits.noise]
    else:
        # Noise of different kinds is never averaged.
        gaussian = "" if noise.gaussian_epsilon is None else ", gaussian"
        # The delta belongs to the key only where it decides what is released.
        uses_delta = bool(noise.threshold or noise.gaussian_epsilon) or any(
            isinstance(mechanism, CalibratedSelection) and mechanism.delta is not None
            for mechanism in noise.mechanisms
        )
        meaning += [f"{first.budget_rule.noise}{gaussian}", str(delta) if uses_delta else ""]
    return hashlib.sha256("\n".join(meaning).encode()).hexdigest()


def find_epsilon_for_error(
    context: QueryContext, question: Question, error: Fraction, delta: Number | None
) -> Fraction:
    """Return the least epsilon at which every count and sum of the question has this expected
    error, with the noise that the budget covers."""
    payers = find_payers(context.policy, question)
    limits = combine_limits([payer.budget_rule for payer in payers.each])
    chosen = _choose_parameter(delta, question.options.delta, limits.default_delta, "delta")
    budget = context.ledger.state.budget(payers.first.population)
    parts = find_charged_parts(question.plan, payers.tables)

    def calibrate_at(epsilon: Fraction) -> tuple[Question, ReleaseNoise]:
        best = _calibrate_question(question, payers, epsilon, chosen, None)
        if best[1].gaussian_epsilon is None:
            return best
        plain = _calibrate_question(question, payers, epsilon, chosen, "laplace")
        plain_loss, best_loss = (
            noise.loss(calibrated.plan.sensitivity(payers.first.unit))
            for calibrated, noise in (plain, best)
        )
        return plain if _covers_only_first(plain_loss, best_loss, budget, parts) else best

    return find_needed_epsilon(question, calibrate_at, error, limits.max_epsilon)


def _covers_only_first(first: Loss, second: Loss, budget: Budget, parts: TableParts | None) -> bool:
    return not budget.covers(second, parts) and budget.covers(first, parts)


def find_stored_answers(ledger: LedgerBase, priced: PricedQuestion) -> list[Release]:
    """Return the stored answers to a question, the largest epsilon first, then the oldest."""
    releases = [
        Release.from_payload(charge, payload)
        for charge, payload in ledger.answers(priced.key, priced.version)
    ]
    releases.sort(key=lambda release: (-release.epsilon, release.entry.seq))
    return releases[:_MAX_AVERAGED_ANSWERS]


def is_answered(priced: PricedQuestion, stored: Sequence[Release]) -> bool:
    """Return whether a stored answer has at least the epsilon that is asked for."""
    return any(read_asked_epsilon(release) >= priced.asked_epsilon for release in stored)


def find_charged_parts(plan: Aggregate, tables: Sequence[TableRule]) -> TableParts | None:
    """Return the table and its parts that a plan is charged to; None for the whole."""
    parts = find_touched_parts(plan, tables[0]) if len(tables) == 1 else None
    return None if parts is None else TableParts(tables[0].name, parts)


def _choose_parameter(
    given: Number | None, written: Fraction | None, default: Fraction | None, name: str
) -> Fraction | None:
    """Choose the epsilon or delta of a question: the argument, else its OPTIONS, else the policy's
    default."""
    value = None if given is None else parse_exact(given, name)
    if value is not None and written is not None and value != written:
        raise InvalidArgument(
            name, "is given twice, here and in OPTIONS of the question, with other values", given
        )
    chosen = written if value is None else value
    return default if chosen is None else _check_decimals(chosen, name)


def _check_decimals(value: Fraction, name: str) -> Fraction:
    """Refuse long fractions: the ledger keeps their sums for ever."""
    if name == "epsilon" and EPSILON_STEPS % value.denominator:
        raise InvalidArgument(name, "must have at most 18 decimals", value)
    return check_stored_digits(value, name)
