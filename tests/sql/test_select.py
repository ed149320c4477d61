"""Plans of whole questions."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.nodes import Filter, Project, Table
from sql.helpers_fixtures import VISITS, ask


def test_a_plan_is_bounded_last() -> None:
    plan = ask("SELECT region, SUM(Cost) FROM visits WHERE smoker GROUP BY region").plan
    assert plan.bound.keys == ("k0",)
    assert plan.bound.max_rows == 5
    project = plan.bound.source
    assert isinstance(project, Project)
    assert isinstance(project.source, Filter)
    assert project.source.source == Table(VISITS)


def test_rows_that_are_units_have_caps_of_one() -> None:
    plan = ask("SELECT COUNT(*) FROM answers").plan
    assert (plan.bound.max_groups, plan.bound.max_rows) == (1, 1)


def test_the_same_question_in_other_words_has_the_same_plan() -> None:
    one = ask(
        "SELECT region, AVG(age) a, COUNT(*) FROM visits WHERE age > 17 AND smoker GROUP BY region"
    )
    two = ask(
        "select count(1), avg(v.age), REGION from Visits v where smoker and 18 <= age group by 3"
        " order by 1 limit 3"
    )
    assert one.plan == two.plan


def test_too_many_groups_come_as_they_occur() -> None:
    assert (
        ask("SELECT COUNT(*) FROM visits GROUP BY age, month, region").plan.source.cells
        == 111 * 12 * 4
    )
    assert (
        ask("SELECT COUNT(*) FROM visits GROUP BY age, month, region, city").plan.source.cells
        is None
    )


def test_a_key_that_others_determine_adds_no_groups() -> None:
    plain = ask("SELECT region, COUNT(*) FROM visits GROUP BY region")
    more = ask("SELECT region, UPPER(region), COUNT(*) FROM visits GROUP BY region, UPPER(region)")
    assert more.plan == plain.plan
    assert len(more.outputs) == 3
    unbounded = "SELECT visits_before, visits_before - 1, COUNT(*) FROM visits"
    assert (
        ask(f"{unbounded} GROUP BY visits_before, visits_before - 1").plan
        == ask(f"{unbounded} GROUP BY visits_before").plan
    )


def test_limit_and_offset() -> None:
    question = ask("SELECT COUNT(*) FROM visits LIMIT 3 OFFSET 2")
    assert (question.limit, question.offset) == (3, 2)
    question = ask("SELECT COUNT(*) FROM visits")
    assert (question.limit, question.offset) == (None, 0)


@pytest.mark.parametrize(
    ("written", "limit"),
    [
        ("FETCH FIRST 5 ROWS ONLY", "LIMIT 5"),
        ("OFFSET 2 ROWS FETCH NEXT ROW ONLY", "LIMIT 1 OFFSET 2"),
    ],
)
def test_fetch_means_limit(written: str, limit: str) -> None:
    select = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region ORDER BY n DESC"
    assert ask(f"{select} {written}") == ask(f"{select} {limit}")


def test_questions_that_mean_too_much_are_refused() -> None:
    long = "+".join(["COUNT(*)"] * 90)
    with pytest.raises(Unsupported, match="more than 50000 parts"):
        ask(f"SELECT {long} AS n FROM visits ORDER BY " + ", ".join(["n"] * 1000))
    with pytest.raises(Unsupported, match="too complex"):
        ask(
            "SELECT "
            + ", ".join(f"SUM({'+'.join(['age'] * 60)} + {i})" for i in range(20))
            + " FROM visits"
        )


def test_keys_stay_as_asked_where_two_populations_meet() -> None:
    asked = "FROM care JOIN doctors USING (doctor_id) GROUP BY"
    one = ask(f"SELECT kind, field, COUNT(*) {asked} kind, field")
    other = ask(f"SELECT kind, field, COUNT(*) {asked} field, kind")
    assert [key.text for key in one.keys] == ["kind", "field"]
    assert [key.text for key in other.keys] == ["field", "kind"]
    assert one.order == other.order == ()
