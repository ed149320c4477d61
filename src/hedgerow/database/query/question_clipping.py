"""The clipping of one question, measured inside its epsilon: ``COUNT(*, clipped => TRUE)``.

| symbol | meaning |
|---|---|
| n(g) | the rows of a unit in group g, of the rows that the question groups |
| m, G | the caps: rows of a unit in a group, groups of a unit |
| T, K, t | of a unit: the sum of all n(g), the sum of all min(n(g), m), the number of its groups |
| D | T - min(K, m G, K - max(0, t - G)) |

**Meaning.** At most D' = T - (what counts of the unit) rows are lost to the caps, and D <= D': what
counts is at most K, at most m in each of G groups, and of t - G dropped groups each has a row. D is
0 exactly where the caps change nothing. Without keys D = D'.

**Statement.** The number of units in each bucket of D (0, 1, 2, … up to each power of two) costs
the share of epsilon that it is charged. *Proof.* D is a function of the rows of one unit, so a unit
is in one bucket. The plan says the same: a count of units in declared groups, of which each unit
has one. ``release`` takes the price from the plan. []

A fifth of the epsilon is for this count, the rest for the question; both are charged together or
not at all, before data are read, and each is found again if it is stored. The rows are those of the
question, so where a question is charged to parts of a table, its measurement is, too.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from hedgerow.answers.answer import Answer, build_answer, build_receipt
from hedgerow.answers.caveats import describe_rho_cost
from hedgerow.answers.clipping_bounds import ClippingHistogram
from hedgerow.answers.clipping_caveats import NOTHING_TO_CUT, describe_own_clipping, find_caps
from hedgerow.database.autobounds.column_bounds import encode_magnitude, round_epsilon_down
from hedgerow.database.autobounds.resolver import ResolvedQuestion
from hedgerow.database.query.charging import build_charge
from hedgerow.database.query.payers import find_payers
from hedgerow.database.query.pricing import (
    PricedQuestion,
    QueryContext,
    QueryRequest,
    choose_price,
    find_stored_answers,
    is_answered,
    price_question,
    price_with_noise,
)
from hedgerow.database.query.shared_failures import share_failure
from hedgerow.errors import HedgerowError, Refused
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Project,
    RelationNode,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.release.noise import ReleaseNoise
from hedgerow.release.payload import Release
from hedgerow.release.release import Charge, charge_together, release
from hedgerow.sql.question import AggregateCall, GroupKey, OutputColumn, Question

__all__ = [
    "LOST_ROWS_GRID",
    "PricedWithClipping",
    "answer_with_clipping",
    "build_lost_rows_plan",
    "price_both",
]

_SHARE: Final = Fraction(1, 5)  # of the epsilon of the question
# Few buckets: a statement about all of them has the noise of each.
LOST_ROWS_GRID: Final = tuple(2**power for power in range(15))
_WHOLE: Final = ClampedGrid(Fraction(1), 0, 2**53)


@dataclass(frozen=True, slots=True)
class PricedWithClipping:
    """A question and the measurement of its clipping (None where no cap can cut), each with its
    price, its stored answers, and the request that asks for it."""

    question: PricedQuestion
    stored: Sequence[Release]
    request: QueryRequest
    measurement: PricedQuestion | None = None
    measured: Sequence[Release] = ()
    measurement_request: QueryRequest | None = None

    @property
    def unanswered(self) -> set[tuple[str, str]]:
        """The keys and data versions of what has no stored answer."""
        both = [(self.question, self.stored), (self.measurement, self.measured)]
        return {
            (priced.key, priced.version)
            for priced, stored in both
            if priced is not None and not is_answered(priced, stored)
        }


def build_lost_rows_plan(question: Question) -> Aggregate | None:
    """Build the plan that counts units by D; None where no cap can cut anything."""
    plan, bound = question.plan, question.plan.bound
    if plan.truncations is not None or plan.population_join is not None:
        raise Refused(
            "clipped => TRUE measures the rows of each person by themselves, and the caps of this"
            " join cut rows of several people. Leave clipped out."
        )
    counts_rows, any_bites = find_caps(question)
    if not any_bites:
        return None
    rows: RelationNode = bound.source
    for key, listed in zip(bound.keys, plan.source.domain or (), strict=False):
        read, type_ = ColumnRef(key), bound.columns[key].type
        values = tuple(Constant(value, type_) for value in listed)
        rows = Filter(rows, Call("in", (read, *values)))
    groups = UnitAggregation(rows, bound.keys, (("n", UnitStatistic("rows")),))
    size: Expression = ColumnRef("n") if counts_rows else Constant(1, "integer")
    most = bound.max_rows if counts_rows else 1
    sizes = Project(groups, (("n", size), ("k", Call("least", (size, _number(most))))))
    units = UnitAggregation(
        sizes,
        (),
        (
            ("total", UnitStatistic("total", "n", _WHOLE)),
            ("kept", UnitStatistic("total", "k", _WHOLE)),
            ("groups", UnitStatistic("rows")),
        ),
    )
    limits = tuple(map(Fraction, (*LOST_ROWS_GRID, 2**62)))
    lost = _build_lost_rows(most, bound.max_groups if bound.keys else 1)
    bucket = encode_magnitude(lost, "integer", limits)
    buckets = Project(units, (("bucket", bucket),))
    places = tuple(range(len(limits) + 1))
    return Aggregate(Group(Bound(buckets, ("bucket",), 1, 1), (places,)), (Measure("units"),))


def _build_lost_rows(max_rows: int, max_groups: int) -> Expression:
    """Build the expression of D."""
    total, kept, groups = (
        Call("least", (ColumnRef(name), _number(_WHOLE.high)))
        for name in ("total", "kept", "groups")
    )
    dropped = Call("-", (groups, _number(max_groups)))
    counted = (
        kept,
        _number(min(max_rows * max_groups, _WHOLE.high)),
        Call("-", (kept, Call("greatest", (_number(0), dropped)))),
    )
    return Call("-", (total, Call("least", counted)))


def _number(value: int) -> Constant:
    return Constant(value, "integer")


def _build_measurement(question: Question) -> Question | None:
    """Build the measurement as a question of its own, whose answer is the noisy histogram."""
    plan = build_lost_rows_plan(question)
    if plan is None:
        return None
    text = "the number of units by the rows that its caps cut"
    return Question(
        plan,
        (AggregateCall("a0", "COUNT", Measure("units"), "integer", text),),
        (GroupKey("k0", "integer", "rows cut"),),
        (OutputColumn("units", ColumnRef("a0"), "integer"),),
        tables=question.tables,
    )


def price_both(
    context: QueryContext, request: QueryRequest, resolved: ResolvedQuestion
) -> PricedWithClipping:
    """Price a question and the measurement of its clipping, from the epsilon that it names."""
    question = resolved.question
    if resolved.missing_searches:
        raise Refused(
            "This question needs caps or bounds that are not found yet. Ask it once without"
            " clipped => TRUE, which finds them."
        )
    measurement = _build_measurement(question)
    prefix = request.key or f"clipping {uuid.uuid4()}"
    if measurement is None:
        first = replace(request, key=f"{prefix}/0")
        priced = price_question(context, question, first)
        priced = replace(priced, clipping=(NOTHING_TO_CUT,))
        return PricedWithClipping(priced, find_stored_answers(context.ledger, priced), first)
    payers = find_payers(context.policy, question).each
    epsilon, _ = choose_price(payers, request, question.options)
    share = round_epsilon_down(epsilon * _SHARE)
    plain = replace(question.options, epsilon=None)  # shared out here
    first = replace(request, epsilon=epsilon - share, key=f"{prefix}/0")
    second = replace(request, epsilon=share, delta=None, key=f"{prefix}/1")
    charged = context.ledger.find_request(first.analyst, first.key)
    priced = price_question(context, replace(question, options=plain), first, charged=charged)
    measured = price_with_noise(context, measurement, second, kind="laplace")
    return PricedWithClipping(
        replace(priced, clipping=()),
        find_stored_answers(context.ledger, priced),
        first,
        measured,
        find_stored_answers(context.ledger, measured),
        second,
    )


def answer_with_clipping(
    context: QueryContext, request: QueryRequest, resolved: ResolvedQuestion
) -> Answer:
    """Answer a question, and say how much its caps cut off."""
    seen = context.ledger.state.seq
    both = price_both(context, request, resolved)
    while asked := both.unanswered:
        with context.enter_flight(*(key for key, _ in asked)):
            if context.ledger.state.seq > seen:
                # Somebody else may have asked the same meanwhile.
                both = price_both(context, request, resolved)
                if both.unanswered:
                    share_failure(context.ledger, asked, seen)
            if both.unanswered <= asked:
                return _release_both(context, resolved, both)
    return _release_both(context, resolved, both)


def _release_both(
    context: QueryContext, resolved: ResolvedQuestion, both: PricedWithClipping
) -> Answer:
    """Charge what is not stored, or nothing; then release it, and build the answer."""
    missing = both.unanswered
    due = [
        (priced.question.plan, priced.noise, charge)
        for priced, charge in _list_charges(context, both)
        if (priced.key, priced.version) in missing
    ]
    new = _release_due(context, due) if due else {}
    released = new.get(both.question.key)
    answers = [*([released] if released else []), *both.stored]
    notes = list(both.question.notes)
    if both.measurement is not None:
        histogram = new.get(both.measurement.key) or both.measured[0]
        described = describe_own_clipping(
            resolved.question,
            both.question.payers.first.noun,
            ClippingHistogram(histogram, LOST_ROWS_GRID),
        )
        notes = list(replace(both.question, clipping=(described,)).notes)
    if released is not None:
        budget = context.ledger.state.budget(both.question.payers.first.population)
        notes += describe_rho_cost(released.loss, budget)
    measured = new.get(both.measurement.key) if both.measurement is not None else None
    answer = build_answer(
        both.question.question,
        answers,
        reused=released is None,
        notes=[*notes, *resolved.notes],
    )
    if measured is None:
        return answer
    receipt = answer.receipt if released is not None else build_receipt(measured, reused=False)
    return replace(answer, cost=answer.cost + measured.loss, receipt=receipt)


def _release_due(
    context: QueryContext, due: Sequence[tuple[Aggregate, ReleaseNoise, Charge]]
) -> dict[str, Release]:
    """Charge all, and release each of them; raise the first failure at the end, because the others
    are paid for."""
    charge_together(context.source, context.release_ledger, due)
    released: dict[str, Release] = {}
    failure: HedgerowError | None = None
    for plan, noise, charge in due:
        try:
            found = release(plan, context.source, context.release_ledger, noise, charge)
        except HedgerowError as error:
            failure = failure or error
        else:
            released[charge.question] = found
    if failure is not None:
        raise failure
    return released


def _list_charges(
    context: QueryContext, both: PricedWithClipping
) -> list[tuple[PricedQuestion, Charge]]:
    """List the charges of the question and of its measurement, to the same parts of a table."""
    question = build_charge(context, both.request, both.question)
    if both.measurement is None:
        return [(both.question, question)]
    assert both.measurement_request is not None
    measurement = build_charge(context, both.measurement_request, both.measurement)
    measurement = replace(measurement, parts=question.parts)
    return [(both.question, question), (both.measurement, measurement)]
