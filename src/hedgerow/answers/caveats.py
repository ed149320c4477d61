"""What an answer leaves out, in plain words: where caps and clamps may bias it, and which groups
are not shown. Public parameters only.
"""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction

from hedgerow.answers.estimates.bracketed_quantile import count_rows_needed
from hedgerow.answers.estimates.estimate import compute_linear_weights
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.values import Range
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss, format_bound
from hedgerow.release.candidate_selection import TESTED_METHODS, CalibratedSelection
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import ReleaseNoise
from hedgerow.sql.predicates.date_granularity import list_granularity_notes
from hedgerow.sql.predicates.domain_narrowing import can_be_null
from hedgerow.sql.question import AggregateCall, QuantileBracket, Question

__all__ = ["describe_bracket", "describe_rho_cost", "list_caveats"]

_MAX_DECLARED_STEPS = 2**18  # steps; a grid that nobody declared has more, up to its bound


def list_caveats(question: Question, noise: ReleaseNoise) -> tuple[str, ...]:
    """One sentence for each way in which the answer may differ from plain SQL, noise aside."""
    plan, found, laws = (
        question.plan,
        [],
        dict(zip(question.plan.measures, noise.mechanisms, strict=True)),
    )
    bound, clips = plan.bound, any(call.clip is not None for call in question.aggregates)
    counts = {call.bracket.count for call in question.aggregates if call.bracket is not None}
    where = " in a group" if bound.keys else ""
    if (
        bound.source.unit != "row"
        and bound.keys
        and (plan.source.cells is None or bound.max_groups < plan.source.cells)
    ):
        found.append(
            f"Of each unit at most {bound.max_groups} groups count."
            if bound.max_groups > 1
            else "Of each unit one group counts."
        )
    rows_count = any(
        not isinstance(measure, Measure) or measure.sum_bounds is None for measure in plan.measures
    )
    if bound.source.unit != "row" and not clips and rows_count:
        rows = f"{bound.max_rows} row{'s' * (bound.max_rows > 1)}"
        found.append(
            f"A unit with more than {rows}{where} counts as"
            f" {bound.max_rows}{_describe_scaling(question, noise)}."
        )
    for call in question.aggregates:
        if isinstance(call.measure, Measure) and (clips or call.name in counts):
            found.extend(_describe_clipped_sum(call, call.measure) if clips else [])
        else:
            # what is counted is not clamped, though a column may share its measure with a sum
            if call.function != "COUNT":
                found.extend(
                    _describe_clamp(call, snap, plan.bound.columns[column])
                    for column, snap in _list_clamped_columns(call.measure)
                )
            found.extend(
                _describe_unit_limits(call, call.measure, where)
                if isinstance(call.measure, Measure)
                else []
            )
    if noise.threshold is not None:
        what = "" if plan.measures[noise.threshold.measure_index].kind == "rows" else " units"
        found.append(
            f"Groups are shown from a noisy count of {noise.threshold.minimum_count:,}{what}"
            f" on{_describe_edge(noise.threshold)}; that choice aside, each interval holds at its"
            " level."
        )
    found.extend(
        _describe_selection(call, law)
        for call in question.aggregates
        if isinstance(law := laws[call.measure], CalibratedSelection)
    )
    found.extend(_describe_missing_keys(question))
    found.extend(
        list_granularity_notes(
            bound.source,
            [*bound.keys, *(name for measure in plan.measures for name in measure.columns)],
        )
    )
    if question.having is not None or question.limit is not None:
        found.append(
            "HAVING and LIMIT looked at noisy values, so rows near the edge may be in or out by"
            " chance."
        )
    return tuple(dict.fromkeys(found))


def _describe_scaling(question: Question, noise: ReleaseNoise) -> str:
    """State the bias of sums whose rows are scaled down."""
    fine = dict(zip(question.plan.measures, noise.counting_steps, strict=False))
    lacking = {
        call.text: fine[call.measure].lost_parts * sum(map(abs, weights))
        for call in question.aggregates
        if call.measure in fine
        and (weights := compute_linear_weights(call, fine[call.measure].parts_per_step)) is not None
    }
    told = [f"up to {float(bias):.2g} off {text}" for text, bias in lacking.items() if bias]
    return (
        f"; scaling its rows down may take {', '.join(told)}, which intervals include"
        if told
        else ""
    )


def _describe_missing_keys(question: Question) -> list[str]:
    """Of keys whose groups are listed beforehand, and may lack a value."""
    bound, texts = question.plan.bound, [key.text for key in question.keys]
    if question.plan.source.domain is None:
        return []
    known = bound.columns
    lacking = [
        text
        for text, name in zip(texts, bound.keys, strict=True)
        if known[name].nullable and can_be_null(bound.source, ColumnRef(name))
    ]
    return (
        [
            f"Rows without {' or '.join(lacking)} are in no group; write COALESCE({lacking[0]}, …)"
            " to count them."
        ]
        if lacking
        else []
    )


