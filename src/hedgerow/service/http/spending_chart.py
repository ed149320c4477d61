"""A chart of what was spent over time, beside the total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from hedgerow.charts.svg import (
    CHARACTER_WIDTH,
    WIDTH,
    build_scale,
    compute_ticks,
    draw_for_screens,
    draw_line,
    draw_polyline,
    draw_text,
    format_number,
    wrap_svg,
)

__all__ = [
    "SpendingStep",
    "draw_spending_chart",
    "draw_spending_charts",
    "list_spending_steps",
]

_LEFT, _RIGHT, _TOP, _HEIGHT = 56, 24, 14, 150
_DATE_LENGTH: Final = 16  # of a time, up to its minutes


@dataclass(frozen=True, slots=True)
class SpendingStep:
    """A charge: its time, and the epsilon asked for up to it."""

    time: datetime
    spent: float


def draw_spending_charts(
    entries: Sequence[dict[str, object]], budgets: Mapping[str, dict[str, Any]], label: str
) -> dict[str, str]:
    """Draw what was spent of each population up to now; "" where nothing was."""
    now = datetime.now(UTC)
    charts = {}
    for name, budget in budgets.items():
        total = float(budget.get("epsilon", budget)["total"])
        steps = list_spending_steps(entries, name)
        description = f"{label} about {name} over time"
        charts[name] = draw_for_screens(
            partial(draw_spending_chart, steps, total, now, description)
        )
    return charts


def list_spending_steps(
    entries: Sequence[dict[str, object]], population: str
) -> list[SpendingStep]:
    """Add up the epsilons of the charges to a population, in the order of the ledger."""
    spent = 0.0
    steps = []
    for entry in entries:
        populations = str(entry["population"] or "").split(", ")
        if entry["kind"] == "charge" and population in populations:
            spent += float(str(entry["epsilon"] or 0))
            time = datetime.fromisoformat(str(entry["time"])).replace(tzinfo=UTC)
            steps.append(SpendingStep(time, spent))
    return steps


def draw_spending_chart(
    steps: Sequence[SpendingStep],
    total: float,
    now: datetime,
    description: str,
    width: float = WIDTH,
) -> str:
    """Draw what was spent as steps over time, under a line for the total; "" without charges."""
    if not steps:
        return ""
    begin, end = steps[0].time, max(now, steps[-1].time)
    ticks = compute_ticks(0.0, max(total, steps[-1].spent), 4)
    down = build_scale(0.0, ticks[-1], _TOP + _HEIGHT, _TOP)
    across = build_scale(begin.timestamp(), end.timestamp(), _LEFT, width - _RIGHT)
    parts = [draw_line(_LEFT, down(tick), width - _RIGHT, down(tick), "grid") for tick in ticks]
    parts += [draw_text(_LEFT - 8, down(tick) + 4, format_number(tick), "end") for tick in ticks]
    points, spent = [(float(_LEFT), down(0.0))], 0.0
    for step in steps:
        x = across(step.time.timestamp())
        points += [(x, down(spent)), (x, down(step.spent))]
        spent = step.spent
    points.append((width - _RIGHT, down(spent)))
    parts.append(draw_polyline(points, f"spent: {format_number(spent)}"))
    parts.append(draw_line(_LEFT, down(total), width - _RIGHT, down(total), "truth"))
    label = f"total {format_number(total)}"
    x = width - _RIGHT - CHARACTER_WIDTH * len(label)
    parts.append(draw_text(x, down(total) - 5, label, "start", "value"))
    for moment, place, anchor in ((begin, _LEFT, "start"), (end, width - _RIGHT, "end")):
        text = moment.isoformat(" ")[:_DATE_LENGTH]
        parts.append(draw_text(place, _TOP + _HEIGHT + 18, text, anchor))
    return wrap_svg(_TOP + _HEIGHT + 26, description, parts, width)
