"""Columns of the rows of a subquery, and the number of its rows per unit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hedgerow.errors import Refused
from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.catalog import PRIVACY_ID
from hedgerow.sql.relations import select_list
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


ALIASED = "(SELECT patient_id AS who, visit_age FROM labs)"


def test_the_id_stays_the_id_under_any_name() -> None:
    one, two, three = (
        ask(f"SELECT COUNT(*) FROM visits v JOIN {rows} ON v.patient_id = x.{name}").plan
        for rows, name in (
            ("labs x", "patient_id"),
            (f"{ALIASED} x", "who"),
            ("(SELECT w, w AS v2, a FROM (SELECT * FROM labs) AS t (w, v, k, a, d)) x", "v2"),
        )
    )
    assert one == two == three
    assert ask(f"SELECT COUNT(DISTINCT who) FROM {ALIASED}").plan.measures[0].kind == "units"
    for output in ("who", "MAX(who)", "COUNT(*) FILTER (WHERE who > 3)"):
        with pytest.raises(Refused, match="who is the privacy id"):
            ask(f"SELECT {output} FROM {ALIASED} GROUP BY visit_age")


HIDDEN_IDS = (
    # a column that takes the name of the id: in one step, in two, by a column list, in WITH
    "SELECT COUNT(*) FROM visits JOIN (SELECT visit_age AS patient_id FROM labs) l USING"
    " (patient_id)",
    f"SELECT COUNT(*) FROM visits JOIN (SELECT visit_age AS patient_id FROM {ALIASED}) l USING"
    " (patient_id)",
    "SELECT COUNT(*) FROM visits JOIN (SELECT who, visit_age FROM labs_of) l (x, patient_id)"
    " USING (patient_id)",
    "SELECT COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n FROM (SELECT visit_age AS patient_id"
    " FROM labs_of) GROUP BY patient_id)",
    "SELECT COUNT(DISTINCT patient_id) FROM (SELECT visit_age AS patient_id, who AS visit_age FROM"
    " labs_of) JOIN patients ON patients.id = patient_id",
)


def _make_name_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a mistake: whatever is called patient_id passes as the id."""
    plain = select_list.build_projection

    def build(scope: Scope, outputs: Any) -> Scope:
        made = plain(scope, outputs)
        columns = tuple(
            replace(column, owner=PRIVACY_ID if column.name == "patient_id" else column.owner)
            for column in made.columns
        )
        return replace(made, columns=columns)

    monkeypatch.setattr(select_list, "build_projection", build)
    monkeypatch.setattr(select_list, "_check_name", lambda *_: None)


def _list_answered() -> list[str]:
    answered = []
    for sql in HIDDEN_IDS:
        try:
            ask(f"WITH labs_of AS {ALIASED} {sql}")
        except Refused:
            continue
        answered.append(sql)
    return answered


def test_an_alias_never_makes_another_column_the_id(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _list_answered() == []
    _make_name_decide(monkeypatch)  # … and the statements would show it
    assert len(_list_answered()) >= 3
