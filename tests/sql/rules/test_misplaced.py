"""Expressions that are refused: the pairs in shapes__refused.sql."""

from __future__ import annotations

import pytest

from sql.fixtures import check_refused, pairs


@pytest.mark.parametrize(("sql", "told"), pairs("misplaced__refused"))
def test_what_is_refused(sql: str, told: str) -> None:
    check_refused(sql, told)
