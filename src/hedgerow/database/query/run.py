"""The run of one question, from its text to its answer, as a list of stages.

    read -> price -> find stored -> charge -> run -> noise -> answer

``release.release`` does charge, run and noise as one step that cannot be split: the ledger is
charged before the engine reads any data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from hedgerow.answers.answer import Answer, build_answer
from hedgerow.answers.caveats import describe_rho_cost
from hedgerow.answers.explanation import Explanation
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.database.autobounds.column_bounds import compute_search_epsilon
from hedgerow.database.autobounds.resolver import (
    ResolvedQuestion,
    add_search_cost,
    build_too_few_refusal,
)
from hedgerow.database.autobounds.search import BoundsSearch
from hedgerow.database.query.charging import build_charge
from hedgerow.database.query.explain import explain_resolved
from hedgerow.database.query.postprocessing import run_split_statement
from hedgerow.database.query.pricing import (
    PricedQuestion,
    QueryContext,
    QueryRequest,
    find_stored_answers,
    is_answered,
    price_question,
)
from hedgerow.database.query.question_clipping import answer_with_clipping
from hedgerow.database.query.second_population_charging import describe_charges
from hedgerow.database.query.shared_failures import share_failure
from hedgerow.database.uncharged.empty_rows import answer_about_no_rows
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.database.uncharged.public_query import answer_public_query
from hedgerow.database.uncharged.system_query import answer_system_query, is_system_query
from hedgerow.errors import BudgetExceeded, Refused, Unsupported
from hedgerow.ledger.entry import Entry
from hedgerow.release.payload import Release
from hedgerow.release.release import release
from hedgerow.sql.postprocessing.statement_split import split_statement
from hedgerow.sql.predicates.unsatisfiable import UnsatisfiableCondition
from hedgerow.sql.question import Question

__all__ = ["CUSTODIAN", "read_count_question", "run_query"]

CUSTODIAN: Final = "custodian"  # who asks when no analyst is named


@dataclass(frozen=True, slots=True)
class _Reading:
    """A question that was read: the searches for bounds that it pays for, and the charge that an
    earlier request with the same idempotency key made."""

    resolved: ResolvedQuestion
    searches: tuple[BoundsSearch, ...]
    charged: Entry | None


def run_query(
    context: QueryContext, request: QueryRequest
) -> Answer | Explanation | ExactTable | PostprocessedAnswer:
    """Run a question from its text to its answer."""
    exact = answer_without_charge(context, request)
    if exact is not None:
        return exact
    try:
        reading = read_question(context, request)
    except Unsupported as refusal:
        if isinstance(refusal, UnsatisfiableCondition):
            known = answer_about_no_rows(request.sql, context.catalog, refusal)
            if known is not None:
                return known
        # Not one question; it may be ordinary SQL over several.
        statement = split_statement(request.sql, context.catalog, refusal)
        return run_split_statement(context, request, statement)
    if reading.resolved.question.explain:
        return explain_resolved(context, request, reading.resolved)
    if reading.resolved.question.measures_clipping:
        return answer_with_clipping(context, request, reading.resolved)
    priced = price_reading(context, request, reading)
    if reading.resolved.missing_searches:
        reading = find_missing_bounds(context, request, reading, priced)
        priced = price_reading(context, request, reading)
    seen = context.ledger.state.seq
    stored = find_stored_answers(context.ledger, priced)
    if is_answered(priced, stored):
        return build_stored_answer(reading, priced, stored)
    with context.enter_flight(priced.key):
        if context.ledger.state.seq > seen:
            # Somebody else may have asked the same meanwhile.
            stored = find_stored_answers(context.ledger, priced)
            if is_answered(priced, stored):
                return build_stored_answer(reading, priced, stored)
            share_failure(context.ledger, [(priced.key, priced.version)], seen)
        try:
            released = charge_run_and_add_noise(context, request, priced)
        except BudgetExceeded:
            # Another question may have spent the delta that this price counted on.
            if price_reading(context, request, reading).key == priced.key:
                raise
        else:
            return build_charged_answer(context, reading, priced, [released, *stored])
    return run_query(context, request)


def answer_without_charge(context: QueryContext, request: QueryRequest) -> ExactTable | None:
    """Answer a question about system tables or public tables; None for any other."""
    if is_system_query(request.sql):
        analyst = None if request.analyst == CUSTODIAN else request.analyst
        return answer_system_query(request.sql, context, analyst)
    return answer_public_query(request.sql, context.policy, context.catalog)


def read_question(context: QueryContext, request: QueryRequest) -> _Reading:
    """Read a question under the declared bounds and those that were found before."""
    resolved = context.resolver.resolve(request.sql)
    if resolved.question.explain:
        return _Reading(resolved, (), None)
    searches = context.resolver.list_paid_searches(resolved, request.analyst, request.key)
    charged = context.ledger.find_request(request.analyst, request.key)
    return _Reading(resolved, searches, charged)


def price_reading(
    context: QueryContext, request: QueryRequest, reading: _Reading
) -> PricedQuestion:
    """Price a question that was read; its searches for bounds take their share of epsilon."""
    return price_question(
        context, reading.resolved.question, request, len(reading.searches), reading.charged
    )


def find_missing_bounds(
    context: QueryContext, request: QueryRequest, reading: _Reading, priced: PricedQuestion
) -> _Reading:
    """Find the missing bounds of a question; those that somebody else is searching for already
    are waited for, and cost nothing."""
    seen, missing = context.ledger.state.seq, reading.resolved.missing_searches
    with context.enter_flight(*(search.key for search in missing)):
        if context.ledger.state.seq > seen:
            reading = read_question(context, request)
            if not reading.resolved.missing_searches:
                return reading
            questions = [(search.key, search.table.version) for search in missing]
            share_failure(context.ledger, questions, seen)
            priced = price_reading(context, request, reading)
        return search_missing_bounds(context, request, reading, priced)


def search_missing_bounds(
    context: QueryContext, request: QueryRequest, reading: _Reading, priced: PricedQuestion
) -> _Reading:
    """Find the missing bounds privately and read the question again; charge nothing unless the
    budget covers the searches and the question."""
    missing = reading.resolved.missing_searches
    epsilon = compute_search_epsilon(priced.asked_epsilon, len(reading.searches))
    context.resolver.check_affordable(
        reading.resolved,
        request.analyst,
        priced.asked_epsilon,
        epsilon,
        priced.loss,
        priced.charged_parts,
    )
    source = context.source
    for search in missing:
        charge = search.charge(request.analyst, epsilon, request.key, context.policy_digest)
        release(search.plan, source, context.release_ledger, search.noise(epsilon), charge)
    resolved = context.resolver.resolve(request.sql)
    if resolved.missing_searches:
        raise build_too_few_refusal(resolved.missing_searches, epsilon * len(missing))
    return replace(reading, resolved=resolved)


def build_stored_answer(reading: _Reading, priced: PricedQuestion, stored: list[Release]) -> Answer:
    """Build the answer from stored releases, at no cost."""
    notes = (*priced.with_stored_noise(stored).notes, *reading.resolved.notes)
    return build_answer(priced.question, stored, reused=True, notes=notes)


def charge_run_and_add_noise(
    context: QueryContext, request: QueryRequest, priced: PricedQuestion
) -> Release:
    """Charge the question, run its plan on the data, and add noise to the cells."""
    # The engine starts here: an error of the data source is raised before anything is charged.
    source = context.source
    charge = build_charge(context, request, priced)
    return release(priced.question.plan, source, context.release_ledger, priced.noise, charge)


def build_charged_answer(
    context: QueryContext, reading: _Reading, priced: PricedQuestion, releases: list[Release]
) -> Answer:
    """Build the answer from a new release and those that are stored, with the cost of both the
    question and its searches for bounds."""
    released = releases[0]
    budget = context.ledger.state.budget(priced.payers.first.population)
    notes = [
        *priced.notes,
        *reading.resolved.notes,
        *describe_rho_cost(released.loss, budget),
    ]
    if priced.payers.second is not None:
        notes.append(describe_charges(released.losses))
    answer = build_answer(priced.question, releases, reused=False, notes=notes)
    if not reading.searches:
        return answer
    cost = add_search_cost(reading.searches, priced.asked_epsilon, answer.cost)
    return replace(answer, cost=cost)


def read_count_question(context: QueryContext, sql: str) -> Question:
    """Read a question for a custom mechanism, whose bounds must all be declared, with its groups
    in the order of its GROUP BY."""
    resolved = context.resolver.resolve(sql)
    question = resolved.question
    if question.explain or resolved.missing_searches or question.plan.population_join is not None:
        raise Refused(
            "A mechanism takes questions about one population with declared bounds. Declare the"
            " bounds in the policy, ask about one population, and leave EXPLAIN PRIVACY out."
        )
    return question.restore_key_order()
