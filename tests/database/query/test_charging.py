"""The charge of a question: who pays, and what the ledger notes about it."""

from __future__ import annotations

from fractions import Fraction

from database.clinic import exactly


def test_a_charge_notes_table_aggregates_and_plan_form() -> None:
    with exactly(epsilon=3) as db:
        db.query("SELECT region, SUM(age) FROM data GROUP BY region", epsilon=1, request="r")
        (body,) = (entry.body for entry in db.ledger.entries() if entry.kind == "charge")
    assert body["about"]["table"] == "data"
    assert body["about"]["aggregates"] == ["SUM(age)"]
    assert body["about"]["plan"] == 3
    assert (body["request"], Fraction(body["epsilon"])) == ("r", 1)
