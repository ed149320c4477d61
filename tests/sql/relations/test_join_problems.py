"""Joins that are refused, with the reason and the fix."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from sql.helpers_fixtures import ask


@pytest.mark.parametrize(
    ("rows", "fix"),
    [
        ("visits v, regions r", "Add an equality, such as ON v.x = r.x."),
        ("answers a JOIN drugs d ON a.region = d.drug", "declares unique in drugs."),
        ("visits v JOIN labs l ON v.age = l.visit_age", "Add v.patient_id = l.patient_id."),
        (
            "visits v JOIN (SELECT visit_age FROM labs) l ON v.age = l.visit_age",
            "a subquery must select it under its own name.",
        ),
        ("visits v JOIN labs l ON v.patient_id = l.visit_age", "a.patient_id = b.patient_id."),
        ("visits v JOIN answers a ON v.region = a.region", "Join it with public tables only."),
    ],
)
def test_a_join_that_could_mix_units_is_refused_with_a_fix(rows: str, fix: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(f"SELECT COUNT(*) FROM {rows}")
    assert fix in str(caught.value).splitlines()[-1]


def test_a_declared_key_lets_rows_that_are_units_be_joined() -> None:
    assert ask("SELECT COUNT(*) FROM answers a JOIN regions r ON a.region = r.region").aggregates
