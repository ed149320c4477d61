"""Lines of the policy that a refusal suggests, and that can be copied into it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hedgerow.errors import Refused, Unbounded, Unsupported
from hedgerow.plan.schema import Column
from hedgerow.policy import parse_policy
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_question
from sql.helpers_fixtures import CATALOG, VISITS, ask
from sql.helpers_fixtures import REGIONS as PUBLIC

POLICY = """\
[database]
name = "clinic"
[budget]
epsilon = 1.0
[tables.visits]
source = "visits.csv"
unit = "patient_id"
neighbours = "add-remove"
max_units = 1000
max_groups = 1
max_rows_per_group = 1
[tables.visits.columns]
"""


def test_the_missing_lines_of_the_policy_are_written_out() -> None:
    with pytest.raises(Refused) as caught:
        ask("SELECT SUM(weight * visits_before + weight) FROM visits")
    assert (
        str(caught.value).split("\n")[-1]
        == 'Declare bounds in the policy, under [tables.visits.columns]: weight = { type = "real",'
        ' min = …, max = … }; visits_before = { type = "integer", min = …, max = … }; or clamp:'
        " LEAST(GREATEST(weight, 0), 500); or set auto_bounds = true under [tables.visits] to"
        " find bounds privately, at a cost."
    )


def test_the_lines_for_days_and_for_names_with_blanks_can_be_copied_into_a_policy() -> None:
    odd = replace(VISITS, columns=(*VISITS.columns, Column("Größe (cm)", "integer")))
    catalog = Catalog({"visits": replace(CATALOG.tables["visits"], schema=odd)})
    with pytest.raises(Unbounded) as caught:
        parse_question('SELECT MEDIAN(day), SUM("Größe (cm)") FROM visits', catalog)
    line = 'day = { type = "date", values = "2026-01-01 … 2026-12-31" }'
    assert (
        str(caught.value).split("\n")[-1]
        == f"Declare bounds in the policy, under [tables.visits.columns]: {line}; or clamp:"
        " LEAST(GREATEST(day, DATE '2026-01-01'), DATE '2026-12-31')."
    )
    assert parse_policy(POLICY + line).table("visits").columns[0].values
    assert ask(
        "SELECT MEDIAN(LEAST(GREATEST(day, DATE '2026-01-01'), DATE '2026-12-31')) FROM visits"
    ).aggregates
    with pytest.raises(Unbounded) as caught:
        parse_question('SELECT SUM("Größe (cm)") FROM visits', catalog)
    assert '"Größe (cm)" = { type = "integer", min = …, max = … }; or clamp' in str(caught.value)
    assert parse_question(
        'SELECT SUM(LEAST(GREATEST("Größe (cm)", 0), 500)) FROM visits', catalog
    ).aggregates


@pytest.mark.parametrize(
    ("sql", "end"),
    [
        ("SELECT AVG(city) FROM visits", "; otherwise use COUNT(x)."),
        ("SELECT MEDIAN(city) FROM visits", "; otherwise use MODE(x) or COUNT(x)."),
        (
            "SELECT MAX(city) FROM visits",
            '; if it has few texts, declare them: values = ["a", "b"].',
        ),
        (
            (
                "SELECT AVG(LEAST(s, 5)) FROM (SELECT patient_id, SUM(city) AS s FROM visits GROUP"
                " BY patient_id)"
            ),
            "; otherwise use COUNT(x).",
        ),
    ],
)
def test_text_that_may_be_numbers_is_declared_so(sql: str, end: str) -> None:
    """All columns of a .csv file are text unless the policy declares them."""
    with pytest.raises(Unsupported) as caught:
        ask(sql)
    line = 'city = { type = "real", min = …, max = … }'
    advice = (
        "If city holds numbers, declare it as a number in the policy, under"
        f" [tables.visits.columns]: {line}"
    )
    assert str(caught.value).endswith(advice + end)


def test_only_numeric_text_is_hinted_as_a_number() -> None:
    numbers = replace(
        PUBLIC, columns=(Column("region", "text"), Column("beds", "text", values=("10", "7.5")))
    )
    catalog = Catalog(
        {**CATALOG.tables, "regions": replace(CATALOG.tables["regions"], schema=numbers)}
    )
    with pytest.raises(Unsupported, match=r"under \[tables\.regions\.columns\]: beds = \{ type"):
        parse_question(
            "SELECT AVG(r.beds) FROM visits v JOIN regions r ON r.region = v.region", catalog
        )
    with pytest.raises(Unsupported, match=r"Use MODE\(x\) or COUNT\(x\)\."):
        ask("SELECT MEDIAN(region) FROM visits")


@pytest.mark.parametrize("condition", ["age = '5.5'", "'5.5' < age", "YEAR(day) = '5.5'"])
def test_fractions_in_quotes_beside_integers_are_refused_with_the_number(condition: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(f"SELECT COUNT(*) FROM visits WHERE {condition}")
    assert str(caught.value).endswith("Numbers take no quotes: write 5.5.")


def test_a_declared_length_bounds_what_depends_on_it() -> None:
    entry = replace(CATALOG.tables["visits"], max_lengths={"city": 30})
    catalog = Catalog({**CATALOG.tables, "visits": entry})
    for call in (
        "AVG(LENGTH(city))",
        "MAX(STRLEN(UPPER(TRIM(city))))",
        "SUM(STRPOS(city, 'a'))",
        "AVG(LENGTH(t.c)) FROM (SELECT patient_id, city AS c FROM visits) AS t --",
    ):
        question = parse_question(f"SELECT {call} FROM visits", catalog)
        measure = question.aggregates[0].measure
        assert measure.grid is not None
        assert (measure.grid.low, measure.grid.high * measure.grid.step) == (0, 30)
    for call in ("AVG(LENGTH(city || 'a'))", "AVG(LENGTH(REPLACE(city, 'a', 'aa')))"):
        with pytest.raises(Unbounded):
            parse_question(f"SELECT {call} FROM visits", catalog)


def test_a_length_without_bounds_is_refused_with_both_ways_out() -> None:
    with pytest.raises(Unbounded) as caught:
        ask("SELECT AVG(LENGTH(city)) FROM visits")
    assert str(caught.value).endswith(
        "Clamp it to a length of your choice: LEAST(LENGTH(city), 100); or declare one in the"
        ' policy, under [tables.visits.columns]: city = { type = "text", max_length = 100 }.'
    )
    page = POLICY + 'city = { type = "text", max_length = 100 }\n'
    assert parse_policy(page).tables[0].columns[0].max_length == 100
    with pytest.raises(Unbounded, match=r"LEAST\(LENGTH\(x\), 100\)\.$"):
        ask("SELECT AVG(LENGTH(c)) FROM (SELECT patient_id, city || 'b' AS c FROM visits) AS t")
