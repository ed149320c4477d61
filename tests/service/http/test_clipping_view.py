from __future__ import annotations

from pathlib import Path

from hedgerow.answers.clipping_bounds import ClippingHistogram
from hedgerow.database.measured_clipping import find_measured_clipping
from hedgerow.database.open_database import open
from hedgerow.service.http.clipping_view import build_clipping_view
from service.helpers_service import write_clinic

CAPS = {"max_rows_per_group": 2, "max_groups": 2}


def measure(folder: Path) -> ClippingHistogram:
    policy = write_clinic(folder)
    text = policy.read_text().replace("delta = 1e-9", "delta = 1e-9\nclipping_epsilon = 20")
    policy.write_text(text)
    with open(policy) as database:
        found = find_measured_clipping(database, "visits")
    assert found is not None
    return found


def test_a_measurement_is_shown_up_to_the_last_declared_cap(tmp_path: Path) -> None:
    histogram = measure(tmp_path)
    view = build_clipping_view("visits", histogram, CAPS)
    assert view.kept == "at most 2 rows in at most 2 groups"
    assert view.entry == histogram.entry
    assert [(row.cap, row.is_declared) for row in view.rows] == [
        *((1, False), (2, True), (3, False), (4, True))
    ]
    first, second = view.rows[:2]  # 200 patients have two visits each; the noise is small
    assert 150 < first.least_units <= 200 <= first.most_units < 250
    assert second.least_units == 0
    assert "over 4" in view.chart


def test_a_table_that_was_not_measured_has_its_caps_only() -> None:
    view = build_clipping_view("visits", None, {"max_rows_per_group": None, "max_groups": 1})
    assert (view.entry, view.rows, view.chart) == (None, (), "")
    assert view.kept == "any number of rows in at most 1 group"
