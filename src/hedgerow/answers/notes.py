"""What an answer leaves out, in plain words: where caps and clamps may bias it, and which groups are not shown. Public parameters only."""

from __future__ import annotations

from hedgerow.plan.explain import text
from hedgerow.plan.nodes import Project
from hedgerow.release import Noise
from hedgerow.sql.question import Question

__all__ = ["notes_for"]


def notes_for(question: Question, noise: Noise) -> tuple[str, ...]:
    """One sentence for each way in which the answer may differ from plain SQL, noise aside."""
    plan, found = question.plan, []
    bound = plan.bound
    if bound.source.unit != "row":
        if bound.keys and (plan.source.cells is None or bound.max_groups < plan.source.cells):
            found.append(
                f"Of each unit at most {bound.max_groups} groups count." if bound.max_groups > 1 else "Of each unit one group counts."
            )
        where = " in a group" if bound.keys else ""
        found.append(f"A unit with more than {bound.max_rows} row{'s' * (bound.max_rows > 1)}{where} counts as {bound.max_rows}.")
    written = dict(bound.source.outputs) if isinstance(bound.source, Project) else {}
    for measure in plan.measures:
        if measure.snap is not None and measure.column is not None:
            low, high = (float(end * measure.snap.step) for end in (measure.snap.low, measure.snap.high))
            name = text(written[measure.column]) if measure.column in written else measure.column
            found.append(f"{name} counts as at least {low:,.10g} and at most {high:,.10g}.")
    if noise.threshold is not None:
        found.append(
            f"Groups are shown from a noisy count of {noise.threshold.least:,} on; that choice aside, each interval holds at its level."
        )
    if question.having is not None or question.limit is not None:
        found.append("HAVING and LIMIT looked at noisy values, so rows near the edge may be in or out by chance.")
    return tuple(dict.fromkeys(found))
