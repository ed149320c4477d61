"""UNION ALL: the pairs in unions.sql."""

from __future__ import annotations

import pytest

from sql.fixtures import check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "told"), pairs("union_all"))
def test_what_is_read(sql: str, told: str) -> None:
    check_answered(sql, told)


@pytest.mark.parametrize(("sql", "told"), pairs("union_all__refused"))
def test_what_is_refused(sql: str, told: str) -> None:
    check_refused(sql, told)
