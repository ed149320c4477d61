"""HAVING, ORDER BY, LIMIT and the SELECT list over results that are given."""

from __future__ import annotations

from hedgerow.answers.result_rows import ResultRow, arrange_rows, compute_outputs
from sql.helpers_fixtures import ask


def test_clauses_apply_in_the_order_of_sql() -> None:
    question = ask(
        "SELECT region, COUNT(*) * 2 AS twice, SQRT(COUNT(*) - 9) AS root FROM visits GROUP BY"
        " region HAVING COUNT(*) > 3 ORDER BY COUNT(*) DESC, region LIMIT 2 OFFSET 1"
    )
    counts = {"north": 5, "south": 9, "east": None, "west": 5, "other": 2}
    rows = [
        ResultRow(place, {"k0": key, "a0": count})
        for place, (key, count) in enumerate(counts.items())
    ]
    found = arrange_rows(question, rows)
    assert [row.index for row in found] == [0, 3]
    assert compute_outputs(question, found[0]) == {"region": "north", "twice": 10, "root": None}
