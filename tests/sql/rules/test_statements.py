"""Statements that are refused: the pairs in statements__refused.sql."""

from __future__ import annotations

import pytest

from sql.fixtures import check_refused, pairs


@pytest.mark.parametrize(("sql", "told"), pairs("statements__refused"))
def test_what_is_refused(sql: str, told: str) -> None:
    check_refused(sql, told)
