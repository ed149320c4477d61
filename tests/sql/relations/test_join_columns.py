"""Columns of the two sides of a join."""

from __future__ import annotations

from hedgerow.plan.nodes import Join, Project
from hedgerow.plan.scalar.expressions import find_columns
from sql.helpers_fixtures import ask


def test_names_that_both_sides_have_stay_apart() -> None:
    plan = ask(
        "SELECT a.age, b.age, COUNT(*) FROM visits a JOIN visits b ON a.patient_id = b.patient_id"
        " GROUP BY a.age, b.age"
    ).plan
    rows = plan.bound.source
    assert isinstance(rows, Project)
    origins = {name for _, value in rows.outputs for name in find_columns(value)}
    assert len(origins) == 2


def test_a_constant_finds_a_free_name() -> None:
    """A column of the rows may have the name of the mark that a LEFT JOIN needs."""
    plan = ask(
        "SELECT COUNT(*) FROM patients p LEFT JOIN (SELECT patient_id, value AS one FROM labs) l ON"
        " l.patient_id = p.id WHERE l.patient_id IS NULL AND l.one IS NULL"
    ).plan
    join = plan.bound.source.source.source  # type: ignore[union-attr]
    assert isinstance(join, Join)
    assert len(join.added_columns) == 2
