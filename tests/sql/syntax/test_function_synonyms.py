"""Synonyms of functions and clauses: the same question as the standard form."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from sql.helpers_fixtures import ask


@pytest.mark.parametrize(
    ("written", "standard"),
    [
        ("VAR(age)", "VAR_SAMP(age)"),
        ("STD(age), STDEV(age)", "STDDEV_SAMP(age), STDDEV_SAMP(age)"),
        ("varp(age), StdevP(age)", "VAR_POP(age), STDDEV_POP(age)"),
        ("MEAN(age), SUMKAHAN(age)", "AVG(age), SUM(age)"),
        ("SUM_IF(age, smoker)", "SUM(age) FILTER (WHERE smoker)"),
        ("AVGIF(age, smoker)", "AVG(age) FILTER (WHERE smoker)"),
        ("UNIQ(city), COUNT_DISTINCT(city)", "COUNT(DISTINCT city), COUNT(DISTINCT city)"),
        ("SUM(IFF(smoker, 1, 0))", "SUM(IF(smoker, 1, 0))"),
        ("SUM(ISNULL(age, 3))", "SUM(COALESCE(age, 3))"),
        ("SUM(ZEROIFNULL(NULLIFZERO(age)))", "SUM(COALESCE(NULLIF(age, 0), 0))"),
        ("SUM(SQUARE(age))", "SUM(age * age)"),
        ("COUNT_IF(PREFIX(city, 'A'))", "COUNT_IF(STARTS_WITH(city, 'A'))"),
        (
            "COUNT(DECODE(region, 'north', 1, NULL, 2, 'south', 3))",
            "COUNT(CASE WHEN region = 'north' THEN 1 WHEN region IS NULL THEN 2"
            " WHEN region = 'south' THEN 3 END)",
        ),
        (
            "SUM(CHOOSE(age, 5, 6))",
            "SUM(CASE WHEN age = 1 THEN 5 WHEN age = 2 THEN 6 END)",
        ),
        ("APPROX_PERCENTILE(age, 0.9)", "QUANTILE(age, 0.9)"),
        ("COUNT(*) FILTER (WHERE age BETWEEN SYMMETRIC 9 AND 4)", "COUNT_IF(age BETWEEN 4 AND 9)"),
    ],
)
def test_a_synonym_has_the_plan_of_the_standard_form(written: str, standard: str) -> None:
    found, wanted = (ask(f"SELECT {items} FROM visits") for items in (written, standard))
    assert found.plan == wanted.plan
    assert [output.expression for output in found.outputs] == [
        output.expression for output in wanted.outputs
    ]


def test_keys_may_be_in_parentheses() -> None:
    written = "SELECT COUNT(*) FROM visits GROUP BY"
    assert (
        ask(f"{written} (region, month), smoker").plan
        == ask(f"{written} region, month, smoker").plan
    )


@pytest.mark.parametrize("written", ["VAR()", "SUMIF(age)", "IFF(smoker, 1)", "SQUARE(age, 2)"])
def test_a_synonym_with_other_arguments_is_refused(written: str) -> None:
    with pytest.raises(Unsupported, match=f"There is no function {written.partition('(')[0]}"):
        ask(f"SELECT SUM({written}) FROM visits")


def test_a_refusal_shows_the_synonym_as_it_is_written() -> None:
    with pytest.raises(Unsupported) as caught:
        ask("SELECT region, AVG(MEAN(age)) FROM visits GROUP BY region")
    assert str(caught.value).split("\n")[2].count("^") == len("MEAN(age)")
    assert ask("SELECT MEAN(age) FROM visits").aggregates[0].text == "MEAN(age)"
