"""The caveats of an answer: how contribution bounds and clamping may bias it, and which groups are
hidden. They follow from public parameters only."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from fractions import Fraction

from hedgerow.answers.estimates.bracketed_quantile import count_rows_needed
from hedgerow.answers.estimates.estimate import compute_linear_weights
from hedgerow.answers.unit_noun import UnitNoun
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.relations import (
    Project,
    find_owner_join,
    list_inputs,
    list_schemas,
)
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.values import Range
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss, format_bound
from hedgerow.release.candidate_selection import TESTED_METHODS, CalibratedSelection
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import ReleaseNoise
from hedgerow.sql.predicates.date_granularity import list_granularity_notes
from hedgerow.sql.predicates.domain_narrowing import can_be_null
from hedgerow.sql.question import AggregateCall, QuantileBracket, Question

__all__ = [
    "describe_bracket",
    "describe_rho_cost",
    "format_count",
    "list_caveats",
    "list_contribution_caveats",
]

# A grid that the policy does not declare has more steps than this, up to its bound.
_MAX_DECLARED_STEPS = 2**18


def list_contribution_caveats(
    question: Question, noise: ReleaseNoise, noun: UnitNoun
) -> Iterator[str]:
    """Describe how many groups, and rows in a group, one unit contributes to."""
    plan, bound = question.plan, question.plan.bound
    yield from _list_truncations(question, noun)
    if bound.source.unit == "row":
        return
    if bound.keys and (plan.source.cells is None or bound.max_groups < plan.source.cells):
        groups = "one group" if bound.max_groups == 1 else f"at most {bound.max_groups} groups"
        yield f"Each {noun.singular} contributes to {groups}."
    capped = [one for one in plan.measures if getattr(one, "sum_bounds", None) is None]
    if capped and not _has_clipped_sum(question):
        scaled = {isinstance(one, Measure) and one.is_scaled for one in capped}
        further = "are scaled down" if scaled == {True} else "do not count"
        if len(scaled) > 1:
            further = "are scaled down or do not count"
        yield (
            f"Each {noun.singular} contributes at most {format_count(bound.max_rows, 'row')}"
            f"{' to a group' * bool(bound.keys)}; further rows {further}"
            f"{_describe_scaling(question, noise)}."
        )


def _list_truncations(question: Question, noun: UnitNoun) -> Iterator[str]:
    """Describe how many rows of each side count where rows of different units are joined."""
    join = find_owner_join(question.plan.bound.source)
    sides = () if join is None else zip(list_inputs(join), join.truncations or (), strict=False)
    sentences = dict[str, None]()
    for side, caps in sides:
        tables = " and ".join(
            dict.fromkeys(schema.table for schema in list_schemas(side) if schema.unit is not None)
        )
        per_unit = f"{format_count(caps.max_rows_per_unit, 'row')} of each {noun.singular} and "
        sentences[
            f"Of {tables}, at most {per_unit * (side.unit != 'row')}"
            f"{format_count(caps.max_rows_per_key, 'row')} per join key meet rows of others."
        ] = None
    yield from sentences


def list_caveats(question: Question, noise: ReleaseNoise, noun: UnitNoun) -> list[str]:
    """Describe each way in which the answer may differ from plain SQL, apart from the noise and
    the contribution bounds."""
    bound = question.plan.bound
    mechanisms = dict(zip(question.plan.measures, noise.mechanisms, strict=True))
    read = [*bound.keys, *(name for one in question.plan.measures for name in one.columns)]
    found = [
        *_list_clamping_caveats(question, noun),
        *_describe_threshold(question, noise.threshold, noun),
        *(
            _describe_selection(call, mechanism)
            for call in question.aggregates
            if isinstance(mechanism := mechanisms[call.measure], CalibratedSelection)
        ),
        *_describe_missing_keys(question),
        *list_granularity_notes(bound.source, read),
    ]
    if question.having is not None or question.limit is not None:
        found.append(
            "HAVING and LIMIT use noisy values, so noise may decide about rows near the edge."
        )
    return list(dict.fromkeys(found))


def _has_clipped_sum(question: Question) -> bool:
    return any(call.clip is not None for call in question.aggregates)


def _list_clamping_caveats(question: Question, noun: UnitNoun) -> Iterator[str]:
    """Describe the ranges that values, and sums of one unit, are clamped to."""
    bound, clips = question.plan.bound, _has_clipped_sum(question)
    expressions = dict(bound.source.outputs) if isinstance(bound.source, Project) else {}
    clamped: dict[str, list[str]] = {}
    counts = {call.bracket.count for call in question.aggregates if call.bracket is not None}
    for call in question.aggregates:
        measure = call.measure
        if isinstance(measure, Measure) and (clips or call.name in counts):
            if clips and measure.grid is not None:
                yield _describe_clipped_sum(call, measure.grid, noun)
            continue
        # A count is not clamped, even where it shares its measure with a sum.
        columns = [
            (column, grid)
            for column, grid in _list_clamped_columns(measure)
            if call.function != "COUNT" and not _is_choice(expressions.get(column))
        ]
        if columns:
            ends = [
                _format_clamp(grid, bound.columns[column], expressions.get(column))
                for column, grid in columns
            ]
            clamped.setdefault(" and ".join(ends).replace(" and values", " and"), []).append(
                call.text
            )
        if isinstance(measure, Measure) and measure.sum_bounds and measure.grid is not None:
            low, high = (end * measure.grid.step for end in measure.sum_bounds)
            where = " in a group" * bool(bound.keys)
            yield f"{_describe_sum_clamp(call, measure.grid, low, high, noun, where)}."
    for clamp, texts in clamped.items():
        *others, last = dict.fromkeys(texts)
        who = f"{', '.join(others)} and {last} clamp" if others else f"{last} clamps"
        yield f"{who} {clamp}."


def _is_choice(expression: Expression | None) -> bool:
    """Return whether a value is one of several constants: none of them is ever clamped."""
    if not isinstance(expression, Call) or expression.function != "case":
        return isinstance(expression, Constant)
    return all(map(_is_choice, (*expression.arguments[1:-1:2], expression.arguments[-1])))


def _describe_threshold(
    question: Question, threshold: Threshold | None, noun: UnitNoun
) -> Iterator[str]:
    if threshold is None:
        return
    # A count of rows that each unit contributes one of is a count of units.
    counts_rows = question.plan.measures[threshold.measure_index].kind == "rows"
    counted = "rows" if counts_rows and question.plan.bound.max_rows > 1 else noun.plural
    edge = ""
    if threshold.edge_probability >= Fraction(1, 100):
        edge = (
            f" (at {threshold.minimum_count - 1:,}, shown with a probability of"
            f" {float(100 * threshold.edge_probability):.0f} %)"
        )
    yield (
        f"Groups with a noisy count below {threshold.minimum_count:,}"
        f" {counted} are hidden{edge}. Intervals do not account for this selection."
    )


def _describe_scaling(question: Question, noise: ReleaseNoise) -> str:
    """Describe the bias of sums whose rows are scaled down."""
    steps = dict(zip(question.plan.measures, noise.counting_steps, strict=False))
    bias = {
        call.text: steps[call.measure].lost_parts * sum(map(abs, weights))
        for call in question.aggregates
        if call.measure in steps
        and (weights := compute_linear_weights(call, steps[call.measure].parts_per_step))
        is not None
    }
    lost = [f"{text} by up to {float(size):.2g}" for text, size in bias.items() if size]
    return f", which may lower {' and '.join(lost)} (included in intervals)" if lost else ""


def _describe_missing_keys(question: Question) -> list[str]:
    """Describe the declared keys that may be NULL: such rows are in no group."""
    bound = question.plan.bound
    if question.plan.source.domain is None:
        return []
    nullable = [
        key.text
        for key, name in zip(question.keys, bound.keys, strict=True)
        if bound.columns[name].nullable and can_be_null(bound.source, ColumnRef(name))
    ]
    if not nullable:
        return []
    return [
        f"Rows without {' or '.join(nullable)} are in no group; write COALESCE({nullable[0]}, …) to"
        " count them."
    ]


def describe_rho_cost(loss: Loss, budget: Budget) -> tuple[str, ...]:
    """Describe the cost of Gaussian noise beside the whole budget: it has no pure epsilon."""
    if isinstance(loss.epsilon, Fraction) or budget.delta is None:
        return ()
    return (
        f"Gaussian noise is charged in rho: {format_bound(loss.rho)} of {format_bound(budget.rho)},"
        f" which is what epsilon {format_bound(budget.epsilon)} at delta"
        f" {format_bound(budget.delta * budget.conversion)} allows.",
    )


def _format_clamp(grid: ClampedGrid, known: Range, source: Expression | None) -> str:
    """Format a clamp by the declared bounds, which its grid may not meet exactly."""
    low, high = grid.low * grid.step, grid.high * grid.step
    low = low if known.low is None else max(low, known.low)
    high = high if known.high is None else min(high, known.high)
    start = _find_start(source)
    if start is not None:
        return f"moments to {start} … {start + timedelta(seconds=int(high))}"
    if known.type == "date":
        first, last = (date.fromordinal(int(end)) for end in (low, high))
        return f"dates to {first} … {last}"
    return f"values to {_format_interval(low, high, grid)}"


def _find_start(source: Expression | None) -> datetime | None:
    """Return the moment from which the seconds of chosen timestamps are counted."""
    if not isinstance(source, Call) or source.function != "seconds between":
        return None
    first = source.arguments[0]
    found = first.value if isinstance(first, Constant) else None
    return found if isinstance(found, datetime) else None


def _describe_sum_clamp(
    call: AggregateCall,
    grid: ClampedGrid,
    low: Fraction,
    high: Fraction,
    noun: UnitNoun,
    where: str = "",
) -> str:
    ends = _format_interval(low, high, grid)
    return f"{call.text} clamps the total of each {noun.singular}{where} to {ends}"


def _describe_clipped_sum(call: AggregateCall, grid: ClampedGrid, noun: UnitNoun) -> str:
    """Describe the clamp of a sum with a count of the units outside of it, or of one beside it."""
    clamp = _describe_sum_clamp(call, grid, grid.low * grid.step, grid.high * grid.step, noun)
    if call.clip is None:
        return f"{clamp}."
    if call.clip.outer is None:
        return (
            f"{clamp}. The number of {noun.plural} outside is counted, but not how far outside they"
            " are: the interval leaves out what clamping removes."
        )
    return f"{clamp}. The interval covers totals in {_format_interval(*call.clip.outer)}."


def _format_interval(low: Fraction, high: Fraction, grid: ClampedGrid | None = None) -> str:
    return f"[{_format_number(low, grid)}, {_format_number(high, grid)}]"


def _format_number(value: Fraction, grid: ClampedGrid | None = None) -> str:
    """Format a bound with up to ten digits.

    On a fine grid, which nobody declared, use as few digits as give the value to half a step: they
    show the declared bound rather than the grid point next to it.
    """
    declared = grid is None or max(abs(grid.low), abs(grid.high)) < _MAX_DECLARED_STEPS
    tolerance = Fraction(0) if declared or grid is None else grid.step / 2
    for digits in range(1, 11):
        rounded = float(f"{float(value):.{digits}g}")
        if abs(Fraction(rounded) - value) <= tolerance:
            return f"{rounded:,.10g}"
    return f"{float(value):,.10g}"


def _list_clamped_columns(measure: Measure | OrderStatistic) -> list[tuple[str, ClampedGrid]]:
    found = []
    if measure.column is not None and measure.grid is not None:
        found.append((measure.column, measure.grid))
    if isinstance(measure, Measure) and measure.second is not None:
        found.append(measure.second)
    return found


def _describe_selection(call: AggregateCall, mechanism: CalibratedSelection) -> str:
    if mechanism.method in TESTED_METHODS:
        return (
            f"{call.text} is NULL where the test of method '{mechanism.method}' fails; the test is"
            " charged all the same."
        )
    ranks = mechanism.rank_error(Fraction(1, 20))
    if ranks is None:
        return f"The error of {call.text} depends on the data, so it is private."
    if mechanism.kind == "mode":
        return (
            f"{call.text} may be a value that is rarer than the mode by up to"
            f" {format_count(ranks, 'row')} (95 %)."
        )
    if call.bracket is not None:
        return f"The interval of {call.text} is {describe_bracket(call.bracket, mechanism)}."
    return (
        f"{call.text} is off by at most {format_count(ranks, 'rank')} (95 %); its error in value is"
        " private."
    )


def describe_bracket(bracket: QuantileBracket, mechanism: CalibratedSelection) -> str:
    """Describe the quantiles that bound an interval, and the row count that they need."""
    least = count_rows_needed(mechanism, (bracket.high - bracket.low) / 2, Fraction(1, 40), 1)
    return (
        f"from the quantile at {float(bracket.low):g} to the one at {float(bracket.high):g} (95 %)"
        f" where a noisy count shows more than {format_count(least, 'row')}, else the whole range"
    )


def format_count(count: float, word: str) -> str:
    """Format a count, rounded up, with its noun in singular or plural."""
    whole = math.ceil(count)
    return f"{whole:,} {word}{'s' * (whole != 1)}"
