"""One row for each person: the pairs in folding.sql."""

from __future__ import annotations

import pytest

from sql.fixtures import check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "told"), pairs("per_unit_aggregation"))
def test_what_is_read(sql: str, told: str) -> None:
    check_answered(sql, told)


@pytest.mark.parametrize(("sql", "told"), pairs("per_unit_aggregation__refused"))
def test_what_is_refused(sql: str, told: str) -> None:
    check_refused(sql, told)
