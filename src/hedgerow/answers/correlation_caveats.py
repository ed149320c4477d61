"""Notes on correlations that say nothing, because noise hides how much the values vary. They follow
from noisy answers and public parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from hedgerow.answers.estimates.estimate import Estimate
from hedgerow.numeric.exact_number import Number
from hedgerow.sql.question import AggregateCall, Question

__all__ = ["describe_wide_correlations"]

# The widest interval that says something: half of all values that there are.
_WIDTHS: Final = {"CORR": 1.0, "REGR_R2": 0.5}


def describe_wide_correlations(
    question: Question, estimates: Mapping[str, Estimate], level: Number
) -> Iterator[str]:
    """Describe each correlation whose interval holds half of all values or more, and why."""
    for call in question.aggregates:
        if call.function in _WIDTHS:
            pairs = estimates[call.name].intervals(level)
            wide = sum(
                pair is None or pair[1] - pair[0] >= _WIDTHS[call.function] for pair in pairs
            )
            if wide:
                yield _describe(call, question, wide, len(pairs))


def _describe(call: AggregateCall, question: Question, wide: int, groups: int) -> str:
    rows, has_caps = question.plan.bound.max_rows, question.plan.bound.source.unit != "row"
    where = f" in {wide:,} of {groups:,} groups" if groups > 1 else ""
    counted = f", of which the caps let {rows} of each count," if has_caps else ""
    help_ = ["a larger epsilon", "narrower bounds of both columns"]
    help_ += ["fewer groups"] if question.keys else []
    if has_caps and rows > 1:
        help_.append(f"a smaller max_rows_per_group if most have fewer than {rows} rows")
    return (
        f"{call.text} says little{where}: the values of the rows{counted} vary no more than the"
        f" noise. What helps: {', '.join(help_)}."
    )
