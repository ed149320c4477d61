"""Advice for IN and EXISTS about public tables, and about rows of other units."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from sql.helpers_fixtures import ask

FREE = "Ask for the values first, which is free"


@pytest.mark.parametrize(
    ("where", "instead"),
    [
        # A row meets one of the regions at most, and several of what is not declared as unique: it
        # would be counted as often.
        (
            "region IN (SELECT region FROM regions)",
            (
                "Join the table, and put its conditions into WHERE: JOIN regions AS d ON"
                " visits.region = d.region."
            ),
        ),
        (
            (
                "EXISTS (SELECT 1 FROM regions r WHERE r.region = visits.region AND r.zone ="
                " visits.city)"
            ),
            (
                "put its conditions into WHERE: JOIN regions AS d ON visits.region = d.region"
                " AND visits.city = d.zone."
            ),
        ),
        (
            "city IN (SELECT drug FROM drugs)",
            f"{FREE}: SELECT DISTINCT drug FROM drugs; then list them: visits.city IN ('a', 'b').",
        ),
        (
            "city IN (SELECT drug FROM drugs WHERE price > 3)",
            (
                f"{FREE}: SELECT DISTINCT drug FROM drugs WHERE price > 3; then list them:"
                " visits.city IN ('a', 'b')."
            ),
        ),
        (
            "EXISTS (SELECT 1 FROM regions r WHERE r.zone = visits.city AND r.region = 'north')",
            (
                f"{FREE}: SELECT DISTINCT r.zone FROM regions AS r WHERE r.region = 'north'; then"
                " list them: visits.city IN ('a', 'b')."
            ),
        ),
        (
            "region NOT IN (SELECT region FROM regions WHERE zone = 'a')",
            (
                f"{FREE}: SELECT DISTINCT region FROM regions WHERE zone = 'a'; then list them:"
                " visits.region NOT IN ('a', 'b')."
            ),
        ),
        (
            (
                "NOT EXISTS (SELECT 1 FROM regions r WHERE r.region = visits.region AND r.zone ="
                " visits.city)"
            ),
            (
                f"{FREE}: SELECT DISTINCT r.region, r.zone FROM regions AS r; then list them: "
                "NOT (visits.region = … AND visits.city = … OR …)."
            ),
        ),
        # What is asked is a question of its own: it names tables, and not what WITH calls something
        # here.
        (
            "city IN (SELECT z.region FROM (SELECT region FROM regions) AS z)",
            (
                f"{FREE}: SELECT DISTINCT z.region FROM (SELECT region FROM regions) AS z; then"
                " list them: visits.city IN ('a', 'b')."
            ),
        ),
        (
            "city IN (SELECT region FROM named)",
            f"{FREE}; then list them: visits.city IN ('a', 'b').",
        ),
        (
            "age IN (SELECT visit_age FROM labs)",
            "EXISTS (SELECT 1 FROM labs AS d WHERE d.patient_id = … ",
        ),
        (
            "age IN (SELECT z.visit_age FROM (SELECT * FROM labs) AS z)",
            "EXISTS (SELECT 1 FROM … AS d WHERE d.patient_id = …",
        ),
    ],
)
def test_the_fix_for_in_and_exists_can_be_copied(where: str, instead: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(f"WITH named AS (SELECT region FROM regions) SELECT COUNT(*) FROM visits WHERE {where}")
    assert instead in str(caught.value).splitlines()[-1]