def describe_rho_cost(loss: Loss, budget: Budget) -> tuple[str, ...]:
    """What Gaussian noise costs, beside all that there is: it has no epsilon that one could
    compare.
    """
    if isinstance(loss.epsilon, Fraction) or budget.delta is None:
        return ()
    total = (
        f"epsilon {format_bound(budget.epsilon)} at delta"
        f" {format_bound(budget.delta * budget.conversion)}"
    )
    return (
        (
            f"Gaussian noise is paid in rho: {format_bound(loss.rho)} of the"
            f" {format_bound(budget.rho)} that {total} comes to."
        ),
    )


def _describe_edge(threshold: Threshold) -> str:
    chance = f"{float(100 * threshold.edge_probability):.0f} %"
    return (
        f", and at {threshold.minimum_count - 1:,} with a chance of {chance}"
        if threshold.edge_probability >= Fraction(1, 100)
        else ""
    )


def _describe_clamp(call: AggregateCall, snap: ClampedGrid, known: Range) -> str:
    """Between which values the clamp lies: those declared, which its grid may not meet exactly."""
    low, high = snap.low * snap.step, snap.high * snap.step
    low, high = (
        low if known.low is None else max(low, known.low),
        high if known.high is None else min(high, known.high),
    )
    if known.type == "date":
        first, last = (date.fromordinal(int(end)) for end in (low, high))
        return f"In {call.text} dates count as {first} at the earliest and {last} at the latest."
    return (
        f"In {call.text} values count as at least {_format_number(low, snap)} and at most"
        f" {_format_number(high, snap)}."
    )


def _describe_unit_limits(call: AggregateCall, measure: Measure, where: str) -> list[str]:
    """Of a sum with bounds on what a unit adds up to."""
    if measure.sum_bounds is None or measure.grid is None:
        return []
    low, high = (
        _format_number(end * measure.grid.step, measure.grid) for end in measure.sum_bounds
    )
    return [
        f"In {call.text} what a unit adds up to{where} counts as at least {low} and at most {high}."
    ]


def _describe_clipped_sum(call: AggregateCall, measure: Measure) -> list[str]:
    """Of a sum for which it was counted how many units are outside its bounds, or of one beside
    it.
    """
    if measure.grid is None:
        return []
    low, high = (
        _format_number(end * measure.grid.step, measure.grid)
        for end in (measure.grid.low, measure.grid.high)
    )
    told = f"In {call.text} what a unit adds up to counts as at least {low} and at most {high}"
    if call.clip is None:
        return [f"{told}."]
    if call.clip.outer is None:
        return [
            f"{told}; how many are outside was counted, but not how far: the interval leaves out"
            " what they lack."
        ]
    return [
        f"{told}; the interval is that of sums from"
        f" {' to '.join(map(_format_number, call.clip.outer))}."
    ]


def _format_number(value: Fraction, snap: ClampedGrid | None = None) -> str:
    """Ten digits; on a fine grid, which nobody chose, as few as say the value to half a step: what
    was declared, and not where it came to lie."""
    near = (
        Fraction(0)
        if snap is None or max(abs(snap.low), abs(snap.high)) < _MAX_DECLARED_STEPS
        else snap.step / 2
    )
    shorter = (float(f"{float(value):.{digits}g}") for digits in range(1, 11))
    return f"{next((short for short in shorter if abs(Fraction(short) - value) <= near), float(value)):,.10g}"


def _list_clamped_columns(measure: Measure | OrderStatistic) -> list[tuple[str, ClampedGrid]]:
    """The columns that are clamped, and where."""
    found = (
        [] if measure.column is None or measure.grid is None else [(measure.column, measure.grid)]
    )
    return (
        [*found, measure.second]
        if isinstance(measure, Measure) and measure.second is not None
        else found
    )


def _describe_selection(call: AggregateCall, law: CalibratedSelection) -> str:
    if law.method in TESTED_METHODS:
        return (
            f"{call.text} is NULL where the test of the method {law.method} did not pass: no"
            " release, though it was paid for."
        )
    ranks = law.rank_error(Fraction(1, 20))
    if ranks is None:
        return f"How far off {call.text} is depends on the data, and is private."
    if law.kind == "mode":
        return (
            f"{call.text} may be a value that is rarer by up to {_format_count(ranks, 'row')}, with"
            " 95 %."
        )
    if call.bracket is not None:
        return f"The interval of {call.text} is that of {describe_bracket(call.bracket, law)}."
    return (
        f"{call.text} is at most {_format_count(ranks, 'rank')} off, with 95 %; how far that is in"
        " value is private."
    )


def describe_bracket(bracket: QuantileBracket, law: CalibratedSelection) -> str:
    """Between which quantiles, and from how many rows on that is certain enough."""
    least = count_rows_needed(law, (bracket.high - bracket.low) / 2, Fraction(1, 40), 1)
    return (
        f"the quantiles at {float(bracket.low):g} and {float(bracket.high):g}, with 95 % where a"
        f" count shows that there are more than {_format_count(least, 'row')}, and else the whole"
        " range"
    )


def _format_count(count: float, word: str) -> str:
    whole = math.ceil(count)
    return f"{whole:,} {word}{'s' * (whole != 1)}"
