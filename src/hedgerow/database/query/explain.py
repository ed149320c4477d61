"""The explanation of a question: its price, its expected error and its notes, without a charge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hedgerow.answers.explanation import (
    Explanation,
    build_explanation,
    combine_explanations,
    count_questions_left,
    limit_to_quota,
)
from hedgerow.database.autobounds.resolver import ResolvedQuestion
from hedgerow.database.query.pricing import (
    PricedQuestion,
    QueryContext,
    QueryRequest,
    find_epsilon_for_error,
    find_stored_answers,
    is_answered,
    price_question,
)
from hedgerow.database.query.question_clipping import price_both
from hedgerow.database.query.second_population_charging import explain_for_both
from hedgerow.database.uncharged.system_query import is_system_query
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import Number, parse_positive
from hedgerow.release.payload import Release

__all__ = ["explain_priced", "explain_query", "explain_resolved", "limit_to_analyst"]


def explain_query(
    context: QueryContext, request: QueryRequest, error: Number | None = None
) -> Explanation:
    """Explain a question at the epsilon of the request, or at the epsilon that an expected
    ``error`` takes."""
    if is_system_query(request.sql):
        raise Refused(
            "System tables cost nothing and have no noise, so there is nothing to explain. Use"
            " query instead."
        )
    resolved = context.resolver.resolve(request.sql)
    if error is not None:
        if request.epsilon is not None:
            raise InvalidArgument(
                "error", "cannot be given together with epsilon: leave one of them out", error
            )
        if resolved.missing_searches:
            raise Refused(
                "The error of this question is unknown until its bounds are found. Name an epsilon"
                " instead, or declare the bounds in the policy."
            )
        target = parse_positive(error, "error")
        found = find_epsilon_for_error(context, resolved.question, target, request.delta)
        request = replace(request, epsilon=found)
    return explain_resolved(context, request, resolved)


def explain_resolved(
    context: QueryContext, request: QueryRequest, resolved: ResolvedQuestion
) -> Explanation:
    """Explain a question that was read, for an analyst who may have a quota."""
    if resolved.question.measures_clipping:
        return limit_to_analyst(context, request.analyst, _explain_both(context, request, resolved))
    missing = resolved.missing_searches
    priced = price_question(context, resolved.question, request, len(missing))
    if missing:
        # Explained under two stand-ins for the missing bounds: what differs is not known yet.
        other = context.resolver.resolve(request.sql, stand_in=1).question
        explanation = context.resolver.explain_before_search(
            explain_priced(context, priced, resolved.notes),
            explain_priced(
                context, price_question(context, other, request, len(missing)), resolved.notes
            ),
            missing,
            priced.asked_epsilon,
            priced.charged_parts,
        )
    else:
        stored = find_stored_answers(context.ledger, priced)
        usable = stored if is_answered(priced, stored) else ()
        explanation = explain_priced(context, priced, resolved.notes, usable)
    return limit_to_analyst(context, request.analyst, explanation)


def _explain_both(
    context: QueryContext, request: QueryRequest, resolved: ResolvedQuestion
) -> Explanation:
    """Explain a question that measures its own clipping."""
    both = price_both(context, request, resolved)
    usable = both.stored if is_answered(both.question, both.stored) else ()
    question = explain_priced(context, both.question, resolved.notes, usable)
    if both.measurement is None:
        return question
    usable = both.measured if is_answered(both.measurement, both.measured) else ()
    measurement = explain_priced(context, both.measurement, (), usable)
    combined = combine_explanations(
        [question, replace(measurement, notes=())],
        ["the question", "the number of units by the rows that its caps cut"],
    )
    if combined.free:
        return replace(combined, steps=combined.steps[:-1])
    budget = context.ledger.state.budget(both.question.payers.first.population)
    left = count_questions_left(budget, combined.cost, both.question.charged_parts)
    return replace(combined, steps=combined.steps[:-1], covered=left > 0, questions_left=left)


def limit_to_analyst(context: QueryContext, analyst: str, explanation: Explanation) -> Explanation:
    """Return an explanation that regards the quota of an analyst, if they have one."""
    state = context.ledger.state
    quota = state.quota(analyst)
    if quota is None:
        return explanation
    return limit_to_quota(explanation, quota - state.asked_epsilon(analyst))


def explain_priced(
    context: QueryContext,
    priced: PricedQuestion,
    notes: Sequence[str],
    stored: Sequence[Release] = (),
) -> Explanation:
    """Explain a priced question, or the answer that is ``stored`` for it."""
    # Publishing is loaded here only: a question that is answered does not need it.
    from hedgerow.database.query.publication_hints import list_publication_hints

    if stored:
        notes = [*priced.with_stored_noise(stored).notes, *notes]
    else:
        hints = list_publication_hints(priced.question, context.policy, float(priced.epsilon))
        notes = [*priced.notes, *notes, *hints]
    payers = priced.payers.each
    budgets = [context.ledger.state.budget(payer.population) for payer in payers]
    explanation = build_explanation(
        priced.question,
        payers[0].unit,
        priced.noise,
        epsilon=priced.epsilon,
        budget=budgets[0],
        notes=notes,
        at=priced.charged_parts,
        stored=stored,
    )
    if priced.payers.second is None:
        return explanation
    return explain_for_both(explanation, priced.question, priced.noise, payers, budgets)
