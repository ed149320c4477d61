"""Columns of the rows of a subquery, and the number of its rows per unit."""

from __future__ import annotations

import pytest

from sql.helpers_fixtures import ask

FOLDED = (
    "(SELECT patient_id, region, age, COUNT(*) AS n FROM visits GROUP BY patient_id, region, age)"
)


@pytest.mark.parametrize(
    ("source", "keys", "rows"),
    [
        ("visits", "region", 5),
        (FOLDED, "region, age", 1),
        (FOLDED, "region", 5),
        (f"(SELECT * FROM {FOLDED})", "age, region", 1),
        (f"(SELECT age AS a, region FROM {FOLDED})", "a, region", 1),
        (f"(SELECT region FROM {FOLDED})", "region", 5),  # several ages of one person
        # 1 it is, but nobody looks into a + 1
        (f"(SELECT age + 1 AS a, region FROM {FOLDED})", "a, region", 5),
        (f"{FOLDED} f JOIN regions USING (region)", "region, age", 1),
        (f"{FOLDED} f JOIN drugs ON region = drug", "region, age", 5),  # a drug may come twice
        (
            (
                f"{FOLDED} f JOIN (SELECT patient_id, MAX(value) AS v FROM labs GROUP BY"
                " patient_id) USING (patient_id)"
            ),
            "region, age",
            1,
        ),
        (
            f"{FOLDED} f JOIN (SELECT DISTINCT patient_id, kind FROM labs) USING (patient_id)",
            "region, age",
            7,
        ),
        (
            f"{FOLDED} f JOIN (SELECT DISTINCT patient_id, kind FROM labs) USING (patient_id)",
            "region, age, kind",
            1,
        ),
        (
            (
                f"{FOLDED} f JOIN (SELECT DISTINCT patient_id, visit_age FROM labs) l USING"
                " (patient_id) WHERE age = visit_age"
            ),
            "region, age",
            1,
        ),
        (f"(SELECT * FROM {FOLDED} UNION ALL SELECT * FROM {FOLDED})", "region, age", 5),
    ],
)
def test_caps_of_rows(source: str, keys: str, rows: int) -> None:
    assert ask(f"SELECT COUNT(*) FROM {source} GROUP BY {keys}").plan.bound.max_rows == rows


def test_a_star_has_every_column_once() -> None:
    names = [
        output.name
        for output in ask(
            "SELECT region, zone, age, COUNT(*) FROM (SELECT * FROM visits JOIN regions USING"
            " (region)) GROUP BY region, zone, age"
        ).outputs
    ]
    assert names == ["region", "zone", "age", "count"]
