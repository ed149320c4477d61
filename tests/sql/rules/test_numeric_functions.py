"""Functions of numbers: the pairs in numbers.sql and numbers__refused.sql."""

from __future__ import annotations

import pytest

from sql.fixtures import check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "told"), pairs("numeric_functions"))
def test_what_is_read(sql: str, told: str) -> None:
    check_answered(sql, told)


@pytest.mark.parametrize(("sql", "told"), pairs("numeric_functions__refused"))
def test_what_is_refused(sql: str, told: str) -> None:
    check_refused(sql, told)
