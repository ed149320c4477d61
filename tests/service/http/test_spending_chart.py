from __future__ import annotations

from datetime import UTC, datetime

from hedgerow.service.http.spending_chart import (
    draw_spending_chart,
    draw_spending_charts,
    list_spending_steps,
)

ENTRIES: list[dict[str, object]] = [
    {"kind": "act", "population": None, "epsilon": None, "time": "2026-11-01T08:00:00"},
    {"kind": "charge", "population": "patients", "epsilon": 0.5, "time": "2026-11-01T09:00:00"},
    {"kind": "charge", "population": "staff", "epsilon": 0.1, "time": "2026-11-01T10:00:00"},
    {
        "kind": "charge",
        "population": "staff, patients",
        "epsilon": 1,
        "time": "2026-11-02T09:00:00",
    },
]


def test_the_charges_to_a_population_are_added_up() -> None:
    steps = list_spending_steps(ENTRIES, "patients")
    assert [step.spent for step in steps] == [0.5, 1.5]
    assert steps[0].time == datetime(2026, 11, 1, 9, tzinfo=UTC)
    assert list_spending_steps(ENTRIES, "nobody") == []


def test_the_chart_shows_the_steps_below_the_total() -> None:
    now = datetime(2026, 11, 3, tzinfo=UTC)
    drawing = draw_spending_chart(list_spending_steps(ENTRIES, "patients"), 3.0, now, "Spent")
    assert 'aria-label="Spent"' in drawing
    assert "total 3" in drawing
    assert "2026-11-01 09:00" in drawing
    assert "2026-11-03 00:00" in drawing
    heights = [
        float(pair.split(",")[1]) for pair in drawing.split('points="')[1].split('"')[0].split()
    ]
    assert heights == sorted(heights, reverse=True)  # spending never falls
    assert draw_spending_chart([], 3.0, now, "Spent") == ""


def test_each_population_has_its_chart() -> None:
    pure, dual = {"total": "3"}, {"epsilon": {"total": "2"}, "rho": {"total": "1"}}
    charts = draw_spending_charts(ENTRIES, {"patients": pure, "staff": dual, "x": pure}, "Spent")
    assert "total 3" in charts["patients"]
    assert "total 2" in charts["staff"]
    assert 'aria-label="Spent about staff over time"' in charts["staff"]
    assert charts["x"] == ""
