"""GROUP BY: the pairs in grouping.sql, and which groups come back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hedgerow.sql.catalog import Catalog
from hedgerow.sql.reading import parse
from sql.fixtures import CATALOG, ask, check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "told"), pairs("grouping"))
def test_what_is_read(sql: str, told: str) -> None:
    check_answered(sql, told)


@pytest.mark.parametrize(("sql", "told"), pairs("grouping__refused"))
def test_what_is_refused(sql: str, told: str) -> None:
    check_refused(sql, told)


def domain(key: str) -> object:
    return ask(f"SELECT COUNT(*) FROM visits GROUP BY {key}").plan.source.domain


def test_the_groups_of_an_expression_are_those_that_its_columns_allow() -> None:
    assert domain("FLOOR(age / 10) * 10") == (tuple(range(0, 120, 10)),)
    assert domain("CASE WHEN region = 'north' THEN 'n' WHEN region IS NULL THEN 'none' ELSE 's' END") == (("n", "none", "s"),)
    assert domain("YEAR(month)") == ((2026,),)
    assert domain("city LIKE 'a%'") == ((False, True),)
    assert domain("city") is None


def test_without_keys_there_is_one_group() -> None:
    assert ask("SELECT COUNT(*) FROM visits").plan.source.domain == ()


def test_too_many_values_are_not_listed() -> None:
    few = Catalog({"visits": replace(CATALOG.tables["visits"], domain_limit=10)})
    assert parse("SELECT COUNT(*) FROM visits GROUP BY age", few).plan.source.domain is None
    assert parse("SELECT COUNT(*) FROM visits GROUP BY region", few).plan.source.domain is not None
