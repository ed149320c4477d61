"""Intervals and unknown functions: the pairs in intervals.sql and intervals__refused.sql."""

from __future__ import annotations

import pytest

from sql.fixtures import check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "told"), pairs("dp_functions"))
def test_what_is_read(sql: str, told: str) -> None:
    check_answered(sql, told)


@pytest.mark.parametrize(("sql", "told"), pairs("dp_functions__refused"))
def test_what_is_refused(sql: str, told: str) -> None:
    check_refused(sql, told)
