"""Counts of the units that contribution_bounds_per_group clips, from one row per unit and group.

    SUM(x, contribution_bounds_per_group => (0, 100), clipped => TRUE)

is the sum of LEAST(GREATEST(t, 0), 100) and the count of rows with t < 0 OR t > 100, over a
subquery that has SUM(x) AS t for each unit and group. Both thus count each unit once, with all its
rows in the group, before any cap on rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from hedgerow.errors import Unbounded, Unsupported
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Project, RelationNode, UnitAggregation, UnitStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.scalar.functions import round_half_away
from hedgerow.plan.values import Range
from hedgerow.sql.question import AggregateCall, ClippingCount
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["count_clipped_units"]

_MAX_STEPS: Final = 2**53  # doubles count steps exactly up to here


def count_clipped_units(
    text: SourceText,
    rows: RelationNode,
    keys: Sequence[str],
    calls: Sequence[AggregateCall],
    *,
    one_row_per_group: bool,
) -> tuple[RelationNode, tuple[AggregateCall, ...]]:
    """Return the rows of a question with clipping counts, and its aggregates as measures of them.

    With ``one_row_per_group`` the rows need no aggregation per unit.
    """
    _check_calls(text, calls)
    known = rows.columns
    sums = {
        call.measure: f"s{i}" for i, call in enumerate(calls) if isinstance(call.measure, Measure)
    }
    unit_rows: RelationNode = rows
    if not one_row_per_group:
        unit_rows = UnitAggregation(
            rows,
            tuple(keys),
            tuple(
                (name, _build_unit_sum(text, measure, calls, known))
                for measure, name in sums.items()
            ),
        )
    read = {
        measure: ColumnRef(str(measure.column) if one_row_per_group else name)
        for measure, name in sums.items()
    }
    outside = {measure: name.replace("s", "o") for measure, name in sums.items()}
    types = unit_rows.columns
    outputs = (
        *((key, ColumnRef(key)) for key in keys),
        *((name, read[measure]) for measure, name in sums.items()),
        *(
            (name, _build_outside_test(read[measure], measure, types[read[measure].column]))
            for measure, name in outside.items()
        ),
    )
    counts = {call.clip.count for call in calls if call.clip is not None}
    measured = []
    for call in calls:
        assert isinstance(call.measure, Measure)
        measure = (
            Measure("values", outside[call.measure])
            if call.name in counts
            else _build_clamped_sum(call.measure, sums[call.measure])
        )
        clip = (
            call.clip
            if call.clip is None or not one_row_per_group
            else _narrow_outer_bounds(call.clip, known[str(call.measure.column)])
        )
        measured.append(replace(call, measure=measure, clip=clip))
    return Project(unit_rows, outputs), tuple(measured)


def _check_calls(text: SourceText, calls: Sequence[AggregateCall]) -> None:
    for call in calls:
        if not isinstance(call.measure, Measure) or call.measure.sum_bounds is None:
            problem = (
                f"{call.text} cannot be combined with clipped => TRUE, which works on one sum per"
                " unit"
            )
            fix = f"Ask for {call.text} in a separate question."
            raise text.refusal(Unsupported, problem, None, fix)
        if max(map(abs, call.measure.sum_bounds)) > _MAX_STEPS:
            problem = "contribution_bounds_per_group is too wide for clipped => TRUE"
            fix = "Choose narrower bounds, or leave clipped out."
            raise text.refusal(Unsupported, problem, None, fix)


def _build_unit_sum(
    text: SourceText, measure: Measure, calls: Sequence[AggregateCall], known: Mapping[str, Range]
) -> UnitStatistic:
    """Build the sum per unit.

    ``measures`` clamps rows of a column without bounds to the bounds of the sum, so that no unit
    with one row would be clipped. The outer bounds replace that clamp.
    """
    assert measure.grid is not None
    clips = [call.clip for call in calls if call.measure == measure and call.clip is not None]
    if known[str(measure.column)].is_bounded or not clips:
        return UnitStatistic("total", measure.column, measure.grid)
    outer = [end for clip in clips if clip.outer is not None for end in clip.outer]
    if not outer or any(clip.outer is None for clip in clips):
        raise text.refusal(
            Unbounded,
            "clipped => TRUE needs outer bounds, because this column has no bounds",
            None,
            "Declare bounds in the policy, or add outer_bounds_per_group => (0, 5000).",
        )
    zero = Fraction(0)
    low, high = (
        round_half_away(end / measure.grid.step) for end in (min(zero, *outer), max(zero, *outer))
    )
    if max(-low, high) > _MAX_STEPS:
        raise text.refusal(
            Unsupported,
            "outer_bounds_per_group is too wide for clipped => TRUE",
            None,
            "Choose narrower bounds.",
        )
    return UnitStatistic("total", measure.column, ClampedGrid(measure.grid.step, low, high))


def _build_clamped_sum(measure: Measure, column: str) -> Measure:
    assert measure.grid is not None
    assert measure.sum_bounds is not None
    return Measure("total", column, ClampedGrid(measure.grid.step, *measure.sum_bounds))


def _build_outside_test(column: ColumnRef, measure: Measure, known: Range) -> Expression:
    """Build an expression that is 1 where the sum is outside the limits, and NULL elsewhere.

    Sums are whole numbers of steps, so half a step beyond a limit separates doubles safely.
    """
    assert measure.grid is not None
    assert measure.sum_bounds is not None
    low, high = measure.sum_bounds
    if known.type == "integer":
        ends = [Constant(int(end * measure.grid.step), "integer") for end in (low, high)]
    else:
        half = Fraction(1, 2)
        ends = [
            Constant(float((end + side) * measure.grid.step), "real")
            for end, side in ((low, -half), (high, half))
        ]
    beyond = Call("or", (Call("<", (column, ends[0])), Call(">", (column, ends[1]))))
    return Call("case", (beyond, Constant(1, "integer"), Constant(None, "integer")))


def _narrow_outer_bounds(clip: ClippingCount, known: Range) -> ClippingCount:
    """Narrow the outer bounds of a sum to the range of its only row."""
    if known.low is None or known.high is None:
        return clip
    low, high = (
        (known.low, known.high)
        if clip.outer is None
        else (max(clip.outer[0], known.low), min(clip.outer[1], known.high))
    )
    return replace(clip, outer=(min(low, clip.limits[0]), max(high, clip.limits[1])))
